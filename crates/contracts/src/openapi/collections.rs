//! Collections of documents; the bff passes their operations on.

use super::common::{JsonRefusals, ToolsRefusals};
use crate::collections::{
    ChangeCollection, Collection, CollectionList, ConfirmCollection, CreateCollection,
};
use crate::problem::Problem;

/// Creates a collection for readers of certain roles or groups. A collection that a document
/// names is created for all users.
#[utoipa::path(post, path = "/api/collections", tag = "collections", security(("bearer" = ["targets:write"])),
    request_body = CreateCollection,
    responses(
        (status = 201, description = "The collection", body = Collection),
        (status = 409, description = "The tenant has a collection of this name", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A name or a reader does not fit", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn create_collection() {}

/// The collections that the caller reads; with the scope `targets:write` all of the tenant, without
/// their documents.
#[utoipa::path(get, path = "/api/collections", tag = "collections", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The collections", body = CollectionList),
        ToolsRefusals,
    ))]
pub fn list_collections() {}

/// Changes the name or the readers of a collection. It counts from the next request on.
#[utoipa::path(patch, path = "/api/collections/{collection_id}", tag = "collections", security(("bearer" = ["targets:write"])),
    params(("collection_id" = String, Path, description = "The collection")),
    request_body = ChangeCollection,
    responses(
        (status = 200, description = "The collection", body = Collection),
        (status = 404, description = "The tenant has no such collection", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The tenant has a collection of this name", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A name or a reader does not fit", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn change_collection() {}

/// Deletes a collection with its documents.
#[utoipa::path(delete, path = "/api/collections/{collection_id}", tag = "collections", security(("bearer" = ["targets:write"])),
    params(("collection_id" = String, Path, description = "The collection"), ConfirmCollection),
    responses(
        (status = 204, description = "It is deleted"),
        (status = 404, description = "The tenant has no such collection", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The confirmation is not the name of the collection", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_collection() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_change_collection as ChangeCollection, __path_create_collection as CreateCollection,
        __path_delete_collection as DeleteCollection, __path_list_collections as ListCollections,
    };
}
