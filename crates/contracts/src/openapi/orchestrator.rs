//! The orchestrator: conversations in three stream dialects, threads and runs.

use utoipa::OpenApi;

use super::common::{Bearer, BodyRefusals, NotYours, Refusals};
use super::{kept, schedules};
use crate::agent_events::{AgentChatRequest, AgentEvent};
use crate::assistants::AssistantList;
use crate::chat::{ChatRequest, UiMessageStreamEvent};
use crate::health::Readiness;
use crate::named_events::{NamedEvent, NamedEventFrame, PostMessage, RunStreamEvent};
use crate::problem::Problem;
use crate::threads::{
    CreateThread, Dialect, FollowRun, ListMessages, ListThreads, MessageList, PostedIn, Run,
    Thread, ThreadList, ThreadState, UpdateThread,
};
use crate::ui::{RenderUiComponent, RequestUserSelection};
use crate::ui_history::UiMessageList;

/// The document of the orchestrator.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph orchestrator",
        description = "Assistants as state graphs, answered in streams of server-sent events.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(
        live, ready, list_assistants, create_chat, resume_chat, stop_chat, create_agent_chat, post_message, create_thread, list_threads, get_thread, update_thread, copy_thread, delete_thread, list_messages, list_ui_messages, get_thread_state, get_run, cancel_run, follow_run,
        kept::search_messages, kept::export_thread, kept::get_retention, kept::set_retention, kept::get_quotas, kept::erase_person, kept::export_person,
        schedules::list_schedules, schedules::create_schedule, schedules::get_schedule, schedules::update_schedule, schedules::delete_schedule, schedules::test_schedule, schedules::list_schedule_messages, schedules::get_schedule_secret, schedules::use_stop_link
    ),
    components(schemas(Dialect, NamedEventFrame<'static>, RenderUiComponent, RequestUserSelection, crate::kept::ExportFormat, crate::schedules::WebhookBody)),
    modifiers(&Bearer),
    tags(
        (name = "assistants", description = "Whom to ask"),
        (name = "chat", description = "Messages, answered in streams"),
        (name = "threads", description = "Conversations as they are kept"),
        (name = "runs", description = "Answers in progress"),
        (name = "schedules", description = "Questions at set times, and alerts"),
        (name = "person", description = "What is kept of a person"),
        (name = "health", description = "Liveness and readiness; no identity needed")
    )
)]
pub struct OrchestratorApi;

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::kept::operations::*;
    pub use super::schedules::operations::*;
    pub use super::{
        __path_cancel_run as CancelRun, __path_copy_thread as CopyThread,
        __path_create_agent_chat as CreateAgentChat, __path_create_chat as CreateChat,
        __path_create_thread as CreateThread, __path_delete_thread as DeleteThread,
        __path_follow_run as FollowRun, __path_get_run as GetRun, __path_get_thread as GetThread,
        __path_get_thread_state as GetThreadState, __path_list_assistants as ListAssistants,
        __path_list_messages as ListMessages, __path_list_threads as ListThreads,
        __path_list_ui_messages as ListUiMessages, __path_post_message as PostMessage,
        __path_resume_chat as ResumeChat, __path_stop_chat as StopChat,
        __path_update_thread as UpdateThread,
    };
}

/// Whether the process runs.
#[utoipa::path(get, path = "/health/live", tag = "health", responses((status = 200, description = "It runs")))]
pub fn live() {}

/// Whether the service can work: its database answers and is migrated, the tools service answers,
/// the key set is known.
#[utoipa::path(get, path = "/health/ready", tag = "health", responses(
    (status = 200, description = "It can", body = Readiness),
    (status = 503, description = "Something that it needs is away", body = Readiness),
))]
pub fn ready() {}

/// The assistants, with what the caller's tenant can ask each.
#[utoipa::path(get, path = "/v1/assistants", tag = "assistants", security(("bearer" = ["chat"])),
    responses(
        (status = 200, description = "The assistants", body = AssistantList),
        Refusals,
    ))]
pub fn list_assistants() {}

/// Answers a message. The stream is a UI message stream (`x-vercel-ai-ui-message-stream: v1`): one
/// chunk per `data:` line, `[DONE]` last. A virtual tool `render_ui_component` carries a card or
/// chart (`RenderUiComponent`), `request_user_selection` a question with options
/// (`RequestUserSelection`). Going away does not end the run: `GET /ai/chat/{thread_id}/stream`
/// joins it again, `POST /ai/chat/{thread_id}/stop` ends it.
#[utoipa::path(post, path = "/ai/chat", tag = "chat", security(("bearer" = ["chat"])),
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
    ))]
pub fn create_chat() {}

/// Joins the run that answers in a thread: what it said so far from its first chunk, then the rest
/// as it comes.
#[utoipa::path(get, path = "/ai/chat/{thread_id}/stream", tag = "chat", security(("bearer" = ["chat"])),
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
    ))]
pub fn resume_chat() {}

/// Stops the run that answers in a thread. What there is of the answer is kept, marked as partial.
/// Stopping what is over changes nothing.
#[utoipa::path(post, path = "/ai/chat/{thread_id}/stop", tag = "chat", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 204, description = "It is stopped, or nothing was being answered"),
        NotYours,
        Refusals,
    ))]
