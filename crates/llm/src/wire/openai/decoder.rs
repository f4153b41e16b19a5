//! Reads a streamed chat completion.

use std::sync::Arc;

use serde_json::Value;

use super::calls::Calls;
use super::chunk::{Chunk, Delta, usage};
use super::thoughts::Thoughts;
use super::{ServerKind, errors};
use crate::provider::ModelContext;
use crate::wire::Decoder;
use crate::{ChatEvent, Error, ErrorKind, FinishReason, Finished, Opaque, Usage};

/// Reads one answer.
#[derive(Debug)]
pub(super) struct ChatDecoder {
    context: Arc<ModelContext>,
    server: ServerKind,
    state: State,
}

impl ChatDecoder {
    pub(super) fn new(context: Arc<ModelContext>, server: ServerKind) -> Self {
        Self {
            context,
            server,
            state: State::default(),
        }
    }
}

/// The answer so far.
#[derive(Debug, Default)]
struct State {
    calls: Calls,
    thoughts: Thoughts,
    reason: Option<String>,
    refused: bool,
    usage: Usage,
    model: Option<String>,
    finished: bool,
}

impl Decoder for ChatDecoder {
    fn message(&mut self, _event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let data = data.trim();
        if self.state.finished || data.is_empty() {
            return Ok(());
        }
        if data == "[DONE]" {
            return self.finish(out);
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| {
            // Without serde's message, which quotes the answer.
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("{:?} error in a chunk", error.classify()))
        })?;
        if let Some(error) = chunk.error.as_ref().filter(|error| !error.is_null()) {
            return Err(errors::in_stream(&self.context, error));
        }
        self.state.add(chunk, out)?;
        if self.state.reason.as_deref() == Some("error") {
            return Err(
                Error::new(ErrorKind::Provider).with_detail("the finish reason is \"error\"")
            );
        }
        Ok(())
    }

    fn end(&mut self, stray: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.state.finished {
            return Ok(());
        }
        if self.state.reason.is_none() && !stray.trim().is_empty() {
            return Err(errors::stray(&self.context, stray));
        }
        // Some servers send no `[DONE]`.
        self.finish(out)
    }

    fn is_finished(&self) -> bool {
        self.state.finished
    }
}

impl ChatDecoder {
    fn finish(&mut self, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let state = std::mem::take(&mut self.state);
        self.state.finished = true;
        let Some(reason) = state.reason.as_deref() else {
            return Err(Error::truncated());
        };
        let reason = match reason {
            "length" | "max_tokens" | "model_length" => FinishReason::Length,
            "content_filter" => FinishReason::ContentFilter,
            // DeepSeek's reason for an aborted answer.
            "insufficient_system_resource" => {
                return Err(Error::new(ErrorKind::Overloaded).with_detail(reason));
            }
            // `stop` also ends a forced call of a named function.
            _ if !state.calls.is_empty() => FinishReason::ToolCalls,
            _ if state.refused => FinishReason::Refusal,
            _ => FinishReason::Stop,
        };
        let is_cut_off = matches!(reason, FinishReason::Length | FinishReason::ContentFilter);
        let id = &self.context.id;
        let opaque = state
            .thoughts
            .finish(self.server, &id.model)
            .map(|data| Opaque {
                provider: id.provider.clone(),
                data,
            });
        out.extend(
            state
                .calls
                .finish(is_cut_off)
                .into_iter()
                .map(ChatEvent::Call),
        );
        out.push(ChatEvent::Finished(Finished {
            reason,
            usage: state.usage,
            model: state.model,
            opaque,
        }));
        Ok(())
    }
}

impl State {
    fn add(&mut self, chunk: Chunk, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if let Some(counts) = chunk.counts() {
            self.usage = usage(counts);
        }
        if self.model.is_none() {
            self.model = chunk.model.filter(|model| !model.is_empty());
        }
        for choice in chunk.choices.into_iter().flatten() {
            if choice.index.unwrap_or(0) != 0 {
                continue;
            }
            if let Some(delta) = choice.delta {
                self.add_delta(delta, out)?;
            }
            // OpenRouter sends the reason twice.
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.reason = Some(reason);
            }
        }
        Ok(())
    }

    fn add_delta(&mut self, delta: Delta, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        self.thoughts.add_details(delta.reasoning_details);
        self.thoughts
            .add_content(delta.reasoning_content.as_deref());
        // vLLM sends the same under both names.
        let thought = delta
            .reasoning
            .filter(|thought| !thought.is_empty())
            .or(delta
                .reasoning_content
                .filter(|thought| !thought.is_empty()));
        out.extend(thought.map(ChatEvent::Reasoning));
        match delta.content {
            Some(Value::String(text)) => say(text, out),
            Some(Value::Array(parts)) => Self::add_parts(parts, out),
            _ => {}
        }
        if let Some(words) = delta.refusal.filter(|words| !words.is_empty()) {
            self.refused = true;
            say(words, out);
        }
        for fragment in delta.tool_calls.into_iter().flatten() {
            self.calls.add(fragment)?;
        }
        Ok(())
    }

    /// Content in parts: text, and reasoning as parts of its own.
    fn add_parts(parts: Vec<Value>, out: &mut Vec<ChatEvent>) {
        for mut part in parts {
            if let Some(text) = take_text(&mut part) {
                say(text, out);
            }
            let thoughts = part.get_mut("thinking").and_then(Value::as_array_mut);
            for thought in thoughts.into_iter().flatten() {
                if let Some(thought) = take_text(thought).filter(|thought| !thought.is_empty()) {
                    out.push(ChatEvent::Reasoning(thought));
                }
            }
        }
    }
}

fn say(text: String, out: &mut Vec<ChatEvent>) {
    if !text.is_empty() {
        out.push(ChatEvent::Text(text));
    }
}

fn take_text(part: &mut Value) -> Option<String> {
    match part.get_mut("text")?.take() {
        Value::String(text) => Some(text),
        _ => None,
    }
}
