use super::*;
use crate::wire::testing;
use crate::{ErrorKind, Message, ToolOutput};

fn options(model: &str) -> Options {
    Options::of(&testing::model("gemini", model))
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
    sent_with(&options("gemini-2.0-flash"), request)
}

fn tool(name: &str, parameters: Value) -> Tool {
    Tool {
        name: name.to_owned(),
        description: "Looks.".to_owned(),
        parameters,
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

fn signed(id: &str, model: &str, mut data: Value) -> ToolCall {
    data["model"] = json!(model);
    ToolCall {
        opaque: Some(Opaque {
            provider: "gemini".into(),
            data,
        }),
        ..call(id, "")
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

#[test]
fn a_plain_question() {
    let request = ChatRequest {
        system: Some("Be brief.".into()),
        temperature: Some(0.5),
        max_output_tokens: Some(50),
        ..request([Message::user("Hi")])
    };
    assert_eq!(
        sent(&request),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
            "generationConfig": {"maxOutputTokens": 50, "temperature": 0.5}
        })
    );
}

#[test]
fn as_many_responses_as_calls_follow_in_one_content_as_objects() {
    let failed = Message::Tool(ToolOutput {
        call_id: "d".to_owned(),
        name: "look".to_owned(),
        output: json!("no such day"),
        is_error: true,
    });
    let asked = vec![
        call("a", r#"{"day":"1"}"#),
        call("b", ""),
        call("c", "{oops"),
        call("d", ""),
        call("e", ""),
    ];
    let request = request([
        Message::user("go"),
        calls("I look.", asked),
        output("b", json!([1, 2])),
        failed,
        Message::user("quick!"),
        output("a", json!({"w": 2})),
        output("c", json!("text")),
    ]);
    let called = |args: Value| json!({"functionCall": {"name": "look", "args": args}});
    let answered =
        |response: Value| json!({"functionResponse": {"name": "look", "response": response}});
    assert_eq!(
        sent(&request)["contents"],
        json!([
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"text": "I look."},
                called(json!({"day": "1"})),
                called(json!({})),
                called(json!({"unreadable_arguments": "{oops"})),
                called(json!({})),
                called(json!({}))
            ]},
            {"role": "user", "parts": [
                answered(json!({"w": 2})),
                answered(json!({"output": [1, 2]})),
                answered(json!({"output": "text"})),
                answered(json!({"error": "no such day"})),
                answered(json!({"error": UNANSWERED})),
                {"text": "quick!"}
            ]}
        ])
    );
}

#[test]
fn a_call_turn_follows_the_person_and_roles_alternate() {
    let request = request([
        calls("", vec![call("a", "")]),
        output("a", json!({})),
        Message::assistant(""),
        Message::user(" "),
        Message::system("In French."),
        Message::assistant("Bon."),
        Message::assistant("Jour."),
    ]);
    let sent = sent(&request);
    let roles: Vec<&str> = sent["contents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|content| content["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "model", "user", "model"]);
    assert_eq!(
        sent["contents"][2]["parts"][1],
        json!({"text": "In French."})
    );
    assert_eq!(
        sent["contents"][3]["parts"],
        json!([{"text": "Bon."}, {"text": "Jour."}])
    );
}

#[test]
fn signatures_and_given_ids_go_back_to_the_model_they_came_from() {
    let loop_of = |model: &str| {
        let first = signed("g1", "gemini-3-pro", json!({"id": "g1", "signature": "s1"}));
        let request = request([
            Message::user("go"),
            Message::Assistant(AssistantMessage {
                text: "I look.".to_owned(),
                calls: vec![first, call("generated", "")],
                opaque: signed("", "gemini-3-pro", json!({"signature": "s0"})).opaque,
            }),
            output("g1", json!({})),
            output("generated", json!({})),
        ]);
        sent_with(&options(model), &request)["contents"].clone()
    };
    let contents = loop_of("gemini-3-pro");
    assert_eq!(
        contents[1]["parts"],
        json!([
            {"text": "I look.", "thoughtSignature": "s0"},
            {"functionCall": {"id": "g1", "name": "look", "args": {}}, "thoughtSignature": "s1"},
            {"functionCall": {"name": "look", "args": {}}}
        ])
    );
    assert_eq!(
        contents[2]["parts"],
        json!([
            {"functionResponse": {"id": "g1", "name": "look", "response": {}}},
            {"functionResponse": {"name": "look", "response": {}}}
        ])
    );
    let older = loop_of("gemini-2.0-flash");
    assert!(!older.to_string().contains("thoughtSignature"), "{older}");
}

