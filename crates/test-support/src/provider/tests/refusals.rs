//! Every refusal, in the provider's words.

mod anthropic;
mod gemini;
mod openai;

use super::*;

/// Changes the good conversation of a dialect; the request is refused with this status in these
/// words.
type Case = (fn(&mut Value), u16, &'static str);

async fn refused(dialect: Dialect, model: &str, cases: &[Case]) {
    let server = server(dialect, Turn::text("Two.")).await;
    for (change, status, words) in cases {
        let mut body = conversation(dialect);
        if dialect != Dialect::Gemini {
            body["model"] = model.into();
        }
        change(&mut body);
        let path = chat_path(dialect, model, true);
        let response = post(&server, &path, &body).send().await.unwrap();
        let given = response.status().as_u16();
        let answer: Value = response
            .json()
            .await
            .unwrap_or_else(|_| panic!("not refused: {words}"));
        let message = match dialect {
            Dialect::Ollama => &answer["error"],
            _ => &answer["error"]["message"],
        };
        let message = message.as_str().unwrap_or_default();
        assert!(
            message.contains(words),
            "{dialect:?}: {message:?} is not {words:?}"
        );
        assert_eq!(given, *status, "{dialect:?}: {words}");
    }
    assert_eq!(server.refusals().len(), cases.len());
}

fn append(list: &mut Value, item: Value) {
    list.as_array_mut().unwrap().push(item);
}

fn remove(list: &mut Value, at: usize) {
    list.as_array_mut().unwrap().remove(at);
}

fn unset(object: &mut Value, member: &str) {
    object.as_object_mut().unwrap().shift_remove(member);
}

#[tokio::test]
async fn keys() {
    for (dialect, missing, wrong) in [
        (
            Dialect::OpenAi,
            (401, "You didn't provide an API key"),
            (401, "Incorrect API key provided: sk-wron********rong."),
        ),
        (
            Dialect::OpenRouter,
            (401, "No auth credentials found"),
            (401, "User not found."),
        ),
        (
            Dialect::Anthropic,
            (401, "x-api-key header is required"),
            (401, "API key is invalid."),
        ),
        (
            Dialect::Gemini,
            (403, "Method doesn't allow unregistered callers"),
            (400, "API key not valid."),
        ),
    ] {
        let server = server(dialect, Turn::text("Two.")).await;
        let url = format!(
            "{}{}",
            server.base_url(),
            chat_path(dialect, model(dialect), true)
        );
        let without = client().post(&url).json(&question(dialect));
        let with = without.try_clone().unwrap();
        let with = match dialect {
            Dialect::Anthropic => with.header("x-api-key", "sk-wrong-wrong"),
            Dialect::Gemini => with.header("x-goog-api-key", "sk-wrong-wrong"),
            _ => with.bearer_auth("sk-wrong-wrong"),
        };
        for (request, (status, words)) in [(without, missing), (with, wrong)] {
            let response = request.send().await.unwrap();
            assert_eq!(response.status().as_u16(), status, "{dialect:?}");
            let body = response.text().await.unwrap();
            assert!(body.contains(words), "{dialect:?}: {body}");
            assert!(!body.contains(server.key()));
        }
    }
}

#[tokio::test]
async fn paths_methods_and_versions() {
    let server = server(Dialect::Anthropic, Turn::text("Two.")).await;
    let body = question(Dialect::Anthropic);
    assert_eq!(
        post(&server, "/v1/complete", &body)
            .send()
            .await
            .unwrap()
            .status(),
        404
    );
    let get = client()
        .get(format!("{}/v1/messages", server.url()))
        .header("x-api-key", server.key());
    let without = get.try_clone().unwrap().send().await.unwrap();
    assert_eq!(without.status(), 400, "the version is missing");
    let with = get
        .header("anthropic-version", "2023-06-01")
        .send()
        .await
        .unwrap();
    assert_eq!(with.status(), 405);
}

#[tokio::test]
async fn ollama_requests() {
    refused(Dialect::Ollama, "qwen3:4b", &[
        (|body| unset(body, "model"), 400, "model is required"),
        (|body| body["model"] = json!("nonexistent"), 404, "model 'nonexistent' not found"),
        (|body| body["model"] = json!("no-tools"), 400, "does not support tools"),
        (|body| body["format"] = json!("yaml"), 400, "invalid format: \"yaml\"; expected \"json\" or a valid JSON Schema object"),
        (|body| body["messages"][1]["content"] = json!([{"type": "text", "text": "a"}]), 400, "json: cannot unmarshal array into Go struct field ChatRequest.messages.content of type string"),
        (|body| body["messages"][2]["tool_calls"][0]["function"]["arguments"] = json!("{}"), 400, "json: cannot unmarshal string into Go struct field ChatRequest.messages.tool_calls.function.arguments"),
        (|body| body["messages"][1]["role"] = json!("person"), 400, "invalid role: person"),
        (|body| body["options"] = json!({"num_predict": 1.5}), 400, "option \"num_predict\" must be of type integer"),
        (|body| body["options"] = json!({"temperature": "hot"}), 400, "option \"temperature\" must be of type float32"),
        (|body| body["tools"][0]["function"] = json!({}), 400, "tool function name is required"),
    ]).await;
    let server = server(Dialect::Ollama, Turn::text("Two.")).await;
    let mut body = conversation(Dialect::Ollama);
    body["tool_choice"] = json!("required");
    assert_eq!(
        ask(&server, &body).await.0,
        200,
        "unknown fields are ignored"
    );
}

#[tokio::test]
async fn what_is_no_json() {
    for dialect in Dialect::ALL {
        let server = server(dialect, Turn::text("Two.")).await;
        let request = post(
            &server,
            &chat_path(dialect, model(dialect), true),
            &Value::Null,
        );
        let response = request.body("{\"model\"").send().await.unwrap();
        assert_eq!(response.status(), 400, "{dialect:?}");
    }
}
