//! What names mean, where an embedding model is configured: for words that no name is spelt like.

use std::collections::HashMap;

use contracts::tools::meanings::MatchedBy;
use entities::{Candidate, Names};
use tokio::sync::Mutex;

use crate::meaning::Meaning;

/// Number of names that are embedded with one request; finished ones stay when the rest is late.
const BATCH: usize = 64;
/// Maximum number of names whose meanings are waited for.
const MOST: usize = 5_000;
/// Names whose meaning is less like that of the words are not meant.
const LEAST: f64 = 0.5;

/// The vectors of names that are known already, by what was embedded.
#[derive(Default)]
pub(super) struct NameMeanings(Mutex<HashMap<String, Vec<f32>>>);

impl NameMeanings {
    /// The same for names that were read again: those that did not change are known.
    pub(super) async fn again(&self) -> Self {
        Self(Mutex::new(self.0.lock().await.clone()))
    }

    /// The things whose names mean nearly what words do. Meaning alone is never certain: their
    /// scores are below `accept`.
    pub(super) async fn nearest(
        &self,
        names: &Names,
        words: &[f32],
        meaning: &Meaning,
        accept: f64,
    ) -> Vec<Candidate> {
        if names.things().len() > MOST {
            return Vec::new();
        }
        let sentences: Vec<String> = names
            .things()
            .iter()
            .map(|thing| thing.name.clone())
            .collect();
        let mut known = self.0.lock().await;
        let missing: Vec<String> = sentences
            .iter()
            .filter(|name| !known.contains_key(*name))
            .cloned()
            .collect();
        for batch in missing.chunks(BATCH) {
            let Some(vectors) = meaning.of_documents(batch).await else {
                return Vec::new();
            };
            known.extend(batch.iter().cloned().zip(vectors));
        }
        if known.len() > 2 * sentences.len() {
            known.retain(|name, _| sentences.contains(name));
        }
        let scored = sentences.iter().enumerate().filter_map(|(place, name)| {
            let score = cosine(words, known.get(name)?);
            let score = score.min(accept - 0.01);
            (score >= LEAST)
                .then(|| Candidate::of(names, place, score, MatchedBy::Embedding))
                .flatten()
        });
        scored.collect()
    }
}

fn cosine(one: &[f32], another: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| f64::from(*a) * f64::from(*b))
            .sum()
    };
    let lengths = (dot(one, one) * dot(another, another)).sqrt();
    if one.len() == another.len() && lengths > 0.0 {
        dot(one, another) / lengths
    } else {
        0.0
    }
}
