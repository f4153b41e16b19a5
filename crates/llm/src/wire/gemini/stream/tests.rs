use std::time::Duration;

use serde_json::json;

use super::*;
use crate::wire::testing::context;

fn decoder() -> ContentDecoder {
    ContentDecoder::new(context("gemini", "gemini-9"))
}

/// Reads chunks to the end of the stream.
fn read_with(chunks: &[Value], stray: &str) -> (Vec<ChatEvent>, Result<(), Error>) {
    let mut decoder = decoder();
    let mut out = Vec::new();
    for chunk in chunks {
        if let Err(error) = decoder.message("message", &chunk.to_string(), &mut out) {
            return (out, Err(error));
        }
    }
    let end = decoder.end(stray, &mut out);
    assert_eq!(decoder.is_finished(), end.is_ok());
    (out, end)
}

fn read(chunks: &[Value]) -> (Vec<ChatEvent>, Result<(), Error>) {
    read_with(chunks, "")
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "reads better at the place of use"
)]
fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}}]})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}]})
}

fn called(events: &[ChatEvent]) -> Vec<&ToolCall> {
    let calls = events.iter().filter_map(|event| match event {
        ChatEvent::Call(call) => Some(call),
        _ => None,
    });
    calls.collect()
}

fn finished(events: &[ChatEvent]) -> &Finished {
    match events.last() {
        Some(ChatEvent::Finished(finished)) => finished,
        other => panic!("ends with {other:?}"),
    }
}

#[test]
fn one_event_may_hold_everything() {
    let chunk = json!({
        "candidates": [{
            "content": {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"text": "I look."},
                {"functionCall": {"name": "look", "args": {"day": 1}}, "thoughtSignature": "s1"},
                {"functionCall": {"name": "look"}},
                {"text": "", "thoughtSignature": "s0"}
            ]},
            "finishReason": "STOP",
            "finishMessage": "Model generated function call(s)."
        }],
        "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4, "candidatesTokenCount": 5,
            "thoughtsTokenCount": 6, "totalTokenCount": 20},
        "modelVersion": "gemini-9-001"
    });
    let (events, end) = read(&[chunk]);
    end.unwrap();
    assert_eq!(events[0], ChatEvent::Reasoning("hm".to_owned()));
    assert_eq!(events[1], ChatEvent::Text("I look.".to_owned()));
    let calls = called(&events);
    assert_ne!(calls[0].id, calls[1].id);
    assert_eq!(calls[0].arguments, Arguments::parse("{\"day\":1}"));
    assert_eq!(
        calls[0].opaque.as_ref().unwrap().data,
        json!({"signature": "s1", "model": "gemini-9"})
    );
    assert_eq!(calls[1].arguments, Arguments::parse("{}"));
    assert_eq!(calls[1].opaque, None);
    let finished = finished(&events);
    assert_eq!(finished.reason, FinishReason::ToolCalls);
    assert_eq!(
        finished.usage,
        Usage {
            input_tokens: 9,
            cached_input_tokens: 4,
            output_tokens: 11,
            reasoning_tokens: 6,
            cost_micros: 0,
        }
    );
    assert_eq!(finished.model.as_deref(), Some("gemini-9-001"));
    assert_eq!(
        finished.opaque.as_ref().unwrap().data,
        json!({"signature": "s0", "model": "gemini-9"})
    );
}

#[test]
fn given_ids_are_kept_and_repeated_ones_replaced() {
    let call = json!({"functionCall": {"id": "g1", "name": "look", "args": {}}});
    let (events, _) = read(&[parts(json!([call, call])), finish("STOP")]);
    let calls = called(&events);
    assert_eq!(calls[0].id, "g1");
    assert_ne!(calls[1].id, "g1");
    for call in calls {
        assert_eq!(call.opaque.as_ref().unwrap().data["id"], "g1");
    }
}

#[test]
fn the_last_usage_counts_wherever_the_finish_is() {
    let usage = |count: u64| json!({"usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": count}});
    let (events, end) = read(&[
        parts(json!([{"text": "a"}])),
        usage(1),
        finish("STOP"),
        parts(json!([{"text": "b"}])),
        usage(2),
    ]);
    end.unwrap();
    assert_eq!(events[1], ChatEvent::Text("b".to_owned()));
    assert_eq!(finished(&events).usage.output_tokens, 2);
}

#[test]
fn reasons_to_finish() {
    let reason = |name: &str| {
        let (events, end) = read(&[parts(json!([{"text": "Hi"}])), finish(name)]);
        end.unwrap();
        finished(&events).reason
    };
    assert_eq!(reason("STOP"), FinishReason::Stop);
    assert_eq!(reason("MAX_TOKENS"), FinishReason::Length);
    assert_eq!(reason("SAFETY"), FinishReason::ContentFilter);
    assert_eq!(reason("RECITATION"), FinishReason::ContentFilter);
    assert_eq!(reason("OTHER"), FinishReason::Stop);
    assert_eq!(reason("OF_TOMORROW"), FinishReason::Stop);
}

