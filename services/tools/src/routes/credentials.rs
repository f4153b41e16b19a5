//! The caller's credentials for upstreams.

use std::sync::Arc;

use axum::extract::State;
use contracts::problem::FieldError;
use contracts::tools::upstreams::{CredentialList, CredentialStatus, PutCredential};
use http::StatusCode;
use serde_json::Value;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use crate::credentials::{Credentials, Owner, is_token};
use crate::error::database;
use crate::state;
use crate::upstreams::Upstream;

/// The scope of all routes: a user who may call tools may store the credentials that they need.
const SCOPE: &str = "tools:read";

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<CredentialList>, ApiError> {
    caller.require_scope(SCOPE)?;
    let credentials = state.credentials.list(&Owner::of(&caller)).await;
    let credentials = credentials.map_err(database)?;
    Ok(Json(CredentialList { credentials }))
}

pub(super) async fn put(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Json(brought): Json<Value>,
) -> Result<Json<CredentialStatus>, ApiError> {
    caller.require_scope(SCOPE)?;
    let owner = Owner::of(&caller);
    let upstream = upstream(&state.credentials, &owner, &name)?;
    let brought = read(brought)?;
    let status = state.credentials.put(&owner, &upstream, &brought).await;
    status.map(Json).map_err(database)
}

pub(super) async fn ensure(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<CredentialStatus>, ApiError> {
    caller.require_scope(SCOPE)?;
    let owner = Owner::of(&caller);
    let upstream = upstream(&state.credentials, &owner, &name)?;
    let status = state.credentials.ensure(&owner, &upstream).await;
    status.map(Json).map_err(database)
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(SCOPE)?;
    let owner = Owner::of(&caller);
    let forgotten = state.credentials.forget(&owner, &name).await;
    if !forgotten.map_err(database)? {
        // Nothing was kept: for an upstream that is there, that is what was wanted.
        upstream(&state.credentials, &owner, &name)?;
    }
    Ok(StatusCode::NO_CONTENT)
}

fn upstream(
    credentials: &Credentials,
    owner: &Owner,
    name: &str,
) -> Result<Arc<Upstream>, ApiError> {
    credentials.upstream(owner, name).ok_or_else(|| {
        ApiError::not_found("There is no upstream of that name.")
            .with_available(credentials.names(owner))
    })
}

/// Refuses what cannot be tokens, without repeating it.
fn read(brought: Value) -> Result<PutCredential, ApiError> {
    let Value::Object(members) = &brought else {
        return Err(ApiError::invalid_field("", "must be an object"));
    };
    if !members.contains_key("access_token") {
        return Err(ApiError::invalid_field("/access_token", "is required"));
    }
    for (name, value) in members {
        let fault = match name.as_str() {
            "access_token" if !value.is_string() => "must be a string",
            "refresh_token" if !value.is_string() && !value.is_null() => "must be a string or null",
            "access_token" | "refresh_token" => continue,
            _ => "is not known here; known: `access_token`, `refresh_token`",
        };
        // A name that is none of these may itself be a token that was put in the wrong place.
        let pointer = match name.as_str() {
            "access_token" | "refresh_token" => format!("/{name}"),
            _ => String::new(),
        };
        return Err(ApiError::invalid_field(pointer, fault));
    }
    let brought: PutCredential = serde_json::from_value(brought).map_err(|_| {
        ApiError::invalid_field(
            "",
            "must be an object with access_token and maybe refresh_token, both texts",
        )
    })?;
    let refresh_token = brought.refresh_token.as_ref();
    let tokens = [
        ("/access_token", Some(&brought.access_token)),
        ("/refresh_token", refresh_token),
    ];
    let faults: Vec<FieldError> = tokens
        .into_iter()
        .filter(|(_, token)| token.is_some_and(|token| !is_token(token.expose())))
        .map(|(pointer, _)| FieldError {
            pointer: pointer.to_owned(),
            detail: "must be 1 to 16384 visible ASCII characters".to_owned(),
        })
        .collect();
    if faults.is_empty() {
        Ok(brought)
    } else {
        Err(ApiError::invalid(faults))
    }
}
