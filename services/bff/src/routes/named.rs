//! Operations of the tools service whose audit entries name their object or their outcome from the
//! body of the request or of the answer. Passed on as those in [`super::passed_on`].

use axum::body::{Body, Bytes, to_bytes};
use axum::response::Response;
use contracts::collections::CollectionReaders;
use http::StatusCode;
use serde_json::Value;
use service_kit::problem::ApiError;

use super::passed_on::{self, Inbound};
use crate::audit::Note;

/// Maximum size of an answer that is read here. A preview is below one MiB.
const LONGEST_ANSWER: usize = 16 * 1024 * 1024;

/// `POST /api/sites`: the ids of the sites.
pub(super) async fn put_sites(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let given: Value = serde_json::from_slice(&body).unwrap_or_default();
    let sites = given["sites"].as_array().map_or(&[][..], Vec::as_slice);
    let ids: Vec<&str> = sites
        .iter()
        .filter_map(|site| site["id"].as_str())
        .collect();
    if !ids.is_empty() {
        inbound.caller.note.object(ids.join(", "));
    }
    passed_on::pass_on_slowly(inbound, body).await
}

/// `POST /api/collections` and `PATCH /api/collections/{collection_id}`: the name and the readers.
pub(super) async fn collection(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let given: Value = serde_json::from_slice(&body).unwrap_or_default();
    let note = inbound.caller.note.clone();
    let answer = passed_on::pass_on(inbound, body).await?;
    look_at(answer, |answer| {
        let name = answer["name"].as_str().unwrap_or_default();
        let readers = serde_json::from_value::<CollectionReaders>(given["readers"].clone());
        let words = readers.map_or_else(
            |_not_given| String::new(),
            |readers| readers_words(&readers),
        );
        let id = answer["id"].as_str().unwrap_or_default();
        note.object(format!("{name} ({id}){words}"));
    })
    .await
}

fn readers_words(readers: &CollectionReaders) -> String {
    let role = readers.role.map(|role| format!("role {role}"));
    let groups = readers.groups.iter().map(|group| format!("group {group}"));
    let all: Vec<String> = role.into_iter().chain(groups).collect();
    format!("; readers: {}", all.join(", "))
}

/// `POST /api/imports`: the file, its site and its id.
pub(super) async fn create_import(inbound: Inbound, body: Body) -> Result<Response, ApiError> {
    let note = inbound.caller.note.clone();
    let answer = passed_on::pass_on_stream(inbound, body).await?;
    look_at(answer, |import| note_import(&note, import)).await
}

/// `PATCH /api/imports/{import_id}`, and running and cancelling it: the same.
pub(super) async fn change_import(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let note = inbound.caller.note.clone();
    let answer = passed_on::pass_on_slowly(inbound, body).await?;
    look_at(answer, |import| note_import(&note, import)).await
}

fn note_import(note: &Note, import: &Value) {
    let member = |name: &str| import[name].as_str().unwrap_or_default();
    let (file, site, id) = (member("filename"), member("site"), member("import_id"));
    note.object(format!("{file} (site {site}, import {id})"));
}

/// `POST /api/documents`: the file, its collection and its id.
pub(super) async fn ingest_document(inbound: Inbound, body: Body) -> Result<Response, ApiError> {
    let note = inbound.caller.note.clone();
    let answer = passed_on::pass_on_document(inbound, body).await?;
    look_at(answer, |document| {
        let member = |name: &str| document[name].as_str().unwrap_or_default();
        let (file, id) = (member("filename"), member("document_id"));
        let collection = member("collection");
        note.object(format!("{file} (collection {collection}, document {id})"));
    })
    .await
}

/// `POST /api/targets`, `/api/sources` and `/api/upstreams`: the name. The test of a connection
/// takes longer than other requests.
pub(super) async fn create(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let given: Value = serde_json::from_slice(&body).unwrap_or_default();
    if let Some(name) = given["name"].as_str() {
        let name: String = name.chars().take(64).collect();
        inbound.caller.note.object(name);
    }
    passed_on::pass_on_slowly(inbound, body).await
}

/// Tests of targets, search sources and upstreams. The outcome is that of the test: one that failed
/// is refused, as adding the same is.
pub(super) async fn test(inbound: Inbound, body: Bytes) -> Result<Response, ApiError> {
    let given: Value = serde_json::from_slice(&body).unwrap_or_default();
    let note = inbound.caller.note.clone();
    if let Some(name) = given["name"].as_str() {
        note.object(name);
    }
    let answer = passed_on::pass_on_slowly(inbound, body).await?;
    look_at(answer, |test| {
        if test["ok"] == Value::Bool(false) {
            note.status(StatusCode::UNPROCESSABLE_ENTITY);
        }
    })
    .await
}

/// Shows an answer, if it is JSON, and gives it back whole.
async fn look_at(answer: Response, look: impl FnOnce(&Value)) -> Result<Response, ApiError> {
    let (parts, body) = answer.into_parts();
    let bytes = to_bytes(body, LONGEST_ANSWER)
        .await
        .map_err(ApiError::upstream_failed)?;
    if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
        look(&value);
    }
    Ok(Response::from_parts(parts, Body::from(bytes)))
}
