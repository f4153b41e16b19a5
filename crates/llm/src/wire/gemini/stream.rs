//! Reads a streamed answer of the Gemini API.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::partial::{PartialArg, PartialArgs};
use super::status::{self, Status};
use crate::provider::ModelContext;
use crate::wire::Decoder;
use crate::wire::call_ids::CallIds;
use crate::wire::refusal::quote;
use crate::{
    Arguments, ChatEvent, Error, ErrorKind, FinishReason, Finished, Opaque, ToolCall, Usage,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Vec<Candidate>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<Counts>,
    model_version: Option<String>,
    error: Option<Status>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    index: u64,
    content: Option<Content>,
    finish_reason: Option<String>,
    finish_message: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Vec<Part>,
}

/// A part of the answer. Executed code and its results are ignored: no request enables code
/// execution.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<FunctionCall>,
    thought_signature: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionCall {
    id: Option<String>,
    #[serde(default)]
    name: String,
    args: Option<Value>,
    #[serde(default)]
    partial_args: Vec<PartialArg>,
    #[serde(default)]
    will_continue: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

/// Token counts.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Counts {
    #[serde(rename = "promptTokenCount")]
    prompt: u64,
    #[serde(rename = "toolUsePromptTokenCount")]
    tool_use_prompt: u64,
    #[serde(rename = "cachedContentTokenCount")]
    cached_content: u64,
    #[serde(rename = "candidatesTokenCount")]
    candidates: u64,
    #[serde(rename = "thoughtsTokenCount")]
    thoughts: u64,
}

impl Counts {
    fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.prompt + self.tool_use_prompt,
            cached_input_tokens: self.cached_content,
            output_tokens: self.candidates + self.thoughts,
            reasoning_tokens: self.thoughts,
            cost_micros: 0,
        }
    }
}

/// Reads one answer; only the first candidate counts.
pub(super) struct ContentDecoder {
    context: Arc<ModelContext>,
    ids: CallIds,
    usage: Counts,
    model: Option<String>,
    reason: Option<String>,
    /// The signature that belongs to the text.
    signature: Option<String>,
    /// A tool call whose arguments arrive in parts.
    pending: Option<PendingCall>,
    texts: bool,
    calls: bool,
    finished: bool,
}

struct PendingCall {
    id: Option<String>,
    name: String,
    signature: Option<String>,
    args: PartialArgs,
}

impl ContentDecoder {
    pub(super) fn new(context: Arc<ModelContext>) -> Self {
        Self {
            context,
            ids: CallIds::default(),
            usage: Counts::default(),
            model: None,
            reason: None,
            signature: None,
            pending: None,
            texts: false,
            calls: false,
            finished: false,
        }
    }

    fn part(&mut self, part: Part, out: &mut Vec<ChatEvent>) {
        if let Some(call) = part.function_call {
            self.function_call(call, part.thought_signature, out);
            return;
        }
        let text = part.text.unwrap_or_default();
        if part.thought {
            if !text.is_empty() {
                out.push(ChatEvent::Reasoning(text));
            }
            return;
        }
        self.signature = part.thought_signature.or(self.signature.take());
        if !text.is_empty() {
            self.texts = true;
            out.push(ChatEvent::Text(text));
        }
    }

    fn function_call(
        &mut self,
        call: FunctionCall,
        signature: Option<String>,
        out: &mut Vec<ChatEvent>,
    ) {
        let goes_on = call.will_continue;
        if !call.name.is_empty() {
            self.release_pending(out);
            if !goes_on && call.partial_args.is_empty() {
                let arguments = arguments(call.args);
                self.call(call.id, call.name, arguments, signature, out);
                return;
            }
            let members = match call.args {
                Some(Value::Object(members)) => members,
                _ => Map::new(),
            };
            self.pending = Some(PendingCall {
                id: call.id,
                name: call.name,
                signature,
                args: PartialArgs::new(members),
            });
        } else if let Some(pending) = &mut self.pending {
            pending.signature = pending.signature.take().or(signature);
        }
        if let Some(pending) = &mut self.pending {
            for piece in call.partial_args {
                pending.args.add(piece);
            }
        }
        if !goes_on {
            self.release_pending(out);
        }
    }

    fn release_pending(&mut self, out: &mut Vec<ChatEvent>) {
        if let Some(pending) = self.pending.take() {
            let arguments = match pending.args.finish() {
                Ok(members) => Arguments::Object(members),
                Err(text) => Arguments::Broken(text),
            };
            self.call(pending.id, pending.name, arguments, pending.signature, out);
        }
    }