#[test]
fn the_first_call_of_another_provider_gets_a_placeholder_where_signatures_are_wanted() {
    let signature = |model: &str, foreign_calls: ForeignCalls| {
        let anthropics = Opaque {
            provider: "anthropic".into(),
            data: json!({"signature": "theirs", "id": "toolu_1"}),
        };
        let first = ToolCall {
            opaque: Some(anthropics),
            ..call("toolu_1", "")
        };
        let request = request([
            Message::user("go"),
            calls("", vec![first, call("toolu_2", "")]),
            output("toolu_1", json!({})),
            output("toolu_2", json!({})),
        ]);
        let options = Options {
            foreign_calls,
            ..options(model)
        };
        let parts = sent_with(&options, &request)["contents"][1]["parts"].clone();
        assert_eq!(parts[0]["functionCall"].get("id"), None);
        assert_eq!(parts[1].get("thoughtSignature"), None);
        parts[0].get("thoughtSignature").cloned()
    };
    let placeholder = Some(json!(PLACEHOLDER));
    for model in ["gemini-3-pro", "models/gemini-3.6-flash", "gemini-12-x"] {
        assert_eq!(
            signature(model, ForeignCalls::ByModel),
            placeholder,
            "{model}"
        );
    }
    for model in ["gemini-2.5-flash", "gemini-flash-latest", "my-model"] {
        assert_eq!(signature(model, ForeignCalls::ByModel), None, "{model}");
    }
    assert_eq!(
        signature("my-model", ForeignCalls::Placeholder),
        placeholder
    );
    assert_eq!(signature("gemini-3-pro", ForeignCalls::Unsigned), None);
}

#[test]
fn tools_are_declared_in_either_dialect() {
    let parameters = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"day": {"$ref": "#/$defs/Day"}},
        "additionalProperties": false,
        "$defs": {"Day": {"type": "string"}}
    });
    let request = ChatRequest {
        tools: [
            tool("look", parameters.clone()),
            tool("list", json!({"type": "object", "properties": {}})),
        ]
        .into(),
        ..request([Message::user("go")])
    };
    let list = json!({"name": "list", "description": "Looks."});
    assert_eq!(
        sent(&request)["tools"],
        json!([{"functionDeclarations": [
            {"name": "look", "description": "Looks.", "parametersJsonSchema": parameters},
            list
        ]}])
    );
    let older = Options {
        schemas: SchemaDialect::OpenApi,
        ..options("gemini-1.5-pro")
    };
    assert_eq!(
        sent_with(&older, &request)["tools"],
        json!([{"functionDeclarations": [
            {"name": "look", "description": "Looks.", "parameters": {
                "type": "object", "properties": {"day": {"type": "string"}}
            }},
            list
        ]}])
    );
}

#[test]
fn choices_have_their_modes() {
    let config = |choice: ToolChoice| {
        let request = ChatRequest {
            tools: [tool("look", json!({}))].into(),
            tool_choice: choice,
            ..request([Message::user("go")])
        };
        sent(&request)["toolConfig"]["functionCallingConfig"].clone()
    };
    assert_eq!(config(ToolChoice::Auto), json!({"mode": "AUTO"}));
    assert_eq!(config(ToolChoice::None), json!({"mode": "NONE"}));
    assert_eq!(config(ToolChoice::Required), json!({"mode": "ANY"}));
    assert_eq!(
        config(ToolChoice::Named("look".to_owned())),
        json!({"mode": "ANY", "allowedFunctionNames": ["look"]})
    );
}

#[test]
fn a_shape_is_asked_for_in_either_dialect_and_never_with_tools() {
    let schema = json!({"type": "object", "properties": {"x": {"const": "a"}}, "required": ["x"]});
    let mut request = ChatRequest {
        response: ResponseFormat::Json {
            name: "intent".to_owned(),
            schema: schema.clone(),
        },
        ..request([Message::user("go")])
    };
    assert_eq!(
        sent(&request)["generationConfig"],
        json!({"maxOutputTokens": 4096, "responseMimeType": "application/json", "responseJsonSchema": schema})
    );
    let older = Options {
        schemas: SchemaDialect::OpenApi,
        ..options("gemini-1.5-pro")
    };
    assert_eq!(
        sent_with(&older, &request)["generationConfig"]["responseSchema"],
        json!({"type": "object", "properties": {"x": {"type": "string", "enum": ["a"]}}, "required": ["x"]})
    );
    request.tools = [tool("look", json!({}))].into();
    let error = body(&options("gemini-2.0-flash"), &request).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
}

#[test]
fn nothing_to_answer_is_refused() {
    let error = body(&options("gemini-9"), &request([])).unwrap_err();
    assert_eq!(error.kind, ErrorKind::BadRequest);
}
