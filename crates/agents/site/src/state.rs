//! The state of a thread, as the solar chat keeps it (see docs/compatibility.md), and the reducers
//! that change it.
//!
//! Two kinds of things live here, with two lifetimes:
//! * the conversation and the person's preferences: as long as the thread;
//! * what the person chose for the current task ([`FlowContext`], [`PendingSelection`]): until
//!   another task begins, which starts clean;
//! * what the tools said ([`Work`]): one turn, in memory only. A checkpoint never holds a chart's
//!   data.

mod context;
mod history;

use agent_kit::{ThreadState, ToolRecord};
use contracts::{
    run::{RunEvent, Source},
    tools::names,
    ui::RequestUserSelection,
};
use graph::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use context::{FlowContext, LeantOn, RememberedCall};
pub use history::{CallRecord, History, MAX_RECORDS, MAX_TEXT, Record};

use crate::{
    calls,
    language::{Argument, Flow, schedules::Draft},
};

/// The state of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// The conversation.
    pub messages: History,
    /// Number of times that the current task had to be repaired; at three the assistant gives up.
    pub recovery_attempts: u32,
    /// The open picker: `pendingUiActions`, of which only a picker outlives its turn.
    pub pending_selection: Option<PendingSelection>,
    /// A schedule that is being made, of which something is missing.
    pub schedule_draft: Option<Box<Draft>>,
    /// The workflow of the newest task.
    pub active_flow: Option<Flow>,
    /// The last step of the flow.
    pub flow_step: u32,
    /// The subject of the task.
    pub flow_context: FlowContext,
}

/// A picker that waits for its answer, in this turn or another, after a restart or not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PendingSelection {
    /// The id of the picker's call.
    pub tool_call_id: String,
    /// The argument that it asks for.
    pub argument: Argument,
    /// The offer of the picker.
    pub request: RequestUserSelection,
    /// The workflow that continues with the answer.
    pub flow: Flow,
    /// The call that failed and is tried again with the answer; absent when nothing failed.
    pub retry: Option<RememberedCall>,
    /// Who asks, and continues with the answer.
    #[serde(default = "rules")]
    pub asked_by: Source,
    /// Number of times that it was asked again because its answer could not be taken.
    #[serde(default)]
    pub asked_again: u32,
}

fn rules() -> Source {
    Source::Rules
}

/// A change of the state.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum SiteUpdate {
    /// A turn begins.
    Begin {
        /// IANA zone of the person, when the client sent it.
        user_timezone: Option<String>,
    },
    /// The person or the assistant said something, or a tool was called.
    Recorded(Box<Record>),
    /// An open call got its answer.
    Answered {
        /// The call.
        call_id: String,
        /// The answer.
        result: Value,
    },
    /// A task begins, on a clean context.
    NewTask {
        /// The workflow of the task.
        flow: Flow,
        /// The person's words.
        request: String,
        /// Devices and days that they mean and do not name, see [`FlowContext::slots`].
        #[serde(default)]
        slots: String,
        /// The task that a later message leans on, when this task only explains or refuses.
        #[serde(default)]
        leans_on: Option<Box<LeantOn>>,
    },
    /// The task continues in another workflow, with what was chosen so far.
    Switched(Flow),
    /// The task has no workflow any more.
    Dropped,
    /// The workflow got this far.
    Step(u32),
    /// The context of the task, changed.
    Context(Box<FlowContext>),
    /// A picker is open, or no more.
    Pending(Option<Box<PendingSelection>>),
    /// A schedule is being made, or no more.
    ScheduleDraft(Option<Box<Draft>>),
    /// The count of repairs.
    RecoveryAttempts(u32),
}

/// The conversation as the thread's own state keeps it: texts, calls with their digest, cards by
/// their name.
impl ThreadState for SiteState {
    fn said(text: &str) -> Option<SiteUpdate> {
        let text = text.to_owned();
        Some(recorded(Record::Assistant { text }))
    }

    fn called(call: &ToolRecord<'_>) -> Option<SiteUpdate> {
        Some(recorded(Record::Tool(CallRecord {
            id: call.id.to_owned(),
            name: call.tool.to_owned(),
            input: Value::Object(call.arguments.clone()),
            result: Some(calls::digest(call.envelope)),
        })))
    }

    fn shown(call_id: &str, props: &Value) -> Option<SiteUpdate> {
        let mut shown = Map::new();
        let component = props.get("component").cloned().unwrap_or_default();
        shown.insert("component".to_owned(), component);
        Some(recorded(Record::Tool(CallRecord {
            id: call_id.to_owned(),
            name: names::RENDER_UI_COMPONENT.to_owned(),
            input: Value::Object(shown.clone()),
            result: Some(Value::Object(shown)),
        })))
    }
}

fn recorded(record: Record) -> SiteUpdate {
    SiteUpdate::Recorded(Box::new(record))
}

impl State for SiteState {
    type Update = SiteUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: SiteUpdate) {
        match update {
            SiteUpdate::Begin { user_timezone } => {
                // A client may send anything; only a zone that exists is kept.
                let zone = user_timezone.filter(|zone| zone.parse::<chrono_tz::Tz>().is_ok());
                if zone.is_some() {
                    self.flow_context.user_timezone = zone;
                }
            }
            SiteUpdate::Recorded(record) => self.messages.push(*record),
            SiteUpdate::Answered { call_id, result } => self.messages.answer(&call_id, result),
            SiteUpdate::NewTask {
                flow,
                mut request,
                slots,
                leans_on,
            } => {
                history::cut(&mut request);
                self.active_flow = Some(flow);
                self.flow_step = 0;
                self.recovery_attempts = 0;
                self.flow_context = std::mem::take(&mut self.flow_context).clean(request);
                self.flow_context.slots = slots;
                self.flow_context.leans_on = leans_on;
            }
            SiteUpdate::Switched(flow) => {
                self.active_flow = Some(flow);
                self.flow_step = 0;
            }
            SiteUpdate::Dropped => {
                self.active_flow = None;
                self.flow_step = 0;
                self.recovery_attempts = 0;
                self.flow_context = std::mem::take(&mut self.flow_context).clean(String::new());
            }
            SiteUpdate::Step(step) => self.flow_step = step,
            SiteUpdate::Context(context) => self.flow_context = *context,
            SiteUpdate::Pending(pending) => self.pending_selection = pending.map(|boxed| *boxed),
            SiteUpdate::ScheduleDraft(draft) => self.schedule_draft = draft,
            SiteUpdate::RecoveryAttempts(attempts) => self.recovery_attempts = attempts,
        }
    }
}

#[cfg(test)]
mod tests;
