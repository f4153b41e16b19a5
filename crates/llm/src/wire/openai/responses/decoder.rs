//! Reads a streamed answer of the Responses API.

use std::sync::Arc;

use serde_json::{Value, json};

use super::errors;
use crate::provider::ModelContext;
use crate::wire::{CallIds, Decoder};
use crate::{
    Arguments, ChatEvent, Error, ErrorKind, FinishReason, Finished, Opaque, ToolCall, Usage,
};

/// The member of an answer's opaque data that holds its reasoning.
pub(super) const REASONING: &str = "reasoning";

/// Reads one answer.
#[derive(Debug)]
pub(super) struct ResponseDecoder {
    context: Arc<ModelContext>,
    ids: CallIds,
    /// Ids of output items whose calls are known.
    seen: Vec<String>,
    calls: Vec<ToolCall>,
    reasoning: Vec<Value>,
    refused: bool,
    finished: bool,
}

impl ResponseDecoder {
    pub(super) fn new(context: Arc<ModelContext>) -> Self {
        Self {
            context,
            ids: CallIds::default(),
            seen: Vec::new(),
            calls: Vec::new(),
            reasoning: Vec::new(),
            refused: false,
            finished: false,
        }
    }
}

impl Decoder for ResponseDecoder {
    fn message(&mut self, _event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.finished || data.trim().is_empty() || data.trim() == "[DONE]" {
            return Ok(());
        }
        let event: Value = serde_json::from_str(data).map_err(|error| {
            // Without serde's message, which quotes the answer.
            Error::new(ErrorKind::Unreadable)
                .with_detail(format!("{:?} error in an event", error.classify()))
        })?;
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        match kind.as_str() {
            "response.output_text.delta" => out.extend(delta(&event).map(ChatEvent::Text)),
            "response.refusal.delta" => {
                self.refused = true;
                out.extend(delta(&event).map(ChatEvent::Text));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                out.extend(delta(&event).map(ChatEvent::Reasoning));
            }
            "response.output_item.done" => self.item(&event["item"]),
            "response.completed" | "response.incomplete" => {
                self.finish(&event["response"], out);
            }
            "response.failed" => {
                return Err(errors::in_stream(
                    &self.context,
                    &event["response"]["error"],
                ));
            }
            "error" => {
                let error = event.get("error").filter(|error| error.is_object());
                return Err(errors::in_stream(&self.context, error.unwrap_or(&event)));
            }
            // Beginnings and ends of parts, and items of later versions.
            _ => {}
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

fn delta(event: &Value) -> Option<String> {
    let text = event["delta"].as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

impl ResponseDecoder {
    /// A whole item of the answer.
    fn item(&mut self, item: &Value) {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str() {
            Some("function_call") => {
                self.seen.push(text("id"));
                let id = self.ids.take(text("call_id"));
                let is_whole = item["status"] != "incomplete";
                let arguments = match Arguments::parse(&text("arguments")) {
                    arguments if is_whole => arguments,
                    // Arguments that were cut off may be readable by chance.
                    _ => Arguments::Broken(text("arguments")),
                };
                self.calls.push(ToolCall {
                    id,
                    name: text("name"),
                    arguments,
                    opaque: None,
                });
            }
            Some("reasoning") if item["encrypted_content"].is_string() => {
                self.reasoning.push(json!({
                    "type": "reasoning",
                    "id": item["id"],
                    "summary": item["summary"],
                    "encrypted_content": item["encrypted_content"],
                }));
            }
            _ => {}
        }
    }

    fn finish(&mut self, response: &Value, out: &mut Vec<ChatEvent>) {
        self.finished = true;
        // A call that was cut off is only here.
        for item in response["output"].as_array().into_iter().flatten() {
            let is_new = !self.seen.iter().any(|id| item["id"] == **id);
            if item["type"] == "function_call" && is_new {
                self.item(item);
            }
        }
        let calls = std::mem::take(&mut self.calls);
        let reason = match response["incomplete_details"]["reason"].as_str() {
            Some("content_filter") => FinishReason::ContentFilter,
            Some(_) => FinishReason::Length,
            None if !calls.is_empty() => FinishReason::ToolCalls,
            None if self.refused => FinishReason::Refusal,
            None => FinishReason::Stop,
        };
        let id = &self.context.id;
        let reasoning = std::mem::take(&mut self.reasoning);
        let opaque = (!reasoning.is_empty()).then(|| Opaque {
            provider: id.provider.clone(),
            data: json!({"model": id.model, REASONING: reasoning}),
        });
        out.extend(calls.into_iter().map(ChatEvent::Call));
        out.push(ChatEvent::Finished(Finished {
            reason,
            usage: usage(&response["usage"]),
            model: response["model"].as_str().map(str::to_owned),
            opaque,
        }));
    }
}

fn usage(counts: &Value) -> Usage {
    let count = |value: &Value| value.as_u64().unwrap_or_default();
    Usage {
        input_tokens: count(&counts["input_tokens"]),
        cached_input_tokens: count(&counts["input_tokens_details"]["cached_tokens"]),
        output_tokens: count(&counts["output_tokens"]),
        reasoning_tokens: count(&counts["output_tokens_details"]["reasoning_tokens"]),
        cost_micros: 0,
    }
}
