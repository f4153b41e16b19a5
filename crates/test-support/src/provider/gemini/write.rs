//! Answers as Gemini writes them: CRLF, calls in one part each, usage in every event. The members
//! are in the recordings' order.

use serde_json::{Value, json};

use super::{SIGNATURE, is_third_generation};
use crate::provider::reply::{Asked, Frame};
use crate::provider::turn::{Answer, End};

/// A streamed answer.
pub(in crate::provider) fn frames(answer: &Answer, asked: &Asked<'_>) -> Vec<Frame> {
    let mut events = Vec::new();
    let thoughts = answer
        .reasoning
        .iter()
        .map(|text| json!([{"text": text, "thought": true}]));
    let texts = answer.text.iter().map(|text| json!([{ "text": text }]));
    events.extend(thoughts.chain(texts).map(|parts| (parts, true)));
    if !answer.calls.is_empty() {
        events.push((calls(answer, asked), true));
    }
    if is_third_generation(&asked.seen.model) && answer.calls.is_empty() {
        // Recorded: a last part with no text and a signature.
        events.push((
            json!([{"text": "", "thoughtSignature": signature(asked)}]),
            false,
        ));
    } else if events.is_empty() {
        events.push((json!([{"text": ""}]), false));
    }
    let last = events.len() - 1;
    let events = events
        .into_iter()
        .enumerate()
        .map(|(index, (parts, content))| {
            let event = response(
                &parts,
                (index == last).then_some(answer),
                answer,
                asked,
                index + 1,
            );
            Frame {
                bytes: format!("data: {event}\r\n\r\n").into(),
                content,
            }
        });
    events.collect()
}

/// An answer in one piece.
pub(in crate::provider) fn whole(answer: &Answer, asked: &Asked<'_>) -> Value {
    let mut parts = Vec::new();
    if !answer.reasoning.is_empty() {
        parts.push(json!({"text": answer.reasoning.concat(), "thought": true}));
    }
    if !answer.text.is_empty() {
        parts.push(json!({"text": answer.text.concat()}));
    }
    if let Value::Array(calls) = calls(answer, asked) {
        parts.extend(calls);
    }
    response(
        &parts.into(),
        Some(answer),
        answer,
        asked,
        answer.text.len(),
    )
}

/// All calls of a step come in one event; the first has the step's signature.
fn calls(answer: &Answer, asked: &Asked<'_>) -> Value {
    let signs = ["gemini-2.5", "gemini-3"]
        .iter()
        .any(|prefix| asked.seen.model.starts_with(prefix));
    let calls = answer.calls.iter().enumerate().map(|(index, call)| {
        let mut function = json!({"args": call.arguments.object()});
        if has_ids(asked) {
            function["id"] = asked.id("", index).into();
        }
        function["name"] = call.name.as_str().into();
        let mut part = json!({ "functionCall": function });
        if index == 0 && signs {
            part["thoughtSignature"] = signature(asked).into();
        }
        part
    });
    calls.collect()
}

/// protocols d.4: 2.x never gives ids, 3 sometimes, 3.6 always.
fn has_ids(asked: &Asked<'_>) -> bool {
    let model = &asked.seen.model;
    model.contains("3.6") || (is_third_generation(model) && asked.serial.is_multiple_of(4))
}

fn response(
    parts: &Value,
    last: Option<&Answer>,
    answer: &Answer,
    asked: &Asked<'_>,
    written: usize,
) -> Value {
    let mut candidate = json!({"content": {"parts": parts, "role": "model"}});
    if let Some(answer) = last {
        if !answer.calls.is_empty() {
            candidate["finishMessage"] = "Model generated function call(s).".into();
        }
        candidate["finishReason"] = finish_reason(answer).into();
        if answer.end == End::Filtered && answer.text.is_empty() && answer.calls.is_empty() {
            // protocols d.4: SAFETY finishes may have no content.
            candidate = json!({"finishReason": "SAFETY"});
        }
    }
    candidate["index"] = 0.into();
    let (input, output) = asked.usage(answer);
    let thoughts = answer.thoughts.unwrap_or(answer.reasoning.len() as u64);
    // Those that are stated are among the tokens out; here they are counted apart.
    let output = output.saturating_sub(answer.thoughts.unwrap_or_default());
    let so_far = if last.is_some() {
        output
    } else {
        output.min(written as u64)
    };
    let mut usage = json!({
        "candidatesTokenCount": so_far,
        "promptTokenCount": input,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": input}],
        "serviceTier": "standard",
    });
    if thoughts > 0 || is_third_generation(&asked.seen.model) || !answer.calls.is_empty() {
        usage["thoughtsTokenCount"] = thoughts.into();
    }
    if answer.cached > 0 {
        usage["cachedContentTokenCount"] = answer.cached.into();
    }
    usage["totalTokenCount"] = (input + so_far + thoughts).into();
    json!({
        "candidates": [candidate],
        "modelVersion": asked.seen.model,
        "responseId": asked.id("id_", 0),
        "usageMetadata": usage,
    })
}

fn finish_reason(answer: &Answer) -> &'static str {
    match answer.end {
        End::Length => "MAX_TOKENS",
        End::Filtered => "SAFETY",
        // It is `STOP` for calls, too; and a refusal is text like any other.
        End::Natural | End::Refused => "STOP",
    }
}

fn signature(asked: &Asked<'_>) -> String {
    format!("{SIGNATURE}{:012}", asked.serial)
}
