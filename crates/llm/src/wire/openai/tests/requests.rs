//! Requests as different servers take them.

use serde_json::{Value, json};

use super::super::{OpenAi, ServerKind};
use super::{at, compatible, openai, openrouter, vllm};
use crate::wire::testing::{model, model_with};
use crate::{
    Arguments, AssistantMessage, ChatRequest, ErrorKind, Message, Opaque, ResponseFormat, Tool,
    ToolCall, ToolChoice, ToolOutput,
};

fn ask(messages: Vec<Message>) -> ChatRequest {
    ChatRequest {
        messages: messages.into(),
        temperature: Some(0.2),
        max_output_tokens: Some(100),
        ..ChatRequest::default()
    }
}

fn hi() -> ChatRequest {
    ask(vec![Message::user("Hi")])
}

fn with_tools(choice: ToolChoice) -> ChatRequest {
    ChatRequest {
        tools: [Tool {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            parameters: json!({"type": "object"}),
        }]
        .into(),
        tool_choice: choice,
        ..hi()
    }
}

fn calls(id: &str, arguments: &str, opaque: Option<Opaque>) -> Message {
    Message::Assistant(AssistantMessage {
        text: String::new(),
        calls: vec![ToolCall {
            id: id.to_owned(),
            name: "look".to_owned(),
            arguments: Arguments::parse(arguments),
            opaque: None,
        }],
        opaque,
    })
}

fn output(id: &str) -> Message {
    Message::Tool(ToolOutput {
        call_id: id.to_owned(),
        name: "look".to_owned(),
        output: json!({"kwh": 5}),
        is_error: false,
    })
}

fn messages(model: &OpenAi, request: &ChatRequest) -> Value {
    model.body(request).unwrap()["messages"].take()
}

#[test]
fn limits_and_temperatures_have_the_names_that_a_model_takes() {
    let ollama = "http://127.0.0.1:11434/v1";
    let cases = [
        (openai("gpt-4o"), "max_completion_tokens", true),
        (openai("chatgpt-4o-latest"), "max_completion_tokens", true),
        (
            openai("ft:gpt-4o-mini:acme::1"),
            "max_completion_tokens",
            true,
        ),
        (openai("gpt-5-chat-latest"), "max_completion_tokens", true),
        (openai("o3-mini"), "max_completion_tokens", false),
        (openai("gpt-5.2"), "max_completion_tokens", false),
        (openai("gpt-10"), "max_completion_tokens", false),
        (openai("something-new"), "max_completion_tokens", false),
        (
            compatible("https://x.openai.azure.com/openai", "gpt-5"),
            "max_completion_tokens",
            false,
        ),
        (
            compatible("https://gateway.example/v1", "openai/o1"),
            "max_completion_tokens",
            false,
        ),
        (compatible(ollama, "something-new"), "max_tokens", true),
        (compatible(ollama, "olmo-2"), "max_tokens", true),
        (compatible(ollama, "gpt-oss:20b"), "max_tokens", true),
        (openrouter(), "max_tokens", true),
    ];
    for (model, limit, takes_temperature) in cases {
        let body = model.body(&hi()).unwrap();
        assert_eq!(body[limit], 100, "{body}");
        let limits = ["max_tokens", "max_completion_tokens"];
        assert_eq!(
            limits
                .iter()
                .filter(|name| body.get(**name).is_some())
                .count(),
            1
        );
        let temperature = takes_temperature.then(|| json!(0.2));
        assert_eq!(body.get("temperature").cloned(), temperature, "{body}");
    }
    let plain = ChatRequest {
        messages: [Message::user("Hi")].into(),
        ..ChatRequest::default()
    };
    assert_eq!(
        openai("gpt-4o").body(&plain).unwrap(),
        json!({
            "model": "gpt-4o",
            "stream": true,
            "stream_options": {"include_usage": true},
            "messages": [{"role": "user", "content": "Hi"}],
        })
    );
}

#[test]
fn usage_is_asked_for_where_that_is_known() {
    let asks = |model: &OpenAi| model.body(&hi()).unwrap().get("stream_options").is_some();
    assert!(asks(&openai("gpt-4o")) && asks(&vllm()));
    assert!(!asks(&openrouter()));
    assert!(!asks(&compatible(
        "https://api.mistral.ai/v1",
        "mistral-small"
    )));
    let server = ServerKind::Compatible {
        stream_usage: false,
        json_schema: true,
    };
    let plain = at(
        model("openai_compatible", "x"),
        "http://127.0.0.1:1/v1",
        server,
    );
    assert!(!asks(&plain));
}

