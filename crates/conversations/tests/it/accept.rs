//! Turns: started, refused, queued, repeated.

use conversations::{
    Acceptance, Cancellation, Error, IfMissing, MessageStatus, NewRun, Question, Role, RunStatus,
};
use serde_json::json;

use crate::harness::{ada, answered, fence, turn, worker, world};

#[tokio::test]
async fn a_started_run_has_its_thread_question_and_title() {
    let world = world().await;
    let mut new = turn("chat", "How much today? Tell me.");
    new.context = json!({ "site": "roof" }).as_object().cloned();
    new.context_defaults = json!({ "site": "garden", "inventory_id": "inv-1" })
        .as_object()
        .cloned();
    let (thread, run) = world.start(worker(), &new).await;
    assert_eq!(thread.name, "chat");
    assert_eq!(thread.assistant, "site");
    assert_eq!(thread.title.as_deref(), Some("How much today?"));
    assert_eq!(thread.context["inventory_id"], "inv-1");
    assert_eq!(thread.context["site"], "roof");
    assert_eq!((run.id, run.thread_id), (new.id, thread.id));
    assert_eq!((run.status, run.attempt), (RunStatus::Running, 1));
    assert_eq!(run.input.to_string(), new.input.to_string());
    assert_eq!(run.thread_name, "chat");
    assert_eq!(run.owner, ada());
    assert_eq!(world.store.run(&ada(), run.id).await.unwrap(), run);

    let messages = world.messages(thread.id).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].role, Role::User);
    assert_eq!(messages[0].text, "How much today? Tell me.");
    assert_eq!(messages[0].status, MessageStatus::Complete);
    assert_eq!(messages[0].run_id, Some(run.id));
}

#[tokio::test]
async fn the_title_stays_that_of_the_first_message() {
    let world = world().await;
    world.talk("chat", "First", "yes").await;
    let (thread, _) = world.talk("chat", "Second", "no").await;
    assert_eq!(thread.title.as_deref(), Some("First"));
    assert_eq!(
        world.said(thread.id).await,
        ["First", "yes", "Second", "no"]
    );
}

#[tokio::test]
async fn an_unknown_thread_is_made_only_if_asked() {
    let world = world().await;
    let new = NewRun {
        if_missing: IfMissing::Refuse,
        ..turn("chat", "Hi")
    };
    let refused = world.store.accept(&ada(), worker(), &new).await;
    assert!(matches!(refused, Err(Error::NotFound)));
    let nameless = NewRun {
        thread: None,
        ..new
    };
    let (thread, _) = world.start(worker(), &nameless).await;
    assert_eq!(thread.id, nameless.thread_id);
    assert_eq!(thread.name, nameless.thread_id.to_string());
}

