//! Answers as Anthropic writes them. The members are in the recordings' order.

use serde_json::{Value, json};

use crate::provider::reply::{Asked, Frame};
use crate::provider::turn::{Answer, Call, End};

/// A streamed answer.
pub(in crate::provider) fn frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    let mut frames = vec![event(&message_start(answer, asked))];
    let mut index = 0;
    if !answer.reasoning.is_empty() {
        let start = json!({"signature": "", "thinking": "", "type": "thinking"});
        let deltas = answer
            .reasoning
            .iter()
            .map(|text| json!({"thinking": text, "type": "thinking_delta"}));
        let signature = json!({"signature": signature(asked), "type": "signature_delta"});
        block(&mut frames, &mut index, &start, deltas.chain([signature]));
    }
    if !answer.text.is_empty() {
        let start = json!({"text": "", "type": "text"});
        let deltas = answer
            .text
            .iter()
            .map(|text| json!({"text": text, "type": "text_delta"}));
        block(&mut frames, &mut index, &start, deltas);
    }
    for (number, call) in answer.calls.iter().enumerate() {
        let start = call_block(call, number, asked, &json!({}));
        // Recorded: the first fragment is empty, and it is the only one of a call without
        // arguments.
        let fragments = std::iter::once(String::new()).chain(call.arguments.fragments());
        let deltas =
            fragments.map(|text| json!({"partial_json": text, "type": "input_json_delta"}));
        block(&mut frames, &mut index, &start, deltas);
    }
    let (input, output) = asked.usage(answer);
    frames.push(event(&json!({
        "delta": {"stop_details": null, "stop_reason": stop_reason(answer), "stop_sequence": null},
        "type": "message_delta",
        "usage": {
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": answer.cached, "input_tokens": input.saturating_sub(answer.cached), "output_tokens": output,
        },
    })));
    frames.push(event(&json!({"type": "message_stop"})));
    frames
}

/// An answer in one piece.
pub(in crate::provider) fn whole(answer: &Answer, asked: &Asked<'_>) -> Value {
    let mut content = Vec::new();
    if !answer.reasoning.is_empty() {
        let thinking = answer.reasoning.concat();
        content
            .push(json!({"signature": signature(asked), "thinking": thinking, "type": "thinking"}));
    }
    if !answer.text.is_empty() {
        content.push(json!({"text": answer.text.concat(), "type": "text"}));
    }
    for (number, call) in answer.calls.iter().enumerate() {
        content.push(call_block(call, number, asked, &call.arguments.object()));
    }
    let mut message = message_start(answer, asked)["message"].take();
    message["content"] = content.into();
    message["stop_reason"] = stop_reason(answer).into();
    message["usage"]["output_tokens"] = asked.usage(answer).1.into();
    message
}

fn message_start(answer: &Answer, asked: &Asked<'_>) -> Value {
    json!({
        "message": {
            "content": [],
            "id": asked.id("msg_", 0),
            "model": asked.seen.model,
            "role": "assistant",
            "stop_details": null,
            "stop_reason": null,
            "stop_sequence": null,
            "type": "message",
            "usage": {
                "cache_creation": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0},
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": answer.cached,
                "inference_geo": "global",
                "input_tokens": asked.usage(answer).0.saturating_sub(answer.cached),
                "output_tokens": 1,
                "service_tier": "standard",
            },
        },
        "type": "message_start",
    })
}

/// A block of the message. After the first block's start comes a ping, as recorded.
fn block(
    frames: &mut Vec<Frame>,
    index: &mut usize,
    start: &Value,
    deltas: impl Iterator<Item = Value>,
) {
    frames.push(event(
        &json!({"content_block": start, "index": index, "type": "content_block_start"}),
    ));
    if *index == 0 {
        frames.push(event(&json!({"type": "ping"})));
    }
    for delta in deltas {
        let mut frame =
            event(&json!({"delta": delta, "index": index, "type": "content_block_delta"}));
        frame.content = true;
        frames.push(frame);
    }
    frames.push(event(
        &json!({"index": index, "type": "content_block_stop"}),
    ));
    *index += 1;
}

fn event(data: &Value) -> Frame {
    let name = data["type"].as_str().unwrap_or_default();
    Frame::other(format!("event: {name}\ndata: {data}\n\n"))
}

fn call_block(call: &Call, number: usize, asked: &Asked<'_>, input: &Value) -> Value {
    let id = asked.id("toolu_", number);
    json!({"caller": {"type": "direct"}, "id": id, "input": input, "name": call.name, "type": "tool_use"})
}

fn stop_reason(answer: &Answer) -> &'static str {
    match answer.end {
        End::Length => "max_tokens",
        End::Filtered | End::Refused => "refusal",
        End::Natural if answer.calls.is_empty() => "end_turn",
        End::Natural => "tool_use",
    }
}

/// How every signature of a thinking block begins.
pub(super) const SIGNATURE: &str = "U0lHTkFUVVJF";

fn signature(asked: &Asked<'_>) -> String {
    format!("{SIGNATURE}{:012}", asked.serial)
}
