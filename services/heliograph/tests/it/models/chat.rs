//! Free chat that acts.

use contracts::bff::TokenResponse;
use contracts::chat::UiMessageChunk;
use contracts::run::Source;
use futures::StreamExt;
use serde_json::{Value, json};
use test_support::provider::{Call, Gate, ModelServer, Script, Seen, SeenMessage, Turn};
use test_support::sse::Capture;

use super::{CURVE, is_chat, outputs, source, warnings};
use crate::demo_stack::{DemoStack, PASSWORD, Reply, ask};

fn curve(logger: &str) -> Call {
    Call::new(
        "get_power_curve",
        json!({"logger_id": logger, "date": "2025-11-29"}),
    )
}

fn in_round(round: usize) -> impl FnMut(&Seen) -> bool + Send {
    move |seen| is_chat(seen) && seen.rounds() == round
}

/// A sentence is with the person before its provider has the next one. One with a figure that names
/// no fact is left out.
pub(super) async fn words_come_as_they_are_spoken(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let first = Gate::new();
    let pieces = [
        "Let me",
        " look.",
        " There",
        " are ",
        "999",
        " devices",
        " in",
        " all",
        ". Good",
        " evening.",
    ];
    let slow = Turn::chunks(pieces).wait_after(3, &first);
    server.play(Script::new().when(is_chat, slow));
    let mut stream = Box::pin(user.ask(CURVE, "t-slow").await.unwrap());
    let mut said = String::new();
    while said != "Let me look." {
        let chunk = stream.next().await.unwrap().unwrap();
        if let UiMessageChunk::TextDelta { delta, .. } = chunk {
            said.push_str(&delta);
        }
    }
    first.reached().await;
    first.open();
    while let Some(chunk) = stream.next().await {
        if let UiMessageChunk::TextDelta { delta, .. } = chunk.unwrap() {
            assert!(!delta.contains("999"), "{delta}");
            said.push_str(&delta);
        }
    }
    assert!(said.starts_with("Let me look. Good evening."), "{said}");
    server.assert_accepted();
}

/// Two calls at once, then another, then words.
pub(super) async fn two_rounds(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let script = Script::new()
        .when(
            in_round(0),
            Turn::calls([Call::new("list_loggers", json!({})), curve("GW-INV-001")])
                .saying("Let me look."),
        )
        .when(
            in_round(1),
            Turn::calls([Call::new("get_fleet_overview", json!({}))]),
        )
        .when(in_round(2), Turn::text("[[s1]]"));
    server.play(script);
    let reply = ask(&user, "t-rounds", CURVE).await;
    assert_eq!(
        reply.tools(),
        ["list_loggers", "get_power_curve", "get_fleet_overview"],
        "{reply:?}"
    );
    // What has to be said of the curve is said, whatever the model says.
    assert!(reply.text().contains("5.23 kW"), "{}", reply.text());
    assert_eq!((source(&reply), warnings(&reply)), (Source::Model, vec![]));
    for tool in reply.tools() {
        assert_eq!(outputs(&reply, tool)[0]["status"], "ok");
    }
    // The page gets the whole curve, the model a summary.
    let whole = outputs(&reply, "get_power_curve")[0].to_string().len();
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    let told = seen[1].results();
    assert_eq!(told.len(), 2);
    assert!(told[1].to_string().len() * 4 < whole, "{}", told[1]);
    server.assert_accepted();

    // The next turn knows of this one.
    server.play(Script::new().when(is_chat, Turn::text("It was GW-INV-001.")));
    let reply = ask(&user, "t-rounds", "power curve of which one was that?").await;
    assert!(!reply.text().is_empty());
    server.assert_accepted();
}

fn picker() -> Turn {
    let options = json!([
        {"value": "GW-INV-001", "label": "GoodWe"}, {"value": "LTI-INV-001", "label": "LTI"},
    ]);
    Turn::call(
        "request_user_selection",
        json!({"prompt": "Which one?", "options": options, "selectionType": "single", "inputType": "dropdown"}),
    )
}

/// A question of the model's own: answered in words, answered by the client's tool output, and not
/// answered.
pub(super) async fn pickers(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let answered = || {
        Script::new()
            .when(|seen| is_chat(seen) && !asked(seen), picker())
            .when(is_chat, Turn::text("Thank you."))
    };
    for way in ["t-text", "t-output", "t-ignored"] {
        server.play(answered());
        let question = ask(&user, way, CURVE).await;
        assert_eq!(question.picker().prompt, "Which one?", "{question:?}");
        assert_eq!(
            outputs(&question, "request_user_selection"),
            Vec::<&Value>::new()
        );
        let reply = match way {
            "t-text" => ask(&user, way, "Selected: GW-INV-001").await,
            "t-output" => select(stack, way, &question, json!({"selection": "GW-INV-001"})).await,
            _ => ask(&user, way, CURVE).await,
        };
        // A courtesy does not answer what the rules can answer.
        assert!(
            reply.text().starts_with("Thank you.") && reply.text().contains("GW-INV-001"),
            "{way}: {reply:?}"
        );
        assert_eq!(source(&reply), Source::Rules, "{way}");
        let told = server.seen().pop().unwrap().messages;
        let chosen = told.iter().any(|message| {
            matches!(message, SeenMessage::Tool { output, .. } if output.to_string().contains("GW-INV-001"))
        });
        assert_eq!(chosen, way != "t-ignored", "{way}: {told:#?}");
        server.assert_accepted();
    }
}

