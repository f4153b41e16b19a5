//! Concurrent calls, and cancelled calls.

use std::time::Instant;

use llm::{Embedder, EmbeddingKind};
use tokio::sync::oneshot;

use crate::embedder;

fn passages(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| {
            format!(
                "{number}: {}",
                "a crew leader approves the hours of a week ".repeat(8)
            )
        })
        .collect()
}

#[tokio::test]
async fn a_question_does_not_wait_for_a_whole_ingestion() {
    let embedder = embedder().await;
    let (started, start) = oneshot::channel();
    let ingestion = tokio::spawn({
        let embedder = embedder.clone();
        async move {
            started.send(()).unwrap();
            let vectors = embedder
                .embed(&passages(72), EmbeddingKind::Document)
                .await
                .unwrap();
            (vectors.len(), Instant::now())
        }
    });
    start.await.unwrap();
    embedder
        .embed(&["overtime?".to_owned()], EmbeddingKind::Query)
        .await
        .unwrap();
    let answered = Instant::now();
    let (count, done) = ingestion.await.unwrap();
    assert_eq!(count, 72);
    assert!(answered < done);
}

#[tokio::test]
async fn a_cancelled_call_stops_after_its_batch() {
    let embedder = embedder().await;
    let ingestion = tokio::spawn({
        let embedder = embedder.clone();
        async move {
            embedder
                .embed(&passages(100_000), EmbeddingKind::Document)
                .await
        }
    });
    tokio::task::yield_now().await;
    ingestion.abort();
    assert!(ingestion.await.unwrap_err().is_cancelled());
    // If the hundred thousand texts were still computed, this would take many minutes.
    let vectors = embedder
        .embed(&["overtime?".to_owned()], EmbeddingKind::Query)
        .await
        .unwrap();
    assert_eq!(vectors.len(), 1);
}

#[tokio::test]
async fn concurrent_callers_get_their_own_vectors() {
    let embedder = embedder().await;
    let calls = (0..4).map(|caller| {
        let embedder = embedder.clone();
        tokio::spawn(async move {
            embedder
                .embed(&passages(12)[caller..caller + 8], EmbeddingKind::Document)
                .await
                .unwrap()
        })
    });
    let calls: Vec<_> = calls.collect();
    let all = embedder
        .embed(&passages(12), EmbeddingKind::Document)
        .await
        .unwrap();
    for (caller, call) in calls.into_iter().enumerate() {
        for (found, expected) in call.await.unwrap().iter().zip(&all[caller..]) {
            assert!(crate::cosine(found, expected) > 0.999_999);
        }
    }
}
