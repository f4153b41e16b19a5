//! The vector index compared with an exhaustive search, on a smaller library than the benchmark's.

use knowledge::{Settings, StoreChoice};
use retrieval_eval::size::{Size, measure};

use crate::database;

const SIZE: Size = Size {
    passages: 5_000,
    dimensions: 384,
    questions: 50,
};

#[tokio::test]
async fn the_index_finds_nearly_all_of_the_nearest() {
    let settings = Settings {
        vector_store: StoreChoice::Pgvector,
        index_from: 1_000,
        ..Settings::default()
    };
    let report = measure(database().await.pool(), settings, SIZE, |_| {})
        .await
        .unwrap();
    assert_eq!(report.service, "PgvectorHnsw");
    assert!(report.recall_at_10 >= 0.98, "{report}");
}

#[tokio::test]
async fn the_exhaustive_search_finds_all_of_the_nearest() {
    let settings = Settings {
        vector_store: StoreChoice::InProcess,
        ..Settings::default()
    };
    let size = Size {
        passages: 1_000,
        ..SIZE
    };
    let report = measure(database().await.pool(), settings, size, |_| {})
        .await
        .unwrap();
    assert_eq!(report.service, "InProcessExact");
    assert!((report.recall_at_10 - 1.0).abs() < 1e-9, "{report}");
}
