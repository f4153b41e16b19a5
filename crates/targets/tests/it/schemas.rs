//! Several schemas of a PostgreSQL database.

use sqlx::AssertSqlSafe;
use targets::{Target, TargetConfig};
use test_support::database::TestDatabase;

use crate::fixture::ask_as;

const TABLES: &str = "
CREATE SCHEMA sales; CREATE SCHEMA hr; CREATE SCHEMA attic;
CREATE TABLE sales.customer (id int PRIMARY KEY, company_id int NOT NULL, name text NOT NULL);
CREATE TABLE hr.employee (id int PRIMARY KEY, company_id int NOT NULL, name text NOT NULL, customer_id int REFERENCES sales.customer (id));
CREATE TABLE hr.customer (id int PRIMARY KEY, label text NOT NULL);
CREATE TABLE attic.box (id int PRIMARY KEY);
INSERT INTO sales.customer VALUES (1, 1, 'own'), (2, 2, 'foreign');
INSERT INTO hr.employee VALUES (1, 1, 'Ada', 1), (2, 2, 'Rex', 2);
INSERT INTO hr.customer VALUES (7, 'other table of this name');
";

const POLICY: &str = r#"
shared_tables = ["hr.customer"]
[row_filters]
"sales.customer" = "company_id"
"hr.employee" = "company_id"
[columns."hr.employee"]
company_id = "hidden"
"#;

async fn database() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(TABLES.to_owned()))
        .execute(database.pool())
        .await
        .unwrap();
    database
}

fn config(database: &TestDatabase, folder: &tempfile::TempDir) -> TargetConfig {
    let policy = folder.path().join("policy.toml");
    std::fs::write(&policy, POLICY).unwrap();
    TargetConfig {
        schemas: vec!["sales".to_owned(), "hr".to_owned(), "gone".to_owned()],
        tenant_ids: [("demo".to_owned(), targets::TenantId::Integer(1))].into(),
        policy_file: Some(policy),
        // The server's only role.
        allow_writing_role: true,
        ..TargetConfig::new("erp", database.url().to_owned())
    }
}

#[tokio::test]
async fn tables_of_all_its_schemas_are_shown_joined_and_filtered() {
    let (database, folder) = (database().await, tempfile::tempdir().unwrap());
    let target = Target::new(config(&database, &folder)).unwrap();
    let catalogue = target.catalogue().await.unwrap();
    let names: Vec<&str> = catalogue.tables.keys().map(String::as_str).collect();
    assert_eq!(names, ["customer", "hr.customer", "hr.employee"]);
    assert!(
        catalogue.notes.iter().any(|note| note.contains("'gone'")),
        "{:?}",
        catalogue.notes
    );
    let employee = catalogue.table("hr.employee").unwrap();
    assert_eq!(
        (employee.schema.as_deref(), employee.bare_name()),
        (Some("hr"), "employee")
    );
    let joins: Vec<String> = catalogue
        .graph
        .relationships()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(joins, ["hr.employee.customer_id = customer.id"]);

    // The graph's words for a join are a condition that runs.
    let rows = ask_as(
        &target,
        "demo",
        "SELECT hr.employee.name, customer.name AS customer FROM hr.employee JOIN customer ON hr.employee.customer_id = customer.id",
    )
    .await
    .unwrap();
    let rows = serde_json::to_string(&rows.rows).unwrap();
    assert_eq!(rows, r#"[{"name":"Ada","customer":"own"}]"#);
    let rows = ask_as(
        &target,
        "demo",
        "SELECT c.id, k.name FROM hr.customer c, sales.customer k",
    )
    .await
    .unwrap();
    assert_eq!(
        serde_json::to_string(&rows.rows).unwrap(),
        r#"[{"id":7,"name":"own"}]"#
    );
    let samples = target.samples("hr.employee", "demo", 3).await.unwrap();
    assert_eq!(samples.len(), 1, "{samples:?}");
    for sql in [
        "SELECT id FROM attic.box",
        "SELECT e.company_id FROM hr.employee e",
    ] {
        let findings = target.check(sql, "demo", 10).await.unwrap();
        assert!(findings.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn without_a_list_the_schemas_of_the_search_path_are_shown() {
    let database = database().await;
    let (_, name) = database.url().rsplit_once('/').unwrap();
    let (name, _) = name.split_once('?').unwrap_or((name, ""));
    let path = format!("ALTER DATABASE \"{name}\" SET search_path = hr, attic");
    sqlx::raw_sql(AssertSqlSafe(path))
        .execute(database.pool())
        .await
        .unwrap();
    let target = Target::new(TargetConfig {
        allow_writing_role: true,
        ..TargetConfig::new("erp", database.url().to_owned())
    })
    .unwrap();
    let catalogue = target.catalogue().await.unwrap();
    let names: Vec<&str> = catalogue.tables.keys().map(String::as_str).collect();
    assert_eq!(names, ["attic.box", "customer", "employee"]);
    let rows = ask_as(
        &target,
        "demo",
        "SELECT COUNT(*) AS n FROM box b, employee e",
    )
    .await
    .unwrap();
    assert_eq!(rows.rows[0]["n"], 0);
}
