//! Reads a streamed answer of `/api/chat`.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::errors;
use crate::provider::ModelContext;
use crate::wire::Decoder;
use crate::wire::call_ids::CallIds;
use crate::{Arguments, ChatEvent, Error, ErrorKind, FinishReason, Finished, ToolCall, Usage};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct LineDecoder {
    context: Arc<ModelContext>,
    calls: Vec<ToolCall>,
    ids: CallIds,
    finished: bool,
}

impl LineDecoder {
    pub(super) fn new(context: Arc<ModelContext>) -> Self {
        Self {
            context,
            calls: Vec::new(),
            ids: CallIds::default(),
            finished: false,
        }
    }
}

/// A line.
#[derive(Debug, Deserialize)]
struct Line {
    model: Option<String>,
    message: Option<LineMessage>,
    #[serde(default)]
    done: bool,
    done_reason: Option<String>,
    prompt_eval_count: Option<u64>,
    eval_count: Option<u64>,
    error: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct LineMessage {
    content: Option<String>,
    thinking: Option<String>,
    tool_calls: Option<Vec<LineCall>>,
}

#[derive(Debug, Deserialize)]
struct LineCall {
    id: Option<String>,
    function: LineFunction,
}

#[derive(Debug, Deserialize)]
struct LineFunction {
    #[serde(default)]
    name: String,
    arguments: Option<Value>,
}

impl Decoder for LineDecoder {
    fn message(&mut self, _event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.finished || data.trim().is_empty() {
            return Ok(());
        }
        let line: Line = serde_json::from_str(data).map_err(|error| {
            // Without serde's message, which quotes the answer.
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("{:?} error in a line", error.classify()))
        })?;
        if let Some(error) = line.error.as_ref().filter(|error| !error.is_null()) {
            return Err(errors::in_stream(&self.context, error));
        }
        if let Some(message) = line.message {
            self.add(message, out);
        }
        if line.done {
            let usage = Usage {
                input_tokens: line.prompt_eval_count.unwrap_or(0),
                output_tokens: line.eval_count.unwrap_or(0),
                ..Usage::default()
            };
            self.finish(line.done_reason.as_deref(), line.model, usage, out);
        }
        Ok(())
    }

    fn end(&mut self, stray: &str, _out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.finished {
            Ok(())
        } else if stray.trim().is_empty() {
            Err(Error::truncated())
        } else {
            Err(errors::stray(&self.context, stray))
        }
    }

    fn is_finished(&self) -> bool {
        self.finished
    }
}

impl LineDecoder {
    fn add(&mut self, message: LineMessage, out: &mut Vec<ChatEvent>) {
        let thought = message.thinking.filter(|thought| !thought.is_empty());
        out.extend(thought.map(ChatEvent::Reasoning));
        let text = message.content.filter(|text| !text.is_empty());
        out.extend(text.map(ChatEvent::Text));
        for call in message.tool_calls.into_iter().flatten() {
            let arguments = match call.function.arguments {
                Some(Value::Object(members)) => Arguments::Object(members),
                None | Some(Value::Null) => Arguments::parse(""),
                Some(Value::String(text)) => Arguments::parse(&text),
                Some(other) => Arguments::Broken(other.to_string()),
            };
            let id = self.ids.take(call.id.unwrap_or_default());
            self.calls.push(ToolCall {
                id,
                name: call.function.name,
                arguments,
                opaque: None,
            });
        }
    }

    fn finish(
        &mut self,
        reason: Option<&str>,
        model: Option<String>,
        usage: Usage,
        out: &mut Vec<ChatEvent>,
    ) {
        let calls = std::mem::take(&mut self.calls);
        let reason = match reason {
            Some("length") => FinishReason::Length,
            _ if !calls.is_empty() => FinishReason::ToolCalls,
            _ => FinishReason::Stop,
        };
        out.extend(calls.into_iter().map(ChatEvent::Call));
        out.push(ChatEvent::Finished(Finished {
            reason,
            usage,
            model: model.filter(|model| !model.is_empty()),
            opaque: None,
        }));
        self.finished = true;
    }
}
