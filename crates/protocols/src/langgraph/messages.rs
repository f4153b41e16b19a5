//! Messages in the form of `LangChain`: what a person wrote, what an assistant called, and what it
//! said.

use contracts::run::{Channel, RunEvent, ToolCallKind, Usage};
use contracts::threads::{MessageRole, StoredMessage, ToolRecord, ToolRecordStatus};
use contracts::tools::names::REQUEST_USER_SELECTION;
use serde_json::{Map, Value, json};

/// A question that a thread waits with, as `__interrupt__` shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Interrupt {
    /// The call that asked.
    pub id: String,
    /// The arguments of `request_user_selection`.
    pub value: Value,
}

impl Interrupt {
    /// As `LangGraph` shows it.
    pub fn shown(&self) -> Value {
        json!({ "id": self.id, "value": self.value, "when": "during", "resumable": true, "ns": [] })
    }
}

/// The values of a thread with these messages.
pub fn values(messages: &[Value]) -> Value {
    json!({ "messages": messages })
}

/// A message of a person.
pub fn human(id: &str, text: &str) -> Value {
    message("human", id, text)
}

/// The messages that a stored one amounts to: its calls and their results, then its text.
pub fn of_stored(stored: &StoredMessage) -> Vec<Value> {
    match stored.role {
        MessageRole::User => vec![human(&stored.message_id, &stored.text)],
        MessageRole::System => vec![message("system", &stored.message_id, &stored.text)],
        MessageRole::Assistant => {
            let mut answer = AnswerMessage::new(&stored.message_id);
            for record in stored.tools_used.iter().flatten() {
                answer.called(record);
            }
            answer.text.clone_from(&stored.text);
            answer.messages()
        }
    }
}

/// The question that a stored answer ended with, with the answer as it was until a user answered.
/// `answered`: messages follow, of which one may be the answer.
pub(super) fn open_question(
    stored: &StoredMessage,
    answered: bool,
) -> Option<(Interrupt, StoredMessage)> {
    let records = stored.tools_used.as_deref().unwrap_or_default();
    let is_question = |record: &ToolRecord| record.name == REQUEST_USER_SELECTION;
    let open = records
        .iter()
        .position(|record| is_question(record) && record.status == ToolRecordStatus::Pending)
        // What was called after the answer is in the same message only if that continued.
        .or_else(|| {
            records
                .len()
                .checked_sub(1)
                .filter(|last| answered && is_question(&records[*last]))
        })?;
    let mut then = stored.clone();
    let record = &mut then.tools_used.as_mut()?[open];
    record.result = None;
    record.status = ToolRecordStatus::Pending;
    let interrupt = Interrupt {
        id: record.id.clone(),
        value: record.arguments.clone(),
    };
    Some((interrupt, then))
}

/// An answer in the making.
#[derive(Debug, Default)]
pub(super) struct AnswerMessage {
    id: String,
    calls: Vec<Value>,
    results: Vec<Value>,
    pub(super) text: String,
    pub(super) interrupt: Option<Interrupt>,
    in_final_text: bool,
    begins: bool,
    usage: Option<Usage>,
}

/// What changed with an event.
#[derive(Debug, PartialEq)]
pub(super) enum Change {
    /// More text.
    Text(String),
    /// A call, as its message shows it.
    Call(Value),
    /// The message of a result.
    Result(Value),
}

impl AnswerMessage {
    pub(super) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            ..Self::default()
        }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The id of the message with the calls.
    pub(super) fn calls_id(&self) -> String {
        format!("{}-calls", self.id)
    }

    /// Takes the next event.
    pub(super) fn take(&mut self, event: &RunEvent) -> Option<Change> {
        match event {
            RunEvent::Started { message_id, .. } => {
                *self = Self::new(message_id);
                None
            }
            RunEvent::TextStarted { channel, .. } => {
                self.in_final_text = *channel == Channel::Final;
                self.begins = self.in_final_text && !self.text.is_empty();
                None
            }
            RunEvent::TextDelta { delta, .. } if self.in_final_text => {
                let more = if std::mem::take(&mut self.begins) {
                    format!("\n\n{delta}")
                } else {
                    delta.clone()
                };
                self.text.push_str(&more);
                Some(Change::Text(more))
            }
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind,
            } => {
                if *kind == ToolCallKind::Client {
                    self.interrupt = Some(Interrupt {
                        id: id.clone(),
                        value: input.clone(),
                    });
                }
                Some(Change::Call(self.call(id, name, input)))
            }
            RunEvent::ToolResult { id, output, ok } => {
                let result = self.result(id, output, *ok);
                Some(Change::Result(result))
            }
            RunEvent::Finished { usage, .. } => {
                self.usage = *usage;
                None
            }
            _ => None,
        }
    }

    fn called(&mut self, record: &ToolRecord) {
        self.call(&record.id, &record.name, &record.arguments);
        if let Some(result) = &record.result {
            let ok = record.status == ToolRecordStatus::Success;
            self.result(&record.id, result, ok);
        }
    }

    fn call(&mut self, id: &str, name: &str, input: &Value) -> Value {
        let call = json!({ "id": id, "name": name, "args": input, "type": "tool_call" });
        self.calls.push(call.clone());
        call
    }

    fn result(&mut self, id: &str, output: &Value, ok: bool) -> Value {
        let name = self.calls.iter().find(|call| call["id"] == id);
        let name = name.map_or(Value::Null, |call| call["name"].clone());
        let mut result = message("tool", &format!("{}-{id}", self.id), &output.to_string());
        result["tool_call_id"] = json!(id);
        result["name"] = name;
        result["status"] = json!(if ok { "success" } else { "error" });
        result["artifact"] = Value::Null;
        self.results.push(result.clone());
        result
    }

    /// As messages: the calls, their results, the text.
    pub(super) fn messages(&self) -> Vec<Value> {
        let mut messages = Vec::new();
        if !self.calls.is_empty() {
            let mut calls = ai(&self.calls_id(), "");
            calls["tool_calls"] = json!(self.calls);
            messages.push(calls);
            messages.extend(self.results.iter().cloned());
        }
        if !self.text.is_empty() || self.calls.is_empty() {
            messages.push(self.said());
        }
        messages
    }

    /// The message with the text.
    pub(super) fn said(&self) -> Value {
        let mut said = ai(&self.id, &self.text);
        if let Some(usage) = self.usage {
            said["usage_metadata"] = json!({
                "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, "total_tokens": usage.total_tokens(),
            });
        }
        said
    }
}

fn ai(id: &str, text: &str) -> Value {
    let mut message = message("ai", id, text);
    message["tool_calls"] = json!([]);
    message["invalid_tool_calls"] = json!([]);
    message["usage_metadata"] = Value::Null;
    message
}

fn message(kind: &str, id: &str, text: &str) -> Value {
    let none = Value::Object(Map::new());
    json!({
        "type": kind, "id": id, "content": text, "name": null, "additional_kwargs": none, "response_metadata": none,
    })
}
