//! Upstreams, at the tools service and at the bff.

use super::common::ProxyRefusals;
use crate::problem::Problem;
use crate::upstreams::{
    ChangeUpstream, NewUpstream, UpstreamDetails, UpstreamInfo, UpstreamList, UpstreamTest,
};

/// The upstreams of the tenant: those of configuration files, which cannot be changed here,
/// and those that were added.
#[utoipa::path(get, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The upstreams", body = UpstreamList),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn list_upstreams() {}

/// Adds an upstream: an HTTP API or an MCP server. It is tested first. Its tools can be called at
/// once, in every replica.
#[utoipa::path(post, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["targets:write"])),
    request_body = NewUpstream,
    responses(
        (status = 201, description = "It is added", body = UpstreamInfo),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "An upstream of this name exists, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed; the problem says which step and what to do", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn create_upstream() {}

/// Tests an upstream without adding it.
#[utoipa::path(post, path = "/api/upstream-tests", tag = "upstreams", security(("bearer" = ["targets:write"])),
    request_body = NewUpstream,
    responses(
        (status = 200, description = "The outcome, step by step", body = UpstreamTest),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "Upstreams cannot be added in this installation", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn test_new_upstream() {}

/// An upstream with its operations or tools.
#[utoipa::path(get, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["tools:read"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 200, description = "The upstream", body = UpstreamDetails),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn get_upstream() {}

/// Changes an upstream that was added. It is tested first where its address, its operations or
/// its tools change.
#[utoipa::path(patch, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    request_body = ChangeUpstream,
    responses(
        (status = 200, description = "The upstream", body = UpstreamInfo),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file, or was changed at the same time", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn change_upstream() {}

/// Removes an upstream that was added.
#[utoipa::path(delete, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 204, description = "It is removed"),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn delete_upstream() {}

/// Tests an upstream as it is.
#[utoipa::path(post, path = "/api/upstreams/{upstream}/test", tag = "upstreams", security(("bearer" = ["targets:write"])),
    params(("upstream" = String, Path, description = "The upstream's name")),
    responses(
        (status = 200, description = "The outcome, step by step", body = UpstreamTest),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn test_upstream() {}

/// The same operations at the bff.
pub mod at_bff {
    use super::{
        ChangeUpstream, NewUpstream, Problem, ProxyRefusals, UpstreamDetails, UpstreamInfo,
        UpstreamList, UpstreamTest,
    };

    /// The upstreams of the tenant: those of configuration files, which cannot be changed
    /// here, and those that were added.
    #[utoipa::path(get, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["tools:read"]), ("session" = [])),
        responses(
            (status = 200, description = "The upstreams", body = UpstreamList),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn list_upstreams() {}

    /// Adds an upstream: an HTTP API or an MCP server. It is tested first. Its tools can be called
    /// at once, in every replica.
    #[utoipa::path(post, path = "/api/upstreams", tag = "upstreams", security(("bearer" = ["targets:write"]), ("session" = [])),
        request_body = NewUpstream,
        responses(
            (status = 201, description = "It is added", body = UpstreamInfo),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
            (status = 409, description = "An upstream of this name exists, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
            (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
            (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
            (status = 422, description = "A member is not valid, or the test failed; the problem says which step and what to do", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn create_upstream() {}

    /// Tests an upstream without adding it.
    #[utoipa::path(post, path = "/api/upstream-tests", tag = "upstreams", security(("bearer" = ["targets:write"]), ("session" = [])),
        request_body = NewUpstream,
        responses(
            (status = 200, description = "The outcome, step by step", body = UpstreamTest),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
            (status = 409, description = "Upstreams cannot be added in this installation", body = Problem, content_type = "application/problem+json"),
            (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
            (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
            (status = 422, description = "A member is not valid", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn test_new_upstream() {}

    /// An upstream with its operations or tools.
    #[utoipa::path(get, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["tools:read"]), ("session" = [])),
        params(("upstream" = String, Path, description = "The upstream's name")),
        responses(
            (status = 200, description = "The upstream", body = UpstreamDetails),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
            (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn get_upstream() {}

    /// Changes an upstream that was added. It is tested first where its address, its operations or
    /// its tools change.
    #[utoipa::path(patch, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"]), ("session" = [])),
        params(("upstream" = String, Path, description = "The upstream's name")),
        request_body = ChangeUpstream,
        responses(
            (status = 200, description = "The upstream", body = UpstreamInfo),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 400, description = "Not JSON, or the body breaks off", body = Problem, content_type = "application/problem+json"),
            (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
            (status = 409, description = "It is in a configuration file, or was changed at the same time", body = Problem, content_type = "application/problem+json"),
            (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
            (status = 415, description = "Another content type than JSON, or another encoding than gzip", body = Problem, content_type = "application/problem+json"),
            (status = 422, description = "A member is not valid, or the test failed", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn change_upstream() {}

    /// Removes an upstream that was added.
    #[utoipa::path(delete, path = "/api/upstreams/{upstream}", tag = "upstreams", security(("bearer" = ["targets:write"]), ("session" = [])),
        params(("upstream" = String, Path, description = "The upstream's name")),
        responses(
            (status = 204, description = "It is removed"),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
            (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ))]
    pub fn delete_upstream() {}

    /// Tests an upstream as it is.
    #[utoipa::path(post, path = "/api/upstreams/{upstream}/test", tag = "upstreams", security(("bearer" = ["targets:write"]), ("session" = [])),
        params(("upstream" = String, Path, description = "The upstream's name")),
        responses(
            (status = 200, description = "The outcome, step by step", body = UpstreamTest),
            (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
            (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
            (status = 404, description = "The tenant has no such upstream", body = Problem, content_type = "application/problem+json"),
            ProxyRefusals,
            (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
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
}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_upstream as ChangeUpstream, __path_create_upstream as CreateUpstream,
        __path_delete_upstream as DeleteUpstream, __path_get_upstream as GetUpstream,
        __path_list_upstreams as ListUpstreams, __path_test_new_upstream as TestNewUpstream,
        __path_test_upstream as TestUpstream,
    };
}
