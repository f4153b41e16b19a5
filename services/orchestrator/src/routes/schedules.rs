//! The caller's schedules.

use axum::extract::{FromRequestParts, State as Shared};
use axum::response::{IntoResponse, Response};
use contracts::schedules::{
    CreateSchedule, CreatedSchedule, Schedule, ScheduleList, ScheduleMessageList, ScheduleTest,
    StopLink, UpdateSchedule, UseStopLink, WebhookSecret,
};
use conversations::Owner;
use http::StatusCode;
use http::header::LOCATION;
use http::request::Parts;
use secrecy::ExposeSecret;
use service_kit::identity::Caller;
use service_kit::problem::ApiError;
use service_kit::web::{Json, Path};

use crate::credentials::owner_of;
use crate::error::refusal;
use crate::schedules::{self, Refused, SCOPES};
use crate::state::State;

/// `GET /v1/schedules`.
pub(super) async fn list_schedules(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
) -> Result<Json<ScheduleList>, ApiError> {
    let all = schedules::list(&state, &owner).await.map_err(refused)?;
    Ok(Json(ScheduleList {
        schedules: all,
        limit: state.config.schedules.most_per_person,
    }))
}

/// `POST /v1/schedules`.
pub(super) async fn create_schedule(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Json(request): Json<CreateSchedule>,
) -> Result<Response, ApiError> {
    let schedule = schedules::create(&state, &owner, request, None)
        .await
        .map_err(refused)?;
    let secret = schedules::secret(&state, &owner, &schedule.schedule_id).await;
    let location = format!("/v1/schedules/{}", schedule.schedule_id);
    let created = CreatedSchedule {
        schedule,
        webhook_secret: secret.ok().map(|secret| secret.expose_secret().to_owned()),
    };
    Ok((StatusCode::CREATED, [(LOCATION, location)], Json(created)).into_response())
}

/// `GET /v1/schedules/{schedule_id}`.
pub(super) async fn get_schedule(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
) -> Result<Json<Schedule>, ApiError> {
    let found = schedules::find(&state, &owner, &id).await;
    found.map(Json).map_err(refused)
}

/// `PATCH /v1/schedules/{schedule_id}`.
pub(super) async fn update_schedule(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
    Json(request): Json<UpdateSchedule>,
) -> Result<Json<Schedule>, ApiError> {
    let changed = schedules::change(&state, &owner, &id, request).await;
    changed.map(Json).map_err(refused)
}

/// `DELETE /v1/schedules/{schedule_id}`.
pub(super) async fn delete_schedule(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
) -> Result<StatusCode, ApiError> {
    let deleted = schedules::delete(&state, &owner, &id).await;
    deleted.map_err(refused)?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /v1/schedules/{schedule_id}/test`.
pub(super) async fn test_schedule(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
) -> Result<(StatusCode, Json<ScheduleTest>), ApiError> {
    let detail = schedules::send_now(&state, &owner, &id)
        .await
        .map_err(refused)?;
    Ok((StatusCode::ACCEPTED, Json(ScheduleTest { detail })))
}

/// `GET /v1/schedules/{schedule_id}/messages`.
pub(super) async fn list_schedule_messages(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
) -> Result<Json<ScheduleMessageList>, ApiError> {
    let messages = schedules::messages(&state, &owner, &id)
        .await
        .map_err(refused)?;
    Ok(Json(ScheduleMessageList { messages }))
}

/// `GET /v1/schedules/{schedule_id}/secret`.
pub(super) async fn get_schedule_secret(
    Shared(state): Shared<State>,
    ScheduleOwner(owner): ScheduleOwner,
    Path(id): Path<String>,
) -> Result<Json<WebhookSecret>, ApiError> {
    let secret = schedules::secret(&state, &owner, &id)
        .await
        .map_err(refused)?;
    Ok(Json(WebhookSecret {
        webhook_secret: secret.expose_secret().to_owned(),
    }))
}

/// `POST /v1/schedules/stop-link`.
pub(super) async fn use_stop_link(
    Shared(state): Shared<State>,
    OwnerByLink(owner): OwnerByLink,
    Json(request): Json<UseStopLink>,
) -> Result<Json<StopLink>, ApiError> {
    let used = schedules::use_link(&state, &owner, &request).await;
    used.map(Json).map_err(refused)
}

/// The caller, who has the scopes for schedules. They are checked before a body is read.
pub(super) struct ScheduleOwner(Owner);

impl<S: Send + Sync> FromRequestParts<S> for ScheduleOwner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Caller(identity) = Caller::from_request_parts(parts, state).await?;
        for scope in SCOPES {
            identity.require_scope(scope)?;
        }
        Ok(Self(owner_of(&identity)))
    }
}

/// The owner of the schedule of a link, which a recipient has opened. The scope is checked before a
/// body is read.
pub(super) struct OwnerByLink(Owner);

/// No account has this scope: the bff gives it to a recipient who opens a link.
const STOP: &str = "schedules:stop";

impl<S: Send + Sync> FromRequestParts<S> for OwnerByLink {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Caller(identity) = Caller::from_request_parts(parts, state).await?;
        identity.require_scope(STOP)?;
        Ok(Self(owner_of(&identity)))
    }
}

fn refused(refused: Refused) -> ApiError {
    match refused {
        Refused::Invalid(pointer, detail) => ApiError::invalid_field(pointer, detail),
        Refused::Conflict(detail) | Refused::NoChannel(detail) => ApiError::conflict(detail),
        Refused::Stored(error) => refusal(error, "schedule"),
    }
}
