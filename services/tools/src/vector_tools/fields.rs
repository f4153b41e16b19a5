//! The fields of search sources, by what they mean.

use std::collections::HashMap;

use contracts::tools::search::{FieldDescription, IndexDescription};
use contracts::tools::vectors::{VectorFilters, VectorMatch};
use llm::EmbeddingKind;
use search_sources::Sources;
use tokio::sync::Mutex;

use super::Model;
use crate::error::Error;
use crate::sql_tools::words::{cosine, words};

/// Number of sentences that are embedded with one request.
const BATCH: usize = 64;
/// With more, what is kept is thrown away and made again.
const MOST_KEPT: usize = 20_000;

/// The fields of sources, and the vectors of the sentences that describe them.
pub(super) struct Fields {
    sources: Sources,
    /// By sentence, which is the operator's and the same for all tenants of a source.
    known: Mutex<HashMap<String, Vec<f32>>>,
}

/// A field with the sentence that describes it.
struct Described {
    source: String,
    index: String,
    field: String,
    sentence: String,
}

impl Fields {
    pub(super) fn new(sources: Sources) -> Self {
        Self {
            sources,
            known: Mutex::default(),
        }
    }

    /// The fields that a tenant may ask for whose descriptions are most like a text.
    pub(super) async fn nearest(
        &self,
        model: Model<'_>,
        tenant: &str,
        query: String,
        filters: &VectorFilters,
        top_k: u32,
    ) -> Result<Vec<VectorMatch>, Error> {
        let fields = self.of_tenant(tenant, filters).await;
        if fields.is_empty() {
            return Ok(Vec::new());
        }
        let vectors = self.vectors(model, &fields).await?;
        let query = model.vectors(&[query], EmbeddingKind::Query).await?;
        let query = query.first().map(Vec::as_slice).unwrap_or_default();
        let mut matches: Vec<VectorMatch> = fields
            .into_iter()
            .zip(vectors)
            .map(|(field, vector)| VectorMatch {
                id: format!("{}/{}/{}", field.source, field.index, field.field),
                score: cosine(query, &vector).max(0.0),
                text: field.sentence,
                source: field.source,
                index: Some(field.index),
                field: Some(field.field),
            })
            .collect();
        matches.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
        matches.truncate(top_k as usize);
        Ok(matches)
    }

    /// Sources that are away have no fields at the moment.
    async fn of_tenant(&self, tenant: &str, filters: &VectorFilters) -> Vec<Described> {
        let wanted = |filter: &Option<String>, name: &str| {
            filter.as_ref().is_none_or(|filter| filter == name)
        };
        let mut fields = Vec::new();
        for source in self.sources.for_tenant(tenant) {
            if !wanted(&filters.source, source.name()) {
                continue;
            }
            let description = source.overview(tenant).await;
            for index in &description.indices {
                if wanted(&filters.index, &index.name) {
                    fields.extend(index.fields.iter().map(|field| Described {
                        source: description.name.clone(),
                        index: index.name.clone(),
                        field: field.name.clone(),
                        sentence: sentence(index, field),
                    }));
                }
            }
        }
        fields
    }

    /// The vectors of the fields' sentences; those that are not known yet are made.
    async fn vectors(
        &self,
        model: Model<'_>,
        fields: &[Described],
    ) -> Result<Vec<Vec<f32>>, Error> {
        let mut known = self.known.lock().await;
        let mut missing: Vec<String> = fields
            .iter()
            .map(|field| field.sentence.clone())
            .filter(|sentence| !known.contains_key(sentence))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        if known.len() + missing.len() > MOST_KEPT {
            known.clear();
            missing = fields.iter().map(|field| field.sentence.clone()).collect();
        }
        for batch in missing.chunks(BATCH) {
            let vectors = model.vectors(batch, EmbeddingKind::Document).await?;
            known.extend(batch.iter().cloned().zip(vectors));
        }
        let vector = |field: &Described| known.get(&field.sentence).cloned().unwrap_or_default();
        Ok(fields.iter().map(vector).collect())
    }
}

/// A field as a text whose meaning can be compared: `shipments, delay hours: how much later than
/// planned it arrived (delay, lateness)`.
fn sentence(index: &IndexDescription, field: &FieldDescription) -> String {
    let mut sentence = format!(
        "{}, {}",
        words(&index.name).join(" "),
        words(&field.name).join(" ")
    );
    if let Some(description) = &field.description {
        sentence.push_str(": ");
        sentence.push_str(description);
    }
    if !field.synonyms.is_empty() {
        sentence = format!("{sentence} ({})", field.synonyms.join(", "));
    }
    sentence
}
