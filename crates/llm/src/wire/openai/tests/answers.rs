//! Streams as different servers send them.

use serde_json::{Value, json};

use super::{compatible, openai, openrouter, vllm};
use crate::recordings::{DecodedAnswer, DecodedCall, read};
use crate::wire::ChatWire;
use crate::{ChatEvent, Error, ErrorKind, FinishReason, Usage};

/// A body of these chunks, and the end.
fn body(chunks: &[Value]) -> String {
    let chunks: Vec<_> = chunks
        .iter()
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    chunks.concat() + "data: [DONE]\n\n"
}

fn delta(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn call(fragments: &Value) -> Value {
    delta(&json!({"tool_calls": fragments}))
}

fn told(wire: &dyn ChatWire, chunks: &[Value]) -> DecodedAnswer {
    read(wire, &body(chunks), &[]).unwrap()
}

fn failed(wire: &dyn ChatWire, chunks: &[Value]) -> Error {
    read(wire, &body(chunks), &[]).unwrap_err()
}

fn called(id: &str, name: &str, arguments: Value) -> DecodedCall {
    DecodedCall {
        id: Some(id.to_owned()),
        name: name.to_owned(),
        arguments,
    }
}

#[test]
fn azure_begins_with_a_chunk_without_choices() {
    let told = told(
        &openai("gpt-4o"),
        &[
            json!({"choices": [], "id": "", "model": "", "prompt_filter_results": [{"prompt_index": 0}]}),
            json!({"model": "gpt-4o-2024", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}),
            finish("stop"),
        ],
    );
    assert_eq!(
        (told.text.as_str(), told.model.as_deref()),
        ("Hi", Some("gpt-4o-2024"))
    );
    assert_eq!(told.usage, Usage::default());
}

#[test]
fn calls_are_told_apart_by_index() {
    let told = told(
        &openai("gpt-4o"),
        &[
            call(&json!([{"index": 2, "id": "b", "function": {"name": "two", "arguments": ""}}])),
            call(
                &json!([{"index": 1, "id": "a", "function": {"name": "one", "arguments": "{\"x\""}}]),
            ),
            call(&json!([
                {"index": 2, "id": "", "function": {"name": "", "arguments": "{}"}},
                {"index": 1, "id": "", "function": {"name": null, "arguments": ":1}"}},
            ])),
            finish("tool_calls"),
        ],
    );
    assert_eq!(
        told.calls,
        [
            called("a", "one", json!({"x": 1})),
            called("b", "two", json!({}))
        ]
    );
    assert_eq!(told.reason, FinishReason::ToolCalls);
}

#[test]
fn mistral_omits_the_index_and_ends_in_the_same_chunk() {
    let told = told(
        &vllm(),
        &[
            json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "delta": {"tool_calls": [
                {"id": "aaaaaaaaa", "function": {"name": "one", "arguments": "{\"x\": 1}"}},
                {"id": "bbbbbbbbb", "function": {"name": "one", "arguments": "{\"x\": 2}"}},
            ]}}]}),
        ],
    );
    assert_eq!(
        told.calls,
        [
            called("aaaaaaaaa", "one", json!({"x": 1})),
            called("bbbbbbbbb", "one", json!({"x": 2})),
        ]
    );
}

#[test]
fn fragments_without_index_or_id_continue_the_last_call() {
    let told = told(
        &vllm(),
        &[
            call(&json!([{"id": "a", "function": {"name": "one", "arguments": "{\"x\""}}])),
            call(&json!([{"function": {"arguments": ":1}"}}])),
            finish("tool_calls"),
        ],
    );
    assert_eq!(told.calls, [called("a", "one", json!({"x": 1}))]);
}

#[test]
fn calls_that_share_an_index_are_told_apart_by_id_and_name() {
    let told = told(
        &vllm(),
        &[
            call(&json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}])),
            call(
                &json!([{"index": 0, "id": "b", "function": {"name": "one", "arguments": "{\"x\""}}]),
            ),
            call(
                &json!([{"index": 0, "id": "b", "function": {"name": "one", "arguments": ":1}"}}]),
            ),
            finish("tool_calls"),
        ],
    );
    assert_eq!(
        told.calls,
        [
            called("a", "one", json!({})),
            called("b", "one", json!({"x": 1}))
        ]
    );
}

