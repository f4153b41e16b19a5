//! The open parts of a run: kept so that a run that is cut short is still well formed,
//! every call with its answer.

use serde_json::json;

use super::{RunEvent, ToolCallKind};

/// The open parts after the events so far. Code that ends a run early closes them.
#[derive(Debug, Default)]
pub struct Open {
    texts: Vec<String>,
    calls: Vec<String>,
    steps: usize,
}

impl Open {
    /// Takes the next event.
    pub fn note(&mut self, event: &RunEvent) {
        match event {
            RunEvent::StepStarted => self.steps += 1,
            RunEvent::StepFinished => self.steps = self.steps.saturating_sub(1),
            RunEvent::TextStarted { id, .. } => self.texts.push(id.clone()),
            RunEvent::TextFinished { id } => self.texts.retain(|open| open != id),
            // A call that a person answers stays open beyond the run.
            RunEvent::ToolCall { id, kind, .. } if *kind != ToolCallKind::Client => {
                self.calls.push(id.clone());
            }
            RunEvent::ToolResult { id, .. } => self.calls.retain(|open| open != id),
            _ => {}
        }
    }

    /// What closes it all, in an order that every dialect takes: texts, calls, steps. `why` is what
    /// calls are answered with.
    pub fn closing(&self, why: &str) -> Vec<RunEvent> {
        let texts = self
            .texts
            .iter()
            .map(|id| RunEvent::TextFinished { id: id.clone() });
        let calls = self.calls.iter().map(|id| RunEvent::ToolResult {
            id: id.clone(),
            output: json!({ "status": "error", "message": why }),
            ok: false,
        });
        let steps = (0..self.steps).map(|_| RunEvent::StepFinished);
        texts.chain(calls).chain(steps).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Channel;

    #[test]
    fn what_was_begun_is_ended_and_a_persons_choice_stays_open() {
        let call = |id: &str, kind| RunEvent::ToolCall {
            id: id.into(),
            name: "t".into(),
            input: json!({}),
            kind,
        };
        let mut open = Open::default();
        let said = [
            RunEvent::StepStarted,
            call("c1", ToolCallKind::Server),
            RunEvent::ToolResult {
                id: "c1".into(),
                output: json!({}),
                ok: true,
            },
            call("c2", ToolCallKind::Server),
            call("c3", ToolCallKind::Client),
            RunEvent::TextStarted {
                id: "t1".into(),
                channel: Channel::Final,
            },
        ];
        for event in &said {
            open.note(event);
        }
        let closing = open.closing("It ended.");
        assert!(matches!(&closing[0], RunEvent::TextFinished { id } if id == "t1"));
        assert!(matches!(&closing[1], RunEvent::ToolResult { id, ok: false, .. } if id == "c2"));
        assert_eq!(closing[2..], [RunEvent::StepFinished]);
        for event in &closing {
            open.note(event);
        }
        assert!(open.closing("It ended.").is_empty());
    }
}
