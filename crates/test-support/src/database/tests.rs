//! Databases of tests, on a real server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use sqlx::{Connection, PgConnection};

use super::*;

async fn migrate(pool: PgPool) -> Result<(), sqlx::Error> {
    MIGRATIONS.fetch_add(1, Ordering::SeqCst);
    sqlx::raw_sql("CREATE TABLE t (n bigint); INSERT INTO t VALUES (7)")
        .execute(&pool)
        .await
        .map(drop)
}

static MIGRATIONS: AtomicUsize = AtomicUsize::new(0);

async fn sum(pool: &PgPool) -> i64 {
    sqlx::query_scalar("SELECT sum(n)::bigint FROM t")
        .fetch_one(pool)
        .await
        .unwrap()
}

async fn exists(url: &str, name: &str) -> bool {
    let mut admin = PgConnection::connect(url).await.unwrap();
    let query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)";
    sqlx::query_scalar(query)
        .bind(name)
        .fetch_one(&mut admin)
        .await
        .unwrap()
}

#[tokio::test]
async fn each_test_has_its_own_copy_of_a_template_migrated_once() {
    let (one, two) = tokio::join!(
        TestDatabase::new("sum", migrate),
        TestDatabase::new("sum", migrate)
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    sqlx::query("INSERT INTO t VALUES (1)")
        .execute(one.pool())
        .await
        .unwrap();
    assert_eq!((sum(one.pool()).await, sum(two.pool()).await), (8, 7));
    assert_eq!(MIGRATIONS.load(Ordering::SeqCst), 1);
    let began = Instant::now();
    let three = TestDatabase::new("sum", migrate).await.unwrap();
    println!("a database from a template: {:?}", began.elapsed());
    drop((one, two, three));
}

#[tokio::test]
async fn a_database_is_dropped_with_its_sessions() {
    let database = TestDatabase::empty().await.unwrap();
    let (pool, name) = (database.pool().clone(), database.name().to_owned());
    let _session = pool.acquire().await.unwrap();
    let admin = Cluster::shared().await.unwrap().url("postgres");
    assert!(exists(&admin, &name).await);
    drop(database);
    assert!(!exists(&admin, &name).await);
}

#[tokio::test]
async fn a_migration_that_fails_says_so_and_may_be_tried_again() {
    let broken = |pool: PgPool| async move {
        sqlx::raw_sql("CREATE TABLE t (n nonsense)")
            .execute(&pool)
            .await
            .map(drop)
    };
    let error = TestDatabase::new("broken", broken).await.unwrap_err();
    assert!(format!("{error:#}").contains("nonsense"), "{error:#}");
    let repaired = |pool: PgPool| async move {
        sqlx::raw_sql("CREATE TABLE t (n int)")
            .execute(&pool)
            .await
            .map(drop)
    };
    TestDatabase::new("broken", repaired).await.unwrap();
}

#[tokio::test]
async fn what_a_killed_run_left_is_removed_and_a_living_run_is_let_be() {
    // A server of its own represents one that many runs share.
    let server = embedded_postgres::start(embedded_postgres::Options::throw_away(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.heliograph/cache"),
    ))
    .await
    .unwrap();
    server
        .create_database("heliograph_test_dead_0")
        .await
        .unwrap();
    server
        .create_database("heliograph_testament")
        .await
        .unwrap();
    let url = server.url("postgres");
    let living = Cluster::on(url.clone(), None).await.unwrap();
    let name = living.create(None).await.unwrap();
    let _other = Cluster::on(url.clone(), None).await.unwrap();
    assert!(exists(&url, &name).await);
    assert!(exists(&url, "heliograph_testament").await);
    assert!(!exists(&url, "heliograph_test_dead_0").await);
    server.stop().await.unwrap();
}
