//! Operations on upstreams, which administrators of a tenant add.

use std::sync::Arc;

use axum::extract::State;
use contracts::upstreams::{
    ChangeUpstream, NewUpstream, UpstreamDetails, UpstreamInfo, UpstreamList, UpstreamTest,
};
use http::StatusCode;
use secrecy::SecretString;
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use super::added::{KindWords, READ, WRITE, not_stored, shown_problem};
use crate::added::check_name;
use crate::added_upstreams::{AddedUpstreams, Examined, Settings, Stored};
use crate::credentials::Owner;
use crate::error::database;
use crate::state;
use crate::upstreams::{Upstream, standing};

/// The words for messages.
const WORDS: KindWords = KindWords {
    a: "an upstream",
    one: "upstream",
    many: "upstreams",
    title: "Upstreams",
};

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<UpstreamList>, ApiError> {
    caller.require_scope(READ)?;
    let added = &state.added_upstreams;
    added.rows().sync().await.map_err(database)?;
    let fixed = added.directory().fixed_for(&caller.tenant);
    let mut upstreams: Vec<UpstreamInfo> = fixed.map(|upstream| fixed_info(upstream)).collect();
    for stored in added.rows().list(&caller.tenant).await.map_err(database)? {
        upstreams.push(info(added, &caller, &stored));
    }
    let looks = upstreams.iter_mut();
    let looks = looks.map(|upstream| look(added, &caller.tenant, upstream));
    futures::future::join_all(looks).await;
    Ok(Json(UpstreamList { upstreams }))
}

/// Says of an upstream in use why it cannot be asked now.
async fn look(added: &AddedUpstreams, tenant: &str, info: &mut UpstreamInfo) {
    if info.problem.is_some() || info.replaced_by_fixed {
        return;
    }
    if let Some(upstream) = added.directory().get(&info.name, tenant) {
        info.problem = standing(&upstream).await;
    }
}

pub(super) async fn create(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(mut new): Json<NewUpstream>,
) -> Result<(StatusCode, Json<UpstreamInfo>), ApiError> {
    caller.require_scope(WRITE)?;
    let (added, name, tenant) = (&state.added_upstreams, new.name.clone(), &caller.tenant);
    has_room(added, &caller, &name).await?;
    let token = new.test_token.take().map(SecretString::from);
    let (settings, secrets) = Settings::of(new)?;
    are_free(added, tenant, &name, &settings).await?;
    let wanted = (&settings, &secrets);
    passed(&added.examine(tenant, &name, wanted, token.as_ref()).await)?;
    let is_added = added.add(tenant, &name, &settings, &secrets).await;
    if !is_added.map_err(not_stored)? {
        return Err(WORDS.exists(&name));
    }
    let stored = find(added, &caller, &name).await?;
    Ok((StatusCode::CREATED, Json(info(added, &caller, &stored))))
}

pub(super) async fn test_new(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(mut new): Json<NewUpstream>,
) -> Result<Json<UpstreamTest>, ApiError> {
    caller.require_scope(WRITE)?;
    let (added, tenant) = (&state.added_upstreams, &caller.tenant);
    WORDS.check_enabled(added.config())?;
    check_name(&new.name)?;
    let name = new.name.clone();
    let token = new.test_token.take().map(SecretString::from);
    let (settings, secrets) = Settings::of(new)?;
    are_free(added, tenant, &name, &settings).await?;
    let wanted = (&settings, &secrets);
    let examined = added.examine(tenant, &name, wanted, token.as_ref()).await;
    Ok(Json(examined.outcome()))
}

