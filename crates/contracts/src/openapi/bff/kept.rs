//! What users give the product to keep: documents, and credentials for upstreams. The tools service
//! has the same operations.

use crate::openapi::common::ProxyRefusals;
use crate::problem::Problem;
use crate::tools::knowledge::{DocumentList, DocumentText, IngestDocumentQuery, IngestedDocument};
use crate::tools::upstreams::{CredentialList, CredentialStatus, PutCredential};

/// Stores a document: Markdown, HTML, PDF, Office (.docx, .pptx, .xlsx), e-mail or plain text, by
/// its filename's ending, otherwise by its content type. Sending it again changes nothing; a
/// changed document replaces its own chunks only. The body is streamed.
#[utoipa::path(post, path = "/api/documents", tag = "documents", security(("bearer" = ["documents:write"]), ("session" = [])),
    params(IngestDocumentQuery),
    request_body(description = "The document's bytes", content(
        (String = "text/markdown"), (String = "text/html"), (String = "text/plain"), (Vec<u8> = "application/pdf"), (Vec<u8> = "application/octet-stream"),
    )),
    responses(
        (status = 200, description = "What became of it", body = IngestedDocument),
        (status = 400, description = "The body broke off", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests, or the tenant has used up its storage; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The document is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not a kind of document that can be read", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "It cannot be read: broken, encrypted, without text, or beyond the limits of time, memory and text", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away, or other documents are being read; `Retry-After` says when to try again", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn ingest_document() {}

/// The tenant's documents.
#[utoipa::path(get, path = "/api/documents", tag = "documents", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("collection" = Option<String>, Query, description = "Only this collection")),
    responses(
        (status = 200, description = "The documents", body = DocumentList),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A query that the operation does not have", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn list_documents() {}

/// The text of a document, as it was read.
#[utoipa::path(get, path = "/api/documents/{id}/text", tag = "documents", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 200, description = "The text", body = DocumentText),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such document", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn get_document_text() {}

/// Deletes a document with its chunks.
#[utoipa::path(delete, path = "/api/documents/{id}", tag = "documents", security(("bearer" = ["documents:write"]), ("session" = [])),
    params(("id" = String, Path, description = "The document")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "The tenant has no such document", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn delete_document() {}

/// The configured upstreams, and the state of the caller's credential for each; also credentials
/// kept for removed upstreams. Refreshes nothing and shows no credential.
#[utoipa::path(get, path = "/api/credentials", tag = "credentials", security(("bearer" = ["tools:read"]), ("session" = [])),
    responses(
        (status = 200, description = "The credentials' states; never the credentials", body = CredentialList),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn list_credentials() {}

/// Keeps the caller's token for an upstream, encrypted, in place of an older one. A token of
/// another user, or for another upstream, is not kept: the state says so.
#[utoipa::path(put, path = "/api/credentials/{upstream}", tag = "credentials", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("upstream" = String, Path, description = "The upstream")),
    request_body = PutCredential,
    responses(
        (status = 200, description = "How it is now", body = CredentialStatus),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such upstream; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON by its content type", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The body does not fit", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn put_credential() {}

/// Forgets the caller's credential for an upstream, also for one that is not there any more.
#[utoipa::path(delete, path = "/api/credentials/{upstream}", tag = "credentials", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("upstream" = String, Path, description = "The upstream")),
    responses(
        (status = 204, description = "There is none now"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such upstream, and nothing is kept for one of this name; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn delete_credential() {}

/// Sees to it that the caller's credential for an upstream is good for the next minute: refreshes
/// it when it ends sooner. 200 also when it cannot be had; the state says why.
#[utoipa::path(post, path = "/api/credentials/{upstream}/ensure", tag = "credentials", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("upstream" = String, Path, description = "The upstream")),
    responses(
        (status = 200, description = "How it is now", body = CredentialStatus),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing, or the request comes from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such upstream; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
        ProxyRefusals,
    ))]
pub fn ensure_credential() {}
