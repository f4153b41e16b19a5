//! A run that is begun again after its process died: it goes on where its list stands, and does nothing twice.

use contracts::todo::{EntryStatus, TaskStatus};
use graph::Command;

use super::{CERTAIN, kind_of, routed, standing};
use crate::{
    scene::Scene,
    state::{AnalystState, Ending, Next, OpenQuestion},
};

/// What this run had done before.
pub(super) enum Begun {
    /// Its list is to be worked on.
    Works,
    /// Its list waits for the person.
    Asked(OpenQuestion),
    /// Its list stands at a task that failed.
    Failed(String),
    /// Its list is complete.
    Complete(String),
}

/// What this run had done before; nothing when it is begun for the first time.
pub(super) fn look(scene: &Scene) -> Option<(String, Begun)> {
    let run_id = &scene.turn.run_id;
    let work = &scene.state.work;
    let last = work
        .entries
        .iter()
        .rev()
        .find(|entry| entry.run_id == *run_id);
    let list = work.list.as_ref().filter(|list| {
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
pub(super) async fn go_on(
    mut scene: Scene,
    (flow, begun): (String, Begun),
) -> Command<AnalystState> {
    routed(&mut scene, &flow, CERTAIN).await;
    if let Some(list) = scene.state.work.list.clone() {
        scene.show_plan(&list).await;
    }
    match begun {
        Begun::Works => scene.then(Next::Execute),
        Begun::Asked(question) => {
            scene.state.work.question = Some(question);
            scene.then(Next::Ask)
        }
        Begun::Failed(message) => scene.ends(Ending::TaskFailed(message)),
        Begun::Complete(text) => scene.ends(Ending::Answered(text)),
    }
}