#[test]
fn tools_and_their_choice_are_sent() {
    let body = |choice| openai("gpt-4o").body(&with_tools(choice)).unwrap();
    assert_eq!(
        body(ToolChoice::Auto)["tools"],
        json!([{"type": "function", "function": {
            "name": "look",
            "description": "Looks.",
            "parameters": {"type": "object", "properties": {}},
        }}])
    );
    assert_eq!(body(ToolChoice::Auto).get("tool_choice"), None);
    assert_eq!(body(ToolChoice::None)["tool_choice"], "none");
    assert_eq!(body(ToolChoice::Required)["tool_choice"], "required");
    assert_eq!(
        body(ToolChoice::Named("look".to_owned()))["tool_choice"],
        json!({"type": "function", "function": {"name": "look"}})
    );
    let none = ChatRequest {
        tool_choice: ToolChoice::None,
        ..hi()
    };
    let body = openai("gpt-4o").body(&none).unwrap();
    assert!(body.get("tools").is_none() && body.get("tool_choice").is_none());
}

#[test]
fn requests_that_are_refused_are_not_sent() {
    let refused = [
        with_tools(ToolChoice::Named("other".to_owned())),
        ask(vec![Message::user(" ")]),
        ask(vec![output("stray")]),
    ];
    for request in refused {
        let error = openai("gpt-4o").body(&request).unwrap_err();
        assert_eq!(error.kind, ErrorKind::BadRequest);
    }
}

#[test]
fn the_shape_of_an_answer_is_strict_where_it_can_be() {
    let shaped = |schema: Value| ChatRequest {
        response: ResponseFormat::Json {
            name: "my answer".to_owned(),
            schema,
        },
        system: Some("Be brief.".into()),
        ..hi()
    };
    let closed =
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let format = |schema: &Value| {
        openai("gpt-4o").body(&shaped(schema.clone())).unwrap()["response_format"].take()
    };
    let mut strict = closed.clone();
    strict["additionalProperties"] = json!(false);
    assert_eq!(
        format(&closed),
        json!({"type": "json_schema", "json_schema": {"name": "my_answer", "strict": true, "schema": strict}})
    );
    assert_eq!(
        format(&open),
        json!({"type": "json_schema", "json_schema": {"name": "my_answer", "strict": false, "schema": open}})
    );
    let server = ServerKind::Compatible {
        stream_usage: true,
        json_schema: false,
    };
    let plain = at(
        model("openai_compatible", "x"),
        "http://127.0.0.1:1/v1",
        server,
    );
    let body = plain.body(&shaped(closed)).unwrap();
    assert_eq!(body["response_format"], json!({"type": "json_object"}));
    let words = body["messages"][0]["content"].as_str().unwrap();
    assert!(words.starts_with("Be brief.\n\nAnswer with JSON") && words.contains("\"required\""));
}

#[test]
fn each_call_is_answered_right_behind_it() {
    let request = ask(vec![
        Message::user("go"),
        calls("call_1", "{\"day\": \"ü\"}", None),
        Message::system("rule"),
        output("call_1"),
        output("stray"),
        calls("call_2", "{\"day\":", None),
        Message::user("well?"),
    ]);
    assert_eq!(
        messages(&openai("gpt-4o"), &request),
        json!([
            {"role": "user", "content": "go"},
            {"role": "assistant", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{\"day\":\"ü\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "{\"kwh\":5}"},
            {"role": "system", "content": "rule"},
            {"role": "assistant", "tool_calls": [
                {"id": "call_2", "type": "function", "function": {
                    "name": "look", "arguments": "{\"unreadable_arguments\":\"{\\\"day\\\":\"}",
                }},
            ]},
            {"role": "tool", "tool_call_id": "call_2", "content": "No result: the call was interrupted."},
            {"role": "user", "content": "well?"},
        ])
    );
}

#[test]
fn servers_with_templates_get_roles_in_turn_and_no_instructions_in_the_middle() {
    let request = ChatRequest {
        system: Some("Be brief.".into()),
        ..ask(vec![
            Message::user("go"),
            Message::system("rule"),
            calls("call_1", "", None),
            output("call_1"),
            Message::assistant("one"),
            Message::assistant("two"),
            Message::user("more"),
        ])
    };
    assert_eq!(
        messages(&vllm(), &request),
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "go\n\nrule"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "look", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "name": "look", "content": "{\"kwh\":5}"},
            {"role": "assistant", "content": "one\n\ntwo"},
            {"role": "user", "content": "more"},
        ])
    );
}

#[test]
fn ids_of_other_providers_are_kept_where_they_fit() {
    let ids = |model: &OpenAi, id: &str| {
        let request = ask(vec![Message::user("go"), calls(id, "", None), output(id)]);
        let messages = messages(model, &request);
        let asked = messages[1]["tool_calls"][0]["id"].clone();
        assert_eq!(asked, messages[2]["tool_call_id"]);
        asked.as_str().unwrap().to_owned()
    };
    for id in ["toolu_01A09q90qw90lq917835lq9", "functions.look:0"] {
        assert_eq!(ids(&openai("gpt-4o"), id), id);
    }
    let long = ids(&openai("gpt-4o"), &"x".repeat(64));
    assert!(long.starts_with("call_") && long.len() <= 40);
    let mistral = compatible("https://api.mistral.ai/v1", "mistral-small");
    assert_eq!(ids(&mistral, "abcdefgh1"), "abcdefgh1");
    let made = ids(&mistral, "toolu_01A09q90qw90lq917835lq9");
    assert!(made.len() == 9 && made.bytes().all(|byte| byte.is_ascii_alphanumeric()));
}

