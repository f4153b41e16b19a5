//! A provider that configuration defines, down to the bytes on the wire.

use configuration::Validate as _;
use futures::StreamExt;
use llm::{ChatEvent, EmbeddingKind, ErrorKind, FinishReason, LlmConfig};
use serde_json::{Value, json};
use test_support::provider::{Dialect, ModelServer, Script, Turn};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{ask, chat, config, models, question, server};

/// A recorded answer of a live server: file, wire, end of the address, reason.
const RECORDED: [(&str, &str, &str, FinishReason); 4] = [
    (
        "openai/truncated_turn_matrix__chat_streaming_partial_text_truncation",
        "openai_compatible",
        "/openai/v1",
        FinishReason::Length,
    ),
    (
        "anthropic/streaming_grammar__parallel_tool_use",
        "anthropic_messages",
        "",
        FinishReason::ToolCalls,
    ),
    (
        "gemini/streaming__example_streaming_prompt",
        "gemini",
        "/v1beta",
        FinishReason::Stop,
    ),
    (
        "ollama/raw_stream_capture_matrix__stream_raw_exposes_terminal_durations",
        "ollama",
        "",
        FinishReason::Length,
    ),
];

/// The body of the first streamed answer in a file of recordings.
fn recorded_body(file: &str) -> String {
    let path = format!(
        "{}/fixtures/recordings/{file}.yaml",
        env!("CARGO_MANIFEST_DIR")
    );
    let exchanges: Vec<Value> =
        serde_saphyr::from_multiple(&std::fs::read_to_string(path).unwrap()).unwrap();
    let bodies = exchanges
        .iter()
        .filter(|exchange| exchange["then"]["status"] == 200);
    let mut bodies = bodies.filter_map(|exchange| exchange["then"]["body"].as_str());
    bodies.next().unwrap().to_owned()
}

/// A configuration with the provider "acme", as a file would define it.
fn acme(record: &Value) -> LlmConfig {
    let mut config = LlmConfig {
        provider: Some("acme".into()),
        ..LlmConfig::default()
    };
    config.retries.attempts = 1;
    let written = record.to_string();
    *config.providers.get_mut("acme") = serde_json::from_str(&written).unwrap();
    config
}

/// Takes one request, answers it with a recorded body, and returns the bytes of the request.
async fn replay(listener: TcpListener, body: String) -> Vec<u8> {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    while !is_whole(&request) {
        let read = stream.read(&mut buffer).await.unwrap();
        request.extend_from_slice(&buffer[..read]);
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    request
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head.split("content-length: ").nth(1);
    length.is_none_or(|rest| rest.lines().next() == Some(&*body.len().to_string()))
}

/// Everything that a model says to one question, and the bytes that it sent.
async fn asked(record: Value, path: &str, body: String) -> (Vec<ChatEvent>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut record = record;
    record["base_url"] = json!(format!("http://{address}{path}"));
    let model = chat(&acme(&record));
    let replayed = tokio::spawn(replay(listener, body));
    let events: Vec<_> = model.stream(question()).map(Result::unwrap).collect().await;
    let request = String::from_utf8(replayed.await.unwrap()).unwrap();
    (events, request.replace(&address.to_string(), "HOST"))
}

#[tokio::test]
async fn a_defined_provider_sends_exactly_these_bytes() {
    let record = json!({
        "wire": "openai_compatible",
        "api_key": "acme-key",
        "model": "acme-large",
        "headers": {"X-Team": "solar"},
        "json_schema": false,
    });
    let body = recorded_body(RECORDED[0].0);
    let (_, request) = asked(record, "/openai/v1", body).await;
    let sent = r#"{"model":"acme-large","stream":true,"stream_options":{"include_usage":true},"max_tokens":4000,"tools":[{"type":"function","function":{"name":"get_power","description":"The power of a logger.","parameters":{"type":"object","properties":{"logger":{"type":"string"}},"required":["logger"]}}}],"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"How much did the roof make?"}]}"#;
    let expected = format!(
        "POST /openai/v1/chat/completions HTTP/1.1\r\n\
         x-team: solar\r\n\
         accept: text/event-stream\r\n\
         authorization: Bearer acme-key\r\n\
         content-type: application/json\r\n\
         user-agent: heliograph/{}\r\n\
         host: HOST\r\n\
         content-length: {}\r\n\r\n{sent}",
        env!("CARGO_PKG_VERSION"),
        sent.len()
    );
    assert_eq!(request, expected);
}

#[tokio::test]
async fn a_gateway_gets_its_headers_those_from_files_among_them() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "gateway-secret\n").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let record = json!({
        "wire": "anthropic_messages",
        "base_url": format!("http://{address}"),
        "api_key": "acme-key",
        "api_key_header": "api-key",
        "model": "acme-large",
        "headers": {"X-Team": "solar"},
        "header_files": {"X-Gateway-Token": file.path()},
    });
    let mut config = acme(&record);
    config.read_secrets().unwrap();
    let replayed = tokio::spawn(replay(listener, recorded_body(RECORDED[1].0)));
    let events = chat(&config).stream(question());
    let events: Vec<_> = events.map(Result::unwrap).collect().await;
    let request = String::from_utf8(replayed.await.unwrap()).unwrap();
    for header in [
        "x-team: solar",
        "x-gateway-token: gateway-secret",
        "api-key: acme-key",
    ] {
        assert!(request.contains(&format!("\r\n{header}\r\n")), "{request}");
    }
    assert!(!request.contains("x-api-key"), "{request}");
    assert!(!format!("{config:?} {events:?}").contains("gateway-secret"));
}

