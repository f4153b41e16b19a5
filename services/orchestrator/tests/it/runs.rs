//! A run from its message to its end.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{ALICE, Call, Stream, World, agent, chat, eventually, message};

async fn messages(replica: &crate::bench::Replica, thread: &str) -> Vec<Value> {
    let (status, page) = replica
        .json(ALICE, Call::get(format!("/v1/threads/{thread}/messages")))
        .await;
    assert_eq!(status, StatusCode::OK, "{page}");
    page["messages"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_answer_is_stored_before_its_end_is_told() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = replica
        .open(ALICE, chat("t", "Good morning tool:sun"))
        .await;
    stream.until("\"type\":\"finish\"").await;
    let stored = messages(&replica, "t").await;
    assert_eq!(stored.len(), 2);
    assert_eq!(stored[0]["text"], "Good morning tool:sun");
    assert_eq!(stored[1]["text"], "Good morning");
    assert_eq!(stored[1]["status"], "complete");
    assert_eq!(stored[1]["run_id"], stream.run_id);
    assert_eq!(stored[1]["tools_used"][0]["status"], "success");
    let (_, run) = replica
        .json(ALICE, Call::get(format!("/v1/runs/{}", stream.run_id)))
        .await;
    assert_eq!(run["status"], "completed");
    assert_eq!(run["message_id"], stored[1]["message_id"]);
    let (_, thread) = replica.json(ALICE, Call::get("/v1/threads/t")).await;
    assert_eq!(
        (&thread["title"], &thread["status"]),
        (&json!("Good morning tool:sun"), &json!("idle"))
    );
    assert_eq!(stream.rest().await.finish_reason().as_deref(), Some("stop"));
}

#[tokio::test]
async fn each_dialect_answers_and_ends_with_one_terminal_event() {
    let world = World::new().await;
    let replica = world.replica();
    let ui = replica.whole(ALICE, chat("ui", "one two")).await;
    assert_eq!(ui.text(), "one two ");
    assert_eq!(ui.events().last().unwrap().data, "[DONE]");
    let agent = replica
        .whole(ALICE, agent("agent", "one two"))
        .await
        .frames();
    assert_eq!(agent.last().unwrap()["event"], "complete");
    let named = replica.whole(ALICE, message("named", "one two")).await;
    let done = named.events().pop().unwrap();
    assert_eq!(done.event.as_deref(), Some("done"));
    let done = done.json().unwrap();
    assert_eq!(
        (&done["ok"], &done["history_saved"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(done["thread_id"], "named");
    let failed = replica.whole(ALICE, message("named", "well fail")).await;
    let ends: Vec<String> = failed
        .events()
        .into_iter()
        .filter_map(|event| event.event)
        .collect();
    assert_eq!(ends[ends.len() - 2..], ["error", "done"]);
}

#[tokio::test]
async fn a_message_without_a_thread_makes_one_and_tells_its_id() {
    let world = World::new().await;
    let replica = world.replica();
    let stream = replica
        .open(
            ALICE,
            Call::post("/v1/messages", &json!({ "content": "hello" })),
        )
        .await;
    let thread = stream.thread_id.clone();
    stream.rest().await;
    assert_eq!(messages(&replica, &thread).await.len(), 2);
    let again = message(&thread, "again history");
    assert!(
        replica
            .whole(ALICE, again)
            .await
            .events()
            .iter()
            .any(|event| event.data.contains("[hello|hello]"))
    );
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_end_the_run() {
    let world = World::new().await;
    let replica = world.replica();
    let mut stream = replica.open(ALICE, chat("t", "begin wait:gate end")).await;
    stream.until("begin").await;
    drop(stream);
    world.gates.open("gate");
    eventually("the answer is stored", async || {
        messages(&replica, "t").await.len() == 2
    })
    .await;
    let stored = messages(&replica, "t").await;
    assert_eq!(
        (&stored[1]["text"], &stored[1]["status"]),
        (&json!("begin end"), &json!("complete"))
    );
}

#[tokio::test]
async fn a_client_that_goes_away_before_its_answer_begins_leaves_no_run_behind() {
    let world = World::new().await;
    let replica = world.replica();
    for number in 0..10 {
        let thread = format!("t{number}");
        let request = replica.call(ALICE, chat(&thread, "hello"));
        // Dropped wherever it is after this time.
        let _ = tokio::time::timeout(std::time::Duration::from_micros(number * 400), request).await;
    }
    eventually("no run is left", async || {
        let (_, page) = replica.json(ALICE, Call::get("/v1/threads")).await;
        let threads = page["threads"].as_array().unwrap();
        threads.iter().all(|thread| thread["status"] == "idle")
    })
    .await;
}

#[tokio::test]
async fn a_slow_client_holds_up_nobody() {
    let world = World::new().await;
    let replica = world.replica();
    let long: Vec<String> = (0..800).map(|number| format!("w{number}")).collect();
    let response = replica.call(ALICE, chat("t", &long.join(" "))).await;
    // No client reads it. The run ends nevertheless, and another client reads all of it.
    eventually("the run ends", async || {
        messages(&replica, "t").await.len() == 2
    })
    .await;
    assert!(
        replica
            .whole(ALICE, chat("t", "next"))
            .await
            .text()
            .contains("next")
    );
    let late = Stream::of(response).await.rest().await;
    assert_eq!(late.text().trim(), long.join(" "));
}

#[tokio::test]
async fn a_quiet_run_gives_signs_of_life() {
    let world = World::new().await;
    let mut config = world.config();
    config.runs.keep_alive_ms = 20;
    let replica = world.replica_with(config);
    let mut stream = replica.open(ALICE, chat("t", "wait:gate done")).await;
    stream.until("text-start").await;
    stream.until_comment().await;
    world.gates.open("gate");
    let answer = stream.rest().await;
    assert_eq!(answer.text(), "done ");
}

#[tokio::test]
async fn a_picker_answered_in_place_goes_on_with_its_message() {
    let world = World::new().await;
    let replica = world.replica();
    let asked = replica.whole(ALICE, chat("t", "which ask:one")).await;
    let start = &asked.frames()[0];
    let call = asked
        .frames()
        .iter()
        .find_map(|frame| frame["toolCallId"].as_str().map(str::to_owned))
        .unwrap();
    let part = json!({ "type": "tool-request_user_selection", "toolCallId": call, "state": "output-available", "input": {}, "output": { "selection": "A" } });
    let body = json!({ "id": "t", "messages": [{ "id": start["messageId"], "role": "assistant", "parts": [part] }] });
    let answer = replica.whole(ALICE, Call::post("/ai/chat", &body)).await;
    assert_eq!(answer.frames()[0]["messageId"], start["messageId"]);
    assert!(answer.text().contains("selection"));
    let stored = messages(&replica, "t").await;
    let roles: Vec<&str> = stored
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "assistant"]);
}

#[tokio::test]
async fn an_answer_written_again_has_its_question_once() {
    let world = World::new().await;
    let replica = world.replica();
    replica.whole(ALICE, chat("t", "hello")).await;
    let body = json!({ "id": "t", "trigger": "regenerate-message", "messages": [{ "id": "u1", "role": "user", "parts": [{ "type": "text", "text": "hello" }] }] });
    let again = replica.whole(ALICE, Call::post("/ai/chat", &body)).await;
    assert_eq!(again.text(), "hello ");
    let stored = messages(&replica, "t").await;
    let roles: Vec<&str> = stored
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "assistant"]);
}

#[tokio::test]
async fn any_text_survives_storage_and_every_dialect() {
    let world = World::new().await;
    let replica = world.replica();
    let odd = "a\u{2028}b\u{85}c\"d\\e\u{1f600}f\u{1}g";
    assert_eq!(
        replica.whole(ALICE, chat("t", odd)).await.text().trim(),
        odd
    );
    let named = replica.whole(ALICE, message("n", odd)).await;
    let said: String = named
        .frames()
        .iter()
        .filter_map(|frame| frame["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(said.trim(), odd);
    let stored = messages(&replica, "t").await;
    assert_eq!(stored[1]["text"], odd);
    // PostgreSQL keeps no U+0000 in a text.
    let (status, problem) = replica.json(ALICE, chat("t", "a\u{0}b")).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(problem["errors"][0]["pointer"], "/messages/0/content");
}
