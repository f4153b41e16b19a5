use super::*;
use crate::wire::testing::model;
use crate::{ErrorKind, Message, Opaque, Tool, ToolOutput};

fn options() -> Options {
    Options {
        structured: StructuredOutput::Native,
        ..Options::of(&model("anthropic", "claude-9"))
    }
}

fn request(messages: impl Into<std::sync::Arc<[Message]>>) -> ChatRequest {
    ChatRequest {
        messages: messages.into(),
        ..ChatRequest::default()
    }
}

fn sent_with(options: &Options, request: &ChatRequest) -> Value {
    serde_json::to_value(body(options, request).unwrap()).unwrap()
}

fn sent(request: &ChatRequest) -> Value {
    sent_with(&options(), request)
}

fn tool(name: &str) -> Tool {
    Tool {
        name: name.to_owned(),
        description: "Looks.".to_owned(),
        parameters: json!({"type": "object", "properties": {"day": {"type": "string"}}}),
    }
}

fn call(id: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: "look".to_owned(),
        arguments: Arguments::parse(arguments),
        opaque: None,
    }
}

fn calls(text: &str, calls: Vec<ToolCall>) -> Message {
    Message::Assistant(AssistantMessage {
        text: text.to_owned(),
        calls,
        opaque: None,
    })
}

fn output(id: &str, output: Value) -> Message {
    Message::Tool(ToolOutput {
        call_id: id.to_owned(),
        name: "look".to_owned(),
        output,
        is_error: false,
    })
}

/// A step of a tool loop, thought over by `model`.
fn thoughtful(model: &str, text: &str) -> Message {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s1"});
    Message::Assistant(AssistantMessage {
        text: text.to_owned(),
        calls: vec![call("t1", "{}")],
        opaque: Some(Opaque {
            provider: "anthropic".into(),
            data: json!({"model": model, "blocks": [
                thinking, {"type": "text", "bytes": text.len()}, {"type": "call"}
            ]}),
        }),
    })
}

#[test]
fn a_plain_question() {
    let request = ChatRequest {
        system: Some("Be brief.".into()),
        temperature: Some(1.5),
        max_output_tokens: Some(50),
        ..request([Message::user("Hi")])
    };
    assert_eq!(
        sent(&request),
        json!({
            "model": "claude-9",
            "max_tokens": 50,
            "stream": true,
            "system": "Be brief.",
            "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}],
            "temperature": 1.0
        })
    );
}

#[test]
fn the_limit_of_tokens_is_always_sent_and_a_temperature_only_where_taken() {
    let mut request = request([Message::user("Hi")]);
    request.temperature = Some(0.5);
    assert_eq!(sent(&request)["max_tokens"], 4096);
    assert_eq!(sent(&request)["temperature"], 0.5);
    let without = Options {
        takes_temperature: false,
        ..options()
    };
    assert_eq!(sent_with(&without, &request).get("temperature"), None);
    request.temperature = Some(f32::NAN);
    assert_eq!(sent(&request).get("temperature"), None);
}

#[test]
fn parallel_results_come_first_in_one_message_and_text_after_them() {
    let request = ChatRequest {
        tools: [tool("look")].into(),
        ..request([
            Message::user("go"),
            calls(
                "I look.",
                vec![
                    call("a", r#"{"day":"1"}"#),
                    call("b", ""),
                    call("c", "{oops"),
                ],
            ),
            output("b", json!({"w": 2})),
            Message::user("quick!"),
            output("a", json!("one")),
        ])
    };
    let sent = sent(&request);
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "a", "name": "look", "input": {"day": "1"}},
                {"type": "tool_use", "id": "b", "name": "look", "input": {}},
                {"type": "tool_use", "id": "c", "name": "look", "input": {"unreadable_arguments": "{oops"}}
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "one"},
                {"type": "tool_result", "tool_use_id": "b", "content": "{\"w\":2}"},
                {"type": "tool_result", "tool_use_id": "c", "content": UNANSWERED, "is_error": true},
                {"type": "text", "text": "quick!"}
            ]}
        ])
    );
    assert_eq!(sent["tool_choice"], json!({"type": "auto"}));
    assert_eq!(
        sent["tools"],
        json!([{
            "name": "look",
            "description": "Looks.",
            "input_schema": {"type": "object", "properties": {"day": {"type": "string"}}}
        }])
    );
}

