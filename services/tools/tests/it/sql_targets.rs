//! Target databases for the tests of the SQL tools: the same small company database in MariaDB and
//! in PostgreSQL, with two tenants' rows. Every text of a tenant begins with the tenant's name, so
//! that a leak shows in any answer.

use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use targets::{TargetConfig, TenantId};
use tempfile::TempDir;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;
use tools::Config;

use crate::harness::{App, database};

/// The session variable that a secure view requires to show names.
const KEY: &str = "sesame";
pub(crate) const READER: &str = "heliograph_test_reader";

const POLICY: &str = r#"
hidden_tables = ["migration"]
shared_tables = ["question"]
secure_views = { employee = "secure_employee" }

[row_filters]
employee = "company_id"
crew = "company_id"
work_order = "company_id"
work_time = { column = "work_order_id", parent = "work_order", parent_column = "id" }
"#;

const TABLES: &str = "
CREATE TABLE employee (id int PRIMARY KEY, company_id int NOT NULL, name BYTES NOT NULL, wage numeric(8, 2), manager_id int);
CREATE TABLE crew (id int PRIMARY KEY, company_id int NOT NULL, name varchar(40) NOT NULL);
CREATE TABLE work_order (id int PRIMARY KEY, company_id int NOT NULL, crew_id int, title varchar(80) NOT NULL, opened_at TIMESTAMP_TYPE,
    done boolean NOT NULL, FOREIGN KEY (crew_id) REFERENCES crew (id));
CREATE TABLE work_time (id int PRIMARY KEY, employee_id int NOT NULL, work_order_id int NOT NULL, hours numeric(5, 2) NOT NULL,
    FOREIGN KEY (employee_id) REFERENCES employee (id), FOREIGN KEY (work_order_id) REFERENCES work_order (id));
CREATE TABLE question (id int PRIMARY KEY, text varchar(80) NOT NULL);
CREATE TABLE migration (id int PRIMARY KEY, note varchar(80) NOT NULL);
INSERT INTO crew VALUES (1, 1, 'demo-north'), (2, 1, 'demo-south'), (3, 2, 'rival-crew');
INSERT INTO work_order VALUES (1, 1, 1, 'demo-roof', '2026-01-31 08:30:00', true), (2, 1, 2, 'demo-cellar', NULL, false),
    (3, 2, 3, 'rival-garage', '2026-02-01 09:00:00', false);
INSERT INTO question VALUES (1, 'Is the site clean?');
INSERT INTO migration VALUES (1, 'rival-migration demo-migration');
";

const EMPLOYEES: [(u32, u32, &str); 5] = [
    (1, 1, "demo-Ada"),
    (2, 1, "demo-Alan"),
    (3, 1, "demo-Grace"),
    (4, 2, "rival-Rex"),
    (5, 2, "rival-Rita"),
];

/// 300 rows of work on each tenant's first order.
const WORK: &str = "INSERT INTO work_time WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    SELECT i, 1, 1, 1.5 FROM n UNION ALL SELECT i + 1000, 4, 3, 2.5 FROM n";

/// A target, and what keeps it there.
pub(crate) struct TestTarget {
    pub(crate) config: TargetConfig,
    /// As who made it.
    admin: Admin,
    _policy: TempDir,
}

pub(crate) enum Admin {
    MariaDb(TestMariaDb),
    PostgreSql(TestDatabase),
}

