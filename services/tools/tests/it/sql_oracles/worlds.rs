//! Databases that differ in only the rows of the tenant `rival`.

use secrecy::ExposeSecret;
use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use targets::TargetConfig;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;

use crate::sql_targets::{Admin, READER, Site, TestTarget, target_under};

const POLICY: &str = r#"
shared_tables = ["kind"]
secure_views = { person = "secure_person" }

[row_filters]
doc = "company_id"
person = "company_id"
tagged = "company_id"
part = { column = "doc_id", parent = "doc", parent_column = "id" }
"#;

/// `doc` has its tenant in a column, `part` by way of `doc`, `person` is read through a view, and
/// `kind` is all users's.
const TABLES: &str = "
CREATE TABLE doc (id int PRIMARY KEY, company_id int NOT NULL, num int NOT NULL, txt varchar(200) NOT NULL, big bigint NOT NULL, opened date);
CREATE TABLE part (id int PRIMARY KEY, doc_id int NOT NULL, num int NOT NULL, txt varchar(200) NOT NULL, big bigint NOT NULL, opened date);
CREATE TABLE person (id int PRIMARY KEY, company_id int NOT NULL, num int NOT NULL, txt varchar(200) NOT NULL, big bigint NOT NULL, opened date);
CREATE TABLE kind (id int PRIMARY KEY, name varchar(40) NOT NULL);
CREATE INDEX doc_num ON doc (num, opened);
CREATE INDEX doc_txt ON doc (txt);
CREATE INDEX part_num ON part (num);
CREATE INDEX part_doc ON part (doc_id);
CREATE INDEX person_num ON person (num);
CREATE VIEW secure_person AS SELECT id, company_id, num, txt, big, opened FROM person;
INSERT INTO kind WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 40) SELECT i, 'kind' FROM n;
";

/// Rows of `demo`: forty in each table.
const OWN: &str = "
INSERT INTO {table} WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 40)
    SELECT i + 100, {parent}, i % 7 + 1, '5', i, '2026-03-01' FROM n;
";

/// Lists, documents and a table that inherits, which PostgreSQL has; the other tenant has a row in
/// each of the two tables.
const TAGGED: &str = r#"
CREATE TABLE tagged (id int PRIMARY KEY, company_id int NOT NULL, txt varchar(200) NOT NULL, tags text[] NOT NULL, doc jsonb NOT NULL);
CREATE TABLE tagged_old () INHERITS (tagged);
INSERT INTO tagged SELECT i + 100, 1, '5', ARRAY['5', '6'], '{"a": 5}' FROM generate_series(1, 40) AS i;
INSERT INTO tagged VALUES (7, 2, '{secret}', ARRAY['{secret}', 'x'], '{"a": "{secret}"}');
INSERT INTO tagged_old VALUES (201, 1, '5', ARRAY['5'], '{"a": 5}'), (8, 2, '{secret}', ARRAY['{secret}'], '{"a": "{secret}"}');
"#;

/// The guessed row is that with id 7. Where it is as guessed there are many like it, so that
/// statistics know it.
const FOREIGN: &str = "
INSERT INTO {table} VALUES (7, {parent}, 67, '{secret}', 9000000000000000000, '2026-01-05');
INSERT INTO {table} WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < {more})
    SELECT i + 1000, {parent}, 67, '{secret}', 9000000000000000000, '2026-01-05' FROM n;
";

fn secret(as_guessed: bool) -> (&'static str, u32) {
    if as_guessed {
        ("pw-8f14e45f", 900)
    } else {
        ("zz", 9)
    }
}

fn statements(as_guessed: bool) -> Vec<String> {
    let (secret, more) = secret(as_guessed);
    let mut statements = vec![TABLES.to_owned()];
    for table in ["doc", "part", "person"] {
        let (own, foreign) = if table == "part" {
            ("i + 100", "7")
        } else {
            ("1", "2")
        };
        statements.push(OWN.replace("{table}", table).replace("{parent}", own));
        statements.push(
            FOREIGN
                .replace("{table}", table)
                .replace("{parent}", foreign)
                .replace("{secret}", secret)
                .replace("{more}", &more.to_string()),
        );
    }
    statements
}

/// A database and how it is asked.
pub(super) struct World {
    target: TestTarget,
}

impl World {
    /// The tools service over it, with little patience and a low limit on what may be read.
    pub(super) async fn site(&self) -> Site {
        Site::over(vec![TargetConfig {
            max_estimated_rows: 5_000,
            statement_timeout_ms: 4_000,
            ..self.target.config.clone()
        }])
        .await
    }

    /// Which statements fail when they are run as they are.
    pub(super) async fn failures(&self, statements: &[String]) -> Vec<bool> {
        let url = self.target.config.url.as_ref().unwrap().expose_secret();
        let mut failures = Vec::new();
        if url.starts_with("postgres") {
            let mut connection = PgConnection::connect(url).await.unwrap();
            let patience = sqlx::raw_sql("SET statement_timeout = 1000");
            patience.execute(&mut connection).await.unwrap();
            for sql in statements {
                let sql = sqlx::raw_sql(AssertSqlSafe(sql.clone()));
                failures.push(sql.fetch_all(&mut connection).await.is_err());
            }
        } else {
            let mut connection = MySqlConnection::connect(url).await.unwrap();
            let patience = sqlx::raw_sql("SET max_statement_time = 1");
            patience.execute(&mut connection).await.unwrap();
            for sql in statements {
                let sql = sqlx::raw_sql(AssertSqlSafe(sql.clone()));
                failures.push(sql.fetch_all(&mut connection).await.is_err());
            }
        }
        failures
    }
}

pub(super) async fn mariadb(as_guessed: bool) -> World {
    let database = TestMariaDb::empty().await.unwrap();
    let name = database.name().to_owned();
    let mut statements = statements(as_guessed);
    statements.push("ANALYZE TABLE doc, part, person, kind".to_owned());
    statements.push(format!(
        "CREATE USER 'reader_{name}'@'%' IDENTIFIED BY 'secret'"
    ));
    for table in ["doc", "part", "secure_person", "kind"] {
        statements.push(format!("GRANT SELECT ON {table} TO 'reader_{name}'@'%'"));
    }
    let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
    for statement in statements {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(&mut admin)
            .await
            .unwrap();
    }
    let url = database.url_as(&format!("reader_{name}"), "secret");
    let target = target_under(POLICY, "field", url, "aesKey", Admin::MariaDb(database));
    World { target }
}

pub(super) async fn postgresql(as_guessed: bool) -> World {
    let database = TestDatabase::empty().await.unwrap();
    let mut statements = statements(as_guessed);
    statements.push(TAGGED.replace("{secret}", secret(as_guessed).0));
    statements.push("ANALYZE doc, part, person, kind, tagged".to_owned());
    statements.push(format!(
        "DO $$ BEGIN CREATE ROLE {READER} LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    ));
    statements.push(format!(
        "GRANT SELECT ON doc, part, secure_person, kind, tagged TO {READER}"
    ));
    for statement in statements {
        let statement = statement.replace("'2026-03-01'", "DATE '2026-03-01'");
        let statement = statement.replace("'2026-01-05' FROM", "DATE '2026-01-05' FROM");
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(database.pool())
            .await
            .unwrap();
    }
    let (_, place) = database.url().rsplit_once('@').unwrap();
    let url = format!("postgres://{READER}:secret@{place}");
    let target = target_under(POLICY, "field", url, "app.key", Admin::PostgreSql(database));
    World { target }
}
