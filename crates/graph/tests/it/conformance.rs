//! The memory saver against the suite.

use std::sync::Arc;

use graph::MemorySaver;

#[tokio::test]
async fn the_memory_saver_passes() {
    graph::conformance::check(Arc::new(MemorySaver::new()))
        .await
        .unwrap();
}
