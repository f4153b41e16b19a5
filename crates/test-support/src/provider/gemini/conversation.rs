//! What Gemini refuses in a conversation.

use serde_json::Value;

use super::check::{Checked, refuse};
use super::{SIGNATURE, is_third_generation};
use crate::provider::checks::{items, text, unknown_member};
use crate::provider::{Seen, SeenCall, SeenMessage};

/// What history from elsewhere may have instead of a signature, plain and in base64 (protocols
/// d.4).
const NO_SIGNATURE: [&str; 2] = [
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
];

/// Reads the contents, or refuses them.
pub(super) fn conversation(contents: &[Value], seen: &mut Seen) -> Checked {
    if contents.is_empty() {
        return refuse("* GenerateContentRequest.contents: contents is not specified");
    }
    let turn = contents.iter().rposition(is_question).unwrap_or(0);
    let mut open: Vec<SeenCall> = Vec::new();
    let mut before = Kind::Nothing;
    for (index, content) in contents.iter().enumerate() {
        parts_are_whole(content, index)?;
        let kind = kind(content);
        order(kind, before, &seen.model)?;
        if !open.is_empty() && kind != Kind::Responses {
            return counts_differ();
        }
        match kind {
            Kind::Responses => responses(content, index, &std::mem::take(&mut open), seen)?,
            Kind::Calls | Kind::Model => {
                if kind == Kind::Calls && index > turn {
                    signed(content, index, seen)?;
                }
                open = model(content, seen);
            }
            Kind::User | Kind::Nothing => seen.messages.push(SeenMessage::User(texts(content))),
        }
        before = kind;
    }
    if !open.is_empty() {
        return counts_differ();
    }
    if matches!(before, Kind::Model | Kind::Calls) {
        return refuse(
            "Please ensure that multiturn requests end with a user role or a function response.",
        );
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    User,
    Responses,
    Model,
    Calls,
}

fn kind(content: &Value) -> Kind {
    let has = |member: &str| {
        items(&content["parts"])
            .iter()
            .any(|part| part.get(member).is_some())
    };
    match content["role"].as_str() {
        Some("model") if has("functionCall") => Kind::Calls,
        Some("model") => Kind::Model,
        _ if has("functionResponse") => Kind::Responses,
        _ => Kind::User,
    }
}

fn is_question(content: &Value) -> bool {
    kind(content) == Kind::User
}

fn parts_are_whole(content: &Value, index: usize) -> Checked {
    if let Some(name) = unknown_member(content, &["role", "parts"]) {
        return refuse(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at 'contents[{index}]': Cannot find field."
        ));
    }
    let role = &content["role"];
    if !role.is_null()
        && !["user", "model", "function"].contains(&role.as_str().unwrap_or_default())
    {
        return refuse("Please use a valid role: user, model.");
    }
    let parts = items(&content["parts"]);
    if parts.is_empty() {
        return refuse(format!(
            "* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty."
        ));
    }
    for (place, part) in parts.iter().enumerate() {
        part_is_whole(part, &format!("contents[{index}].parts[{place}]"))?;
    }
    Ok(())
}

fn part_is_whole(part: &Value, place: &str) -> Checked {
    const KNOWN: [&str; 5] = [
        "text",
        "thought",
        "thoughtSignature",
        "functionCall",
        "functionResponse",
    ];
    if let Some(name) = unknown_member(part, &KNOWN) {
        return refuse(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at '{place}': Cannot find field."
        ));
    }
    let data = ["text", "functionCall", "functionResponse"]
        .iter()
        .filter(|name| part.get(**name).is_some())
        .count();
    if data != 1 {
        return refuse(format!(
            "* GenerateContentRequest.{place}.data: required oneof field 'data' must have one initialized field"
        ));
    }
    let signature = &part["thoughtSignature"];
    let known = |text: &str| text.starts_with(SIGNATURE) || NO_SIGNATURE.contains(&text);
    if !signature.is_null() && !signature.as_str().is_some_and(known) {
        return refuse("Thought signature is not valid.");
    }
    if let Some(call) = part.get("functionCall")
        && !call["args"].is_object()
        && !call["args"].is_null()
    {
        return refuse(format!(
            "Invalid value at '{place}.function_call.args' (type.googleapis.com/google.protobuf.Struct), {}",
            call["args"]
        ));
    }
    // [rec] `response` must be an object.
    if let Some(response) = part.get("functionResponse")
        && !response["response"].is_object()
    {
        return refuse(format!(
            "Invalid value at '{place}.function_response.response' (type.googleapis.com/google.protobuf.Struct), {}",
            response["response"]
        ));
    }
    let named = part.get("functionCall").or(part.get("functionResponse"));
    if named.is_some_and(|named| text(named, "name").is_empty()) {
        return refuse(format!(
            "* GenerateContentRequest.{place}.function_response.name: Name cannot be empty."
        ));
    }
    Ok(())
}

