//! A conversation in a form that does not depend on the provider, so a thread can change its
//! provider between two calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ModelId, ProviderName};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions in the middle of a conversation. Wires without such a role send them as a
    /// message of the user.
    System {
        /// The instructions.
        text: String,
    },
    /// A message of the user.
    User {
        /// The text.
        text: String,
    },
    /// A message of the model.
    Assistant(AssistantMessage),
    /// The result of one tool call of the assistant message before it.
    Tool(ToolOutput),
}

impl Message {
    /// A message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// A message of the model without tool calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage {
            text: text.into(),
            ..AssistantMessage::default()
        })
    }

    /// Instructions in the middle of a conversation.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }
}

/// The text and the tool calls of one step of a model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// May be empty when there are tool calls.
    pub text: String,
    /// The tool calls, in order. A [`Message::Tool`] answers each before the next other message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// Data that the provider requires back unchanged within a tool loop: signed thinking blocks,
    /// reasoning details. Returned only to the same provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// Data of a provider, returned to it unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// The provider, as in [`ModelId`].
    #[serde(with = "stored_provider")]
    pub provider: ProviderName,
    /// The data.
    pub data: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in the conversation. Generated where the provider gives none.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
    /// Data that the provider requires back with this call (a thought signature, its own id).
    /// Returned only to the same provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The arguments of a tool call, as the model wrote them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arguments {
    /// A JSON object.
    Object(Map<String, Value>),
    /// Text that is not a JSON object. The call is never executed; its result reports the mistake
    /// to the model.
    Broken(String),
}

impl Arguments {
    /// Parses streamed arguments. Empty text means no arguments.
    pub fn parse(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(members)) => Self::Object(members),
            _ => Self::Broken(text.to_owned()),
        }
    }
}

/// The result of a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The id of the call.
    pub call_id: String,
    /// The name of the tool; some providers require it.
    pub name: String,
    /// The result, any JSON.
    pub output: Value,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}

impl Opaque {
    /// Whether the data came with a message of this model.
    pub(crate) fn is_of(&self, model: &ModelId) -> bool {
        self.provider == model.provider && self.data["model"] == *model.model
    }
}

/// The names of providers in stored conversations; two of them differ from the names in
/// configuration.
mod stored_provider {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::ProviderName;

    /// Names and their stored forms.
    const STORED: [(&str, &str); 2] = [("openai", "open_ai"), ("openrouter", "open_router")];

    pub(super) fn serialize<S: Serializer>(
        provider: &ProviderName,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let name = provider.as_str();
        let stored = STORED.iter().find(|(known, _)| *known == name);
        serializer.serialize_str(stored.map_or(name, |(_, stored)| stored))
    }

    /// The stored forms are aliases of the names.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<ProviderName, D::Error> {
        ProviderName::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn stored_data_of_a_provider_is_read_and_written_as_before() {
        for (name, stored) in [
            ("gemini", "gemini"),
            ("anthropic", "anthropic"),
            ("openai", "open_ai"),
            ("openrouter", "open_router"),
            ("ollama", "ollama"),
            ("local", "local"),
            ("groq", "groq"),
        ] {
            let written = json!({"provider": stored, "data": {"signature": "s"}});
            let read: Opaque = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(read.provider, name.into());
            assert_eq!(serde_json::to_value(&read).unwrap(), written);
        }
    }
}
