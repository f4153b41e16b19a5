//! Models that ask scripted servers.

use std::sync::Arc;

use futures::StreamExt;
use http_client::external_http_client;
use llm::config::FallbackConfig;
use llm::{ChatEvent, ChatModel, ChatRequest, Error, LlmConfig, Message, Models, Tool};
use secrecy::SecretString;
use serde_json::json;
use test_support::provider::{Dialect, ModelServer, Script};

/// A scripted server.
pub(crate) async fn server(dialect: Dialect, script: impl Into<Script>) -> ModelServer {
    ModelServer::start(dialect, script).await.unwrap()
}

/// Asks this server, once per call, however often it fails.
pub(crate) fn config(server: &ModelServer) -> LlmConfig {
    let mut config = LlmConfig {
        provider: Some(server.dialect().as_str().into()),
        model: Some("test-model".to_owned()),
        ..LlmConfig::default()
    };
    config.retries.attempts = 1;
    config.circuit.failures = 1_000_000;
    point_at(&mut config, server);
    config
}

/// Points the provider's section at the server.
pub(crate) fn point_at(config: &mut LlmConfig, server: &ModelServer) {
    let provider = config.providers.get_mut(server.dialect().as_str());
    provider.base_url = Some(server.base_url());
    provider.api_key = Some(SecretString::from(server.key()));
}

/// Adds a server to ask in turn.
pub(crate) fn fall_back_to(config: &mut LlmConfig, server: &ModelServer) {
    point_at(config, server);
    config.fallbacks.push(FallbackConfig {
        provider: server.dialect().as_str().into(),
        model: Some("test-model".to_owned()),
    });
}

pub(crate) fn models(config: &LlmConfig) -> Models {
    Models::from_config(config, external_http_client().unwrap())
        .unwrap()
        .unwrap()
}

pub(crate) fn chat(config: &LlmConfig) -> Arc<dyn ChatModel> {
    models(config).chat()
}

/// A question, with a tool.
pub(crate) fn question() -> ChatRequest {
    ChatRequest {
        system: Some("Be brief.".into()),
        messages: [Message::user("How much did the roof make?")].into(),
        tools: [Tool {
            name: "get_power".to_owned(),
            description: "The power of a logger.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"logger": {"type": "string"}},
                "required": ["logger"],
            }),
        }]
        .into(),
        ..ChatRequest::default()
    }
}

/// The client's view: text as far as it arrived, and how it ended.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) text: String,
    pub(crate) events: usize,
    pub(crate) error: Option<Error>,
}

/// Calls a model and collects its events. Nothing may follow an error or the end.
pub(crate) async fn ask(model: &dyn ChatModel) -> Seen {
    let mut seen = Seen {
        text: String::new(),
        events: 0,
        error: None,
    };
    let mut answer = model.stream(question());
    let mut finished = false;
    while let Some(event) = answer.next().await {
        assert!(!finished && seen.error.is_none(), "more after the end");
        match event {
            Ok(ChatEvent::Text(text)) => seen.text.push_str(&text),
            Ok(ChatEvent::Finished(_)) => finished = true,
            Ok(_) => {}
            Err(error) => {
                seen.error = Some(error);
                continue;
            }
        }
        seen.events += 1;
    }
    assert_eq!(finished, seen.error.is_none(), "ended without an end");
    seen
}
