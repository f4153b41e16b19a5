//! News of runs reaches its listeners.

use std::time::Duration;

use conversations::{Listener, Notice, NoticeKind, Run, Signal};
use tokio::time::timeout;

use crate::harness::{
    ada, answer_events, answered, batch_of, fence, strangers, turn, worker, world,
};

/// Longer than anything here takes; only a failing test waits for it.
const LONG: Duration = Duration::from_secs(20);

async fn next(listener: &mut Listener) -> Signal {
    timeout(LONG, listener.next()).await.unwrap()
}

fn notice(kind: NoticeKind, run: &Run) -> Signal {
    Signal::Notice(Notice {
        kind,
        run_id: run.id,
        thread_id: run.thread_id,
    })
}

#[tokio::test]
async fn events_cancels_releases_and_ends_are_heard() {
    let world = world().await;
    let mut listener = Listener::new(world.pool().clone());
    assert_eq!(next(&mut listener).await, Signal::Listening);

    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    let waiting = world.queue(worker(), "chat", "two").await;
    world.store.follow_run(&ada(), run.id).await.unwrap();
    let batch = batch_of(answer_events("1"));
    world
        .store
        .append_events(fence(&run), &batch)
        .await
        .unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Events, &run));
    world.store.request_cancel(&ada(), run.id).await.unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Cancel, &run));
    world.store.release(fence(&run).worker).await.unwrap();
    assert_eq!(
        next(&mut listener).await,
        notice(NoticeKind::Released, &run)
    );
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Ended, &run));
    world
        .store
        .request_cancel(&ada(), waiting.id)
        .await
        .unwrap();
    assert_eq!(
        next(&mut listener).await,
        notice(NoticeKind::Ended, &waiting)
    );
}

#[tokio::test]
async fn a_listener_comes_back_by_itself_and_says_so() {
    let world = world().await;
    let mut listener = Listener::new(world.pool().clone());
    assert_eq!(next(&mut listener).await, Signal::Listening);
    sqlx::query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    )
    .execute(world.pool())
    .await
    .unwrap();
    assert_eq!(next(&mut listener).await, Signal::Listening);
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    world.store.follow_run(&ada(), run.id).await.unwrap();
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Ended, &run));
}

#[tokio::test]
async fn what_others_say_on_the_channel_is_ignored() {
    let world = world().await;
    let mut listener = Listener::new(world.pool().clone());
    assert_eq!(next(&mut listener).await, Signal::Listening);
    for payload in ["", "ended", "ended x y", "hello 1 2 3"] {
        sqlx::query("SELECT pg_notify($1, $2)")
            .bind(conversations::CHANNEL)
            .bind(payload)
            .execute(world.pool())
            .await
            .unwrap();
    }
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    world.store.follow_run(&ada(), run.id).await.unwrap();
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Ended, &run));
}

#[tokio::test]
async fn what_nothing_waits_for_is_not_sent() {
    let world = world().await;
    let mut listener = Listener::new(world.pool().clone());
    assert_eq!(next(&mut listener).await, Signal::Listening);
    let batch = batch_of(answer_events("1"));
    let (_, alone) = world.start(worker(), &turn("alone", "one")).await;
    // Other persons cannot follow it.
    for stranger in strangers() {
        world.store.follow_run(&stranger, alone.id).await.unwrap();
    }
    let append = world.store.append_events(fence(&alone), &batch);
    append.await.unwrap();
    let finish = answered("1");
    let ended = world.store.finish(fence(&alone), finish.clone());
    ended.await.unwrap();

    // Its end is what the one behind it waits for; its events are not.
    let (_, first) = world.start(worker(), &turn("chat", "one")).await;
    world.queue(worker(), "chat", "two").await;
    let append = world.store.append_events(fence(&first), &batch);
    append.await.unwrap();
    let ended = world.store.finish(fence(&first), finish.clone());
    ended.await.unwrap();
    assert_eq!(next(&mut listener).await, notice(NoticeKind::Ended, &first));
}
