//! Anthropic's messages.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::{DecodedAnswer, DecodedCall, answers, check_answers, check_cut_off};
use crate::wire::testing::model;
use crate::wire::{ANTHROPIC_MESSAGES, ChatWire};
use crate::{ErrorKind, FinishReason, Usage};

/// Reads the whole body at once.
pub(super) fn fold(body: &str) -> DecodedAnswer {
    let events: Vec<Value> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let of_type = |name: &'static str| events.iter().filter(move |event| event["type"] == name);
    let deltas = |kind: &'static str, member: &'static str| -> String {
        of_type("content_block_delta")
            .map(|event| &event["delta"])
            .filter(|delta| delta["type"] == kind)
            .map(|delta| delta[member].as_str().unwrap())
            .collect()
    };
    let calls: Vec<_> = of_type("content_block_start")
        .filter(|event| event["content_block"]["type"] == "tool_use")
        .map(|event| called(event, &events))
        .collect();
    let start = &of_type("message_start").next().unwrap()["message"];
    let end = of_type("message_delta").next_back().unwrap();
    assert!(of_type("message_stop").next().is_some());
    DecodedAnswer {
        text: deltas("text_delta", "text"),
        reasoning: deltas("thinking_delta", "thinking"),
        calls,
        reason: match end["delta"]["stop_reason"].as_str().unwrap() {
            "end_turn" | "stop_sequence" => FinishReason::Stop,
            "tool_use" => FinishReason::ToolCalls,
            "max_tokens" => FinishReason::Length,
            other => panic!("stop reason {other}"),
        },
        usage: count(&start["usage"], &end["usage"]),
        model: start["model"].as_str().map(str::to_owned),
    }
}

fn called(start: &Value, events: &[Value]) -> DecodedCall {
    let arguments: String = events
        .iter()
        .filter(|event| event["index"] == start["index"])
        .filter_map(|event| event["delta"]["partial_json"].as_str())
        .collect();
    let text = |member: &str| start["content_block"][member].as_str().unwrap().to_owned();
    DecodedCall {
        id: Some(text("id")),
        name: text("name"),
        arguments: if arguments.is_empty() {
            Value::Object(serde_json::Map::new())
        } else {
            serde_json::from_str(&arguments).unwrap_or(Value::String(arguments))
        },
    }
}

/// The counts at the end are those of the whole message; what they leave out was said at its start.
fn count(start: &Value, end: &Value) -> Usage {
    let number = |name: &str| end[name].as_u64().or(start[name].as_u64()).unwrap_or(0);
    let cached = number("cache_read_input_tokens");
    Usage {
        input_tokens: number("input_tokens") + number("cache_creation_input_tokens") + cached,
        cached_input_tokens: cached,
        output_tokens: number("output_tokens"),
        reasoning_tokens: end["output_tokens_details"]["thinking_tokens"]
            .as_u64()
            .unwrap_or(0),
        cost_micros: 0,
    }
}

fn anthropic() -> Box<dyn ChatWire> {
    ANTHROPIC_MESSAGES
        .chat(&model("anthropic", "claude-sonnet-4-6"))
        .unwrap()
}

fn terminal(body: &str) -> usize {
    body.find("event: message_stop").unwrap()
}

#[test]
fn anthropic_streams_say_the_same_however_they_are_cut() {
    check_answers("anthropic", &*anthropic(), fold);
}

#[test]
fn anthropic_streams_that_end_early_are_errors() {
    check_cut_off("anthropic", &*anthropic(), terminal);
}

#[test]
fn anthropic_refusals_are_understood() {
    let kinds: Vec<_> = answers("anthropic", |answer| answer.status != 200)
        .into_iter()
        .map(|(_, answer)| {
            let status = StatusCode::from_u16(answer.status).unwrap();
            let error = anthropic().refusal(status, &HeaderMap::new(), &answer.body);
            (answer.status, error.kind)
        })
        .collect();
    assert_eq!(
        kinds,
        [
            (404, ErrorKind::UnknownModel),
            (401, ErrorKind::Unauthorized)
        ]
    );
}
