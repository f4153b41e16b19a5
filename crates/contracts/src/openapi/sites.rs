//! Sites and loggers; the bff passes them on.

use super::common::{JsonRefusals, ToolsRefusals};
use crate::problem::Problem;
use crate::sites::{
    ConfirmDeletion, ListSiteLoggers, PutSites, SiteList, SiteLoggerList, StoredSites,
};

/// The sites of the tenant with their loggers, in the form in which they are posted.
#[utoipa::path(get, path = "/api/sites", tag = "sites", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The sites", body = SiteList),
        ToolsRefusals,
    ))]
pub fn list_sites() {}

/// Creates or updates sites and their loggers, all or none. A value that is absent gets its
/// default; a site or logger that is absent stays as it is. Where a change matters for daily
/// figures, they are computed again.
#[utoipa::path(post, path = "/api/sites", tag = "sites", security(("bearer" = ["sites:write"])),
    request_body = PutSites,
    responses(
        (status = 200, description = "The numbers of sites and loggers", body = StoredSites),
        (status = 422, description = "A description is not valid; the problem names the site or logger", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn put_sites() {}

/// Deletes a site with its loggers and their readings. This cannot be undone.
#[utoipa::path(delete, path = "/api/sites/{site_id}", tag = "sites", security(("bearer" = ["sites:write"])),
    params(("site_id" = String, Path, description = "The site"), ConfirmDeletion),
    responses(
        (status = 204, description = "It is deleted"),
        (status = 404, description = "The tenant has no such site", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`confirm` is not the id", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_site() {}

/// The loggers of the tenant with the number and range of their readings.
#[utoipa::path(get, path = "/api/loggers", tag = "sites", security(("bearer" = ["tools:read"])),
    params(ListSiteLoggers),
    responses(
        (status = 200, description = "The loggers", body = SiteLoggerList),
        (status = 422, description = "An unknown site", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn list_site_loggers() {}

/// Deletes a logger with its readings, such as those of a file that was read in the wrong zone.
/// This cannot be undone.
#[utoipa::path(delete, path = "/api/loggers/{logger_id}", tag = "sites", security(("bearer" = ["sites:write"])),
    params(("logger_id" = String, Path, description = "The logger"), ConfirmDeletion),
    responses(
        (status = 204, description = "It is deleted"),
        (status = 404, description = "The tenant has no such logger", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`confirm` is not the id", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_logger() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_delete_logger as DeleteLogger, __path_delete_site as DeleteSite,
        __path_list_site_loggers as ListSiteLoggers, __path_list_sites as ListSites,
        __path_put_sites as PutSites,
    };
}
