use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::*;
use crate::wire::testing::embedding_model;

fn embeddings() -> OllamaEmbeddings {
    let mut model = embedding_model("ollama", "bge-m3");
    model.options.keep_alive = Some("-1".to_owned());
    OllamaEmbeddings::new(&model, Some(64)).unwrap()
}

#[test]
fn texts_go_out_in_one_request() {
    let client = http_client::http_client().unwrap();
    let request = embeddings()
        .request(
            &client,
            &["one".to_owned(), "two".to_owned()],
            EmbeddingKind::Document,
        )
        .build()
        .unwrap();
    assert_eq!(request.url().as_str(), "http://127.0.0.1:11434/api/embed");
    let body: Value = serde_json::from_slice(request.body().unwrap().as_bytes().unwrap()).unwrap();
    assert_eq!(
        body,
        json!({"model": "bge-m3", "input": ["one", "two"], "keep_alive": -1, "dimensions": 64})
    );
}

#[test]
fn each_text_has_its_vector() {
    let body = r#"{"model": "bge-m3", "embeddings": [[0.5, 1.0], [0.25, -1.0]]}"#;
    let vectors = embeddings().read(body, 2).unwrap();
    assert_eq!(vectors, [[0.5, 1.0], [0.25, -1.0]]);
    for (body, texts) in [(body, 3), ("{}", 1), ("no", 1)] {
        let error = embeddings().read(body, texts).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable);
    }
}

#[test]
fn an_unknown_model_is_named_with_its_variable() {
    let body = r#"{"error":"model \"bge-m3\" not found, try pulling it first"}"#;
    let error = embeddings().refusal(StatusCode::NOT_FOUND, &HeaderMap::new(), body);
    assert_eq!(error.kind, ErrorKind::UnknownModel);
    let detail = error.detail.unwrap();
    assert!(detail.contains("EMBEDDING_MODEL") && detail.contains("ollama pull bge-m3"));
}
