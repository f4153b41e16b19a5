//! Embeddings over HTTP.

use std::sync::Arc;

use llm::{Embedder, EmbeddingKind, ErrorKind, LlmConfig, Models, ProviderName};
use test_support::provider::{Dialect, ModelServer, Operation, Script, Turn};

use crate::support::{config, models, server};

const WITH_EMBEDDINGS: [Dialect; 3] = [Dialect::OpenAi, Dialect::Gemini, Dialect::Ollama];

fn embedding_config(server: &ModelServer) -> LlmConfig {
    let mut config = config(server);
    config.embedding.provider = Some(server.dialect().as_str().into());
    config.embedding.model = Some("test-embedding".to_owned());
    config.retries.base_delay_ms = 1;
    config.retries.max_delay_ms = 1;
    config
}

fn embedder(config: &LlmConfig) -> Arc<dyn Embedder> {
    models(config).embedder().unwrap()
}

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n}")).collect()
}

fn is_embedding(seen: &test_support::provider::Seen) -> bool {
    seen.operation != Operation::Chat
}

#[tokio::test]
async fn texts_beyond_a_batch_go_in_several_requests_and_keep_their_order() {
    for dialect in WITH_EMBEDDINGS {
        let server = server(dialect, Script::new()).await;
        let mut config = embedding_config(&server);
        config.embedding.batch = 4;
        let texts = texts(10);
        let embedder = embedder(&config);
        let kind = EmbeddingKind::Document;
        let vectors = embedder.embed(&texts, kind).await.unwrap();
        assert_eq!(vectors.len(), 10, "{dialect:?}");
        let seen = server.seen();
        let sizes: Vec<usize> = seen.iter().map(|seen| seen.inputs.len()).collect();
        assert_eq!(sizes, [4, 4, 2], "{dialect:?}");
        // Alone, a text has the same vector.
        let alone = embedder.embed(&texts[7..8], kind).await.unwrap();
        assert_eq!(alone[0], vectors[7], "{dialect:?}");
        assert!(embedder.embed(&[], kind).await.unwrap().is_empty());
        server.assert_accepted();
    }
}

#[tokio::test]
async fn a_failure_is_repeated_and_a_refusal_is_returned() {
    for dialect in WITH_EMBEDDINGS {
        let server = server(
            dialect,
            Script::new().once(is_embedding, Turn::overloaded()),
        )
        .await;
        let mut config = embedding_config(&server);
        config.retries.attempts = 2;
        let embedder = embedder(&config);
        embedder
            .embed(&texts(1), EmbeddingKind::Query)
            .await
            .unwrap();
        assert_eq!(server.counts().requests, 2, "{dialect:?}");
        server.play(Script::new().when(is_embedding, Turn::status(401, "{}")));
        let error = embedder
            .embed(&texts(1), EmbeddingKind::Query)
            .await
            .unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unauthorized, "{dialect:?}");
        assert_eq!(server.counts().requests, 1, "{dialect:?}");
    }
}

#[tokio::test]
async fn vectors_that_cannot_be_compared_are_rejected() {
    let answers = [
        r#"{"data":[{"index":0,"embedding":[0.1,0.2]}],"embeddings":[[0.1,0.2]]}"#,
        r#"{"data":[{"index":0,"embedding":[0.1]},{"index":1,"embedding":[0.1,0.2]}],"embeddings":[[0.1],[0.1,0.2]]}"#,
        r#"{"data":[{"index":0,"embedding":[1e39]},{"index":1,"embedding":[0.1]}],"embeddings":[[1e39],[0.1]]}"#,
        r#"{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}],"embeddings":[[],[]]}"#,
        "{}",
        "nonsense",
    ];
    for dialect in WITH_EMBEDDINGS {
        let server = server(dialect, Script::new()).await;
        let embedder = embedder(&embedding_config(&server));
        for answer in answers {
            // Gemini has its values one level deeper.
            let answer = match dialect {
                Dialect::Gemini => gemini(answer),
                _ => answer.to_owned(),
            };
            server.play(Script::new().when(is_embedding, Turn::status(200, answer.clone())));
            let error = embedder
                .embed(&texts(2), EmbeddingKind::Document)
                .await
                .unwrap_err();
            assert_eq!(
                error.kind,
                ErrorKind::Unreadable,
                "{dialect:?}, {answer}: {error}"
            );
        }
    }
}

/// `{"embeddings": [{"values": […]}]}`.
fn gemini(answer: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(answer) else {
        return answer.to_owned();
    };
    if let Some(vectors) = value["embeddings"].as_array_mut() {
        for vector in vectors {
            *vector = serde_json::json!({"values": vector.take()});
        }
    }
    value.to_string()
}

#[tokio::test]
async fn a_chat_model_may_have_embeddings_of_another_provider() {
    let chat = server(Dialect::Anthropic, Turn::text("Yes.")).await;
    let vectors = server(Dialect::Ollama, Script::new()).await;
    let mut config = config(&chat);
    crate::support::point_at(&mut config, &vectors);
    config.embedding.provider = Some("ollama".into());
    assert_eq!(config.provider, Some("anthropic".into()));
    let embedder = embedder(&config);
    assert_eq!(embedder.id().to_string(), "ollama/nomic-embed-text");
    let found = embedder
        .embed(&texts(1), EmbeddingKind::Query)
        .await
        .unwrap();
    assert_eq!(found.len(), 1);
}

#[tokio::test]
async fn an_embedding_model_needs_no_chat_model() {
    let server = server(Dialect::Ollama, Script::new()).await;
    let mut config = LlmConfig::default();
    let client = || http_client::external_http_client().unwrap();
    assert!(llm::embedder(&config, client()).unwrap().is_none());
    config.providers.get_mut("ollama").base_url = Some(server.base_url());
    config.embedding.provider = Some("ollama".into());
    config.provider = Some(ProviderName::NONE);
    assert!(Models::from_config(&config, client()).unwrap().is_none());
    let embedder = llm::embedder(&config, client()).unwrap().unwrap();
    let found = embedder
        .embed(&texts(1), EmbeddingKind::Document)
        .await
        .unwrap();
    assert_eq!(found.len(), 1);
}
