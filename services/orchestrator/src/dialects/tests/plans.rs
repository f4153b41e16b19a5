//! Plans in each dialect.

use contracts::todo::{Plan, PlanTask, QueryStrategy, TaskStatus, TodoListState};

use super::*;

/// A plan of two tasks, the first as given.
pub(super) fn plan(first: TaskStatus) -> RunEvent {
    let task = |key: &str, status| PlanTask {
        key: key.into(),
        description: format!("About {key}"),
        tool: "entity_resolution".into(),
        status,
    };
    RunEvent::Plan {
        plan: Plan {
            id: "plan_1".into(),
            state: TodoListState::Active,
            request: "Show all.".into(),
            query_strategy: QueryStrategy::Elasticsearch,
            strategy_reason: "Many records.".into(),
            current_task_key: Some("resolve_entities".into()),
            tasks: vec![
                task("resolve_entities", first),
                task("map_fields", TaskStatus::Pending),
            ],
        },
    }
}

#[test]
fn a_plan_is_told_whole_and_again_as_it_changes() {
    let events = [
        started(),
        plan(TaskStatus::Pending),
        plan(TaskStatus::Complete),
    ];
    let expected = json!({
        "id": "plan_1",
        "state": "active",
        "request": "Show all.",
        "query_strategy": "elasticsearch",
        "strategy_reason": "Many records.",
        "current_task_key": "resolve_entities",
        "tasks": [
            { "key": "resolve_entities", "description": "About resolve_entities", "tool": "entity_resolution", "status": "pending" },
            { "key": "map_fields", "description": "About map_fields", "tool": "entity_resolution", "status": "pending" },
        ],
    });
    let mut changed = expected.clone();
    changed["tasks"][0]["status"] = json!("complete");

    let ui = data(Dialect::UiMessages, &events);
    // A part of the same id takes the place of the one before.
    assert_eq!(
        ui[1..],
        [
            json!({ "type": "data-plan", "id": "plan_1", "data": expected }),
            json!({ "type": "data-plan", "id": "plan_1", "data": changed })
        ]
    );
    let agent = data(Dialect::AgentEvents, &events);
    assert_eq!(
        agent,
        [
            json!({ "event": "plan", "plan": expected }),
            json!({ "event": "plan", "plan": changed })
        ]
    );
    let named = read(&frames(Dialect::NamedEvents, &events));
    let named: Vec<_> = named
        .into_iter()
        .map(|(name, _, data)| (name, data))
        .collect();
    assert_eq!(
        named,
        [("plan".to_owned(), expected), ("plan".to_owned(), changed)]
    );
}
