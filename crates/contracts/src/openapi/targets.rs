//! Target databases; the bff passes their operations on.

use super::common::{CompressedJsonRefusals, ToolsRefusals};
use crate::problem::Problem;
use crate::targets::{
    ChangeTarget, ExportRows, NewTarget, ReadSpreadsheet, SpreadsheetPreview, TargetDetails,
    TargetInfo, TargetList, TargetTest,
};
use crate::tools::refresh::RefreshedTarget;

/// Reads a target's tables, columns, policy, graph and questions again, without waiting until they
/// are due. Callers at the same time share a reading. A statement that names a column which is not
/// known does the same on its own.
#[utoipa::path(post, path = "/api/targets/{target}/refresh", tag = "targets", security(("bearer" = ["tools:read", "questions:approve"])),
    params(("target" = String, Path, description = "The target's name")),
    responses(
        (status = 200, description = "The catalogue as it is now, and what changed", body = RefreshedTarget),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "There is no target of this name that the tenant may ask", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The target cannot be read; the one before stays in use", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn refresh_target() {}

/// The targets of the tenant: those of configuration files, which cannot be changed here, and those
/// that were added.
#[utoipa::path(get, path = "/api/targets", tag = "targets", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The targets", body = TargetList),
        ToolsRefusals,
    ))]
pub fn list_targets() {}

/// Adds a database. Its connection and its role are tested first; then a job reads its tables and
/// tries the first questions. It can be asked at once, in every replica.
#[utoipa::path(post, path = "/api/targets", tag = "targets", security(("bearer" = ["targets:write"])),
    request_body = NewTarget,
    responses(
        (status = 201, description = "It is added, and the job is queued", body = TargetInfo),
        (status = 409, description = "A target of this name exists, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed; the problem says which step and what to do", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn create_target() {}

/// Tests a database without adding it: host, connection, encryption, role, tables.
#[utoipa::path(post, path = "/api/target-tests", tag = "targets", security(("bearer" = ["targets:write"])),
    request_body = NewTarget,
    responses(
        (status = 200, description = "The outcome, step by step", body = TargetTest),
        (status = 422, description = "A member is not valid", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn test_new_target() {}

/// A target with its tables, columns, joins and first questions.
#[utoipa::path(get, path = "/api/targets/{target}", tag = "targets", security(("bearer" = ["tools:read"])),
    params(("target" = String, Path, description = "The target's name")),
    responses(
        (status = 200, description = "The target", body = TargetDetails),
        (status = 404, description = "The tenant has no such target", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_target() {}

/// Changes a target that was added. Another connection is tested first. The job reads it again.
#[utoipa::path(patch, path = "/api/targets/{target}", tag = "targets", security(("bearer" = ["targets:write"])),
    params(("target" = String, Path, description = "The target's name")),
    request_body = ChangeTarget,
    responses(
        (status = 200, description = "The target", body = TargetInfo),
        (status = 404, description = "The tenant has no such target", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file, or a spreadsheet has no connection", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn change_target() {}

/// Removes a target that was added, with the tables of its spreadsheet.
#[utoipa::path(delete, path = "/api/targets/{target}", tag = "targets", security(("bearer" = ["targets:write"])),
    params(("target" = String, Path, description = "The target's name")),
    responses(
        (status = 204, description = "It is removed"),
        (status = 404, description = "The tenant has no such target", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_target() {}

/// Tests a target as it is: host, connection, encryption, role, tables.
#[utoipa::path(post, path = "/api/targets/{target}/test", tag = "targets", security(("bearer" = ["targets:write"])),
    params(("target" = String, Path, description = "The target's name")),
    responses(
        (status = 200, description = "The outcome, step by step", body = TargetTest),
        (status = 404, description = "The tenant has no such target", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn test_target() {}

/// Reads a CSV, Excel, Parquet or SQLite file, and returns the tables, columns and types that were
/// found. Nothing is stored.
#[utoipa::path(post, path = "/api/target-previews", tag = "targets", security(("bearer" = ["targets:write"])),
    params(ReadSpreadsheet),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes of the file; `content-encoding: gzip` is understood"),
    responses(
        (status = 200, description = "What was found", body = SpreadsheetPreview),
        (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The file cannot be read", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn preview_spreadsheet() {}

/// Loads a CSV, Excel, Parquet or SQLite file as a target. It replaces the tables of an earlier
/// file as a whole, or changes nothing.
#[utoipa::path(post, path = "/api/targets/{target}/file", tag = "targets", security(("bearer" = ["targets:write"])),
    params(("target" = String, Path, description = "The target's name"), ReadSpreadsheet),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes of the file; `content-encoding: gzip` is understood"),
    responses(
        (status = 200, description = "It replaces the earlier file", body = TargetInfo),
        (status = 201, description = "It is a new target", body = TargetInfo),
        (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "A target of this name exists that is not a spreadsheet, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The file cannot be read", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn load_spreadsheet() {}

/// The rows of a query as a file, as many as the limits of the target allow.
#[utoipa::path(get, path = "/api/targets/{target}/export", tag = "targets", security(("bearer" = ["tools:read"])),
    params(("target" = String, Path, description = "The target's name"), ExportRows),
    responses(
        (status = 200, description = "The file; `x-truncated: true` if a limit cut it", content((String = "text/csv"), (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
        (status = 404, description = "The tenant has no such target", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The query is refused or fails; the problem says why", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "The caller has as many queries running as one person may; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn export_rows() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_target as ChangeTarget, __path_create_target as CreateTarget,
        __path_delete_target as DeleteTarget, __path_export_rows as ExportRows,
        __path_get_target as GetTarget, __path_list_targets as ListTargets,
        __path_load_spreadsheet as LoadSpreadsheet,
        __path_preview_spreadsheet as PreviewSpreadsheet, __path_refresh_target as RefreshTarget,
        __path_test_new_target as TestNewTarget, __path_test_target as TestTarget,
    };
}
