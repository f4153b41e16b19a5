//! `retrieve_query_metadata`: the address of an earlier query in; what is known of it, and whether
//! its rows are here, out.

use serde_json::json;

use super::{Failure, Job, Outcome};
use crate::{KeptQuery, plan::catalogue::RETRIEVE_QUERY_METADATA};

pub(super) async fn run(job: &mut Job<'_>) -> Outcome {
    let turn_id: Option<u32> = job.param("turn_id");
    let kept = match job.step.run().query(turn_id).await {
        Ok(kept) => kept,
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the metadata of a query could not be read"
            );
            return Outcome::Failure(Failure {
                message: "What I remember of earlier queries can't be read at the moment."
                    .to_owned(),
                away: true,
            });
        }
    };
    let usable = kept.filter(|kept| why_not(kept).is_none());
    let answer = match &usable {
        Some(kept) => {
            let metadata = &kept.metadata;
            Ok(json!({
                "turn_id": metadata.turn_id, "query_type": metadata.query_type, "data_source": metadata.data_source,
                "summary": metadata.summary, "request": metadata.request, "record_count": metadata.record_count,
                "how_to_retrieve": metadata.how_to_retrieve, "query_structure": metadata.query_structure,
                "executed_at": metadata.executed_at,
            }))
        }
        None => Err("There are no results of an earlier query to analyse.".to_owned()),
    };
    job.tell(
        RETRIEVE_QUERY_METADATA,
        &json!({ "turn_id": turn_id }),
        &answer,
    )
    .await;
    match (answer, usable) {
        (Ok(result), Some(kept)) => {
            let metadata = kept.metadata;
            let context = &mut job.step.state.execution;
            context.record_count = Some(metadata.record_count);
            let action = format!(
                "Found the query \u{201c}{}\u{201d}: {}.",
                metadata.request, metadata.summary
            );
            context.query_metadata = Some(metadata);
            Outcome::success(&result, action)
        }
        (Err(message), _) => Outcome::Failure(Failure::because(message)),
        (Ok(_), None) => Outcome::Failure(Failure::because("There is no earlier query.")),
    }
}

/// Why the results of a query cannot be analysed; `None` when they can.
pub(crate) fn why_not(kept: &KeptQuery) -> Option<String> {
    let metadata = &kept.metadata;
    if metadata.record_count == 0 {
        Some(format!(
            "\u{201c}{}\u{201d} found nothing, so there is nothing to analyse.",
            metadata.request
        ))
    } else if metadata.query_structure.is_none() {
        Some("What that query asked is not known well enough to analyse its results.".to_owned())
    } else {
        None
    }
}
