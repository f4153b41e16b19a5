use serde_json::{Value, json};

use super::*;
use crate::recordings::read;
use crate::wire::testing::model;
use crate::{
    Arguments, AssistantMessage, ErrorKind, FinishReason, Message, Opaque, ToolCall, ToolOutput,
};

fn responses(name: &str) -> Responses {
    Responses::new(&model("openai", name)).unwrap()
}

fn stream(events: &[Value]) -> String {
    let named = events.iter().map(|event| {
        let name = event["type"].as_str().unwrap();
        format!("event: {name}\ndata: {event}\n\n")
    });
    named.collect::<Vec<_>>().concat()
}

fn completed(response: &Value) -> Value {
    let mut whole = json!({"model": "gpt-5-mini-2025", "incomplete_details": null, "usage": {
        "input_tokens": 136, "input_tokens_details": {"cached_tokens": 128},
        "output_tokens": 16, "output_tokens_details": {"reasoning_tokens": 9}, "total_tokens": 152,
    }});
    for (name, value) in response.as_object().unwrap() {
        whole[name] = value.clone();
    }
    json!({"type": "response.completed", "response": whole})
}

#[test]
fn text_thoughts_and_calls_are_read_at_any_cut() {
    let call = json!({
        "type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look",
        "arguments": "{\"day\":\"1\"}", "status": "completed",
    });
    let body = stream(&[
        json!({"type": "response.created", "response": {"status": "in_progress"}}),
        json!({"type": "response.reasoning_summary_text.delta", "delta": "Hm"}),
        json!({"type": "response.output_item.added", "item": {"type": "message"}}),
        json!({"type": "response.output_text.delta", "delta": "I lo"}),
        json!({"type": "response.output_text.delta", "delta": "ok."}),
        json!({"type": "response.function_call_arguments.delta", "delta": "{\"day"}),
        json!({"type": "response.output_item.done", "item": call}),
        completed(&json!({"output": [call]})),
    ]);
    for cut in (1..body.len()).step_by(7) {
        let told = read(&responses("gpt-5-mini"), &body, &[cut]).unwrap();
        assert_eq!((&*told.text, &*told.reasoning), ("I look.", "Hm"));
        assert_eq!(told.reason, FinishReason::ToolCalls);
        assert_eq!(told.calls.len(), 1);
        assert_eq!(told.calls[0].arguments, json!({"day": "1"}));
        assert_eq!(
            (told.usage.input_tokens, told.usage.cached_input_tokens),
            (136, 128)
        );
        assert_eq!(told.usage.reasoning_tokens, 9);
    }
}

#[test]
fn ends_that_are_none_are_told_apart() {
    let end = |event: Value| read(&responses("gpt-5-mini"), &stream(&[event]), &[]);
    let cut = json!({"type": "response.incomplete", "response": {
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [{
            "type": "function_call", "id": "fc_1", "call_id": "c", "name": "look",
            "arguments": "{}", "status": "incomplete",
        }],
    }});
    let told = end(cut).unwrap();
    assert_eq!(told.reason, FinishReason::Length);
    assert_eq!(told.calls[0].arguments, json!("{}"), "never executed");
    let failed = json!({"type": "response.failed", "response": {
        "error": {"code": "rate_limit_exceeded", "message": "slow down"},
    }});
    assert_eq!(end(failed).unwrap_err().kind, ErrorKind::RateLimited);
    let error = json!({"type": "error", "code": "server_error", "message": "oops"});
    assert!(end(error).unwrap_err().kind.is_transient());
    let cut_off = json!({"type": "response.output_text.delta", "delta": "Hi"});
    assert_eq!(end(cut_off).unwrap_err().kind, ErrorKind::Truncated);
}

#[test]
fn a_conversation_is_sent_whole_with_the_reasoning_of_its_tool_loop() {
    let thought = json!({"type": "reasoning", "id": "rs_1", "encrypted_content": "x"});
    let request = ChatRequest {
        system: Some("Be brief.".into()),
        messages: [
            Message::user("go"),
            Message::Assistant(AssistantMessage {
                text: String::new(),
                calls: vec![ToolCall {
                    id: "call_1".to_owned(),
                    name: "look".to_owned(),
                    arguments: Arguments::parse("{\"day\":\"1\"}"),
                    opaque: None,
                }],
                opaque: Some(Opaque {
                    provider: "openai".into(),
                    data: json!({"model": "gpt-5-mini", "reasoning": [thought]}),
                }),
            }),
            Message::Tool(ToolOutput {
                call_id: "call_1".to_owned(),
                name: "look".to_owned(),
                output: json!({"kwh": 5}),
                is_error: false,
            }),
        ]
        .into(),
        temperature: Some(0.5),
        max_output_tokens: Some(50),
        ..ChatRequest::default()
    };
    let sent = responses("gpt-5-mini").body(&request).unwrap();
    assert_eq!(
        sent["input"],
        json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "go"}]},
            thought,
            {"type": "function_call", "call_id": "call_1", "name": "look", "arguments": "{\"day\":\"1\"}"},
            {"type": "function_call_output", "call_id": "call_1", "output": "{\"kwh\":5}"},
        ])
    );
    assert_eq!(sent["instructions"], "Be brief.");
    assert_eq!(
        (&sent["store"], &sent["stream"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(sent["max_output_tokens"], 50);
    assert_eq!(
        sent.get("temperature"),
        None,
        "a reasoning model takes none"
    );
    let older = responses("gpt-4.1-mini").body(&request).unwrap();
    assert_eq!(
        (&older["temperature"], older.get("include")),
        (&json!(0.5), None)
    );
    assert!(
        responses("gpt-5")
            .endpoint
            .url
            .as_str()
            .ends_with("/v1/responses")
    );
}
