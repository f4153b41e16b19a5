//! Two databases of the same company, one without the other tenant, and a role that reads them.

use futures::TryStreamExt as _;
use sql_guard::Dialect;
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, Row};
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use tokio::runtime::Runtime;

/// The result of executing a statement.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// The rows, as text, sorted.
    Rows(Vec<Vec<Option<Vec<u8>>>>),
    /// The error code and message of the database.
    Refused(String, String),
}

/// Larger results are not compared.
const MOST_ROWS: usize = 5_000;

/// Tables of both dialects; `{q}` quotes a name.
const SCHEMA: &str = "
CREATE TABLE {q}employee{q} (id INT, {q}firstName{q} VARCHAR(60), company_id VARCHAR(10), {q}bossId{q} INT, pay INT);
CREATE TABLE {q}customer{q} (id INT, name VARCHAR(60), company_id VARCHAR(10), pay INT);
CREATE TABLE {q}inspection{q} (id INT, {q}employeeId{q} INT, title VARCHAR(60), company_id VARCHAR(10), pay INT);
CREATE TABLE {q}workOrder{q} (id INT, {q}customerId{q} INT, company_id VARCHAR(10), title VARCHAR(60), pay INT);
CREATE TABLE {q}workOrderLine{q} (id INT, {q}workOrderId{q} INT, amount INT, pay INT);
CREATE TABLE {q}part{q} (id INT, {q}lineId{q} INT, label VARCHAR(60));
CREATE TABLE {q}note{q} (id INT, {q}employeeId{q} INT, text VARCHAR(60), pay INT);
CREATE TABLE {q}crew{q} (id INT, title VARCHAR(60));
CREATE TABLE {q}payroll{q} (id INT, title VARCHAR(60), company_id VARCHAR(10));
CREATE VIEW {q}secure_employee{q} AS SELECT id, {q}firstName{q}, company_id, {q}bossId{q}, pay FROM {q}employee{q};
CREATE VIEW {q}secure_customer{q} AS SELECT id, name, company_id, pay FROM {q}customer{q};
INSERT INTO {q}note{q} VALUES (1, 1, 'shared one', 1), (2, 3, 'shared two', 1), (3, 12, 'A', 1), (4, NULL, NULL, 1);
INSERT INTO {q}crew{q} VALUES (1, 'north'), (2, 'south'), (11, NULL);
";

/// The rows of a tenant; `{t}` is the tenant, `{n}` the prefix of its ids.
const ROWS: &str = "
INSERT INTO {q}employee{q} VALUES ({n}1, '{t} Ada', '{t}', NULL, 7), ({n}2, '{t} Ben', '{t}', {n}1, 7), ({n}3, NULL, '{t}', {n}1, 7);
INSERT INTO {q}customer{q} VALUES ({n}1, '{t} Inc', '{t}', 7), ({n}2, '{t} Ltd', '{t}', 7);
INSERT INTO {q}inspection{q} VALUES ({n}1, {n}1, '{t} roof', '{t}', 7), ({n}2, {n}2, '{t} van', '{t}', 7), ({n}4, NULL, NULL, '{t}', 7);
INSERT INTO {q}workOrder{q} VALUES ({n}1, {n}1, '{t}', '{t} fix', 7), ({n}2, {n}2, '{t}', '{t} paint', 7), ({n}3, NULL, '{t}', NULL, 7);
INSERT INTO {q}workOrderLine{q} VALUES ({n}1, {n}1, 10, 7), ({n}2, {n}1, 20, 7), ({n}3, {n}2, 5, 7);
INSERT INTO {q}part{q} VALUES ({n}1, {n}1, '{t} bolt'), ({n}2, {n}3, '{t} nut');
INSERT INTO {q}payroll{q} VALUES ({n}1, '{t} secret', '{t}');
";

