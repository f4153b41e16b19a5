//! The order of a run's events: what every client may rely on, as a checker for tests and as the
//! ledger that keeps it when a run is cut short.

mod laws;

use contracts::run::{FinishReason, Open, RunEvent, ToolCallKind};

use crate::Account;

pub use laws::check_laws;

/// The open parts of a run.
#[derive(Debug, Default)]
pub(crate) struct OpenEvents {
    open: Open,
    /// A picker was opened.
    asked: bool,
}

impl OpenEvents {
    /// An event of the run went out.
    pub(crate) fn note(&mut self, event: &RunEvent) {
        self.open.note(event);
        self.asked |= matches!(
            event,
            RunEvent::ToolCall {
                kind: ToolCallKind::Client,
                ..
            }
        );
    }

    /// The last event of a run that came to its end.
    pub(crate) fn finished(&self, account: &Account) -> Vec<RunEvent> {
        let reason = if self.asked {
            FinishReason::ToolCalls
        } else if account.was_broken_off() {
            FinishReason::Incomplete
        } else if account.was_cut() {
            FinishReason::Length
        } else {
            FinishReason::Stop
        };
        vec![last(reason, account)]
    }

    /// The last events of a run that was stopped: everything open is closed, so that what there was
    /// can be kept.
    pub(crate) fn stopped(&self, account: &Account) -> Vec<RunEvent> {
        let mut events = self
            .open
            .closing("This was stopped before there was an answer.");
        events.push(RunEvent::Warning {
            code: "cancelled".to_owned(),
            text: "Stopped. What you see so far is kept.".to_owned(),
        });
        events.push(last(FinishReason::Cancelled, account));
        events
    }

    /// The last events of a run that broke.
    pub(crate) fn failed(&self) -> Vec<RunEvent> {
        let mut events = self.open.closing("This failed before there was an answer.");
        events.push(RunEvent::Failed {
            code: "internal".to_owned(),
            text: "Something went wrong on our side. Please try again.".to_owned(),
            retryable: true,
        });
        events
    }
}

fn last(reason: FinishReason, account: &Account) -> RunEvent {
    RunEvent::Finished {
        reason,
        source: account.source(),
        usage: account.usage(),
    }
}

#[cfg(test)]
mod tests;
