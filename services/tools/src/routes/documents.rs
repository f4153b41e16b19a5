//! `POST`, `GET` and `DELETE /api/documents`.

use axum::body::{Body, to_bytes};
use axum::extract::State;
use contracts::tools::knowledge::{
    DocumentList, DocumentText, IngestDocumentQuery, IngestedDocument,
};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, StatusCode};
use knowledge::{Error, MediaType};
use serde::Deserialize;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use uuid::Uuid;

use crate::error::database;
use crate::knowledge_tools::reader;
use crate::{state, storage};

/// The scope that reading needs.
const READ: &str = "tools:read";
/// The scope that ingesting and deleting need.
const WRITE: &str = "documents:write";

/// The query of `GET /api/documents`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    collection: Option<String>,
}

pub(super) async fn ingest(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<IngestDocumentQuery>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<IngestedDocument>, ApiError> {
    caller.require_scope(WRITE)?;
    let limit = state.library.settings().max_document_bytes;
    if announced_length(&headers).is_some_and(|length| length > limit) {
        return Err(ApiError::body_too_large());
    }
    let kind = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(MediaType::of_content_type);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let bytes = to_bytes(body, limit).await.map_err(unread)?;
    let size = bytes.len() as u64;
    storage::admit(&state.pool, &state.ingest, &caller.tenant, size).await?;
    let ingested = state
        .library
        .ingest(
            &reader(&caller),
            &query.collection,
            &query.filename,
            kind,
            bytes.into(),
        )
        .await
        .map_err(refuse)?;
    Ok(Json(ingested))
}

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ListQuery>,
) -> Result<Json<DocumentList>, ApiError> {
    caller.require_scope(READ)?;
    let documents = state
        .library
        .documents(&reader(&caller), query.collection.as_deref())
        .await
        .map_err(refuse)?;
    Ok(Json(DocumentList { documents }))
}

pub(super) async fn text(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<Json<DocumentText>, ApiError> {
    caller.require_scope(READ)?;
    // A text that is not an id is an unknown document.
    let text = match Uuid::parse_str(&id) {
        Ok(id) => state
            .library
            .text(&reader(&caller), id)
            .await
            .map_err(refuse)?,
        Err(_) => None,
    };
    let text = text.ok_or_else(|| ApiError::not_found("There is no such document."))?;
    Ok(Json(text))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    // A text that is not an id is an unknown document.
    let deleted = match Uuid::parse_str(&id) {
        Ok(id) => state
            .library
            .delete(&reader(&caller), id)
            .await
            .map_err(refuse)?,
        Err(_) => false,
    };
    if deleted {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(ApiError::not_found("There is no such document."))
    }
}

fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A body that is longer than it may be, or breaks off.
fn unread(error: axum::Error) -> ApiError {
    let error = error.into_inner();
    if error.is::<http_body_util::LengthLimitError>() {
        ApiError::body_too_large()
    } else {
        ApiError::malformed("The body did not come whole.").with_source(error)
    }
}

/// Why a document was not taken, as a problem.
pub(super) fn refuse(error: Error) -> ApiError {
    let detail = sentence(&error.to_string());
    match error {
        Error::Database(error) => database(error),
        Error::UnsupportedMediaType { .. } => ApiError::unsupported_media_type(detail),
        Error::TooLarge { .. } => ApiError::body_too_large().with_detail(detail),
        Error::InvalidName { name, reason } => ApiError::invalid_field(format!("/{name}"), reason),
        Error::Closed(_) => ApiError::forbidden(detail),
        Error::NameTaken(_) => ApiError::conflict(detail),
        Error::Busy { .. } => ApiError::unavailable(detail, error),
        Error::Reader(error) => ApiError::internal(error),
        Error::TooManyChunks { .. }
        | Error::TooDemanding { .. }
        | Error::TooMuchText { .. }
        | Error::Broken(_)
        | Error::Encrypted
        | Error::NoText(_)
        | Error::TooSlow
        | Error::FolderUnread
        | Error::File { .. } => ApiError::invalid_field("", detail.clone()).with_detail(detail),
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}
