//! What was said before in the thread, as storage kept it, for a model to read.

mod render;

use serde_json::Value;

pub(crate) use render::{Answered, messages, remembered};

/// A past message of the thread.
#[derive(Debug, Clone, PartialEq)]
pub struct PastMessage {
    /// Who wrote it.
    pub role: PastRole,
    /// The text; all of its blocks, one below the other. May be empty.
    pub text: String,
    /// The calls of an assistant's message, in their order. Empty where only the text is of interest any more.
    pub calls: Vec<PastCall>,
}

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PastRole {
    /// The person.
    User,
    /// The assistant.
    Assistant,
}

/// A call of a past message.
#[derive(Debug, Clone, PartialEq)]
pub struct PastCall {
    /// The call, unique in the thread.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub input: Value,
    /// What came of it; `None` when nothing did: the run was cut off, or the picker is still open or was ignored.
    pub output: Option<Value>,
    /// Whether the tool did what it was asked.
    pub ok: bool,
}