    fn call(
        &mut self,
        id: Option<String>,
        name: String,
        arguments: Arguments,
        signature: Option<String>,
        out: &mut Vec<ChatEvent>,
    ) {
        self.calls = true;
        let id = id.filter(|id| !id.is_empty());
        let opaque = self.opaque([("id", id.clone()), ("signature", signature)]);
        out.push(ChatEvent::Call(ToolCall {
            id: self.ids.take(id.unwrap_or_default()),
            name,
            arguments,
            opaque,
        }));
    }

    /// Data that is returned to this model only.
    fn opaque<const N: usize>(&self, members: [(&str, Option<String>); N]) -> Option<Opaque> {
        let mut data: Map<String, Value> = members
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.into())))
            .collect();
        if data.is_empty() {
            return None;
        }
        data.insert("model".to_owned(), self.context.id.model.as_ref().into());
        Some(Opaque {
            provider: self.context.id.provider.clone(),
            data: Value::Object(data),
        })
    }

    fn candidate(&mut self, candidate: Candidate, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        for part in candidate
            .content
            .map(|content| content.parts)
            .unwrap_or_default()
        {
            self.part(part, out);
        }
        let Some(reason) = candidate.finish_reason else {
            return Ok(());
        };
        let failure = match reason.as_str() {
            // The model wrote an unreadable call; a second attempt usually succeeds.
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MALFORMED_RESPONSE" => Some(ErrorKind::Unreadable),
            "MISSING_THOUGHT_SIGNATURE" => Some(ErrorKind::BadRequest),
            held_back if is_held_back(held_back) && !self.texts && !self.calls => {
                Some(ErrorKind::Blocked)
            }
            _ => None,
        };
        if let Some(kind) = failure {
            let words = candidate.finish_message.unwrap_or_default();
            return Err(Error::new(kind)
                .with_detail(quote(&format!("{reason} {words}"), &self.context.key)));
        }
        self.reason = Some(reason);
        Ok(())
    }
}

impl Decoder for ContentDecoder {
    fn message(&mut self, _event: &str, data: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        // Some gateways end streams with OpenAI's `[DONE]`.
        if self.finished || matches!(data.trim(), "" | "[DONE]") {
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_str(data).map_err(|error| {
            let words = format!("{error}: {data}");
            Error::new(ErrorKind::Unreadable).with_detail(quote(&words, &self.context.key))
        })?;
        if let Some(said) = chunk.error {
            return Err(said.error(None, &self.context.key));
        }
        self.model = chunk.model_version.or(self.model.take());
        if let Some(counts) = chunk.usage_metadata {
            self.usage = counts;
        }
        if let Some(reason) = chunk
            .prompt_feedback
            .and_then(|feedback| feedback.block_reason)
        {
            return Err(Error::new(ErrorKind::Blocked).with_detail(quote(
                &format!("prompt blocked: {reason}"),
                &self.context.key,
            )));
        }
        for candidate in chunk.candidates {
            if candidate.index == 0 {
                self.candidate(candidate, out)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, stray: &str, out: &mut Vec<ChatEvent>) -> Result<(), Error> {
        if self.finished {
            return Ok(());
        }
        let Some(reason) = self.reason.take() else {
            return Err(status::stray(stray, &self.context.key).unwrap_or_else(Error::truncated));
        };
        if reason == "MAX_TOKENS"
            && let Some(pending) = &mut self.pending
        {
            pending.args.cut_off();
        }
        self.release_pending(out);
        let signature = self.signature.take();
        out.push(ChatEvent::Finished(Finished {
            reason: match reason.as_str() {
                "MAX_TOKENS" => FinishReason::Length,
                held_back if is_held_back(held_back) => FinishReason::ContentFilter,
                _ if self.calls => FinishReason::ToolCalls,
                _ => FinishReason::Stop,
            },
            usage: self.usage.usage(),
            model: self.model.take(),
            opaque: self.opaque([("signature", signature)]),
        }));
        self.finished = true;
        Ok(())
    }

    fn is_finished(&self) -> bool {
        self.finished
    }
}

fn arguments(args: Option<Value>) -> Arguments {
    match args {
        None | Some(Value::Null) => Arguments::Object(Map::new()),
        Some(Value::Object(members)) => Arguments::Object(members),
        Some(Value::String(text)) => Arguments::parse(&text),
        Some(other) => Arguments::Broken(other.to_string()),
    }
}

fn is_held_back(reason: &str) -> bool {
    matches!(
        reason,
        "SAFETY"
            | "RECITATION"
            | "LANGUAGE"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "MODEL_ARMOR"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION"
    )
}

#[cfg(test)]
mod tests;
