use serde_json::json;

use super::*;
use crate::wire::testing::context;

fn decoder() -> MessageDecoder {
    MessageDecoder::new(context("anthropic", "claude-9"))
}

/// Reads events to the end of the stream.
fn read(events: &[Value]) -> (Vec<ChatEvent>, Result<(), Error>) {
    let mut decoder = decoder();
    let mut out = Vec::new();
    for event in events {
        let name = event["type"].as_str().unwrap_or("message");
        if let Err(error) = decoder.message(name, &event.to_string(), &mut out) {
            return (out, Err(error));
        }
    }
    let end = decoder.end("", &mut out);
    (out, end)
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"model": "claude-9-1", "usage": {
        "input_tokens": 10, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3, "output_tokens": 1
    }}})
}

fn text_block(index: u64, pieces: &[&str]) -> Vec<Value> {
    let open = json!({"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}});
    let deltas = pieces.iter().map(|text| {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}})
    });
    [open]
        .into_iter()
        .chain(deltas)
        .chain([close(index)])
        .collect()
}

fn call_block(index: u64, id: &str, pieces: &[&str]) -> Vec<Value> {
    let open = json!({"type": "content_block_start", "index": index, "content_block":
        {"type": "tool_use", "id": id, "name": "look", "input": {}}});
    let deltas = pieces.iter().map(|json| {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": json}})
    });
    [open]
        .into_iter()
        .chain(deltas)
        .chain([close(index)])
        .collect()
}