#[test]
fn roles_alternate_nothing_is_empty_and_the_end_has_no_white_space() {
    let request = request([
        Message::assistant("Good day"),
        Message::user("  "),
        Message::assistant("What may it be?"),
        Message::user("one"),
        Message::system("Answer in French."),
        Message::user("two"),
        Message::assistant(""),
        Message::assistant("Voilà: \n"),
    ]);
    let text = |text: &str| json!({"type": "text", "text": text});
    assert_eq!(
        sent(&request)["messages"],
        json!([
            {"role": "user", "content": [text("(The beginning of the conversation is left out.)")]},
            {"role": "assistant", "content": [text("Good day"), text("What may it be?")]},
            {"role": "user", "content": [text("one"), text("Answer in French."), text("two")]},
            {"role": "assistant", "content": [text("Voilà:")]}
        ])
    );
}

#[test]
fn ids_and_names_of_others_are_made_acceptable_and_unique() {
    let mut gemini = call("call:1", "");
    gemini.name = "look.up".to_owned();
    gemini.opaque = Some(Opaque {
        provider: "gemini".into(),
        data: json!({"signature": "x"}),
    });
    let request = request([
        Message::user("go"),
        calls("", vec![gemini.clone()]),
        output("call:1", json!(null)),
        calls("", vec![gemini, call("call_1", "")]),
        output("call:1", json!("2")),
        output("call_1", json!("3")),
    ]);
    let use_of =
        |id: &str, name: &str| json!({"type": "tool_use", "id": id, "name": name, "input": {}});
    let sent = sent(&request);
    assert_eq!(
        sent["messages"][1]["content"],
        json!([use_of("call_1", "look_up")])
    );
    assert_eq!(
        sent["messages"][2]["content"],
        json!([{"type": "tool_result", "tool_use_id": "call_1"}])
    );
    assert_eq!(
        sent["messages"][3]["content"],
        json!([use_of("call_1_2", "look_up"), use_of("call_1_3", "look")])
    );
    assert_eq!(
        sent["messages"][4]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "call_1_2", "content": "2"},
            {"type": "tool_result", "tool_use_id": "call_1_3", "content": "3"}
        ])
    );
    // Tool calls require declared tools; these can no longer be called.
    assert_eq!(sent["tool_choice"], json!({"type": "none"}));
    assert_eq!(
        sent["tools"],
        json!([
            {"name": "look_up", "input_schema": {"type": "object"}},
            {"name": "look", "input_schema": {"type": "object"}}
        ])
    );
}

#[test]
fn a_failed_call_says_so() {
    let failed = Message::Tool(ToolOutput {
        call_id: "a".to_owned(),
        name: "look".to_owned(),
        output: json!("no such day"),
        is_error: true,
    });
    let request = request([Message::user("go"), calls("", vec![call("a", "")]), failed]);
    assert_eq!(
        sent(&request)["messages"][2]["content"],
        json!([{"type": "tool_result", "tool_use_id": "a", "content": "no such day", "is_error": true}])
    );
}

#[test]
fn choices_have_their_words() {
    let choice = |choice: ToolChoice| {
        let request = ChatRequest {
            tools: [tool("look")].into(),
            tool_choice: choice,
            ..request([Message::user("go")])
        };
        sent(&request)["tool_choice"].clone()
    };
    assert_eq!(choice(ToolChoice::None), json!({"type": "none"}));
    assert_eq!(choice(ToolChoice::Required), json!({"type": "any"}));
    assert_eq!(
        choice(ToolChoice::Named("look".to_owned())),
        json!({"type": "tool", "name": "look"})
    );
}

