//! The thread as a model reads it: every call has exactly one result, right behind it, whatever
//! happened to it.

use agent_kit::{
    facts::FactRegistry,
    history::{self, PastCall, PastMessage, PastRole, Told},
};
use contracts::tools::names;
use llm::Message;
use serde_json::{Value, json};

use crate::{
    model::summary,
    state::{History, Record},
};

/// The past as messages. An open call has the result that `thread` remembers of it. It begins with
/// a person's message. The values of results are facts that the model may name again.
pub(crate) fn messages(
    past: &[PastMessage],
    thread: &History,
    facts: &mut FactRegistry,
) -> Vec<Message> {
    let is_picker = |call: &PastCall| call.name == names::REQUEST_USER_SELECTION;
    history::messages(past, is_picker, |call| {
        let answered = || thread.call(&call.id)?.result.clone();
        let (output, ok) = match &call.output {
            Some(answer) if is_picker(call) => (answer.clone(), call.ok),
            Some(output) => (facts.annotate(&summary::for_model(output).0), call.ok),
            None => match answered() {
                Some(answer) => (answer, true),
                None if is_picker(call) => (json!({ "status": "not_answered" }), true),
                None => (
                    json!({ "status": "error", "message": "This was stopped before there was an answer." }),
                    false,
                ),
            },
        };
        Told { output, ok }
    })
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
