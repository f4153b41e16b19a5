//! Behaviour that is particular to Ollama, one test each.

use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};

use super::*;
use crate::recordings::{DecodedAnswer, DecodedCall, read};
use crate::wire::testing::{model, model_with};
use crate::{
    Arguments, AssistantMessage, ErrorKind, FinishReason, Message, ResponseFormat, Tool, ToolCall,
    ToolChoice, ToolOutput,
};

fn ollama() -> Ollama {
    with(|_| ())
}

/// A model without a key whose record is changed.
fn with(change: impl FnOnce(&mut ProviderConfig)) -> Ollama {
    Ollama::new(&model_with("ollama", "qwen3:4b", change)).unwrap()
}

fn ask(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        messages: messages.into(),
        ..ChatRequest::default()
    }
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: "Looks.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {"day": {"$ref": "#/$defs/Day"}},
            "$defs": {"Day": {"type": "string"}},
        }),
    }
}

/// A body of these lines.
fn body(lines: &[Value]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| format!("{line}\n")).collect();
    lines.concat()
}

fn told(lines: &[Value]) -> DecodedAnswer {
    read(&ollama(), &body(lines), &[]).unwrap()
}

fn says(text: &str) -> Value {
    json!({"model": "qwen3:4b", "message": {"role": "assistant", "content": text}, "done": false})
}

fn done(reason: &str) -> Value {
    json!({
        "model": "qwen3:4b", "message": {"role": "assistant", "content": ""}, "done": true,
        "done_reason": reason, "prompt_eval_count": 7, "eval_count": 3,
    })
}

fn calls(calls: &Value) -> Value {
    json!({"message": {"role": "assistant", "content": "", "tool_calls": calls}, "done": false})
}

#[test]
fn the_endpoint_is_below_the_base() {
    let url = |base: &str| {
        let mut model = model("ollama", "qwen3:4b");
        model.base_url = base.to_owned();
        endpoint(&model, "chat")
    };
    for base in ["http://host:1/", "http://host:1/api", "http://host:1/v1/"] {
        assert_eq!(url(base).unwrap().url.as_str(), "http://host:1/api/chat");
    }
    assert_eq!(url("nowhere").unwrap_err().kind, ErrorKind::BadRequest);
}

#[test]
fn a_gateway_gets_its_key() {
    let client = http_client::http_client().unwrap();
    let ollama = with(|record| record.api_key = Some("hunter22".into()));
    let request = ollama.request(&client, &ask(vec![Message::user("Hi")]));
    let request = request.unwrap().build().unwrap();
    assert_eq!(request.headers()["authorization"], "Bearer hunter22");
    assert!(!format!("{ollama:?} {request:?}").contains("hunter22"));
}

#[test]
fn settings_and_limits_are_sent_where_they_are_given() {
    assert_eq!(
        ollama().body(&ask(vec![Message::user("Hi")])).unwrap(),
        json!({
            "model": "qwen3:4b",
            "messages": [{"role": "user", "content": "Hi"}],
            "stream": true,
        })
    );
    let full = with(|record| {
        record.keep_alive = Some("10m".to_owned());
        record.think = Some(false);
        record.num_ctx = Some(8192);
    });
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let request = ChatRequest {
        system: Some("Be brief.".into()),
        temperature: Some(0.7),
        max_output_tokens: Some(64),
        response: ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: schema.clone(),
        },
        ..ask(vec![Message::user("Hi")])
    };
    assert_eq!(
        full.body(&request).unwrap(),
        json!({
            "model": "qwen3:4b",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Hi"},
            ],
            "stream": true,
            "format": schema,
            "think": false,
            "keep_alive": "10m",
            "options": {"num_predict": 64, "num_ctx": 8192, "temperature": 0.7},
        })
    );
}

#[test]
fn the_choice_of_tools_is_made_by_what_is_offered() {
    let offered = |choice| {
        let request = ChatRequest {
            tools: [tool("look"), tool("see")].into(),
            tool_choice: choice,
            ..ask(vec![Message::user("Hi")])
        };
        ollama().body(&request).unwrap()["tools"].take()
    };
    assert_eq!(offered(ToolChoice::Auto).as_array().unwrap().len(), 2);
    assert_eq!(offered(ToolChoice::Required).as_array().unwrap().len(), 2);
    assert_eq!(offered(ToolChoice::None), Value::Null);
    assert_eq!(
        offered(ToolChoice::Named("see".to_owned())),
        json!([{"type": "function", "function": {
            "name": "see",
            "description": "Looks.",
            // References are not looked up.
            "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
        }}])
    );
}

#[test]
fn arguments_go_back_as_an_object_and_results_with_the_name() {
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "look".to_owned(),
        arguments: Arguments::parse(arguments),
        opaque: None,
    };
    let request = ask(vec![
        Message::user("go"),
        Message::Assistant(AssistantMessage {
            calls: vec![call("a", "{\"day\":1}"), call("b", "{\"day\"")],
            ..AssistantMessage::default()
        }),
        Message::Tool(ToolOutput {
            call_id: "a".to_owned(),
            name: "look".to_owned(),
            output: json!([1]),
            is_error: false,
        }),
        Message::system("rule"),
    ]);
    assert_eq!(
        ollama().body(&request).unwrap()["messages"],
        json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "a", "function": {"index": 0, "name": "look", "arguments": {"day": 1}}},
                {"id": "b", "function": {"index": 1, "name": "look", "arguments": {"unreadable_arguments": "{\"day\""}}},
            ]},
            {"role": "tool", "content": "[1]", "tool_name": "look", "tool_call_id": "a"},
            {"role": "tool", "content": "No result: the call was interrupted.", "tool_name": "look", "tool_call_id": "b"},
            {"role": "system", "content": "rule"},
        ])
    );
}

