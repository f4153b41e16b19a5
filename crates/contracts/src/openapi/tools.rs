//! The tools service: `GET /api/tools`, `GET` and `POST /api/tools/{name}`, ingestion of readings
//! and documents, credentials for upstreams.

mod calls;

use utoipa::OpenApi;

use self::calls::Tools;
use super::common::{Bearer, JsonRefusals, ToolsRefusals};
use super::{
    choices, collections, imports, questions, sites, sources, targets, upstreams, weather,
};
use crate::accounts::QuotaList;
use crate::data_overview::DataOverview;
use crate::health::Readiness;
use crate::measurements::{IngestQuery, IngestReport, Measurement};
use crate::problem::Problem;
use crate::threads::TimeZone;
use crate::tools::knowledge::{DocumentList, DocumentText, IngestDocumentQuery, IngestedDocument};
use crate::tools::upstreams::{CredentialList, CredentialStatus, PutCredential};
use crate::tools::{ApiHealth, ToolDefinition, ToolEnvelope, ToolFormat, ToolListing};

/// The document of the tools service.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph tools",
        description = "Solar analytics, questions to target databases and search sources, document search, upstream APIs with the user's own rights, and ingestion. Every call carries an identity token; data belong to its tenant.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        live, ready, api_health, get_data_overview, get_quotas, list_tools, get_tool, call_tool, ingest_measurements, ingest_document, list_documents, get_document_text, delete_document,
        list_credentials, put_credential, ensure_credential, delete_credential,
        questions::list_questions, questions::get_question, questions::edit_question, questions::withdraw_question,
        questions::approve_question, questions::erase_person, questions::export_person, targets::refresh_target, targets::list_targets, targets::create_target, targets::test_new_target, targets::get_target, targets::change_target, targets::delete_target, targets::test_target, targets::preview_spreadsheet, targets::load_spreadsheet, targets::export_rows,
        sources::list_search_sources, sources::create_source, sources::test_new_source, sources::get_source, sources::change_source, sources::delete_source, sources::test_source,
        upstreams::list_upstreams, upstreams::create_upstream, upstreams::test_new_upstream, upstreams::get_upstream, upstreams::change_upstream, upstreams::delete_upstream, upstreams::test_upstream,
        weather::put_weather, weather::list_weather, weather::delete_weather, choices::list_choices, choices::forget_choices,
        collections::create_collection, collections::list_collections, collections::change_collection, collections::delete_collection,
        imports::create_import, imports::list_imports, imports::get_import, imports::revise_import, imports::run_import, imports::cancel_import, imports::delete_import,
        sites::list_sites, sites::put_sites, sites::delete_site, sites::list_site_loggers, sites::delete_logger
    ),
    components(schemas(TimeZone, ToolFormat, crate::tools::questions::ShowQuestions)),
    modifiers(&Bearer, &Tools),
    tags(
        (name = "tools", description = "The tools: solar, target databases, search sources, documents, upstreams"),
        (name = "measurements", description = "Ingestion of readings"),
        (name = "sites", description = "Sites and loggers"),
        (name = "imports", description = "Files of data loggers, previewed and imported"),
        (name = "weather", description = "Forecast irradiance"),
        (name = "documents", description = "Ingestion of documents"),
        (name = "collections", description = "Collections of documents and their readers"),
        (name = "credentials", description = "The caller's tokens for upstream APIs"),
        (name = "questions", description = "Confirmed questions to target databases"),
        (name = "targets", description = "Target databases"),
        (name = "sources", description = "Search sources"),
        (name = "upstreams", description = "HTTP APIs and MCP servers whose operations are tools"),
        (name = "choices", description = "What the caller chose for words that can mean several things"),
        (name = "person", description = "What is kept of a person"),
        (name = "health", description = "Liveness and readiness; no identity needed")
    )
)]
pub struct ToolsApi;

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::calls::Call;
    pub use super::choices::operations::*;
    pub use super::collections::operations::*;
    pub use super::imports::operations::*;
    pub use super::questions::operations::*;
    pub use super::sites::operations::*;
    pub use super::sources::operations::*;
    pub use super::targets::operations::*;
    pub use super::upstreams::operations::*;
    pub use super::weather::operations::*;
    pub use super::{
        __path_api_health as ApiHealth, __path_call_tool as CallTool,
        __path_delete_credential as DeleteCredential, __path_delete_document as DeleteDocument,
        __path_ensure_credential as EnsureCredential, __path_get_data_overview as GetDataOverview,
        __path_get_document_text as GetDocumentText, __path_get_quotas as GetQuotas,
        __path_get_tool as GetTool, __path_ingest_document as IngestDocument,
        __path_ingest_measurements as IngestMeasurements,
        __path_list_credentials as ListCredentials, __path_list_documents as ListDocuments,
        __path_list_tools as ListTools, __path_put_credential as PutCredential,
    };
}