#[test]
fn missing_and_repeated_ids_are_made_up_for() {
    let told = told(
        &vllm(),
        &[
            call(&json!([
                {"index": 0, "function": {"name": "one", "arguments": "{}"}},
                {"index": 1, "id": "x", "function": {"name": "one", "arguments": "{}"}},
                {"index": 2, "id": "x", "function": {"name": "one", "arguments": "{}"}},
            ])),
            finish("tool_calls"),
        ],
    );
    let ids: std::collections::HashSet<_> = told.calls.iter().map(|call| &call.id).collect();
    assert_eq!(ids.len(), 3);
    assert!(
        ids.iter()
            .all(|id| id.as_ref().is_some_and(|id| !id.is_empty()))
    );
}

#[test]
fn arguments_may_come_at_once_or_as_an_object() {
    let told = told(
        &vllm(),
        &[
            call(
                &json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": {"x": 1}}}]),
            ),
            call(&json!([{"index": 1, "id": "b", "function": {"name": "two"}}])),
            finish("tool_calls"),
        ],
    );
    assert_eq!(
        told.calls,
        [
            called("a", "one", json!({"x": 1})),
            called("b", "two", json!({}))
        ]
    );
}

#[test]
fn a_call_that_the_limit_cut_off_is_broken() {
    for begun in ["", "{\"x\": [1,"] {
        let told = told(
            &openai("gpt-4o"),
            &[
                call(
                    &json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}]),
                ),
                call(
                    &json!([{"index": 1, "id": "b", "function": {"name": "two", "arguments": begun}}]),
                ),
                finish("length"),
            ],
        );
        assert_eq!(told.reason, FinishReason::Length);
        assert_eq!(
            told.calls,
            [
                called("a", "one", json!({})),
                called("b", "two", json!(begun))
            ]
        );
    }
}

#[test]
fn a_forced_call_ends_with_stop() {
    let one = json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}]);
    let told = told(&openai("gpt-4o"), &[call(&one), finish("stop")]);
    assert_eq!(told.reason, FinishReason::ToolCalls);
}

#[test]
fn too_many_calls_are_refused() {
    let chunks: Vec<_> = (0..300)
        .map(|index| call(&json!([{"index": index, "function": {"name": "one"}}])))
        .collect();
    assert_eq!(failed(&vllm(), &chunks).kind, ErrorKind::TooLarge);
}

#[test]
fn fifty_parallel_calls_are_not_too_many() {
    let mut chunks: Vec<_> = (0..50)
        .map(|index| {
            call(&json!([{"index": index, "id": format!("c{index}"), "function": {"name": "one", "arguments": format!("{{\"n\":{index}}}")}}]))
        })
        .collect();
    chunks.push(finish("tool_calls"));
    let calls = told(&vllm(), &chunks).calls;
    assert_eq!(calls.len(), 50);
    assert_eq!(calls[49], called("c49", "one", json!({"n": 49})));
}

