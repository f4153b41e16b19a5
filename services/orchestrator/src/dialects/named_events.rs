//! Named events, the dialect of the climate advisor.

use std::borrow::Cow;

use contracts::named_events::{
    DoneEvent, ErrorEvent, MessageEvent, ToolProgress, ToolResultEvent, ToolUseEvent, WarningEvent,
};
use contracts::run::{Channel, FinishReason, RunEvent, ToolCallKind};
use contracts::threads::{ToolRecord, ToolRecordStatus};
use serde_json::Value;

use super::Out;
use super::joined::{Joined, Warned};

/// Characters of a result that are shown as text.
const SHOWN: usize = 200;

/// Results that are larger, in bytes of JSON, are not sent whole: the message as it is stored holds
/// them.
const LARGEST_RESULT: usize = 64 * 1024;

/// The largest results that `done` repeats.
const LARGEST_REPEATED: usize = 4 * 1024;

/// The warning that says that the answer is not stored.
const NOT_SAVED: &str = "history_not_saved";

/// Turns the events of one run into named events.
#[derive(Debug)]
pub(super) struct Encoder {
    request_id: String,
    thread_id: String,
    run_id: String,
    index: u64,
    /// The open text is part of the answer.
    is_answer: bool,
    answer: Joined,
    warned: Warned,
    history_saved: bool,
    calls: Vec<ToolRecord>,
}

impl Encoder {
    pub(super) fn new(request_id: &str) -> Self {
        Self {
            request_id: request_id.to_owned(),
            thread_id: String::new(),
            run_id: String::new(),
            index: 0,
            is_answer: true,
            answer: Joined::default(),
            warned: Warned::default(),
            history_saved: true,
            calls: Vec::new(),
        }
    }

    pub(super) fn encode(&mut self, event: &RunEvent, out: &mut Out<'_>) {
        match event {
            RunEvent::Started {
                thread_id, run_id, ..
            } => {
                self.thread_id.clone_from(thread_id);
                self.run_id.clone_from(run_id);
            }
            RunEvent::TextStarted { channel, .. } => {
                self.is_answer = *channel == Channel::Final;
                if self.is_answer {
                    self.answer.begin();
                }
            }
            RunEvent::TextDelta { delta, .. } if self.is_answer => self.message(delta, out),
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind,
            } => self.call(id, name, input, *kind, out),
            RunEvent::ToolResult { id, output, ok } => self.result(id, output, *ok, out),
            RunEvent::Warning { code, text } => {
                self.warned.note(code);
                self.history_saved &= code != NOT_SAVED;
                let warning = WarningEvent {
                    message: text.into(),
                    thread_id: (&self.thread_id).into(),
                    code: code.into(),
                };
                out.event("warning", &warning);
            }
            RunEvent::Plan { plan } => out.event("plan", plan),
            RunEvent::Finished { reason, .. } => {
                self.done(cut_short(*reason), reason.is_partial(), out);
            }
            RunEvent::Failed { code, text, .. } => {
                let error = ErrorEvent {
                    message: text.into(),
                    error_code: code.into(),
                };
                out.event("error", &error);
                self.done(Some(text), false, out);
            }
            RunEvent::Route { .. }
            | RunEvent::Status { .. }
            | RunEvent::StepStarted
            | RunEvent::StepFinished
            | RunEvent::TextDelta { .. }
            | RunEvent::TextFinished { .. }
            | RunEvent::StructuredData { .. }
            | RunEvent::Sources { .. }
            | RunEvent::ToolAnswered { .. } => {}
        }
    }

    fn message(&mut self, delta: &str, out: &mut Out<'_>) {
        let content = self.answer.delta(delta);
        let index = self.index;
        self.index += 1;
        out.event("message", &MessageEvent { index, content });
    }

    fn call(&mut self, id: &str, name: &str, input: &Value, kind: ToolCallKind, out: &mut Out<'_>) {
        let begins = ToolUseEvent {
            id: id.into(),
            name: name.into(),
            arguments: Cow::Borrowed(input),
        };
        out.event("tool_use", &begins);
        let executing = ToolResultEvent {
            id: id.into(),
            name: name.into(),
            status: ToolProgress::Executing,
            arguments: Some(Cow::Borrowed(input)),
            result: None,
            result_json: None,
        };
        out.event("tool_result", &executing);
        self.calls.push(ToolRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            status: if kind == ToolCallKind::Client {
                ToolRecordStatus::Pending
            } else {
                ToolRecordStatus::Cancelled
            },
            arguments: input.clone(),
            result: None,
        });
    }

    fn result(&mut self, id: &str, output: &Value, ok: bool, out: &mut Out<'_>) {
        let text = output.to_string();
        let record = self.calls.iter_mut().find(|record| record.id == id);
        let name = record.as_ref().map_or("", |record| record.name.as_str());
        let ended = ToolResultEvent {
            id: id.into(),
            name: name.into(),
            status: if ok {
                ToolProgress::Success
            } else {
                ToolProgress::Error
            },
            arguments: None,
            result: Some(text.chars().take(SHOWN).collect()),
            result_json: (text.len() <= LARGEST_RESULT).then_some(Cow::Borrowed(output)),
        };
        out.event("tool_result", &ended);
        if let Some(record) = record {
            record.status = if ok {
                ToolRecordStatus::Success
            } else {
                ToolRecordStatus::Error
            };
            record.result = (text.len() <= LARGEST_REPEATED).then(|| output.clone());
        }
    }

    fn done(&mut self, error: Option<&str>, partial: bool, out: &mut Out<'_>) {
        let calls = std::mem::take(&mut self.calls);
        let done = DoneEvent {
            ok: error.is_none(),
            request_id: (&self.request_id).into(),
            history_saved: self.history_saved,
            thread_id: (&self.thread_id).into(),
            run_id: (&self.run_id).into(),
            tools_used: (!calls.is_empty()).then_some(calls),
            error: error.map(Cow::Borrowed),
            partial: partial.then_some(true),
            warnings: self.warned.take(),
        };
        out.event("done", &done);
    }
}

/// Why an answer is not all there.
fn cut_short(reason: FinishReason) -> Option<&'static str> {
    match reason {
        FinishReason::Stop | FinishReason::ToolCalls => None,
        FinishReason::Length => Some("The answer reached its limit and is not complete."),
        FinishReason::Incomplete => {
            Some("The language model stopped in the middle of the answer, so it is not complete.")
        }
        FinishReason::Cancelled => Some("The answer was stopped and is not complete."),
    }
}
