//! Searching: words and vectors, fused by reciprocal rank.

use std::collections::HashMap;

use uuid::Uuid;

use crate::text_search::{self, TextHit};
use crate::vectors::dot::dot;
use crate::vectors::{Hit, Model, Scope};
use crate::{
    Error, KnowledgeMatch, KnowledgeResults, Library, Query, Reader, SearchMode, VectorService,
    rerank, store,
};

/// The constant of reciprocal rank fusion: how little the first places count more than the next.
const RRF_K: f64 = 60.0;
/// Number of candidates in each list, as a multiple of the requested results …
const CANDIDATES_PER_RESULT: usize = 5;
/// … and at least this number.
const LEAST_CANDIDATES: usize = 50;
/// Maximum number of passages in a search.
const MAX_TOP_K: u32 = 50;

/// A passage before it is fetched.
#[derive(Debug, Clone, Default, PartialEq)]
struct Candidate {
    chunk_id: i64,
    text_rank: Option<u32>,
    vector_rank: Option<u32>,
    covered: Option<f64>,
    cosine: Option<f64>,
    fused: f64,
}

impl Candidate {
    fn score(&self) -> f64 {
        self.cosine
            .or(self.covered)
            .unwrap_or_default()
            .clamp(0.0, 1.0)
    }
}

/// The vector list, or why there is none.
struct VectorList {
    hits: Vec<Hit>,
    service: VectorService,
    model: Option<(Model, Vec<f32>)>,
    missing: Option<&'static str>,
}

impl VectorList {
    fn missing(reason: Option<&'static str>) -> Self {
        Self {
            hits: Vec::new(),
            service: VectorService::None,
            model: None,
            missing: reason,
        }
    }
}

impl Library {
    /// The passages of the documents open to a reader that fit a question best.
    pub async fn search(&self, reader: &Reader, query: &Query) -> Result<KnowledgeResults, Error> {
        let question = query.query.trim();
        if question.is_empty() {
            return Ok(nothing(query, "empty_question"));
        }
        let scope = store::scope(&self.pool, reader, &query.collections, &query.filenames).await?;
        if scope.chunks == 0 {
            return Ok(nothing(query, "no_documents"));
        }
        let top_k = query.top_k.unwrap_or(self.settings().search.top_k);
        let top_k = top_k.clamp(1, MAX_TOP_K) as usize;
        let wanted = (top_k * CANDIDATES_PER_RESULT).max(LEAST_CANDIDATES);

        let (vectors, text) = tokio::join!(
            self.vector_list(&scope, query.mode, question, wanted),
            self.text_list(&scope, query.mode, question, wanted),
        );
        let (vectors, mut text) = (vectors?, text?);
        if query.mode == SearchMode::Vector && vectors.model.is_none() {
            text = self
                .text_list(&scope, SearchMode::Text, question, wanted)
                .await?;
        }

        let mut candidates = fuse(&text, &vectors.hits);
        self.fill_cosines(&scope, &vectors, &mut candidates).await?;
        self.drop_below(query.min_score, &mut candidates);
        let results = self.passages(&scope, question, candidates, top_k).await?;
        let reason = vectors
            .missing
            .or_else(|| results.is_empty().then_some("no_matches"));
        Ok(KnowledgeResults {
            query: query.query.clone(),
            results,
            mode: match (vectors.model.is_some(), query.mode) {
                (true, mode) => mode,
                (false, _) => SearchMode::Text,
            },
            vectors: vectors.service,
            model: vectors.model.map(|(model, _)| model.name),
            reason: reason.map(str::to_owned),
        })
    }

    async fn text_list(
        &self,
        scope: &Scope,
        mode: SearchMode,
        question: &str,
        wanted: usize,
    ) -> Result<Vec<TextHit>, Error> {
        if mode == SearchMode::Vector {
            return Ok(Vec::new());
        }
        let language = &self.settings().search.language;
        Ok(text_search::search(&self.pool, scope, language, question, wanted).await?)
    }

    async fn vector_list(
        &self,
        scope: &Scope,
        mode: SearchMode,
        question: &str,
        wanted: usize,
    ) -> Result<VectorList, Error> {
        if mode == SearchMode::Text {
            return Ok(VectorList::missing(None));
        }
        let Some(embedder) = self.embedder() else {
            return Ok(VectorList::missing(Some("no_embedder")));
        };
        let Some(store) = self.stores.get().await? else {
            return Ok(VectorList::missing(Some("no_embedder")));
        };
        let vector = match self.embed_question(embedder.as_ref(), question).await {
            Ok(vector) => vector,
            Err(error) => {
                tracing::warn!(%error, "the question has no vector; words alone are searched");
                return Ok(VectorList::missing(Some("embedder_unavailable")));
            }
        };
        let model = self.known_model().await?;
        // Nothing was embedded with this model yet: it was away, or is new.
        let Some(model) = model.filter(|model| model.dimensions == vector.len()) else {
            return Ok(VectorList::missing(Some("embedder_unavailable")));
        };
        let nearest = store.nearest(&model, scope, &vector, wanted).await?;
        Ok(VectorList {
            hits: nearest.hits,
            service: nearest.service,
            model: Some((model, vector)),
            missing: None,
        })
    }

