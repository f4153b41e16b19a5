//! The server's answers, and the requests that it refuses.

mod mishaps;
mod recorded;
mod refusals;
mod scripts;
mod vectors;

use serde_json::{Value, json};

use super::*;

async fn server(dialect: Dialect, script: impl Into<Script>) -> ModelServer {
    ModelServer::start(dialect, script).await.unwrap()
}

fn client() -> reqwest::Client {
    http_client::use_ring();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// The path of a chat request.
fn chat_path(dialect: Dialect, model: &str, stream: bool) -> String {
    match (dialect, stream) {
        (Dialect::OpenAi | Dialect::OpenRouter, _) => "/chat/completions".to_owned(),
        (Dialect::Anthropic, _) => "/v1/messages".to_owned(),
        (Dialect::Gemini, true) => format!("/models/{model}:streamGenerateContent?alt=sse"),
        (Dialect::Gemini, false) => format!("/models/{model}:generateContent"),
        (Dialect::Ollama, _) => "/api/chat".to_owned(),
    }
}

fn post(server: &ModelServer, path: &str, body: &Value) -> reqwest::RequestBuilder {
    let request = client()
        .post(format!("{}{path}", server.base_url()))
        .json(body);
    match server.dialect() {
        Dialect::OpenAi | Dialect::OpenRouter => request.bearer_auth(server.key()),
        Dialect::Anthropic => request
            .header("x-api-key", server.key())
            .header("anthropic-version", "2023-06-01"),
        Dialect::Gemini => request.header("x-goog-api-key", server.key()),
        Dialect::Ollama => request,
    }
}

async fn send(server: &ModelServer, body: &Value) -> reqwest::Result<reqwest::Response> {
    let path = chat_path(server.dialect(), model(server.dialect()), true);
    post(server, &path, body).send().await
}

/// Status and body of an answer that streams.
async fn ask(server: &ModelServer, body: &Value) -> (u16, String) {
    let response = send(server, body).await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

fn model(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAi => "gpt-4o",
        Dialect::OpenRouter => "openai/gpt-4o",
        Dialect::Anthropic => "claude-sonnet-4-6",
        Dialect::Gemini => "gemini-2.5-flash",
        Dialect::Ollama => "qwen3:4b",
    }
}

/// A question and nothing else.
fn question(dialect: Dialect) -> Value {
    let messages = json!([{"role": "user", "content": "How many?"}]);
    match dialect {
        Dialect::OpenAi | Dialect::OpenRouter => json!({
            "model": model(dialect), "stream": true, "stream_options": {"include_usage": true}, "messages": messages,
        }),
        Dialect::Anthropic => {
            json!({"model": model(dialect), "stream": true, "max_tokens": 100, "messages": messages})
        }
        Dialect::Gemini => {
            json!({"contents": [{"role": "user", "parts": [{"text": "How many?"}]}]})
        }
        Dialect::Ollama => json!({"model": model(dialect), "messages": messages}),
    }
}

/// Instructions, a tool, two calls of it at once with their answers, words, and another question.
fn conversation(dialect: Dialect) -> Value {
    let mut body = question(dialect);
    let schema =
        json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]});
    let function = json!({"name": "look", "description": "Looks.", "parameters": schema});
    match dialect {
        Dialect::OpenAi | Dialect::OpenRouter => {
            let call = |id: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": "look", "arguments": arguments}});
            body["tools"] = json!([{"type": "function", "function": function}]);
            body["messages"] = json!([
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Look at a and b."},
                {"role": "assistant", "content": null, "tool_calls": [call("c1", r#"{"id":"a"}"#), call("c2", r#"{"id":"b"}"#)]},
                {"role": "tool", "tool_call_id": "c1", "content": r#"{"n":1}"#},
                {"role": "tool", "tool_call_id": "c2", "content": r#"{"n":2}"#},
                {"role": "assistant", "content": "One and two."},
                {"role": "user", "content": "How many?"},
            ]);
        }
        Dialect::Anthropic => {
            let call = |id: &str, key: &str| json!({"type": "tool_use", "id": id, "name": "look", "input": {"id": key}});
            let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
            body["system"] = json!("Be brief.");
            body["tools"] =
                json!([{"name": "look", "description": "Looks.", "input_schema": schema}]);
            body["messages"] = json!([
                {"role": "user", "content": "Look at a and b."},
                {"role": "assistant", "content": [call("c1", "a"), call("c2", "b")]},
                {"role": "user", "content": [result("c1", r#"{"n":1}"#), result("c2", r#"{"n":2}"#)]},
                {"role": "assistant", "content": [{"type": "text", "text": "One and two."}]},
                {"role": "user", "content": "How many?"},
            ]);
        }
        Dialect::Gemini => {
            let call = |key: &str| json!({"functionCall": {"name": "look", "args": {"id": key}}});
            let result =
                |n: u8| json!({"functionResponse": {"name": "look", "response": {"n": n}}});
            body["systemInstruction"] = json!({"parts": [{"text": "Be brief."}]});
            body["tools"] = json!([{"functionDeclarations": [function]}]);
            body["contents"] = json!([
                {"role": "user", "parts": [{"text": "Look at a and b."}]},
                {"role": "model", "parts": [call("a"), call("b")]},
                {"role": "user", "parts": [result(1), result(2)]},
                {"role": "model", "parts": [{"text": "One and two."}]},
                {"role": "user", "parts": [{"text": "How many?"}]},
            ]);
        }
        Dialect::Ollama => {
            let call = |key: &str| json!({"function": {"name": "look", "arguments": {"id": key}}});
            body["tools"] = json!([{"type": "function", "function": function}]);
            body["messages"] = json!([
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Look at a and b."},
                {"role": "assistant", "content": "", "tool_calls": [call("a"), call("b")]},
                {"role": "tool", "tool_name": "look", "content": r#"{"n":1}"#},
                {"role": "tool", "tool_name": "look", "content": r#"{"n":2}"#},
                {"role": "assistant", "content": "One and two."},
                {"role": "user", "content": "How many?"},
            ]);
        }
    }
    body
}
