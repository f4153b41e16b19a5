//! Upstreams; the bff passes their operations on.

use super::common::{CompressedJsonRefusals, ToolsRefusals};
use crate::problem::Problem;
use crate::upstreams::{
    ChangeUpstream, NewUpstream, UpstreamDetails, UpstreamInfo, UpstreamList, UpstreamTest,
};

/// The upstreams of the tenant: those of configuration files, which cannot be changed here,
/// and those that were added.
#[utoipa::path(get, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The upstreams", body = UpstreamList),
        ToolsRefusals,
    ))]
pub fn list_upstreams() {}

/// Adds an upstream: an HTTP API or an MCP server. It is tested first. Its tools can be called at
/// once, in every replica.
#[utoipa::path(post, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["targets:write"])),
    request_body = NewUpstream,
    responses(
        (status = 201, description = "It is added", body = UpstreamInfo),
        (status = 409, description = "An upstream of this name exists, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed; the problem says which step and what to do", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn create_upstream() {}

/// Tests an upstream without adding it.
#[utoipa::path(post, path = "/api/upstream-tests", tag = "upstreams", security(("bearer" = ["targets:write"])),
    request_body = NewUpstream,
    responses(
        (status = 200, description = "The outcome, step by step", body = UpstreamTest),
        (status = 409, description = "Upstreams cannot be added in this installation", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn test_new_upstream() {}

/// An upstream with its operations or tools.
#[utoipa::path(get, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["tools:read"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 200, description = "The upstream", body = UpstreamDetails),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_upstream() {}

/// Changes an upstream that was added. It is tested first where its address, its operations or
/// its tools change.
#[utoipa::path(patch, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    request_body = ChangeUpstream,
    responses(
        (status = 200, description = "The upstream", body = UpstreamInfo),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file, or was changed at the same time", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn change_upstream() {}

/// Removes an upstream that was added.
#[utoipa::path(delete, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 204, description = "It is removed"),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_upstream() {}

/// Tests an upstream as it is.
#[utoipa::path(post, path = "/api/upstreams/{upstream}/test", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 200, description = "The outcome, step by step", body = UpstreamTest),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn test_upstream() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_upstream as ChangeUpstream, __path_create_upstream as CreateUpstream,
        __path_delete_upstream as DeleteUpstream, __path_get_upstream as GetUpstream,
        __path_list_upstreams as ListUpstreams, __path_test_new_upstream as TestNewUpstream,
        __path_test_upstream as TestUpstream,
    };
}
