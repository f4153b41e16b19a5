//! Chat completions of OpenAI and of OpenRouter.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Called, Told, check_answers, check_cut_off};
use crate::providers::openai::{Flavour, OpenAi, OpenAiSettings};
use crate::{FinishReason, Usage};

/// Reads the whole body at once, choice 0 only.
pub(super) fn fold(body: &str) -> Told {
    let mut text = String::new();
    let mut reasoning = String::new();
    let mut calls: BTreeMap<u64, (String, String, String)> = BTreeMap::new();
    let mut finish = String::new();
    let mut refused = false;
    let mut usage = Value::Null;
    let mut model = None;
    for line in body.lines() {
        let Some(data) = line.strip_prefix("data: ") else {
            continue;
        };
        if data == "[DONE]" {
            break;
        }
        let chunk: Value = serde_json::from_str(data).unwrap();
        model = model.or_else(|| chunk["model"].as_str().map(str::to_owned));
        if chunk["usage"].is_object() {
            usage = chunk["usage"].clone();
        }
        for choice in chunk["choices"].as_array().unwrap() {
            if choice["index"] != 0 {
                continue;
            }
            let delta = &choice["delta"];
            text.push_str(delta["content"].as_str().unwrap_or_default());
            if let Some(words) = delta["refusal"].as_str().filter(|words| !words.is_empty()) {
                refused = true;
                text.push_str(words);
            }
            reasoning.push_str(delta["reasoning"].as_str().unwrap_or_default());
            for part in delta["tool_calls"].as_array().into_iter().flatten() {
                let (id, name, arguments) =
                    calls.entry(part["index"].as_u64().unwrap()).or_default();
                id.push_str(part["id"].as_str().unwrap_or_default());
                name.push_str(part["function"]["name"].as_str().unwrap_or_default());
                arguments.push_str(part["function"]["arguments"].as_str().unwrap_or_default());
            }
            if let Some(reason) = choice["finish_reason"].as_str() {
                reason.clone_into(&mut finish);
            }
        }
    }
    let reason = match finish.as_str() {
        "stop" if refused => FinishReason::Refusal,
        "stop" if calls.is_empty() => FinishReason::Stop,
        "stop" | "tool_calls" => FinishReason::ToolCalls,
        "length" => FinishReason::Length,
        other => panic!("finish reason {other}"),
    };
    Told {
        text,
        reasoning,
        calls: calls.into_values().map(called).collect(),
        reason,
        usage: count(&usage),
        model,
    }
}

fn called((id, name, arguments): (String, String, String)) -> Called {
    let arguments = match serde_json::from_str::<Value>(&arguments) {
        Ok(value) if value.is_object() => value,
        _ => Value::String(arguments),
    };
    Called {
        id: Some(id),
        name,
        arguments,
    }
}

fn count(usage: &Value) -> Usage {
    Usage {
        input_tokens: usage["prompt_tokens"].as_u64().unwrap(),
        cached_input_tokens: usage["prompt_tokens_details"]["cached_tokens"]
            .as_u64()
            .unwrap_or(0),
        output_tokens: usage["completion_tokens"].as_u64().unwrap(),
        reasoning_tokens: usage["completion_tokens_details"]["reasoning_tokens"]
            .as_u64()
            .unwrap_or(0),
    }
}

fn openai() -> OpenAi {
    model(Flavour::OpenAi)
}

fn openrouter() -> OpenAi {
    model(Flavour::OpenRouter {
        referer: None,
        title: None,
    })
}

fn model(flavour: Flavour) -> OpenAi {
    OpenAi::new(OpenAiSettings {
        base_url: "https://api.openai.com/v1".to_owned(),
        api_key: None,
        model: "any".to_owned(),
        flavour,
        extra_headers: http::HeaderMap::new(),
    })
    .unwrap()
}

/// Where the chunk begins that says why the answer ended; what follows it only counts tokens.
fn terminal(body: &str) -> usize {
    body.match_indices("\ndata: ")
        .map(|(at, _)| at)
        .find(|&at| {
            let chunk = body[at + 1..].lines().next().unwrap();
            chunk.contains("\"finish_reason\":\"") && !chunk.contains("\"index\":1,")
        })
        .unwrap()
}

#[test]
fn openai_streams_say_the_same_however_they_are_cut() {
    check_answers("openai", &openai(), fold);
}

#[test]
fn openrouter_streams_say_the_same_however_they_are_cut() {
    check_answers("openrouter", &openrouter(), fold);
}

#[test]
fn openai_streams_that_end_early_are_errors() {
    check_cut_off("openai", &openai(), terminal);
}

#[test]
fn openrouter_streams_that_end_early_are_errors() {
    check_cut_off("openrouter", &openrouter(), terminal);
}
