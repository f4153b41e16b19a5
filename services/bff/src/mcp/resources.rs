//! The tenant's documents as resources.

use contracts::tools::knowledge::{DocumentList, DocumentSummary, DocumentText};
use rmcp::model::{ErrorData, ReadResourceResult, Resource, ResourceContents};
use service_kit::problem::ApiError;

use super::failed;
use crate::orchestrator::{OnBehalf, segment};
use crate::proxy::Tier;

const PREFIX: &str = "heliograph://documents/";

/// Every document.
pub(super) async fn list(on_behalf: &OnBehalf) -> Result<Vec<Resource>, ApiError> {
    if !on_behalf.may(contracts::tools::READ) {
        return Ok(Vec::new());
    }
    let list: DocumentList = on_behalf.get(Tier::Tools, "/api/documents").await?;
    Ok(list.documents.into_iter().map(described).collect())
}

/// The text of a document.
pub(super) async fn read(on_behalf: &OnBehalf, uri: &str) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let text = format!("There is no resource `{uri}`.");
        ErrorData::resource_not_found(text, Some(serde_json::json!({ "uri": uri })))
    };
    let id = uri.strip_prefix(PREFIX).ok_or_else(unknown)?;
    let id = segment(id, "document").map_err(|_| unknown())?;
    let path = format!("/api/documents/{id}/text");
    let read = on_behalf.get::<DocumentText>(Tier::Tools, &path).await;
    let document = match read {
        Ok(document) => document,
        Err(error) if matches!(error.problem().status, 404 | 422) => return Err(unknown()),
        Err(error) => return Err(failed(error)),
    };
    // What was read of a PDF or a page is text.
    let contents = ResourceContents::text(document.text, uri).with_mime_type("text/markdown");
    Ok(ReadResourceResult::new(vec![contents]))
}

fn described(document: DocumentSummary) -> Resource {
    let uri = format!("{PREFIX}{}", document.document_id);
    let description = format!("In the collection {}", document.collection);
    Resource::new(uri, document.filename)
        .with_description(description)
        .with_mime_type("text/markdown")
}
