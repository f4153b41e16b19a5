//! The assistant for its caller: one call per turn, events out.

use std::sync::Arc;

use agent_kit::{
    Assistant, AssistantGraph, Begin, Objection, QuestionContext, Remembered, ToolSetCache,
    TurnInput,
};
use chrono_tz::Tz;
use graph::{BuildError, Snapshot};
use serde_json::json;

use crate::{
    SiteRun, SiteSettings,
    graph::build_graph,
    model::Site,
    objection::objection,
    state::{SiteState, SiteUpdate},
};

/// Supersteps of the longest turn without a model: the router, free chat that hands over to the
/// financial report, which hands over to the audit, and recovery.
const LONGEST_TURN: u32 = 5;

/// The site assistant.
#[derive(Debug, Default)]
pub struct SiteAssistant {
    settings: Arc<SiteSettings>,
    tool_sets: Arc<ToolSetCache>,
}

impl SiteAssistant {
    /// The assistant with these settings.
    pub fn new(settings: SiteSettings) -> Self {
        Self {
            settings: Arc::new(settings),
            tool_sets: Arc::default(),
        }
    }
}

impl Assistant for SiteAssistant {
    const NAME: &'static str = "site";
    // Its tools only read, a schedule that is made again is the one that was made, and a turn is
    // stored in the thread as a whole or not at all.
    const IS_REPEATABLE: bool = true;

    type State = SiteState;
    type Run = SiteRun;

    fn build_graph() -> Result<AssistantGraph<Self>, BuildError> {
        build_graph()
    }

    /// One for each question to the model, the closing one included.
    fn recursion_limit(&self) -> u32 {
        LONGEST_TURN + self.settings.max_steps + 1
    }

    fn run(&self, _turn: &TurnInput) -> SiteRun {
        SiteRun::new(Arc::clone(&self.settings), Arc::clone(&self.tool_sets))
    }

    fn begin(&self, turn: &TurnInput, _kept: Option<&Snapshot<SiteState>>) -> Begin<SiteState> {
        Begin::Turn(SiteUpdate::Begin {
            user_timezone: turn.timezone.clone(),
        })
    }

    async fn objection(&self, question: &str, asked: &QuestionContext<'_>) -> Option<Objection> {
        let site = Site::of(asked.tools, asked.now, Tz::UTC).await;
        objection(question, &site, asked.now, asked.has_model)
    }

    /// In the words of the UI message stream: `activeFlow`, `flowContext`, `pendingUiActions`.
    fn remembered(kept: &Snapshot<SiteState>) -> Remembered {
        let state = &kept.state;
        let context = &state.flow_context;
        let pending = state.pending_selection.as_ref().map(|pending| {
            json!({
                "toolCallId": pending.tool_call_id,
                "flow": pending.flow,
                "input": pending.request,
            })
        });
        Remembered {
            asks: pending.is_some() || state.schedule_draft.is_some(),
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
}
