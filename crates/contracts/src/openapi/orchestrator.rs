//! The orchestrator: chat in the UI message stream.

use utoipa::OpenApi;

use super::common::Bearer;
use crate::chat::{ChatRequest, UiMessageChunk};
use crate::health::Readiness;
use crate::problem::Problem;
use crate::run::RunEvent;
use crate::ui::{RenderUiComponent, RequestUserSelection};

/// The document of the orchestrator.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Heliograph orchestrator",
        description = "Assistants as state graphs, answered in streams of server-sent events.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    paths(live, ready, create_chat),
    components(schemas(RunEvent, RenderUiComponent, RequestUserSelection)),
    modifiers(&Bearer),
    tags(
        (name = "chat", description = "Conversations"),
        (name = "health", description = "Liveness and readiness; no identity needed")
    )
)]
pub struct OrchestratorApi;

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::__path_create_chat as CreateChat;
}

/// Whether the process runs.
#[utoipa::path(get, path = "/health/live", tag = "health", responses((status = 200, description = "It runs")))]
pub fn live() {}

/// Whether the service can work: the checkpoint store is open, the tools service answers, the key set is known.
#[utoipa::path(get, path = "/health/ready", tag = "health", responses(
    (status = 200, description = "It can", body = Readiness),
    (status = 503, description = "Something that it needs is away", body = Readiness),
))]
pub fn ready() {}

/// Answers a message with the `site` assistant. The stream is a UI message stream (`x-vercel-ai-ui-message-stream: v1`): one chunk per
/// `data:` line, `[DONE]` last. A virtual tool `render_ui_component` carries a card or chart (`RenderUiComponent`), `request_user_selection` a
/// question with options (`RequestUserSelection`). Going away ends the run.
#[utoipa::path(post, path = "/ai/chat", tag = "chat", security(("bearer" = ["chat"])),
    request_body = ChatRequest,
    responses(
        (status = 200, description = "The answer", body = UiMessageChunk, content_type = "text/event-stream", headers(
            ("x-run-id" = String, description = "The run"),
            ("x-vercel-ai-ui-message-stream" = String, description = "Always v1"),
        )),
        (status = 400, description = "Not JSON", body = Problem, content_type = "application/problem+json"),
        (status = 401, description = "No valid identity", body = Problem, content_type = "application/problem+json"),
        (status = 403, description = "The scope is missing", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "The thread is busy with another message", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body is too large", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "No message, a bad id or a bad zone", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "Too many runs at once", body = Problem, content_type = "application/problem+json"),
    ))]
pub fn create_chat() {}
