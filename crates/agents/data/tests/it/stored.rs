//! Threads stored by releases before the run context, to the letter, are continued.

use std::time::SystemTime;

use agent_data::Route;
use contracts::tools::sql::names;
use graph::{Checkpoint, earliest_id};
use serde_json::{Map, Value, json};

use crate::{chat::Chat, double::Double, several_targets::both};

/// The stored work on the question, with these differences from one that is over.
fn work(differences: &Value) -> Value {
    let mut work = json!({
        "question": "", "follow_up": false, "wants_approval": false, "task": "answer", "target": null, "target_about": null,
        "several_targets": false, "choices": [], "choice_call": "", "about_tables": null, "offers": null, "dialect": null,
        "tables": [], "bridges": [], "steps": [], "groups": [], "relationships": [], "sql": null, "origin": "model",
        "begun_at": null, "confirmed": null, "standalone": null, "trouble": null, "corrections": 0, "attempts": [],
        "empty_once": false, "empty_stands": false, "narrowed": false, "estimated_rows": null, "plan_call": "",
        "approved": false, "change": null, "iterations": 0, "reads": [], "made_anew": false, "ending": null,
    });
    for (name, value) in differences.as_object().unwrap() {
        work[name] = value.clone();
    }
    work
}

#[test]
fn the_question_is_stored_as_one_flat_object() {
    let mut expected = work(&json!({
        "held_by": null, "addressed": false, "named_several": false, "unasked": [],
        "contradicted": false,
    }));
    expected.as_object_mut().unwrap().remove("offers");
    let stored = serde_json::to_value(agent_data::DataState::default()).unwrap();
    assert_eq!(stored["work"], expected);
}

fn checkpoint(state: &Value, node: Option<&str>, writes: Value) -> Checkpoint {
    Checkpoint {
        thread_id: "owner:thread".into(),
        id: earliest_id(SystemTime::now()),
        parent_id: None,
        step: 7,
        state: serde_json::to_vec(state).unwrap(),
        next: node.map_or(Vec::new(), |node| {
            serde_json::from_value(json!([{ "node": node }])).unwrap()
        }),
        writes: serde_json::from_value(writes).unwrap(),
        metadata: Map::from_iter([("run_id".to_owned(), json!("earlier"))]),
    }
}

fn waiting(node: &str, key: &str, payload: &Value) -> Value {
    let interrupt = json!({
        "id": format!("01a204ae-8a96-7498-99b4-9d04609c3334:0:{key}"), "node": node, "key": key, "payload": payload,
    });
    json!([{ "task": 0, "record": { "status": "waiting", "interrupt": interrupt } }])
}

const QUERY: &str = "SELECT COUNT(*) AS n FROM employee WHERE status = 'active'";

fn waiting_plan() -> Checkpoint {
    let question = "How many employees are active?";
    let state = json!({
        "queries": [], "route": "sql", "confirmable": false, "remembered": null, "offered": null,
        "work": work(&json!({
            "question": question, "target": "fieldservice", "target_about": "Jobs and customers", "dialect": "mysql",
            "tables": ["employee"], "sql": QUERY, "begun_at": "2026-11-21T08:30:00Z", "plan_call": "call_run1_1",
            "iterations": 2, "reads": ["employee"],
        })),
    });
    let plan = json!({
        "call_id": "call_run1_1", "question": question, "sql": QUERY, "target": "fieldservice", "tables": ["employee"],
        "plan": [], "max_rows": 100, "asks_for_change": false,
    });
    checkpoint(&state, Some("approve"), waiting("approve", "plan", &plan))
}

#[tokio::test]
async fn a_stored_plan_runs_when_it_is_approved() {
    let mut chat = Chat::stored(Double::new(), waiting_plan()).await;
    assert_eq!(chat.thread().await.pending.unwrap().sql, QUERY);
    let resumed = chat.say("Selected: run").await;
    assert_eq!(
        resumed.answered(),
        [("call_run1_1", &json!({ "selection": "run" }))]
    );
    let ran = chat.tools.calls_of(names::RUN_SQL);
    assert_eq!(ran[0]["sql"], QUERY);
    let thread = chat.thread().await;
    assert!(thread.pending.is_none());
    let query = &thread.state.queries[0];
    assert_eq!(query.sql, QUERY);
    // When it was written, not when it ran.
    let written = query.written_at.map(|at| at.to_rfc3339());
    assert_eq!(written.as_deref(), Some("2026-11-21T08:30:00+00:00"));
}

#[tokio::test]
async fn a_stored_plan_that_is_to_change_is_made_anew_from_what_is_looked_up() {
    let mut chat = Chat::stored(Double::new(), waiting_plan()).await;
    chat.say("Selected: change").await;
    let turn = chat.say("only those hired in 2026").await;
    // Without a model the rules say so; what they can answer they have looked up again.
    assert!(
        !chat.tools.calls_of(names::LIST_TABLES).is_empty(),
        "{}",
        turn.text()
    );
    assert!(turn.text().contains("language model"), "{}", turn.text());
}

#[tokio::test]
async fn a_stored_question_for_the_target_is_answered() {
    let question = "How many crews are there?";
    let targets = json!([
        { "name": "fieldservice", "about": "Jobs and customers" },
        { "name": "warehouse", "about": "Stock, parts and suppliers" },
    ]);
    let state = json!({
        "queries": [], "route": "sql", "confirmable": false, "remembered": null, "offered": null,
        "work": work(&json!({
            "question": question, "target": "fieldservice", "target_about": "Jobs and customers", "several_targets": true,
            "choices": targets, "choice_call": "call_run1_1", "dialect": "mysql", "begun_at": "2026-11-21T08:30:00Z",
        })),
    });
    let choice = json!({ "call_id": "call_run1_1", "question": question, "targets": targets });
    let stored = checkpoint(
        &state,
        Some("choose_target"),
        waiting("choose_target", "target", &choice),
    );
    let mut chat = Chat::stored(both(), stored).await;
    assert_eq!(chat.thread().await.choice.unwrap().targets.len(), 2);
    let answered = chat.say("the one with the suppliers").await;
    assert_eq!(
        answered.answered(),
        [("call_run1_1", &json!({ "selection": "warehouse" }))]
    );
    let thread = chat.thread().await;
    assert!(thread.choice.is_none());
    assert_eq!(thread.state.queries[0].target, "warehouse");
}

#[tokio::test]
async fn a_stored_answer_is_remembered_and_stored_in_the_same_form() {
    let state = json!({
        "queries": [{
            "question": "How many crews are there?", "sql": "SELECT COUNT(*) AS `count` FROM `crew`", "tables": ["employee"],
            "columns": ["active_technicians"], "target": "warehouse", "rows": 1, "written_at": "2026-11-21T08:30:00Z",
            "confirmed": null, "pasted": false,
        }],
        "route": "sql", "confirmable": true, "remembered": null, "offered": null, "work": work(&json!({})),
    });
    let stored = checkpoint(&state, None, json!([]));
    let mut chat = Chat::stored(Double::new(), stored).await;
    let thread = chat.thread().await.state;
    assert_eq!(thread.route, Some(Route::Sql));
    assert_eq!(thread.queries[0].target, "warehouse");
    assert!(thread.confirmable);
    chat.say("thank you").await;
    let kept = chat.kept().await;
    assert_eq!(kept["queries"], state["queries"]);
    for (name, value) in state["work"].as_object().unwrap() {
        assert_eq!(&kept["work"][name], value, "{name}");
    }
    for looked_up in ["candidates", "past", "schemas", "shape", "result"] {
        assert!(kept["work"].get(looked_up).is_none(), "{looked_up}");
    }
}
