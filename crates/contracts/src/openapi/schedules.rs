//! Schedules; the bff passes their operations on.

use super::common::{BodyRefusals, NotYours, Refusals};
use crate::problem::Problem;
use crate::schedules::{
    CreateSchedule, CreatedSchedule, Schedule, ScheduleList, ScheduleMessageList, ScheduleTest,
    StopLink, UpdateSchedule, UseStopLink, WebhookSecret,
};

/// The caller's schedules, the oldest first.
#[utoipa::path(get, path = "/v1/schedules", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    responses(
        (status = 200, description = "The schedules", body = ScheduleList),
        Refusals,
    ))]
pub fn list_schedules() {}

/// Creates a schedule: a question that is asked at set times, or an alert. It works with the rights
/// that its owner has each time, and is stopped when they do not suffice any more.
#[utoipa::path(post, path = "/v1/schedules", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    request_body = CreateSchedule,
    responses(
        (status = 201, description = "It is made", body = CreatedSchedule, headers(("location" = String, description = "Where it is"))),
        (status = 409, description = "The caller has as many schedules as there can be", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
    ))]
pub fn create_schedule() {}

/// A schedule.
#[utoipa::path(get, path = "/v1/schedules/{schedule_id}", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    responses(
        (status = 200, description = "The schedule", body = Schedule),
        NotYours,
        Refusals,
    ))]
pub fn get_schedule() {}

/// Changes any part of a schedule, also its kind; pauses or continues it.
#[utoipa::path(patch, path = "/v1/schedules/{schedule_id}", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    request_body = UpdateSchedule,
    responses(
        (status = 200, description = "The schedule as it is now", body = Schedule),
        NotYours,
        BodyRefusals,
        Refusals,
    ))]
pub fn update_schedule() {}

/// Deletes a schedule with its messages. What is on its way is not sent any more.
#[utoipa::path(delete, path = "/v1/schedules/{schedule_id}", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    responses(
        (status = 204, description = "It is gone"),
        NotYours,
        Refusals,
    ))]
pub fn delete_schedule() {}

/// Sends it now: asks the question and sends the answer, or checks the alert and sends what is the
/// case. Its times stay as they are.
#[utoipa::path(post, path = "/v1/schedules/{schedule_id}/test", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    responses(
        (status = 202, description = "It is on its way", body = ScheduleTest),
        (status = 409, description = "It is not active", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn test_schedule() {}

/// The newest messages of a schedule, and whether they have arrived.
#[utoipa::path(get, path = "/v1/schedules/{schedule_id}/messages", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    responses(
        (status = 200, description = "The messages", body = ScheduleMessageList),
        NotYours,
        Refusals,
    ))]
pub fn list_schedule_messages() {}

/// The secret that the receiver of a schedule's webhook verifies signatures with.
#[utoipa::path(get, path = "/v1/schedules/{schedule_id}/secret", tag = "schedules", security(("bearer" = ["chat", "tools:read", "schedules:write"])),
    params(("schedule_id" = String, Path, description = "The schedule")),
    responses(
        (status = 200, description = "The secret", body = WebhookSecret),
        (status = 409, description = "Its messages are not sent by webhook", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn get_schedule_secret() {}

/// The schedule of a link in a mail, which is stopped if that is asked for. The bff has the scope
/// for a recipient who opens the link; the signature of the link proves which schedule it is.
#[utoipa::path(post, path = "/v1/schedules/stop-link", tag = "schedules", security(("bearer" = ["schedules:stop"])),
    request_body = UseStopLink,
    responses(
        (status = 200, description = "The schedule as it is now", body = StopLink),
        NotYours,
        BodyRefusals,
        Refusals,
    ))]
pub fn use_stop_link() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_create_schedule as CreateSchedule, __path_delete_schedule as DeleteSchedule,
        __path_get_schedule as GetSchedule, __path_get_schedule_secret as GetScheduleSecret,
        __path_list_schedule_messages as ListScheduleMessages,
        __path_list_schedules as ListSchedules, __path_test_schedule as TestSchedule,
        __path_update_schedule as UpdateSchedule, __path_use_stop_link as UseStopLink,
    };
}