    /// The cosines of candidates that only the text list has.
    async fn fill_cosines(
        &self,
        scope: &Scope,
        vectors: &VectorList,
        candidates: &mut [Candidate],
    ) -> Result<(), Error> {
        let Some((model, question)) = &vectors.model else {
            return Ok(());
        };
        let missing: Vec<i64> = candidates
            .iter()
            .filter(|candidate| candidate.cosine.is_none())
            .map(|candidate| candidate.chunk_id)
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let rows = sqlx::query_file!("queries/cosines.sql", model.key, scope.tenant, &missing)
            .fetch_all(&self.pool)
            .await?;
        let mut cosines = HashMap::with_capacity(rows.len());
        for row in rows {
            if row.embedding.len() == question.len() {
                let cosine = f64::from(dot(&row.embedding, question));
                cosines.insert(row.chunk_id, cosine);
            }
        }
        for candidate in candidates {
            let cosine = cosines.get(&candidate.chunk_id).copied();
            candidate.cosine = candidate.cosine.or(cosine);
        }
        Ok(())
    }

    /// Leaves out what fits too badly. A limit that the caller names holds for the score; without,
    /// each list has its own, and a passage stays that is good enough for one.
    fn drop_below(&self, min_score: Option<f64>, candidates: &mut Vec<Candidate>) {
        let search = &self.settings().search;
        candidates.retain(|candidate| {
            let is_near = candidate.cosine >= Some(search.min_score);
            let says_it = candidate.covered >= Some(search.min_text_score);
            min_score.map_or(is_near || says_it, |least| candidate.score() >= least)
        });
    }

    /// Fetches the best candidates, in the re-ranker's order where there is one.
    async fn passages(
        &self,
        scope: &Scope,
        question: &str,
        mut candidates: Vec<Candidate>,
        top_k: usize,
    ) -> Result<Vec<KnowledgeMatch>, Error> {
        let search = &self.settings().search;
        let fetched = match self.reranker {
            Some(_) => search.rerank_candidates.max(top_k),
            None => top_k,
        };
        candidates.truncate(fetched);
        let ids: Vec<i64> = candidates.iter().map(|c| c.chunk_id).collect();
        let rows = sqlx::query_file_as!(Passage, "queries/passages.sql", scope.tenant, &ids)
            .fetch_all(&self.pool)
            .await?;
        let mut found = HashMap::with_capacity(rows.len());
        for row in rows {
            found.insert(row.chunk_id, row);
        }
        let mut matches = Vec::with_capacity(candidates.len());
        for candidate in &candidates {
            // One that went since has no row.
            if let Some(row) = found.remove(&candidate.chunk_id) {
                matches.push(passage(candidate, row));
            }
        }
        if let Some(reranker) = &self.reranker {
            matches =
                rerank::ordered(reranker.as_ref(), search.rerank_timeout, question, matches).await;
        }
        matches.truncate(top_k);
        Ok(matches)
    }
}

/// Both lists as one, by reciprocal rank. Of equals the better of a list goes first, then the older
/// chunk.
///
/// The nearest vector is near in meaning, but the first of the text list may be first for one
/// chance word of a question that nothing has the words of. So a place in the text list counts by
/// the share of the question that it covers, squared: all of it like a place in the other list,
/// half of it a quarter. On the demo's questions (`heliograph eval retrieval`) plain fusion was
/// worse than vectors alone.
fn fuse(text: &[TextHit], vectors: &[Hit]) -> Vec<Candidate> {
    let weight = |covered: f64| {
        if vectors.is_empty() {
            1.0
        } else {
            covered * covered
        }
    };
    let mut candidates: HashMap<i64, Candidate> = HashMap::new();
    for (rank, hit) in (1..).zip(vectors) {
        let candidate = candidates.entry(hit.chunk_id).or_default();
        candidate.vector_rank = Some(rank);
        candidate.cosine = Some(f64::from(hit.cosine));
        candidate.fused += 1.0 / (RRF_K + f64::from(rank));
    }
    for (rank, hit) in (1..).zip(text) {
        let candidate = candidates.entry(hit.chunk_id).or_default();
        candidate.text_rank = Some(rank);
        candidate.covered = Some(hit.covered);
        candidate.fused += weight(hit.covered) / (RRF_K + f64::from(rank));
    }
    let mut fused: Vec<Candidate> = candidates
        .into_iter()
        .map(|(chunk_id, candidate)| Candidate {
            chunk_id,
            ..candidate
        })
        .collect();
    fused.sort_by(|a, b| {
        b.fused
            .total_cmp(&a.fused)
            .then(b.score().total_cmp(&a.score()))
            .then(a.chunk_id.cmp(&b.chunk_id))
    });
    fused
}

/// A row of `queries/passages.sql`.
struct Passage {
    chunk_id: i64,
    chunk_index: i32,
    headings: Vec<String>,
    content: String,
    page: Option<i32>,
    document_id: Uuid,
    filename: String,
    collection: String,
}

fn passage(candidate: &Candidate, row: Passage) -> KnowledgeMatch {
    KnowledgeMatch {
        filename: row.filename,
        chunk_index: row.chunk_index.unsigned_abs(),
        score: candidate.score(),
        content: row.content,
        collection: row.collection,
        document_id: row.document_id.to_string(),
        headings: row.headings,
        page: row.page.map(i32::unsigned_abs),
        text_rank: candidate.text_rank,
        vector_rank: candidate.vector_rank,
        fused_score: candidate.fused,
    }
}

fn nothing(query: &Query, reason: &str) -> KnowledgeResults {
    KnowledgeResults {
        query: query.query.clone(),
        results: Vec::new(),
        mode: query.mode,
        vectors: VectorService::None,
        model: None,
        reason: Some(reason.to_owned()),
    }
}

#[cfg(test)]
mod tests;
