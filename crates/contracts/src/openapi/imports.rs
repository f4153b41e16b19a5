//! Imports of files; the bff passes them on.

use super::common::{JsonRefusals, ToolsRefusals};
use crate::imports::{CreateImport, Import, ImportList, ReviseImport};
use crate::problem::Problem;

/// Uploads a file of a data logger, a CSV or an Excel sheet, and returns a preview: the format, the
/// devices, the first rows, and the rows that would be refused. Nothing is stored as a reading
/// until the import is run. A file that was uploaded before with the same options is that import.
#[utoipa::path(post, path = "/api/imports", tag = "imports", security(("bearer" = ["sites:write"])),
    params(CreateImport),
    request_body(content = Vec<u8>, content_type = "application/octet-stream", description = "The bytes of the file; `content-encoding: gzip` is understood"),
    responses(
        (status = 200, description = "The file was uploaded before", body = Import),
        (status = 201, description = "The import with its preview", body = Import),
        (status = 400, description = "The body breaks off", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "Too many bytes wait to be imported", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The file is too large", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests, or the tenant has used up its storage; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Another content encoding than gzip", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "An option does not fit, such as an unknown site or zone", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn create_import() {}

/// The imports of the tenant, the newest first.
#[utoipa::path(get, path = "/api/imports", tag = "imports", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The imports, without previews", body = ImportList),
        ToolsRefusals,
    ))]
pub fn list_imports() {}

/// An import with its preview and progress.
#[utoipa::path(get, path = "/api/imports/{import_id}", tag = "imports", security(("bearer" = ["tools:read"])),
    params(("import_id" = String, Path, description = "The import")),
    responses(
        (status = 200, description = "The import", body = Import),
        (status = 404, description = "The tenant has no such import", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_import() {}

/// Reads the file again with other options, such as another zone or a corrected meaning of its
/// columns, and returns the new preview. Only an import that was not run yet can be revised.
#[utoipa::path(patch, path = "/api/imports/{import_id}", tag = "imports", security(("bearer" = ["sites:write"])),
    params(("import_id" = String, Path, description = "The import")),
    request_body = ReviseImport,
    responses(
        (status = 200, description = "The import with its new preview", body = Import),
        (status = 404, description = "The tenant has no such import", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The import was run", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "An option does not fit", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn revise_import() {}

/// Starts the import as a job, or continues one that failed. It stores every good row once, and
/// continues in another process if its own ends.
#[utoipa::path(post, path = "/api/imports/{import_id}/run", tag = "imports", security(("bearer" = ["sites:write"])),
    params(("import_id" = String, Path, description = "The import")),
    responses(
        (status = 202, description = "It is queued", body = Import),
        (status = 404, description = "The tenant has no such import", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It cannot be run: it was refused or cancelled", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn run_import() {}

/// Stops an import. Rows that were stored stay.
#[utoipa::path(post, path = "/api/imports/{import_id}/cancel", tag = "imports", security(("bearer" = ["sites:write"])),
    params(("import_id" = String, Path, description = "The import")),
    responses(
        (status = 200, description = "The import", body = Import),
        (status = 404, description = "The tenant has no such import", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It has ended", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn cancel_import() {}

/// Deletes an import with its file. Readings that it stored stay.
#[utoipa::path(delete, path = "/api/imports/{import_id}", tag = "imports", security(("bearer" = ["sites:write"])),
    params(("import_id" = String, Path, description = "The import")),
    responses(
        (status = 204, description = "It is deleted"),
        (status = 404, description = "The tenant has no such import", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "It is running; cancel it first", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_import() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_cancel_import as CancelImport, __path_create_import as CreateImport,
        __path_delete_import as DeleteImport, __path_get_import as GetImport,
        __path_list_imports as ListImports, __path_revise_import as ReviseImport,
        __path_run_import as RunImport,
    };
}