#[test]
fn reasons_to_end_are_read() {
    let cases = [
        ("stop", FinishReason::Stop),
        ("tool_calls", FinishReason::Stop),
        ("eos", FinishReason::Stop),
        ("length", FinishReason::Length),
        ("model_length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
    ];
    for (reason, expected) in cases {
        let told = told(&vllm(), &[delta(&json!({"content": "Hi"})), finish(reason)]);
        assert_eq!(told.reason, expected, "{reason}");
    }
    let overloaded = failed(&vllm(), &[finish("insufficient_system_resource")]);
    assert_eq!(overloaded.kind, ErrorKind::Overloaded);
}

#[test]
fn thoughts_have_several_names() {
    for (name, twice) in [
        ("reasoning", false),
        ("reasoning_content", false),
        ("reasoning", true),
    ] {
        let mut thought = json!({name: "Hm", "content": ""});
        if twice {
            thought["reasoning_content"] = json!("Hm");
        }
        let told = told(
            &vllm(),
            &[
                delta(&thought),
                delta(&json!({"content": "Hi"})),
                finish("stop"),
            ],
        );
        assert_eq!((told.reasoning.as_str(), told.text.as_str()), ("Hm", "Hi"));
    }
}

#[test]
fn content_may_come_in_parts() {
    let told = told(
        &compatible("https://api.mistral.ai/v1", "magistral"),
        &[
            delta(
                &json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}]}),
            ),
            delta(&json!({"content": [{"type": "text", "text": "Hi"}, "odd"]})),
            finish("stop"),
        ],
    );
    assert_eq!((told.reasoning.as_str(), told.text.as_str()), ("Hm", "Hi"));
}

#[test]
fn usage_is_found_wherever_it_stands() {
    let counts = json!({"prompt_tokens": 5, "completion_tokens": 3});
    let expected = Usage {
        input_tokens: 5,
        output_tokens: 3,
        ..Usage::default()
    };
    let mut in_finish = finish("stop");
    in_finish["usage"] = counts.clone();
    let mut in_groq = finish("stop");
    in_groq["x_groq"] = json!({"id": "r", "usage": counts});
    for chunks in [
        vec![in_finish],
        vec![in_groq],
        vec![finish("stop"), json!({"choices": [], "usage": counts})],
        vec![finish("stop"), json!({"usage": counts})],
    ] {
        assert_eq!(told(&vllm(), &chunks).usage, expected);
    }
}

#[test]
fn tokens_of_thoughts_and_from_the_cache_are_counted_once() {
    let usage = |counts: Value| {
        told(
            &vllm(),
            &[finish("stop"), json!({"choices": [], "usage": counts})],
        )
        .usage
    };
    let xai = usage(json!({
        "prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 34,
        "completion_tokens_details": {"reasoning_tokens": 20},
        "prompt_tokens_details": {"cached_tokens": 8},
    }));
    assert_eq!(
        (
            xai.output_tokens,
            xai.reasoning_tokens,
            xai.cached_input_tokens
        ),
        (24, 20, 8)
    );
    let openai = usage(json!({
        "prompt_tokens": 10, "completion_tokens": 24, "total_tokens": 34,
        "completion_tokens_details": {"reasoning_tokens": 20},
    }));
    assert_eq!((openai.output_tokens, openai.reasoning_tokens), (24, 20));
    let deepseek =
        usage(json!({"prompt_tokens": 10, "completion_tokens": 1, "prompt_cache_hit_tokens": 6}));
    assert_eq!(deepseek.cached_input_tokens, 6);
}

#[test]
fn only_the_first_choice_counts() {
    let told = told(
        &vllm(),
        &[
            json!({"choices": [{"index": 1, "delta": {"content": "other"}, "finish_reason": "length"}]}),
            json!({"choices": [{"delta": {"content": "Hi"}}]}),
            finish("stop"),
        ],
    );
    assert_eq!(
        (told.text.as_str(), told.reason),
        ("Hi", FinishReason::Stop)
    );
}

#[test]
fn openrouter_tells_errors_in_the_stream() {
    let error = failed(
        &openrouter(),
        &[
            delta(&json!({"content": "Hi"})),
            json!({
                "error": {"code": 502, "message": "Upstream broke"},
                "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
            }),
        ],
    );
    assert_eq!(error.kind, ErrorKind::Provider);
    assert_eq!(error.detail.as_deref(), Some("Upstream broke"));
    let unexplained = failed(&openrouter(), &[finish("error")]);
    assert_eq!(unexplained.kind, ErrorKind::Provider);
}

