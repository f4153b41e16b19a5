//! Keeps what a server wants back with the answer in a tool loop: OpenRouter its reasoning details, `DeepSeek` and others the thoughts
//! themselves.

use serde_json::{Map, Value, json};

use super::ServerKind;
use crate::{AssistantMessage, ModelId};

/// OpenRouter's field, in answers and in requests.
const DETAILS: &str = "reasoning_details";

/// `DeepSeek`'s.
const CONTENT: &str = "reasoning_content";

/// The thoughts of an answer that is still coming.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    details: Vec<Map<String, Value>>,
    content: String,
}

impl Thoughts {
    /// Takes in fragments of details. Those of one index and type are one detail.
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

    /// Takes in more of the plain thoughts.
    pub(super) fn add_content(&mut self, more: Option<&str>) {
        self.content.push_str(more.unwrap_or_default());
    }

    /// What has to go back, for this model only.
    pub(super) fn finish(self, server: ServerKind, model: &str) -> Option<Value> {
        if server == ServerKind::OpenRouter {
            let details = self.details;
            return (!details.is_empty()).then(|| json!({"model": model, DETAILS: details}));
        }
        let content = self.content;
        (!content.is_empty()).then(|| json!({"model": model, CONTENT: content}))
    }
}

/// Appends the texts of a fragment; the rest of it replaces what was there.
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

/// Gives an assistant message back the thoughts that came with it, if they are this model's.
pub(super) fn give_back(
    wire: &mut Value,
    message: &AssistantMessage,
    server: ServerKind,
    model: &ModelId,
) {
    let Some(opaque) = &message.opaque else {
        return;
    };
    // Details are signed: another model refuses them.
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