fn close(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stop(reason: &str) -> Vec<Value> {
    vec![
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ]
}

fn finished(events: &[ChatEvent]) -> &Finished {
    match events.last() {
        Some(ChatEvent::Finished(finished)) => finished,
        other => panic!("ends with {other:?}"),
    }
}

fn text(events: &[ChatEvent]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        ChatEvent::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

fn calls(events: &[ChatEvent]) -> Vec<(&str, &Arguments)> {
    let calls = events.iter().filter_map(|event| match event {
        ChatEvent::Call(call) => Some((call.id.as_str(), &call.arguments)),
        _ => None,
    });
    calls.collect()
}

#[test]
fn usage_counts_what_came_from_the_cache_and_what_went_there() {
    let (events, end) = read(&[vec![start()], text_block(0, &["Hi"]), stop("end_turn")].concat());
    end.unwrap();
    let finished = finished(&events);
    assert_eq!(
        finished.usage,
        Usage {
            input_tokens: 18,
            cached_input_tokens: 5,
            output_tokens: 7,
            reasoning_tokens: 0,
            cost_micros: 0,
        }
    );
    assert_eq!(finished.model.as_deref(), Some("claude-9-1"));
    assert_eq!(finished.opaque, None);
}

#[test]
fn a_call_without_arguments_has_none_unless_it_was_cut_off() {
    for (reason, arguments) in [
        ("tool_use", Arguments::parse("{}")),
        ("max_tokens", Arguments::Broken(String::new())),
    ] {
        let (events, end) =
            read(&[vec![start()], call_block(0, "t", &[""]), stop(reason)].concat());
        end.unwrap();
        assert_eq!(calls(&events), [("t", &arguments)]);
    }
    let both = [
        call_block(0, "a", &[""]),
        call_block(1, "b", &["{\"x\"", ":"]),
    ]
    .concat();
    let (events, _) = read(&[vec![start()], both, stop("max_tokens")].concat());
    assert_eq!(
        calls(&events),
        [
            ("a", &Arguments::parse("{}")),
            ("b", &Arguments::Broken("{\"x\":".to_owned()))
        ]
    );
    assert_eq!(finished(&events).reason, FinishReason::Length);
}

#[test]
fn arguments_may_come_whole_with_the_block() {
    let open = json!({"type": "content_block_start", "index": 0, "content_block":
        {"type": "tool_use", "id": "t", "name": "look", "input": {"x": 1}}});
    let (events, _) = read(&[vec![start(), open, close(0)], stop("tool_use")].concat());
    assert_eq!(calls(&events), [("t", &Arguments::parse("{\"x\":1}"))]);
}

#[test]
fn reasons_to_stop() {
    let reason = |stop_reason: &str, block: Vec<Value>| {
        let (events, end) = read(&[vec![start()], block, stop(stop_reason)].concat());
        end.unwrap();
        finished(&events).reason
    };
    let words = || text_block(0, &["Hi"]);
    assert_eq!(reason("end_turn", words()), FinishReason::Stop);
    assert_eq!(reason("stop_sequence", vec![]), FinishReason::Stop);
    assert_eq!(reason("max_tokens", words()), FinishReason::Length);
    assert_eq!(
        reason("model_context_window_exceeded", words()),
        FinishReason::Length
    );
    assert_eq!(reason("refusal", words()), FinishReason::Refusal);
    assert_eq!(reason("pause_turn", words()), FinishReason::Stop);
    assert_eq!(reason("of_tomorrow", words()), FinishReason::Stop);
    let call = || call_block(0, "t", &["{}"]);
    assert_eq!(reason("tool_use", call()), FinishReason::ToolCalls);
    assert_eq!(reason("end_turn", call()), FinishReason::ToolCalls);
}

#[test]
fn the_unknown_is_passed_over() {
    let unknown = vec![
        json!({"type": "ping"}),
        json!({"type": "of_tomorrow", "delta": {"type": "x"}}),
        json!({"type": "content_block_start", "index": 5, "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search"}}),
        json!({"type": "content_block_delta", "index": 5, "delta": {"type": "input_json_delta", "partial_json": "{}"}}),
        close(5),
        json!({"type": "content_block_delta", "index": 6, "delta": {"type": "of_tomorrow", "text": "no"}}),
        json!({"type": "content_block_delta", "index": 6, "delta": {"type": "citations_delta", "citation": {}}}),
    ];
    let (events, end) = read(
        &[
            vec![start()],
            unknown,
            text_block(0, &["Hi"]),
            stop("end_turn"),
        ]
        .concat(),
    );
    end.unwrap();
    assert_eq!(events.len(), 2);
    assert_eq!(text(&events), "Hi");
}

#[test]
fn an_event_without_a_type_goes_by_its_name() {
    let mut decoder = decoder();
    let mut out = Vec::new();
    decoder
        .message("message_start", "{\"message\":{}}", &mut out)
        .unwrap();
    decoder.message("message", "[DONE]", &mut out).unwrap();
    decoder.message("message_stop", "{}", &mut out).unwrap();
    assert!(decoder.is_finished());
}

#[test]
fn a_restarted_message_is_returned_once() {
    let first = [
        vec![start()],
        text_block(0, &["Good ", "day"]),
        call_block(1, "t1", &["{}"]),
    ]
    .concat();
    let again = [
        vec![start()],
        text_block(0, &["Go", "od day, ", "all"]),
        call_block(1, "t9", &["{}"]),
        call_block(2, "t2", &["{}"]),
        stop("tool_use"),
    ]
    .concat();
    let (events, end) = read(&[first, again].concat());
    end.unwrap();
    assert_eq!(text(&events), "Good day, all");
    assert_eq!(
        calls(&events),
        [("t1", &Arguments::parse("")), ("t2", &Arguments::parse(""))]
    );
    assert_eq!(finished(&events).usage.output_tokens, 7);
}

#[test]
fn a_restarted_message_that_differs_is_an_error() {
    let first = [
        vec![start()],
        text_block(0, &["Good day"]),
        call_block(1, "t1", &["{}"]),
    ]
    .concat();
    let others = [
        [text_block(0, &["Good bye"]), stop("end_turn")].concat(),
        [text_block(0, &["Good"]), stop("end_turn")].concat(),
        [text_block(0, &["Good day"]), stop("end_turn")].concat(),
        [
            text_block(0, &["Good day"]),
            call_block(1, "t1", &["{\"x\":1}"]),
            stop("end_turn"),
        ]
        .concat(),
    ];
    for other in others {
        let (events, end) = read(&[first.clone(), vec![start()], other].concat());
        let error = end.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable);
        assert!(error.after_first_token);
        assert_eq!(text(&events), "Good day");
    }
}

