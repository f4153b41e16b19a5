//! The holder of a run, and its takeover when its process dies.

use std::time::Duration;

use contracts::run::Usage;
use conversations::{
    AnsweredCall, Cancellation, Error, Finished, LeftBehind, MessageStatus, NewMessage, RunStatus,
    ToolRecord, ToolStatus, Worker,
};
use serde_json::json;

use crate::harness::{ada, answer_events, answered, batch_of, fence, turn, worker, world};

#[tokio::test]
async fn an_ended_run_is_stored_whole() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "one")).await;
    let mut finish = answered("1");
    finish.usage = Some(Usage {
        input_tokens: 5,
        output_tokens: 6,
        ..Usage::default()
    });
    assert_eq!(
        world
            .store
            .finish(fence(&run), finish.clone())
            .await
            .unwrap(),
        Finished::Now
    );

    let ended = world.store.run(&ada(), run.id).await.unwrap();
    assert_eq!(ended.status, RunStatus::Completed);
    assert_eq!(ended.usage, finish.usage);
    assert!(ended.ended_at.is_some());
    let answer = world.messages(thread.id).await.pop().unwrap();
    assert_eq!(
        (answer.id, answer.text.as_str()),
        (run.message_id.clone(), "1")
    );
    assert_eq!(answer.status, MessageStatus::Complete);
    let after = world.store.thread(&ada(), "chat").await.unwrap();
    assert_eq!(after.last_updated, thread.last_updated, "of its question");
    assert_eq!(
        world.store.active_run(&ada(), thread.id).await.unwrap(),
        None
    );
}

#[tokio::test]
async fn ending_twice_stores_once() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "one")).await;
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    let again = world
        .store
        .finish(fence(&run), answered("2"))
        .await
        .unwrap();
    assert_eq!(again, Finished::Before);
    assert_eq!(world.said(thread.id).await, ["one", "1"]);
}

#[tokio::test]
async fn of_many_ends_at_once_one_is_stored() {
    let world = world().await;
    let (thread, run) = world.start(worker(), &turn("chat", "one")).await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (store, fence) = (world.store.clone(), fence(&run));
        tasks.spawn(async move {
            store
                .finish(fence, answered(&number.to_string()))
                .await
                .unwrap()
        });
    }
    let outcomes = tasks.join_all().await;
    assert_eq!(
        outcomes
            .iter()
            .filter(|outcome| **outcome == Finished::Now)
            .count(),
        1
    );
    assert_eq!(world.said(thread.id).await.len(), 2);
}