#[tokio::test]
async fn a_defined_provider_differs_from_a_built_in_one_of_its_wire_in_its_record_only() {
    for (file, wire, path, reason) in RECORDED {
        let record = json!({"wire": wire, "api_key": "acme-key", "model": "acme-large"});
        let body = recorded_body(file);
        let (events, request) = asked(record, path, body.clone()).await;
        assert!(request.contains("acme-large"), "{request}");
        let Some(ChatEvent::Finished(end)) = events.last() else {
            panic!("{wire}: {events:?}")
        };
        assert_eq!(end.reason, reason, "{wire}");

        let twin = match wire {
            "anthropic_messages" => "anthropic",
            other => other,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut config = LlmConfig {
            provider: Some(twin.into()),
            model: Some("acme-large".to_owned()),
            ..LlmConfig::default()
        };
        let built_in = config.providers.get_mut(twin);
        built_in.base_url = Some(format!("http://{address}{path}"));
        built_in.api_key = Some("acme-key".into());
        let replayed = tokio::spawn(replay(listener, body));
        let model = chat(&config);
        let same: Vec<_> = model.stream(question()).map(Result::unwrap).collect().await;
        let bytes = String::from_utf8(replayed.await.unwrap()).unwrap();
        assert_eq!(
            request,
            bytes.replace(&address.to_string(), "HOST"),
            "{wire}"
        );
        assert_eq!(without_ids(events), without_ids(same), "{wire}");
    }
}

/// Events without the provider's data and generated ids.
fn without_ids(events: Vec<ChatEvent>) -> Vec<ChatEvent> {
    events
        .into_iter()
        .map(|event| match event {
            ChatEvent::Call(mut call) => {
                call.id.clear();
                call.opaque = None;
                ChatEvent::Call(call)
            }
            ChatEvent::Finished(mut end) => {
                end.opaque = None;
                ChatEvent::Finished(end)
            }
            other => other,
        })
        .collect()
}

#[tokio::test]
async fn a_defined_provider_has_a_name_of_its_own_in_ids_usage_and_errors() {
    let server = server(Dialect::OpenAi, Turn::text("Yes.")).await;
    let record = json!({
        "wire": "openai_chat",
        "display_name": "ACME",
        "base_url": server.base_url(),
        "api_key": server.key(),
        "api_key_variable": "ACME_KEY",
        "model": "acme-large",
    });
    let models = models(&acme(&record));
    assert_eq!(models.chat().id().to_string(), "acme/acme-large");
    assert_eq!(ask(&*models.chat()).await.text, "Yes.");
    let totals = models.usage().totals();
    assert_eq!(totals[0].0.to_string(), "acme/acme-large");
    let place = server.base_url().replace("http://", "");
    assert_eq!(models.description(), format!("acme acme-large at {place}"));
    for (status, hints) in [
        (401, &["ACME_KEY"][..]),
        (
            404,
            &["llm.providers.acme.model", "llm.providers.acme.base_url"],
        ),
    ] {
        server.play(Turn::status(status, "{}"));
        let error = ask(&*models.chat()).await.error.unwrap().to_string();
        for hint in hints {
            assert!(error.contains(hint), "{error}");
        }
    }
}

#[tokio::test]
async fn a_provider_without_tools_refuses_them_before_anything_is_sent() {
    let plain = server(Dialect::OpenAi, Turn::text("Yes.")).await;
    let record = json!({
        "wire": "openai_compatible", "base_url": plain.base_url(), "api_key": plain.key(),
        "model": "acme-large", "tools": false,
    });
    let mut config = acme(&record);
    let error = ask(&*chat(&config)).await.error.unwrap();
    assert_eq!(error.kind, ErrorKind::BadRequest);
    assert!(
        error.to_string().contains("llm.providers.acme.tools"),
        "{error}"
    );
    assert_eq!(plain.counts().requests, 0);
    // Its fallback is called.
    let next = server(Dialect::Anthropic, Turn::text("With tools.")).await;
    crate::support::fall_back_to(&mut config, &next);
    assert_eq!(ask(&*chat(&config)).await.text, "With tools.");
}

#[tokio::test]
async fn a_defined_provider_makes_embeddings() {
    for (dialect, wire) in [
        (Dialect::OpenAi, "openai_compatible"),
        (Dialect::Gemini, "gemini"),
        (Dialect::Ollama, "ollama"),
    ] {
        let server: ModelServer = server(dialect, Script::new()).await;
        let mut config = config(&server);
        *config.providers.get_mut("acme") = serde_json::from_value(json!({
            "wire": wire, "base_url": server.base_url(), "embedding_model": "acme-embed",
        }))
        .unwrap();
        config.providers.get_mut("acme").api_key = Some(server.key().into());
        config.embedding.provider = Some("acme".into());
        let embedder = models(&config).embedder().unwrap();
        assert_eq!(embedder.id().to_string(), "acme/acme-embed");
        let texts = ["one".to_owned()];
        let found = embedder.embed(&texts, EmbeddingKind::Query).await.unwrap();
        assert_eq!(found.len(), 1, "{wire}");
        server.assert_accepted();
    }
}