#[tokio::test]
async fn of_many_turns_at_once_exactly_one_starts() {
    let world = world().await;
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..24 {
        let store = world.store.clone();
        let new = turn("chat", &number.to_string());
        tasks.spawn(async move { store.accept(&ada(), worker(), &new).await });
    }
    let mut started = Vec::new();
    let mut busy_with = Vec::new();
    for outcome in tasks.join_all().await {
        match outcome {
            Ok(Acceptance::Started { run, .. }) => started.push(run),
            Err(Error::Busy { run_id }) => busy_with.push(run_id),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(started.len(), 1);
    assert_eq!(busy_with, vec![started[0].id; 23]);
    assert_eq!(world.said(started[0].thread_id).await.len(), 1);
}

#[tokio::test]
async fn a_refused_turn_leaves_no_trace() {
    let world = world().await;
    let (before, _) = world.start(worker(), &turn("chat", "one")).await;
    let mut refused = turn("chat", "two");
    refused.context = json!({ "x": 1 }).as_object().cloned();
    let outcome = world.store.accept(&ada(), worker(), &refused).await;
    assert!(matches!(outcome, Err(Error::Busy { .. })));
    assert_eq!(world.store.thread(&ada(), "chat").await.unwrap(), before);
    assert_eq!(world.said(before.id).await, ["one"]);
}

#[tokio::test]
async fn waiting_turns_start_in_their_order() {
    let world = world().await;
    let me = worker();
    let (thread, first) = world.start(me, &turn("chat", "one")).await;
    let second = world.queue(me, "chat", "two").await;
    let third = world.queue(me, "chat", "three").await;
    assert_eq!((second.status, second.attempt), (RunStatus::Queued, 0));
    assert_eq!(second.fence(), None);
    // No turn overtakes another, and none starts beside another.
    let outcome = world.store.accept(&ada(), me, &turn("chat", "four")).await;
    assert!(matches!(outcome, Err(Error::Busy { run_id }) if run_id == first.id));
    assert_eq!(world.store.start_queued(me, thread.id).await.unwrap(), None);
    // The question of a waiting turn is not in the thread yet.
    assert_eq!(world.said(thread.id).await, ["one"]);

    world
        .store
        .finish(fence(&first), answered("1"))
        .await
        .unwrap();
    let outcome = world.store.accept(&ada(), me, &turn("chat", "four")).await;
    assert!(matches!(outcome, Err(Error::Busy { run_id }) if run_id == second.id));
    let started = world
        .store
        .start_queued(me, thread.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (started.id, started.status, started.attempt),
        (second.id, RunStatus::Running, 1)
    );
    assert_eq!(world.store.start_queued(me, thread.id).await.unwrap(), None);
    world
        .store
        .finish(fence(&started), answered("2"))
        .await
        .unwrap();
    let started = world
        .store
        .start_queued(me, thread.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(started.id, third.id);
    assert_eq!(
        world
            .store
            .latest_run(&ada(), thread.id)
            .await
            .unwrap()
            .unwrap()
            .id,
        third.id
    );
    assert_eq!(
        world
            .store
            .active_run(&ada(), thread.id)
            .await
            .unwrap()
            .unwrap()
            .id,
        third.id
    );
    assert_eq!(
        world.said(thread.id).await,
        ["one", "1", "two", "2", "three"]
    );
}

#[tokio::test]
async fn of_many_who_start_the_next_turn_one_does() {
    let world = world().await;
    let me = worker();
    let (thread, first) = world.start(me, &turn("chat", "one")).await;
    for text in ["two", "three"] {
        world.queue(me, "chat", text).await;
    }
    world
        .store
        .finish(fence(&first), answered("1"))
        .await
        .unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let store = world.store.clone();
        tasks.spawn(async move { store.start_queued(worker(), thread.id).await.unwrap() });
    }
    let started: Vec<_> = tasks.join_all().await.into_iter().flatten().collect();
    assert_eq!(started.len(), 1);
    assert_eq!(started[0].question.as_ref().unwrap().text, "two");
}

#[tokio::test]
async fn a_waiting_turn_can_be_called_off() {
    let world = world().await;
    let me = worker();
    let (thread, first) = world.start(me, &turn("chat", "one")).await;
    let second = world.queue(me, "chat", "two").await;
    let cancelled = world.store.request_cancel(&ada(), second.id).await.unwrap();
    assert_eq!(cancelled, Cancellation::Ended);
    let again = world.store.request_cancel(&ada(), second.id).await.unwrap();
    assert_eq!(again, Cancellation::Already(RunStatus::Cancelled));
    world
        .store
        .finish(fence(&first), answered("1"))
        .await
        .unwrap();
    assert_eq!(world.store.start_queued(me, thread.id).await.unwrap(), None);
    assert_eq!(world.said(thread.id).await, ["one", "1"]);
}

#[tokio::test]
async fn a_client_may_use_a_message_id_again() {
    let world = world().await;
    let question = |text: &str| NewRun {
        question: Some(Question {
            id: Some("m-1".into()),
            text: text.into(),
        }),
        ..turn("chat", text)
    };
    let (thread, first) = world.start(worker(), &question("one")).await;
    world
        .store
        .finish(fence(&first), answered("1"))
        .await
        .unwrap();
    let (_, second) = world.start(worker(), &question("one, again")).await;
    let ids: Vec<String> = world
        .messages(thread.id)
        .await
        .into_iter()
        .map(|m| m.id)
        .collect();
    assert_eq!(
        ids,
        [
            "m-1".into(),
            first.message_id,
            format!("question_{}", second.id)
        ]
    );
}

#[tokio::test]
async fn a_turn_without_a_question_answers_an_older_one() {
    let world = world().await;
    world.talk("chat", "one", "1").await;
    let again = NewRun {
        question: None,
        ..turn("chat", "")
    };
    let (thread, run) = world.start(worker(), &again).await;
    world
        .store
        .finish(fence(&run), answered("1, better"))
        .await
        .unwrap();
    assert_eq!(world.said(thread.id).await, ["one", "1", "1, better"]);
}

#[tokio::test]
async fn a_character_that_can_not_be_stored_costs_no_message() {
    let world = world().await;
    let mut new = turn("chat", "a\0b \u{2028}🌞");
    new.input = json!({ "text": "a\0b" });
    let (thread, run) = world.start(worker(), &new).await;
    assert_eq!(run.input["text"], "a\0b");
    world
        .store
        .finish(fence(&run), answered("c\0d"))
        .await
        .unwrap();
    assert_eq!(
        world.said(thread.id).await,
        ["a\u{fffd}b \u{2028}🌞", "c\u{fffd}d"]
    );
}

#[tokio::test]
async fn busy_threads_are_told_with_the_run_that_has_them() {
    let world = world().await;
    let me = worker();
    let (idle, _) = world.talk("idle", "one", "1").await;
    let (running, run) = world.start(me, &turn("running", "one")).await;
    world.queue(me, "running", "two").await;
    let (waiting, ended) = world.start(me, &turn("waiting", "one")).await;
    let next = world.queue(me, "waiting", "two").await;
    world.queue(me, "waiting", "three").await;
    world
        .store
        .finish(fence(&ended), answered("1"))
        .await
        .unwrap();
    let ids = [idle.id, running.id, waiting.id];
    let mut busy = world.store.active_runs(&ada(), &ids).await.unwrap();
    busy.sort_unstable();
    let mut expected = vec![(running.id, run.id), (waiting.id, next.id)];
    expected.sort_unstable();
    assert_eq!(busy, expected);
}
