//! The same little company in both databases, and roles that read it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection};
use targets::{Checked, Limits, Rows, Target, TargetConfig, TargetError, TenantId};
use tempfile::TempDir;
use test_support::database::TestDatabase;
use test_support::mariadb::TestMariaDb;

pub(crate) const KEY: &str = "k3y-of-the-company";

const POLICY: &str = r#"
shared_tables = ["question"]
[row_filters]
employee = "company_id"
crew = "company_id"
employee_crew = { column = "crew_id", parent = "crew", parent_column = "id" }
"#;

const MARIADB: &str = "
CREATE TABLE employee (id INT PRIMARY KEY, company_id INT NOT NULL, name VARBINARY(200) NOT NULL, email VARCHAR(80) UNIQUE)
    COMMENT 'Who works here';
CREATE TABLE crew (id INT PRIMARY KEY, company_id INT NOT NULL, name VARCHAR(40) NOT NULL COMMENT 'As painted on the van');
CREATE TABLE employee_crew (id INT PRIMARY KEY, employee_id INT NOT NULL, crew_id INT NOT NULL, created_by INT,
    FOREIGN KEY (crew_id) REFERENCES crew (id));
CREATE TABLE question (id INT PRIMARY KEY, text VARCHAR(100) NOT NULL);
CREATE TABLE migration (id INT PRIMARY KEY, name VARCHAR(40));
CREATE FUNCTION aes_key() RETURNS VARBINARY(255) NO SQL SQL SECURITY DEFINER RETURN @aesKey;
CREATE VIEW secure_employee AS
    SELECT id, company_id, CONVERT(AES_DECRYPT(name, aes_key()) USING utf8mb4) AS name, email FROM employee;
SET @k = 'k3y-of-the-company';
INSERT INTO employee VALUES (1, 1, AES_ENCRYPT('Ada', @k), 'ada@demo'), (2, 1, AES_ENCRYPT('Ben', @k), 'ben@demo'),
    (3, 2, AES_ENCRYPT('Rita Rival', @k), 'rita@rival');
";

/// No extension: base64 represents the cipher.
const POSTGRESQL: &str = "
CREATE TABLE employee (id INT PRIMARY KEY, company_id INT NOT NULL, name TEXT NOT NULL, email VARCHAR(80) UNIQUE);
COMMENT ON TABLE employee IS 'Who works here';
CREATE TABLE crew (id INT PRIMARY KEY, company_id INT NOT NULL, name VARCHAR(40) NOT NULL);
COMMENT ON COLUMN crew.name IS 'As painted on the van';
CREATE TABLE employee_crew (id INT PRIMARY KEY, employee_id INT NOT NULL, crew_id INT NOT NULL REFERENCES crew (id), created_by INT);
CREATE TABLE question (id INT PRIMARY KEY, text VARCHAR(100) NOT NULL);
CREATE TABLE migration (id INT PRIMARY KEY, name VARCHAR(40));
CREATE VIEW secure_employee AS SELECT id, company_id,
    CASE WHEN current_setting('app.key', true) = 'k3y-of-the-company' THEN convert_from(decode(name, 'base64'), 'UTF8') END AS name, email
    FROM employee;
INSERT INTO employee VALUES (1, 1, encode('Ada', 'base64'), 'ada@demo'), (2, 1, encode('Ben', 'base64'), 'ben@demo'),
    (3, 2, encode('Rita Rival', 'base64'), 'rita@rival');
";

const ROWS: &str = "
INSERT INTO crew VALUES (1, 1, 'North'), (2, 1, 'South'), (3, 2, 'Rivals');
INSERT INTO employee_crew VALUES (1, 1, 1, 1), (2, 2, 2, 1), (3, 3, 3, 1);
INSERT INTO question VALUES (1, 'Is the ladder safe?'), (2, 'Is the van clean?');
";

/// A database, its reading role, and a policy file.
pub(crate) struct Fixture {
    pub(crate) dialect: &'static str,
    pub(crate) admin: Admin,
    pub(crate) reader_url: String,
    policy: Arc<TempDir>,
}

pub(crate) enum Admin {
    MariaDb(TestMariaDb),
    PostgreSql(TestDatabase),
}

impl Admin {
    pub(crate) fn url(&self) -> String {
        match self {
            Admin::MariaDb(database) => database.url(),
            Admin::PostgreSql(database) => database.url().to_owned(),
        }
    }

