//! `embedding_tool`: vectors of texts.

use contracts::problem::FieldError;
use contracts::tools::ToolEnvelope;
use contracts::tools::vectors::{EmbeddingArguments, EmbeddingPurpose, Embeddings};
use llm::EmbeddingKind;
use service_kit::identity::Identity;

use super::VectorTools;
use crate::error::Error;

/// The longest text, in characters.
const LONGEST: usize = 8_192;

pub(super) async fn run(
    tools: &VectorTools,
    _caller: &Identity,
    arguments: EmbeddingArguments,
) -> Result<ToolEnvelope<Embeddings>, Error> {
    check(&arguments.texts)?;
    let model = tools.model()?;
    let kind = match arguments.purpose {
        EmbeddingPurpose::Document => EmbeddingKind::Document,
        EmbeddingPurpose::Query => EmbeddingKind::Query,
    };
    let vectors = model.vectors(&arguments.texts, kind).await?;
    let dimensions = vectors.first().map_or(0, Vec::len);
    Ok(ToolEnvelope::ok(Embeddings {
        model: model.name(),
        dimensions: u32::try_from(dimensions).unwrap_or(u32::MAX),
        vectors,
    }))
}

fn check(texts: &[String]) -> Result<(), Error> {
    let faults = texts.iter().enumerate().filter_map(|(place, text)| {
        let detail = if text.trim().is_empty() {
            "is empty".to_owned()
        } else if text.chars().count() > LONGEST {
            format!("has more than {LONGEST} characters")
        } else {
            return None;
        };
        Some(FieldError {
            pointer: format!("/texts/{place}"),
            detail,
        })
    });
    let faults: Vec<FieldError> = faults.collect();
    if faults.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(faults))
    }
}
