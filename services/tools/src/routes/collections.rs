//! `/api/collections`.

use axum::extract::State;
use contracts::access::Role;
use contracts::collections::{
    ChangeCollection, Collection, CollectionList, CollectionReaders, ConfirmCollection,
    CreateCollection,
};
use contracts::names::{self, NameFault};
use http::StatusCode;
use knowledge::CollectionChange;
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use uuid::Uuid;

use super::documents::refuse;
use crate::knowledge_tools::{GROUP, ROLE, group_mark, reader, role_mark};
use crate::state;

/// The scope that reading needs.
const READ: &str = "tools:read";
/// The scope that changes need.
const WRITE: &str = "targets:write";

/// Maximum number of groups of a collection, and their longest name.
const MOST_GROUPS: usize = 50;
const LONGEST_GROUP: usize = 100;

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<CollectionList>, ApiError> {
    caller.require_scope(READ)?;
    let manages = caller.has_scope(WRITE);
    let found = state.library.collections(&reader(&caller)).await;
    let collections = found
        .map_err(refuse)?
        .into_iter()
        .filter(|collection| collection.readable || manages)
        .map(wire);
    Ok(Json(CollectionList {
        collections: collections.collect(),
    }))
}

pub(super) async fn create(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(body): Json<CreateCollection>,
) -> Result<(StatusCode, Json<Collection>), ApiError> {
    caller.require_scope(WRITE)?;
    let marks = marks(&body.readers)?;
    let name = body.name.trim();
    let created = state
        .library
        .create_collection(&caller.tenant, name, &marks)
        .await;
    let id = created
        .map_err(refuse)?
        .ok_or_else(|| refuse(knowledge::Error::NameTaken(name.to_owned())))?;
    Ok((StatusCode::CREATED, Json(one(&state, &caller, id).await?)))
}

pub(super) async fn change(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    Json(body): Json<ChangeCollection>,
) -> Result<Json<Collection>, ApiError> {
    caller.require_scope(WRITE)?;
    let id = Uuid::parse_str(&id).map_err(|_not_an_id| unknown())?;
    let change = CollectionChange {
        name: body.name.map(|name| name.trim().to_owned()),
        readers: body.readers.as_ref().map(marks).transpose()?,
    };
    let changed = state
        .library
        .change_collection(&caller.tenant, id, &change)
        .await;
    if changed.map_err(refuse)? {
        Ok(Json(one(&state, &caller, id).await?))
    } else {
        Err(unknown())
    }
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    Query(query): Query<ConfirmCollection>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    let id = Uuid::parse_str(&id).map_err(|_not_an_id| unknown())?;
    let collection = one(&state, &caller, id).await?;
    if query.confirm != collection.name {
        return Err(ApiError::invalid_field(
            "/confirm",
            format!(
                "is not the name of the collection, {:?}; its {} documents would be deleted",
                collection.name, collection.documents
            ),
        ));
    }
    let deleted = state.library.delete_collection(&caller.tenant, id).await;
    let documents = deleted.map_err(refuse)?.ok_or_else(unknown)?;
    tracing::info!(collection = %id, documents, "a collection was deleted");
    Ok(StatusCode::NO_CONTENT)
}

async fn one(state: &state::State, caller: &Identity, id: Uuid) -> Result<Collection, ApiError> {
    let found = state.library.collections(&reader(caller)).await;
    let mut found = found.map_err(refuse)?.into_iter();
    let collection = found.find(|collection| collection.collection_id == id);
    collection.map(wire).ok_or_else(unknown)
}

fn unknown() -> ApiError {
    ApiError::not_found("There is no such collection.")
}

/// Readers as they are stored.
fn marks(readers: &CollectionReaders) -> Result<Vec<String>, ApiError> {
    if readers.role.is_none() && readers.groups.is_empty() {
        return Err(ApiError::invalid_field(
            "/readers",
            "must have a role or a group: no user could read the collection",
        ));
    }
    let unfit =
        |fault: NameFault| ApiError::invalid_field("/readers/groups", format!("a group {fault}"));
    let groups = readers.groups.iter().map(|group| names::checked(group));
    let groups: Vec<String> = groups.collect::<Result<_, _>>().map_err(unfit)?;
    let fits = |group: &String| (1..=LONGEST_GROUP).contains(&group.chars().count());
    if groups.len() > MOST_GROUPS || !groups.iter().all(fits) {
        let detail =
            format!("must be at most {MOST_GROUPS} names of 1 to {LONGEST_GROUP} characters");
        return Err(ApiError::invalid_field("/readers/groups", detail));
    }
    let groups = groups.iter().map(|group| group_mark(group));
    Ok(readers
        .role
        .map(role_mark)
        .into_iter()
        .chain(groups)
        .collect())
}

fn wire(collection: knowledge::Collection) -> Collection {
    let (mut role, mut groups) = (None, Vec::new());
    for mark in &collection.readers {
        if let Some(name) = mark.strip_prefix(ROLE) {
            role = Role::from_name(name);
        } else if let Some(group) = mark.strip_prefix(GROUP) {
            groups.push(group.to_owned());
        }
    }
    Collection {
        id: collection.collection_id.to_string(),
        name: collection.name,
        readers: CollectionReaders { role, groups },
        documents: collection.documents.unsigned_abs(),
        bytes: collection.bytes.unsigned_abs(),
        readable: collection.readable,
        created_at: collection.created_at,
    }
}
