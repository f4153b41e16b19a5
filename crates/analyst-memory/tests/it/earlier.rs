//! A database of an earlier version, whose threads had the tables of the memory.

use std::path::Path;

use sqlx::PgPool;
use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use test_support::database::TestDatabase;
use uuid::Uuid;

use crate::harness::{World, ada, fence, turn, worker};
use crate::memory::attempt;

/// The migration of the threads that created the tables, as it was.
const EARLIER: &str = include_str!("../earlier/0003_memory.sql");

/// The first migration of the threads after the version before.
const NEWER: i64 = 40;

async fn earlier_database() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conversations/migrations");
    let current = Migrator::new(folder).await.unwrap();
    let mut migrations: Vec<Migration> = current
        .iter()
        .filter(|migration| migration.version < NEWER)
        .cloned()
        .collect();
    let kind = MigrationType::Simple;
    let memory = Migration::new(3, "memory".into(), kind, EARLIER.into_sql_str(), false);
    migrations.push(memory);
    let mut migrator = Migrator::with_migrations(migrations);
    migrator.create_schema("orchestrator");
    migrator.dangerous_set_table_name("orchestrator._sqlx_migrations");
    migrator.run(database.pool()).await.unwrap();
    database
}

/// A thread about an inventory, with three attempts of which one has a query.
async fn remember(pool: &PgPool, thread: Uuid) {
    sqlx::query(
        "INSERT INTO orchestrator.threads (id, tenant, owner, name, assistant, inventory_id, context, last_turn_id)
         VALUES ($1, 'demo', 'ada', 'chat', 'analyst', 'inv-1', '{\"city\": \"Bern\", \"inventory_id\": \"old\"}', 3)",
    )
    .bind(thread)
    .execute(pool)
    .await
    .unwrap();
    for turn_id in 1..=3 {
        sqlx::query(
            "INSERT INTO orchestrator.memory_entries (thread_id, turn_id, turn, run_id, entry)
             VALUES ($1, $2, 1, $1, '{}')",
        )
        .bind(thread)
        .bind(turn_id)
        .execute(pool)
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn a_database_of_an_earlier_version_keeps_its_memory_and_numbers_on() {
    let database = earlier_database().await;
    let thread = Uuid::new_v4();
    remember(database.pool(), thread).await;
    conversations::migrate(database.pool()).await.unwrap();
    analyst_memory::migrate(database.pool()).await.unwrap();
    assert!(analyst_memory::is_migrated(database.pool()).await.unwrap());
    analyst_memory::migrate(database.pool()).await.unwrap();

    let world = World::over(database);
    let (found, run) = world.start(worker(), &turn("chat", "show")).await;
    assert_eq!(found.id, thread);
    let next = world.store.record(fence(&run), &attempt(2, "map")).await;
    assert_eq!(next.unwrap(), 4, "the fourth of the thread");
    let entries: i64 = sqlx::query_scalar("SELECT count(*) FROM orchestrator.memory_entries")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(entries, 4);
}

#[tokio::test]
async fn an_inventory_of_an_earlier_version_is_in_the_context() {
    let database = earlier_database().await;
    let thread = Uuid::new_v4();
    remember(database.pool(), thread).await;
    conversations::migrate(database.pool()).await.unwrap();
    let world = World::over(database);
    let context = world.threads.thread(&ada(), "chat").await.unwrap().context;
    assert_eq!(context["inventory_id"], "inv-1");
    assert_eq!(context["city"], "Bern");
    assert_eq!(context["attached_inventory_id"], "old", "nothing is lost");
}
