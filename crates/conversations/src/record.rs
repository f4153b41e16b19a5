//! How a run's events become the message that is stored.
//!
//! ```
//! use contracts::run::{Channel, FinishReason, RunEvent, Source};
//! use conversations::record::MessageBuilder;
//!
//! let mut builder = MessageBuilder::default();
//! for event in [
//!     RunEvent::TextStarted { id: "1".into(), channel: Channel::Final },
//!     RunEvent::TextDelta { id: "1".into(), delta: "Hello.".into() },
//!     RunEvent::Finished { reason: FinishReason::Stop, source: Source::Rules, usage: None },
//! ] {
//!     builder.apply(&event);
//! }
//! assert_eq!(builder.finish().message.map(|message| message.text).as_deref(), Some("Hello."));
//! ```

mod transcript;

use contracts::run::{Channel, FinishReason, RunEvent, Source, ToolCallKind, Usage};
use serde_json::{Value, json};

use crate::messages::{AnsweredCall, MessageStatus, NewMessage, ToolRecord, ToolStatus};
use crate::runs::{Finish, RunStatus};

pub use transcript::Transcript;

/// A pure fold of the events of one attempt.
#[derive(Debug, Clone, Default)]
pub struct MessageBuilder {
    blocks: Vec<Block>,
    tools: Vec<ToolRecord>,
    answered: Vec<AnsweredCall>,
    source: Option<Source>,
    end: Option<End>,
    transcript: Transcript,
    warnings: Vec<String>,
}

/// A block of the answer's text.
#[derive(Debug, Clone)]
struct Block {
    id: String,
    text: String,
}

/// How the run ended.
#[derive(Debug, Clone)]
enum End {
    Finished {
        reason: FinishReason,
        usage: Option<Usage>,
    },
    Failed {
        code: String,
        text: String,
        retryable: bool,
    },
}

impl MessageBuilder {
    /// The answer continues with the message of this call, which a person answered in its place.
    pub fn answers_in_place(&mut self, call_id: &str, output: Value, ok: bool) {
        let answer = RunEvent::ToolResult {
            id: call_id.to_owned(),
            output,
            ok,
        };
        self.transcript.note(&answer, &[]);
    }

    /// Takes the next event.
    pub fn apply(&mut self, event: &RunEvent) {
        self.transcript.note(event, &self.tools);
        match event {
            RunEvent::TextStarted {
                id,
                channel: Channel::Final,
            } => self.blocks.push(Block {
                id: id.clone(),
                text: String::new(),
            }),
            RunEvent::TextDelta { id, delta } => {
                // What is for another channel has no block here. The newest comes first, for deltas
                // follow their start.
                if let Some(block) = self.blocks.iter_mut().rfind(|block| block.id == *id) {
                    block.text.push_str(delta);
                }
            }
            RunEvent::ToolCall {
                id,
                name,
                input,
                kind,
            } => self.called(ToolRecord {
                id: id.clone(),
                name: name.clone(),
                arguments: input.clone(),
                status: match kind {
                    ToolCallKind::Server | ToolCallKind::Display => ToolStatus::Executing,
                    ToolCallKind::Client => ToolStatus::Pending,
                },
                result: None,
            }),
            RunEvent::ToolResult { id, output, ok } => {
                if let Some(record) = self.tools.iter_mut().find(|record| record.id == *id) {
                    record.status = if *ok {
                        ToolStatus::Success
                    } else {
                        ToolStatus::Error
                    };
                    record.result = Some(output.clone());
                }
            }
            RunEvent::ToolAnswered { id, output } => self.answered.push(AnsweredCall {
                id: id.clone(),
                result: output.clone(),
            }),
            RunEvent::Route { source, .. } => self.source = Some(*source),
            RunEvent::Warning { code, .. } => {
                if !self.warnings.contains(code) {
                    self.warnings.push(code.clone());
                }
            }
            RunEvent::Finished {
                reason,
                source,
                usage,
            } => {
                self.source = Some(*source);
                self.end = Some(End::Finished {
                    reason: *reason,
                    usage: *usage,
                });
            }
            RunEvent::Failed {
                code,
                text,
                retryable,
            } => {
                self.end = Some(End::Failed {
                    code: code.clone(),
                    text: text.clone(),
                    retryable: *retryable,
                });
            }
            RunEvent::Started { .. }
            | RunEvent::Status { .. }
            | RunEvent::StepStarted
            | RunEvent::StepFinished
            | RunEvent::TextStarted { .. }
            | RunEvent::TextFinished { .. }
            | RunEvent::StructuredData { .. }
            | RunEvent::Sources { .. }
            | RunEvent::Plan { .. } => {}
        }
    }

    /// A call has one record, also when it is announced twice.
    fn called(&mut self, record: ToolRecord) {
        match self.tools.iter_mut().find(|known| known.id == record.id) {
            Some(known) => *known = record,
            None => self.tools.push(record),
        }
    }

    /// What to store, as far as the events have come: without a terminal event, a run whose process
    /// died.
    ///
    /// The events that are not stored yet are for the caller to add.
    pub fn finish(self) -> Finish {
        let text = joined(&self.blocks);
        let said_nothing = text.is_empty() && self.tools.is_empty();
        let cut_short = if said_nothing {
            MessageStatus::Failed
        } else {
            MessageStatus::Partial
        };
        let (status, message_status, error, usage) = match self.end {
            Some(End::Finished { reason, usage }) => {
                let (status, message_status) = match reason {
                    FinishReason::Stop | FinishReason::ToolCalls => {
                        (RunStatus::Completed, MessageStatus::Complete)
                    }
                    FinishReason::Length | FinishReason::Incomplete => {
                        (RunStatus::Completed, MessageStatus::Partial)
                    }
                    FinishReason::Cancelled => (RunStatus::Cancelled, MessageStatus::Partial),
                };
                (status, message_status, None, usage)
            }
            Some(End::Failed {
                code,
                text,
                retryable,
            }) => {
                let error = json!({ "code": code, "text": text, "retryable": retryable });
                (RunStatus::Failed, cut_short, Some(error), None)
            }
            None => (RunStatus::Interrupted, cut_short, None, None),
        };
        Finish {
            status,
            message: Some(NewMessage {
                text,
                tools_used: self.tools.into_iter().map(closed).collect(),
                status: message_status,
                source: self.source,
                transcript: self.transcript,
                warnings: self.warnings,
            }),
            answered: self.answered,
            error,
            usage,
            events: None,
        }
    }
}

/// The blocks as they read: paragraphs of their own.
fn joined(blocks: &[Block]) -> String {
    let paragraphs: Vec<&str> = blocks
        .iter()
        .map(|block| block.text.trim_start_matches('\n').trim_end())
        .filter(|text| !text.is_empty())
        .collect();
    paragraphs.join("\n\n")
}

/// Nothing executes any more once the run has ended.
fn closed(record: ToolRecord) -> ToolRecord {
    match record.status {
        ToolStatus::Executing => ToolRecord {
            status: ToolStatus::Cancelled,
            ..record
        },
        _ => record,
    }
}

#[cfg(test)]
mod tests;
