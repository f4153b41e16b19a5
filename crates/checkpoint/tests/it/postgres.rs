//! The store in PostgreSQL.

use std::{str::FromStr, sync::Arc, time::Duration};

use checkpoint::PostgresSaver;
use graph::{Checkpoint, CheckpointError, CheckpointId, Checkpointer, TaskRecord, TaskWrite};
use serde_json::json;
use sqlx::{
    AssertSqlSafe, Connection, Executor, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use test_support::database::TestDatabase;

use crate::sqlite::{checkpoint, numbered};

pub(crate) async fn database() -> TestDatabase {
    let migrate = |pool: PgPool| async move { PostgresSaver::migrate(&pool).await };
    TestDatabase::new("checkpoint", migrate).await.unwrap()
}

/// A pool that takes its connections for living until they are used, and does not wait long.
pub(crate) fn trusting_pool(database: &TestDatabase, connections: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(connections)
        .test_before_acquire(false)
        .acquire_timeout(Duration::from_millis(500))
        .connect_lazy(database.url())
        .unwrap()
}

/// A connection to another database of the server.
pub(crate) async fn admin(database: &TestDatabase) -> PgConnection {
    let options = PgConnectOptions::from_str(database.url()).unwrap();
    PgConnection::connect_with(&options.database("postgres"))
        .await
        .unwrap()
}

/// Ends all sessions of the database.
async fn end_sessions(admin: &mut PgConnection, database: &TestDatabase) {
    sqlx::query("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1")
        .bind(database.name())
        .execute(admin)
        .await
        .unwrap();
}

/// Lets sessions in, or none: a server that is away as far as this database is concerned.
pub(crate) async fn set_open(admin: &mut PgConnection, database: &TestDatabase, open: bool) {
    let sql = format!(
        "ALTER DATABASE {} ALLOW_CONNECTIONS {open}",
        database.name()
    );
    admin.execute(AssertSqlSafe(sql)).await.unwrap();
    if !open {
        end_sessions(admin, database).await;
    }
}

fn finished(task: u32) -> TaskWrite {
    TaskWrite {
        task,
        record: TaskRecord::Finished {
            updates: vec![json!(task)],
            goto: None,
        },
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passes_the_suite() {
    let database = database().await;
    let saver = PostgresSaver::new(database.pool().clone());
    graph::conformance::check(Arc::new(saver)).await.unwrap();
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM orchestrator.checkpoints")
        .fetch_one(database.pool())
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_connection_is_enough_and_history_changes_nothing_that_is_kept() {
    let database = database().await;
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .connect_lazy(database.url())
        .unwrap();
    let saver = PostgresSaver::new(pool).with_history(8);
    graph::conformance::check(Arc::new(saver)).await.unwrap();
}

#[tokio::test]
async fn several_processes_may_migrate_at_once() {
    let database = TestDatabase::empty().await.unwrap();
    let pool = database.pool();
    assert!(!PostgresSaver::is_migrated(pool).await.unwrap());
    let migrations = (0..4).map(|_| PostgresSaver::migrate(pool));
    for migrated in futures::future::join_all(migrations).await {
        migrated.unwrap();
    }
    assert!(PostgresSaver::is_migrated(pool).await.unwrap());
}

#[tokio::test]
async fn nul_is_a_character_like_any_other() {
    let database = database().await;
    let saver = PostgresSaver::new(database.pool().clone());
    let nul = "a\0b\\u0000";
    let mut full = checkpoint(nul);
    full.state = serde_json::to_vec(&json!({ nul: nul })).unwrap();
    full.state.push(0);
    full.metadata.insert(nul.into(), json!(nul));
    full.next.push(graph::NextTask {
        node: nul.into(),
        input: Some(json!([nul])),
    });
    saver.put(&full).await.unwrap();
    let mut write = finished(0);
    write.record = TaskRecord::Finished {
        updates: vec![json!(nul)],
        goto: None,
    };
    let writes = std::slice::from_ref(&write);
    saver.put_writes(nul, full.id, writes).await.unwrap();
    full.writes = vec![write];
    assert_eq!(saver.get(nul, None).await.unwrap(), Some(full));
}

#[tokio::test]
async fn an_unreadable_row_is_corrupt_and_others_are_not() {
    let database = database().await;
    let saver = PostgresSaver::new(database.pool().clone());
    let damages = [
        ("next", "next = '[{}]'"),
        ("writes", "writes = '{}'"),
        ("metadata", "metadata = '7'"),
        ("step", "step = -1"),
    ];
    for (thread, damage) in damages {
        saver.put(&checkpoint(thread)).await.unwrap();
        let sql =
            format!("UPDATE orchestrator.checkpoints SET {damage} WHERE thread_id = '{thread}'");
        database.pool().execute(AssertSqlSafe(sql)).await.unwrap();
    }
    saver.put(&checkpoint("good")).await.unwrap();
    for (thread, _) in damages {
        let got = saver.get(thread, None).await;
        assert!(
            matches!(got, Err(CheckpointError::Corrupt { .. })),
            "{thread}: {got:?}"
        );
        let listed = saver.list(thread, 1, None).await;
        assert!(
            matches!(listed, Err(CheckpointError::Corrupt { .. })),
            "{thread}: {listed:?}"
        );
    }
    let id = CheckpointId::from_u128(7);
    let refused = saver.put_writes("writes", id, &[finished(0)]).await;
    assert!(
        matches!(refused, Err(CheckpointError::Corrupt { .. })),
        "{refused:?}"
    );
    let good = saver.get("good", None).await.unwrap();
    assert_eq!(good, Some(checkpoint("good")));
}

#[tokio::test]
async fn as_much_history_is_kept_as_was_asked_for() {
    let database = database().await;
    let saver = PostgresSaver::new(database.pool().clone()).with_history(3);
    saver.put(&checkpoint("other")).await.unwrap();
    for n in 1..=10 {
        saver.put(&numbered("t", n)).await.unwrap();
    }
    let kept = || [10, 9, 8].map(|n| numbered("t", n));
    assert_eq!(saver.list("t", 100, None).await.unwrap(), kept());
    saver.put(&numbered("t", 8)).await.unwrap();
    assert_eq!(saver.list("t", 100, None).await.unwrap(), kept());
    let other = saver.list("other", 100, None).await.unwrap();
    assert_eq!(other, [checkpoint("other")]);
}

#[tokio::test]
async fn more_idle_threads_than_one_statement_deletes_all_go() {
    let database = database().await;
    let saver = PostgresSaver::new(database.pool().clone());
    let put = "INSERT INTO orchestrator.checkpoints (thread_id, id, step, state)
               SELECT 'idle-' || n, '00000000-0001-7000-8000-000000000000', 1, '{}'
               FROM generate_series(1, 450) AS n";
    database.pool().execute(put).await.unwrap();
    let now = std::time::SystemTime::now();
    let mut fresh = checkpoint("fresh");
    fresh.id = graph::earliest_id(now);
    saver.put(&fresh).await.unwrap();
    assert_eq!(saver.delete_idle(now).await.unwrap(), 450);
    assert_eq!(saver.get("fresh", None).await.unwrap(), Some(fresh));
}

#[tokio::test]
async fn dead_connections_in_the_pool_are_not_noticed() {
    let database = database().await;
    let pool = trusting_pool(&database, 4);
    let saver = PostgresSaver::new(pool.clone());
    let mut admin = admin(&database).await;
    let kill = async |admin: &mut PgConnection| {
        // As many as the pool holds, all of them idle and then dead.
        let held = futures::future::join_all((0..4).map(|_| pool.acquire())).await;
        for connection in held {
            connection.unwrap().return_to_pool().await;
        }
        assert_eq!(pool.num_idle(), 4);
        end_sessions(admin, &database).await;
    };
    let id = CheckpointId::from_u128(7);
    kill(&mut admin).await;
    saver.put(&checkpoint("t")).await.unwrap();
    kill(&mut admin).await;
    saver.put_writes("t", id, &[finished(0)]).await.unwrap();
    kill(&mut admin).await;
    let found = saver.get("t", None).await.unwrap().unwrap();
    assert_eq!(found.writes, [finished(0)]);
    kill(&mut admin).await;
    assert_eq!(saver.prune("t", 0).await.unwrap(), 1);
}

/// The process id of the session that waits for a lock, once there is one other than `not`.
async fn waiting_session(admin: &mut PgConnection, database: &TestDatabase, not: i32) -> i32 {
    loop {
        let pid: Option<i32> = sqlx::query_scalar(
            "SELECT pid FROM pg_stat_activity
             WHERE datname = $1 AND wait_event_type = 'Lock' AND pid <> $2",
        )
        .bind(database.name())
        .bind(not)
        .fetch_optional(&mut *admin)
        .await
        .unwrap();
        match pid {
            Some(pid) => return pid,
            None => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_in_mid_call_costs_no_call() {
    let database = database().await;
    let saver = PostgresSaver::new(trusting_pool(&database, 2));
    saver.put(&checkpoint("t")).await.unwrap();
    let mut admin = admin(&database).await;
    // A user holds the row, so that the call can be met in its middle.
    let mut holder = PgConnection::connect(database.url()).await.unwrap();
    let mut held = holder.begin().await.unwrap();
    held.execute("SELECT 1 FROM orchestrator.checkpoints FOR UPDATE")
        .await
        .unwrap();
    let put = tokio::spawn({
        let saver = saver.clone();
        let id = CheckpointId::from_u128(7);
        async move { saver.put_writes("t", id, &[finished(3)]).await }
    });
    let first = waiting_session(&mut admin, &database, 0).await;
    sqlx::query("SELECT pg_terminate_backend($1)")
        .bind(first)
        .execute(&mut admin)
        .await
        .unwrap();
    waiting_session(&mut admin, &database, first).await;
    held.rollback().await.unwrap();
    put.await.unwrap().unwrap();
    let found = saver.get("t", None).await.unwrap().unwrap();
    assert_eq!(found.writes, [finished(3)]);
}

#[tokio::test]
async fn a_database_that_is_away_is_unavailable_until_it_is_back() {
    let database = database().await;
    let saver = PostgresSaver::new(trusting_pool(&database, 2));
    saver.put(&checkpoint("t")).await.unwrap();
    let mut admin = admin(&database).await;
    set_open(&mut admin, &database, false).await;
    let id = CheckpointId::from_u128(7);
    let refused: [Result<(), CheckpointError>; 5] = [
        saver.put(&numbered("t", 8)).await,
        saver.put_writes("t", id, &[finished(0)]).await,
        saver.get("t", None).await.map(drop),
        saver.list("t", 1, None).await.map(drop),
        saver.delete_thread("t").await,
    ];
    for refused in refused {
        assert!(
            matches!(refused, Err(CheckpointError::Unavailable { .. })),
            "{refused:?}"
        );
    }
    set_open(&mut admin, &database, true).await;
    assert_eq!(saver.list("t", 9, None).await.unwrap(), [checkpoint("t")]);
    saver.put(&numbered("t", 8)).await.unwrap();
}

#[tokio::test]
async fn a_pool_that_is_used_up_is_unavailable_until_one_comes_back() {
    let database = database().await;
    let pool = trusting_pool(&database, 1);
    let saver = PostgresSaver::new(pool.clone());
    let held = pool.acquire().await.unwrap();
    let refused = saver.put(&checkpoint("t")).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
    drop(held);
    saver.put(&checkpoint("t")).await.unwrap();
    assert_eq!(
        saver.get("t", None).await.unwrap(),
        Some::<Checkpoint>(checkpoint("t"))
    );
}

#[tokio::test]
async fn a_database_without_our_tables_is_unavailable() {
    let database = TestDatabase::empty().await.unwrap();
    let saver = PostgresSaver::new(database.pool().clone());
    let refused = saver.get("t", None).await;
    assert!(
        matches!(refused, Err(CheckpointError::Unavailable { .. })),
        "{refused:?}"
    );
}
