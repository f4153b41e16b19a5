//! Threads as AI SDK clients open them again.

use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{ALICE, Answer, BOB, Call, Replica, World, chat, message, read};

async fn page(replica: &Replica, query: &str) -> Value {
    let path = format!("/v1/threads/t/ui-messages{query}");
    let (status, page) = replica.json(ALICE, Call::get(path)).await;
    assert_eq!(status, StatusCode::OK, "{page}");
    page
}

async fn messages(replica: &Replica) -> Vec<Value> {
    let page = page(replica, "").await;
    page["messages"].as_array().unwrap().clone()
}

/// The parts that a client of the stream has at its end.
fn parts_of(answer: &Answer) -> Vec<Value> {
    let mut parts: Vec<Value> = Vec::new();
    for frame in answer.frames() {
        let kind = frame["type"].as_str().unwrap();
        let mut part = frame.clone();
        match kind {
            "start-step" => parts.push(json!({ "type": "step-start" })),
            "text-start" => {
                parts.push(json!({ "type": "text", "text": "", "state": "streaming" }));
            }
            "text-delta" | "text-end" => {
                let text = parts.iter_mut().rfind(|part| part["type"] == "text");
                let text = text.unwrap();
                if kind == "text-end" {
                    text["state"] = json!("done");
                } else {
                    let said = text["text"].as_str().unwrap().to_owned();
                    text["text"] = json!(said + frame["delta"].as_str().unwrap());
                }
            }
            "tool-input-available" => {
                let members = part.as_object_mut().unwrap();
                let name = members.remove("toolName").unwrap();
                members["type"] = json!(format!("tool-{}", name.as_str().unwrap()));
                members.insert("state".into(), json!("input-available"));
                parts.push(part);
            }
            "tool-output-available" => {
                let mut calls = parts.iter_mut();
                let call = calls.find(|part| part["toolCallId"] == frame["toolCallId"]);
                let call = call.unwrap();
                call["state"] = json!("output-available");
                call["output"] = frame["output"].clone();
            }
            "data-status" => {}
            kind if kind.starts_with("data-") => parts.push(part),
            _ => {}
        }
    }
    parts
}

fn asks_again(text: &str) -> Call {
    let body = json!({
        "id": "t", "trigger": "regenerate-message",
        "messages": [{ "id": "q1", "role": "user", "parts": [{ "type": "text", "text": text }] }],
    });
    Call::post("/ai/chat", &body)
}

/// The client's own message with its picker answered.
fn answers(message: &Value, answer: &Value) -> Call {
    let mut message = message.clone();
    let parts = message["parts"].as_array_mut().unwrap();
    let mut pickers = parts.iter_mut();
    let picker = pickers.find(|part| part["type"] == "tool-request_user_selection");
    let picker = picker.unwrap().as_object_mut().unwrap();
    picker.extend(answer.as_object().unwrap().clone());
    let body = json!({ "id": "t", "messageId": message["id"], "messages": [message] });
    Call::post("/ai/chat", &body)
}

#[tokio::test]
async fn a_thread_is_opened_again_as_its_client_left_it_also_without_its_events() {
    let world = World::new().await;
    let replica = world.replica();
    let first = replica
        .whole(ALICE, chat("t", "one two tool:sun three warn:rain four"))
        .await;
    let second = replica
        .whole(ALICE, message("t", "five call:tool vanish"))
        .await;
    sqlx::query("DELETE FROM orchestrator.run_events")
        .execute(world.database.pool())
        .await
        .unwrap();
    let messages = messages(&replica).await;
    let roles: Vec<_> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
    assert_eq!(
        messages[0]["parts"],
        json!([{ "type": "text", "text": "one two tool:sun three warn:rain four" }])
    );
    let start = &first.frames()[0];
    assert_eq!(messages[1]["id"], start["messageId"]);
    assert_eq!(messages[1]["parts"], Value::from(parts_of(&first)));
    let metadata = &messages[1]["metadata"];
    assert_eq!(
        (
            &metadata["threadId"],
            &metadata["runId"],
            &metadata["source"],
            &metadata["status"]
        ),
        (
            &json!("t"),
            &json!(first.run_id),
            &json!("rules"),
            &json!("complete")
        )
    );
    assert!(metadata["createdAt"].is_string() && metadata.get("partial").is_none());
    let metadata = &messages[3]["metadata"];
    assert_eq!(
        (
            &metadata["runId"],
            &metadata["status"],
            &metadata["partial"]
        ),
        (&json!(second.run_id), &json!("partial"), &json!(true))
    );
    assert_eq!(metadata["error"]["code"], "internal");
    let call = &messages[3]["parts"].as_array().unwrap()[1];
    assert_eq!(
        (&call["type"], &call["state"], &call["output"]["status"]),
        (
            &json!("tool-tool"),
            &json!("output-available"),
            &json!("error")
        ),
        "what was open is closed"
    );
}

