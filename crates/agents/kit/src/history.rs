//! The earlier messages of the thread, from the store, for a model to read.

use std::collections::BTreeSet;

use llm::{Arguments, AssistantMessage, Message, ToolCall, ToolOutput};
use serde_json::Value;

/// A past message of the thread.
#[derive(Debug, Clone, PartialEq)]
pub struct PastMessage {
    /// Who wrote it.
    pub role: PastRole,
    /// The text; all of its blocks, one below the other. May be empty.
    pub text: String,
    /// The calls of an assistant's message, in their order. Empty where only the text is of
    /// interest any more.
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
    /// The arguments of the call.
    pub input: Value,
    /// The result of it; `None` when nothing did: the run was cut off, or the picker is still open
    /// or was ignored.
    pub output: Option<Value>,
    /// Whether the tool did what it was asked.
    pub ok: bool,
}

/// A past call's result for a model.
pub struct Told {
    /// The result of the call.
    pub output: Value,
    /// Whether the tool did what it was asked.
    pub ok: bool,
}

/// The past as a model reads it: every call has exactly one result, right behind it, whatever
/// happened to it. It begins with a person's message. `comes_last` selects the calls that end a
/// message (pickers); the others come before the words about their results.
pub fn messages(
    past: &[PastMessage],
    comes_last: impl Fn(&PastCall) -> bool,
    mut told: impl FnMut(&PastCall) -> Told,
) -> Vec<Message> {
    let first = past
        .iter()
        .position(|message| message.role == PastRole::User && !message.text.trim().is_empty());
    let mut thread = Thread {
        messages: Vec::new(),
        ids: BTreeSet::new(),
        told: &mut told,
    };
    for message in &past[first.unwrap_or(past.len())..] {
        match message.role {
            PastRole::User if message.text.trim().is_empty() => {}
            PastRole::User => thread.messages.push(Message::user(message.text.as_str())),
            PastRole::Assistant => {
                let (last, before): (Vec<_>, Vec<_>) =
                    message.calls.iter().partition(|call| comes_last(call));
                thread.round("", &before);
                thread.round(&message.text, &last);
            }
        }
    }
    thread.messages
}

struct Thread<'a, F> {
    messages: Vec<Message>,
    /// Calls so far: none is made twice.
    ids: BTreeSet<String>,
    told: &'a mut F,
}

impl<F: FnMut(&PastCall) -> Told> Thread<'_, F> {
    fn round(&mut self, text: &str, calls: &[&PastCall]) {
        let mut made = Vec::new();
        let mut outputs = Vec::new();
        for call in calls {
            if call.id.is_empty() || call.name.is_empty() || !self.ids.insert(call.id.clone()) {
                continue;
            }
            made.push(ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: Arguments::Object(call.input.as_object().cloned().unwrap_or_default()),
                opaque: None,
            });
            let Told { output, ok } = (self.told)(call);
            outputs.push(Message::Tool(ToolOutput {
                call_id: call.id.clone(),
                name: call.name.clone(),
                output,
                is_error: !ok,
            }));
        }
        if made.is_empty() && text.trim().is_empty() {
            return;
        }
        self.messages.push(Message::Assistant(AssistantMessage {
            text: text.trim().to_owned(),
            calls: made,
            opaque: None,
        }));
        self.messages.extend(outputs);
    }
}