#[test]
fn requests_that_make_no_sense_are_not_sent() {
    let error = ollama().body(&ask(vec![Message::user("")])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
    let both = ChatRequest {
        tools: [tool("look")].into(),
        response: ResponseFormat::Json {
            name: "answer".to_owned(),
            schema: json!({}),
        },
        ..ask(vec![Message::user("Hi")])
    };
    assert_eq!(
        ollama().body(&both).unwrap_err().kind,
        ErrorKind::BadRequest
    );
}

#[test]
fn calls_come_whole_with_and_without_id() {
    let told = told(&[
        json!({"message": {"role": "assistant", "content": "", "thinking": "Hm"}, "done": false}),
        calls(
            &json!([{"id": "call_1", "function": {"index": 0, "name": "look", "arguments": {"a": "<&>"}}}]),
        ),
        calls(&json!([{"function": {"name": "see", "arguments": null}}])),
        calls(
            &json!([{"function": {"name": "see", "arguments": "{\"b\":1}"}}, {"function": {"name": "see", "arguments": [1]}}]),
        ),
        done("stop"),
    ]);
    let arguments: Vec<_> = told
        .calls
        .iter()
        .map(|call| call.arguments.clone())
        .collect();
    assert_eq!(
        arguments,
        [
            json!({"a": "<&>"}),
            json!({}),
            json!({"b": 1}),
            json!("[1]")
        ]
    );
    assert_eq!(told.calls[0].id.as_deref(), Some("call_1"));
    assert!(
        told.calls[1..]
            .iter()
            .all(|call| call.id.as_deref().is_some_and(|id| !id.is_empty()))
    );
    assert_eq!(
        (told.reason, told.reasoning.as_str()),
        (FinishReason::ToolCalls, "Hm")
    );
    assert_eq!((told.usage.input_tokens, told.usage.output_tokens), (7, 3));
}

#[test]
fn escapes_of_go_are_undone() {
    let body = "{\"message\":{\"content\":\"a \\u003c b \\u0026 c\"},\"done\":false}\n";
    let told = read(
        &ollama(),
        &(body.to_owned() + &done("stop").to_string()),
        &[],
    )
    .unwrap();
    assert_eq!(told.text, "a < b & c");
}

#[test]
fn a_call_written_as_text_is_a_failed_call() {
    let told = told(&[
        says("Let me see. <|py"),
        says("thon_tag|>{\"name\": \"look\", \"parameters\": {}}"),
        done("stop"),
    ]);
    assert_eq!(told.text, "Let me see. ");
    assert_eq!(
        told.calls,
        [DecodedCall {
            id: told.calls[0].id.clone(),
            name: "look".to_owned(),
            arguments: json!("<|python_tag|>{\"name\": \"look\", \"parameters\": {}}"),
        }]
    );
    assert_eq!(told.reason, FinishReason::ToolCalls);
}

#[test]
fn text_that_only_looks_like_a_call_is_not_lost() {
    let told = told(&[says("if a <"), done("length")]);
    assert_eq!(
        (told.text.as_str(), told.reason),
        ("if a <", FinishReason::Length)
    );
}

#[test]
fn errors_are_sentences() {
    let refused = |status: u16, said: &str| {
        let body = json!({"error": said}).to_string();
        let status = StatusCode::from_u16(status).unwrap();
        ollama().refusal(status, &HeaderMap::new(), &body)
    };
    let unknown = refused(404, "model 'qwen3:4b' not found");
    assert_eq!(unknown.kind, ErrorKind::UnknownModel);
    let detail = unknown.detail.unwrap();
    assert!(
        detail.contains("OLLAMA_MODEL") && detail.contains("ollama pull qwen3:4b"),
        "{detail}"
    );
    let cases = [
        (
            400,
            "registry.ollama.ai/library/x does not support tools",
            ErrorKind::BadRequest,
        ),
        (401, "unauthorized", ErrorKind::Unauthorized),
        (
            500,
            "model requires more system memory",
            ErrorKind::Provider,
        ),
        (
            503,
            "server busy, please try again.  maximum pending requests exceeded",
            ErrorKind::Overloaded,
        ),
    ];
    for (status, said, kind) in cases {
        let error = refused(status, said);
        assert_eq!(error.kind, kind, "{said}");
        let start = said.split_whitespace().next().unwrap();
        assert!(error.detail.unwrap().contains(start));
    }
}

#[test]
fn errors_come_in_lines_and_in_place_of_them() {
    let failed = |body: &str| read(&ollama(), body, &[]).unwrap_err();
    let line = body(&[
        says("Hi"),
        json!({"error": "an error was encountered while running the model"}),
    ]);
    assert_eq!(failed(&line).kind, ErrorKind::Provider);
    let gateway = body(&[json!({"error": {"message": "server busy"}})]);
    assert_eq!(failed(&gateway).kind, ErrorKind::Overloaded);
    assert_eq!(
        failed("{\n\"error\": \"server busy\"\n}\n").kind,
        ErrorKind::Overloaded
    );
    assert_eq!(failed("<html>\n</html>\n").kind, ErrorKind::Unreadable);
    assert_eq!(failed("{\"message\": 5}\n").kind, ErrorKind::Unreadable);
    assert_eq!(failed(&body(&[says("Hi")])).kind, ErrorKind::Truncated);
    assert_eq!(failed("").kind, ErrorKind::Truncated);
}
