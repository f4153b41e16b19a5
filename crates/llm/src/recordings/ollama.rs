//! Ollama's chat.

use serde_json::Value;

use super::{DecodedAnswer, DecodedCall, check_answers, check_cut_off, requests};
use crate::wire::testing::model;
use crate::wire::{ChatWire, OLLAMA};
use crate::{ChatRequest, FinishReason, Message, Usage};

/// Reads the whole body at once.
pub(super) fn fold(body: &str) -> DecodedAnswer {
    let lines: Vec<Value> = body
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let join = |key: &str| -> String {
        lines
            .iter()
            .filter_map(|line| line["message"][key].as_str())
            .collect()
    };
    let calls: Vec<_> = lines
        .iter()
        .filter_map(|line| line["message"]["tool_calls"].as_array())
        .flatten()
        .map(|call| DecodedCall {
            id: call["id"].as_str().map(str::to_owned),
            name: call["function"]["name"].as_str().unwrap().to_owned(),
            arguments: call["function"]["arguments"].clone(),
        })
        .collect();
    let last = lines.iter().find(|line| line["done"] == true).unwrap();
    DecodedAnswer {
        text: join("content"),
        reasoning: join("thinking"),
        reason: match last["done_reason"].as_str().unwrap() {
            "length" => FinishReason::Length,
            "stop" if calls.is_empty() => FinishReason::Stop,
            "stop" => FinishReason::ToolCalls,
            other => panic!("done reason {other}"),
        },
        calls,
        usage: Usage {
            input_tokens: last["prompt_eval_count"].as_u64().unwrap(),
            output_tokens: last["eval_count"].as_u64().unwrap(),
            ..Usage::default()
        },
        model: last["model"].as_str().map(str::to_owned),
    }
}

fn ollama() -> Box<dyn ChatWire> {
    let mut model = model("ollama", "qwen3:4b");
    model.options.think = Some(false);
    OLLAMA.chat(&model).unwrap()
}

#[test]
fn ollama_streams_say_the_same_however_they_are_cut() {
    check_answers("ollama", &*ollama(), fold);
}

#[test]
fn ollama_streams_that_end_early_are_errors() {
    check_cut_off("ollama", &*ollama(), |body| {
        body.trim_end().rfind('\n').unwrap()
    });
}

#[test]
fn ollama_requests_are_as_the_server_took_them() {
    let client = http_client::http_client().unwrap();
    for (name, request) in requests("ollama") {
        let recorded: Value = serde_json::from_str(&request.body).unwrap();
        let text = recorded["messages"][0]["content"].as_str().unwrap();
        let ours = ChatRequest {
            messages: [Message::user(text)].into(),
            max_output_tokens: recorded["options"]["num_predict"]
                .as_u64()
                .map(|limit| limit.try_into().unwrap()),
            ..ChatRequest::default()
        };
        let sent = ollama().request(&client, &ours).unwrap().build().unwrap();
        assert_eq!(sent.url().path(), request.path, "{name}");
        let body: Value = serde_json::from_slice(sent.body().unwrap().as_bytes().unwrap()).unwrap();
        assert_eq!(body, recorded, "{name}");
    }
}
