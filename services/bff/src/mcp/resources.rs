//! The tenant's documents as resources.

use contracts::tools::knowledge::{DocumentList, DocumentSummary, DocumentText};
use rmcp::model::{
    ArgumentInfo, CompleteResult, CompletionInfo, ErrorData, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate,
};
use service_kit::problem::ApiError;

use super::failed;
use crate::orchestrator::{OnBehalf, segment};
use crate::proxy::Tier;

const PREFIX: &str = "heliograph://documents/";
const TEMPLATE: &str = "heliograph://documents/{id}";

/// Every document.
pub(super) async fn list(on_behalf: &OnBehalf) -> Result<Vec<Resource>, ApiError> {
    if !on_behalf.may(contracts::tools::READ) {
        return Ok(Vec::new());
    }
    let list: DocumentList = on_behalf.get(Tier::Tools, "/api/documents").await?;
    Ok(list.documents.into_iter().map(described).collect())
}

/// Every document's address, with a place for its id.
pub(super) fn template() -> ResourceTemplate {
    ResourceTemplate::new(TEMPLATE, "document")
        .with_title("Document")
        .with_description("The text of a document of the tenant")
        .with_mime_type("text/markdown")
}

/// The ids of documents for what was typed: the beginning of an id, or a part of a file's name.
pub(super) async fn complete(
    on_behalf: &OnBehalf,
    uri: &str,
    argument: &ArgumentInfo,
) -> Result<CompleteResult, ErrorData> {
    if uri != TEMPLATE || argument.name != "id" {
        let text = format!("`{uri}` has no argument `{}`.", argument.name);
        return Err(ErrorData::invalid_params(text, None));
    }
    let wanted = argument.value.to_lowercase();
    let known = list(on_behalf).await.map_err(failed)?;
    let found = known.into_iter().filter_map(|document| {
        let id = document.uri.strip_prefix(PREFIX)?;
        let fits = id.starts_with(&wanted) || document.name.to_lowercase().contains(&wanted);
        fits.then(|| id.to_owned())
    });
    let mut found: Vec<String> = found.collect();
    let total = u32::try_from(found.len()).ok();
    let more = found.len() > CompletionInfo::MAX_VALUES;
    found.truncate(CompletionInfo::MAX_VALUES);
    let completion = CompletionInfo::with_pagination(found, total, more);
    let completion = completion.map_err(|fault| ErrorData::internal_error(fault, None))?;
    Ok(CompleteResult::new(completion))
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
