//! The bff: accounts, sessions, tokens, and the way to the inner tiers.

pub mod issuers;
pub mod people;
pub mod single_sign_on;

use utoipa::OpenApi;

use super::bff_kept;
use super::common::{
    Bearer, BodyRefusals, NotYours, ProxyRefusals, Refusals, ServiceSecret, SessionCookie,
};
use super::passed_on::AllPassedOn;
use crate::bff::{
    Credentials, IdentityRequest, IdentityResponse, KeySet, Me, RefreshRequest, SignInOptions,
    SignedOut, TokenResponse,
};
use crate::health::Readiness;
use crate::named_events::{NamedEvent, PostMessage};
use crate::problem::Problem;

/// The document of the bff.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph",
        description = "The way in for browsers and API clients. Both credentials, the session cookie and the bearer token, work on every operation that needs one. A string that holds the null character U+0000 is refused (422) wherever it stands.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        live, ready, get_sign_in, login, logout, get_me, create_token, refresh_token, create_identity, get_key_set, post_message_v0, post_message_v1,
        single_sign_on::end_sign_in,
        issuers::list_issuers, issuers::create_issuer, issuers::test_new_issuer, issuers::get_issuer, issuers::change_issuer, issuers::delete_issuer, issuers::test_issuer,
        people::get_my_account, people::change_password, people::export_me, people::list_accounts, people::create_account, people::get_account, people::change_account,
        people::list_sessions, people::end_sessions, people::end_session, people::list_tokens, people::create_api_key, people::revoke_token, people::list_audit,
        bff_kept::get_retention, bff_kept::set_retention, bff_kept::erase_me, bff_kept::erase_account
    ),
    modifiers(&AllPassedOn, &Bearer, &SessionCookie, &ServiceSecret),
    tags(
        (name = "auth", description = "Accounts, sessions, tokens"),
        (name = "accounts", description = "The administration of accounts"),
        (name = "issuers", description = "Identity providers at which people sign in"),
        (name = "tokens", description = "API keys for programs"),
        (name = "audit", description = "The record of operations that matter for security"),
        (name = "assistants", description = "Whom to ask"),
        (name = "chat", description = "Messages, answered in streams"),
        (name = "threads", description = "Conversations as they are kept"),
        (name = "runs", description = "Answers in progress"),
        (name = "schedules", description = "Questions at set times, and alerts"),
        (name = "tools", description = "The solar tools"),
        (name = "questions", description = "Confirmed questions to target databases"),
        (name = "targets", description = "Target databases"),
        (name = "sources", description = "Search sources"),
        (name = "upstreams", description = "HTTP APIs and MCP servers whose operations are tools"),
        (name = "choices", description = "What the caller chose for words that can mean several things"),
        (name = "measurements", description = "Ingestion"),
        (name = "sites", description = "Sites and loggers"),
        (name = "imports", description = "Files of data loggers, previewed and imported"),
        (name = "weather", description = "Forecast irradiance"),
        (name = "documents", description = "The tenant's documents"),
        (name = "collections", description = "Collections of documents and their readers"),
        (name = "credentials", description = "The caller's tokens for upstream APIs"),
        (name = "health", description = "Liveness and readiness; no identity needed")
    )
)]
pub struct BffApi;

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::super::passed_on::operations::*;
    pub use super::bff_kept::operations::*;
    pub use super::issuers::operations::*;
    pub use super::people::operations::*;
    pub use super::single_sign_on::operations::*;
    pub use super::{
        __path_create_identity as CreateIdentity, __path_create_token as CreateToken,
        __path_get_key_set as GetKeySet, __path_get_me as GetMe, __path_get_sign_in as GetSignIn,
        __path_login as Login, __path_logout as Logout, __path_post_message_v0 as PostMessageV0,
        __path_post_message_v1 as PostMessageV1, __path_refresh_token as RefreshToken,
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

/// The data that a page needs before a user has signed in: the user who is signed in already, and
/// the account to sign in as in a demonstration.
#[utoipa::path(get, path = "/auth/sign-in", tag = "auth", security(()), responses(
    (status = 200, description = "What there is to tell", body = SignInOptions),
    (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
))]
pub fn get_sign_in() {}

/// Signs in; the answer sets the session's cookie, `__Host-heliograph_session`, or
/// `heliograph_session` on loopback.
#[utoipa::path(post, path = "/auth/login", tag = "auth", security(()), request_body = Credentials, responses(
    (status = 200, description = "Signed in", body = Me, headers(("set-cookie" = String, description = "The session"))),
    (status = 401, description = "Wrong name or password", body = Problem, content_type = "application/problem+json"),
    (status = 403, description = "The request comes from another origin", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a name and a password", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many attempts; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
))]
pub fn login() {}

/// Ends the session or, with a bearer token, the account's refresh and access tokens.
#[utoipa::path(post, path = "/auth/logout", tag = "auth", security(("bearer" = []), ("session" = [])), responses(
    (status = 200, description = "Signed out of a session that began at an identity provider", body = SignedOut),
    (status = 204, description = "Signed out"),
    (status = 409, description = "The credential has no sign-in to end: an API key, or a token of a provider", body = Problem, content_type = "application/problem+json"),
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

/// New tokens for a refresh token, which works once; using it twice ends every token that came from
/// it.
#[utoipa::path(post, path = "/auth/refresh", tag = "auth", security(()), request_body = RefreshRequest, responses(
    (status = 200, description = "The tokens", body = TokenResponse),
    (status = 401, description = "The refresh token is unknown, used or expired", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a refresh token", body = Problem, content_type = "application/problem+json"),
))]
pub fn refresh_token() {}

/// An identity token for a run that continues without its user: one that outlives the token it came
/// with, or that another replica takes over. For the orchestrator only, which shows the secret that
/// both are configured with; without one there are no such tokens.
#[utoipa::path(post, path = "/auth/identity", tag = "auth", security(("service" = [])), request_body = IdentityRequest, responses(
    (status = 200, description = "The token, good for talking to assistants and reading tools", body = IdentityResponse),
    (status = 401, description = "Not a service's secret", body = Problem, content_type = "application/problem+json"),
    (status = 404, description = "No such account, or it is disabled", body = Problem, content_type = "application/problem+json"),
    (status = 422, description = "Not a subject and a tenant", body = Problem, content_type = "application/problem+json"),
))]
pub fn create_identity() {}

/// The public keys that verify identity tokens.
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "auth", security(()), responses(
    (status = 200, description = "The keys", body = KeySet),
))]
pub fn get_key_set() {}

/// `POST /api/messages` under the climate advisor's path.
#[utoipa::path(post, path = "/api/v0/chat/messages", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gives the same run's stream for 24 hours; with another body it is refused, 422")),
    request_body = PostMessage,
    responses(
        (status = 200, description = "The answer", body = NamedEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
        )),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        NotYours,
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn post_message_v0() {}

/// `POST /api/messages` under the path that the climate advisor's front end came to use.
#[utoipa::path(post, path = "/api/v1/chat/messages", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gives the same run's stream for 24 hours; with another body it is refused, 422")),
    request_body = PostMessage,
    responses(
        (status = 200, description = "The answer", body = NamedEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
        )),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        NotYours,
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn post_message_v1() {}