#[test]
fn a_shape_is_asked_for_closed_or_by_a_forced_tool() {
    let request = ChatRequest {
        response: ResponseFormat::Json {
            name: "intent".to_owned(),
            schema: json!({"type": "object", "properties": {"x": {"type": "number", "minimum": 0}}}),
        },
        ..request([Message::user("go")])
    };
    let native = sent(&request);
    assert_eq!(
        native["output_config"],
        json!({"format": {"type": "json_schema", "schema": {
            "type": "object",
            "properties": {"x": {"type": "number", "description": "(minimum: 0)"}},
            "additionalProperties": false
        }}})
    );
    assert_eq!(native.get("tools"), None);
    let forced = Options {
        structured: StructuredOutput::ForcedTool,
        thinking: Thinking::Adaptive,
        ..options()
    };
    let forced = sent_with(&forced, &request);
    assert_eq!(forced.get("output_config"), None);
    assert_eq!(
        forced["tool_choice"],
        json!({"type": "tool", "name": ANSWER_TOOL})
    );
    assert_eq!(
        forced["tools"][0]["input_schema"]["properties"]["x"]["minimum"],
        0
    );
    assert_eq!(
        forced.get("thinking"),
        None,
        "a forced choice excludes thinking"
    );
}

#[test]
fn thoughts_return_unchanged_within_their_loop_only() {
    let loop_of = |more: &[Message]| {
        let mut messages = vec![
            Message::user("go"),
            thoughtful("claude-9", "I look."),
            output("t1", json!("one")),
        ];
        messages.extend_from_slice(more);
        sent(&request(messages))["messages"][1]["content"].clone()
    };
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "s1"});
    let text = json!({"type": "text", "text": "I look."});
    let call = json!({"type": "tool_use", "id": "t1", "name": "look", "input": {}});
    assert_eq!(loop_of(&[]), json!([thinking, text, call]));
    assert_eq!(
        loop_of(&[Message::assistant("One."), Message::user("thanks")]),
        json!([text, call])
    );
}

#[test]
fn thoughts_of_another_model_stay_away() {
    let sent = sent(&request([
        Message::user("go"),
        thoughtful("claude-8", ""),
        output("t1", json!("one")),
    ]));
    assert_eq!(sent["messages"][1]["content"].as_array().unwrap().len(), 1);
}

#[test]
fn thinking_is_asked_for_where_it_may_be() {
    let thinking = |thinking: Thinking, messages: &[Message], max: u32| {
        let options = Options {
            thinking,
            thinking_budget: 2000,
            ..options()
        };
        let request = ChatRequest {
            temperature: Some(0.5),
            max_output_tokens: Some(max),
            ..request(messages.to_vec())
        };
        let sent = sent_with(&options, &request);
        assert_ne!(
            sent.get("thinking").is_some(),
            sent.get("temperature").is_some(),
            "thinking excludes a temperature"
        );
        sent.get("thinking").cloned()
    };
    let question = [Message::user("go")];
    assert_eq!(thinking(Thinking::Off, &question, 9000), None);
    assert_eq!(
        thinking(Thinking::Adaptive, &question, 9000),
        Some(json!({"type": "adaptive"}))
    );
    let enabled = |budget: u32| Some(json!({"type": "enabled", "budget_tokens": budget}));
    assert_eq!(thinking(Thinking::Budget, &question, 9000), enabled(2000));
    assert_eq!(thinking(Thinking::Budget, &question, 1500), enabled(1499));
    assert_eq!(thinking(Thinking::Budget, &question, 1000), None);
    let begun_with = [
        question[0].clone(),
        thoughtful("claude-9", ""),
        output("t1", json!(1)),
    ];
    assert_eq!(thinking(Thinking::Budget, &begun_with, 9000), enabled(2000));
    let begun_without = [
        question[0].clone(),
        calls("", vec![call("t1", "")]),
        output("t1", json!(1)),
    ];
    assert_eq!(thinking(Thinking::Budget, &begun_without, 9000), None);
    assert_eq!(
        thinking(Thinking::Adaptive, &begun_without, 9000),
        Some(json!({"type": "adaptive"}))
    );
}

#[test]
fn nothing_to_answer_is_refused() {
    let error = body(&options(), &request([Message::user(" ")])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
}

#[test]
fn a_schema_without_a_type_is_an_objects() {
    let mut untyped = tool("look");
    untyped.parameters = json!({"properties": {}});
    let request = ChatRequest {
        tools: [untyped].into(),
        ..request([Message::user("go")])
    };
    assert_eq!(
        sent(&request)["tools"][0]["input_schema"],
        json!({"properties": {}, "type": "object"})
    );
}