/// Whether the process runs.
#[utoipa::path(get, path = "/health/live", tag = "health", responses((status = 200, description = "It runs")))]
pub fn live() {}

/// Whether the service can work: the database answers and is migrated, the key set is known.
#[utoipa::path(get, path = "/health/ready", tag = "health", responses(
    (status = 200, description = "It can", body = Readiness),
    (status = 503, description = "Something that it needs is away", body = Readiness),
))]
pub fn ready() {}

/// The service's health in the shape that existing clients read. Always 200; `status`
/// says `degraded` when the database is away.
#[utoipa::path(get, path = "/api/health", tag = "health", responses((status = 200, description = "The state", body = ApiHealth)))]
pub fn api_health() {}

/// An overview of the caller's tenant's data. It uses data that are known already; an unavailable
/// target or source is named nevertheless.
#[utoipa::path(get, path = "/api/data-overview", tag = "tools", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The overview", body = DataOverview),
        ToolsRefusals,
    ))]
pub fn get_data_overview() {}

/// The limit of storage of the caller's tenant, and how much of it is used. For the bff.
#[utoipa::path(get, path = "/api/quotas", tag = "tools", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The limit", body = QuotaList),
        ToolsRefusals,
    ))]
pub fn get_quotas() {}

/// Every tool with the JSON Schemas of its arguments and its answer.
#[utoipa::path(get, path = "/api/tools", tag = "tools", security(("bearer" = ["tools:read"])),
    params(("format" = Option<ToolFormat>, Query, description = "`openai`, `anthropic`, `gemini` or `mcp`: the tools as that provider takes them")),
    responses(
        (status = 200, description = "The tools; with `format` in that provider's shape", body = ToolListing),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No such format", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn list_tools() {}

/// One tool with its schemas.
#[utoipa::path(get, path = "/api/tools/{name}", tag = "tools", security(("bearer" = ["tools:read"])),
    params(("name" = String, Path, description = "The tool", example = "get_power_curve")),
    responses(
        (status = 200, description = "The tool", body = ToolDefinition),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such tool; the problem lists the names", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn get_tool() {}

/// Calls a tool by name. The operations below are the same call, one per tool, with its types.
#[utoipa::path(post, path = "/api/tools/{name}", tag = "tools", security(("bearer" = ["tools:read"])),
    params(("name" = String, Path, description = "The tool", example = "get_power_curve")),
    request_body(content = Object, description = "The arguments, as the tool's `inputSchema` says"),
    responses(
        (status = 200, description = "The tool's answer", body = ToolEnvelope),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such tool; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Invalid arguments; the problem points to each", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "The caller has as many calls in progress as permitted; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away, or busy with others; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn call_tool() {}

/// Stores readings: JSON (an array of measurements), newline-delimited JSON or CSV with a header.
/// Streamed; a reading of the same logger and instant is replaced, so sending a file twice changes
/// nothing. Rows that cannot be read are refused one by one.
#[utoipa::path(post, path = "/api/measurements", tag = "measurements", security(("bearer" = ["measurements:write"])),
    params(IngestQuery),
    request_body(description = "The readings; `content-encoding: gzip` is understood", content(
        (Vec<Measurement> = "application/json"),
        (Measurement = "application/x-ndjson"),
        (String = "text/csv"),
    )),
    responses(
        (status = 200, description = "What became of the rows", body = IngestReport),
        (status = 400, description = "The body cannot be read at all", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not one of the media types", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The query does not fit: unknown site, zone or column", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn ingest_measurements() {}

/// Stores a document: Markdown, HTML, PDF, Office (.docx, .pptx, .xlsx), e-mail or plain text, by
/// its filename's ending, otherwise by its content type. Sending it again changes nothing; a
/// changed document replaces its own chunks only. The body is streamed.
#[utoipa::path(post, path = "/api/documents", tag = "documents", security(("bearer" = ["documents:write"])),
    params(IngestDocumentQuery),
    request_body(description = "The document's bytes", content(
        (String = "text/markdown"), (String = "text/html"), (String = "text/plain"), (Vec<u8> = "application/pdf"), (Vec<u8> = "application/octet-stream"),
    )),
    responses(
        (status = 200, description = "What became of it", body = IngestedDocument),
        (status = 400, description = "The body broke off", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests, or the tenant has used up its storage; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The document is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not a kind of document that can be read", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "It cannot be read: broken, encrypted, without text, or beyond the limits of time, memory and text", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away, or other documents are being read; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn ingest_document() {}

/// The tenant's documents.
#[utoipa::path(get, path = "/api/documents", tag = "documents", security(("bearer" = ["tools:read"])),
    params(("collection" = Option<String>, Query, description = "Only this collection")),
    responses(
        (status = 200, description = "The documents", body = DocumentList),
        (status = 422, description = "A query that the operation does not have", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn list_documents() {}

/// The text of a document, as it was read.
#[utoipa::path(get, path = "/api/documents/{id}/text", tag = "documents", security(("bearer" = ["tools:read"])),
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The text", body = DocumentText),
        (status = 404, description = "The tenant has no such document", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn get_document_text() {}

/// Deletes a document with its chunks.
#[utoipa::path(delete, path = "/api/documents/{id}", tag = "documents", security(("bearer" = ["documents:write"])),
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "The tenant has no such document", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_document() {}

/// The configured upstreams, and the state of the caller's credential for each; also credentials
/// kept for removed upstreams. Refreshes nothing and shows no credential.
#[utoipa::path(get, path = "/api/credentials", tag = "credentials", security(("bearer" = ["tools:read"])),
    responses(
        (status = 200, description = "The credentials' states; never the credentials", body = CredentialList),
        ToolsRefusals,
    ))]
pub fn list_credentials() {}

/// Keeps the caller's token for an upstream, encrypted, in place of an older one. A token of
/// another user, or for another upstream, is not kept: the state says so.
#[utoipa::path(put, path = "/api/credentials/{upstream}", tag = "credentials", security(("bearer" = ["tools:read"])),
    params(("upstream" = String, Path, description = "The upstream")),
    request_body = PutCredential,
    responses(
        (status = 200, description = "How it is now", body = CredentialStatus),
        (status = 404, description = "No such upstream; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The body does not fit", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn put_credential() {}

/// Sees to it that the caller's credential for an upstream is good for the next minute: refreshes
/// it when it ends sooner, one request in flight per user. 200 also when it cannot be had; the
/// state says why.
#[utoipa::path(post, path = "/api/credentials/{upstream}/ensure", tag = "credentials", security(("bearer" = ["tools:read"])),
    params(("upstream" = String, Path, description = "The upstream")),
    responses(
        (status = 200, description = "How it is now", body = CredentialStatus),
        (status = 404, description = "No such upstream; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn ensure_credential() {}

/// Forgets the caller's credential for an upstream, also for one that is not there any more.
#[utoipa::path(delete, path = "/api/credentials/{upstream}", tag = "credentials", security(("bearer" = ["tools:read"])),
    params(("upstream" = String, Path, description = "The upstream")),
    responses(
        (status = 204, description = "There is none now"),
        (status = 404, description = "No such upstream, and nothing is kept for one of this name; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_credential() {}
