//! Requests to a model: texts under `prompts/`, the material as JSON, an object back.

use contracts::todo::MemoryEntry;
use llm::{AnswerSize, ChatRequest, Message, ResponseFormat};
use serde_json::{Map, Value, json};

use agent_kit::{PastMessage, PastRole};

/// Messages before the one in question that a model gets where the memory has nothing, and how much
/// of each, in characters.
const RECENT: usize = 4;
const RECENT_CHARS: usize = 300;

/// A request for an object with these members.
pub(crate) fn object(
    system: &str,
    name: &str,
    members: &[(&str, Value)],
    material: &Value,
) -> ChatRequest {
    // Some providers demand that every member is required.
    let properties: Map<String, Value> = members
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    let required: Vec<_> = members.iter().map(|(name, _)| *name).collect();
    let schema = json!({
        "type": "object", "properties": properties, "required": required, "additionalProperties": false,
    });
    ChatRequest {
        response: ResponseFormat::Json {
            name: name.to_owned(),
            schema,
        },
        ..text(system, material)
    }
}

/// A request for an object of a few words.
pub(crate) fn brief(
    system: &str,
    name: &str,
    members: &[(&str, Value)],
    material: &Value,
) -> ChatRequest {
    ChatRequest {
        size: AnswerSize::Brief,
        ..object(system, name, members, material)
    }
}

/// A request for words.
pub(crate) fn text(system: &str, material: &Value) -> ChatRequest {
    ChatRequest {
        system: Some(system.into()),
        messages: [Message::user(material.to_string())].into(),
        ..ChatRequest::default()
    }
}

/// The object in a model's answer; small models put words or a fence around it.
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    let (start, end) = (text.find('{')?, text.rfind('}')?);
    serde_json::from_str(text.get(start..=end)?).ok()
}

/// The conversation so far, oldest first: by the memory's entries, or by the messages where there
/// are none.
pub(crate) fn recent(entries: &[MemoryEntry], history: &[PastMessage]) -> Value {
    let mut said: Vec<Value> = Vec::new();
    let mut turn = None;
    for (at, entry) in entries.iter().enumerate() {
        if turn != Some(entry.turn) {
            turn = Some(entry.turn);
            said.push(json!({ "user": cut(&entry.user_input) }));
        }
        let is_last = entries
            .get(at + 1)
            .is_none_or(|next| next.turn != entry.turn);
        if is_last {
            let answer = entry.clarification_asked.as_ref();
            said.push(json!({ "assistant": cut(answer.unwrap_or(&entry.agent_action)) }));
        }
    }
    if said.is_empty() {
        for message in &history[history.len().saturating_sub(RECENT)..] {
            let role = match message.role {
                PastRole::User => "user",
                PastRole::Assistant => "assistant",
            };
            said.push(json!({ role: cut(&message.text) }));
        }
    }
    Value::Array(said)
}

fn cut(text: &str) -> String {
    text.chars().take(RECENT_CHARS).collect()
}
