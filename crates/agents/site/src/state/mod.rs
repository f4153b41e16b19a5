//! The state of a thread, as the solar chat keeps it (see docs/compatibility.md), and the reducers
//! that change it.
//!
//! Three kinds of things live here, with three lifetimes:
//! * the conversation and the person's preferences: as long as the thread;
//! * what the person chose for the current task ([`FlowContext`], [`PendingSelection`]): until
//!   another task begins, which starts clean;
//! * what the tools said ([`Work`]): one turn, in memory only. A checkpoint never holds a chart's
//!   data.

mod context;
mod history;
mod work;

use std::sync::Arc;

use agent_kit::{ThreadState, Transient};
use contracts::{
    run::{RunEvent, Source},
    ui::RequestUserSelection,
};
use graph::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use context::{FlowContext, LeantOn, RememberedCall};
pub use history::{CallRecord, History, MAX_RECORDS, MAX_TEXT, Record};
pub(crate) use work::{
    Diagnostics, Failure, Finding, HealthFindings, Missing, Resolved, Scope, Selection, Work,
};

use crate::{
    language::{Argument, Flow},
    turn::Turn,
};

/// The state of a thread.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteState {
    /// The conversation.
    pub messages: History,
    /// Number of times that the current task had to be repaired; at three the assistant gives up.
    pub recovery_attempts: u32,
    /// The open picker: the documents' `pendingUiActions`, of which only a picker outlives its
    /// turn.
    pub pending_selection: Option<PendingSelection>,
    /// The workflow of the newest task.
    pub active_flow: Option<Flow>,
    /// The last step of the flow.
    pub flow_step: u32,
    /// The subject of the task.
    pub flow_context: FlowContext,
    /// This turn's own.
    #[serde(skip)]
    pub(crate) work: Work,
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
        /// The state that the run's nodes share.
        turn: TurnHandle,
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
    /// The count of repairs.
    RecoveryAttempts(u32),
    /// A tool's answer.
    Found(FindingHandle),
}

/// The run's dependencies on their way into the state; never stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TurnHandle(pub(crate) Transient<Turn>);

/// A finding on its way into the state; never stored.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FindingHandle(pub(crate) Transient<Finding>);

impl From<Finding> for SiteUpdate {
    fn from(finding: Finding) -> Self {
        Self::Found(FindingHandle(Transient(Some(Arc::new(finding)))))
    }
}

impl ThreadState for SiteState {}

impl State for SiteState {
    type Update = SiteUpdate;
    type Event = RunEvent;

    fn apply(&mut self, update: SiteUpdate) {
        match update {
            SiteUpdate::Begin {
                user_timezone,
                turn,
            } => {
                self.work = Work::new(turn.0.0);
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
            SiteUpdate::RecoveryAttempts(attempts) => self.recovery_attempts = attempts,
            SiteUpdate::Found(finding) => {
                if let Some(finding) = finding.0.0 {
                    self.work.add(Arc::unwrap_or_clone(finding));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
