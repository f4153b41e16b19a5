//! Runs: how they stand, their events, stopping them.

use axum::extract::State as Shared;
use axum::response::{IntoResponse, Response};
use contracts::threads::{Dialect, FollowRun, Run, RunStatus};
use conversations::Owner;
use http::{HeaderMap, StatusCode};
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query};
use uuid::Uuid;

use crate::credentials::owner_of;
use crate::error::refusal;
use crate::runs::control;
use crate::runs::follow::{Follow, check_kept};
use crate::runs::stream::{After, has_seen_all, response};
use crate::state::State;

/// `GET /v1/runs/{run_id}`.
pub(super) async fn get_run(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(id): Path<String>,
) -> Result<Json<Run>, ApiError> {
    identity.require_scope("chat")?;
    let run = find(&state, &owner_of(&identity), &id).await?;
    Ok(Json(told(run)))
}

/// `POST /v1/runs/{run_id}/cancel`.
pub(super) async fn cancel_run(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<Run>), ApiError> {
    identity.require_scope("chat")?;
    let owner = owner_of(&identity);
    let run = control::cancel(&state, &owner, parse(&id)?).await;
    let run = run.map_err(|error| refusal(error, "run"))?;
    Ok((StatusCode::ACCEPTED, Json(told(run))))
}

/// `GET /v1/runs/{run_id}/events`.
pub(super) async fn follow_run(
    Shared(state): Shared<State>,
    Caller(identity): Caller,
    Path(id): Path<String>,
    Query(query): Query<FollowRun>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    identity.require_scope("chat")?;
    let run = find(&state, &owner_of(&identity), &id).await?;
    check_kept(&state, &run).await?;
    let dialect = query.dialect.unwrap_or_else(|| asked_in(&run));
    let after = After::of(&headers).or(query.after.map(After));
    let after = after.unwrap_or_default();
    if has_seen_all(&state, &run, dialect, after).await {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let follow = Follow::new(&state, run);
    let quiet = state.config.runs.keep_alive();
    Ok(response(follow, dialect, after, quiet))
}

async fn find(state: &State, owner: &Owner, id: &str) -> Result<conversations::Run, ApiError> {
    let run = state.store.run(owner, parse(id)?).await;
    run.map_err(|error| refusal(error, "run"))
}

/// Parses a run's id; any other text is an unknown run.
fn parse(id: &str) -> Result<Uuid, ApiError> {
    Uuid::try_parse(id).map_err(|_| ApiError::not_found("There is no such run."))
}

/// The dialect that a run was asked for in.
fn asked_in(run: &conversations::Run) -> Dialect {
    [Dialect::UiMessages, Dialect::AgentEvents]
        .into_iter()
        .find(|dialect| dialect.as_str() == run.dialect)
        .unwrap_or(Dialect::NamedEvents)
}

fn told(run: conversations::Run) -> Run {
    Run {
        run_id: run.id.simple().to_string(),
        thread_id: run.thread_name,
        message_id: run.message_id,
        assistant: run.assistant,
        status: told_status(run.status),
        attempt: u32::try_from(run.attempt).unwrap_or_default(),
        error: run
            .error
            .as_ref()
            .and_then(|error| error["text"].as_str())
            .map(str::to_owned),
        usage: run.usage,
        created_at: run.created_at,
        started_at: run.started_at,
        ended_at: run.ended_at,
    }
}

fn told_status(status: conversations::RunStatus) -> RunStatus {
    use conversations::RunStatus as Stored;
    match status {
        Stored::Queued => RunStatus::Queued,
        Stored::Running => RunStatus::Running,
        Stored::Completed => RunStatus::Completed,
        Stored::Failed => RunStatus::Failed,
        Stored::Cancelled => RunStatus::Cancelled,
        Stored::Interrupted => RunStatus::Interrupted,
    }
}
