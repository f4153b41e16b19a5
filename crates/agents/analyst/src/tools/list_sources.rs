//! `list_sources`: nothing in; what can be asked, by names, out.

use contracts::tools::search::{ListSourcesArguments, SourceList, names};
use serde_json::json;

use super::{Failure, Job, Outcome};
use crate::words;

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let called = job
        .call(names::LIST_SOURCES, &ListSourcesArguments::default())
        .await;
    let Some(list) = called.result::<SourceList>() else {
        return Outcome::Failure(Failure::of(&called));
    };
    let sources: Vec<_> = list
        .sources
        .iter()
        .map(|source| {
            let indices: Vec<_> = source.indices.iter().map(|index| &index.name).collect();
            json!({ "source": source.name, "indices": indices, "unavailable": source.unavailable })
        })
        .collect();
    let names = list.sources.iter().map(|source| source.name.clone());
    let action = format!("Listed the sources: {}.", words::list(names));
    job.step.work.sources = Some(std::sync::Arc::new(list));
    Outcome::success(&json!({ "sources": sources }), action)
}
