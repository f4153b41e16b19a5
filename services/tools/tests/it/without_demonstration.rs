//! A production service has nothing of the demonstration, and databases of earlier versions lose
//! none of its rows.

use std::path::Path;

use demo_inventory::PATH;
use http::{Method, StatusCode};
use serde_json::json;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, PgPool, SqlSafeStr};
use test_support::database::TestDatabase;

use crate::harness::{App, database};

/// Migrations of earlier versions, as they were.
const EARLIER: [(i64, &str); 2] = [
    (4, include_str!("../earlier/0004_demo_inventory.sql")),
    (7, include_str!("../earlier/0007_demo_shipping.sql")),
];

/// The first migration after the demonstration left.
const WITHOUT_DEMONSTRATION: i64 = 40;

/// Tables of the demonstration in all schemas.
async fn demonstration_tables(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT table_schema || '.' || table_name FROM information_schema.tables
         WHERE table_schema LIKE '%demo%' OR table_name LIKE '%demo%'
         ORDER BY table_schema, table_name",
    )
    .fetch_all(pool)
    .await
    .unwrap()
}

async fn count(pool: &PgPool, table: &str) -> i64 {
    let sql = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

/// A database that the version before migrated.
async fn earlier_database() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let current = Migrator::new(folder).await.unwrap();
    let mut migrations: Vec<Migration> = current
        .iter()
        .filter(|migration| migration.version < WITHOUT_DEMONSTRATION)
        .cloned()
        .collect();
    migrations.extend(EARLIER.map(|(version, sql)| {
        let kind = MigrationType::Simple;
        Migration::new(version, "demo".into(), kind, sql.into_sql_str(), false)
    }));
    let mut migrator = Migrator::with_migrations(migrations);
    migrator.create_schema("tools");
    migrator.dangerous_set_table_name("tools._sqlx_migrations");
    migrator.run(database.pool()).await.unwrap();
    assert_eq!(demonstration_tables(database.pool()).await.len(), 9);
    database
}

#[tokio::test]
async fn a_new_database_has_no_table_of_the_demonstration() {
    let database = database().await;
    let tables = demonstration_tables(database.pool()).await;
    assert!(tables.is_empty(), "{tables:?}");
}

#[tokio::test]
async fn the_service_has_no_route_and_no_tool_of_the_demonstration() {
    let database = database().await;
    let app = App::over(database.url());
    let token = app.token("demo", &["tools:read"]);
    for (method, path) in [
        (Method::GET, "/api/v1/user/inventories"),
        (Method::POST, "/api/v1/internal/ca/user-token"),
    ] {
        let path = format!("{PATH}{path}");
        let (status, _) = app.send(method, &path, Some(&token), "{}").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    let (_, listed) = app.send(Method::GET, "/api/tools", Some(&token), "").await;
    let upstream = listed["tools"].as_array().unwrap().iter();
    let upstream: Vec<_> = upstream
        .filter(|tool| tool["name"].as_str().unwrap().contains("inventor"))
        .collect();
    assert!(upstream.is_empty(), "{upstream:?}");
    let (_, sources) = app.call_as("demo", "list_sources", json!({})).await;
    assert!(!sources.to_string().contains("shipping"), "{sources}");
}

#[tokio::test]
async fn empty_tables_of_the_demonstration_leave_an_earlier_database() {
    let database = earlier_database().await;
    tools::migrate(database.pool()).await.unwrap();
    let tables = demonstration_tables(database.pool()).await;
    assert!(tables.is_empty(), "{tables:?}");
    assert!(tools::database::is_migrated(database.pool()).await.unwrap());
    tools::migrate(database.pool()).await.unwrap();
}

#[tokio::test]
async fn rows_of_the_demonstration_move_from_an_earlier_database_to_its_schemas() {
    let database = earlier_database().await;
    let pool = database.pool();
    for sql in [
        "INSERT INTO tools.demo_ports VALUES ('demo', 'PRT-OWN', 'Own Port', '{}', 'XXOWN', 'Own', 'Own', false)",
        "INSERT INTO tools.demo_inventory_users (subject, role) VALUES ('ada', 'viewer')",
        "INSERT INTO tools.demo_inventory_cities VALUES ('XX OWN', 'Own', 'Own', 'XX', 'Own', 'XX-O', 1)",
        "INSERT INTO tools.demo_inventory_rights VALUES ('ada', 'XX OWN')",
    ] {
        sqlx::query(sql).execute(pool).await.unwrap();
    }
    tools::migrate(pool).await.unwrap();
    assert_eq!(
        count(pool, "tools.demo_ports").await,
        1,
        "kept for the demonstration"
    );

    assert!(
        demo_freight::seed(pool).await.unwrap(),
        "the other tenant had no data"
    );
    demo_inventory::migrate(pool).await.unwrap();
    let own = "demo_freight.ports WHERE tenant = 'demo'";
    assert_eq!(count(pool, own).await, 1, "data of a tenant are not mixed");
    assert!(count(pool, "demo_freight.shipments WHERE tenant = 'rival'").await > 0);
    assert_eq!(
        count(pool, "demo_inventory.rights WHERE subject = 'ada'").await,
        1
    );
    let left = demonstration_tables(pool).await;
    let left: Vec<_> = left
        .iter()
        .filter(|name| name.starts_with("tools."))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_database_of_a_later_version_stays_as_it_is_and_one_of_another_history_is_refused() {
    let database = database().await;
    let record = async |version: i64| {
        sqlx::query(
            "INSERT INTO tools._sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES ($1, 'unknown', true, '', 0)",
        )
        .bind(version)
        .execute(database.pool())
        .await
        .unwrap();
    };
    record(999_999).await;
    tools::migrate(database.pool()).await.unwrap();
    record(3_000).await;
    tools::migrate(database.pool()).await.unwrap();
    // Between migrations of its own, an unknown one is not of a later version.
    record(-1).await;
    let error = tools::migrate(database.pool()).await.unwrap_err();
    assert!(error.to_string().contains("-1"), "{error}");
}