/// Rows without a tenant, rows with ids of the other tenant, and rows of a tenant with a similar
/// name.
const STRAYS: &str = "
INSERT INTO {q}workOrderLine{q} VALUES (901, 902, 99, 7), (902, NULL, 99, 7);
INSERT INTO {q}inspection{q} VALUES (903, 1, 'none', NULL, 7), (904, 1, 'like A', 'AA', 7), (905, 1, 'like A', '', 7);
UPDATE {q}employee{q} SET pay = 8; UPDATE {q}customer{q} SET pay = 8; UPDATE {q}note{q} SET pay = 8; UPDATE {q}inspection{q} SET pay = 8;
";

const READABLE: &[&str] = &[
    "secure_employee",
    "secure_customer",
    "inspection",
    "workOrder",
    "workOrderLine",
    "part",
    "note",
    "crew",
];

/// Permissions that every role has by default in PostgreSQL, and that no accepted statement should
/// need.
const REVOKED: &str = "
REVOKE SELECT ON ALL TABLES IN SCHEMA pg_catalog FROM PUBLIC;
REVOKE ALL ON SCHEMA information_schema FROM PUBLIC;
DO $$ DECLARE f regprocedure; BEGIN
    FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND (
        proname IN ('version', 'current_setting', 'set_config', 'nextval', 'setval', 'currval', 'lastval', 'current_query', 'repeat',
                    'generate_series', 'regclassin', 'regprocin', 'regtypein', 'regclassout', 'to_regclass', 'format_type')
        OR proname LIKE 'pg\\_%' OR proname LIKE 'lo\\_%' OR proname LIKE '%\\_to\\_xml%' OR proname LIKE 'has\\_%'
        OR proname LIKE 'txid%' OR proname LIKE 'inet\\_%')
    LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f); END LOOP;
END $$;
";

/// Whether an error code means a missing permission, relation, schema or function. In these cases
/// the guard was wrong. Other errors (a type, a column that `MariaDB` hides from a derived table)
/// are only counted.
pub(crate) fn is_forbidden(dialect: Dialect, code: &str) -> bool {
    match dialect {
        Dialect::PostgreSql => ["42501", "42P01", "3F000", "25006", "42P02"].contains(&code),
        Dialect::MySql => [
            "1142", "1143", "1044", "1227", "1370", "1345", "1146", "1049", "1305", "1792", "1290",
        ]
        .contains(&code),
    }
}

/// Both databases with a connection to each.
pub(crate) struct Pair {
    runtime: Runtime,
    full: Reader,
    alone: Reader,
}

enum Reader {
    PostgreSql {
        connection: PgConnection,
        _database: TestDatabase,
    },
    MariaDb {
        connection: MySqlConnection,
        _database: TestMariaDb,
    },
}

impl Pair {
    pub(crate) fn postgresql() -> Pair {
        Pair::of(async |strays| Reader::postgresql(strays).await)
    }

    pub(crate) fn mariadb() -> Pair {
        Pair::of(async |strays| Reader::mariadb(strays).await)
    }

    fn of(reader: impl AsyncFn(bool) -> Reader) -> Pair {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (full, alone) = runtime.block_on(async { (reader(true).await, reader(false).await) });
        Pair {
            runtime,
            full,
            alone,
        }
    }

    /// Runs a statement in both databases.
    pub(crate) fn run(&mut self, sql: &str) -> (Outcome, Outcome) {
        let (full, alone) = (&mut self.full, &mut self.alone);
        self.runtime
            .block_on(async { (full.run(sql).await, alone.run(sql).await) })
    }
}

/// The statements that create the company, with or without the other tenant.
fn script(with_others: bool, quote: &str) -> String {
    let tenant = |name: &str, ids: &str| ROWS.replace("{t}", name).replace("{n}", ids);
    let mut script = SCHEMA.to_owned() + &tenant("A", "");
    if with_others {
        script += &tenant("B", "1");
        script += STRAYS;
    }
    script.replace("{q}", quote)
}

