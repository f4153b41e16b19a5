//! Threads that go.

use std::time::Duration;

use conversations::{Deletion, MessagePage};
use sqlx::AssertSqlSafe;

use crate::harness::{
    World, ada, answer_events, answered, batch_of, fence, is_not_found, turn, worker, world,
};

async fn rows(world: &World, table: &str) -> i64 {
    // The names come from this file.
    sqlx::query_scalar(AssertSqlSafe(format!(
        "SELECT count(*) FROM orchestrator.{table}"
    )))
    .fetch_one(world.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_deleted_thread_takes_everything_along() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "one")).await;
    let waiting = world.queue(worker(), "chat", "two").await;
    let batch = batch_of(answer_events("1"));
    world
        .store
        .append_events(fence(&run), &batch)
        .await
        .unwrap();

    let refused = world.store.delete_thread(&ada(), "chat").await.unwrap();
    assert_eq!(refused, Deletion::Active(run.id));
    assert_eq!(world.said(thread.id).await, ["one"]);

    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    world.talk("other", "stays", "here").await;
    let deleted = world.store.delete_thread(&ada(), "chat").await.unwrap();
    assert_eq!(deleted, Deletion::Deleted(thread.id));
    assert!(is_not_found(&world.store.thread(&ada(), "chat").await));
    assert!(is_not_found(&world.store.run(&ada(), run.id).await));
    assert!(is_not_found(&world.store.run(&ada(), waiting.id).await));
    assert!(is_not_found(
        &world.store.delete_thread(&ada(), "chat").await
    ));
    assert_eq!(rows(&world, "run_events").await, 0);
    assert_eq!(rows(&world, "messages").await, 2);
    assert_eq!(rows(&world, "runs").await, 1);
}

#[tokio::test]
async fn a_thread_that_is_busy_survives_those_who_delete_while_it_starts() {
    let world = world().await;
    for round in 0..8 {
        let name = format!("chat-{round}");
        world.talk(&name, "one", "1").await;
        let (store, deleter) = (world.store.clone(), world.store.clone());
        let (turn, deleted_name) = (turn(&name, "two"), name.clone());
        let starting = tokio::spawn(async move { store.accept(&ada(), worker(), &turn).await });
        let deleting =
            tokio::spawn(async move { deleter.delete_thread(&ada(), &deleted_name).await });
        starting.await.unwrap().unwrap();
        deleting.await.unwrap().unwrap();
        // Whichever came first, the turn has its thread: the old one, or a new one of that name.
        let thread = world.store.thread(&ada(), &name).await.unwrap();
        let active = world.store.active_run(&ada(), thread.id).await.unwrap();
        assert!(active.is_some(), "{name}");
        let said = world
            .store
            .messages(&ada(), thread.id, MessagePage::Newest, 9)
            .await
            .unwrap();
        assert!([1, 3].contains(&said.len()), "{said:?}");
    }
}

#[tokio::test]
async fn old_conversations_are_deleted_in_batches_unless_a_run_needs_them() {
    let world = world().await;
    let mut old = Vec::new();
    for name in ["a", "b", "c"] {
        old.push(world.talk(name, "one", "1").await.0.id);
    }
    let (running, _) = world.start(worker(), &turn("running", "one")).await;
    sqlx::query("UPDATE orchestrator.threads SET last_updated = last_updated - interval '31 days'")
        .execute(world.pool())
        .await
        .unwrap();
    let (young, _) = world.talk("young", "one", "1").await;

    let month = Duration::from_hours(30 * 24);
    let tenant = ada().tenant;
    let others = world.store.delete_old("other", month, 9).await;
    assert!(others.unwrap().is_empty(), "another tenant's are kept");
    assert_eq!(
        world.store.tenants().await.unwrap(),
        std::slice::from_ref(&tenant)
    );
    let bite = async || world.store.delete_old(&tenant, month, 2).await.unwrap();
    let mut deleted = bite().await;
    assert_eq!(deleted.len(), 2);
    deleted.extend(bite().await);
    assert!(bite().await.is_empty());
    deleted.sort_unstable();
    old.sort_unstable();
    assert_eq!(deleted, old);
    for (name, kept) in [("running", running.id), ("young", young.id)] {
        assert_eq!(world.store.thread(&ada(), name).await.unwrap().id, kept);
    }
}

#[tokio::test]
async fn those_who_clean_up_at_once_delete_each_thread_once() {
    let world = world().await;
    for number in 0..20 {
        world.talk(&number.to_string(), "one", "1").await;
    }
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let store = world.store.clone();
        tasks.spawn(async move {
            let tenant = ada().tenant;
            store.delete_old(&tenant, Duration::ZERO, 4).await.unwrap()
        });
    }
    let mut deleted: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    let count = deleted.len();
    deleted.sort_unstable();
    deleted.dedup();
    assert_eq!(deleted.len(), count);
    assert_eq!(
        rows(&world, "threads").await,
        20 - i64::try_from(count).unwrap()
    );
}