/// A lock on a table: no statement can read it in the meantime.
pub(crate) struct Lock(sqlx::Transaction<'static, sqlx::Postgres>);

impl Lock {
    pub(crate) async fn release(self) {
        self.0.rollback().await.unwrap();
    }
}

impl TestTarget {
    /// Locks a table of a PostgreSQL target.
    pub(crate) async fn lock(&self, table: &str) -> Lock {
        let Admin::PostgreSql(database) = &self.admin else {
            panic!("only PostgreSQL's tables are locked here");
        };
        let mut transaction = database.pool().begin().await.unwrap();
        let sql = AssertSqlSafe(format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"));
        sqlx::raw_sql(sql).execute(&mut *transaction).await.unwrap();
        Lock(transaction)
    }

    /// The address of who made it, who may do anything.
    pub(crate) fn admin_url(&self) -> String {
        match &self.admin {
            Admin::MariaDb(database) => database.url(),
            Admin::PostgreSql(database) => database.url().to_owned(),
        }
    }

    /// Changes the target behind the tools' back.
    pub(crate) async fn execute(&self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        match &self.admin {
            Admin::MariaDb(database) => {
                let mut admin = MySqlConnection::connect(&database.url()).await.unwrap();
                sqlx::raw_sql(sql)
                    .execute(&mut admin)
                    .await
                    .map(drop)
                    .unwrap();
            }
            Admin::PostgreSql(database) => sqlx::raw_sql(sql)
                .execute(database.pool())
                .await
                .map(drop)
                .unwrap(),
        }
    }
}

/// The service over its own database and these targets.
pub(crate) struct Site {
    pub(crate) app: App,
    database: TestDatabase,
}

impl Site {
    pub(crate) async fn over(targets: Vec<TargetConfig>) -> Self {
        Self::configured(|config| config.targets = targets).await
    }

    pub(crate) async fn configured(change: impl FnOnce(&mut Config)) -> Self {
        let database = database().await;
        let app = App::configured(database.url(), "2026-06-01T12:00:00Z", change);
        Self { app, database }
    }

    /// The service started again with other targets, over the same database of its own.
    pub(crate) fn reopened(self, targets: Vec<TargetConfig>) -> Self {
        let app = App::configured(self.database.url(), "2026-06-01T12:00:00Z", |config| {
            config.targets = targets;
        });
        Self {
            app,
            database: self.database,
        }
    }

    /// The same on another day.
    pub(crate) fn reopened_at(self, now: &str, targets: Vec<TargetConfig>) -> Self {
        let app = App::configured(self.database.url(), now, |config| config.targets = targets);
        Self {
            app,
            database: self.database,
        }
    }

    /// Calls a tool; it must be answered 200.
    pub(crate) async fn call(&self, tenant: &str, tool: &str, arguments: Value) -> Value {
        let (status, answer) = self.app.call_as(tenant, tool, arguments).await;
        assert_eq!(status, 200, "{answer}");
        answer
    }

    /// Calls a tool; its status must be `ok`. Returns the result.
    pub(crate) async fn ok(&self, tenant: &str, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tenant, tool, arguments).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        answer["result"].clone()
    }

    /// Calls a tool with the right to confirm questions.
    pub(crate) async fn confirm(
        &self,
        tenant: &str,
        arguments: Value,
    ) -> (http::StatusCode, Value) {
        let token = self.app.token(tenant, &["tools:read", "questions:write"]);
        let (path, body) = ("/api/tools/confirm_question", arguments.to_string());
        self.app
            .send(http::Method::POST, path, Some(&token), &body)
            .await
    }
}

/// The company database in MariaDB and in PostgreSQL.
pub(crate) async fn both() -> [TestTarget; 2] {
    [mariadb().await, postgresql().await]
}

/// The company database in a MariaDB of this process.
pub(crate) async fn mariadb() -> TestTarget {
    let database = TestMariaDb::empty().await.unwrap();
    let name = database.name().to_owned();
    let tables = TABLES
        .replace("BYTES", "varbinary(200)")
        .replace("TIMESTAMP_TYPE", "datetime");
    let mut statements = vec![tables];
    for (id, company, employee) in EMPLOYEES {
        statements.push(format!("INSERT INTO employee VALUES ({id}, {company}, AES_ENCRYPT('{employee}', '{KEY}'), {id}0.50, NULL)"));
    }
    statements.push(WORK.to_owned());
    statements.push(
        "CREATE FUNCTION secret_key() RETURNS varchar(64) CHARSET utf8mb4 NO SQL RETURN @aesKey"
            .to_owned(),
    );
    statements.push(
        "CREATE SQL SECURITY DEFINER VIEW secure_employee AS SELECT id, company_id, \
         CONVERT(AES_DECRYPT(name, secret_key()) USING utf8mb4) AS name, wage, manager_id FROM employee"
            .to_owned(),
    );
    statements.push(format!(
        "CREATE USER 'reader_{name}'@'%' IDENTIFIED BY 'secret'"
    ));
    for table in [
        "crew",
        "work_order",
        "work_time",
        "question",
        "migration",
        "secure_employee",
    ] {
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
    test_target("field", url, "aesKey", Admin::MariaDb(database))
}

/// The company database in a PostgreSQL database of its own.
pub(crate) async fn postgresql() -> TestTarget {
    let database = TestDatabase::empty().await.unwrap();
    let tables = TABLES
        .replace("BYTES", "text")
        .replace("TIMESTAMP_TYPE", "timestamp");
    let mut statements = vec![tables];
    for (id, company, employee) in EMPLOYEES {
        statements.push(format!(
            "INSERT INTO employee VALUES ({id}, {company}, '{employee}', {id}0.50, NULL)"
        ));
    }
    statements.push(WORK.to_owned());
    statements.push(format!(
        "CREATE VIEW secure_employee AS SELECT id, company_id, \
         CASE WHEN current_setting('app.key', true) = '{KEY}' THEN name END AS name, wage, manager_id FROM employee"
    ));
    // The role belongs to the server, which other tests share.
    statements.push(format!(
        "DO $$ BEGIN CREATE ROLE {READER} LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    ));
    statements.push(format!("GRANT SELECT ON crew, work_order, work_time, question, migration, secure_employee TO {READER}"));
    for statement in statements {
        sqlx::raw_sql(AssertSqlSafe(statement))
            .execute(database.pool())
            .await
            .unwrap();
    }
    let (_, place) = database.url().rsplit_once('@').unwrap();
    let url = format!("postgres://{READER}:secret@{place}");
    test_target("field", url, "app.key", Admin::PostgreSql(database))
}

fn test_target(name: &str, url: String, key: &str, admin: Admin) -> TestTarget {
    target_under(POLICY, name, url, key, admin)
}

/// A target under a policy.
pub(crate) fn target_under(
    rules: &str,
    name: &str,
    url: String,
    key: &str,
    admin: Admin,
) -> TestTarget {
    let policy = tempfile::tempdir().unwrap();
    let policy_file = policy.path().join("policy.toml");
    std::fs::write(&policy_file, rules).unwrap();
    let ids = [("demo", 1), ("rival", 2)];
    TestTarget {
        config: TargetConfig {
            tenants: vec!["demo".to_owned(), "rival".to_owned()],
            tenant_ids: ids
                .map(|(tenant, id)| (tenant.to_owned(), TenantId::Integer(id)))
                .into(),
            policy_file: Some(policy_file),
            session_variables: [(key.to_owned(), KEY.into())].into(),
            acquire_timeout_ms: 3_000,
            pool_size: 2,
            max_overflow: 2,
            ..TargetConfig::new(name, url)
        },
        admin,
        _policy: policy,
    }
}
