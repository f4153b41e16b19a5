//! The window of history as assistants read it.

use agent_kit::{PastCall, PastMessage, PastRole};
use conversations::window::{Window, WindowMessage};
use conversations::{Role, ToolStatus};
use serde_json::Value;

/// The conversation before this turn.
pub(super) fn past(window: &Window) -> Vec<PastMessage> {
    window.messages.iter().filter_map(past_message).collect()
}

fn past_message(message: &WindowMessage) -> Option<PastMessage> {
    let role = match message.role {
        Role::User => PastRole::User,
        Role::Assistant => PastRole::Assistant,
        Role::System => return None,
    };
    let calls = message.tools.iter().flatten().map(|record| PastCall {
        id: record.id.clone(),
        name: record.name.clone(),
        input: record.arguments.clone(),
        output: record
            .result
            .clone()
            .filter(|result| !Value::is_null(result)),
        ok: !matches!(record.status, ToolStatus::Error | ToolStatus::Cancelled),
    });
    Some(PastMessage {
        role,
        text: message.text.clone(),
        calls: calls.collect(),
    })
}
