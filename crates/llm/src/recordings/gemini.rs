//! Gemini's content.

use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::{DecodedAnswer, DecodedCall, answers, check_answers, check_cut_off};
use crate::wire::testing::model;
use crate::wire::{ChatWire, GEMINI};
use crate::{ErrorKind, FinishReason, Usage};

/// Reads the whole body at once.
pub(super) fn fold(body: &str) -> DecodedAnswer {
    let chunks: Vec<Value> = body
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .map(|data| serde_json::from_str(data).unwrap())
        .collect();
    let parts: Vec<&Value> = chunks
        .iter()
        .filter_map(|chunk| chunk["candidates"][0]["content"]["parts"].as_array())
        .flatten()
        .collect();
    let texts = |thoughts: bool| -> String {
        parts
            .iter()
            .filter(|part| (part["thought"] == true) == thoughts)
            .filter_map(|part| part["text"].as_str())
            .collect()
    };
    let calls: Vec<_> = parts
        .iter()
        .map(|part| &part["functionCall"])
        .filter(|call| call.is_object())
        .map(|call| DecodedCall {
            id: call["id"].as_str().map(str::to_owned),
            name: call["name"].as_str().unwrap().to_owned(),
            arguments: call["args"].clone(),
        })
        .collect();
    let finish = chunks
        .iter()
        .find_map(|chunk| chunk["candidates"][0]["finishReason"].as_str());
    let last = chunks.last().unwrap();
    DecodedAnswer {
        text: texts(false),
        reasoning: texts(true),
        reason: match finish.unwrap() {
            "MAX_TOKENS" => FinishReason::Length,
            "STOP" if calls.is_empty() => FinishReason::Stop,
            "STOP" => FinishReason::ToolCalls,
            other => panic!("finish reason {other}"),
        },
        calls,
        usage: count(&last["usageMetadata"]),
        model: last["modelVersion"].as_str().map(str::to_owned),
    }
}

/// The output is the difference between the total and the input.
fn count(usage: &Value) -> Usage {
    let number = |name: &str| usage[name].as_u64().unwrap_or(0);
    let read = number("promptTokenCount") + number("toolUsePromptTokenCount");
    Usage {
        input_tokens: read,
        cached_input_tokens: number("cachedContentTokenCount"),
        output_tokens: number("totalTokenCount") - read,
        reasoning_tokens: number("thoughtsTokenCount"),
        cost_micros: 0,
    }
}

fn gemini() -> Box<dyn ChatWire> {
    GEMINI.chat(&model("gemini", "gemini-2.5-flash")).unwrap()
}

fn terminal(body: &str) -> usize {
    let finish = body.find("\"finishReason\"").unwrap();
    body[..finish].rfind("data: ").unwrap()
}

#[test]
fn gemini_streams_say_the_same_however_they_are_cut() {
    check_answers("gemini", &*gemini(), fold);
}

#[test]
fn gemini_streams_that_end_early_are_errors() {
    check_cut_off("gemini", &*gemini(), terminal);
}

#[test]
fn gemini_refusals_are_understood() {
    let kinds: Vec<_> = answers("gemini", |answer| answer.status != 200)
        .into_iter()
        .map(|(_, answer)| {
            let status = StatusCode::from_u16(answer.status).unwrap();
            let error = gemini().refusal(status, &HeaderMap::new(), &answer.body);
            (answer.status, error.kind)
        })
        .collect();
    assert_eq!(kinds, [(404, ErrorKind::UnknownModel)]);
}
