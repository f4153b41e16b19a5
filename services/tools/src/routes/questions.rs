//! Confirmed questions: `/api/questions…`.

use axum::body::Bytes;
use axum::extract::State;
use contracts::tools::questions::{
    ApproveQuestion, EditQuestion, KeptQuestion, ListQuestions, QuestionList,
};
use http::StatusCode;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path, Query, parse_json};

use crate::state;

/// The scope that looking needs; what changes something needs another beside it.
const SCOPE: &str = "tools:read";

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ListQuestions>,
) -> Result<Json<QuestionList>, ApiError> {
    caller.require_scope(SCOPE)?;
    state.sql.list_questions(&caller, &query).await.map(Json)
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<Json<KeptQuestion>, ApiError> {
    caller.require_scope(SCOPE)?;
    state.sql.question(&caller, &id).await.map(Json)
}

pub(super) async fn edit(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    Json(change): Json<EditQuestion>,
) -> Result<Json<KeptQuestion>, ApiError> {
    caller.require_scope(SCOPE)?;
    let edited = state.sql.edit_question(&caller, &id, &change).await?;
    tracing::info!(
        question = id,
        by = caller.subject,
        "a confirmed question was changed"
    );
    Ok(Json(edited))
}

pub(super) async fn withdraw(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    caller.require_scope(SCOPE)?;
    state.sql.withdraw_question(&caller, &id).await?;
    tracing::info!(
        question = id,
        by = caller.subject,
        "a confirmed question was withdrawn"
    );
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn approve(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<KeptQuestion>, ApiError> {
    caller.require_scope(SCOPE)?;
    let wanted: ApproveQuestion = if body.is_empty() {
        ApproveQuestion::default()
    } else {
        parse_json(&body)?
    };
    let approved = state.sql.approve_question(&caller, &id, wanted.replace);
    let approved = approved.await?;
    tracing::info!(
        question = id,
        by = caller.subject,
        "a confirmed question was released"
    );
    Ok(Json(approved))
}
