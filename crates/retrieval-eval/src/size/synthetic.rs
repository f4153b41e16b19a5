//! Synthetic passages and their vectors. They are the same on every run.

use async_trait::async_trait;
use knowledge::vectors::dot::unit;
use llm::{Embedder, EmbeddingKind, Error, ErrorKind, ModelId, ProviderName};

/// Number of directions that passages cluster around.
const CLUSTERS: u64 = 1_000;
/// The distance of a passage from its direction, relative to a length of 1.
const SPREAD: f32 = 0.6;
/// Number of passages per document.
const PER_DOCUMENT: usize = 1_000;
/// Number of distinct words.
const WORDS: u64 = 20_000;
/// Separates the numbers of questions from those of passages.
const QUESTION: u64 = 1 << 40;

/// An embedding model for synthetic passages and questions.
pub(super) struct Synthetic {
    dimensions: usize,
    directions: Vec<Vec<f32>>,
}

/// A pseudo-random number generator.
struct Numbers(u64);

impl Synthetic {
    pub(super) fn new(dimensions: usize) -> Self {
        let direction = |cluster| Numbers::new(cluster).vector(dimensions);
        Self {
            dimensions,
            directions: (0..CLUSTERS).map(direction).collect(),
        }
    }

    /// The vector of a question.
    pub(super) fn question(&self, number: usize) -> Vec<f32> {
        self.vector(number as u64 + QUESTION)
    }

    fn vector(&self, number: u64) -> Vec<f32> {
        let direction = &self.directions[cluster(number)];
        let own = Numbers::new(number ^ (1 << 50)).vector(self.dimensions);
        let mixed = direction
            .iter()
            .zip(&own)
            .map(|(shared, own)| shared + SPREAD * own);
        unit(mixed.collect())
    }
}

/// The direction that a passage or a question is near.
fn cluster(number: u64) -> usize {
    usize::try_from(Numbers::new(number).next() % CLUSTERS).unwrap_or_default()
}

/// Markdown documents with this total number of passages.
pub(super) fn documents(passages: usize) -> impl Iterator<Item = String> {
    (0..passages.div_ceil(PER_DOCUMENT)).map(move |document| {
        let first = document * PER_DOCUMENT;
        let last = (first + PER_DOCUMENT).min(passages);
        (first..last).map(passage).collect()
    })
}

/// A section of two dozen words. Frequent words occur more often, as in a language.
fn passage(number: usize) -> String {
    let mut numbers = Numbers::new(number as u64 + 7);
    let words: Vec<String> = (0..24).map(|_| numbers.word()).collect();
    format!("## Entry {number}\n\n{}\n\n", words.join(" "))
}

/// A question of six words.
pub(super) fn question_text(number: usize) -> String {
    let mut numbers = Numbers::new(number as u64 + QUESTION + 7);
    let words: Vec<String> = (0..6).map(|_| numbers.word()).collect();
    format!("question {number} {}", words.join(" "))
}

#[async_trait]
impl Embedder for Synthetic {
    async fn embed(&self, texts: &[String], kind: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
        let (word, offset) = match kind {
            EmbeddingKind::Document => ("Entry", 0),
            EmbeddingKind::Query => ("question", QUESTION),
        };
        let vector = |text: &String| {
            let mut words = text
                .split_whitespace()
                .skip_while(|found| *found != word)
                .skip(1);
            let number: Option<u64> = words.next().and_then(|number| number.parse().ok());
            let number = number.ok_or_else(|| Error::new(ErrorKind::BadRequest))?;
            Ok(self.vector(number + offset))
        };
        texts.iter().map(vector).collect()
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderName::LOCAL,
            model: "synthetic".into(),
        }
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.dimensions)
    }
}

impl Numbers {
    fn new(seed: u64) -> Self {
        let mut numbers = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        numbers.next();
        numbers
    }

    /// Xorshift is random enough for this purpose.
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f32 {
        (self.next() % (1 << 24)) as f32 / (1 << 24) as f32
    }

    /// A direction with a uniform distribution: the sum of twelve shares is nearly normal.
    fn vector(&mut self, dimensions: usize) -> Vec<f32> {
        let numbers = (0..dimensions).map(|_| (0..12).map(|_| self.share()).sum::<f32>() - 6.0);
        unit(numbers.collect())
    }

    fn word(&mut self) -> String {
        let share = self.share();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of some thousands"
        )]
        let rank = (share * share * share * WORDS as f32) as u64;
        let syllables = ["ba", "ke", "di", "lo", "mu", "na", "pe", "ri", "so", "tu"];
        let mut word = String::new();
        let mut rest = rank + 100;
        while rest > 0 {
            word.push_str(syllables[usize::try_from(rest % 10).unwrap_or_default()]);
            rest /= 10;
        }
        word
    }
}

#[cfg(test)]
mod tests {
    use knowledge::vectors::dot::dot;

    use super::*;

    #[tokio::test]
    async fn passages_of_one_cluster_are_near_and_others_are_not() {
        let synthetic = Synthetic::new(384);
        let own = cluster(0);
        let sibling = (1..100_000).find(|number| cluster(*number) == own).unwrap();
        let stranger = (1..100_000).find(|number| cluster(*number) != own).unwrap();
        let texts = [0, sibling, stranger].map(|number| passage(usize::try_from(number).unwrap()));
        let vectors = synthetic
            .embed(&texts, EmbeddingKind::Document)
            .await
            .unwrap();
        assert!(dot(&vectors[0], &vectors[1]) > 0.6);
        assert!(dot(&vectors[0], &vectors[2]) < 0.3);
        assert_eq!(
            synthetic
                .embed(&texts, EmbeddingKind::Document)
                .await
                .unwrap(),
            vectors
        );
    }

    #[test]
    fn documents_hold_as_many_passages_as_asked_for() {
        let documents: Vec<String> = documents(2_500).collect();
        assert_eq!(documents.len(), 3);
        assert_eq!(documents.concat().matches("## Entry").count(), 2_500);
    }
}
