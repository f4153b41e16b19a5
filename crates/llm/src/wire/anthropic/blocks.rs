//! Keeps thinking blocks and their places in the message, to return them unchanged.
//!
//! The stored form is `{"model": …, "blocks": […]}`: the thinking blocks, and between them marks
//! for the text of the message (`{"type": "text", "bytes": n}`) and its tool calls (`{"type":
//! "call"}`), which are stored elsewhere.

use serde_json::{Value, json};

use crate::{AssistantMessage, ModelId, Opaque};

/// Collects the thinking blocks of a message and their order.
#[derive(Debug, Default)]
pub(super) struct ThinkingBlocks {
    blocks: Vec<Value>,
    thoughts: bool,
    text: usize,
}

impl ThinkingBlocks {
    pub(super) fn text(&mut self, bytes: usize) {
        self.text += bytes;
    }

    pub(super) fn call(&mut self) {
        self.close_text();
        self.blocks.push(json!({"type": "call"}));
    }

    /// Drops a block without a signature, which the API would reject.
    pub(super) fn thinking(&mut self, block: Value) {
        let signed = |member: &str| {
            block
                .get(member)
                .and_then(Value::as_str)
                .is_some_and(|value| !value.is_empty())
        };
        if signed("signature") || signed("data") {
            self.close_text();
            self.thoughts = true;
            self.blocks.push(block);
        }
    }

    /// The data to return with the message, if it has thinking blocks.
    pub(super) fn into_opaque(mut self, model: &ModelId) -> Option<Opaque> {
        self.close_text();
        self.thoughts.then(|| Opaque {
            provider: model.provider.clone(),
            data: json!({"model": model.model, "blocks": self.blocks}),
        })
    }

    fn close_text(&mut self) {
        if self.text > 0 {
            let bytes = std::mem::take(&mut self.text);
            self.blocks.push(json!({"type": "text", "bytes": bytes}));
        }
    }
}

/// A part of an assistant message, in the order of the request.
#[derive(Debug, PartialEq)]
pub(super) enum MessagePart<'a> {
    /// A thinking block.
    Thinking(&'a Value),
    /// Text, possibly blank.
    Text(&'a str),
    /// The tool call at this index.
    Call(usize),
}

/// The parts of a message, with its thinking blocks if they are this model's.
pub(super) fn pieces<'a>(
    message: &'a AssistantMessage,
    model: Option<&ModelId>,
) -> Vec<MessagePart<'a>> {
    let blocks = kept_blocks(message, model);
    if let Some(pieces) = as_kept(message, blocks) {
        return pieces;
    }
    // The text or the calls were changed: thinking blocks come first, which is always valid.
    let thoughts = blocks
        .iter()
        .filter(|block| is_thought(block))
        .map(MessagePart::Thinking);
    thoughts
        .chain([MessagePart::Text(&message.text)])
        .chain((0..message.calls.len()).map(MessagePart::Call))
        .collect()
}

fn kept_blocks<'a>(message: &'a AssistantMessage, model: Option<&ModelId>) -> &'a [Value] {
    message
        .opaque
        .as_ref()
        .filter(|opaque| model.is_some_and(|model| opaque.is_of(model)))
        .and_then(|opaque| opaque.data.get("blocks")?.as_array())
        .map_or(&[], Vec::as_slice)
}

/// The parts in their original order, if the marks still fit the message.
fn as_kept<'a>(message: &'a AssistantMessage, blocks: &'a [Value]) -> Option<Vec<MessagePart<'a>>> {
    let mut text = message.text.as_str();
    let mut calls = 0;
    let mut pieces = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block.get("type").and_then(Value::as_str) {
            Some("text") => {
                let bytes = usize::try_from(block.get("bytes")?.as_u64()?).ok()?;
                let (piece, rest) = text.split_at_checked(bytes)?;
                pieces.push(MessagePart::Text(piece));
                text = rest;
            }
            Some("call") => {
                pieces.push(MessagePart::Call(calls));
                calls += 1;
            }
            _ => pieces.push(MessagePart::Thinking(block)),
        }
    }
    (text.is_empty() && calls == message.calls.len()).then_some(pieces)
}

fn is_thought(block: &Value) -> bool {
    !matches!(
        block.get("type").and_then(Value::as_str),
        Some("text" | "call")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, ToolCall};

    fn message(text: &str, calls: usize, opaque: Option<Opaque>) -> AssistantMessage {
        let call = |number: usize| ToolCall {
            id: number.to_string(),
            name: "look".to_owned(),
            arguments: Arguments::parse(""),
            opaque: None,
        };
        AssistantMessage {
            text: text.to_owned(),
            calls: (0..calls).map(call).collect(),
            opaque,
        }
    }

    fn thinking(signature: &str) -> Value {
        json!({"type": "thinking", "thinking": "hm", "signature": signature})
    }

    fn model(name: &str) -> ModelId {
        ModelId {
            provider: "anthropic".into(),
            model: name.into(),
        }
    }

    fn interleaved() -> Option<Opaque> {
        let mut kept = ThinkingBlocks::default();
        kept.thinking(thinking("s1"));
        kept.text(2);
        kept.text(1);
        kept.thinking(thinking("s2"));
        kept.call();
        kept.into_opaque(&model("m"))
    }

    #[test]
    fn interleaved_thoughts_return_to_their_places() {
        let message = message("abc", 1, interleaved());
        let (first, second) = (thinking("s1"), thinking("s2"));
        assert_eq!(
            pieces(&message, Some(&model("m"))),
            [
                MessagePart::Thinking(&first),
                MessagePart::Text("abc"),
                MessagePart::Thinking(&second),
                MessagePart::Call(0)
            ]
        );
    }

    #[test]
    fn thoughts_come_first_when_the_message_was_changed() {
        let message = message("another text", 1, interleaved());
        let (first, second) = (thinking("s1"), thinking("s2"));
        assert_eq!(
            pieces(&message, Some(&model("m"))),
            [
                MessagePart::Thinking(&first),
                MessagePart::Thinking(&second),
                MessagePart::Text("another text"),
                MessagePart::Call(0)
            ]
        );
    }

    #[test]
    fn another_models_thoughts_stay_away() {
        let message = message("abc", 1, interleaved());
        assert_eq!(
            pieces(&message, Some(&model("other"))),
            [MessagePart::Text("abc"), MessagePart::Call(0)]
        );
    }

    #[test]
    fn nothing_is_kept_without_signed_thoughts() {
        let mut kept = ThinkingBlocks::default();
        kept.thinking(thinking(""));
        kept.text(3);
        assert_eq!(kept.into_opaque(&model("m")), None);
    }
}
