//! The index of a target's catalogue: the words and meanings of its tables, its nouns, and
//! the questions that come with it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use targets::Catalogue;

use super::first::Made;
use super::question::{Question, Vocabulary};
use super::ranking::{TableIndex, TableText, with_meaning};
use crate::meaning::Meaning;

/// Number of tables that are embedded with one request; finished ones stay when the rest is late.
const BATCH: usize = 64;

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
    /// By sentence, so that a catalogue that was read again keeps those of tables that did not
    /// change.
    meanings: tokio::sync::Mutex<HashMap<String, Vec<f32>>>,
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
            meanings: tokio::sync::Mutex::new(meanings),
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
            && let Some(tables) = self.meanings(meaning).await
        {
            with_meaning(&mut scores, &question, &tables);
        }
        scores
    }

    /// The vectors of all tables, or none while they are not all there.
    async fn meanings(&self, meaning: &Meaning) -> Option<Vec<Vec<f32>>> {
        let mut known = self.meanings.lock().await;
        let missing: Vec<String> = self
            .sentences
            .iter()
            .filter(|sentence| !known.contains_key(*sentence))
            .cloned()
            .collect();
        for batch in missing.chunks(BATCH) {
            let vectors = meaning.of_documents(batch).await?;
            known.extend(batch.iter().cloned().zip(vectors));
        }
        self.sentences
            .iter()
            .map(|sentence| known.get(sentence).cloned())
            .collect()
    }
}

/// By target: the index of the catalogue that it has at the moment.
#[derive(Default)]
pub(super) struct Indexes(Mutex<HashMap<String, Arc<Indexed>>>);

impl Indexes {
    /// The index of this catalogue and these first questions, made if they are not those that the
    /// target had before.
    pub(super) async fn of(
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
            Some(before) => before.meanings.lock().await.clone(),
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