/// Whether the conversation has the picker's call already.
fn asked(seen: &Seen) -> bool {
    seen.messages.iter().any(|message| {
        matches!(message, SeenMessage::Assistant { calls, .. } if calls.iter().any(|call| call.name == "request_user_selection"))
    })
}

/// Answers the open picker as an AI SDK client's `addToolOutput` does.
async fn select(stack: &DemoStack, thread: &str, question: &Reply, output: Value) -> Reply {
    let (message_id, call_id, input) = open_call(question);
    let body = json!({
        "id": thread, "trigger": "submit-message", "messageId": message_id,
        "messages": [{"id": message_id, "role": "assistant", "parts": [{
            "type": "tool-request_user_selection", "toolCallId": call_id, "state": "output-available",
            "input": input, "output": output,
        }]}],
    });
    let credentials = json!({"username": "demo", "password": PASSWORD});
    let bff = &stack.services.bff_url;
    let tokens = stack
        .http
        .post(format!("{bff}/auth/token"))
        .json(&credentials)
        .send()
        .await
        .unwrap();
    let tokens: TokenResponse = tokens.json().await.unwrap();
    let answer = stack
        .http
        .post(format!("{bff}/api/chat"))
        .bearer_auth(tokens.access_token)
        .json(&body);
    let stream = answer
        .send()
        .await
        .unwrap()
        .error_for_status()
        .unwrap()
        .text()
        .await
        .unwrap();
    let capture = Capture::parse_run(stream).unwrap();
    let chunks = capture
        .events()
        .filter(|event| event.data != "[DONE]")
        .map(|event| serde_json::from_value(event.json().unwrap()).unwrap());
    Reply {
        chunks: chunks.collect(),
    }
}

fn open_call(question: &Reply) -> (String, String, Value) {
    let mut message_id = String::new();
    for chunk in &question.chunks {
        match chunk {
            UiMessageChunk::Start { message_id: id, .. } => message_id = id.to_string(),
            UiMessageChunk::ToolInputAvailable {
                tool_call_id,
                tool_name,
                input,
                ..
            } if tool_name == "request_user_selection" => {
                return (
                    message_id,
                    tool_call_id.to_string(),
                    input.clone().into_owned(),
                );
            }
            _ => {}
        }
    }
    panic!("no question in {question:?}")
}

/// A tool that does not exist, arguments that are not valid: the model gets an error, and
/// continues.
pub(super) async fn wrong_calls(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    let wrong = [
        Call::new("fly_to_the_moon", json!({})),
        Call::broken("get_power_curve", "{\"logger_id\": \"GW-INV-001"),
        Call::new("get_power_curve", json!({"logger": 7})),
        curve("GW-INV-001"),
    ];
    let script = Script::new()
        .when(in_round(0), Turn::calls(wrong))
        .when(in_round(1), Turn::text("[[s1]]"));
    server.play(script);
    let reply = ask(&user, "t-wrong-calls", CURVE).await;
    assert!(reply.text().contains("GW-INV-001"), "{reply:?}");
    let seen = server.seen();
    let told = seen[1].results();
    assert_eq!(told.len(), 4);
    for refused in &told[..3] {
        assert!(refused.to_string().contains("refused"), "{refused}");
    }
    assert!(
        told[0].to_string().contains("no tool of this name"),
        "{}",
        told[0]
    );
    assert!(told[2].to_string().contains("logger"), "{}", told[2]);
    assert!(told[3].to_string().contains("ok"), "{}", told[3]);
    server.assert_accepted();
}

/// A model that never stops calling, and one that calls fifty tools at once.
pub(super) async fn limits(stack: &DemoStack, server: &ModelServer) {
    let user = stack.demo_user().await;
    server.play(Turn::calls([Call::new("list_loggers", json!({}))]));
    let reply = ask(&user, "t-endless", CURVE).await;
    assert!(!reply.text().is_empty(), "{reply:?}");
    assert!(warnings(&reply).contains(&"model_limited"), "{reply:?}");
    let asked = server.counts().requests;
    assert!((2..=16).contains(&asked), "{asked}");
    server.assert_accepted();

    let fifty = (0..50).map(|_| curve("GW-INV-001"));
    let script = Script::new()
        .when(in_round(0), Turn::calls(fifty))
        .when(is_chat, Turn::text("That is the same fifty times."));
    server.play(script);
    let reply = ask(&user, "t-fifty", CURVE).await;
    assert!(reply.text().contains("GW-INV-001"), "{reply:?}");
    assert_eq!(server.seen()[1].results().len(), 50);
    server.assert_accepted();
}
