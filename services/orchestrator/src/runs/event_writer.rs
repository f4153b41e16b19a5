//! The writer of a run's events: to the log, and to the record that becomes its message.

use std::sync::Arc;

use agent_kit::UserInput;
use contracts::run::{FinishReason, Open, RunEvent, Source, Usage};
use conversations::Finish;
use conversations::record::MessageBuilder;

use super::RunInput;
use super::log::Writer;
use super::metrics::ObservedRun;

/// The answer to a call whose run was cut short.
pub(super) const CUT_SHORT: &str = "The answer ended before this was done.";

/// Reports the events of one attempt.
pub(super) struct EventWriter {
    writer: Writer,
    record: MessageBuilder,
    open: Open,
    written: usize,
    observed: ObservedRun,
}

/// Why a run is stopped before it ends on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// A user asked for it.
    OnRequest,
    /// It took too long.
    TooLong,
    /// It said too much.
    TooMuch,
}

impl EventWriter {
    pub(super) fn new(writer: Writer, observed: ObservedRun) -> Self {
        Self {
            writer,
            record: MessageBuilder::default(),
            open: Open::default(),
            written: 0,
            observed,
        }
    }

    /// The run answers this.
    pub(super) fn begin(&mut self, asked: &RunInput) {
        note_choice(&mut self.record, asked);
    }

    /// Reports an event that does not end the run.
    pub(super) fn write(&mut self, event: RunEvent) {
        self.record.apply(&event);
        self.open.note(&event);
        self.observed.event(&event);
        self.writer.append(Arc::new(event));
        self.written += 1;
    }

    /// Number of events that were written.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Reports what closes everything that is still open.
    pub(super) fn close(&mut self) {
        for event in self.open.closing(CUT_SHORT) {
            self.write(event);
        }
    }

    pub(super) fn warn(&mut self, code: &str, text: &str) {
        self.write(warning(code, text));
    }

    /// The record of a run that ends with this event. What is written after this is only sent.
    pub(super) fn finish(&mut self, terminal: &RunEvent) -> Finish {
        let mut record = std::mem::take(&mut self.record);
        record.apply(terminal);
        record.finish()
    }

    /// Reports the end; nothing comes after it.
    pub(super) fn end(mut self, terminal: Arc<RunEvent>) {
        self.observed.ended(Some(&terminal));
        self.writer.append(terminal);
    }

    /// Another worker has the run; nothing more is written here.
    pub(super) fn lost(&self) {
        self.observed.ended(None);
    }
}

/// A person's choice in place of the question is part of the message, as its client holds it.
pub(super) fn note_choice(record: &mut MessageBuilder, asked: &RunInput) {
    if let UserInput::SelectionOutput { call_id, output } = &asked.input {
        match &asked.gave_up {
            Some(why) => record.answers_in_place(call_id, why.as_str().into(), false),
            None => record.answers_in_place(call_id, output.clone(), true),
        }
    }
}

pub(super) fn warning(code: &str, text: &str) -> RunEvent {
    RunEvent::Warning {
        code: code.to_owned(),
        text: text.to_owned(),
    }
}

/// The end of a run that was asked to stop. `said` is what the assistant ended with, if it still
/// did.
pub(super) fn cancelled(said: Option<&RunEvent>) -> RunEvent {
    let (source, usage): (Source, Option<Usage>) = match said {
        Some(RunEvent::Finished { source, usage, .. }) => (*source, *usage),
        _ => (Source::Rules, None),
    };
    RunEvent::Finished {
        reason: FinishReason::Cancelled,
        source,
        usage,
    }
}

/// The end of a run that this service stopped.
pub(super) fn failed(code: &str, text: &str) -> RunEvent {
    RunEvent::Failed {
        code: code.to_owned(),
        text: text.to_owned(),
        retryable: true,
    }
}

/// The end of a run without a final event. That is a bug, which is logged, and its client gets an
/// error.
pub(super) fn ended_early() -> RunEvent {
    tracing::error!("a run ended without saying so");
    failed(
        "internal",
        "Something went wrong on our side. Please try again.",
    )
}
