//! The site assistant behind the trait.

use std::sync::Arc;

use agent_site::{SiteAssistant, SiteState, TurnInput, UserInput};
use async_trait::async_trait;
use contracts::data_overview::DataOverview;
use contracts::run::RunEvent;
use conversations::Owner;
use futures::StreamExt;
use futures::stream::BoxStream;
use llm::Models;
use serde_json::json;

use super::model_choice::Chosen;
use super::past::past;
use super::{Assistant, Introduction, Remembered, StateError, Turn, introductions};
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

    fn introduction(&self, data: Option<&DataOverview>) -> Introduction {
        introductions::site(data)
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
        let chosen = Chosen::of(self.models.as_ref(), &turn.model_options);
        let again = turn.again;
        let input = TurnInput {
            thread_id: turn.thread_id,
            thread_key: Some(turn.thread_key),
            run_id: turn.run_id,
            message_id: turn.message_id,
            message: match turn.input {
                agent_kit::UserInput::Text(text) => UserInput::Text(text),
                agent_kit::UserInput::SelectionOutput { call_id, output } => {
                    UserInput::SelectionOutput { call_id, output }
                }
            },
            user_timezone: turn.timezone,
            now: turn.now,
            tools: Arc::new(CallersTools::new(Arc::clone(&self.tools), turn.caller)),
            model: chosen.model.clone(),
            history: past(&turn.history),
            cancellation: turn.cancellation,
        };
        let events = if again {
            self.assistant.run_again(input).boxed()
        } else {
            self.assistant.run(input).boxed()
        };
        chosen.announced(events)
    }

    async fn state(
        &self,
        _owner: &Owner,
        thread_key: &str,
    ) -> Result<Option<Remembered>, StateError> {
        let state = self.assistant.thread(thread_key).await?;
        Ok(state.as_ref().map(remembered))
    }
}

/// The memory in the words of the UI message stream: `activeFlow`,
/// `flowContext`, `pendingUiActions`.
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
