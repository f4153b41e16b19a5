//! Reads a streamed answer of the Messages API.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::StrDeserializer;
use serde_json::{Map, Value};

use super::ErrorBody;
use super::blocks::ThinkingBlocks;
use super::request::ANSWER_TOOL;
use crate::provider::ModelContext;
use crate::wire::Decoder;
use crate::wire::refusal::quote;
use crate::{Arguments, ChatEvent, Error, ErrorKind, FinishReason, Finished, ToolCall, Usage};

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: Option<EventKind>,
    index: Option<u64>,
    message: Option<MessageStart>,
    content_block: Option<Map<String, Value>>,
    delta: Option<Delta>,
    usage: Option<Counts>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum EventKind {
    MessageStart,
    ContentBlockStart,
    ContentBlockDelta,
    ContentBlockStop,
    MessageDelta,
    MessageStop,
    Error,
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageStart {
    model: Option<String>,
    usage: Option<Counts>,
}

/// The members of all kinds of deltas. The kind follows from the member; a text may also be in a
/// delta of an unknown type.
#[derive(Deserialize)]
struct Delta {
    #[serde(rename = "type")]
    kind: Option<DeltaKind>,
    text: Option<String>,
    partial_json: Option<String>,
    thinking: Option<String>,
    signature: Option<String>,
    stop_reason: Option<String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "snake_case")]
enum DeltaKind {
    TextDelta,
    InputJsonDelta,
    ThinkingDelta,
    SignatureDelta,
    #[serde(other)]
    Unknown,
}

/// Token counts so far. A count that is not repeated keeps its value.
#[derive(Deserialize, Default)]
struct Counts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Deserialize)]
struct OutputDetails {
    thinking_tokens: Option<u64>,
}

/// Reads one message.
pub(super) struct MessageDecoder {
    context: Arc<ModelContext>,
    given: ReturnedEvents,
    message: MessageState,
    started: bool,
    finished: bool,
}

/// The events that were returned. Some proxies restart a message; no event is returned twice.
#[derive(Default)]
struct ReturnedEvents {
    text: String,
    calls: Vec<ToolCall>,
    /// Whether a restarted message had reasoning.
    thoughts: bool,
}

/// The message being read.
#[derive(Default)]
struct MessageState {
    model: Option<String>,
    counts: Counts,
    stop_reason: Option<String>,
    blocks: Vec<(u64, Block)>,
    kept: ThinkingBlocks,
    /// The bytes of text and the number of tool calls so far, compared with those that were
    /// returned.
    text: usize,
    calls: usize,
    /// A tool call with empty arguments: it has none, or the limit of tokens truncated it. The next
    /// event decides.
    held: Option<(String, String)>,
    /// Whether reasoning of this message was returned.
    thoughts: bool,
}

/// A content block that is not complete.
enum Block {
    Text,
    Thinking(Map<String, Value>),
    Call(CallBlock),
    /// The tool call that carries the answer.
    Answer,
    /// Tools that run at the provider, and unknown blocks.
    Ignored,
}

struct CallBlock {
    id: String,
    name: String,
    /// The arguments at the start of the block, for proxies that send them there.
    input: Option<Value>,
    json: String,
}

impl MessageDecoder {
    pub(super) fn new(context: Arc<ModelContext>) -> Self {
        Self {
            context,
            given: ReturnedEvents::default(),
            message: MessageState::default(),
            started: false,
            finished: false,
        }
    }

    fn start(&mut self, start: Option<MessageStart>) {
        self.started = true;
        self.given.thoughts |= self.message.thoughts;
        self.message = MessageState::default();
        if let Some(start) = start {
            self.message.model = start.model;
            self.message.counts.update(start.usage.unwrap_or_default());
        }
    }

