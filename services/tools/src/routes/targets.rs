//! Operations on target databases: those that administrators of a tenant add, and reading any of
//! them again.

mod export;
mod spreadsheets;

use std::sync::Arc;

use axum::extract::State;
use contracts::targets::{
    ChangeTarget, LayerColumn, LayerTable, NewTarget, SemanticLayer, TargetDetails, TargetInfo,
    TargetKind, TargetList, TargetTest, TargetTestStep,
};
use contracts::tools::refresh::RefreshedTarget;
use contracts::tools::sql::SqlDialect;
use http::StatusCode;
use service_kit::identity::{Caller, Identity};
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};
use targets::{Catalogue, Dialect, Target};

use super::added::{KindWords, LOOK, READ, WRITE, not_stored, shown_problem};
use crate::added::check_name;
use crate::added_targets::{AddedTargets, Settings, Stored, Tested, step_name};
use crate::error::database;
use crate::sql_tools::joins_of;
use crate::state;

pub(super) use export::export;
pub(super) use spreadsheets::{load, preview};

/// The words for messages.
const WORDS: KindWords = KindWords {
    a: "a target",
    one: "target",
    many: "targets",
    title: "Targets",
};

pub(super) async fn refresh(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(target): Path<String>,
) -> Result<Json<RefreshedTarget>, ApiError> {
    state.sql.refresh_target(&caller, &target).await.map(Json)
}

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
) -> Result<Json<TargetList>, ApiError> {
    caller.require_scope(READ)?;
    state.added.sync().await.map_err(database)?;
    let fixed = state.targets.for_tenant(&caller.tenant).into_iter();
    let mut targets: Vec<TargetInfo> = fixed
        .filter(|target| !target.is_kept())
        .map(|target| fixed_info(&target))
        .collect();
    for stored in state.added.list(&caller.tenant).await.map_err(database)? {
        targets.push(info(&state, &caller, &stored));
    }
    let of_tenant = state.targets.for_tenant(&caller.tenant);
    let looks = targets.iter_mut().map(|info| look(&of_tenant, info));
    futures::future::join_all(looks).await;
    Ok(Json(TargetList { targets }))
}

/// Says of a target in use why it cannot be asked now. One that no question and no look has reached
/// yet is looked at, as its role and its policy show only then; so is one that was not set up
/// properly, which may have been mended since.
async fn look(of_tenant: &[Arc<Target>], info: &mut TargetInfo) {
    if info.problem.is_some() || info.replaced_by_fixed {
        return;
    }
    let Some(target) = of_tenant.iter().find(|target| target.name() == info.name) else {
        return;
    };
    let is_faulty = |status: &targets::TargetStatus| status.state == targets::State::Misconfigured;
    let looked = tokio::time::timeout(LOOK, async {
        if target.standing().is_some_and(|status| !is_faulty(&status)) {
            return target.ping().await.err().map(|error| error.to_string());
        }
        let found = target.look_over().await;
        match target.standing() {
            Some(standing) => standing.problem,
            None => found.err().map(|error| error.to_string()),
        }
    });
    info.problem = match looked.await {
        // The words of a faulty policy are for the log.
        Ok(problem) => problem.or_else(|| {
            let status = target.standing().filter(is_faulty)?;
            Some(format!("The target '{}' {}.", info.name, status.state))
        }),
        Err(_) => Some(format!(
            "The database '{}' did not answer in time.",
            info.name
        )),
    };
}

pub(super) async fn create(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(new): Json<NewTarget>,
) -> Result<(StatusCode, Json<TargetInfo>), ApiError> {
    caller.require_scope(WRITE)?;
    let name = new.name.clone();
    has_room(&state, &caller, &name).await?;
    let (settings, password) = Settings::of(new)?;
    let tested = state
        .added
        .test(&caller.tenant, &name, &settings, &password)
        .await;
    passed(&tested)?;
    let added = state
        .added
        .add(&caller.tenant, &name, &settings, &password)
        .await;
    if !added.map_err(not_stored)? {
        return Err(WORDS.exists(&name));
    }
    let stored = find(&state.added, &caller, &name).await?;
    Ok((StatusCode::CREATED, Json(info(&state, &caller, &stored))))
}

