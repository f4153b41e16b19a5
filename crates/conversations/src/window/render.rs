//! The two forms in which a window goes to a model.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::{Value, json};

use super::{Window, WindowMessage};
use crate::messages::{Role, ToolRecord, ToolStatus};

/// The first line of an item that holds tool results.
pub const GROUNDING_MARKER: &str = "INTERNAL_TOOL_OUTPUT_JSON";

/// Told to the model with each set of tool results.
const NOTE: &str = "What the tools answered for the message above. Use it for follow-up questions; never show it as it is.";

/// An item of the marker form: exactly a role and a content, as every model's interface takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ContextItem {
    /// Who says it.
    pub role: Role,
    /// The words of the message.
    pub content: String,
}

/// An item of the native form.
#[derive(Debug, Clone, PartialEq)]
pub enum NativeItem {
    /// Something said.
    Text {
        /// By whom.
        role: Role,
        /// The words.
        text: String,
    },
    /// Tools that the assistant called at once, each with its one answer. Never empty.
    Tools(Vec<ToolAnswer>),
}

/// A call with its answer. Their pairing is in the type: neither goes without the other.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolAnswer {
    /// The call, unique in the window.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The result, or the reason why there is none.
    pub result: Value,
    /// Whether it did as asked.
    pub ok: bool,
}

impl Window {
    /// The window as plain items: after each preserved answer, what its tools said, as a system
    /// item under [`GROUNDING_MARKER`].
    pub fn marker_items(&self) -> Vec<ContextItem> {
        self.messages.iter().flat_map(marker_items).collect()
    }

    /// The window as a model with tools of its own would have had it: calls and answers, then what
    /// was said.
    ///
    /// Begins with the first user message, as providers ask for; every call has exactly one answer,
    /// and no two have the same id.
    pub fn native_items(&self) -> Vec<NativeItem> {
        let mut seen = HashSet::new();
        let first_question = self
            .messages
            .iter()
            .position(|message| message.role == Role::User)
            .unwrap_or(0);
        self.messages
            .iter()
            .enumerate()
            .filter(|(index, message)| *index >= first_question || message.role == Role::System)
            .flat_map(|(_, message)| native_items(message, &mut seen))
            .collect()
    }
}

/// Whether the message has words; a question is kept without.
fn is_said(message: &WindowMessage) -> bool {
    message.role == Role::User || !message.text.trim().is_empty()
}

pub(super) fn marker_items(message: &WindowMessage) -> Vec<ContextItem> {
    let said = is_said(message).then(|| ContextItem {
        role: message.role,
        content: message.text.clone(),
    });
    let grounding = message.tools.as_ref().map(|tools| ContextItem {
        role: Role::System,
        content: format!(
            "{GROUNDING_MARKER}\n{}",
            json!({ "tools_used": tools, "note": NOTE })
        ),
    });
    said.into_iter().chain(grounding).collect()
}

fn native_items(message: &WindowMessage, seen: &mut HashSet<String>) -> Vec<NativeItem> {
    let answers: Vec<ToolAnswer> = message
        .tools
        .iter()
        .flatten()
        .map(|record| answer(record, fresh_id(&record.id, seen)))
        .collect();
    let tools = (!answers.is_empty()).then_some(NativeItem::Tools(answers));
    let said = is_said(message).then(|| NativeItem::Text {
        role: message.role,
        text: message.text.clone(),
    });
    tools.into_iter().chain(said).collect()
}

/// Calls are numbered per run, so two runs may have used the same id.
fn fresh_id(id: &str, seen: &mut HashSet<String>) -> String {
    let mut fresh = id.to_owned();
    let mut number = 1_u32;
    while !seen.insert(fresh.clone()) {
        number += 1;
        fresh = format!("{id}_{number}");
    }
    fresh
}

fn answer(record: &ToolRecord, id: String) -> ToolAnswer {
    let unanswered = match record.status {
        ToolStatus::Pending => "The user has not chosen yet.",
        ToolStatus::Executing | ToolStatus::Cancelled => "The run ended before the tool answered.",
        ToolStatus::Success | ToolStatus::Error | ToolStatus::Answered => "There was no answer.",
    };
    ToolAnswer {
        id,
        name: record.name.clone(),
        arguments: record.arguments.clone(),
        result: record
            .result
            .clone()
            .unwrap_or_else(|| json!({ "status": record.status, "message": unanswered })),
        ok: matches!(record.status, ToolStatus::Success | ToolStatus::Answered),
    }
}
