//! What a client posted to `POST /v1/messages`.

use contracts::named_events::PostMessage;
use contracts::threads::{Dialect, IfNotExists};
use conversations::{IfMissing, Question};
use service_kit::problem::ApiError;

use super::{check_name, check_text, checked_context, checked_id};
use crate::assistants::Input;
use crate::runs::RunInput;
use crate::runs::accept::Wanted;

/// Reads a request; who it says that asks is checked before.
pub(crate) fn read(request: PostMessage) -> Result<Wanted, ApiError> {
    let text = request.content;
    check_text(&text, "/content")?;
    check_name(request.inventory_id.as_deref(), "/inventory_id")?;
    check_name(request.options.model.as_deref(), "/options/model")?;
    let thread = request
        .thread_id
        .map(|id| checked_id(id, "/thread_id"))
        .transpose()?;
    Ok(Wanted {
        dialect: Dialect::NamedEvents,
        thread,
        if_missing: match request.if_not_exists {
            IfNotExists::Reject => IfMissing::Refuse,
            IfNotExists::Create => IfMissing::Create,
        },
        multitask: request.multitask_strategy,
        assistant: request.assistant,
        input: RunInput {
            input: Input::Text { text: text.clone() },
            continued_message: None,
            timezone: None,
            model: request.options.model,
        },
        question: Some(Question { id: None, text }),
        inventory_id: request.inventory_id,
        context: checked_context(request.context)?,
    })
}
