//! What Anthropic refuses in a conversation. In its stricter days, that is: what only its gateways
//! still refuse is refused here too (protocols d.3: "keep sending the strict form").

use std::collections::HashSet;

use serde_json::{Value, json};

use super::check::{Checked, refuse};
use super::write::SIGNATURE;
use crate::provider::checks::{plain_name, text, unknown_member};
use crate::provider::seen::json_or_text;
use crate::provider::{Seen, SeenCall, SeenMessage};

/// Reads the messages, or refuses them.
pub(super) fn conversation(messages: &[Value], seen: &mut Seen) -> Checked {
    if messages.is_empty() {
        return refuse("messages: at least one message is required");
    }
    let mut ids = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut before = "";
    for (index, message) in messages.iter().enumerate() {
        if let Some(name) = unknown_member(message, &["role", "content"]) {
            return refuse(format!(
                "messages.{index}.{name}: Extra inputs are not permitted"
            ));
        }
        let role = text(message, "role");
        order(index, before, role)?;
        let blocks = blocks(index, message)?;
        match role {
            "user" => user(index, &blocks, std::mem::take(&mut open), seen)?,
            _ => open = assistant(index, &blocks, &mut ids, seen)?,
        }
        before = role;
    }
    unanswered(messages.len(), &open)?;
    ending(seen)
}

fn order(index: usize, before: &str, role: &str) -> Checked {
    match role {
        "user" | "assistant" if index == 0 && role == "assistant" => {
            refuse("messages: first message must use the \"user\" role")
        }
        "user" | "assistant" if role == before => refuse(format!(
            "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"{role}\" roles in a row"
        )),
        "user" | "assistant" => Ok(()),
        "system" => refuse(
            "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.",
        ),
        _ => refuse(format!(
            "messages.{index}.role: Input should be 'user' or 'assistant'"
        )),
    }
}

/// The content as blocks; a string is one.
fn blocks(index: usize, message: &Value) -> Checked<Vec<Value>> {
    let blocks = match &message["content"] {
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        Value::Array(blocks) => blocks.clone(),
        _ => {
            return refuse(format!(
                "messages.{index}.content: Input should be a valid list"
            ));
        }
    };
    let nothing = blocks.is_empty() || message["content"] == json!("");
    if nothing {
        return refuse(format!(
            "messages.{index}: all messages must have non-empty content except for the optional final assistant message"
        ));
    }
    for block in blocks.iter().filter(|block| block["type"] == "text") {
        // [rec]
        let words = text(block, "text");
        if words.is_empty() {
            return refuse("messages: text content blocks must be non-empty");
        }
        if words.trim().is_empty() {
            return refuse("messages: text content blocks must contain non-whitespace text");
        }
    }
    Ok(blocks)
}

