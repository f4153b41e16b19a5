//! Answers as OpenAI and OpenRouter write them. The members are in the recordings' order.

use serde_json::{Value, json};

use crate::provider::reply::{Asked, Frame};
use crate::provider::turn::{Answer, Call, End};
use crate::provider::{Choice, Dialect};

/// A streamed answer.
pub(in crate::provider) fn frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    if asked.seen.dialect == Dialect::OpenRouter {
        return router_frames(answer, asked);
    }
    let mut frames = Vec::new();
    let chunk = |delta: Value| event(&open_chunk(asked, &delta, &Value::Null));
    match answer.calls.as_slice() {
        // Recorded: the first delta of an answer that is one call only carries that call.
        [only] if answer.text.is_empty() => {
            let mut delta = json!({"content": null, "refusal": null, "role": "assistant"});
            delta["tool_calls"] = json!([call_start(only, 0, asked)]);
            frames.push(Frame::content(chunk(delta)));
            frames.extend(fragments(only, 0).map(|delta| Frame::content(chunk(delta))));
        }
        calls => {
            frames.push(Frame::other(chunk(first_delta(answer))));
            let member = if answer.end == End::Refused {
                "refusal"
            } else {
                "content"
            };
            frames.extend(
                answer
                    .text
                    .iter()
                    .map(|text| Frame::content(chunk(json!({ member: text })))),
            );
            for (index, call) in calls.iter().enumerate() {
                frames.push(Frame::content(chunk(
                    json!({"tool_calls": [call_start(call, index, asked)]}),
                )));
                frames.extend(fragments(call, index).map(|delta| Frame::content(chunk(delta))));
            }
        }
    }
    frames.push(Frame::other(event(&open_chunk(
        asked,
        &json!({}),
        &finish(answer, asked),
    ))));
    if asked.seen.body["stream_options"]["include_usage"] == json!(true) {
        let mut last = open_chunk(asked, &Value::Null, &Value::Null);
        last["choices"] = json!([]);
        last["usage"] = usage(answer, asked);
        frames.push(Frame::other(event(&last)));
    }
    frames.push(Frame::other("data: [DONE]\n\n".to_owned()));
    frames
}

/// An answer in one piece.
pub(in crate::provider) fn whole(answer: &Answer, asked: &Asked<'_>) -> Value {
    let text = answer.text.concat();
    let refused = answer.end == End::Refused;
    let mut message = json!({
        "annotations": [],
        "content": if refused || text.is_empty() { Value::Null } else { text.as_str().into() },
        "refusal": if refused { text.as_str().into() } else { Value::Null },
        "role": "assistant",
    });
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter().enumerate().map(|(index, call)| {
            json!({
                "function": {"arguments": call.arguments.text(), "name": call.name},
                "id": asked.id("call_", index),
                "type": "function",
            })
        });
        message["tool_calls"] = calls.collect();
    }
    if !answer.reasoning.is_empty() && asked.seen.dialect == Dialect::OpenRouter {
        message["reasoning"] = answer.reasoning.concat().into();
    }
    json!({
        "choices": [{"finish_reason": finish(answer, asked), "index": 0, "logprobs": null, "message": message}],
        "created": 0,
        "id": asked.id("chatcmpl-", 0),
        "model": asked.seen.model,
        "object": "chat.completion",
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
        "usage": usage(answer, asked),
    })
}

/// OpenRouter's error in the middle of a stream (protocols d.2), and its end.
pub(in crate::provider) fn error_chunk(asked: &Asked<'_>) -> String {
    let mut chunk = router_chunk(
        asked,
        &json!({"content": "", "role": "assistant"}),
        &json!("error"),
    );
    chunk["error"] = json!({"code": 502, "message": "Provider returned error"});
    format!("{}data: [DONE]\n\n", event(&chunk))
}

fn event(data: &Value) -> String {
    format!("data: {data}\n\n")
}

fn open_chunk(asked: &Asked<'_>, delta: &Value, finish: &Value) -> Value {
    json!({
        "choices": [{"delta": delta, "finish_reason": finish, "index": 0, "logprobs": null}],
        "created": 0,
        "id": asked.id("chatcmpl-", 0),
        "model": asked.seen.model,
        "obfuscation": "padding",
        "object": "chat.completion.chunk",
        "service_tier": "default",
        "system_fingerprint": "fp_scripted",
        "usage": null,
    })
}

/// Recorded: `content` is null before calls and in a refusal, and `refusal` is missing before
/// several calls.
fn first_delta(answer: &Answer) -> Value {
    if answer.end == End::Refused {
        json!({"content": null, "refusal": "", "role": "assistant"})
    } else if answer.text.is_empty() && !answer.calls.is_empty() {
        json!({"content": null, "role": "assistant"})
    } else {
        json!({"content": "", "refusal": null, "role": "assistant"})
    }
}

fn call_start(call: &Call, index: usize, asked: &Asked<'_>) -> Value {
    json!({
        "function": {"arguments": "", "name": call.name},
        "id": asked.id("call_", index),
        "index": index,
        "type": "function",
    })
}

