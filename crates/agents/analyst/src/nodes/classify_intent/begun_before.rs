//! A run that is begun again after its process died: it continues where its list stands, and does
//! nothing twice.

use contracts::todo::{EntryStatus, TaskStatus};
use graph::Command;

use super::{CERTAIN, kind_of, routed, standing};
use crate::{
    state::{AnalystState, Ending, Next, OpenQuestion},
    step::Step,
};

/// What this run had done before.
pub(super) enum Begun {
    /// Its list is to be worked on.
    Works,
    /// Its list waits for the person.
    Asked(OpenQuestion),
    /// Its list is at a task that failed.
    Failed(String),
    /// Its list is complete.
    Complete(String),
}

/// What this run had done before; nothing when it is begun for the first time.
pub(super) fn look(step: &Step) -> Option<(String, Begun)> {
    let run_id = &step.run().run_id;
    let work = &step.work;
    let last = work
        .recalled
        .entries
        .iter()
        .rev()
        .find(|entry| entry.run_id == *run_id);
    let list = work.plan.list.as_ref().filter(|list| {
        list.run_id == *run_id || last.is_some_and(|entry| entry.list_id == list.id)
    });
    let Some(list) = list else {
        let last = last?;
        let begun = match last.status {
            EntryStatus::Complete => Begun::Complete(last.agent_action.clone()),
            EntryStatus::Error | EntryStatus::ClarificationNeeded => {
                Begun::Failed(last.agent_action.clone())
            }
        };
        return Some((last.intent_detected.clone(), begun));
    };
    let flow = last.map_or_else(
        || kind_of(list).as_str().to_owned(),
        |entry| entry.intent_detected.clone(),
    );
    if let Some(question) = standing::question(list) {
        return Some((flow, Begun::Asked(question)));
    }
    let task = list
        .current_task_key
        .as_ref()
        .and_then(|key| list.tasks.get(key));
    let failed = task.is_some_and(|task| task.status == TaskStatus::Error);
    let begun = match last {
        Some(entry) if failed && entry.status == EntryStatus::Error => {
            Begun::Failed(entry.agent_action.clone())
        }
        _ => Begun::Works,
    };
    Some((flow, begun))
}

/// Goes on there.
pub(super) async fn go_on(mut step: Step, (flow, begun): (String, Begun)) -> Command<AnalystState> {
    routed(&mut step, &flow, CERTAIN).await;
    if let Some(list) = step.work.plan.list.clone() {
        step.show_plan(&list).await;
    }
    match begun {
        Begun::Works => step.then(Next::Execute),
        Begun::Asked(question) => {
            step.work.outcome.question = Some(question);
            step.then(Next::Ask)
        }
        Begun::Failed(message) => step.ends(Ending::TaskFailed(message)),
        Begun::Complete(text) => step.ends(Ending::Answered(text)),
    }
}
