//! The laws of a run's events.

use std::collections::{BTreeMap, BTreeSet};

use contracts::run::{FinishReason, RunEvent, ToolCallKind};

/// Checks the events of one run, from its first to its last, and lists every breach.
///
/// * `Started` comes first and once; exactly one of `Finished` and `Failed` comes, and last.
/// * `Route` comes at most once, before the first step, and always when the run finishes on its
///   own.
/// * Steps do not nest; texts, calls and results stand within a step, which closes what it opens.
/// * A text block begins, has at least one delta, none of them empty, and ends before anything else
///   happens. Ids are unique.
/// * A call of this run has exactly one result, after it and in the same step; a call that a person
///   answers has none, and there is at most one. No result comes for a call of another run.
/// * A run that was stopped says so in a warning and in its reason; what it had opened is closed.
/// * A run that finishes for a person to choose ends with a step that holds the open call. Any
///   other run that made calls ends with a step that holds text and no call: clients repeat a
///   conversation by themselves that ends with finished calls.
pub fn check_laws(events: &[RunEvent]) -> Result<(), Vec<String>> {
    let mut laws = Laws::default();
    for (index, event) in events.iter().enumerate() {
        laws.index = index;
        laws.see(event);
    }
    laws.end(events.last());
    if laws.breaches.is_empty() {
        Ok(())
    } else {
        Err(laws.breaches)
    }
}

#[derive(Default)]
struct Laws {
    breaches: Vec<String>,
    index: usize,
    terminal: bool,
    stopped: bool,
    routed: bool,
    step: Option<Step>,
    last_step: Option<Step>,
    text: Option<(String, bool)>,
    ids: BTreeSet<String>,
    /// Each call: who answers it, and how often it was answered.
    calls: BTreeMap<String, (ToolCallKind, u32)>,
}

#[derive(Default, Clone)]
struct Step {
    text: bool,
    calls: Vec<String>,
}

impl Laws {
    fn breach(&mut self, what: &str) {
        self.breaches.push(format!("event {}: {what}", self.index));
    }

    fn demand(&mut self, holds: bool, what: &str) {
        if !holds {
            self.breach(what);
        }
    }

    fn new_id(&mut self, id: &str) {
        let fresh = self.ids.insert(id.to_owned());
        self.demand(fresh, &format!("the id {id} is used again"));
    }

    fn see(&mut self, event: &RunEvent) {
        self.demand(!self.terminal, "something follows the last event");
        self.demand(
            (self.index == 0) == matches!(event, RunEvent::Started { .. }),
            "`started` is the first event, and only that",
        );
        if !matches!(
            event,
            RunEvent::TextDelta { .. }
                | RunEvent::TextFinished { .. }
                | RunEvent::Status { .. }
                | RunEvent::Warning { .. }
        ) {
            self.demand(self.text.is_none(), "a text block is open");
        }
        match event {
            // An answer belongs to a call of an earlier run.
            RunEvent::Started { .. }
            | RunEvent::Status { .. }
            | RunEvent::Plan { .. }
            | RunEvent::ToolAnswered { .. } => {}
            RunEvent::Warning { code, .. } => self.stopped |= code == "cancelled",
            RunEvent::Route { .. } => {
                self.demand(
                    !self.routed && self.step.is_none() && self.last_step.is_none(),
                    "a second route, or one after the first step",
                );
                self.routed = true;
            }
            RunEvent::StepStarted => {
                self.demand(self.step.is_none(), "a step within a step");
                self.step = Some(Step::default());
            }
            RunEvent::StepFinished => self.end_step(),
            RunEvent::TextStarted { id, .. } => {
                self.new_id(id);
                self.in_step("a text");
                if let Some(step) = &mut self.step {
                    step.text = true;
                }
                self.text = Some((id.clone(), false));
            }
            RunEvent::StructuredData { .. } => self.in_step("structured data"),
            RunEvent::Sources { .. } => self.in_step("sources"),
            RunEvent::TextDelta { id, delta } => self.text_delta(id, delta),
            RunEvent::TextFinished { id } => {
                let complete = self
                    .text
                    .take()
                    .is_some_and(|(open, written)| open == *id && (written || self.stopped));
                self.demand(
                    complete,
                    "the end of a text that is not open, or that has no words",
                );
            }
            RunEvent::ToolCall { id, kind, .. } => self.tool_call(id, *kind),
            RunEvent::ToolResult { id, .. } => self.tool_result(id),
            RunEvent::Finished { .. } | RunEvent::Failed { .. } => {
                self.demand(self.step.is_none(), "a step is open at the end");
                self.terminal = true;
            }
        }
    }

    fn in_step(&mut self, what: &str) {
        self.demand(self.step.is_some(), &format!("{what} outside of a step"));
    }

    fn text_delta(&mut self, id: &str, delta: &str) {
        self.demand(!delta.is_empty(), "an empty delta");
        let open = self
            .text
            .as_mut()
            .filter(|(open, _)| open == id)
            .map(|(_, written)| *written = true)
            .is_some();
        self.demand(open, "a delta of a text that is not open");
    }

    fn tool_call(&mut self, id: &str, kind: ToolCallKind) {
        self.new_id(id);
        self.in_step("a call");
        let second = kind == ToolCallKind::Client
            && self
                .calls
                .values()
                .any(|(other, _)| *other == ToolCallKind::Client);
        self.demand(!second, "a second picker");
        self.calls.insert(id.to_owned(), (kind, 0));
        if let Some(step) = &mut self.step {
            step.calls.push(id.to_owned());
        }
    }

    fn tool_result(&mut self, id: &str) {
        self.in_step("a result");
        let here = self
            .step
            .as_ref()
            .is_some_and(|step| step.calls.iter().any(|call| call == id));
        let fit = here
            && self.calls.get_mut(id).is_some_and(|(kind, answers)| {
                *answers += 1;
                *kind != ToolCallKind::Client && *answers == 1
            });
        self.demand(fit, &format!("a result of {id}, which waits for none"));
    }

    fn end_step(&mut self) {
        let Some(step) = self.step.take() else {
            return self.breach("the end of a step that is not open");
        };
        for call in &step.calls {
            let open = self
                .calls
                .get(call)
                .is_some_and(|(kind, answers)| *kind != ToolCallKind::Client && *answers == 0);
            self.demand(
                !open,
                &format!("the step ends without the result of {call}"),
            );
        }
        self.last_step = Some(step);
    }

    fn end(&mut self, last: Option<&RunEvent>) {
        self.demand(self.terminal, "there is no last event");
        let asked = self
            .calls
            .iter()
            .find(|(_, (kind, _))| *kind == ToolCallKind::Client)
            .map(|(id, _)| id.clone());
        let Some(RunEvent::Finished { reason, .. }) = last else {
            return;
        };
        self.demand(
            (*reason == FinishReason::Cancelled) == self.stopped,
            "the finish reason does not fit the warning that the run was stopped",
        );
        if self.stopped {
            return;
        }
        self.demand(
            (*reason == FinishReason::ToolCalls) == asked.is_some(),
            "the finish reason does not fit the picker",
        );
        self.demand(self.routed, "there is no route");
        let step = self.last_step.clone().unwrap_or_default();
        match asked {
            Some(picker) => self.demand(
                step.calls == [picker],
                "the picker is not alone in the last step",
            ),
            None => self.demand(
                step.text && step.calls.is_empty(),
                "the last step is not just text",
            ),
        }
    }
}