pub fn stop_chat() {}

/// Answers a message in agent events: unnamed SSE events distinguished by `event`, the last of
/// which is `complete` or `error`.
#[utoipa::path(post, path = "/internal/chat/stream", tag = "chat", security(("bearer" = ["chat"])),
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
    ))]
pub fn create_agent_chat() {}

/// Answers a message in named events: `message`, `tool_use`, `tool_result`, `warning`, `error`, and
/// `done` last, which has the thread's id.
#[utoipa::path(post, path = "/v1/messages", tag = "chat", security(("bearer" = ["chat"])),
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
    ))]
pub fn post_message() {}

/// Creates a thread.
#[utoipa::path(post, path = "/v1/threads", tag = "threads", security(("bearer" = ["chat"])),
    request_body = CreateThread,
    responses(
        (status = 201, description = "It is made", body = Thread, headers(("location" = String, description = "Where it is"))),
        (status = 200, description = "It was there already, and `if_exists` is `do_nothing`", body = Thread),
        (status = 409, description = "It exists already", body = Problem, content_type = "application/problem+json"),
        BodyRefusals,
        Refusals,
    ))]
pub fn create_thread() {}

/// The caller's threads, the most recently used first.
#[utoipa::path(get, path = "/v1/threads", tag = "threads", security(("bearer" = ["chat"])),
    params(ListThreads),
    responses(
        (status = 200, description = "A page of them", body = ThreadList),
        (status = 422, description = "A bad limit or cursor", body = Problem, content_type = "application/problem+json"),
        Refusals,
    ))]
pub fn list_threads() {}

/// A thread.
#[utoipa::path(get, path = "/v1/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 200, description = "The thread", body = Thread),
        NotYours,
        Refusals,
    ))]
pub fn get_thread() {}

/// Renames a thread, or changes what is kept with it.
#[utoipa::path(patch, path = "/v1/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    request_body = UpdateThread,
    responses(
        (status = 200, description = "The thread as it is now", body = Thread),
        NotYours,
        BodyRefusals,
        Refusals,
    ))]
pub fn update_thread() {}

/// Copies a thread with its messages and the assistant's memory to a new one.
#[utoipa::path(post, path = "/v1/threads/{thread_id}/copy", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 201, description = "The copy", body = Thread, headers(("location" = String, description = "The path of the copy"))),
        (status = 409, description = "A run answers in the thread; copy it when the run has ended", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn copy_thread() {}

/// Deletes a thread with its messages, runs and memory. A run that answers in it is stopped first.
#[utoipa::path(delete, path = "/v1/threads/{thread_id}", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 204, description = "It is gone"),
        (status = 409, description = "A run in it did not stop in time; try again", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn delete_thread() {}

/// The messages of a thread, the oldest first, page by page.
#[utoipa::path(get, path = "/v1/threads/{thread_id}/messages", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread"), ListMessages),
    responses(
        (status = 200, description = "A page of them", body = MessageList),
        (status = 422, description = "A bad limit", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn list_messages() {}

/// The messages of a thread as AI SDK clients hold them (`UIMessage`), the oldest first, page by
/// page: with every part of their streams, in the same order, also when the events of their
/// runs are kept no more. Where a picker was answered, its part has the answer. A limit counts
/// messages; one that was continued in place is one message.
#[utoipa::path(get, path = "/v1/threads/{thread_id}/ui-messages", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread"), ListMessages),
    responses(
        (status = 200, description = "A page of them", body = UiMessageList),
        (status = 422, description = "A bad limit", body = Problem, content_type = "application/problem+json"),
        NotYours,
        Refusals,
    ))]
pub fn list_ui_messages() {}

/// The memory of a thread's assistant, and the thread's status.
#[utoipa::path(get, path = "/v1/threads/{thread_id}/state", tag = "threads", security(("bearer" = ["chat"])),
    params(("thread_id" = String, Path, description = "The thread")),
    responses(
        (status = 200, description = "The state", body = ThreadState),
        NotYours,
        Refusals,
    ))]
pub fn get_thread_state() {}

/// A run.
#[utoipa::path(get, path = "/v1/runs/{run_id}", tag = "runs", security(("bearer" = ["chat"])),
    params(("run_id" = String, Path, description = "The run")),
    responses(
        (status = 200, description = "The run", body = Run),
        NotYours,
        Refusals,
    ))]
pub fn get_run() {}

/// Stops a run: its models and tools. What there is of the answer is kept, marked as partial.
/// Cancelling what is over changes nothing.
#[utoipa::path(post, path = "/v1/runs/{run_id}/cancel", tag = "runs", security(("bearer" = ["chat"])),
    params(("run_id" = String, Path, description = "The run")),
    responses(
        (status = 202, description = "It is being stopped, or was over; the run as it is now", body = Run),
        NotYours,
        Refusals,
    ))]
pub fn cancel_run() {}

/// The events of a run from its first, then the rest as they come, in the dialect that it was asked
/// in or another. Ids are numbers that only grow; when a run had to begin again (its process died),
/// the ids of its new beginning start a thousand million higher and a warning says so.
#[utoipa::path(get, path = "/v1/runs/{run_id}/events", tag = "chat", security(("bearer" = ["chat"])),
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
    ))]
pub fn follow_run() {}
