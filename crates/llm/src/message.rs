//! A conversation, in no provider's words. History stays in this form, so a thread can change its provider between two calls.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{ModelId, ProviderName};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// Instructions in the middle of a conversation. Providers take them where their API can; elsewhere they become the user's text.
    System {
        /// The instructions.
        text: String,
    },
    /// The person.
    User {
        /// What they said.
        text: String,
    },
    /// The model.
    Assistant(AssistantMessage),
    /// The answer to one call of the assistant message before it.
    Tool(ToolOutput),
}

impl Message {
    /// A person's words.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// The model's words, without calls.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant(AssistantMessage {
            text: text.into(),
            ..AssistantMessage::default()
        })
    }

    /// Instructions.
    pub fn system(text: impl Into<String>) -> Self {
        Self::System { text: text.into() }
    }
}

/// What a model said and asked for in one step.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AssistantMessage {
    /// Its words; may be empty when there are calls.
    pub text: String,
    /// Its calls, in order. Every one is answered by a [`Message::Tool`] before the next other message.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// What its provider wants back unchanged within a tool loop: thinking blocks with signatures, reasoning details. Sent back to the
    /// same provider only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// A provider's own data, to be returned to it as they came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opaque {
    /// The provider as it stands in [`ModelId`]s.
    #[serde(with = "stored_provider")]
    pub provider: ProviderName,
    /// The data.
    pub data: Value,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique in the conversation. Made by us where the provider gives none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
    /// What the provider wants back with this very call (a thought signature, its own id). Returned to the same provider only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opaque: Option<Opaque>,
}

/// The arguments of a call, as the model wrote them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arguments {
    /// An object, as asked for.
    Object(Map<String, Value>),
    /// Text that is no JSON object. Never executed: the model is told what is wrong with it.
    Broken(String),
}

impl Arguments {
    /// Reads what a model streamed. Nothing at all means no arguments.
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

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// The call.
    pub call_id: String,
    /// The tool, which some providers want named again.
    pub name: String,
    /// What it answered, any JSON.
    pub output: Value,
    /// Whether the call failed.
    #[serde(default)]
    pub is_error: bool,
}

impl Opaque {
    /// Whether these are data of this very model.
    pub(crate) fn is_of(&self, model: &ModelId) -> bool {
        self.provider == model.provider && self.data["model"] == *model.model
    }
}

/// The provider of data in stored conversations, where two providers have had other names from the beginning.
mod stored_provider {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::ProviderName;

    /// Names with their stored form.
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
