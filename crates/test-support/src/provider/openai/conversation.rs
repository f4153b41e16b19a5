//! What OpenAI refuses in a conversation.

use serde_json::Value;

use super::check::{Checked, valid_name};
use crate::provider::checks::{items, text, unknown_member};
use crate::provider::seen::json_or_text;
use crate::provider::{Refusal, Seen, SeenCall, SeenMessage};

/// Reads the messages, or refuses them.
pub(super) fn conversation(messages: &[Value], seen: &mut Seen) -> Checked {
    if messages.is_empty() {
        let words = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.";
        return Err(Refusal::openai(
            400,
            words,
            Some("messages"),
            Some("empty_array"),
        ));
    }
    let mut open: Vec<String> = Vec::new();
    let mut after_calls = false;
    for (index, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if role != "tool" {
            // [rec] Every call is answered before the next message that is not an answer.
            all_answered(&open, index)?;
            after_calls = false;
        }
        match role {
            "system" | "developer" => {
                let words = content(message, index)?;
                if seen.messages.is_empty() {
                    let glue = if seen.system.is_empty() { "" } else { "\n" };
                    seen.system.push_str(glue);
                    seen.system.push_str(&words);
                } else {
                    seen.messages.push(SeenMessage::System(words));
                }
            }
            "user" => seen
                .messages
                .push(SeenMessage::User(content(message, index)?)),
            "assistant" => {
                let (text, calls) = assistant(message, index)?;
                open = calls.iter().map(|call| call.id.clone()).collect();
                after_calls = !calls.is_empty();
                seen.messages.push(SeenMessage::Assistant { text, calls });
            }
            "tool" => {
                let id = text(message, "tool_call_id");
                let Some(at) = open
                    .iter()
                    .position(|call| call == id)
                    .filter(|_| after_calls)
                else {
                    // [rec] "preceeding" is how it spells it.
                    let words = "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
                    return Err(Refusal::openai(
                        400,
                        words,
                        Some(&format!("messages.[{index}].role")),
                        None,
                    ));
                };
                open.remove(at);
                let output = json_or_text(&content(message, index)?);
                let name = text(message, "name").to_owned();
                seen.messages.push(SeenMessage::Tool {
                    id: id.to_owned(),
                    name,
                    output,
                });
            }
            other => {
                let words = format!(
                    "Invalid value: '{other}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
                );
                return Err(Refusal::openai(
                    400,
                    words,
                    Some(&format!("messages[{index}].role")),
                    Some("invalid_value"),
                ));
            }
        }
    }
    all_answered(&open, messages.len())
}

fn all_answered(open: &[String], index: usize) -> Checked {
    if open.is_empty() {
        return Ok(());
    }
    let words = format!(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        open.join(", ")
    );
    Err(Refusal::openai(
        400,
        words,
        Some(&format!("messages.[{index}].role")),
        None,
    ))
}

/// The text of a message, given as a string or as parts.
fn content(message: &Value, index: usize) -> Checked<String> {
    match &message["content"] {
        Value::String(text) => Ok(text.clone()),
        Value::Array(parts) if !parts.is_empty() => {
            let texts = parts.iter().map(|part| text(part, "text"));
            Ok(texts.collect::<Vec<_>>().join("\n"))
        }
        other => {
            let kind = if other.is_null() { "null" } else { "an object" };
            let place = format!("messages.[{index}].content");
            let words = format!("Invalid value for 'content': expected a string, got {kind}.");
            Err(Refusal::openai(400, words, Some(&place), None))
        }
    }
}

fn assistant(message: &Value, index: usize) -> Checked<(String, Vec<SeenCall>)> {
    const KNOWN: [&str; 8] = [
        "role",
        "content",
        "refusal",
        "name",
        "audio",
        "tool_calls",
        "function_call",
        "annotations",
    ];
    // Members that other servers of this interface stream and require back; OpenAI accepts them.
    const REASONING: [&str; 3] = ["reasoning", "reasoning_details", "reasoning_content"];
    if let Some(name) = unknown_member(message, &[KNOWN.as_slice(), &REASONING].concat()) {
        let place = format!("messages[{index}].{name}");
        return Err(Refusal::openai(
            400,
            format!("Unknown parameter: '{place}'."),
            Some(&place),
            Some("unknown_parameter"),
        ));
    }
    let given = message.get("tool_calls");
    if given.is_some_and(|calls| items(calls).is_empty()) {
        let place = format!("messages[{index}].tool_calls");
        let words = format!(
            "Invalid '{place}': empty array. Expected an array with minimum length 1, but got an empty array instead."
        );
        return Err(Refusal::openai(
            400,
            words,
            Some(&place),
            Some("empty_array"),
        ));
    }
    let calls = given.map(items).unwrap_or_default();
    let calls: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(number, call)| self::call(call, &format!("messages[{index}].tool_calls[{number}]")))
        .collect::<Checked<_>>()?;
    let text = if message["content"].is_null() && !calls.is_empty() {
        String::new()
    } else {
        content(message, index)?
    };
    Ok((text, calls))
}

fn call(call: &Value, place: &str) -> Checked<SeenCall> {
    if let Some(name) = unknown_member(call, &["id", "type", "function"]) {
        // [rec] Streamed deltas with `index` still in them.
        let place = format!("{place}.{name}");
        return Err(Refusal::openai(
            400,
            format!("Unknown parameter: '{place}'."),
            Some(&place),
            Some("unknown_parameter"),
        ));
    }
    let id = text(call, "id");
    if id.is_empty() || call["type"] != "function" {
        let words = format!(
            "Missing required parameter: '{place}.{}'.",
            if id.is_empty() { "id" } else { "type" }
        );
        return Err(Refusal::openai(
            400,
            words,
            Some(place),
            Some("missing_required_parameter"),
        ));
    }
    if id.len() > 40 {
        let words = format!(
            "Invalid '{place}.id': string too long. Expected a string with maximum length 40, but got a string with length {} instead.",
            id.len()
        );
        return Err(Refusal::openai(
            400,
            words,
            Some(&format!("{place}.id")),
            Some("string_above_max_length"),
        ));
    }
    let function = &call["function"];
    valid_name(text(function, "name"), &format!("{place}.function.name"))?;
    let Some(arguments) = function["arguments"].as_str() else {
        // [rec] Arguments are a string.
        let kind = if function["arguments"].is_object() {
            "an object"
        } else {
            "something else"
        };
        let place = format!("{place}.function.arguments");
        let words =
            format!("Invalid type for '{place}': expected a string, but got {kind} instead.");
        return Err(Refusal::openai(
            400,
            words,
            Some(&place),
            Some("invalid_type"),
        ));
    };
    Ok(SeenCall {
        id: id.to_owned(),
        name: text(function, "name").to_owned(),
        arguments: json_or_text(arguments),
    })
}