impl Reader {
    async fn postgresql(with_others: bool) -> Reader {
        let database = TestDatabase::empty().await.unwrap();
        let role = format!("eval_{}", database.name());
        let mut admin = PgConnection::connect(database.url()).await.unwrap();
        let grants = READABLE
            .iter()
            .map(|table| format!("GRANT SELECT ON \"{table}\" TO {role};"));
        let script = format!(
            "{}{REVOKED} CREATE ROLE {role} LOGIN PASSWORD 'reader'; {}",
            script(with_others, "\""),
            grants.collect::<String>()
        );
        sqlx::raw_sql(AssertSqlSafe(script))
            .execute(&mut admin)
            .await
            .unwrap();
        let (scheme, rest) = database.url().split_once("://").unwrap();
        let server = rest.split_once('@').unwrap().1;
        let url = format!("{scheme}://{role}:reader@{server}");
        let mut connection = PgConnection::connect(&url).await.unwrap();
        sqlx::raw_sql("SET statement_timeout = '5s'; SET default_transaction_read_only = on")
            .execute(&mut connection)
            .await
            .unwrap();
        Reader::PostgreSql {
            connection,
            _database: database,
        }
    }

    async fn mariadb(with_others: bool) -> Reader {
        let database = TestMariaDb::empty().await.unwrap();
        let role = format!("eval_{}", database.name());
        let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
        let grants = READABLE
            .iter()
            .map(|table| format!("GRANT SELECT ON `{}`.`{table}` TO {role};", database.name()));
        let script = format!(
            "{} CREATE USER {role} IDENTIFIED BY 'reader'; {}",
            script(with_others, "`"),
            grants.collect::<String>()
        );
        sqlx::raw_sql(AssertSqlSafe(script))
            .execute(&mut admin)
            .await
            .unwrap();
        let url = database.url_as(&role, "reader");
        let mut connection = MySqlConnection::connect(&url).await.unwrap();
        sqlx::raw_sql("SET max_statement_time = 5; SET SESSION TRANSACTION READ ONLY")
            .execute(&mut connection)
            .await
            .unwrap();
        Reader::MariaDb {
            connection,
            _database: database,
        }
    }

    async fn run(&mut self, sql: &str) -> Outcome {
        let sql = AssertSqlSafe(sql.to_owned());
        let mut rows = Vec::new();
        let ended = match self {
            Reader::PostgreSql { connection, .. } => {
                let mut found = sqlx::raw_sql(sql).fetch(connection);
                loop {
                    match found.try_next().await {
                        Ok(Some(row)) if rows.len() < MOST_ROWS => rows.push(
                            (0..row.len())
                                .map(|at| {
                                    row.try_get_raw(at)
                                        .unwrap()
                                        .as_bytes()
                                        .ok()
                                        .map(<[u8]>::to_vec)
                                })
                                .collect(),
                        ),
                        Ok(Some(_)) => {}
                        Ok(None) => break Ok(()),
                        Err(error) => break Err(error),
                    }
                }
            }
            Reader::MariaDb { connection, .. } => {
                let mut found = sqlx::raw_sql(sql).fetch(connection);
                loop {
                    match found.try_next().await {
                        Ok(Some(row)) if rows.len() < MOST_ROWS => rows.push(
                            (0..row.len())
                                .map(|at| row.try_get_unchecked(at).unwrap())
                                .collect(),
                        ),
                        Ok(Some(_)) => {}
                        Ok(None) => break Ok(()),
                        Err(error) => break Err(error),
                    }
                }
            }
        };
        match ended {
            Ok(()) => {
                rows.sort();
                Outcome::Rows(rows)
            }
            Err(sqlx::Error::Database(error)) => {
                let number = error
                    .try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>()
                    .map(|error| error.number().to_string());
                let code = number
                    .or_else(|| error.code().map(Into::into))
                    .unwrap_or_default();
                Outcome::Refused(code, error.message().to_owned())
            }
            Err(error) => panic!("{error}"),
        }
    }
}
