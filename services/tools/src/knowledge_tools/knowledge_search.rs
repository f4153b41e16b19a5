//! `knowledge_search`, and the same under the climate advisor's name.

use contracts::tools::knowledge::{KnowledgeResults, KnowledgeSearchArguments};
use contracts::tools::{ToolEnvelope, ToolStatus};
use service_kit::identity::Identity;

use super::{KnowledgeTools, reader};
use crate::error::Error;
use crate::metrics::read_rows;

pub(super) async fn run(
    tools: &KnowledgeTools,
    caller: &Identity,
    arguments: KnowledgeSearchArguments,
) -> Result<ToolEnvelope<KnowledgeResults>, Error> {
    let results = tools.library.search(&reader(caller), &arguments).await?;
    read_rows(results.results.len());
    Ok(envelope(results))
}

/// Nothing found is `no_data`, with the result nevertheless: it says why.
fn envelope(results: KnowledgeResults) -> ToolEnvelope<KnowledgeResults> {
    if !results.results.is_empty() {
        return ToolEnvelope::ok(results);
    }
    let message = match results.reason.as_deref() {
        Some("empty_question") => "There is no question to search for.",
        Some("no_documents") => "There are no documents to search in.",
        _ => "No document says anything that fits.",
    };
    ToolEnvelope {
        status: ToolStatus::NoData,
        message: Some(message.to_owned()),
        ..ToolEnvelope::ok(results)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::tools::knowledge::{SearchMode, VectorService};

    #[test]
    fn nothing_found_is_told_in_words_and_with_its_reason() {
        let results = |reason: &str| KnowledgeResults {
            query: "x".to_owned(),
            results: Vec::new(),
            mode: SearchMode::Text,
            vectors: VectorService::None,
            model: None,
            reason: Some(reason.to_owned()),
        };
        for reason in ["empty_question", "no_documents", "no_matches"] {
            let envelope = envelope(results(reason));
            assert_eq!(envelope.status, ToolStatus::NoData);
            assert!(envelope.message.is_some());
            assert_eq!(envelope.result.unwrap().reason.as_deref(), Some(reason));
        }
    }
}
