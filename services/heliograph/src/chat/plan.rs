//! A plan as text: first the whole plan, then each task that changes.

use std::collections::HashMap;
use std::fmt::Write;

use contracts::todo::{Plan, PlanTask, TaskStatus, TodoListState};

/// The parts of an answer's plans that were shown.
#[derive(Default)]
pub(super) struct Plans {
    /// The last shown status of each task, by plan and task.
    shown: HashMap<String, HashMap<String, TaskStatus>>,
}

impl Plans {
    /// The changes of a plan as lines; empty if there are none.
    pub(super) fn draw(&mut self, plan: &Plan) -> String {
        let lines = match self.shown.get(&plan.id) {
            Some(before) => changes(plan, before),
            // A plan that was cancelled before it was shown is skipped.
            None if plan.state == TodoListState::Active => whole(plan),
            None => String::new(),
        };
        let statuses = plan.tasks.iter();
        let statuses = statuses.map(|task| (task.key.clone(), task.status));
        self.shown.insert(plan.id.clone(), statuses.collect());
        lines
    }
}

fn whole(plan: &Plan) -> String {
    let keys = plan.tasks.iter().map(|task| task.key.chars().count());
    let width = keys.max().unwrap_or_default();
    let mut lines = format!("Plan: {}\n", plan.request);
    for task in &plan.tasks {
        let mark = mark(task.status).unwrap_or('·');
        // Writing to a `String` does not fail.
        let _ = writeln!(lines, "  {mark} {:<width$}  {}", task.key, task.description);
    }
    lines
}

fn changes(plan: &Plan, before: &HashMap<String, TaskStatus>) -> String {
    let changed = |task: &&PlanTask| before.get(&task.key) != Some(&task.status);
    let mut lines = String::new();
    for task in plan.tasks.iter().filter(changed) {
        if let Some(mark) = mark(task.status) {
            // Writing to a `String` does not fail.
            let _ = writeln!(lines, "{mark} {}", task.key);
        }
    }
    lines
}

/// The mark of a task with a result.
fn mark(status: TaskStatus) -> Option<char> {
    match status {
        TaskStatus::Pending | TaskStatus::InProgress => None,
        TaskStatus::Complete => Some('✓'),
        TaskStatus::ClarificationNeeded => Some('?'),
        TaskStatus::Error => Some('✗'),
        TaskStatus::Cancelled => Some('-'),
    }
}

#[cfg(test)]
mod tests {
    use contracts::todo::QueryStrategy;

    use super::*;

    fn plan(id: &str, statuses: [TaskStatus; 2]) -> Plan {
        let task = |key: &str, status| PlanTask {
            key: key.into(),
            description: format!("About {key}"),
            tool: "tool".into(),
            status,
        };
        Plan {
            id: id.into(),
            state: TodoListState::Active,
            request: "Show it.".into(),
            query_strategy: QueryStrategy::Elasticsearch,
            strategy_reason: "Many records.".into(),
            current_task_key: Some("resolve".into()),
            tasks: vec![task("resolve", statuses[0]), task("map", statuses[1])],
        }
    }

    #[test]
    fn a_plan_is_shown_once_and_then_its_changes() {
        use TaskStatus::{ClarificationNeeded, Complete, Error, InProgress, Pending};
        let mut plans = Plans::default();
        let mut draw = |statuses| plans.draw(&plan("l1", statuses));
        assert_eq!(
            draw([Pending, Pending]),
            "Plan: Show it.\n  · resolve  About resolve\n  · map      About map\n"
        );
        assert_eq!(draw([InProgress, Pending]), "");
        assert_eq!(draw([ClarificationNeeded, Pending]), "? resolve\n");
        assert_eq!(draw([Complete, Pending]), "✓ resolve\n");
        assert_eq!(draw([Complete, InProgress]), "");
        assert_eq!(draw([Complete, Error]), "✗ map\n");
        assert_eq!(draw([Complete, Error]), "");
    }

    #[test]
    fn a_continued_plan_shows_its_progress() {
        use TaskStatus::{Complete, Pending};
        let mut plans = Plans::default();
        let begun = plans.draw(&plan("l1", [Complete, Pending]));
        assert!(begun.contains("✓ resolve"), "{begun}");
        let given_up = Plan {
            state: TodoListState::Superseded,
            ..plan("l0", [Complete, Pending])
        };
        assert_eq!(plans.draw(&given_up), "");
    }
}