    fn open(
        &mut self,
        index: u64,
        block: Map<String, Value>,
        out: &mut Vec<ChatEvent>,
    ) -> Result<(), Error> {
        self.release_held(out)?;
        let text = |member: &str| {
            block
                .get(member)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let opened = match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                self.text(text("text"), out)?;
                Block::Text
            }
            Some("thinking" | "redacted_thinking") => {
                self.think(text("thinking"), out);
                Block::Thinking(block)
            }
            Some("tool_use") if text("name") == ANSWER_TOOL => Block::Answer,
            Some("tool_use") => Block::Call(CallBlock {
                id: text("id"),
                name: text("name"),
                input: block.get("input").cloned(),
                json: String::new(),
            }),
            _ => Block::Ignored,
        };
        self.message.blocks.retain(|(open, _)| *open != index);
        self.message.blocks.push((index, opened));
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Delta, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let block = self
            .message
            .blocks
            .iter_mut()
            .find(|(open, _)| *open == index)
            .map(|(_, block)| block);
        match (delta.kind, block) {
            // Text without an open block is still text.
            (Some(DeltaKind::TextDelta), Some(Block::Text) | None) => {
                self.text(delta.text.unwrap_or_default(), out)
            }
            (Some(DeltaKind::InputJsonDelta), Some(Block::Call(call))) => {
                call.json.push_str(&delta.partial_json.unwrap_or_default());
                Ok(())
            }
            (Some(DeltaKind::InputJsonDelta), Some(Block::Answer)) => {
                self.text(delta.partial_json.unwrap_or_default(), out)
            }
            (Some(DeltaKind::ThinkingDelta), Some(Block::Thinking(block))) => {
                let thought = delta.thinking.unwrap_or_default();
                if let Some(Value::String(thoughts)) = block.get_mut("thinking") {
                    thoughts.push_str(&thought);
                } else {
                    block.insert("thinking".to_owned(), thought.as_str().into());
                }
                self.think(thought, out);
                Ok(())
            }
            (Some(DeltaKind::SignatureDelta), Some(Block::Thinking(block))) => {
                let signature = delta.signature.unwrap_or_default();
                block.insert("signature".to_owned(), signature.into());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn close(&mut self, index: u64, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let blocks = &mut self.message.blocks;
        let Some(at) = blocks.iter().position(|(open, _)| *open == index) else {
            return Ok(());
        };
        match blocks.remove(at).1 {
            Block::Thinking(block) => {
                self.message.kept.thinking(Value::Object(block));
                Ok(())
            }
            Block::Call(call) => self.close_call(call, out),
            Block::Text | Block::Answer | Block::Ignored => Ok(()),
        }
    }

    fn close_call(&mut self, call: CallBlock, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        self.release_held(out)?;
        if !call.json.trim().is_empty() {
            return self.call(call.id, call.name, Arguments::parse(&call.json), out);
        }
        match call.input {
            Some(Value::Object(input)) if !input.is_empty() => {
                self.call(call.id, call.name, Arguments::Object(input), out)
            }
            _ => {
                self.message.held = Some((call.id, call.name));
                Ok(())
            }
        }
    }

    fn release_held(&mut self, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        match self.message.held.take() {
            Some((id, name)) => {
                let cut_off = self.message.stop_reason.as_deref() == Some("max_tokens");
                let arguments = if cut_off {
                    Arguments::Broken(String::new())
                } else {
                    Arguments::parse("")
                };
                self.call(id, name, arguments, out)
            }
            None => Ok(()),
        }
    }

    fn text(&mut self, text: String, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if text.is_empty() {
            return Ok(());
        }
        self.message.kept.text(text.len());
        let before = self.message.text;
        self.message.text += text.len();
        let new = match self.given.text.get(before..) {
            None | Some("") => text,
            Some(given) if given.starts_with(&text) => return Ok(()),
            Some(given) => text
                .strip_prefix(given)
                .ok_or_else(changed_mind)?
                .to_owned(),
        };
        self.given.text.push_str(&new);
        out.push(ChatEvent::Text(new));
        Ok(())
    }

    /// Reasoning of a restarted message is not repeated: it is not part of the answer.
    fn think(&mut self, thought: String, out: &mut Vec<ChatEvent>) {
        if thought.is_empty() || self.given.thoughts {
            return;
        }
        self.message.thoughts = true;
        out.push(ChatEvent::Reasoning(thought));
    }

    fn call(
        &mut self,
        id: String,
        name: String,
        arguments: Arguments,
        out: &mut Vec<ChatEvent>,
    ) -> Result<(), Error> {
        self.message.kept.call();
        let number = self.message.calls;
        self.message.calls += 1;
        if let Some(given) = self.given.calls.get(number) {
            let same = given.name == name && given.arguments == arguments;
            return if same { Ok(()) } else { Err(changed_mind()) };
        }
        let call = ToolCall {
            id,
            name,
            arguments,
            opaque: None,
        };
        self.given.calls.push(call.clone());
        out.push(ChatEvent::Call(call));
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        let open: Vec<u64> = self
            .message
            .blocks
            .iter()
            .map(|(index, _)| *index)
            .collect();
        for index in open {
            self.close(index, out)?;
        }
        self.release_held(out)?;
        let message = std::mem::take(&mut self.message);
        if message.text < self.given.text.len() || message.calls < self.given.calls.len() {
            return Err(changed_mind());
        }
        out.push(ChatEvent::Finished(Finished {
            reason: reason(message.stop_reason.as_deref(), message.calls > 0),
            usage: message.counts.usage(),
            model: message.model,
            opaque: message.kept.into_opaque(&self.context.id),
        }));
        self.finished = true;
        Ok(())
    }

    fn failure(&self, error: &ErrorBody) -> Error {
        let kind = error.kind().unwrap_or(ErrorKind::Provider);
        Error::new(kind).with_detail(quote(&error.message, &self.context.key))
    }
}

impl Decoder for MessageDecoder {
    fn message(&mut self, event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        // Some gateways end streams with OpenAI's `[DONE]`.
        if self.finished || matches!(data.trim(), "" | "[DONE]") {
            return Ok(());
        }
        let read: Event = serde_json::from_str(data).map_err(|error| {
            let words = format!("{error}: {data}");
            Error::new(ErrorKind::Unreadable).with_detail(quote(&words, &self.context.key))
        })?;
        let kind = match read.kind {
            Some(kind) => kind,
            None => kind_of(event),
        };
        let index = read.index.unwrap_or_default();
        match kind {
            EventKind::MessageStart => self.start(read.message),
            EventKind::ContentBlockStart => {
                self.open(index, read.content_block.unwrap_or_default(), out)?;
            }
            EventKind::ContentBlockDelta => {
                if let Some(delta) = read.delta {
                    self.delta(index, delta, out)?;
                }
            }
            EventKind::ContentBlockStop => self.close(index, out)?,
            EventKind::MessageDelta => {
                self.message.counts.update(read.usage.unwrap_or_default());
                let stop_reason = read.delta.and_then(|delta| delta.stop_reason);
                self.message.stop_reason = stop_reason.or(self.message.stop_reason.take());
            }
            EventKind::MessageStop => self.finish(out)?,
            EventKind::Error => {
                return Err(match &read.error {
                    Some(error) => self.failure(error),
                    None => {
                        Error::new(ErrorKind::Provider).with_detail(quote(data, &self.context.key))
                    }
                });
            }
            EventKind::Unknown => {}
        }
        Ok(())
    }

    fn end(&mut self, stray: &str, _out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.finished {
            return Ok(());
        }
        if let Some(error) = ErrorBody::read(stray) {
            return Err(self.failure(&error));
        }
        if !self.started && !stray.trim().is_empty() {
            return Err(
                Error::new(ErrorKind::Unreadable).with_detail(quote(stray, &self.context.key))
            );
        }
        Err(Error::truncated())
    }

    fn is_finished(&self) -> bool {
        self.finished
    }
}

fn kind_of(event: &str) -> EventKind {
    let name: StrDeserializer<'_, serde::de::value::Error> = event.into_deserializer();
    EventKind::deserialize(name).unwrap_or(EventKind::Unknown)
}

fn reason(stop_reason: Option<&str>, calls: bool) -> FinishReason {
    match stop_reason {
        Some("max_tokens" | "model_context_window_exceeded") => FinishReason::Length,
        Some("refusal") => FinishReason::Refusal,
        // Only tools that run at the provider pause an answer; there is nothing to wait for.
        _ if calls => FinishReason::ToolCalls,
        _ => FinishReason::Stop,
    }
}

/// The error of a restarted message that differs from its first part, which was already returned.
fn changed_mind() -> Error {
    let mut error = Error::new(ErrorKind::Unreadable)
        .with_detail("the message was restarted and differs from its first part");
    error.after_first_token = true;
    error
}

impl Counts {
    fn update(&mut self, newer: Self) {
        self.input_tokens = newer.input_tokens.or(self.input_tokens);
        self.cache_creation_input_tokens = newer
            .cache_creation_input_tokens
            .or(self.cache_creation_input_tokens);
        self.cache_read_input_tokens = newer
            .cache_read_input_tokens
            .or(self.cache_read_input_tokens);
        self.output_tokens = newer.output_tokens.or(self.output_tokens);
        self.output_tokens_details = newer
            .output_tokens_details
            .or(self.output_tokens_details.take());
    }

    fn usage(&self) -> Usage {
        let cached = self.cache_read_input_tokens.unwrap_or_default();
        let written = self.cache_creation_input_tokens.unwrap_or_default();
        let details = self.output_tokens_details.as_ref();
        Usage {
            input_tokens: self.input_tokens.unwrap_or_default() + cached + written,
            cached_input_tokens: cached,
            output_tokens: self.output_tokens.unwrap_or_default(),
            reasoning_tokens: details
                .and_then(|details| details.thinking_tokens)
                .unwrap_or_default(),
            cost_micros: 0,
        }
    }
}

#[cfg(test)]
mod tests;