#[test]
fn openrouter_says_twice_why_it_ends_and_comments_in_between() {
    let counts = json!({"prompt_tokens": 5, "completion_tokens": 3, "cost": 0.1});
    let mut last = finish("tool_calls");
    last["usage"] = counts;
    let one = json!([{"index": 0, "id": "a", "function": {"name": "one", "arguments": "{}"}}]);
    let body = body(&[call(&one), finish("tool_calls"), last]).replace(
        "data: ",
        ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: ",
    );
    let told = read(&openrouter(), &body, &[]).unwrap();
    assert_eq!((told.calls.len(), told.usage.input_tokens), (1, 5));
}

#[test]
fn details_of_thoughts_are_put_together_to_go_back() {
    let detail = |detail: Value| delta(&json!({"reasoning_details": [detail]}));
    let chunks = [
        detail(json!({"type": "reasoning.text", "text": "Let", "format": "f", "index": 0})),
        detail(json!({"type": "reasoning.text", "text": " me", "format": "f", "index": 0})),
        detail(
            json!({"type": "reasoning.text", "signature": "s", "text": null, "format": "f", "index": 0}),
        ),
        detail(json!({"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 0})),
        finish("stop"),
    ];
    let opaque = opaque(&openrouter(), &chunks).unwrap();
    assert_eq!(opaque.provider, "openrouter".into());
    assert_eq!(
        opaque.data,
        json!({
            "model": "anthropic/claude-haiku-4.5",
            "reasoning_details": [
                {"type": "reasoning.text", "text": "Let me", "format": "f", "index": 0, "signature": "s"},
                {"type": "reasoning.encrypted", "data": "x", "id": "rs_1", "index": 0},
            ],
        })
    );
    assert_eq!(opaque_of_nothing(), None);
}

fn opaque_of_nothing() -> Option<crate::Opaque> {
    opaque(
        &openrouter(),
        &[delta(&json!({"reasoning": "Hm"})), finish("stop")],
    )
}

/// The data that a server requires back with this answer.
fn opaque(wire: &dyn ChatWire, chunks: &[Value]) -> Option<crate::Opaque> {
    let mut decoder = wire.decoder();
    let mut out = Vec::new();
    for chunk in chunks {
        decoder
            .message("message", &chunk.to_string(), &mut out)
            .unwrap();
    }
    decoder.end("", &mut out).unwrap();
    match out.pop() {
        Some(ChatEvent::Finished(finished)) => finished.opaque,
        other => panic!("{other:?}"),
    }
}

#[test]
fn plain_thoughts_are_kept_for_servers_that_want_them_back() {
    let chunks = [
        delta(&json!({"reasoning_content": "Let"})),
        delta(&json!({"reasoning_content": " me"})),
        finish("stop"),
    ];
    let opaque = opaque(&vllm(), &chunks).unwrap();
    assert_eq!(
        opaque.data,
        json!({"model": "qwen3", "reasoning_content": "Let me"})
    );
}

#[test]
fn a_stream_may_end_without_done_but_not_without_a_reason() {
    let whole = format!("data: {}\n\n", finish("stop"));
    assert_eq!(
        read(&vllm(), &whole, &[]).unwrap().reason,
        FinishReason::Stop
    );
    for body in ["", "data: [DONE]\n\n", ": comment\n\n"] {
        let error = read(&vllm(), body, &[]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Truncated, "{body:?}");
    }
    let begun = format!("data: {}\n\n", delta(&json!({"content": "Hi"})));
    assert_eq!(
        read(&vllm(), &begun, &[]).unwrap_err().kind,
        ErrorKind::Truncated
    );
}

#[test]
fn what_is_no_chunk_is_an_error_that_does_not_quote_it() {
    for body in ["data: {\"choices\": \"secret\"}\n\n", "data: secret\n\n"] {
        let error = read(&vllm(), body, &[]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable);
        assert!(!error.to_string().contains("secret"));
    }
    let page = read(&vllm(), "<html>Sorry</html>", &[]).unwrap_err();
    assert_eq!(page.to_string(), "the answer cannot be read: an HTML page");
    let bare = read(
        &vllm(),
        "{\"error\": {\"message\": \"full\", \"code\": 503}}\n",
        &[],
    );
    assert_eq!(bare.unwrap_err().kind, ErrorKind::Overloaded);
}