pub(super) async fn test_one(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<UpstreamTest>, ApiError> {
    caller.require_scope(WRITE)?;
    let added = &state.added_upstreams;
    let fixed = fixed(added, &caller, &name);
    let stored = match &fixed {
        Some(_) => None,
        None => Some(find(added, &caller, &name).await?),
    };
    let token = own_token(&state, &caller, &name).await;
    let examined = match (fixed, stored) {
        (Some(fixed), _) => AddedUpstreams::examine_fixed(&fixed, token.as_ref()).await,
        (None, Some(stored)) => added.examine_stored(&stored, token.as_ref()).await,
        (None, None) => return Err(WORDS.unknown()),
    };
    let outcome = examined.outcome();
    // The lists of all processes say the same from now on.
    let rows = added.rows();
    rows.tested(&caller.tenant, &name, outcome.ok).await;
    Ok(Json(outcome))
}

/// The token that the caller handed over, for an upstream that takes one of each person.
async fn own_token(state: &state::State, caller: &Identity, name: &str) -> Option<SecretString> {
    let owner = Owner::of(caller);
    let upstream = state.credentials.upstream(&owner, name)?;
    let held = state.credentials.usable(&owner, &upstream).await;
    held.ok().map(|held| held.token)
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<UpstreamDetails>, ApiError> {
    caller.require_scope(READ)?;
    let added = &state.added_upstreams;
    added.rows().sync().await.map_err(database)?;
    if let Some(fixed) = fixed(added, &caller, &name) {
        return Ok(Json(UpstreamDetails {
            upstream: fixed_info(&fixed),
            timeout_ms: u64::try_from(fixed.timeout().as_millis()).unwrap_or(u64::MAX),
            max_response_bytes: fixed.max_response_bytes() as u64,
            operations: Vec::new(),
            tools: Vec::new(),
        }));
    }
    let stored = find(added, &caller, &name).await?;
    let mut details = UpstreamDetails {
        upstream: info(added, &caller, &stored),
        timeout_ms: stored.settings.timeout_ms,
        max_response_bytes: stored.settings.max_response_bytes,
        operations: Vec::new(),
        tools: Vec::new(),
    };
    if caller.has_scope(WRITE) {
        details.operations = stored.settings.operations;
        details.tools = stored.settings.tools;
    }
    Ok(Json(details))
}

pub(super) async fn change(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Json(change): Json<ChangeUpstream>,
) -> Result<Json<UpstreamInfo>, ApiError> {
    caller.require_scope(WRITE)?;
    let (added, tenant) = (&state.added_upstreams, &caller.tenant);
    not_fixed(added, &caller, &name)?;
    let stored = find(added, &caller, &name).await?;
    let (settings, secrets) = stored.settings.changed(&name, change)?;
    are_free(added, tenant, &name, &settings).await?;
    let used = match &secrets {
        Some(secrets) => secrets.clone(),
        None => added.rows().secrets(&stored).map_err(ApiError::conflict)?,
    };
    passed(&added.examine(tenant, &name, (&settings, &used), None).await)?;
    let changed = added.change(&stored, &settings, secrets.as_ref()).await;
    WORDS.is_changed(changed)?;
    let stored = find(added, &caller, &name).await?;
    Ok(Json(info(added, &caller, &stored)))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    let added = &state.added_upstreams;
    // One that an upstream of the configuration replaces can be removed, too.
    let removed = added.remove(&caller.tenant, &name).await;
    if !removed.map_err(database)? {
        not_fixed(added, &caller, &name)?;
        return Err(WORDS.unknown());
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Fails where the name of a tool is taken.
async fn are_free(
    added: &AddedUpstreams,
    tenant: &str,
    name: &str,
    settings: &Settings,
) -> Result<(), ApiError> {
    let taken = added.taken(tenant, name, settings).await;
    match taken.map_err(database)? {
        None => Ok(()),
        Some(taken) => {
            let names = settings.names();
            let at = names.iter().position(|one| *one == taken);
            let list = if settings.tools.is_empty() {
                "operations"
            } else {
                "tools"
            };
            Err(ApiError::invalid_field(
                format!("/{list}/{}/name", at.unwrap_or_default()),
                format!("'{taken}' is the name of another tool; choose another one"),
            ))
        }
    }
}

fn fixed(added: &AddedUpstreams, caller: &Identity, name: &str) -> Option<Arc<Upstream>> {
    let mut fixed = added.directory().fixed_for(&caller.tenant);
    fixed.find(|upstream| upstream.name() == name).cloned()
}

/// Fails where the tenant can have no further one of this name.
async fn has_room(added: &AddedUpstreams, caller: &Identity, name: &str) -> Result<(), ApiError> {
    let config = added.config();
    WORDS.is_free(
        config,
        added.directory().is_fixed(name, &caller.tenant),
        name,
    )?;
    let stored = added.rows().list(&caller.tenant).await.map_err(database)?;
    let present = stored.iter().map(|stored| stored.name.as_str());
    WORDS.has_room(config, present, name)
}

fn not_fixed(added: &AddedUpstreams, caller: &Identity, name: &str) -> Result<(), ApiError> {
    WORDS.not_fixed(added.directory().is_fixed(name, &caller.tenant), name)
}

async fn find(added: &AddedUpstreams, caller: &Identity, name: &str) -> Result<Stored, ApiError> {
    let found = added.rows().get(&caller.tenant, name).await;
    found.map_err(database)?.ok_or_else(|| WORDS.unknown())
}

/// Fails if a test failed, at the member that is to be changed.
fn passed(examined: &Examined) -> Result<(), ApiError> {
    let Some(failed) = examined.problem() else {
        return Ok(());
    };
    let why = failed.problem.clone().unwrap_or_default();
    Err(ApiError::invalid_field(examined.pointer, why.clone()).with_detail(why))
}

fn fixed_info(upstream: &Upstream) -> UpstreamInfo {
    UpstreamInfo {
        name: upstream.name().to_owned(),
        kind: upstream.kind(),
        access: upstream.access(),
        fixed: true,
        replaced_by_fixed: false,
        problem: None,
        endpoint: None,
        tools: upstream.tool_names().map(str::to_owned).collect(),
        created_at: None,
        updated_at: None,
    }
}

/// A stored upstream. Its address is for those who may change it.
fn info(added: &AddedUpstreams, caller: &Identity, stored: &Stored) -> UpstreamInfo {
    let may_change = caller.has_scope(WRITE);
    let settings = &stored.settings;
    let problem = added.rows().problem(&stored.tenant, &stored.name);
    UpstreamInfo {
        name: stored.name.clone(),
        kind: settings.kind,
        access: settings.endpoint.access,
        fixed: false,
        replaced_by_fixed: added.directory().is_fixed(&stored.name, &stored.tenant),
        problem: shown_problem(problem, caller),
        endpoint: may_change.then(|| settings.shown()),
        tools: settings.names().into_iter().map(str::to_owned).collect(),
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
    }
}
