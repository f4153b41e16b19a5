//! The same request, sent twice.

use conversations::{Acceptance, Error, Idempotency, NewRun, RunStatus};
use serde_json::json;

use crate::harness::{ada, answered, fence, turn, worker, world};

fn keyed(text: &str, key: &str) -> NewRun {
    NewRun {
        idempotency: Some(Idempotency::new(key, &json!({ "text": text })).unwrap()),
        ..turn("chat", text)
    }
}

#[tokio::test]
async fn the_same_request_twice_is_one_run() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &keyed("one", "k")).await;
    let again = world
        .store
        .accept(&ada(), worker(), &keyed("one", "k"))
        .await
        .unwrap();
    assert!(matches!(&again, Acceptance::Replayed { run: same, .. } if *same == run));
    let other = world
        .store
        .accept(&ada(), worker(), &keyed("two", "k"))
        .await;
    assert!(matches!(other, Err(Error::KeyReused)));

    // Also when it has ended, and not for another owner.
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    let again = world
        .store
        .accept(&ada(), worker(), &keyed("one", "k"))
        .await
        .unwrap();
    assert!(
        matches!(&again, Acceptance::Replayed { run: same, .. } if same.status == RunStatus::Completed)
    );
    assert_eq!(world.said(thread.id).await, ["one", "1"]);
    let [stranger, _] = crate::harness::strangers();
    let theirs = world
        .store
        .accept(&stranger, worker(), &keyed("two", "k"))
        .await
        .unwrap();
    assert!(matches!(theirs, Acceptance::Started { .. }));
}

#[tokio::test]
async fn a_key_used_by_many_at_once_on_new_threads_gives_one_run() {
    let world = world().await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let store = world.store.clone();
        // Each would make a thread of its own, so no thread's lock keeps them apart.
        let new = NewRun {
            thread: None,
            ..keyed("one", "k")
        };
        tasks.spawn(async move { store.accept(&ada(), worker(), &new).await.unwrap() });
    }
    let mut started = 0;
    let mut runs = Vec::new();
    for outcome in tasks.join_all().await {
        match outcome {
            Acceptance::Started { run, .. } => {
                started += 1;
                runs.push(run.id);
            }
            Acceptance::Replayed { run, .. } => runs.push(run.id),
            other @ Acceptance::Queued { .. } => panic!("{other:?}"),
        }
    }
    assert_eq!(started, 1);
    assert!(runs.iter().all(|id| *id == runs[0]));
    let threads: i64 = sqlx::query_scalar("SELECT count(*) FROM orchestrator.threads")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(threads, 1);
}

#[tokio::test]
async fn a_key_is_forgotten_after_a_day() {
    let world = world().await;
    let (_, run) = world.start(worker(), &keyed("one", "k")).await;
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    sqlx::query("UPDATE orchestrator.runs SET created_at = created_at - interval '25 hours'")
        .execute(world.pool())
        .await
        .unwrap();
    let (_, later) = world.start(worker(), &keyed("two", "k")).await;
    assert_ne!(later.id, run.id);
}