#[tokio::test]
async fn a_status_that_ends_nothing_is_refused() {
    let world = world().await;
    let (_, run) = world.start(worker(), &turn("chat", "one")).await;
    let mut finish = answered("1");
    finish.status = RunStatus::Running;
    let refused = world.store.finish(fence(&run), finish.clone()).await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn a_living_worker_keeps_its_runs() {
    let world = world().await;
    let me = Worker {
        lease: Duration::from_mins(1),
        ..worker()
    };
    let (_, run) = world.start(me, &turn("a", "one")).await;
    assert!(
        world
            .store
            .take_over_expired(worker(), 9)
            .await
            .unwrap()
            .is_empty()
    );
    // An expired lease that no worker took is renewed like any other.
    world.kill(me).await;
    let renewed = world.store.renew(me).await.unwrap();
    assert_eq!(renewed.len(), 1);
    assert_eq!((renewed[0].run_id, renewed[0].attempt), (run.id, 1));
    assert!(!renewed[0].cancel_requested);
    assert!(
        world
            .store
            .take_over_expired(worker(), 9)
            .await
            .unwrap()
            .is_empty()
    );
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    assert!(world.store.renew(me).await.unwrap().is_empty());
}

#[tokio::test]
async fn each_run_of_a_dead_worker_is_taken_over_once() {
    let world = world().await;
    let (dead, living) = (worker(), worker());
    for name in ["a", "b", "c", "d", "e"] {
        world.start(dead, &turn(name, "one")).await;
    }
    let (_, other) = world.start(living, &turn("f", "one")).await;
    world.kill(dead).await;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..6 {
        let store = world.store.clone();
        tasks.spawn(async move { store.take_over_expired(worker(), 2).await.unwrap() });
    }
    let mut taken: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    // Who looked while another held the rows found nothing, so a user looks once more.
    taken.extend(world.store.take_over_expired(worker(), 9).await.unwrap());
    assert!(
        taken
            .iter()
            .all(|run| run.attempt == 2 && run.id != other.id)
    );
    let mut names: Vec<&str> = taken.iter().map(|run| run.thread_name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b", "c", "d", "e"]);
}

#[tokio::test]
async fn a_zombie_writes_nothing() {
    let world = world().await;
    let (zombie, heir) = (worker(), worker());
    let (thread, run) = world.start(zombie, &turn("chat", "one")).await;
    world.kill(zombie).await;
    let taken = world
        .store
        .take_over_expired(heir, 1)
        .await
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(taken.input, run.input);

    assert!(world.store.renew(zombie).await.unwrap().is_empty());
    let refused = world.store.finish(fence(&run), answered("stale")).await;
    assert!(matches!(refused, Err(Error::LostFence)));
    let batch = batch_of(answer_events("stale"));
    let refused = world.store.append_events(fence(&run), &batch).await;
    assert!(matches!(refused, Err(Error::LostFence)));
    assert_eq!(world.said(thread.id).await, ["one"]);

    world
        .store
        .finish(fence(&taken), answered("fresh"))
        .await
        .unwrap();
    let refused = world.store.finish(fence(&run), answered("stale")).await;
    assert!(matches!(refused, Err(Error::LostFence)));
    assert_eq!(world.said(thread.id).await, ["one", "fresh"]);
}

#[tokio::test]
async fn who_takes_a_run_back_from_itself_is_another_attempt() {
    let world = world().await;
    let me = worker();
    let (_, run) = world.start(me, &turn("chat", "one")).await;
    world.kill(me).await;
    let again = world
        .store
        .take_over_expired(me, 1)
        .await
        .unwrap()
        .pop()
        .unwrap();
    assert_eq!(again.attempt, 2);
    let refused = world.store.finish(fence(&run), answered("1")).await;
    assert!(matches!(refused, Err(Error::LostFence)));
}

#[tokio::test]
async fn a_worker_that_stops_gives_its_runs_up() {
    let world = world().await;
    let me = worker();
    let (_, run) = world.start(me, &turn("chat", "one")).await;
    assert_eq!(world.store.release(me.id).await.unwrap(), 1);
    let left_behind = world.store.left_behind(Duration::ZERO).await.unwrap();
    assert!(left_behind.expired && !left_behind.waiting);
    // It does not count as the run of a worker that died.
    let died = world.store.take_over_expired(worker(), 9).await.unwrap();
    assert!(died.is_empty(), "{died:?}");
    let taken = world.store.take_over_released(worker(), 9).await.unwrap();
    assert_eq!(taken[0].id, run.id);
    let again = world.store.take_over_released(worker(), 9).await.unwrap();
    assert!(again.is_empty(), "{again:?}");
}

#[tokio::test]
async fn a_cancel_reaches_the_worker_with_its_next_renewal() {
    let world = world().await;
    let me = worker();
    let (_, run) = world.start(me, &turn("chat", "one")).await;
    let requested = world.store.request_cancel(&ada(), run.id).await.unwrap();
    assert_eq!(requested, Cancellation::Requested);
    assert!(world.store.renew(me).await.unwrap()[0].cancel_requested);
    // It stays asked for when another process takes over.
    world.kill(me).await;
    let taken = world.store.take_over_expired(worker(), 1).await.unwrap();
    assert!(taken[0].cancel_requested);
}

#[tokio::test]
async fn what_a_dead_process_left_waiting_is_found() {
    let world = world().await;
    let me = worker();
    let (thread, run) = world.start(me, &turn("chat", "one")).await;
    world.queue(me, "chat", "two").await;
    let left_behind = async |age| world.store.left_behind(age).await.unwrap();
    let nothing = LeftBehind {
        expired: false,
        waiting: false,
    };
    assert_eq!(left_behind(Duration::ZERO).await, nothing);
    assert!(
        world
            .store
            .free_threads(Duration::ZERO, 9)
            .await
            .unwrap()
            .is_empty()
    );
    world
        .store
        .finish(fence(&run), answered("1"))
        .await
        .unwrap();
    assert!(
        world
            .store
            .free_threads(Duration::from_hours(1), 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert_eq!(left_behind(Duration::from_hours(1)).await, nothing);
    assert!(left_behind(Duration::ZERO).await.waiting);
    assert_eq!(
        world.store.free_threads(Duration::ZERO, 9).await.unwrap(),
        [thread.id]
    );
}

#[tokio::test]
async fn a_late_choice_is_stored_with_the_call_it_answers() {
    let world = world().await;
    let (thread, asking) = world.start(worker(), &turn("chat", "Compare")).await;
    let mut finish = answered("Which one?");
    let call = |id: &str, status| ToolRecord {
        id: id.into(),
        name: "pick_logger".into(),
        arguments: json!({ "z": 1, "a": [2] }),
        status,
        result: None,
    };
    let records = vec![
        call("done", ToolStatus::Success),
        call("pick", ToolStatus::Pending),
    ];
    finish.message = finish.message.map(|message| NewMessage {
        tools_used: records,
        ..message
    });
    world
        .store
        .finish(fence(&asking), finish.clone())
        .await
        .unwrap();

    let (_, choosing) = world.start(worker(), &turn("chat", "925")).await;
    let mut finish = answered("Fine.");
    finish.answered = ["pick", "done", "unheard-of"]
        .map(|id| AnsweredCall {
            id: id.into(),
            result: json!({ "y": "925\0", "b": null }),
        })
        .to_vec();
    world
        .store
        .finish(fence(&choosing), finish.clone())
        .await
        .unwrap();

    let records = world.messages(thread.id).await.remove(1).tools_used;
    assert_eq!(records[0], call("done", ToolStatus::Success));
    assert_eq!(records[1].status, ToolStatus::Answered);
    // Kept as they were, key order and all.
    assert_eq!(records[1].arguments.to_string(), r#"{"z":1,"a":[2]}"#);
    assert_eq!(
        records[1].result.as_ref().unwrap().to_string(),
        "{\"y\":\"925\u{fffd}\",\"b\":null}"
    );
    let again = AnsweredCall {
        id: "pick".into(),
        result: json!("another"),
    };
    assert!(
        !world
            .store
            .answer_call(&ada(), thread.id, &again)
            .await
            .unwrap()
    );
}

#[tokio::test]
async fn a_run_that_is_given_up_is_taken_over_at_once_and_no_other() {
    let world = world().await;
    let (me, other) = (worker(), worker());
    let (_, given_up) = world.start(me, &turn("one", "one")).await;
    let (_, kept) = world.start(me, &turn("two", "two")).await;
    let stale = conversations::Fence {
        attempt: 7,
        ..fence(&given_up)
    };
    assert!(!world.store.release_run(stale).await.unwrap());
    assert!(world.store.release_run(fence(&given_up)).await.unwrap());
    let taken = world.store.take_over_expired(other, 9).await.unwrap();
    let taken: Vec<_> = taken.iter().map(|run| (run.id, run.attempt)).collect();
    assert_eq!(taken, [(given_up.id, 2)]);
    let renewed = world.store.renew(me).await.unwrap();
    let ids: Vec<_> = renewed.iter().map(|run| run.run_id).collect();
    assert_eq!(ids, [kept.id]);
    assert!(!world.store.release_run(fence(&given_up)).await.unwrap());
}
