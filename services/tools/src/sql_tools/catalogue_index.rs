//! The index of a target's catalogue: the words and meanings of its tables, its nouns, and
//! the questions that come with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use targets::Catalogue;

use super::first::Made;
use super::question::{Question, Vocabulary};
use super::ranking::{TableIndex, TableText, with_meaning};
use crate::meaning::Meaning;

/// Number of tables that are embedded with one request; finished ones stay when the rest is late.
const BATCH: usize = 16;

/// Time that a question waits for the meanings of tables.
const PATIENCE: Duration = Duration::from_secs(5);

/// A catalogue with what was made of it.
pub(super) struct Indexed {
    pub(super) catalogue: Arc<Catalogue>,
    /// The questions that were made of its tables.
    made: Option<Arc<Made>>,
    pub(super) vocabulary: Vocabulary,
    /// The catalogue's own questions, in its order, then those that were made of its tables.
    pub(super) questions: Vec<Question>,
    words: TableIndex,
    sentences: Vec<String>,
    meanings: Arc<Meanings>,
}

/// The vectors of tables by their sentences, so that a catalogue that was read again keeps those of
/// tables that did not change.
#[derive(Default)]
struct Meanings {
    known: Mutex<HashMap<String, Vec<f32>>>,
    /// Held by the task that embeds.
    embedding: tokio::sync::Mutex<()>,
}

impl Meanings {
    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Vec<f32>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The vectors of all sentences, or none if one is missing.
    fn of(&self, sentences: &[String]) -> Option<Vec<Vec<f32>>> {
        let known = self.known();
        let vectors = sentences
            .iter()
            .map(|sentence| known.get(sentence).cloned());
        vectors.collect()
    }

    /// The vectors of all sentences, or none while they are not all there. What is missing is
    /// embedded by a task that continues when this question no longer waits, so that a later one
    /// has it.
    async fn complete(
        self: &Arc<Self>,
        sentences: &[String],
        meaning: &Meaning,
    ) -> Option<Vec<Vec<f32>>> {
        if let Some(vectors) = self.of(sentences) {
            return Some(vectors);
        }
        let (meanings, meaning, own) = (Arc::clone(self), meaning.clone(), sentences.to_vec());
        let embedding = tokio::spawn(async move { meanings.embed(&own, &meaning).await });
        let _late = tokio::time::timeout(PATIENCE, embedding).await;
        self.of(sentences)
    }

    /// Embeds the sentences that are missing.
    async fn embed(&self, sentences: &[String], meaning: &Meaning) {
        let _alone = self.embedding.lock().await;
        let missing: Vec<String> = {
            let known = self.known();
            let missing = sentences.iter().filter(|one| !known.contains_key(*one));
            missing.cloned().collect()
        };
        for batch in missing.chunks(BATCH) {
            let Some(vectors) = meaning.of_documents(batch).await else {
                return;
            };
            self.known().extend(batch.iter().cloned().zip(vectors));
        }
    }
}

impl Indexed {
    /// The index of a catalogue, with the meanings of tables that are known already.
    fn of(
        catalogue: Arc<Catalogue>,
        made: Option<Arc<Made>>,
        mut meanings: HashMap<String, Vec<f32>>,
    ) -> Self {
        let columns: Vec<Vec<(&str, Option<&str>)>> = catalogue
            .tables
            .values()
            .map(|table| {
                table
                    .columns
                    .iter()
                    .map(|column| (column.name.as_str(), column.comment.as_deref()))
                    .collect()
            })
            .collect();
        let texts = || {
            catalogue
                .tables
                .values()
                .zip(&columns)
                .map(|(table, columns)| TableText {
                    name: &table.name,
                    comment: table.comment.as_deref(),
                    columns,
                })
        };
        let names = catalogue.tables.values().flat_map(|table| {
            let columns = table.columns.iter().map(|column| column.name.as_str());
            std::iter::once(table.name.as_str()).chain(columns)
        });
        let sentences: Vec<String> = texts().map(TableText::to_sentence).collect();
        meanings.retain(|sentence, _| sentences.contains(sentence));
        let vocabulary = Vocabulary::of(names);
        let added = made.iter().flat_map(|made| &made.added);
        let questions = catalogue.questions.iter().chain(added);
        let questions = questions.map(|curated| Question::new(&curated.question, &vocabulary));
        Self {
            questions: questions.collect(),
            vocabulary,
            words: TableIndex::of(texts()),
            sentences,
            meanings: Arc::new(Meanings {
                known: Mutex::new(meanings),
                ..Meanings::default()
            }),
            catalogue,
            made,
        }
    }