/// [rec] Results of all calls of the message before, first in this message; text after them.
fn user(index: usize, blocks: &[Value], mut open: Vec<String>, seen: &mut Seen) -> Checked {
    let mut words = Vec::new();
    let mut answered: Vec<&str> = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        match text(block, "type") {
            "tool_result" => {
                let id = text(block, "tool_use_id");
                if answered.contains(&id) {
                    return refuse(format!(
                        "messages.{index}.content.{place}: each tool_use must have a single result. Found multiple `tool_result` blocks with id: {id}"
                    ));
                }
                let Some(at) = open.iter().position(|call| call == id) else {
                    return refuse(format!(
                        "messages.{index}.content.{place}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                    ));
                };
                if !words.is_empty() {
                    return unanswered(index, &open);
                }
                open.remove(at);
                answered.push(id);
                let output = json_or_text(&result_text(index, place, block)?);
                seen.messages.push(SeenMessage::Tool {
                    id: id.to_owned(),
                    name: String::new(),
                    output,
                });
            }
            "text" => words.push(text(block, "text")),
            other => {
                return refuse(format!(
                    "messages.{index}.content.{place}: Input tag '{other}' is not expected here"
                ));
            }
        }
    }
    unanswered(index, &open)?;
    if !words.is_empty() {
        seen.messages.push(SeenMessage::User(words.join("\n")));
    }
    Ok(())
}

fn result_text(index: usize, place: usize, block: &Value) -> Checked<String> {
    const KNOWN: [&str; 5] = [
        "type",
        "tool_use_id",
        "content",
        "is_error",
        "cache_control",
    ];
    if let Some(name) = unknown_member(block, &KNOWN) {
        return refuse(format!(
            "messages.{index}.content.{place}.tool_result.{name}: Extra inputs are not permitted"
        ));
    }
    match &block["content"] {
        Value::Null => Ok(String::new()),
        Value::String(words) => Ok(words.clone()),
        Value::Array(parts) => {
            let texts: Vec<_> = parts.iter().map(|part| text(part, "text")).collect();
            if texts.iter().any(|text| text.is_empty()) {
                return refuse("messages: text content blocks must be non-empty");
            }
            Ok(texts.concat())
        }
        _ => refuse(format!(
            "messages.{index}.content.{place}.tool_result.content: Input should be a valid string"
        )),
    }
}

fn assistant(
    index: usize,
    blocks: &[Value],
    ids: &mut HashSet<String>,
    seen: &mut Seen,
) -> Checked<Vec<String>> {
    let mut words = String::new();
    let mut calls = Vec::new();
    for (place, block) in blocks.iter().enumerate() {
        match text(block, "type") {
            "text" => words.push_str(text(block, "text")),
            "tool_use" => calls.push(tool_use(index, place, block, ids)?),
            "thinking" if !text(block, "signature").starts_with(SIGNATURE) => {
                return refuse(format!(
                    "messages.{index}.content.{place}: Invalid `signature` in `thinking` block"
                ));
            }
            "thinking" | "redacted_thinking" => {}
            other => {
                return refuse(format!(
                    "messages.{index}.content.{place}: Input tag '{other}' is not expected here"
                ));
            }
        }
    }
    let open = calls
        .iter()
        .map(|call: &SeenCall| call.id.clone())
        .collect();
    let thinks = seen.body["thinking"]["type"] == "enabled";
    if thinks && text(&blocks[0], "type") == "tool_use" {
        return refuse(format!(
            "messages.{index}.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block."
        ));
    }
    if !calls.is_empty() && seen.tools.is_empty() {
        // Gateways: "Requests which include `tool_use` or `tool_result` blocks must define tools".
        return refuse(
            "Requests which include `tool_use` or `tool_result` blocks must define tools",
        );
    }
    seen.messages
        .push(SeenMessage::Assistant { text: words, calls });
    Ok(open)
}

fn tool_use(
    index: usize,
    place: usize,
    block: &Value,
    ids: &mut HashSet<String>,
) -> Checked<SeenCall> {
    let at = format!("messages.{index}.content.{place}.tool_use");
    if let Some(name) = unknown_member(
        block,
        &["type", "id", "name", "input", "caller", "cache_control"],
    ) {
        return refuse(format!("{at}.{name}: Extra inputs are not permitted"));
    }
    let id = text(block, "id");
    if !plain_name(id, usize::MAX) {
        return refuse(format!(
            "{at}.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        ));
    }
    if !ids.insert(id.to_owned()) {
        return refuse("messages: `tool_use` ids must be unique");
    }
    if !plain_name(text(block, "name"), 200) {
        return refuse(format!(
            "{at}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,200}}$'"
        ));
    }
    if !block["input"].is_object() {
        return refuse(format!("{at}.input: Input should be a valid dictionary"));
    }
    Ok(SeenCall {
        id: id.to_owned(),
        name: text(block, "name").to_owned(),
        arguments: block["input"].clone(),
    })
}

fn unanswered(index: usize, open: &[String]) -> Checked {
    if open.is_empty() {
        return Ok(());
    }
    refuse(format!(
        "messages.{}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        index.saturating_sub(1),
        open.join(", ")
    ))
}

/// How a conversation may end.
fn ending(seen: &Seen) -> Checked {
    let Some(SeenMessage::Assistant { text, .. }) = seen.messages.last() else {
        return Ok(());
    };
    // From the 4.6 models on, and with structured output, there is no prefill.
    let modern = ["4-6", "4-7", "4-8"]
        .iter()
        .any(|version| seen.model.contains(version));
    if modern || seen.json_schema.is_some() {
        return refuse(
            "This model does not support assistant message prefill. The conversation must end with a user message.",
        );
    }
    // [rec]
    if text.ends_with(char::is_whitespace) {
        return refuse("messages: final assistant content cannot end with trailing whitespace");
    }
    Ok(())
}
