//! Search sources; the bff passes their operations on.

use super::common::{CompressedJsonRefusals, ToolsRefusals};
use crate::problem::Problem;
use crate::sources::{
    ChangeSource, NewSource, SourceDetails, SourceEntries, SourceInfo, SourceTest,
};

/// The search sources of the tenant: those of configuration files, which cannot be changed here,
/// and those that were added.
#[utoipa::path(get, path = "/api/sources", tag = "sources", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The sources", body = SourceEntries),
        ToolsRefusals,
    ))]
pub fn list_search_sources() {}

/// Adds a search source: Elasticsearch, OpenSearch, GraphQL, or tables of a PostgreSQL database. It
/// is tested first. It can be asked at once, in every replica.
#[utoipa::path(post, path = "/api/sources", tag = "sources", security(("bearer" = ["targets:write"])),
    request_body = NewSource,
    responses(
        (status = 201, description = "It is added", body = SourceInfo),
        (status = 409, description = "A source of this name exists, or there are as many as a tenant may have", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed; the problem says which step and what to do", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn create_source() {}

/// Tests a search source without adding it.
#[utoipa::path(post, path = "/api/source-tests", tag = "sources", security(("bearer" = ["targets:write"])),
    request_body = NewSource,
    responses(
        (status = 200, description = "The outcome, step by step", body = SourceTest),
        (status = 409, description = "Sources cannot be added in this installation", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn test_new_source() {}

/// A search source with its indices and fields.
#[utoipa::path(get, path = "/api/sources/{source}", tag = "sources", security(("bearer" = ["tools:read"])),
    params(("source" = String, Path, description = "The source's name")),
    responses(
        (status = 200, description = "The source", body = SourceDetails),
        (status = 404, description = "The tenant has no such source", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_source() {}

/// Changes a search source that was added. It is tested first where its address, its connection or
/// the set of its indices changes; words are changed also while it is away.
#[utoipa::path(patch, path = "/api/sources/{source}", tag = "sources", security(("bearer" = ["targets:write"])),
    params(("source" = String, Path, description = "The source's name")),
    request_body = ChangeSource,
    responses(
        (status = 200, description = "The source", body = SourceInfo),
        (status = 404, description = "The tenant has no such source", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file, or was changed at the same time", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A member is not valid, or the test failed", body = Problem, content_type = "application/problem+json"),
        CompressedJsonRefusals,
        ToolsRefusals,
    ))]
pub fn change_source() {}

/// Removes a search source that was added.
#[utoipa::path(delete, path = "/api/sources/{source}", tag = "sources", security(("bearer" = ["targets:write"])),
    params(("source" = String, Path, description = "The source's name")),
    responses(
        (status = 204, description = "It is removed"),
        (status = 404, description = "The tenant has no such source", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is in a configuration file", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_source() {}

/// Tests a search source as it is.
#[utoipa::path(post, path = "/api/sources/{source}/test", tag = "sources", security(("bearer" = ["targets:write"])),
    params(("source" = String, Path, description = "The source's name")),
    responses(
        (status = 200, description = "The outcome, step by step", body = SourceTest),
        (status = 404, description = "The tenant has no such source", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn test_source() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_source as ChangeSource, __path_create_source as CreateSource,
        __path_delete_source as DeleteSource, __path_get_source as GetSource,
        __path_list_search_sources as ListSearchSources, __path_test_new_source as TestNewSource,
        __path_test_source as TestSource,
    };
}
