//! Devices in a message.

use serde::{Deserialize, Serialize};

/// Which devices a message names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LoggerMention {
    /// None.
    #[default]
    None,
    /// One, by its id.
    One(String),
    /// Several, in the order of the message, each once.
    Several(Vec<String>),
    /// All of them.
    All,
    /// One that could be several.
    Ambiguous {
        /// The person's words.
        phrase: String,
        /// The ids it could be.
        candidates: Vec<String>,
    },
    /// It reads like a device and is none that we know.
    Unknown {
        /// The person's words.
        phrase: String,
    },
}

/// Whether `message` asks for every device.
pub fn wants_all(message: &str) -> bool {
    let _ = message;
    false
}