#[test]
fn thoughts_are_told_and_kept_with_their_signatures() {
    let think = |index: u64, signature: &str| {
        vec![
            json!({"type": "content_block_start", "index": index, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "thinking_delta", "thinking": "h"}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "thinking_delta", "thinking": "m"}}),
            json!({"type": "content_block_delta", "index": index, "delta": {"type": "signature_delta", "signature": signature}}),
            close(index),
        ]
    };
    let redacted = vec![
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "redacted_thinking", "data": "x"}}),
        close(2),
    ];
    let (events, _) = read(
        &[
            vec![start()],
            think(0, "s1"),
            text_block(1, &["I ", "look"]),
            redacted,
            call_block(3, "t", &["{}"]),
            stop("tool_use"),
        ]
        .concat(),
    );
    assert_eq!(events[0], ChatEvent::Reasoning("h".to_owned()));
    let opaque = finished(&events).opaque.clone().unwrap();
    assert_eq!(
        opaque.data,
        json!({"model": "claude-9", "blocks": [
            {"type": "thinking", "thinking": "hm", "signature": "s1"},
            {"type": "text", "bytes": 6},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "call"}
        ]})
    );
}

#[test]
fn the_call_that_is_the_answer_becomes_text() {
    let open = json!({"type": "content_block_start", "index": 0, "content_block":
        {"type": "tool_use", "id": "t", "name": ANSWER_TOOL, "input": {}}});
    let delta = |json: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": json}});
    let (events, _) = read(
        &[
            vec![
                start(),
                open,
                delta(""),
                delta("{\"x\""),
                delta(":1}"),
                close(0),
            ],
            stop("tool_use"),
        ]
        .concat(),
    );
    assert_eq!(text(&events), "{\"x\":1}");
    assert_eq!(calls(&events), []);
    assert_eq!(finished(&events).reason, FinishReason::Stop);
}

#[test]
fn errors_come_in_the_stream_too() {
    let cases = [
        ("overloaded_error", ErrorKind::Overloaded),
        ("rate_limit_error", ErrorKind::RateLimited),
        ("api_error", ErrorKind::Provider),
        ("of_tomorrow", ErrorKind::Provider),
    ];
    for (error_type, kind) in cases {
        let event = json!({"type": "error", "error": {"type": error_type, "message": "hunter22"}});
        let (_, end) = read(&[vec![start()], text_block(0, &["Hi"]), vec![event]].concat());
        let error = end.unwrap_err();
        assert_eq!(error.kind, kind);
        assert_eq!(error.detail.as_deref(), Some("[key]"));
    }
}

#[test]
fn a_stream_without_its_end_is_cut_off() {
    let whole = [vec![start()], text_block(0, &["Hi"]), stop("end_turn")].concat();
    for length in 0..whole.len() {
        let (_, end) = read(&whole[..length]);
        assert_eq!(end.unwrap_err().kind, ErrorKind::Truncated);
    }
}

#[test]
fn text_in_place_of_a_stream_is_an_error() {
    let end = |stray: &str| decoder().end(stray, &mut Vec::new()).unwrap_err().kind;
    assert_eq!(end("<html>Sign in</html>"), ErrorKind::Unreadable);
    assert_eq!(
        end(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        ErrorKind::Overloaded
    );
    assert_eq!(end("  "), ErrorKind::Truncated);
    let broken = decoder().message("message", "{\"type\":", &mut Vec::new());
    assert_eq!(broken.unwrap_err().kind, ErrorKind::Unreadable);
}
