//! OpenAI and OpenRouter.

use super::*;

#[tokio::test]
async fn requests() {
    refused(
        Dialect::OpenAi,
        "gpt-4o",
        &[
            (
                |body| unset(body, "model"),
                400,
                "you must provide a model parameter",
            ),
            (
                |body| body["model"] = json!("gpt-nonexistent"),
                404,
                "The model `gpt-nonexistent` does not exist",
            ),
            (
                |body| body["top_k"] = json!(3),
                400,
                "Unrecognized request argument supplied: top_k",
            ),
            (
                |body| body["stream"] = json!(false),
                400,
                "'stream_options' parameter is only allowed when 'stream' is enabled",
            ),
            (
                |body| body["temperature"] = json!(2.5),
                400,
                "Invalid 'temperature'",
            ),
            (
                |body| body["max_tokens"] = json!(0),
                400,
                "Invalid 'max_tokens': integer below minimum value",
            ),
            (
                |body| body["messages"] = json!([]),
                400,
                "Invalid 'messages': empty array",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn tools() {
    refused(
        Dialect::OpenAi,
        "gpt-4o",
        &[
            (
                |body| body["tools"] = json!([]),
                400,
                "Invalid 'tools': empty array",
            ),
            (
                |body| unset(&mut body["tools"][0], "type"),
                400,
                "Missing required parameter: 'tools[0].type'",
            ),
            (
                |body| body["tools"][0]["function"]["name"] = json!("look at"),
                400,
                "string does not match pattern",
            ),
            (
                |body| body["tools"][0]["function"]["name"] = json!("l".repeat(65)),
                400,
                "string too long",
            ),
            (
                |body| body["tools"][0]["function"]["parameters"] = json!({}),
                400,
                "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'",
            ),
            (
                |body| body["tool_choice"] = json!("any"),
                400,
                "Invalid value for 'tool_choice'",
            ),
            (
                |body| {
                    body["tool_choice"] = json!({"type": "function", "function": {"name": "leap"}});
                },
                400,
                "Invalid value for 'tool_choice'",
            ),
            (
                |body| {
                    unset(body, "tools");
                    body["tool_choice"] = json!("auto");
                },
                400,
                "'tool_choice' is only allowed when 'tools' are specified",
            ),
            (
                |body| {
                    unset(body, "tools");
                    body["parallel_tool_calls"] = json!(true);
                },
                400,
                "'parallel_tool_calls' is only allowed when 'tools' are specified",
            ),
            (
                |body| body["response_format"] = json!({"type": "json_object"}),
                400,
                "'messages' must contain the word 'json'",
            ),
            (
                |body| body["response_format"] = json!({"type": "yaml"}),
                400,
                "Invalid value: 'yaml'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn conversations() {
    refused(
        Dialect::OpenAi,
        "gpt-4o",
        &[
            (
                |body| remove(&mut body["messages"], 4),
                400,
                "The following tool_call_ids did not have response messages: c2",
            ),
            (
                |body| body["messages"].as_array_mut().unwrap().truncate(3),
                400,
                "did not have response messages: c1, c2",
            ),
            (
                |body| remove(&mut body["messages"], 2),
                400,
                "must be a response to a preceeding message with 'tool_calls'",
            ),
            (
                |body| {
                    append(
                        &mut body["messages"],
                        json!({"role": "tool", "tool_call_id": "c1", "content": "1"}),
                    );
                },
                400,
                "must be a response to a preceeding",
            ),
            (
                |body| body["messages"][2]["tool_calls"][1]["index"] = json!(1),
                400,
                "Unknown parameter: 'messages[2].tool_calls[1].index'",
            ),
            (
                |body| {
                    body["messages"][2]["tool_calls"][0]["function"]["arguments"] =
                        json!({"id": "a"});
                },
                400,
                "expected a string, but got an object instead",
            ),
            (
                |body| body["messages"][2]["tool_calls"][0]["id"] = json!("c".repeat(41)),
                400,
                "Expected a string with maximum length 40",
            ),
            (
                |body| unset(&mut body["messages"][2]["tool_calls"][0], "id"),
                400,
                "Missing required parameter",
            ),
            (
                |body| body["messages"][5]["tool_calls"] = json!([]),
                400,
                "Invalid 'messages[5].tool_calls': empty array",
            ),
            (
                |body| body["messages"][5]["thoughts"] = json!("hm"),
                400,
                "Unknown parameter: 'messages[5].thoughts'",
            ),
            (
                |body| body["messages"][5]["content"] = Value::Null,
                400,
                "expected a string, got null",
            ),
            (
                |body| body["messages"][1]["role"] = json!("person"),
                400,
                "Invalid value: 'person'",
            ),
        ],
    )
    .await;
}

#[tokio::test]
async fn strict_schemas() {
    fn strict(body: &mut Value, schema: &Value) {
        body["response_format"] = json!({"type": "json_schema", "json_schema": {"name": "flow", "strict": true, "schema": schema}});
    }
    refused(Dialect::OpenAi, "gpt-4o", &[
        (|body| body["tools"][0]["function"]["strict"] = json!(true), 400, "Invalid schema for function 'look': In context=(), 'additionalProperties' is required"),
        (|body| strict(body, &json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false})), 400, "Invalid schema for response_format 'flow': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'a'."),
        (|body| strict(body, &json!({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"], "additionalProperties": false})), 400, "In context=('properties', 'a'), 'additionalProperties'"),
        (|body| strict(body, &json!({"type": "object", "properties": {"a": {"oneOf": []}}, "required": ["a"], "additionalProperties": false})), 400, "'oneOf' is not permitted"),
        (|body| strict(body, &json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b", "description": "b"}}, "required": ["a"], "additionalProperties": false})), 400, "$ref cannot have keywords {'description'}"),
        (|body| { strict(body, &json!({})); body["response_format"]["json_schema"]["name"] = json!("the flow"); }, 400, "string does not match pattern"),
    ]).await;
}

#[tokio::test]
async fn reasoning_models() {
    for model in ["gpt-5-nano", "o3-mini"] {
        refused(
            Dialect::OpenAi,
            model,
            &[
                (
                    |body| body["max_tokens"] = json!(100),
                    400,
                    "Use 'max_completion_tokens' instead.",
                ),
                (
                    |body| body["temperature"] = json!(0.2),
                    400,
                    "'temperature' does not support 0.2 with this model",
                ),
            ],
        )
        .await;
    }
    let server = server(Dialect::OpenRouter, Turn::text("Two.")).await;
    let mut body = conversation(Dialect::OpenRouter);
    body["model"] = json!("openai/gpt-5");
    body["max_tokens"] = json!(100);
    body["reasoning"] = json!({"effort": "low"});
    assert_eq!(ask(&server, &body).await.0, 200, "OpenRouter translates");
}

#[tokio::test]
async fn openrouter_hands_on_in_a_form_of_its_own() {
    let server = server(Dialect::OpenRouter, Turn::text("Two.")).await;
    let mut body = conversation(Dialect::OpenRouter);
    remove(&mut body["messages"], 4);
    let (status, answer) = ask(&server, &body).await;
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(400)));
    assert!(answer["user_id"].is_string());
}
