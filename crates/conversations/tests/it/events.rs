//! The log of a run.

use std::time::Duration;

use contracts::run::RunEvent;
use conversations::{Error, EventBatch, EventLog, RunStatus};
use serde_json::json;
use uuid::Uuid;

use crate::harness::{
    World, ada, answer_events, answered, batch_of, fence, numbered, turn, worker, world,
};

/// Events `numbers`, distinguished by their text.
fn batch(numbers: std::ops::Range<i64>) -> EventBatch {
    let first = numbers.start;
    let events: Vec<RunEvent> = numbers.map(status).collect();
    numbered(first, events)
}

fn status(number: i64) -> RunEvent {
    RunEvent::Status {
        text: number.to_string(),
    }
}

async fn read(world: &World, run: Uuid, seen: Option<(i32, i64)>, batches: u32) -> EventLog {
    world
        .store
        .events(&ada(), run, seen, batches)
        .await
        .unwrap()
}

fn numbers(log: &EventLog) -> Vec<i64> {
    for event in &log.events {
        assert_eq!(event.event, status(event.seq));
    }
    log.events.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn a_log_is_read_from_anywhere_without_gap_or_duplicate() {
    let world = world().await;
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    let empty = read(&world, run.id, None, 9).await;
    assert_eq!(
        (empty.status, empty.attempt, empty.events.len()),
        (RunStatus::Running, 1, 0)
    );
    for numbers in [0..1, 1..5, 5..7] {
        world
            .store
            .append_events(fence(&run), &batch(numbers))
            .await
            .unwrap();
    }
    assert_eq!(
        numbers(&read(&world, run.id, None, 9).await),
        [0, 1, 2, 3, 4, 5, 6]
    );
    for after in 0..7 {
        let log = read(&world, run.id, Some((1, after)), 9).await;
        assert_eq!(numbers(&log), (after + 1..7).collect::<Vec<_>>());
    }
    assert_eq!(
        numbers(&read(&world, run.id, None, 2).await),
        [0, 1, 2, 3, 4]
    );
}

#[tokio::test]
async fn a_batch_sent_twice_is_stored_once() {
    let world = world().await;
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    for _ in 0..2 {
        world
            .store
            .append_events(fence(&run), &batch(0..3))
            .await
            .unwrap();
    }
    assert_eq!(numbers(&read(&world, run.id, None, 9).await), [0, 1, 2]);
}

#[tokio::test]
async fn events_come_back_as_they_were() {
    let world = world().await;
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    let mut events = answer_events("a\0b \u{2028}\u{85} \"🌞\"");
    events.insert(
        0,
        RunEvent::ToolResult {
            id: "c".into(),
            output: json!({ "z": 1.10, "a": { "y": null, "b": "\0" } }),
            ok: true,
        },
    );
    let batch = batch_of(events.clone());
    world
        .store
        .append_events(fence(&run), &batch)
        .await
        .unwrap();
    let log = read(&world, run.id, None, 9).await;
    let back: Vec<RunEvent> = log.events.into_iter().map(|stored| stored.event).collect();
    assert_eq!(back, events);
    // Down to the order of keys, so that a replayed frame is the frame that was sent.
    assert_eq!(
        serde_json::to_string(&back).unwrap(),
        serde_json::to_string(&events).unwrap()
    );
}

#[test]
fn no_events_are_no_batch() {
    assert_eq!(EventBatch::new(0, Vec::new()), None);
}

#[tokio::test]
async fn who_sees_the_end_sees_the_last_events() {
    let world = world().await;
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    world
        .store
        .append_events(fence(&run), &batch(0..2))
        .await
        .unwrap();
    let mut finish = answered("1");
    finish.events = Some(batch(2..4));
    world.store.finish(fence(&run), finish).await.unwrap();
    let log = read(&world, run.id, Some((1, 0)), 9).await;
    assert_eq!(log.status, RunStatus::Completed);
    assert_eq!(numbers(&log), [1, 2, 3]);
    assert!(
        read(&world, run.id, Some((1, 3)), 9)
            .await
            .events
            .is_empty()
    );
}

#[tokio::test]
async fn a_newer_attempt_is_read_whole() {
    let world = world().await;
    let (dead, heir) = (worker(), worker());
    let (_, run) = world.start(dead, &turn("chat", "one")).await;
    world
        .store
        .append_events(fence(&run), &batch(0..9))
        .await
        .unwrap();
    world.kill(dead).await;
    let taken = world
        .store
        .take_over_expired(heir, 1)
        .await
        .unwrap()
        .pop()
        .unwrap();
    let earlier = world.store.earlier_events(fence(&taken)).await.unwrap();
    assert_eq!(earlier, (0..9).map(status).collect::<Vec<_>>());
    assert!(
        world
            .store
            .earlier_events(fence(&run))
            .await
            .unwrap()
            .is_empty()
    );
    let seen = Some((1, 8));
    assert!(read(&world, run.id, seen, 9).await.events.is_empty());
    world
        .store
        .append_events(fence(&taken), &batch(0..3))
        .await
        .unwrap();
    let log = read(&world, run.id, seen, 9).await;
    assert_eq!((log.attempt, numbers(&log)), (2, vec![0, 1, 2]));
}

#[tokio::test]
async fn old_logs_go_and_messages_stay() {
    let world = world().await;
    let mut runs = Vec::new();
    for name in ["old", "new"] {
        let (thread, run) = world.start(worker(), &turn(name, "one")).await;
        world
            .store
            .append_events(fence(&run), &batch(0..2))
            .await
            .unwrap();
        world
            .store
            .append_events(fence(&run), &batch(2..3))
            .await
            .unwrap();
        world
            .store
            .finish(fence(&run), answered("1"))
            .await
            .unwrap();
        runs.push((thread, run));
    }
    // One that still runs keeps its log however old it is.
    let (_, running) = world.start(worker(), &turn("long", "one")).await;
    world
        .store
        .append_events(fence(&running), &batch(0..2))
        .await
        .unwrap();
    let (thread, old) = &runs[0];
    for statement in [
        "UPDATE orchestrator.run_events SET created_at = created_at - interval '2 days' WHERE run_id = ANY($1)",
        "UPDATE orchestrator.runs SET ended_at = ended_at - interval '2 days' WHERE id = ANY($1)",
    ] {
        sqlx::query(statement)
            .bind(vec![old.id, running.id])
            .execute(world.pool())
            .await
            .unwrap();
    }
    let day = Duration::from_hours(24);
    let prune = async |tenant: &str| world.store.prune_events(tenant, day, 9).await.unwrap();
    assert_eq!(prune("another").await, 0);
    assert_eq!(prune(&ada().tenant).await, 1);
    assert_eq!(prune(&ada().tenant).await, 0, "each run is looked at once");
    let pruned = read(&world, old.id, None, 9).await;
    assert_eq!(
        (pruned.status, pruned.events.len()),
        (RunStatus::Completed, 0)
    );
    assert_eq!(world.said(thread.id).await, ["one", "1"]);
    assert_eq!(read(&world, runs[1].1.id, None, 9).await.events.len(), 3);
    assert_eq!(read(&world, running.id, None, 9).await.events.len(), 2);
}

#[tokio::test]
async fn a_run_that_does_not_exist_has_no_log() {
    let world = world().await;
    let missing = world.store.events(&ada(), Uuid::new_v4(), None, 9).await;
    assert!(matches!(missing, Err(Error::NotFound)));
}

#[tokio::test]
async fn an_attempt_that_said_nothing_hides_none_before_it() {
    let world = world().await;
    let mut dead = worker();
    let (_, run) = world.start(dead, &turn("chat", "one")).await;
    world
        .store
        .append_events(fence(&run), &batch(0..2))
        .await
        .unwrap();
    let mut taken = run;
    for _ in 0..2 {
        world.kill(dead).await;
        dead = worker();
        taken = world
            .store
            .take_over_expired(dead, 1)
            .await
            .unwrap()
            .pop()
            .unwrap();
    }
    let earlier = world.store.earlier_events(fence(&taken)).await.unwrap();
    assert_eq!(earlier, [status(0), status(1)]);
}
