//! A request as a scripted server saw it, in no provider's words.

use ::http::HeaderMap;
use serde_json::Value;

use super::Dialect;

/// A request that was accepted.
#[derive(Debug, Clone)]
pub struct Seen {
    /// In which interface.
    pub dialect: Dialect,
    /// The operation that was requested.
    pub operation: Operation,
    /// The model's name.
    pub model: String,
    /// The instructions before the conversation, joined by line feeds.
    pub system: String,
    /// The conversation, without the instructions before it.
    pub messages: Vec<SeenMessage>,
    /// The tools offered.
    pub tools: Vec<SeenTool>,
    /// The schema that the answer must have. `true` when any JSON will do.
    pub json_schema: Option<Value>,
    /// Whether tools must be called.
    pub tool_choice: Choice,
    /// The texts to embed.
    pub inputs: Vec<String>,
    /// Whether the answer streams.
    pub stream: bool,
    /// The request's headers, the key among them.
    pub headers: HeaderMap,
    /// The request's body.
    pub body: Value,
}

/// An operation of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// An answer in a conversation.
    Chat,
    /// Vectors for texts.
    Embed,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub enum SeenMessage {
    /// Instructions in the middle of the conversation.
    System(String),
    /// A person's words.
    User(String),
    /// The model's words and calls.
    Assistant {
        /// The words.
        text: String,
        /// The calls.
        calls: Vec<SeenCall>,
    },
    /// The answer to a call.
    Tool {
        /// The call; empty where the interface has no ids.
        id: String,
        /// The tool; empty where the interface does not name it again.
        name: String,
        /// The tool's output; JSON if it can be parsed, otherwise text.
        output: Value,
    },
}

/// A call of an earlier step.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenCall {
    /// Its id; empty where the interface has none.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments; text that is no JSON stays text.
    pub arguments: Value,
}

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenTool {
    /// The name of the tool.
    pub name: String,
    /// The description of the tool.
    pub description: String,
    /// The schema of its arguments, in the dialect that was sent.
    pub parameters: Value,
}

/// Whether tools must be called.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// As the model sees fit.
    #[default]
    Auto,
    /// Not at all.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

impl Seen {
    pub(super) fn new(
        dialect: Dialect,
        operation: Operation,
        headers: HeaderMap,
        body: Value,
    ) -> Self {
        Self {
            dialect,
            operation,
            model: String::new(),
            system: String::new(),
            messages: Vec::new(),
            tools: Vec::new(),
            json_schema: None,
            tool_choice: Choice::Auto,
            inputs: Vec::new(),
            stream: false,
            headers,
            body,
        }
    }

    /// The text of the last user message.
    pub fn last_user(&self) -> &str {
        let last = self
            .messages
            .iter()
            .rev()
            .find_map(|message| match message {
                SeenMessage::User(text) => Some(text.as_str()),
                _ => None,
            });
        last.unwrap_or_default()
    }

    /// Number of tool rounds that came after what the person said last.
    pub fn rounds(&self) -> usize {
        let since_user = self
            .messages
            .iter()
            .rev()
            .take_while(|message| !matches!(message, SeenMessage::User(_)));
        since_user
            .filter(|message| matches!(message, SeenMessage::Assistant { calls, .. } if !calls.is_empty()))
            .count()
    }

    /// The answers to the calls of the step before, when those are what the conversation ends with.
    pub fn results(&self) -> Vec<&Value> {
        let mut results: Vec<_> = self
            .messages
            .iter()
            .rev()
            .map_while(|message| match message {
                SeenMessage::Tool { output, .. } => Some(output),
                _ => None,
            })
            .collect();
        results.reverse();
        results
    }

    /// Whether this tool is offered.
    pub fn offers(&self, tool: &str) -> bool {
        self.tools.iter().any(|offered| offered.name == tool)
    }

    /// Whether an answer in JSON is asked for: by a schema, or by forcing one tool.
    pub fn wants_json(&self) -> bool {
        self.json_schema.is_some() || matches!(self.tool_choice, Choice::Named(_))
    }

    /// Calls that have no answer or several, and answers without a call. Some interfaces take such
    /// a conversation and only answer badly.
    pub fn loose_ends(&self) -> Vec<String> {
        let mut ends = Vec::new();
        let mut open: Vec<&SeenCall> = Vec::new();
        for message in &self.messages {
            match message {
                SeenMessage::Tool { id, name, .. } => {
                    let answers = |call: &&SeenCall| answers(call, id, name);
                    match open.iter().position(answers) {
                        Some(at) => drop(open.remove(at)),
                        None => ends.push(format!("an answer of {name} to no call {id}")),
                    }
                }
                SeenMessage::Assistant { calls, .. } => {
                    ends.extend(open.drain(..).map(unanswered));
                    open.extend(calls);
                }
                _ => ends.extend(open.drain(..).map(unanswered)),
            }
        }
        ends.extend(open.drain(..).map(unanswered));
        ends
    }
}

fn answers(call: &SeenCall, id: &str, name: &str) -> bool {
    let by_id = !id.is_empty() && !call.id.is_empty();
    if by_id {
        call.id == id
    } else {
        name.is_empty() || call.name == name
    }
}

fn unanswered(call: &SeenCall) -> String {
    format!("the call {} of {} has no answer", call.id, call.name)
}

/// JSON where it is JSON, otherwise the text.
pub(super) fn json_or_text(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
}
