//! A conversation as servers of chat completions take it: the results of a message's calls right behind it, and nothing that is wholly
//! empty. Instructions in the middle stay where they are.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value, json};

use super::turns::UNANSWERED;
use crate::{Arguments, AssistantMessage, Message, ToolCall, ToolOutput};

/// A message, its calls with their results.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// Instructions.
    System(&'a str),
    /// The person's words.
    User(&'a str),
    /// The model's, with its calls and their results.
    Assistant {
        /// The message.
        message: &'a AssistantMessage,
        /// Its calls.
        rounds: Vec<Round<'a>>,
        /// Whether it belongs to the tool loop that goes on.
        is_current: bool,
    },
}

/// A call and its result.
#[derive(Debug)]
pub(crate) struct Round<'a> {
    /// The call's id as the provider takes it.
    pub(crate) id: String,
    /// The call.
    pub(crate) call: &'a ToolCall,
    /// What came of it, or words that stand for it.
    pub(crate) output: String,
}

/// Puts a conversation in order. Results that belong to no call are left out, and calls without result get one. `takes_id` tells which
/// ids the provider takes as they are; for others `make_id` makes one from a number.
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
            // Results are taken with their calls.
            _ => {}
        }
    }
    steps
}

/// The result of a call: the first that nobody took, before a later message has a call of this id.
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

/// A call's arguments as an object, which several servers read before they hand them on. What is none is told within one.
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
    /// The same id whenever the same conversation is sent, so that the provider's cache of its beginning stays good.
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
