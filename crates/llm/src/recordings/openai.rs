//! Chat completions of OpenAI and of OpenRouter.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{DecodedAnswer, DecodedCall, check_answers, check_cut_off, requests};
use crate::wire::testing::model;
use crate::wire::{ChatWire, OPENAI_CHAT, OPENROUTER};
use crate::{
    Arguments, AssistantMessage, ChatRequest, FinishReason, Message, ResponseFormat, Tool,
    ToolCall, ToolChoice, ToolOutput, Usage,
};

/// Reads the whole body at once, choice 0 only.
pub(super) fn fold(body: &str) -> DecodedAnswer {
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
    DecodedAnswer {
        text,
        reasoning,
        calls: calls.into_values().map(called).collect(),
        reason,
        usage: count(&usage),
        model,
    }
}

fn called((id, name, arguments): (String, String, String)) -> DecodedCall {
    let arguments = match serde_json::from_str::<Value>(&arguments) {
        Ok(value) if value.is_object() => value,
        _ => Value::String(arguments),
    };
    DecodedCall {
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
        cost_micros: 0,
    }
}

fn openai(name: &str) -> Box<dyn ChatWire> {
    OPENAI_CHAT.chat(&model("openai", name)).unwrap()
}

fn openrouter(name: &str) -> Box<dyn ChatWire> {
    OPENROUTER.chat(&model("openrouter", name)).unwrap()
}

/// The start of the chunk that says why the answer ended; what follows it only counts tokens.
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
    check_answers("openai", &*openai("any"), fold);
}

#[test]
fn openrouter_streams_say_the_same_however_they_are_cut() {
    check_answers("openrouter", &*openrouter("any"), fold);
}

#[test]
fn openai_streams_that_end_early_are_errors() {
    check_cut_off("openai", &*openai("any"), terminal);
}

#[test]
fn openrouter_streams_that_end_early_are_errors() {
    check_cut_off("openrouter", &*openrouter("any"), terminal);
}

/// A recorded request as this crate's type.
fn ours(recorded: &Value) -> ChatRequest {
    let text = |message: &Value| match &message["content"] {
        Value::Array(parts) => parts
            .iter()
            .map(|part| part["text"].as_str().unwrap())
            .collect(),
        content => content.as_str().unwrap_or_default().to_owned(),
    };
    let mut messages = Vec::new();
    let mut names = std::collections::HashMap::new();
    let mut system = None;
    for message in recorded["messages"].as_array().unwrap() {
        messages.push(match message["role"].as_str().unwrap() {
            "system" => {
                system = Some(text(message).into());
                continue;
            }
            "user" => Message::user(text(message)),
            "assistant" => {
                let calls: Vec<_> = message["tool_calls"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|call| ToolCall {
                        id: call["id"].as_str().unwrap().to_owned(),
                        name: call["function"]["name"].as_str().unwrap().to_owned(),
                        arguments: Arguments::parse(
                            call["function"]["arguments"].as_str().unwrap(),
                        ),
                        opaque: None,
                    })
                    .collect();
                names.extend(
                    calls
                        .iter()
                        .map(|call| (call.id.clone(), call.name.clone())),
                );
                Message::Assistant(AssistantMessage {
                    text: text(message),
                    calls,
                    opaque: None,
                })
            }
            "tool" => {
                let call_id = message["tool_call_id"].as_str().unwrap().to_owned();
                Message::Tool(ToolOutput {
                    name: names[&call_id].clone(),
                    call_id,
                    output: text(message).into(),
                    is_error: false,
                })
            }
            role => panic!("role {role}"),
        });
    }
    let limit = [&recorded["max_tokens"], &recorded["max_completion_tokens"]]
        .into_iter()
        .find_map(Value::as_u64);
    ChatRequest {
        system,
        messages: messages.into(),
        tools: recorded["tools"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tool| Tool {
                name: tool["function"]["name"].as_str().unwrap().to_owned(),
                description: tool["function"]["description"].as_str().unwrap().to_owned(),
                parameters: tool["function"]["parameters"].clone(),
            })
            .collect(),
        tool_choice: match recorded["tool_choice"].as_str() {
            Some("required") => ToolChoice::Required,
            None => ToolChoice::Auto,
            Some(other) => panic!("tool choice {other}"),
        },
        response: match &recorded["response_format"]["json_schema"] {
            Value::Null => ResponseFormat::Text,
            shape => ResponseFormat::Json {
                name: shape["name"].as_str().unwrap().to_owned(),
                schema: shape["schema"].clone(),
            },
        },
        temperature: recorded["temperature"].as_f64().map(|_| 0.0),
        max_output_tokens: limit.map(|limit| limit.try_into().unwrap()),
        ..ChatRequest::default()
    }
}

/// A request without what the adapter may choose (the name of the limit, parts or text) and what it
/// does not send.
fn essence(mut body: Value) -> Value {
    let members = body.as_object_mut().unwrap();
    for not_ours in [
        "provider",
        "reasoning",
        "include_reasoning",
        "n",
        "logprobs",
        "top_logprobs",
        "parallel_tool_calls",
    ] {
        members.remove(not_ours);
    }
    if let Some(limit) = members.remove("max_completion_tokens") {
        members.insert("max_tokens".to_owned(), limit);
    }
    for message in members["messages"].as_array_mut().unwrap() {
        if let Value::Array(parts) = &message["content"] {
            let text: String = parts
                .iter()
                .map(|part| part["text"].as_str().unwrap())
                .collect();
            message["content"] = text.into();
        }
        let calls = message.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            let arguments = &mut call["function"]["arguments"];
            // The text itself may be spaced otherwise.
            *arguments = serde_json::from_str(arguments.as_str().unwrap()).unwrap();
        }
    }
    body
}

/// Compares the recorded requests with the adapter's.
fn check_requests(folder: &str, path: &str, model: impl Fn(&str) -> Box<dyn ChatWire>) {
    let client = http_client::http_client().unwrap();
    for (name, request) in requests(folder) {
        let recorded: Value = serde_json::from_str(&request.body).unwrap();
        let model = model(recorded["model"].as_str().unwrap());
        let sent = model.request(&client, &ours(&recorded)).unwrap();
        let sent = sent.build().unwrap();
        assert_eq!(request.path, path, "{name}");
        assert_eq!(sent.url().path(), path, "{name}");
        let body = serde_json::from_slice(sent.body().unwrap().as_bytes().unwrap()).unwrap();
        assert_eq!(essence(body), essence(recorded), "{name}");
    }
}

#[test]
fn openai_requests_are_as_the_service_took_them() {
    check_requests("openai", "/v1/chat/completions", openai);
}

#[test]
fn openrouter_requests_are_as_the_service_took_them() {
    check_requests("openrouter", "/api/v1/chat/completions", openrouter);
}