pub(super) async fn test_new(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Json(new): Json<NewTarget>,
) -> Result<Json<TargetTest>, ApiError> {
    caller.require_scope(WRITE)?;
    WORDS.check_enabled(state.added.config())?;
    check_name(&new.name)?;
    let name = new.name.clone();
    let (settings, password) = Settings::of(new)?;
    let tested = state
        .added
        .test(&caller.tenant, &name, &settings, &password)
        .await;
    Ok(Json(test(tested)))
}

pub(super) async fn test_one(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<TargetTest>, ApiError> {
    caller.require_scope(WRITE)?;
    let (tested, stored) = if let Some(fixed) = fixed(&state, &caller, &name) {
        (Tested::Examined(fixed.examine().await), None)
    } else {
        let stored = find(&state.added, &caller, &name).await?;
        (state.added.test_stored(&stored).await, Some(stored))
    };
    let outcome = test(tested);
    let added = &state.added;
    // The lists of all processes say the same from now on.
    added.tested(&caller.tenant, &name, outcome.ok).await;
    let had_problem = stored.is_some_and(|stored| stored.job.problem.is_some());
    if outcome.ok && had_problem {
        let again = added.read_again(&caller.tenant, &name).await;
        again.map_err(database)?;
    }
    Ok(Json(outcome))
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<TargetDetails>, ApiError> {
    caller.require_scope(READ)?;
    state.added.sync().await.map_err(database)?;
    let (target, questions) = if let Some(target) = fixed(&state, &caller, &name) {
        let questions = state.sql.first_questions(&target);
        (fixed_info(&target), questions)
    } else {
        let stored = find(&state.added, &caller, &name).await?;
        (info(&state, &caller, &stored), stored.questions)
    };
    let catalogue = match state.added.find(Some(&name), &caller.tenant).await {
        Some(found) => found.catalogue().await.ok(),
        None => None,
    };
    let layer = catalogue.map(|catalogue| SemanticLayer {
        tables: tables(&catalogue),
        joins: joins_of(&catalogue),
        questions,
    });
    Ok(Json(TargetDetails { target, layer }))
}

pub(super) async fn change(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    Json(change): Json<ChangeTarget>,
) -> Result<Json<TargetInfo>, ApiError> {
    caller.require_scope(WRITE)?;
    not_fixed(&state, &caller, &name)?;
    let stored = find(&state.added, &caller, &name).await?;
    let (settings, password) = stored.settings.changed(change)?;
    if let Some(password) = &password {
        let tested = state
            .added
            .test(&caller.tenant, &name, &settings, password)
            .await;
        passed(&tested)?;
    }
    let changed = state
        .added
        .change(&stored, &settings, password.as_ref())
        .await;
    WORDS.is_changed(changed)?;
    let stored = find(&state.added, &caller, &name).await?;
    Ok(Json(info(&state, &caller, &stored)))
}

pub(super) async fn delete(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(WRITE)?;
    // One that a target of the configuration replaces can be removed, too.
    let removed = state.added.remove(&caller.tenant, &name).await;
    if !removed.map_err(database)? {
        not_fixed(&state, &caller, &name)?;
        return Err(WORDS.unknown());
    }
    Ok(StatusCode::NO_CONTENT)
}

fn fixed(state: &state::State, caller: &Identity, name: &str) -> Option<std::sync::Arc<Target>> {
    let mut targets = state.targets.iter();
    let found = targets.find(|target| target.name() == name && target.is_for(&caller.tenant));
    found.cloned()
}

/// Fails where the tenant can have no further one of this name.
async fn has_room(state: &state::State, caller: &Identity, name: &str) -> Result<(), ApiError> {
    let config = state.added.config();
    WORDS.is_free(config, state.targets.is_fixed(name, &caller.tenant), name)?;
    let stored = state.added.list(&caller.tenant).await.map_err(database)?;
    let present = stored.iter().map(|stored| stored.name.as_str());
    WORDS.has_room(config, present, name)
}

fn not_fixed(state: &state::State, caller: &Identity, name: &str) -> Result<(), ApiError> {
    WORDS.not_fixed(state.targets.is_fixed(name, &caller.tenant), name)
}

async fn find(added: &AddedTargets, caller: &Identity, name: &str) -> Result<Stored, ApiError> {
    let found = added.get(&caller.tenant, name).await.map_err(database)?;
    found.ok_or_else(|| WORDS.unknown())
}

/// Fails if a test failed, at the member that is to be changed.
fn passed(tested: &Tested) -> Result<(), ApiError> {
    let Some((step, why)) = tested.problem() else {
        return Ok(());
    };
    let pointer = match step {
        "host" | "connection" => "/connection/host",
        "encryption" => "/connection/tls",
        "database" => "/connection/database",
        "role" => "/connection/username",
        _ => "/schemas",
    };
    Err(ApiError::invalid_field(pointer, why).with_detail(why))
}

fn test(tested: Tested) -> TargetTest {
    let step = |name: &str, problem: Option<String>| TargetTestStep {
        step: name.to_owned(),
        ok: problem.is_none(),
        problem,
    };
    match tested {
        Tested::Refused(why) => TargetTest {
            ok: false,
            steps: vec![step("host", Some(why))],
            server: None,
            encrypted: None,
            tables: None,
        },
        Tested::Examined(examined) => {
            let trials = examined.trials.iter();
            let trials = trials.map(|trial| step(step_name(trial.step), trial.problem.clone()));
            TargetTest {
                ok: examined.problem().is_none(),
                steps: std::iter::once(step("host", None)).chain(trials).collect(),
                server: examined.server,
                encrypted: examined.encrypted,
                tables: examined
                    .tables
                    .map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
            }
        }
    }
}

fn fixed_info(target: &Target) -> TargetInfo {
    TargetInfo {
        name: target.name().to_owned(),
        kind: TargetKind::Database,
        dialect: dialect(target.dialect()),
        description: target.description().map(str::to_owned),
        fixed: true,
        replaced_by_fixed: false,
        problem: target.standing().and_then(|standing| standing.problem),
        connection: None,
        file: None,
        job: None,
        created_at: None,
        updated_at: None,
    }
}

/// A stored target. Its connection is for those who may change it.
fn info(state: &state::State, caller: &Identity, stored: &Stored) -> TargetInfo {
    let kept = state
        .targets
        .kept()
        .into_iter()
        .find(|kept| kept.tenant == stored.tenant && kept.target.name() == stored.name);
    let standing = kept.and_then(|kept| kept.target.standing());
    let may_change = caller.has_scope(WRITE);
    let problem = state
        .added
        .problem(&stored.tenant, &stored.name)
        .or_else(|| standing.and_then(|standing| standing.problem))
        .or_else(|| stored.job.problem.clone());
    TargetInfo {
        name: stored.name.clone(),
        kind: stored.kind,
        dialect: match stored.settings.connection.as_ref().map(|it| it.engine) {
            Some(contracts::targets::Engine::Mysql) => SqlDialect::Mysql,
            _ => SqlDialect::Postgresql,
        },
        description: stored.settings.description.clone(),
        fixed: false,
        replaced_by_fixed: state.targets.is_fixed(&stored.name, &stored.tenant),
        problem: shown_problem(problem, caller),
        connection: if may_change {
            stored.settings.shown()
        } else {
            None
        },
        file: stored.sheet.as_ref().map(|sheet| sheet.file.clone()),
        job: Some(contracts::targets::TargetJob {
            problem: stored.job.problem.clone().filter(|_| may_change),
            ..stored.job.clone()
        }),
        created_at: Some(stored.created_at),
        updated_at: Some(stored.updated_at),
    }
}

fn tables(catalogue: &Catalogue) -> Vec<LayerTable> {
    let column = |column: &targets::ColumnInfo| LayerColumn {
        name: column.name.clone(),
        data_type: column.data_type.clone(),
        nullable: column.nullable,
        unique: column.unique,
        description: column.comment.clone(),
    };
    let tables = catalogue.tables.values().map(|table| LayerTable {
        name: table.name.clone(),
        description: table.comment.clone(),
        rows: table.rows,
        columns: table.columns.iter().map(column).collect(),
    });
    tables.collect()
}

fn dialect(dialect: Dialect) -> SqlDialect {
    match dialect {
        Dialect::MySql => SqlDialect::Mysql,
        Dialect::PostgreSql => SqlDialect::Postgresql,
    }
}
