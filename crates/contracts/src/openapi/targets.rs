//! Target databases, at the tools service and at the bff.

use super::common::{NotYours, ProxyRefusals, Refusals};
use crate::problem::Problem;
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

/// The same operation at the bff.
pub mod at_bff {
    use super::{NotYours, ProxyRefusals, RefreshedTarget, Refusals};

    /// Reads a target's tables, columns, policy, graph and questions again, without waiting until
    /// they are due. Callers at the same time share a reading. A statement that names a column
    /// which is not known does the same on its own.
    #[utoipa::path(post, path = "/api/targets/{target}/refresh", tag = "targets", security(("bearer" = ["tools:read", "questions:approve"]), ("session" = [])),
        params(("target" = String, Path, description = "The target's name")),
        responses(
            (status = 200, description = "The catalogue as it is now, and what changed", body = RefreshedTarget),
            NotYours,
            Refusals,
            ProxyRefusals,
        ))]
    pub fn refresh_target() {}
}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::__path_refresh_target as RefreshTarget;
}
