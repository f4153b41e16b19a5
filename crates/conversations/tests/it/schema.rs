//! The schema comes up to date on its own.

use conversations::Store;
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use test_support::database::TestDatabase;

use crate::harness::{ada, answered, turn, worker, world};

#[tokio::test]
async fn processes_that_start_at_once_make_the_schema_once() {
    let database = TestDatabase::empty().await.unwrap();
    assert!(
        !conversations::is_migrated(database.pool())
            .await
            .unwrap_or(false)
    );
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let pool = database.pool().clone();
        tasks.spawn(async move { conversations::migrate(&pool).await.unwrap() });
    }
    tasks.join_all().await;
    assert!(conversations::is_migrated(database.pool()).await.unwrap());
}

/// The end of each turn would touch every index of its thread if it changed an indexed column.
#[tokio::test]
async fn the_end_of_a_turn_touches_no_index_of_its_thread() {
    let world = world().await;
    let one = PgPoolOptions::new().max_connections(1);
    let pool = one.connect(world.database.url()).await.unwrap();
    let store = Store::new(pool.clone());
    let accepted = store.accept(&ada(), worker(), &turn("chat", "one")).await;
    let conversations::Acceptance::Started { run, .. } = accepted.unwrap() else {
        panic!("not started")
    };
    let before = updates(&pool).await;
    let finished = store.finish(run.fence().unwrap(), answered("1")).await;
    finished.unwrap();
    let after = updates(&pool).await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (1, 1));
}

/// Updates of threads by this connection, and those of them that touched no index.
async fn updates(pool: &PgPool) -> (i64, i64) {
    sqlx::query("SELECT pg_stat_force_next_flush()")
        .execute(pool)
        .await
        .unwrap();
    sqlx::query_as(
        "SELECT pg_stat_get_tuples_updated(c), pg_stat_get_tuples_hot_updated(c)
         FROM (SELECT 'orchestrator.threads'::regclass::oid) AS t (c)",
    )
    .fetch_one(pool)
    .await
    .unwrap()
}
