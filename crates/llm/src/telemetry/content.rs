//! Prompts and answers in the form of the semantic conventions.

use serde_json::{Value, json};
use tracing::Span;

use crate::{Arguments, ChatEvent, ChatRequest, Message, ToolCall};

pub(super) fn record_input(span: &Span, request: &ChatRequest) {
    if let Some(system) = &request.system {
        let instructions = json!([text_part(system)]);
        span.record(
            "gen_ai.system_instructions",
            instructions.to_string().as_str(),
        );
    }
    let messages: Value = request.messages.iter().map(message).collect();
    span.record("gen_ai.input.messages", messages.to_string().as_str());
}

/// An answer, collected while it streams.
#[derive(Debug, Default)]
pub(super) struct CollectedAnswer {
    text: String,
    calls: Vec<Value>,
}

impl CollectedAnswer {
    pub(super) fn add(&mut self, event: &ChatEvent) {
        match event {
            ChatEvent::Text(text) => self.text.push_str(text),
            ChatEvent::Call(call) => self.calls.push(call_part(call)),
            ChatEvent::Reasoning(_) | ChatEvent::Finished(_) => {}
        }
    }

    pub(super) fn record(&self, span: &Span, finish_reason: &str) {
        let parts = parts(&self.text, self.calls.iter().cloned());
        let messages =
            json!([{"role": "assistant", "parts": parts, "finish_reason": finish_reason}]);
        span.record("gen_ai.output.messages", messages.to_string().as_str());
    }
}

fn message(message: &Message) -> Value {
    match message {
        Message::System { text } => json!({"role": "system", "parts": [text_part(text)]}),
        Message::User { text } => json!({"role": "user", "parts": [text_part(text)]}),
        Message::Assistant(message) => {
            let parts = parts(&message.text, message.calls.iter().map(call_part));
            json!({"role": "assistant", "parts": parts})
        }
        Message::Tool(output) => {
            let part = json!({"type": "tool_call_response", "id": output.call_id, "result": output.output});
            json!({"role": "tool", "parts": [part]})
        }
    }
}

fn parts(text: &str, calls: impl Iterator<Item = Value>) -> Vec<Value> {
    let text = (!text.is_empty()).then(|| text_part(text));
    text.into_iter().chain(calls).collect()
}

fn text_part(text: &str) -> Value {
    json!({"type": "text", "content": text})
}

fn call_part(call: &ToolCall) -> Value {
    let arguments = match &call.arguments {
        Arguments::Object(members) => Value::Object(members.clone()),
        Arguments::Broken(text) => Value::String(text.clone()),
    };
    json!({"type": "tool_call", "id": call.id, "name": call.name, "arguments": arguments})
}
