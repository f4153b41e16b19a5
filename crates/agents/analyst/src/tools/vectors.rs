//! `embedding_tool` and `vectordb_tool`: the request in; what is like it out. Vectors are not kept.

use contracts::tools::vectors::{
    EmbeddingArguments, EmbeddingPurpose, Embeddings, VectorCollection, VectorFilters,
    VectorMatches, VectorSearchArguments, names,
};
use serde_json::json;

use super::{Failure, Job, Outcome};

/// The longest text that the tools take, in characters.
const LONGEST: usize = 8_000;
/// Characters of a match that later tasks get.
const EXCERPT: usize = 400;

pub(super) async fn embed(job: &mut Job<'_>) -> Outcome {
    let arguments = EmbeddingArguments {
        texts: vec![request(job)],
        purpose: EmbeddingPurpose::Query,
    };
    let called = job.call(names::EMBEDDING_TOOL, &arguments).await;
    match called.result::<Embeddings>() {
        Some(made) => Outcome::success(
            &json!({ "model": made.model, "dimensions": made.dimensions, "vectors": made.vectors.len() }),
            format!("Made a vector of the request with {}.", made.model),
        ),
        None => Outcome::Failure(Failure::of(&called)),
    }
}

pub(super) async fn search(job: &mut Job<'_>) -> Outcome {
    let arguments = VectorSearchArguments {
        collection: VectorCollection::Documents,
        query: request(job),
        top_k: None,
        filters: VectorFilters::default(),
    };
    let called = job.call(names::VECTORDB_TOOL, &arguments).await;
    let Some(found) = called.result::<VectorMatches>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let matches: Vec<_> = found
        .matches
        .iter()
        .map(|found| {
            let text: String = found.text.chars().take(EXCERPT).collect();
            json!({ "source": found.source, "text": text, "score": found.score })
        })
        .collect();
    let action = format!("Found {} passages like the request.", matches.len());
    Outcome::success(&json!({ "matches": matches }), action)
}

fn request(job: &Job<'_>) -> String {
    let request = &job.list.rewritten_request;
    request.chars().take(LONGEST).collect()
}
