//! The bff: accounts, sessions, tokens, and the way to the inner tiers.

pub mod issuers;
pub mod kept;
pub mod people;
pub mod single_sign_on;
pub mod weather;

use utoipa::OpenApi;

use super::common::{
    Bearer, BodyRefusals, NotYours, ProxyRefusals, Refusals, ServiceSecret, SessionCookie,
};
use super::passed_on::AllPassedOn;
use super::{bff_kept, choices, collections, schedules, sources, targets, upstreams};
use crate::agent_events::{AgentChatRequest, AgentEvent};
use crate::assistants::AssistantList;
use crate::bff::{
    Credentials, IdentityRequest, IdentityResponse, KeySet, Me, RefreshRequest, SignInOptions,
    SignedOut, TokenResponse,
};
use crate::chat::{ChatRequest, UiMessageStreamEvent};
use crate::health::Readiness;
use crate::imports::{Import, ImportList, ReviseImport};
use crate::measurements::{IngestQuery, IngestReport, Measurement};
use crate::named_events::{NamedEvent, NamedEventFrame, PostMessage, RunStreamEvent};
use crate::problem::Problem;
use crate::sites::{PutSites, SiteList, SiteLoggerList, StoredSites};
use crate::threads::{
    CreateThread, Dialect, FollowRun, ListMessages, ListThreads, MessageList, PostedIn, Run,
    Thread, ThreadList, ThreadState, UpdateThread,
};
use crate::tools::{ToolDefinition, ToolEnvelope, ToolFormat, ToolListing};
use crate::ui::{RenderUiComponent, RequestUserSelection};
use crate::ui_history::UiMessageList;