fn order(kind: Kind, before: Kind, model: &str) -> Checked {
    match (kind, before) {
        (Kind::Calls, Kind::Nothing | Kind::Model | Kind::Calls) => refuse(
            "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        ),
        (Kind::Responses, Kind::Calls) => Ok(()),
        (Kind::Responses, _) => refuse(
            "Please ensure that function response turn comes immediately after a function call turn.",
        ),
        // protocols d.4: 3.x merges contents of one role, 2.x is reported not to.
        (Kind::User, Kind::User) | (Kind::Model, Kind::Model) if !is_third_generation(model) => {
            refuse("Please ensure that multiturn requests alternate between user and model.")
        }
        _ => Ok(()),
    }
}

fn counts_differ<T>() -> Checked<T> {
    refuse(
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    )
}

/// [rec] On Gemini 3 the first call of each step of the current turn has its signature.
fn signed(content: &Value, index: usize, seen: &Seen) -> Checked {
    if !is_third_generation(&seen.model) {
        return Ok(());
    }
    let parts = items(&content["parts"]);
    let Some(at) = parts
        .iter()
        .position(|part| part.get("functionCall").is_some())
    else {
        return Ok(());
    };
    if parts[at]["thoughtSignature"].is_string() {
        return Ok(());
    }
    let name = text(&parts[at]["functionCall"], "name");
    refuse(format!(
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:{name}` , position {}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.",
        index + 1
    ))
}

fn responses(content: &Value, index: usize, open: &[SeenCall], seen: &mut Seen) -> Checked {
    let parts = items(&content["parts"]);
    let responses: Vec<_> = parts
        .iter()
        .filter_map(|part| part.get("functionResponse"))
        .collect();
    if responses.len() != open.len() {
        return counts_differ();
    }
    for (place, (response, call)) in responses.iter().zip(open).enumerate() {
        let (id, name) = (text(response, "id"), text(response, "name"));
        // Without ids they belong together by position and name; a given id is echoed (protocols
        // d.4).
        if name != call.name || id != call.id {
            return refuse(format!(
                "* GenerateContentRequest.contents[{index}].parts[{place}].function_response: the response {id} of {name} does not match the function call {} of {}.",
                call.id, call.name
            ));
        }
        let output = response["response"].clone();
        seen.messages.push(SeenMessage::Tool {
            id: id.to_owned(),
            name: name.to_owned(),
            output,
        });
    }
    let words = texts(content);
    if !words.is_empty() {
        seen.messages.push(SeenMessage::User(words));
    }
    Ok(())
}

fn model(content: &Value, seen: &mut Seen) -> Vec<SeenCall> {
    let parts = items(&content["parts"]);
    let calls = parts
        .iter()
        .filter_map(|part| part.get("functionCall"))
        .map(|call| SeenCall {
            id: text(call, "id").to_owned(),
            name: text(call, "name").to_owned(),
            arguments: call["args"].clone(),
        });
    let calls: Vec<_> = calls.collect();
    seen.messages.push(SeenMessage::Assistant {
        text: texts(content),
        calls: calls.clone(),
    });
    calls
}

/// The words of a content, without the model's thoughts.
fn texts(content: &Value) -> String {
    let parts = items(&content["parts"])
        .iter()
        .filter(|part| part["thought"] != Value::Bool(true));
    let texts: Vec<_> = parts
        .map(|part| text(part, "text"))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join("\n")
}