    /// Whether a question was made of the tables.
    pub(super) fn is_made(&self, place: usize) -> bool {
        place >= self.catalogue.questions.len()
    }

    /// A question that comes with the target, by its place.
    pub(super) fn shipped(&self, place: usize) -> Option<&targets::Question> {
        let added = self.made.iter().flat_map(|made| &made.added);
        self.catalogue.questions.iter().chain(added).nth(place)
    }

    /// The relevance of each table to a question, 0 to 1, in the order of the catalogue.
    pub(super) async fn scores(&self, question: &str, meaning: &Meaning) -> Vec<f64> {
        let mut scores = self.words.scores(question);
        if let Some(question) = meaning.of_question(question).await
            && let Some(tables) = self.meanings.complete(&self.sentences, meaning).await
        {
            with_meaning(&mut scores, &question, &tables);
        }
        scores
    }
}

/// By target: the index of the catalogue that it has at the moment.
#[derive(Default)]
pub(super) struct Indexes(Mutex<HashMap<String, Arc<Indexed>>>);

impl Indexes {
    /// The index of this catalogue and these first questions, made if they are not those that the
    /// target had before.
    pub(super) fn of(
        &self,
        target: &str,
        catalogue: Arc<Catalogue>,
        made: Option<Arc<Made>>,
    ) -> Arc<Indexed> {
        let before = self.lock().get(target).cloned();
        if let Some(indexed) = &before
            && Arc::ptr_eq(&indexed.catalogue, &catalogue)
            && indexed.made.as_ref().map(Arc::as_ptr) == made.as_ref().map(Arc::as_ptr)
        {
            return Arc::clone(indexed);
        }
        let known = match before {
            Some(before) => before.meanings.known().clone(),
            None => HashMap::new(),
        };
        let indexed = Arc::new(Indexed::of(catalogue, made, known));
        self.lock().insert(target.to_owned(), Arc::clone(&indexed));
        indexed
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<Indexed>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use async_trait::async_trait;
    use llm::{Embedder, EmbeddingKind, Error, ModelId};

    use super::*;

    /// An embedder that takes four seconds for a request, and counts texts.
    struct Slow(Arc<AtomicUsize>);

    #[async_trait]
    impl Embedder for Slow {
        async fn embed(&self, texts: &[String], _: EmbeddingKind) -> Result<Vec<Vec<f32>>, Error> {
            tokio::time::sleep(Duration::from_secs(4)).await;
            self.0.fetch_add(texts.len(), Ordering::Relaxed);
            Ok(vec![vec![1.0]; texts.len()])
        }

        fn id(&self) -> ModelId {
            ModelId {
                provider: "openai".into(),
                model: "slow".into(),
            }
        }

        fn dimensions(&self) -> Option<usize> {
            Some(1)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_too_late_for_one_question_is_there_for_the_next() {
        let embedded = Arc::new(AtomicUsize::new(0));
        let meaning = Meaning::new(Some(Arc::new(Slow(Arc::clone(&embedded)))));
        let tables: Vec<String> = (0..3 * BATCH).map(|table| table.to_string()).collect();
        let meanings = Arc::new(Meanings::default());
        assert_eq!(meanings.complete(&tables, &meaning).await, None);
        tokio::time::sleep(Duration::from_mins(1)).await;
        let vectors = meanings.complete(&tables, &meaning).await;
        assert_eq!(vectors.map(|vectors| vectors.len()), Some(tables.len()));
        assert_eq!(embedded.load(Ordering::Relaxed), tables.len());
    }
}
