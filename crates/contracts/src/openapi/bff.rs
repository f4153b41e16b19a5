//! The bff: accounts, sessions, tokens, and the way to the inner tiers.

use utoipa::OpenApi;

use super::common::{Bearer, SessionCookie};
use crate::bff::{Credentials, KeySet, Me, RefreshRequest, TokenResponse};
use crate::chat::{ChatRequest, UiMessageChunk};
use crate::health::Readiness;
use crate::measurements::{IngestQuery, IngestReport, Measurement};
use crate::problem::Problem;
use crate::tools::{ToolDefinition, ToolEnvelope, ToolList};
use crate::ui::{RenderUiComponent, RequestUserSelection};

/// The document of the bff.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph",
        description = "The way in for browsers and API clients. Both credentials, the session cookie and the bearer token, work on every operation that needs one.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        live, ready, login, logout, get_me, create_token, refresh_token, get_key_set, create_chat, list_tools, get_tool, call_tool,
        ingest_measurements
    ),
    components(schemas(RenderUiComponent, RequestUserSelection)),
    modifiers(&Bearer, &SessionCookie),
    tags(
        (name = "auth", description = "Accounts, sessions, tokens"),
        (name = "chat", description = "Conversations"),
        (name = "tools", description = "The solar tools"),
        (name = "measurements", description = "Ingestion"),
        (name = "health", description = "Liveness and readiness; no identity needed")
    )
)]
pub struct BffApi;

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_call_tool as CallTool, __path_create_chat as CreateChat,
        __path_create_token as CreateToken, __path_get_key_set as GetKeySet,
        __path_get_me as GetMe, __path_get_tool as GetTool,
        __path_ingest_measurements as IngestMeasurements, __path_list_tools as ListTools,
        __path_login as Login, __path_logout as Logout, __path_refresh_token as RefreshToken,
    };
}

/// Whether the process runs.
#[utoipa::path(get, path = "/health/live", tag = "health", responses((status = 200, description = "It runs")))]
pub fn live() {}

/// Whether the service can work: the database answers and is migrated, the inner tiers are reached.
#[utoipa::path(get, path = "/health/ready", tag = "health", responses(
    (status = 200, description = "It can", body = Readiness),
    (status = 503, description = "Something that it needs is away", body = Readiness),
))]
pub fn ready() {}

/// Signs in; the answer sets the cookie `heliograph_session` (`HttpOnly`, `SameSite=Lax`, `Secure` outside loopback).
#[utoipa::path(post, path = "/auth/login", tag = "auth", security(()), request_body = Credentials, responses(
    (status = 200, description = "Signed in", body = Me, headers(("set-cookie" = String, description = "The session"))),
    (status = 401, description = "Wrong name or password", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "The request comes from another origin", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a name and a password", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many attempts; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
))]
pub fn login() {}

/// Ends the session or, with a bearer token, its refresh tokens.
#[utoipa::path(post, path = "/auth/logout", tag = "auth", security(("bearer" = []), ("session" = [])), responses(
    (status = 204, description = "Signed out"),
    (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
))]
pub fn logout() {}

/// Who is signed in.
#[utoipa::path(get, path = "/auth/me", tag = "auth", security(("bearer" = []), ("session" = [])), responses(
    (status = 200, description = "The account", body = Me),
    (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
))]
pub fn get_me() {}

/// A bearer token for API clients.
#[utoipa::path(post, path = "/auth/token", tag = "auth", security(()), request_body = Credentials, responses(
    (status = 200, description = "The tokens", body = TokenResponse),
    (status = 401, description = "Wrong name or password", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a name and a password", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many attempts; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
))]
pub fn create_token() {}

/// New tokens for a refresh token, which works once; using it twice ends every token that came from it.
#[utoipa::path(post, path = "/auth/refresh", tag = "auth", security(()), request_body = RefreshRequest, responses(
    (status = 200, description = "The tokens", body = TokenResponse),
    (status = 401, description = "The refresh token is unknown, used or expired", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a refresh token", body = Problem, content_type = "application/problem+json"),
))]
pub fn refresh_token() {}

/// The public keys that verify identity tokens.
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "auth", security(()), responses(
    (status = 200, description = "The keys", body = KeySet),
))]
pub fn get_key_set() {}

/// Answers a message; the orchestrator's `POST /ai/chat` under the path that AI SDK clients call by default.
#[utoipa::path(post, path = "/api/chat", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    request_body = ChatRequest,
    responses(
        (status = 200, description = "The answer", body = UiMessageChunk, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-vercel-ai-ui-message-stream" = String, description = "Always v1"),
        )),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "Not allowed, or from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No message, a bad id or a bad zone", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The orchestrator can not be reached", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Too many runs at once", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn create_chat() {}

/// Every tool with the JSON Schemas of its arguments and its answer.
#[utoipa::path(get, path = "/api/tools", tag = "tools", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("format" = Option<String>, Query, description = "`openai`, `anthropic`, `gemini` or `mcp`: the tools as that provider takes them")),
    responses(
    (status = 200, description = "The tools; with `format` in that provider's shape", body = ToolList),
    (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
    (status = 502, description = "The tools service can not be reached", body = Problem, content_type = "application/problem+json"),
))]
pub fn list_tools() {}

/// One tool with its schemas.
#[utoipa::path(get, path = "/api/tools/{name}", tag = "tools", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("name" = String, Path, description = "The tool", example = "get_power_curve")),
    responses(
        (status = 200, description = "The tool", body = ToolDefinition),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such tool; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The tools service can not be reached", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn get_tool() {}

/// Calls a tool; the tools service's document has its arguments and result.
#[utoipa::path(post, path = "/api/tools/{name}", tag = "tools", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("name" = String, Path, description = "The tool", example = "get_power_curve")),
    request_body(content = Object, description = "The arguments, as the tool's `inputSchema` says"),
    responses(
        (status = 200, description = "The tool's answer", body = ToolEnvelope),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "Not allowed, or from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such tool; the problem lists the names", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Invalid arguments; the problem points to each", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The tools service can not be reached", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn call_tool() {}

/// Stores readings; the tools service's operation of the same name.
#[utoipa::path(post, path = "/api/measurements", tag = "measurements", security(("bearer" = ["measurements:write"]), ("session" = [])),
    params(IngestQuery),
    request_body(description = "The readings; `content-encoding: gzip` is understood", content(
        (Vec<Measurement> = "application/json"),
        (Measurement = "application/x-ndjson"),
        (String = "text/csv"),
    )),
    responses(
        (status = 200, description = "What became of the rows", body = IngestReport),
        (status = 400, description = "The body can not be read at all", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "Not allowed, or from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not one of the media types", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The query does not fit: unknown site, zone or column", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The tools service can not be reached", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn ingest_measurements() {}