#[test]
fn a_name_that_the_model_made_up_can_go_back() {
    let mut message = calls("call_1", "", None);
    if let Message::Assistant(message) = &mut message {
        message.calls[0].name = "look up!".to_owned();
    }
    let messages = messages(&openai("gpt-4o"), &ask(vec![Message::user("go"), message]));
    assert_eq!(messages[1]["tool_calls"][0]["function"]["name"], "look_up_");
}

#[test]
fn thoughts_go_back_to_the_model_that_had_them_within_its_loop() {
    let details = json!([{"type": "reasoning.text", "text": "Hm", "signature": "s"}]);
    let thoughts = |provider: &str, model: &str| {
        Some(Opaque {
            provider: provider.into(),
            data: json!({"model": model, "reasoning_details": details, "reasoning_content": "Hm"}),
        })
    };
    let sent = |model: &OpenAi, opaque, after: Option<Message>| {
        let mut history = vec![Message::user("go"), calls("1", "", opaque), output("1")];
        history.extend(after);
        messages(model, &ask(history))[1].take()
    };
    let router = "openrouter";
    let own = || thoughts(router, "anthropic/claude-haiku-4.5");
    assert_eq!(
        sent(&openrouter(), own(), None)["reasoning_details"],
        details
    );
    for (opaque, after) in [
        (own(), Some(Message::user("next"))),
        (thoughts(router, "openai/gpt-5.2"), None),
        (thoughts("anthropic", "anthropic/claude-haiku-4.5"), None),
        (None, None),
    ] {
        let message = sent(&openrouter(), opaque, after);
        assert_eq!(message.get("reasoning_details"), None);
    }
    let message = sent(&vllm(), thoughts("openai", "qwen3"), None);
    assert_eq!(message["reasoning_content"], "Hm");
    assert_eq!(message.get("reasoning_details"), None);
}

#[test]
fn prompts_are_cached_where_that_has_to_be_asked_for() {
    let mut request = hi();
    request.system = Some("Be brief.".into());
    let sent = |wire: &OpenAi| {
        let mut body = wire.body(&request).unwrap();
        wire.add_cache(&mut body, &request);
        body
    };
    let keyed = || {
        let model = model_with("openai", "gpt-4o", |record| {
            record.prompt_caching = Some(true);
        });
        OpenAi::new(&model, ServerKind::OpenAi).unwrap()
    };
    let (first, again) = (sent(&keyed()), sent(&keyed()));
    assert_eq!(sent(&openai("gpt-4o")).get("prompt_cache_key"), None);
    assert_eq!(first["prompt_cache_key"], again["prompt_cache_key"]);
    assert!(first["prompt_cache_key"].is_string());
    assert_eq!(sent(&vllm()).get("prompt_cache_key"), None);
    let routed = sent(&openrouter());
    let marked = json!([{
        "type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"},
    }]);
    assert_eq!(routed["messages"][0]["content"], marked);
    assert_eq!(
        routed["messages"][1]["content"], "Hi",
        "a question that is asked once"
    );
}

#[test]
fn effort_is_sent_where_it_is_known() {
    let with_effort = |name: &str| {
        let model = model_with("openai", name, |record| {
            record.reasoning_effort = Some(crate::config::Effort::High);
        });
        OpenAi::new(&model, ServerKind::OpenAi).unwrap()
    };
    let mut request = hi();
    let sent = |wire: &OpenAi, request: &ChatRequest| wire.body(request).unwrap();
    assert_eq!(
        sent(&with_effort("gpt-5"), &request)["reasoning_effort"],
        "high"
    );
    assert_eq!(
        sent(&with_effort("gpt-4o"), &request).get("reasoning_effort"),
        None
    );
    request.size = crate::AnswerSize::Brief;
    assert_eq!(
        sent(&with_effort("gpt-5"), &request)["reasoning_effort"],
        "low"
    );
}

#[test]
fn azure_gets_its_key_in_its_own_header() {
    let model = model_with("openai", "gpt-4o", |record| {
        record.api_key = Some("hunter22".into());
        record.api_key_header = Some("api-key".to_owned());
        record.secret_headers = [("x-gateway".to_owned(), "hunter33".into())].into();
    });
    let wire = OpenAi::new(&model, ServerKind::OpenAi).unwrap();
    assert_eq!(wire.endpoint.headers["api-key"], "hunter22");
    assert!(
        wire.endpoint.headers["api-key"].is_sensitive()
            && wire.endpoint.headers["x-gateway"].is_sensitive()
    );
    assert_eq!(wire.endpoint.headers.get("authorization"), None);
}
