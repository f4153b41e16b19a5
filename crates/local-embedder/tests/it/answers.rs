//! Comparison with vectors from other implementations: `reference.json`, written by `reference.py`,
//! and published figures.

use llm::{Embedder, EmbeddingKind};
use local_embedder::{LocalEmbedder, Options};
use serde::Deserialize;

use crate::{cosine, directory, embedder};

#[derive(Deserialize)]
struct Reference {
    /// Cosines of the first sentences as printed in the documentation of sentence-transformers.
    published: Vec<Vec<f64>>,
    cosines: Vec<Vec<f64>>,
    sentences: Vec<Sentence>,
}

#[derive(Deserialize)]
struct Sentence {
    text: String,
    /// The first components.
    vector: Vec<f32>,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("reference.json")).unwrap()
}

#[tokio::test]
async fn vectors_are_those_of_the_reference() {
    let (embedder, reference) = (embedder().await, reference());
    let texts: Vec<String> = reference
        .sentences
        .iter()
        .map(|sentence| sentence.text.clone())
        .collect();
    let vectors = embedder
        .embed(&texts, EmbeddingKind::Document)
        .await
        .unwrap();
    for (sentence, vector) in reference.sentences.iter().zip(&vectors) {
        assert_eq!(vector.len(), 384);
        for (expected, found) in sentence.vector.iter().zip(vector) {
            assert!(
                (expected - found).abs() < 5e-6,
                "{:?}: {found}, not {expected}",
                sentence.text
            );
        }
    }
    for (row, a) in reference.cosines.iter().zip(&vectors) {
        for (expected, b) in row.iter().zip(&vectors) {
            assert!((expected - cosine(a, b)).abs() < 5e-6);
        }
    }
    for (row, a) in reference.published.iter().zip(&vectors) {
        for (expected, b) in row.iter().zip(&vectors) {
            assert!((expected - cosine(a, b)).abs() < 1e-4);
        }
    }
}

#[tokio::test]
async fn a_text_gets_the_same_vector_alone_and_among_others() {
    let embedder = embedder().await;
    let texts: Vec<String> = (1..=40)
        .map(|words| "the crew works overtime ".repeat(words % 23 + 1))
        .collect();
    let together = embedder
        .embed(&texts, EmbeddingKind::Document)
        .await
        .unwrap();
    let again = embedder
        .embed(&texts, EmbeddingKind::Document)
        .await
        .unwrap();
    assert_eq!(together, again, "to the last bit");
    for (text, vector) in texts.iter().zip(&together).take(10) {
        let alone = embedder
            .embed(std::slice::from_ref(text), EmbeddingKind::Document)
            .await
            .unwrap();
        assert!(
            cosine(&alone[0], vector) > 0.999_999,
            "padding changed the vector"
        );
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-6);
    }
}

#[tokio::test]
async fn text_beyond_the_limit_is_ignored() {
    let (embedder, long) = (embedder().await, "overtime ".repeat(254));
    let texts = [
        long.clone(),
        format!("{long} and a giraffe"),
        "giraffe".to_owned(),
    ];
    let vectors = embedder
        .embed(&texts, EmbeddingKind::Document)
        .await
        .unwrap();
    assert_eq!(vectors[0], vectors[1]);
    assert_ne!(vectors[0], vectors[2]);
    let options = Options {
        max_tokens: Some(5),
        ..Options::default()
    };
    let short = LocalEmbedder::open(&directory().await, options).unwrap();
    let texts = [
        "one two three four five".to_owned(),
        "one two three six".to_owned(),
    ];
    let vectors = short.embed(&texts, EmbeddingKind::Document).await.unwrap();
    assert_eq!(vectors[0], vectors[1]);
}

#[tokio::test]
async fn prefixes_apply_to_their_kind_of_text() {
    let options = Options {
        name: Some("prefixed".to_owned()),
        query_prefix: Some("query: ".to_owned()),
        document_prefix: Some("passage: ".to_owned()),
        ..Options::default()
    };
    let prefixed = LocalEmbedder::open(&directory().await, options).unwrap();
    assert_eq!(prefixed.id().to_string(), "local/prefixed");
    let plain = embedder().await;
    assert_eq!(plain.id().to_string(), "local/all-MiniLM-L6-v2");
    for (kind, prefix) in [
        (EmbeddingKind::Query, "query: "),
        (EmbeddingKind::Document, "passage: "),
    ] {
        let with = prefixed
            .embed(&["overtime".to_owned()], kind)
            .await
            .unwrap();
        let written = plain
            .embed(&[format!("{prefix}overtime")], kind)
            .await
            .unwrap();
        assert_eq!(with, written);
    }
}

#[tokio::test]
async fn no_texts_give_no_vectors() {
    let none = embedder()
        .await
        .embed(&[], EmbeddingKind::Document)
        .await
        .unwrap();
    assert!(none.is_empty());
}
