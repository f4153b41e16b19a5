//! The embedder with the real model: its vectors, concurrent and cancelled calls, and rejected
//! directories.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue fails")]

mod answers;
mod refusals;
mod turns;

use std::path::PathBuf;

use local_embedder::{LocalEmbedder, Options};

async fn directory() -> PathBuf {
    test_support::model::directory().await.unwrap()
}

async fn embedder() -> LocalEmbedder {
    LocalEmbedder::open(&directory().await, Options::default()).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| f64::from(*a) * f64::from(*b))
        .sum()
}