#[test]
fn a_blocked_prompt_and_a_withheld_answer_are_errors() {
    let blocked = json!({"promptFeedback": {"blockReason": "SAFETY", "safetyRatings": []}});
    for chunk in [blocked, finish("SAFETY"), finish("PROHIBITED_CONTENT")] {
        let (events, end) = read(&[chunk]);
        assert_eq!(events, []);
        assert_eq!(end.unwrap_err().kind, ErrorKind::Blocked);
    }
    let unblocked = json!({"promptFeedback": {"safetyRatings": []}});
    read(&[unblocked, finish("STOP")]).1.unwrap();
}

#[test]
fn a_malformed_call_is_worth_another_try() {
    for reason in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"] {
        let error = read(&[finish(reason)]).1.unwrap_err();
        assert!(error.kind.is_transient());
        assert!(error.detail.unwrap().starts_with(reason));
    }
    let unsigned = read(&[finish("MISSING_THOUGHT_SIGNATURE")]).1.unwrap_err();
    assert!(!unsigned.kind.is_transient());
}

#[test]
fn a_stream_without_a_finish_is_cut_off() {
    for chunks in [vec![], vec![parts(json!([{"text": "Hi"}]))]] {
        assert_eq!(read(&chunks).1.unwrap_err().kind, ErrorKind::Truncated);
    }
}

#[test]
fn errors_come_as_messages_and_as_bare_json() {
    let error = json!({"error": {"code": 503, "message": "The model is overloaded, hunter22.", "status": "UNAVAILABLE"}});
    let begun = parts(json!([{"text": "Hi"}]));
    let told = read(&[begun.clone(), error.clone()]).1.unwrap_err();
    assert_eq!(told.kind, ErrorKind::Overloaded);
    assert_eq!(
        told.detail.unwrap(),
        "UNAVAILABLE The model is overloaded, [key]."
    );
    let pretty = serde_json::to_string_pretty(&error).unwrap();
    let bare = read_with(&[begun], &pretty).1.unwrap_err();
    assert_eq!(bare.kind, ErrorKind::Overloaded);
    let limited = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "", "details": [{"retryDelay": "2s"}]}});
    let limited = read(&[limited]).1.unwrap_err();
    assert_eq!(limited.kind, ErrorKind::RateLimited);
    assert_eq!(limited.retry_after, Some(Duration::from_secs(2)));
    let page = read_with(&[], "<html>").1.unwrap_err();
    assert_eq!(page.kind, ErrorKind::Unreadable);
    let broken = decoder().message("message", "{\"candidates\":", &mut Vec::new());
    assert_eq!(broken.unwrap_err().kind, ErrorKind::Unreadable);
}

fn partial_call() -> Vec<Value> {
    let call = |call: Value| parts(json!([{"functionCall": call}]));
    vec![
        parts(
            json!([{"functionCall": {"name": "look", "willContinue": true}, "thoughtSignature": "s1"}]),
        ),
        call(
            json!({"partialArgs": [{"jsonPath": "$.place", "stringValue": "New ", "willContinue": true}], "willContinue": true}),
        ),
        call(
            json!({"partialArgs": [{"jsonPath": "$.place", "stringValue": "Delhi", "willContinue": true}], "willContinue": true}),
        ),
        call(
            json!({"partialArgs": [{"jsonPath": "$.place", "stringValue": ""}], "willContinue": true}),
        ),
        call(
            json!({"partialArgs": [{"jsonPath": "$.days", "numberValue": 3}], "willContinue": true}),
        ),
        call(json!({})),
        finish("STOP"),
    ]
}

#[test]
fn arguments_may_come_in_pieces() {
    let (events, end) = read(&partial_call());
    end.unwrap();
    let calls = called(&events);
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].name, "look");
    assert_eq!(
        calls[0].arguments,
        Arguments::parse(r#"{"place":"New Delhi","days":3}"#)
    );
    assert_eq!(calls[0].opaque.as_ref().unwrap().data["signature"], "s1");
}

#[test]
fn arguments_in_pieces_are_broken_when_cut_off() {
    let mut chunks = partial_call();
    chunks.truncate(3);
    chunks.push(finish("MAX_TOKENS"));
    let (events, end) = read(&chunks);
    end.unwrap();
    assert_eq!(
        called(&events)[0].arguments,
        Arguments::Broken(r#"{"place":"New Delhi"}"#.to_owned())
    );
    assert_eq!(finished(&events).reason, FinishReason::Length);
}

#[test]
fn arguments_that_are_no_object_are_broken() {
    let (events, _) = read(&[
        parts(json!([
            {"functionCall": {"name": "look", "args": "{\"day\":1}"}},
            {"functionCall": {"name": "look", "args": [1]}}
        ])),
        finish("STOP"),
    ]);
    let calls = called(&events);
    assert_eq!(calls[0].arguments, Arguments::parse("{\"day\":1}"));
    assert_eq!(calls[1].arguments, Arguments::Broken("[1]".to_owned()));
}

#[test]
fn code_that_ran_there_and_other_candidates_are_passed_over() {
    let (events, end) = read(&[
        parts(json!([
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            {"inlineData": {"mimeType": "image/png", "data": ""}}
        ])),
        json!({"candidates": [{"index": 1, "content": {"parts": [{"text": "no"}]}, "finishReason": "STOP"}]}),
        json!({"candidates": [{"index": 0, "content": {"parts": [{"text": "one"}]}, "finishReason": "STOP"}]}),
    ]);
    end.unwrap();
    assert_eq!(events[0], ChatEvent::Text("one".to_owned()));
    assert_eq!(events.len(), 2);
}
