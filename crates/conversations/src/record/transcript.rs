//! An answer as it was streamed, kept with its message: the events of its run, except transient
//! ones and those that are stored elsewhere.

use contracts::run::{Channel, RunEvent, ToolCallKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::messages::{Message, ToolRecord, ToolStatus};

/// The events of an answer in their order. Each text is one delta, hints are left out, and so are
/// texts that are none of the answer. What the message's `tools_used` has of a call, its input and
/// its output, is null here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Transcript(Vec<RunEvent>);

impl Transcript {
    /// Takes the next event.
    pub(super) fn note(&mut self, event: &RunEvent, calls: &[ToolRecord]) {
        match event {
            RunEvent::Status { .. } | RunEvent::ToolAnswered { .. } => {}
            RunEvent::TextStarted { channel, .. } if *channel != Channel::Final => {}
            RunEvent::TextDelta { id, delta } => self.say(id, delta),
            RunEvent::TextFinished { id } if !self.has_text(id) => {}
            RunEvent::Plan { plan } => {
                let same = |kept: &RunEvent| matches!(kept, RunEvent::Plan { plan: old } if old.id == plan.id);
                self.replace_or_push(same, event);
            }
            RunEvent::Route { .. } => {
                self.replace_or_push(|kept| matches!(kept, RunEvent::Route { .. }), event);
            }
            RunEvent::ToolCall { id, name, kind, .. } => self.0.push(RunEvent::ToolCall {
                id: id.clone(),
                name: name.clone(),
                input: Value::Null,
                kind: *kind,
            }),
            RunEvent::ToolResult { id, ok, .. } if calls.iter().any(|call| call.id == *id) => {
                self.0.push(RunEvent::ToolResult {
                    id: id.clone(),
                    output: Value::Null,
                    ok: *ok,
                });
            }
            _ => self.0.push(event.clone()),
        }
    }

    fn say(&mut self, id: &str, delta: &str) {
        if let Some(RunEvent::TextDelta {
            id: last,
            delta: said,
        }) = self.0.last_mut()
            && last == id
        {
            said.push_str(delta);
        } else if self.has_text(id) {
            self.0.push(RunEvent::TextDelta {
                id: id.to_owned(),
                delta: delta.to_owned(),
            });
        }
    }

    fn has_text(&self, id: &str) -> bool {
        let begins = |event: &RunEvent| matches!(event, RunEvent::TextStarted { id: begun, .. } if begun == id);
        self.0.iter().rev().any(begins)
    }

    fn replace_or_push(&mut self, same: impl Fn(&RunEvent) -> bool, event: &RunEvent) {
        match self.0.iter_mut().find(|kept| same(kept)) {
            Some(kept) => *kept = event.clone(),
            None => self.0.push(event.clone()),
        }
    }

    /// Whether the answer began with a person's choice in an earlier message, whose part it
    /// therefore is.
    pub fn begins_with_a_choice(&self) -> bool {
        matches!(self.0.first(), Some(RunEvent::ToolResult { .. }))
    }

    /// The events again, whole, with what `calls` has of them.
    pub fn events(&self, calls: &[ToolRecord]) -> Vec<RunEvent> {
        self.0.iter().map(|event| whole(event, calls)).collect()
    }

    /// What can be known of an answer that was stored without a transcript: its calls, then its
    /// words.
    pub fn of_stored(message: &Message) -> Self {
        let mut events = Vec::new();
        for call in &message.tools_used {
            let kind = match call.status {
                ToolStatus::Pending | ToolStatus::Answered => ToolCallKind::Client,
                _ => ToolCallKind::Server,
            };
            let asks = kind == ToolCallKind::Client;
            if asks {
                events.extend(text(message));
            }
            events.push(RunEvent::StepStarted);
            events.push(RunEvent::ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                input: Value::Null,
                kind,
            });
            if !asks {
                events.push(RunEvent::ToolResult {
                    id: call.id.clone(),
                    output: Value::Null,
                    ok: call.status == ToolStatus::Success,
                });
            }
            events.push(RunEvent::StepFinished);
        }
        if !message.tools_used.iter().any(is_choice) {
            events.extend(text(message));
        }
        Self(events)
    }
}