/// The deltas with a call's arguments. A call without any streams `{}`.
fn fragments(call: &Call, index: usize) -> impl Iterator<Item = Value> {
    let mut fragments = call.arguments.fragments();
    if fragments.is_empty() {
        fragments.push("{}".to_owned());
    }
    fragments
        .into_iter()
        .map(move |fragment| json!({"tool_calls": [{"function": {"arguments": fragment}, "index": index}]}))
}

fn finish(answer: &Answer, asked: &Asked<'_>) -> Value {
    let forced = matches!(asked.seen.tool_choice, Choice::Named(_));
    let reason = match answer.end {
        End::Length => "length",
        End::Filtered => "content_filter",
        // protocols d.0: `stop` when a function is forced by name.
        End::Natural if !answer.calls.is_empty() && !forced => "tool_calls",
        End::Natural | End::Refused => "stop",
    };
    reason.into()
}

fn usage(answer: &Answer, asked: &Asked<'_>) -> Value {
    let (input, output) = asked.usage(answer);
    if asked.seen.dialect == Dialect::OpenRouter {
        return json!({
            "completion_tokens": output,
            "completion_tokens_details": {"audio_tokens": 0, "image_tokens": 0, "reasoning_tokens": 0},
            "cost": 0.000_852_5,
            "cost_details": {
                "upstream_inference_completions_cost": 0.000_46,
                "upstream_inference_cost": 0.000_852_5,
                "upstream_inference_prompt_cost": 0.000_392_5,
            },
            "is_byok": false,
            "prompt_tokens": input,
            "prompt_tokens_details": {"audio_tokens": 0, "cache_write_tokens": 0, "cached_tokens": answer.cached, "video_tokens": 0},
            "total_tokens": input + output,
        });
    }
    json!({
        "completion_tokens": output,
        "completion_tokens_details": {
            "accepted_prediction_tokens": 0, "audio_tokens": 0,
            "reasoning_tokens": answer.thoughts.unwrap_or_default(), "rejected_prediction_tokens": 0,
        },
        "prompt_tokens": input,
        "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": answer.cached},
        "total_tokens": input + output,
    })
}

const PROCESSING: &str = ": OPENROUTER PROCESSING\n\n";

/// Comments before and between the chunks, `role` and `content` in every delta, the finish reason
/// and usage in a chunk of their own after the finish reason, all recorded.
fn router_frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    let chunk = |delta: Value| Frame::content(event(&router_chunk(asked, &delta, &Value::Null)));
    let mut frames = vec![Frame::other(PROCESSING.to_owned())];
    for text in &answer.reasoning {
        let details = json!([{"format": "anthropic-claude-v1", "index": 0, "text": text, "type": "reasoning.text"}]);
        frames.push(chunk(json!({"content": "", "reasoning": text, "reasoning_details": details, "role": "assistant"})));
    }
    if !answer.reasoning.is_empty() {
        let signature = asked.id("signature_", 0);
        let details = json!([{"format": "anthropic-claude-v1", "index": 0, "signature": signature, "type": "reasoning.text"}]);
        frames.push(chunk(
            json!({"content": "", "reasoning_details": details, "role": "assistant"}),
        ));
    }
    for (index, text) in answer.text.iter().enumerate() {
        frames.push(match answer.end {
            End::Refused => chunk(json!({"content": "", "refusal": text, "role": "assistant"})),
            _ => chunk(json!({"content": text, "role": "assistant"})),
        });
        if index == 0 {
            frames.push(Frame::other(PROCESSING.to_owned()));
        }
    }
    for (index, call) in answer.calls.iter().enumerate() {
        let first = json!([call_start(call, index, asked)]);
        frames.push(chunk(
            json!({"content": null, "role": "assistant", "tool_calls": first}),
        ));
        for delta in std::iter::once(
            json!({"tool_calls": [{"function": {"arguments": ""}, "index": index}]}),
        )
        .chain(fragments(call, index))
        {
            frames.push(chunk(
                json!({"content": null, "role": "assistant", "tool_calls": delta["tool_calls"]}),
            ));
        }
    }
    let last = router_chunk(
        asked,
        &json!({"content": "", "role": "assistant"}),
        &finish(answer, asked),
    );
    frames.push(Frame::other(event(&last)));
    frames.push(Frame::other(event(&with_usage(last, answer, asked))));
    frames.push(Frame::other("data: [DONE]\n\n".to_owned()));
    frames
}

fn with_usage(mut chunk: Value, answer: &Answer, asked: &Asked<'_>) -> Value {
    let fingerprint = chunk["system_fingerprint"].take();
    if let Some(members) = chunk.as_object_mut() {
        members.remove("system_fingerprint");
    }
    chunk["service_tier"] = Value::Null;
    chunk["system_fingerprint"] = fingerprint;
    chunk["usage"] = usage(answer, asked);
    chunk
}

fn router_chunk(asked: &Asked<'_>, delta: &Value, finish: &Value) -> Value {
    json!({
        "choices": [{"delta": delta, "finish_reason": finish, "index": 0, "native_finish_reason": finish}],
        "created": 0,
        "id": asked.id("chatcmpl-", 0),
        "model": asked.seen.model,
        "object": "chat.completion.chunk",
        "provider": "Azure",
        "system_fingerprint": "fp_scripted",
    })
}
