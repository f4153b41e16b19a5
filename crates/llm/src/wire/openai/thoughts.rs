//! Keeps the reasoning that a server requires back within a tool loop: reasoning details for
//! OpenRouter, the reasoning text for `DeepSeek` and others.

use serde_json::{Map, Value, json};

use super::ServerKind;
use crate::{AssistantMessage, ModelId};

/// The field of OpenRouter, in answers and requests.
const DETAILS: &str = "reasoning_details";

/// The field of `DeepSeek` and others.
const CONTENT: &str = "reasoning_content";

/// The reasoning of an answer that still streams.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    details: Vec<Map<String, Value>>,
    content: String,
}

impl Thoughts {
    /// Adds fragments of details. Fragments of one index and type are one detail.
    pub(super) fn add_details(&mut self, fragments: Option<Vec<Value>>) {
        for fragment in fragments.into_iter().flatten() {
            let Value::Object(fragment) = fragment else {
                continue;
            };
            let key = |detail: &Map<String, Value>| {
                (detail.get("index").cloned(), detail.get("type").cloned())
            };
            let begun = self
                .details
                .iter_mut()
                .find(|begun| fragment.contains_key("index") && key(begun) == key(&fragment));
            match begun {
                Some(begun) => extend(begun, fragment),
                None => self.details.push(fragment),
            }
        }
    }

    /// Adds reasoning text.
    pub(super) fn add_content(&mut self, more: Option<&str>) {
        self.content.push_str(more.unwrap_or_default());
    }

    /// The data to return to this model.
    pub(super) fn finish(self, server: ServerKind, model: &str) -> Option<Value> {
        if server == ServerKind::OpenRouter {
            let details = self.details;
            return (!details.is_empty()).then(|| json!({"model": model, DETAILS: details}));
        }
        let content = self.content;
        (!content.is_empty()).then(|| json!({"model": model, CONTENT: content}))
    }
}

/// Appends the texts of a fragment; its other members replace the present ones.
fn extend(detail: &mut Map<String, Value>, fragment: Map<String, Value>) {
    for (name, value) in fragment {
        match (detail.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more))
                if matches!(name.as_str(), "text" | "summary" | "data") =>
            {
                text.push_str(&more);
            }
            (Some(_), Value::Null) => {}
            (_, value) => {
                detail.insert(name, value);
            }
        }
    }
}

/// Adds the reasoning of an assistant message to it, if it is this model's.
pub(super) fn give_back(
    wire: &mut Value,
    message: &AssistantMessage,
    server: ServerKind,
    model: &ModelId,
) {
    let Some(opaque) = &message.opaque else {
        return;
    };
    // Details are signed: another model rejects them.
    if !opaque.is_of(model) {
        return;
    }
    let field = if server == ServerKind::OpenRouter {
        DETAILS
    } else {
        CONTENT
    };
    if let Some(thoughts) = opaque.data.get(field) {
        wire[field] = thoughts.clone();
    }
}
