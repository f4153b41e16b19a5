//! The thread as a model reads it: every call has exactly one result, right behind it, whatever happened to it.

use std::collections::BTreeSet;

use contracts::tools::names;
use llm::{Arguments, AssistantMessage, Message, ToolCall, ToolOutput};
use serde_json::{Value, json};

use super::{PastCall, PastMessage, PastRole};
use crate::{
    model::summary,
    state::{History, Record},
};

/// The result that this turn gave to a call of an earlier one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answered {
    pub(crate) call_id: String,
    pub(crate) output: Value,
}

/// The past as messages, and whether `answered` found its call in it. It begins with a person's message.
pub(crate) fn messages(past: &[PastMessage], answered: Option<&Answered>) -> (Vec<Message>, bool) {
    let mut thread = Thread {
        answered,
        ..Thread::default()
    };
    let first = past
        .iter()
        .position(|message| message.role == PastRole::User && !message.text.trim().is_empty());
    for message in &past[first.unwrap_or(past.len())..] {
        match message.role {
            PastRole::User if message.text.trim().is_empty() => {}
            PastRole::User => thread.messages.push(Message::user(message.text.as_str())),
            PastRole::Assistant => thread.assistant(message),
        }
    }
    (thread.messages, thread.found)
}

#[derive(Default)]
struct Thread<'a> {
    messages: Vec<Message>,
    answered: Option<&'a Answered>,
    found: bool,
    /// Calls so far: none is made twice.
    ids: BTreeSet<String>,
}

impl Thread<'_> {
    /// What was looked up comes before the words that tell it, and the picker that ends them after.
    fn assistant(&mut self, message: &PastMessage) {
        let (pickers, others): (Vec<_>, Vec<_>) = message
            .calls
            .iter()
            .partition(|call| call.name == names::REQUEST_USER_SELECTION);
        self.round("", &others);
        self.round(&message.text, &pickers);
    }

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
            outputs.push(Message::Tool(self.output(call)));
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

    fn output(&mut self, call: &PastCall) -> ToolOutput {
        let now = self.answered.filter(|answered| answered.call_id == call.id);
        self.found |= now.is_some();
        let (output, ok) = match (&call.output, now) {
            (Some(output), _) => (summary::for_model(output).0, call.ok),
            (None, Some(answered)) => (answered.output.clone(), true),
            (None, None) if call.name == names::REQUEST_USER_SELECTION => {
                (json!({ "status": "not_answered" }), true)
            }
            (None, None) => (
                json!({ "status": "error", "message": "This was stopped before there was an answer." }),
                false,
            ),
        };
        ToolOutput {
            call_id: call.id.clone(),
            name: call.name.clone(),
            output,
            is_error: !ok,
        }
    }
}

/// The thread's own memory as past messages; the newest may be this turn's.
pub(crate) fn remembered(history: &History) -> Vec<PastMessage> {
    let mut past: Vec<PastMessage> = Vec::new();
    for record in history.iter() {
        match record {
            Record::User { text } => past.push(PastMessage {
                role: PastRole::User,
                text: text.clone(),
                calls: Vec::new(),
            }),
            Record::Assistant { text } => {
                let message = assistants(&mut past);
                if !message.text.is_empty() {
                    message.text.push('\n');
                }
                message.text.push_str(text);
            }
            Record::Tool(call) => assistants(&mut past).calls.push(PastCall {
                id: call.id.clone(),
                name: call.name.clone(),
                input: call.input.clone(),
                output: call.result.clone(),
                ok: call
                    .result
                    .as_ref()
                    .is_some_and(|result| result.get("status") != Some(&Value::from("error"))),
            }),
        }
    }
    past
}

/// The assistant's message that is being put together.
fn assistants(past: &mut Vec<PastMessage>) -> &mut PastMessage {
    if past
        .last()
        .is_none_or(|last| last.role != PastRole::Assistant)
    {
        past.push(PastMessage {
            role: PastRole::Assistant,
            text: String::new(),
            calls: Vec::new(),
        });
    }
    let last = past.len() - 1;
    &mut past[last]
}

#[cfg(test)]
mod tests;
