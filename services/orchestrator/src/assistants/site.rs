//! The site assistant behind the trait.

use std::sync::Arc;

use agent_kit::{PastCall, PastMessage, PastRole};
use agent_site::{SiteAssistant, SiteState, TurnInput, UserInput};
use async_trait::async_trait;
use contracts::run::RunEvent;
use conversations::window::{Window, WindowMessage};
use conversations::{Role, ToolStatus};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use llm::Models;
use serde_json::{Value, json};

use super::{Assistant, Input, Remembered, StateError, Turn};
use crate::callers_tools::{CallersTools, Toolbox};

/// Answers questions about solar sites.
pub(crate) struct Site {
    assistant: SiteAssistant,
    tools: Arc<Toolbox>,
    models: Option<Models>,
}

impl Site {
    pub(crate) fn new(
        assistant: SiteAssistant,
        tools: Arc<Toolbox>,
        models: Option<Models>,
    ) -> Self {
        Self {
            assistant,
            tools,
            models,
        }
    }
}

#[async_trait]
impl Assistant for Site {
    fn name(&self) -> &'static str {
        "site"
    }

    /// Its tools only read, and a turn is stored in the thread as a whole or not at all.
    fn is_repeatable(&self) -> bool {
        true
    }

    /// Only a model reads it; the rules have the thread's state.
    fn reads_history(&self) -> bool {
        self.models.is_some()
    }

    fn run(&self, turn: Turn) -> BoxStream<'static, RunEvent> {
        let models = self.models.as_ref();
        let wished = models.and_then(|models| models.chat_as(&turn.wishes));
        // Where no model is set up at all, every answer says that it is the rules'.
        let unknown = turn.wishes.model;
        let unknown = unknown.filter(|_| models.is_some() && wished.is_none());
        let model = wished.or_else(|| models.map(Models::chat));
        let again = turn.again;
        let input = TurnInput {
            thread_id: turn.thread_id,
            thread_key: Some(turn.thread_key),
            run_id: turn.run_id,
            message_id: turn.message_id,
            message: match turn.input {
                Input::Text { text } => UserInput::Text(text),
                Input::Selection { call_id, output } => {
                    UserInput::SelectionOutput { call_id, output }
                }
            },
            user_timezone: turn.timezone,
            now: turn.now,
            tools: Arc::new(CallersTools::new(Arc::clone(&self.tools), turn.caller)),
            model,
            history: past(&turn.history),
            cancellation: turn.cancellation,
        };
        let events = if again {
            self.assistant.run_again(input).boxed()
        } else {
            self.assistant.run(input).boxed()
        };
        match unknown {
            Some(name) => with_warning(events, not_configured(&name)),
            None => events,
        }
    }

    async fn state(&self, thread_key: &str) -> Result<Option<Remembered>, StateError> {
        let state = self.assistant.thread(thread_key).await?;
        Ok(state.as_ref().map(remembered))
    }
}

/// A warning right behind the run's first event.
fn with_warning(
    events: impl Stream<Item = RunEvent> + Send + 'static,
    warning: RunEvent,
) -> BoxStream<'static, RunEvent> {
    let mut warning = Some(warning);
    events
        .flat_map(move |event| stream::iter(std::iter::once(event).chain(warning.take())))
        .boxed()
}

fn not_configured(model: &str) -> RunEvent {
    RunEvent::Warning {
        code: "model_not_configured".to_owned(),
        text: format!(
            "The model \u{201c}{model}\u{201d} is not set up here; the usual way is taken."
        ),
    }
}

/// What it remembers, in the words of the UI message stream: the documents' `activeFlow`, `flowContext`, `pendingUiActions`.
fn remembered(state: &SiteState) -> Remembered {
    let context = &state.flow_context;
    let pending = state.pending_selection.as_ref().map(|pending| {
        json!({
            "toolCallId": pending.tool_call_id,
            "flow": pending.flow,
            "input": pending.request,
        })
    });
    Remembered {
        asks: pending.is_some(),
        values: json!({
            "activeFlow": state.active_flow,
            "flowStep": state.flow_step,
            "recoveryAttempts": state.recovery_attempts,
            "flowContext": {
                "selectedLoggerId": context.selected_logger_id,
                "selectedLoggerIds": context.selected_logger_ids,
                "selectedDate": context.selected_date,
                "dateRange": context.date_range,
                "metric": context.metric,
                "electricityRate": context.electricity_rate,
                "userTimezone": context.user_timezone,
            },
            "pendingSelection": pending,
        }),
    }
}

/// What was said before this turn.
fn past(window: &Window) -> Vec<PastMessage> {
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