/// The document of the bff.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph",
        description = "The way in for browsers and API clients. Both credentials, the session cookie and the bearer token, work on every operation that needs one. A string that holds the null character U+0000 is refused (422) wherever it stands.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        live, ready, get_sign_in, login, logout, get_me, create_token, refresh_token, create_identity, get_key_set, list_assistants, create_chat, resume_chat, stop_chat, create_agent_chat, post_message, create_thread, list_threads, get_thread, update_thread, copy_thread, delete_thread, list_messages, list_ui_messages, get_thread_state, get_run, cancel_run, follow_run, post_message_v0, post_message_v1, list_tools, get_tool, call_tool, ingest_measurements, kept::ingest_document, kept::list_documents, kept::get_document_text, kept::delete_document, kept::list_credentials, kept::put_credential, kept::ensure_credential, kept::delete_credential,
        bff_kept::list_questions, bff_kept::get_question, bff_kept::edit_question, bff_kept::withdraw_question, bff_kept::approve_question, targets::at_bff::refresh_target, targets::at_bff::list_targets, targets::at_bff::create_target, targets::at_bff::test_new_target, targets::at_bff::get_target, targets::at_bff::change_target, targets::at_bff::delete_target, targets::at_bff::test_target, targets::at_bff::preview_spreadsheet, targets::at_bff::load_spreadsheet, targets::at_bff::export_rows,
        sources::at_bff::list_search_sources, sources::at_bff::create_source, sources::at_bff::test_new_source, sources::at_bff::get_source, sources::at_bff::change_source, sources::at_bff::delete_source, sources::at_bff::test_source,
        upstreams::at_bff::list_upstreams, upstreams::at_bff::create_upstream, upstreams::at_bff::test_new_upstream, upstreams::at_bff::get_upstream, upstreams::at_bff::change_upstream, upstreams::at_bff::delete_upstream, upstreams::at_bff::test_upstream,
        single_sign_on::end_sign_in,
        issuers::list_issuers, issuers::create_issuer, issuers::test_new_issuer, issuers::get_issuer, issuers::change_issuer, issuers::delete_issuer, issuers::test_issuer,
        people::get_my_account, people::change_password, people::export_me, people::list_accounts, people::create_account, people::get_account, people::change_account,
        people::list_sessions, people::end_sessions, people::end_session, people::list_tokens, people::create_api_key, people::revoke_token, people::list_audit,
        bff_kept::search_messages, bff_kept::export_thread, bff_kept::get_retention, bff_kept::set_retention, bff_kept::erase_me, bff_kept::erase_account,
        weather::put_weather, weather::list_weather, weather::delete_weather, choices::at_bff::list_choices, choices::at_bff::forget_choices,
        collections::at_bff::create_collection, collections::at_bff::list_collections, collections::at_bff::change_collection, collections::at_bff::delete_collection,
        schedules::at_bff::list_schedules, schedules::at_bff::create_schedule, schedules::at_bff::get_schedule, schedules::at_bff::update_schedule, schedules::at_bff::delete_schedule, schedules::at_bff::test_schedule, schedules::at_bff::list_schedule_messages, schedules::at_bff::get_schedule_secret
    ),
    components(schemas(Dialect, NamedEventFrame<'static>, RenderUiComponent, RequestUserSelection, ToolFormat, crate::tools::questions::ShowQuestions, crate::kept::ExportFormat, Import, ImportList, ReviseImport, PutSites, SiteList, SiteLoggerList, StoredSites)),
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
    pub use super::choices::at_bff::operations::*;
    pub use super::collections::at_bff::operations::*;
    pub use super::issuers::operations::*;
    pub use super::kept::{
        __path_delete_credential as DeleteCredential, __path_delete_document as DeleteDocument,
        __path_ensure_credential as EnsureCredential, __path_get_document_text as GetDocumentText,
        __path_ingest_document as IngestDocument, __path_list_credentials as ListCredentials,
        __path_list_documents as ListDocuments, __path_put_credential as PutCredential,
    };
    pub use super::people::operations::*;
    pub use super::schedules::at_bff::operations::*;
    pub use super::single_sign_on::operations::*;
    pub use super::sources::at_bff::operations::*;
    pub use super::targets::at_bff::operations::*;
    pub use super::upstreams::at_bff::operations::*;
    pub use super::weather::operations::*;
    pub use super::{
        __path_call_tool as CallTool, __path_cancel_run as CancelRun,
        __path_copy_thread as CopyThread, __path_create_agent_chat as CreateAgentChat,
        __path_create_chat as CreateChat, __path_create_identity as CreateIdentity,
        __path_create_thread as CreateThread, __path_create_token as CreateToken,
        __path_delete_thread as DeleteThread, __path_follow_run as FollowRun,
        __path_get_key_set as GetKeySet, __path_get_me as GetMe, __path_get_run as GetRun,
        __path_get_sign_in as GetSignIn, __path_get_thread as GetThread,
        __path_get_thread_state as GetThreadState, __path_get_tool as GetTool,
        __path_ingest_measurements as IngestMeasurements, __path_list_assistants as ListAssistants,
        __path_list_messages as ListMessages, __path_list_threads as ListThreads,
        __path_list_tools as ListTools, __path_list_ui_messages as ListUiMessages,
        __path_login as Login, __path_logout as Logout, __path_post_message as PostMessage,
        __path_post_message_v0 as PostMessageV0, __path_post_message_v1 as PostMessageV1,
        __path_refresh_token as RefreshToken, __path_resume_chat as ResumeChat,
        __path_stop_chat as StopChat, __path_update_thread as UpdateThread,
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

/// The assistants, with what the caller's tenant can ask each.
#[utoipa::path(get, path = "/api/assistants", tag = "assistants", security(("bearer" = ["chat"]), ("session" = [])),
    responses(
        (status = 200, description = "The assistants", body = AssistantList),
        Refusals,
        ProxyRefusals,
    ))]
pub fn list_assistants() {}

/// Answers a message. The stream is a UI message stream (`x-vercel-ai-ui-message-stream: v1`): one
/// chunk per `data:` line, `[DONE]` last. A virtual tool `render_ui_component` carries a card or
/// chart (`RenderUiComponent`), `request_user_selection` a question with options
/// (`RequestUserSelection`). Going away does not end the run: `GET /api/chat/{thread_id}/stream`
/// joins it again, `POST /api/chat/{thread_id}/stop` ends it.
#[utoipa::path(post, path = "/api/chat", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gives the same run's stream for 24 hours; with another body it is refused, 422")),
    request_body = ChatRequest,
    responses(
        (status = 200, description = "The answer", body = UiMessageStreamEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
            ("x-vercel-ai-ui-message-stream" = String, description = "Always v1"),
        )),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn create_chat() {}

/// Joins the run that answers in a thread: what it said so far from its first chunk, then the rest
/// as it comes.
#[utoipa::path(get, path = "/api/chat/{thread_id}/stream", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread"), ("Last-Event-ID" = Option<String>, Header, description = "The id of the last frame that was seen; those up to it are left out")),
    responses(
        (status = 200, description = "The answer", body = UiMessageStreamEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
            ("x-vercel-ai-ui-message-stream" = String, description = "Always v1"),
        )),
        (status = 204, description = "Nothing is being answered, or all of it was seen"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn resume_chat() {}

/// Stops the run that answers in a thread. What there is of the answer is kept, marked as partial.
/// Stopping what is over changes nothing.
#[utoipa::path(post, path = "/api/chat/{thread_id}/stop", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 204, description = "It is stopped, or nothing was being answered"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn stop_chat() {}

/// Answers a message in agent events: unnamed SSE events distinguished by `event`, the last of
/// which is `complete` or `error`.
#[utoipa::path(post, path = "/api/agent/stream", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gives the same run's stream for 24 hours; with another body it is refused, 422")),
    request_body = AgentChatRequest,
    responses(
        (status = 200, description = "The answer", body = AgentEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
        )),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn create_agent_chat() {}

/// Answers a message in named events: `message`, `tool_use`, `tool_result`, `warning`, `error`, and
/// `done` last, which has the thread's id.
#[utoipa::path(post, path = "/api/messages", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(PostedIn, ("Idempotency-Key" = Option<String>, Header, description = "The same key with the same body gives the same run's stream for 24 hours; with another body it is refused, 422")),
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
pub fn post_message() {}

/// Creates a thread.
#[utoipa::path(post, path = "/api/threads", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    request_body = CreateThread,
    responses(
        (status = 201, description = "It is made", body = Thread, headers(("location" = String, description = "Where it is"))),
        (status = 200, description = "It was there already, and `if_exists` is `do_nothing`", body = Thread),
        (status = 409, description = "It exists already", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn create_thread() {}

/// The caller's threads, the most recently used first.
#[utoipa::path(get, path = "/api/threads", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(ListThreads),
    responses(
        (status = 200, description = "A page of them", body = ThreadList),
        (status = 422, description = "A bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
        ProxyRefusals,
    ))]
pub fn list_threads() {}

/// A thread.
#[utoipa::path(get, path = "/api/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 200, description = "The thread", body = Thread),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn get_thread() {}

/// Renames a thread, or changes what is kept with it.
#[utoipa::path(patch, path = "/api/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    request_body = UpdateThread,
    responses(
        (status = 200, description = "The thread as it is now", body = Thread),
        NotYours,
        BodyRefusals,
        Refusals,
        ProxyRefusals,
    ))]
pub fn update_thread() {}

/// Copies a thread with its messages and the assistant's memory to a new one.
#[utoipa::path(post, path = "/api/threads/{thread_id}/copy", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 201, description = "The copy", body = Thread, headers(("location" = String, description = "The path of the copy"))),
        (status = 409, description = "A run answers in the thread; copy it when the run has ended", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn copy_thread() {}

/// Deletes a thread with its messages, runs and memory. A run that answers in it is stopped first.
#[utoipa::path(delete, path = "/api/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 409, description = "A run in it did not stop in time; try again", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn delete_thread() {}

/// The messages of a thread, the oldest first, page by page.
#[utoipa::path(get, path = "/api/threads/{thread_id}/messages", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread"), ListMessages),
    responses(
        (status = 200, description = "A page of them", body = MessageList),
        (status = 422, description = "A bad limit", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn list_messages() {}

/// The messages of a thread as AI SDK clients hold them (`UIMessage`), the oldest first, page by
/// page: with every part of their streams, in the same order, also when the events of their
/// runs are kept no more. Where a picker was answered, its part has the answer. A limit counts
/// messages; one that was continued in place is one message.
#[utoipa::path(get, path = "/api/threads/{thread_id}/ui-messages", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread"), ListMessages),
    responses(
        (status = 200, description = "A page of them", body = UiMessageList),
        (status = 422, description = "A bad limit", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn list_ui_messages() {}

/// The memory of a thread's assistant, and the thread's status.
#[utoipa::path(get, path = "/api/threads/{thread_id}/state", tag = "threads", security(("bearer" = ["chat"]), ("session" = [])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 200, description = "The state", body = ThreadState),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn get_thread_state() {}

/// A run.
#[utoipa::path(get, path = "/api/runs/{run_id}", tag = "runs", security(("bearer" = ["chat"]), ("session" = [])),
    params(("run_id" = String, Path, description = "The run")),
    responses(
        (status = 200, description = "The run", body = Run),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn get_run() {}

/// Stops a run: its models and tools. What there is of the answer is kept, marked as partial.
/// Cancelling what is over changes nothing.
#[utoipa::path(post, path = "/api/runs/{run_id}/cancel", tag = "runs", security(("bearer" = ["chat"]), ("session" = [])),
    params(("run_id" = String, Path, description = "The run")),
    responses(
        (status = 202, description = "It is being stopped, or was over; the run as it is now", body = Run),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn cancel_run() {}

/// The events of a run from its first, then the rest as they come, in the dialect that it was asked
/// in or another. Ids are numbers that only grow; when a run had to begin again (its process died),
/// the ids of its new beginning start a thousand million higher and a warning says so.
#[utoipa::path(get, path = "/api/runs/{run_id}/events", tag = "chat", security(("bearer" = ["chat"]), ("session" = [])),
    params(("run_id" = String, Path, description = "The run"), FollowRun, ("Last-Event-ID" = Option<String>, Header, description = "The id of the last frame that was seen; those up to it are left out")),
    responses(
        (status = 200, description = "The events, in the dialect asked for", body = RunStreamEvent<'static>, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-thread-id" = String, description = "The thread"),
        )),
        (status = 204, description = "The run is over, and the last event that was seen is its last"),
        (status = 410, description = "The run is over and its events are no longer kept; its message is", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "A bad dialect or id", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
        ProxyRefusals,
    ))]
pub fn follow_run() {}

/// [`post_message`] under the climate advisor's path.
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

/// [`post_message`] under the path that the climate advisor's front end came to use.
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

/// Every tool with the JSON Schemas of its arguments and its answer.
#[utoipa::path(get, path = "/api/tools", tag = "tools", security(("bearer" = ["tools:read"]), ("session" = [])),
    params(("format" = Option<ToolFormat>, Query, description = "`openai`, `anthropic`, `gemini` or `mcp`: the tools as that provider takes them")),
    responses(
    (status = 200, description = "The tools; with `format` in that provider's shape", body = ToolListing),
    (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
    (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
    (status = 502, description = "The tools service cannot be reached", body = Problem, content_type = "application/problem+json"),
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
        (status = 502, description = "The tools service cannot be reached", body = Problem, content_type = "application/problem+json"),
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
        (status = 502, description = "The tools service cannot be reached", body = Problem, content_type = "application/problem+json"),
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
        (status = 400, description = "The body cannot be read at all", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "Not signed in", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "Not allowed, or from another origin", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 415, description = "Not one of the media types", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "The query does not fit: unknown site, zone or column", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "Too many requests; `Retry-After` says when", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "The tools service cannot be reached", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "The database is away", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn ingest_measurements() {}
