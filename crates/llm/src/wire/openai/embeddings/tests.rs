use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::*;
use crate::wire::testing::embedding_model;

fn embeddings(dimensions: Option<usize>) -> OpenAiEmbeddings {
    let model = embedding_model("openai", "text-embedding-3-large");
    OpenAiEmbeddings::new(&model, dimensions).unwrap()
}

#[test]
fn texts_go_out_in_one_request() {
    let client = http_client::http_client().unwrap();
    let texts = ["one".to_owned(), String::new()];
    let request = embeddings(Some(256))
        .request(&client, &texts, EmbeddingKind::Document)
        .build()
        .unwrap();
    assert_eq!(
        request.url().as_str(),
        "https://api.openai.com/v1/embeddings"
    );
    let body: Value = serde_json::from_slice(request.body().unwrap().as_bytes().unwrap()).unwrap();
    assert_eq!(
        body,
        json!({
            "model": "text-embedding-3-large",
            "input": ["one", " "],
            "encoding_format": "float",
            "dimensions": 256,
        })
    );
    let request = embeddings(None)
        .request(&client, &texts, EmbeddingKind::Document)
        .build()
        .unwrap();
    let body: Value = serde_json::from_slice(request.body().unwrap().as_bytes().unwrap()).unwrap();
    assert_eq!(body.get("dimensions"), None);
}

#[test]
fn vectors_come_back_in_the_order_of_the_texts() {
    let body = json!({"object": "list", "data": [
        {"object": "embedding", "index": 1, "embedding": [0.5, 1.0]},
        {"object": "embedding", "index": 0, "embedding": [0.25, -1.0]},
    ], "usage": {"prompt_tokens": 2, "total_tokens": 2}})
    .to_string();
    assert_eq!(
        embeddings(None).read(&body, 2).unwrap(),
        [[0.25, -1.0], [0.5, 1.0]]
    );
}

#[test]
fn too_few_vectors_or_none_are_an_error() {
    let embeddings = embeddings(None);
    for (body, texts) in [
        (r#"{"data": [{"index": 0, "embedding": [1.0]}]}"#, 2),
        (r#"{"data": [{"index": 0, "embedding": "AAAA"}]}"#, 1),
        ("<html>", 1),
    ] {
        let error = embeddings.read(body, texts).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable, "{body}");
    }
}

#[test]
fn an_unknown_model_is_named_with_its_variable() {
    let error = embeddings(None).refusal(StatusCode::NOT_FOUND, &HeaderMap::new(), "{}");
    assert_eq!(error.kind, ErrorKind::UnknownModel);
    assert!(error.detail.unwrap().contains("EMBEDDING_MODEL"));
}