fn is_choice(call: &ToolRecord) -> bool {
    matches!(call.status, ToolStatus::Pending | ToolStatus::Answered)
}

/// The words of an answer as one text in a step of its own.
fn text(message: &Message) -> Vec<RunEvent> {
    if message.text.is_empty() {
        return Vec::new();
    }
    let id = format!("text_{}", message.seq);
    vec![
        RunEvent::StepStarted,
        RunEvent::TextStarted {
            id: id.clone(),
            channel: Channel::Final,
        },
        RunEvent::TextDelta {
            id: id.clone(),
            delta: message.text.clone(),
        },
        RunEvent::TextFinished { id },
        RunEvent::StepFinished,
    ]
}

fn whole(event: &RunEvent, calls: &[ToolRecord]) -> RunEvent {
    let record = |id: &str| calls.iter().find(|call| call.id == id);
    match event {
        RunEvent::ToolCall { id, name, kind, .. } => RunEvent::ToolCall {
            id: id.clone(),
            name: name.clone(),
            input: record(id).map_or(Value::Null, |call| call.arguments.clone()),
            kind: *kind,
        },
        RunEvent::ToolResult { id, ok, output } => RunEvent::ToolResult {
            id: id.clone(),
            output: match record(id) {
                Some(call) => call.result.clone().unwrap_or_default(),
                None => output.clone(),
            },
            ok: *ok,
        },
        event => event.clone(),
    }
}

#[cfg(test)]
mod tests {
    use contracts::run::{FinishReason, Source};
    use serde_json::json;

    use super::super::MessageBuilder;
    use super::*;

    #[test]
    fn an_answer_is_kept_in_its_order_with_nothing_twice() {
        let said = |id: &str, delta: &str| RunEvent::TextDelta {
            id: id.into(),
            delta: delta.into(),
        };
        let starts = |id: &str, channel| RunEvent::TextStarted {
            id: id.into(),
            channel,
        };
        let ends = |id: &str| RunEvent::TextFinished { id: id.into() };
        let call = |input| RunEvent::ToolCall {
            id: "c".into(),
            name: "t".into(),
            input,
            kind: ToolCallKind::Server,
        };
        let result = |output| RunEvent::ToolResult {
            id: "c".into(),
            output,
            ok: true,
        };
        let warning = RunEvent::Warning {
            code: "w".into(),
            text: "Mind this.".into(),
        };
        let finished = RunEvent::Finished {
            reason: FinishReason::Stop,
            source: Source::Rules,
            usage: None,
        };
        let mut builder = MessageBuilder::default();
        for event in [
            RunEvent::StepStarted,
            RunEvent::Status { text: "…".into() },
            call(json!({ "a": 1 })),
            starts("i", Channel::SqlAgent),
            said("i", "SELECT"),
            ends("i"),
            result(json!({ "b": 2 })),
            RunEvent::StepFinished,
            starts("t", Channel::Final),
            said("t", "One "),
            said("t", "two "),
            warning.clone(),
            said("t", "three."),
            ends("t"),
            finished.clone(),
        ] {
            builder.apply(&event);
        }
        let message = builder.finish().message.unwrap();
        let stored: Transcript =
            serde_json::from_value(serde_json::to_value(&message.transcript).unwrap()).unwrap();
        assert_eq!(stored, message.transcript);
        assert_eq!(stored.0[1], call(Value::Null), "tools_used has the input");
        assert_eq!(
            stored.events(&message.tools_used),
            [
                RunEvent::StepStarted,
                call(json!({ "a": 1 })),
                result(json!({ "b": 2 })),
                RunEvent::StepFinished,
                starts("t", Channel::Final),
                said("t", "One two "),
                warning,
                said("t", "three."),
                ends("t"),
                finished,
            ]
        );
    }
}