#[tokio::test]
async fn a_picker_answered_in_its_place_is_one_message_with_what_followed() {
    let world = World::new().await;
    let replica = world.replica();
    for (state, expected) in [
        (
            json!({ "state": "output-available", "output": ["a"] }),
            json!(["a"]),
        ),
        (
            json!({ "state": "output-error", "errorText": "Closed." }),
            json!(null),
        ),
    ] {
        let asked = replica
            .whole(ALICE, chat("t", "which ask:request_user_selection"))
            .await;
        let before = messages(&replica).await.pop().unwrap();
        assert_eq!(before["parts"], Value::from(parts_of(&asked)));
        let answered = replica.whole(ALICE, answers(&before, &state)).await;
        assert_eq!(answered.frames()[0]["messageId"], before["id"]);
        let after = messages(&replica).await.pop().unwrap();
        assert_eq!(after["id"], before["id"]);
        assert_eq!(after["metadata"]["runId"], answered.run_id);
        let mut parts = before["parts"].as_array().unwrap().clone();
        let picker = parts.last_mut().unwrap().as_object_mut().unwrap();
        picker.extend(state.as_object().unwrap().clone());
        assert_eq!(picker.get("output").cloned().unwrap_or_default(), expected);
        parts.extend(parts_of(&answered));
        assert_eq!(after["parts"], Value::from(parts));
    }
}

#[tokio::test]
async fn an_answer_that_was_asked_for_anew_takes_the_place_of_the_first() {
    let world = World::new().await;
    let replica = world.replica();
    replica.whole(ALICE, chat("t", "hello")).await;
    let again = replica.whole(ALICE, asks_again("hello")).await;
    let messages = messages(&replica).await;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1]["metadata"]["runId"], again.run_id);
    assert_eq!(messages[1]["parts"], Value::from(parts_of(&again)));
}

#[tokio::test]
async fn pages_of_any_size_give_every_message_once_and_whole() {
    let world = World::new().await;
    let replica = world.replica();
    for index in 0..3 {
        let text = format!("which{index} ask:request_user_selection");
        replica.whole(ALICE, chat("t", &text)).await;
        let asked = messages(&replica).await.pop().unwrap();
        let choice = json!({ "state": "output-available", "output": "a" });
        replica.whole(ALICE, answers(&asked, &choice)).await;
    }
    replica.whole(ALICE, chat("t", "again")).await;
    replica.whole(ALICE, asks_again("again")).await;
    let all = messages(&replica).await;
    assert_eq!(all.len(), 8);
    for limit in 1..=9 {
        let mut back: Vec<Value> = Vec::new();
        let mut query = format!("?limit={limit}");
        loop {
            let read = page(&replica, &query).await;
            let messages = read["messages"].as_array().unwrap().clone();
            assert!(messages.len() <= limit);
            back.splice(0..0, messages);
            if read["has_more"] == false {
                break;
            }
            query = format!("?limit={limit}&before={}", read["first_seq"]);
        }
        assert_eq!(back, all, "back by {limit}");
        let mut on: Vec<Value> = Vec::new();
        let mut query = format!("?limit={limit}&after=0");
        loop {
            let read = page(&replica, &query).await;
            on.extend(read["messages"].as_array().unwrap().clone());
            if read["has_more"] == false {
                break;
            }
            query = format!("?limit={limit}&after={}", read["last_seq"]);
        }
        assert_eq!(on, all, "on by {limit}");
    }
}

#[tokio::test]
async fn answers_from_before_transcripts_are_told_with_their_words_and_calls() {
    let world = World::new().await;
    let replica = world.replica();
    let told = replica.whole(ALICE, chat("t", "one tool:sun two")).await;
    sqlx::query("UPDATE orchestrator.messages SET transcript = NULL")
        .execute(world.database.pool())
        .await
        .unwrap();
    let answer = messages(&replica).await.pop().unwrap();
    let parts = answer["parts"].as_array().unwrap();
    let kinds: Vec<_> = parts
        .iter()
        .map(|part| part["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["step-start", "tool-sun", "step-start", "text"]);
    assert_eq!(parts[1]["output"]["result"], "sun");
    assert_eq!(parts[3]["text"], "one two");
    assert_eq!(answer["metadata"]["runId"], told.run_id);
}

#[tokio::test]
async fn nobody_opens_the_thread_of_another() {
    let world = World::new().await;
    let replica = world.replica();
    replica.whole(ALICE, chat("t", "hello")).await;
    let call = || Call::get("/v1/threads/t/ui-messages");
    let (status, _) = read(replica.call(BOB, call()).await).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    let both = Call::get("/v1/threads/t/ui-messages?before=1&after=1");
    let (status, problem) = replica.json(ALICE, both).await;
    assert_eq!(
        (status, &problem["errors"][0]["pointer"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("/after"))
    );
}
