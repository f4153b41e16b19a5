//! Two messages at once, and the same message twice.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{ALICE, BOB, Call, World, chat};

fn enqueued(thread: &str, text: &str) -> Call {
    let message = json!({ "role": "user", "content": text });
    Call::post(
        "/ai/chat",
        &json!({ "threadId": thread, "messages": [message], "multitask_strategy": "enqueue" }),
    )
}

#[tokio::test]
async fn a_second_message_on_a_busy_thread_is_refused() {
    let world = World::new().await;
    let replica = world.replica();
    let mut first = replica.open(ALICE, chat("t", "begin wait:gate")).await;
    first.until("begin").await;
    let (status, problem) = replica.json(ALICE, chat("t", "too soon")).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::CONFLICT, &json!("conflict"))
    );
    let (_, thread) = replica.json(ALICE, Call::get("/v1/threads/t")).await;
    assert_eq!(
        (&thread["status"], &thread["active_run_id"]),
        (&json!("busy"), &json!(first.run_id))
    );
    // Another user's thread of that name is another thread.
    assert!(
        replica
            .whole(BOB, chat("t", "mine"))
            .await
            .text()
            .contains("mine")
    );
    world.gates.open("gate");
    first.rest().await;
    let (_, page) = replica
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    assert_eq!(
        page["messages"].as_array().unwrap().len(),
        2,
        "what was refused is not stored"
    );
}

#[tokio::test]
async fn messages_that_wait_are_answered_in_their_order() {
    let world = World::new().await;
    let replica = world.replica();
    let mut first = replica.open(ALICE, chat("t", "one wait:gate")).await;
    first.until("one").await;
    let second = replica.open(ALICE, enqueued("t", "two")).await;
    let third = replica.open(ALICE, enqueued("t", "three")).await;
    let (_, run) = replica
        .json(ALICE, Call::get(format!("/v1/runs/{}", third.run_id)))
        .await;
    assert_eq!(run["status"], "queued");
    world.gates.open("gate");
    let (first, second, third) = tokio::join!(first.rest(), second.rest(), third.rest());
    assert_eq!(
        (first.text(), second.text(), third.text()),
        ("one ".into(), "two ".into(), "three ".into())
    );
    let (_, page) = replica
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    let texts: Vec<&str> = page["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["one wait:gate", "one", "two", "two", "three", "three"]
    );
}

#[tokio::test]
async fn a_message_that_waits_can_be_stopped() {
    let world = World::new().await;
    let replica = world.replica();
    let mut first = replica.open(ALICE, chat("t", "one wait:gate")).await;
    first.until("one").await;
    let second = replica.open(ALICE, enqueued("t", "two")).await;
    let cancel = Call::post(format!("/v1/runs/{}/cancel", second.run_id), &json!({}));
    let (_, run) = replica.json(ALICE, cancel).await;
    assert_eq!(run["status"], "cancelled");
    let second = second.rest().await;
    assert_eq!(second.types(), ["start", "data-warning", "finish"]);
    world.gates.open("gate");
    first.rest().await;
    let (_, page) = replica
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    assert_eq!(page["messages"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_same_key_and_message_is_one_run() {
    let world = World::new().await;
    let replica = world.replica();
    let keyed = |text: &str| chat("t", text).header("idempotency-key", &"k1");
    let mut first = replica.open(ALICE, keyed("one wait:gate two")).await;
    first.until("one").await;
    let again = replica.open(ALICE, keyed("one wait:gate two")).await;
    assert_eq!(first.run_id, again.run_id);
    world.gates.open("gate");
    let (first, again) = tokio::join!(first.rest(), again.rest());
    assert_eq!(
        first.capture.events().count(),
        again.capture.events().count()
    );
    let late = replica.whole(ALICE, keyed("one wait:gate two")).await;
    assert_eq!(late.capture, first.capture, "replayed from its first event");
    let (status, problem) = replica.json(ALICE, keyed("another")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let elsewhere = chat("t", "one wait:gate two").header("idempotency-key", &"k1");
    let other = replica.whole(BOB, elsewhere).await;
    assert_ne!(other.run_id, late.run_id, "keys are their owner's");
    let (_, page) = replica
        .json(ALICE, Call::get("/v1/threads/t/messages"))
        .await;
    assert_eq!(page["messages"].as_array().unwrap().len(), 2);
    let bad = chat("t", "x").header("idempotency-key", &"k".repeat(300));
    assert_eq!(
        replica.call(ALICE, bad).await.status(),
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn more_runs_than_there_is_room_for_are_refused() {
    let world = World::new().await;
    let mut config = world.config();
    config.runs.max_concurrent = 1;
    let replica = world.replica_with(config);
    let mut first = replica.open(ALICE, chat("one", "begin wait:gate")).await;
    first.until("begin").await;
    let (status, problem) = replica.json(ALICE, chat("two", "hello")).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{problem}");
    world.gates.open("gate");
    first.rest().await;
    let (_, page) = replica.json(ALICE, Call::get("/v1/threads")).await;
    let names: Vec<&Value> = page["threads"]
        .as_array()
        .unwrap()
        .iter()
        .map(|thread| &thread["thread_id"])
        .collect();
    assert_eq!(names, ["one"]);
}