    /// Runs statements as the administrator.
    pub(crate) async fn run(&self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        match self {
            Admin::MariaDb(database) => {
                let mut connection = MySqlConnection::connect(&database.url()).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
            }
            Admin::PostgreSql(database) => {
                let mut connection = PgConnection::connect(database.url()).await.unwrap();
                sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
            }
        }
    }
}

fn next() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn policy() -> Arc<TempDir> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("policy.toml"), POLICY).unwrap();
    Arc::new(folder)
}

/// A role script of the project, for a test's database and role.
fn script(name: &str, role: &str, database: &str) -> String {
    let path = format!("{}/../../deploy/sql/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    text.replace("heliograph_reader", role)
        .replace("fieldservice", database)
        .replace("change-me", "secret")
}

pub(crate) async fn mariadb() -> Fixture {
    let database = TestMariaDb::empty().await.unwrap();
    let role = format!("reader{}", next());
    let (reader_url, name) = (database.url_as(&role, "secret"), database.name().to_owned());
    let admin = Admin::MariaDb(database);
    admin.run(MARIADB).await;
    admin.run(ROWS).await;
    admin.run(&script("mysql-reader.sql", &role, &name)).await;
    Fixture {
        dialect: "mariadb",
        admin,
        reader_url,
        policy: policy(),
    }
}

pub(crate) async fn postgres() -> Fixture {
    let database = TestDatabase::empty().await.unwrap();
    let role = format!("reader_{}", database.name());
    let (scheme, rest) = database.url().split_once("://").unwrap();
    let reader_url = format!(
        "{scheme}://{role}:secret@{}",
        rest.split_once('@').unwrap().1
    );
    let name = database.name().to_owned();
    let admin = Admin::PostgreSql(database);
    admin.run(POSTGRESQL).await;
    admin.run(ROWS).await;
    admin
        .run(&script("postgresql-reader.sql", &role, &name))
        .await;
    Fixture {
        dialect: "postgresql",
        admin,
        reader_url,
        policy: policy(),
    }
}

pub(crate) async fn both() -> [Fixture; 2] {
    [mariadb().await, postgres().await]
}

impl Fixture {
    /// The reading role's target, for the tenants `demo` and `rival`.
    pub(crate) fn config(&self) -> TargetConfig {
        let variable = if self.dialect == "mariadb" {
            "aesKey"
        } else {
            "app.key"
        };
        TargetConfig {
            tenant_ids: [
                ("demo".to_owned(), TenantId::Integer(1)),
                ("rival".to_owned(), TenantId::Text("2".to_owned())),
            ]
            .into(),
            policy_file: Some(self.policy.path().join("policy.toml")),
            session_variables: [(variable.to_owned(), KEY.into())].into(),
            acquire_timeout_ms: 3_000,
            ..TargetConfig::new("field", self.reader_url.clone())
        }
    }

    pub(crate) fn target(&self) -> Target {
        Target::new(self.config()).unwrap()
    }

    /// The administrator's own target: it sees everything, and may write where nothing else holds
    /// it back.
    pub(crate) fn admin_target(&self) -> Target {
        let config = TargetConfig {
            allow_writing_role: true,
            ..TargetConfig::new("admin", self.admin.url())
        };
        Target::new(config).unwrap()
    }
}

/// Checks and runs a statement as `demo`.
pub(crate) async fn ask(target: &Target, sql: &str) -> Result<Rows, TargetError> {
    ask_as(target, "demo", sql).await
}

pub(crate) async fn ask_as(target: &Target, tenant: &str, sql: &str) -> Result<Rows, TargetError> {
    let checked = target
        .check(sql, tenant, 100)
        .await?
        .unwrap_or_else(|findings| panic!("{findings:?}"));
    target
        .run(&checked, &target.limits().with_max_rows(100))
        .await
}

/// A statement that no guard has seen.
pub(crate) fn unchecked(sql: &str) -> Checked {
    Checked {
        sql: sql.to_owned(),
        tables: Vec::new(),
        row_limit: 100,
        ..Checked::default()
    }
}

pub(crate) fn limits(target: &Target) -> Limits {
    target.limits()
}

/// The rows as compact JSON.
pub(crate) fn json(rows: &Rows) -> String {
    serde_json::to_string(&rows.rows).unwrap()
}
