//! Operations on search sources, which administrators of a tenant add.

use std::sync::Arc;

use axum::extract::State;
use contracts::sources::{
    ChangeSource, NewSource, SourceDetails, SourceEntries, SourceInfo, SourceTest,
};
use http::StatusCode;
use search_sources::Source;
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use super::added::{KindWords, LOOK, READ, WRITE, not_stored, shown_problem};
use crate::added::check_name;
use crate::added_sources::{AddedSources, Examined, Settings, Stored};
use crate::error::database;
use crate::state;

/// The words for messages.
const WORDS: KindWords = KindWords {
    a: "a search source",
    one: "search source",
    many: "search sources",
    title: "Search sources",
};

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<SourceEntries>, ApiError> {
    caller.require_scope(READ)?;
    state.added_sources.rows().sync().await.map_err(database)?;
    let fixed = state.added_sources.sources().fixed_for(&caller.tenant);
    let mut sources: Vec<SourceInfo> = fixed.map(|source| fixed_info(source)).collect();
    let stored = state.added_sources.rows().list(&caller.tenant).await;
    for stored in stored.map_err(database)? {
        sources.push(info(&state.added_sources, &caller, &stored));
    }
    let looks = sources.iter_mut();
    let looks = looks.map(|source| look(&state.added_sources, &caller.tenant, source));
    futures::future::join_all(looks).await;
    Ok(Json(SourceEntries { sources }))
}

/// Says of a source in use why it cannot be asked now.
async fn look(sources: &AddedSources, tenant: &str, info: &mut SourceInfo) {
    if info.problem.is_some() || info.replaced_by_fixed {
        return;
    }
    let Some(source) = sources.sources().find(tenant, Some(&info.name), None, None) else {
        return;
    };
    info.problem = match tokio::time::timeout(LOOK, source.overview(tenant)).await {
        Ok(overview) => overview.unavailable.clone(),
        Err(_) => Some("It did not answer in time.".to_owned()),
    };
}

pub(super) async fn create(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(new): Json<NewSource>,
) -> Result<(StatusCode, Json<SourceInfo>), ApiError> {
    caller.require_scope(WRITE)?;
    let (sources, name) = (&state.added_sources, new.name.clone());
    has_room(sources, &caller, &name).await?;
    let (settings, secrets) = Settings::of(new)?;
    let tenant = &caller.tenant;
    let examined = sources.examine(tenant, &name, settings, &secrets).await;
    passed(&examined)?;
    let added = sources
        .rows()
        .add(tenant, &name, &examined.found.settings, &secrets);
    if !added.await.map_err(not_stored)? {
        return Err(WORDS.exists(&name));
    }
    let stored = find(sources, &caller, &name).await?;
    Ok((StatusCode::CREATED, Json(info(sources, &caller, &stored))))
}

pub(super) async fn test_new(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(new): Json<NewSource>,
) -> Result<Json<SourceTest>, ApiError> {
    caller.require_scope(WRITE)?;
    WORDS.check_enabled(state.added_sources.config())?;
    check_name(&new.name)?;
    let name = new.name.clone();
    let (settings, secrets) = Settings::of(new)?;
    let examined = state
        .added_sources
        .examine(&caller.tenant, &name, settings, &secrets)
        .await;
    Ok(Json(test(examined)))
}

