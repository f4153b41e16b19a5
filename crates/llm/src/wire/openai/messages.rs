//! The messages of a chat completion request.

use serde_json::{Value, json};

use super::ServerKind;
use super::thoughts::give_back;
use crate::wire::checks::plain;
use crate::wire::history::{Round, Step, arguments, steps};
use crate::{ChatRequest, ModelId};

/// The longest id of a call that OpenAI accepts.
const MAX_ID: usize = 40;

/// The length of ids that Mistral requires.
const MISTRAL_ID: usize = 9;

/// The request's messages, instructions first.
pub(super) fn messages(
    request: &ChatRequest,
    server: ServerKind,
    model: &ModelId,
    is_mistral: bool,
) -> Vec<Value> {
    let steps = if is_mistral {
        steps(&request.messages, is_mistral_id, make_mistral_id)
    } else {
        steps(&request.messages, is_id, make_id)
    };
    let is_plain = matches!(server, ServerKind::Compatible { .. });
    let mut messages = Vec::with_capacity(steps.len() + 1);
    if let Some(system) = request
        .system
        .as_deref()
        .filter(|text| !text.trim().is_empty())
    {
        messages.push(json!({"role": "system", "content": system}));
    }
    for step in steps {
        match step {
            // Templates of open models often reject instructions in the middle, and consecutive
            // messages of one role.
            Step::System(text) if is_plain => say(&mut messages, "user", text),
            Step::User(text) if is_plain => say(&mut messages, "user", text),
            Step::Assistant {
                message, rounds, ..
            } if is_plain && rounds.is_empty() => say(&mut messages, "assistant", &message.text),
            Step::System(text) => messages.push(json!({"role": "system", "content": text})),
            Step::User(text) => messages.push(json!({"role": "user", "content": text})),
            Step::Assistant {
                message,
                rounds,
                is_current,
            } => {
                let mut wire = assistant(&message.text, &rounds, is_plain);
                if is_current {
                    give_back(&mut wire, message, server, model);
                }
                messages.push(wire);
                messages.extend(rounds.iter().map(|round| result(round, is_plain)));
            }
        }
    }
    messages
}

/// Appends text to the last message if it has the same role and no tool calls, otherwise adds a
/// message.
fn say(messages: &mut Vec<Value>, role: &str, text: &str) {
    if let Some(last) = messages
        .last_mut()
        .filter(|last| last["role"] == role && last.get("tool_calls").is_none())
        && let Some(said) = last["content"].as_str()
    {
        last["content"] = json!(format!("{said}\n\n{text}"));
        return;
    }
    messages.push(json!({"role": role, "content": text}));
}

fn assistant(text: &str, rounds: &[Round<'_>], is_plain: bool) -> Value {
    let mut message = json!({"role": "assistant"});
    // Some templates require the content, some providers reject an empty one.
    if is_plain || !text.is_empty() {
        message["content"] = json!(text);
    }
    if !rounds.is_empty() {
        message["tool_calls"] = rounds.iter().map(call).collect();
    }
    message
}

fn call(round: &Round<'_>) -> Value {
    json!({
        "id": round.id,
        "type": "function",
        "function": {
            // The model may have invented an invalid name.
            "name": plain(&round.call.name),
            "arguments": Value::Object(arguments(round.call)).to_string(),
        },
    })
}

fn result(round: &Round<'_>, is_plain: bool) -> Value {
    let mut message = json!({"role": "tool", "tool_call_id": round.id});
    if is_plain {
        // Servers with templates require the name, OpenAI does not know it.
        message["name"] = json!(plain(&round.call.name));
    }
    message["content"] = json!(round.output);
    message
}

fn is_id(id: &str) -> bool {
    (1..=MAX_ID).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

fn make_id(number: u64) -> String {
    format!("call_{number:016x}")
}

fn is_mistral_id(id: &str) -> bool {
    id.len() == MISTRAL_ID && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn make_mistral_id(number: u64) -> String {
    format!("{:09x}", number & 0xf_ffff_ffff)
}
