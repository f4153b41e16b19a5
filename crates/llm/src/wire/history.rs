//! A conversation as servers of chat completions accept it: the results of a message's tool calls
//! follow it directly, and no message is empty. Instructions in the middle keep their place.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use super::turns::UNANSWERED;
use crate::{Arguments, AssistantMessage, Message, ToolCall, ToolOutput};

/// A message, with the results of its tool calls.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// Instructions.
    System(&'a str),
    /// A message of the user.
    User(&'a str),
    /// A message of the model.
    Assistant {
        /// The message.
        message: &'a AssistantMessage,
        /// Its tool calls with their results.
        rounds: Vec<Round<'a>>,
        /// Whether the message belongs to the present tool loop.
        is_current: bool,
    },
}

/// A tool call and its result.
#[derive(Debug)]
pub(crate) struct Round<'a> {
    /// The id of the call in a form that the provider accepts.
    pub(crate) id: String,
    /// The call.
    pub(crate) call: &'a ToolCall,
    /// The result, or a text in its place.
    pub(crate) output: String,
}

/// Puts a conversation in order. Results without a call are dropped, and calls without a result get
/// one. `takes_id` says which ids the provider accepts; for others `make_id` makes one from a
/// number.
pub(crate) fn steps(
    messages: &[Message],
    takes_id: fn(&str) -> bool,
    make_id: fn(u64) -> String,
) -> Vec<Step<'_>> {
    let current = messages
        .iter()
        .rposition(|message| matches!(message, Message::User { .. }))
        .unwrap_or(0);
    let mut ids = Ids {
        taken: HashSet::new(),
        takes_id,
        make_id,
    };
    let mut used = HashSet::new();
    let mut steps = Vec::with_capacity(messages.len());
    for (at, message) in messages.iter().enumerate() {
        match message {
            Message::System { text } if !text.trim().is_empty() => steps.push(Step::System(text)),
            Message::User { text } if !text.trim().is_empty() => steps.push(Step::User(text)),
            Message::Assistant(message)
                if !message.calls.is_empty() || !message.text.trim().is_empty() =>
            {
                let rounds = message
                    .calls
                    .iter()
                    .map(|call| Round {
                        id: ids.take(&call.id),
                        call,
                        output: result(messages, at, &call.id, &mut used)
                            .map_or_else(|| UNANSWERED.to_owned(), output_text),
                    })
                    .collect();
                steps.push(Step::Assistant {
                    message,
                    rounds,
                    is_current: at >= current,
                });
            }
            // Results are added with their calls.
            _ => {}
        }
    }
    steps
}

/// The result of a call: the first unused one before a later message with a call of the same id.
fn result<'a>(
    messages: &'a [Message],
    asked_at: usize,
    id: &str,
    used: &mut HashSet<usize>,
) -> Option<&'a ToolOutput> {
    for (at, message) in messages.iter().enumerate().skip(asked_at + 1) {
        match message {
            Message::Tool(output) if output.call_id == id && used.insert(at) => {
                return Some(output);
            }
            Message::Assistant(later) if later.calls.iter().any(|call| call.id == id) => break,
            _ => {}
        }
    }
    None
}

/// A result as text.
fn output_text(output: &ToolOutput) -> String {
    let text = match &output.output {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    if output.is_error {
        format!("Error: {text}")
    } else {
        text
    }
}

/// The arguments of a call as an object, which several servers require. Broken arguments become a
/// member of one.
pub(crate) fn arguments(call: &ToolCall) -> Map<String, Value> {
    match &call.arguments {
        Arguments::Object(members) => members.clone(),
        Arguments::Broken(text) => {
            Map::from_iter([("unreadable_arguments".to_owned(), json!(text))])
        }
    }
}

/// The ids of a request's calls, each once.
struct Ids {
    taken: HashSet<String>,
    takes_id: fn(&str) -> bool,
    make_id: fn(u64) -> String,
}

impl Ids {
    /// The id is the same whenever the same conversation is sent, so that the provider's prompt
    /// cache stays valid.
    fn take(&mut self, id: &str) -> String {
        let mut fit = id.to_owned();
        let mut attempt = 0_u32;
        while !(self.takes_id)(&fit) || self.taken.contains(&fit) {
            let mut hasher = DefaultHasher::new();
            (id, attempt).hash(&mut hasher);
            fit = (self.make_id)(hasher.finish());
            attempt += 1;
        }
        self.taken.insert(fit.clone());
        fit
    }
}

#[cfg(test)]
mod tests;
