//! Requests to `POST /internal/chat/stream`.

use agent_kit::UserInput;
use contracts::agent_events::AgentChatRequest;
use contracts::threads::Dialect;
use conversations::{IfMissing, Question};
use llm::ModelOptions;
use service_kit::problem::ApiError;

use super::{check_text, checked_context, checked_id};
use crate::runs::RunInput;
use crate::runs::accept::MessageRequest;

/// Reads a request; who it says that asks is checked before.
pub(crate) fn read(request: AgentChatRequest) -> Result<MessageRequest, ApiError> {
    let text = request.input.message;
    check_text(&text, "/input/message")?;
    let attached = checked_context(request.context, None)?;
    Ok(MessageRequest {
        dialect: Dialect::AgentEvents,
        thread: Some(checked_id(request.conversation.id, "/conversation/id")?),
        if_missing: IfMissing::Create,
        multitask: request.multitask_strategy,
        assistant: request.assistant,
        input: RunInput {
            input: UserInput::Text(text.clone()),
            continued_message: None,
            gave_up: None,
            timezone: None,
            model_options: ModelOptions::default(),
            unattended: false,
        },
        question: Some(Question { id: None, text }),
        context_defaults: attached.defaults,
        context: attached.context,
        delegated: attached.delegated,
    })
}