pub(super) async fn test_one(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<SourceTest>, ApiError> {
    caller.require_scope(WRITE)?;
    let (sources, tenant) = (&state.added_sources, &caller.tenant);
    let outcome = if let Some(fixed) = fixed(sources, &caller, &name) {
        // Facts of a minute ago are not a test.
        fixed.forget().await;
        AddedSources::examine_fixed(&fixed, tenant).await
    } else {
        let stored = find(sources, &caller, &name).await?;
        test(sources.examine_stored(&stored).await)
    };
    // The lists of all processes say the same from now on.
    sources.rows().tested(tenant, &name, outcome.ok).await;
    Ok(Json(outcome))
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<SourceDetails>, ApiError> {
    caller.require_scope(READ)?;
    let (sources, tenant) = (&state.added_sources, &caller.tenant);
    sources.rows().sync().await.map_err(database)?;
    let (source, indices) = if let Some(fixed) = fixed(sources, &caller, &name) {
        (fixed_info(&fixed), Vec::new())
    } else {
        let stored = find(sources, &caller, &name).await?;
        let source = info(sources, &caller, &stored);
        let may_change = caller.has_scope(WRITE);
        let indices = stored.settings.indices;
        (source, if may_change { indices } else { Vec::new() })
    };
    let description = match sources.sources().find(tenant, Some(&name), None, None) {
        Some(found) => Some((*found.overview(tenant).await).clone()),
        None => None,
    };
    Ok(Json(SourceDetails {
        source,
        indices,
        description,
    }))
}

pub(super) async fn change(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Json(change): Json<ChangeSource>,
) -> Result<Json<SourceInfo>, ApiError> {
    caller.require_scope(WRITE)?;
    let sources = &state.added_sources;
    not_fixed(sources, &caller, &name)?;
    let stored = find(sources, &caller, &name).await?;
    let (mut settings, secrets) = stored.settings.changed(&name, change)?;
    if secrets.is_some() || !settings.reaches_as(&stored.settings) {
        let used = match &secrets {
            Some(secrets) => secrets.clone(),
            None => sources
                .rows()
                .secrets(&stored)
                .map_err(ApiError::conflict)?,
        };
        let examined = sources
            .examine(&caller.tenant, &name, settings, &used)
            .await;
        passed(&examined)?;
        settings = examined.found.settings;
    }
    let changed = sources
        .rows()
        .change(&stored, &settings, secrets.as_ref())
        .await;
    WORDS.is_changed(changed)?;
    let stored = find(sources, &caller, &name).await?;
    Ok(Json(info(sources, &caller, &stored)))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    // One that a source of the configuration replaces can be removed, too.
    let removed = state
        .added_sources
        .rows()
        .remove(&caller.tenant, &name)
        .await;
    if !removed.map_err(database)? {
        not_fixed(&state.added_sources, &caller, &name)?;
        return Err(WORDS.unknown());
    }
    Ok(StatusCode::NO_CONTENT)
}

fn fixed(sources: &AddedSources, caller: &Identity, name: &str) -> Option<Arc<Source>> {
    let mut fixed = sources.sources().fixed_for(&caller.tenant);
    fixed.find(|source| source.name() == name).cloned()
}

/// Fails where the tenant can have no further one of this name.
async fn has_room(sources: &AddedSources, caller: &Identity, name: &str) -> Result<(), ApiError> {
    let config = sources.config();
    WORDS.is_free(
        config,
        sources.sources().is_fixed(name, &caller.tenant),
        name,
    )?;
    let stored = sources
        .rows()
        .list(&caller.tenant)
        .await
        .map_err(database)?;
    let present = stored.iter().map(|stored| stored.name.as_str());
    WORDS.has_room(config, present, name)
}

fn not_fixed(sources: &AddedSources, caller: &Identity, name: &str) -> Result<(), ApiError> {
    WORDS.not_fixed(sources.sources().is_fixed(name, &caller.tenant), name)
}

async fn find(sources: &AddedSources, caller: &Identity, name: &str) -> Result<Stored, ApiError> {
    let found = sources
        .rows()
        .get(&caller.tenant, name)
        .await
        .map_err(database)?;
    found.ok_or_else(|| WORDS.unknown())
}

/// Fails if a test failed, at the member that is to be changed.
fn passed(examined: &Examined) -> Result<(), ApiError> {
    let Some(failed) = examined.problem() else {
        return Ok(());
    };
    let why = failed.problem.clone().unwrap_or_default();
    Err(ApiError::invalid_field(examined.pointer, why.clone()).with_detail(why))
}

fn test(examined: Examined) -> SourceTest {
    SourceTest {
        ok: examined.problem().is_none(),
        steps: examined.steps,
        indices: examined.found.indices,
    }
}

fn fixed_info(source: &Source) -> SourceInfo {
    let config = source.config();
    SourceInfo {
        name: config.name.clone(),
        kind: config.kind,
        description: config.description.clone(),
        fixed: true,
        replaced_by_fixed: false,
        problem: None,
        endpoint: None,
        connection: None,
        indices: config.indices.iter().map(|it| it.name.clone()).collect(),
        created_at: None,
        updated_at: None,
    }
}

/// A stored source. Its address is for those who may change it.
fn info(sources: &AddedSources, caller: &Identity, stored: &Stored) -> SourceInfo {
    let may_change = caller.has_scope(WRITE);
    let settings = &stored.settings;
    let problem = sources.rows().problem(&stored.tenant, &stored.name);
    SourceInfo {
        name: stored.name.clone(),
        kind: settings.kind,
        description: settings.description.clone(),
        fixed: false,
        replaced_by_fixed: sources.sources().is_fixed(&stored.name, &stored.tenant),
        problem: shown_problem(problem, caller),
        endpoint: settings.shown_endpoint().filter(|_| may_change),
        connection: settings.shown_connection().filter(|_| may_change),
        indices: settings.indices.iter().map(|it| it.name.clone()).collect(),
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
    }
}
