//! Threads stored by releases before the run context, to the letter, are continued.

use std::time::SystemTime;

use agent_analyst::QuestionAbout;
use contracts::run::FinishReason;
use graph::{Checkpoint, earliest_id};
use serde_json::{Map, Value, json};

use crate::{chat::Chat, double::Double};

fn state() -> Value {
    json!({
        "current_turn_id": 1, "user_input": "Show shipments of Anna",
        "intent": {
            "route": "new_request", "kind": "data_retrieval", "retrieval": "multi_entity", "confidence": 1.0,
            "todo_list_valid": false, "entities": {}, "aggregation_keywords": [], "time_range": null,
            "requires_clarification": ["entity:Anna"], "rewritten_question": "Retrieve shipments of Anna",
        },
        "resolution": { "unresolved": [], "resolved": {}, "ambiguous": [], "field_mappings": {} },
        "query": {
            "query_mode": "create_new", "query_type": null, "es_query": null, "graphql_query": null, "previous_query": null,
            "estimated_records": null, "validation_errors": [], "needs_approval": false, "user_approved": null,
        },
        "execution": { "record_count": null, "execution_time_ms": 0, "data_sources_used": [], "query_metadata": null },
        "current_phase": "clarification", "iteration_count": 1, "error": null, "agent_response": null, "answered_call": null,
    })
}

fn checkpoint(next: Value, writes: Value) -> Checkpoint {
    Checkpoint {
        thread_id: "owner:thread".into(),
        id: earliest_id(SystemTime::now()),
        parent_id: None,
        step: 6,
        state: serde_json::to_vec(&state()).unwrap(),
        next: serde_json::from_value(next).unwrap(),
        writes: serde_json::from_value(writes).unwrap(),
        metadata: Map::from_iter([("run_id".to_owned(), json!("earlier"))]),
    }
}

#[tokio::test]
async fn a_stored_question_is_open_and_the_next_message_goes_on_there() {
    let question = json!({
        "call_id": "call_plan_run1_1_resolve_entities_1", "question": "Which vessel?", "about": "clarification",
        "list_id": "plan_run1_1", "task_key": "resolve_entities",
        "parts": [{ "about": "entity:Anna", "mention": "Anna", "options": [] }],
    });
    let interrupt = json!({
        "id": "01a204c5-de31-70ab-bcd3-5cecddef42d5:0:question", "node": "ask_user", "key": "question", "payload": question,
    });
    let writes = json!([{ "task": 0, "record": { "status": "waiting", "interrupt": interrupt } }]);
    let stored = checkpoint(json!([{ "node": "ask_user" }]), writes);
    let mut chat = Chat::stored(Double::new(), stored).await;
    let thread = chat.thread().await;
    let open = thread.pending.unwrap();
    assert_eq!(
        (open.about, &*open.question),
        (QuestionAbout::Clarification, "Which vessel?")
    );
    assert_eq!(thread.state.current_turn_id, 1);
    // The list is the memory's, which this thread has lost: the message is read as a new one.
    let turn = chat.say("Show shipments to Miami last week").await;
    assert_eq!(turn.reason(), FinishReason::Stop, "{}", turn.text());
    assert!(chat.thread().await.pending.is_none());
}

#[tokio::test]
async fn a_thread_is_stored_in_the_same_form() {
    let mut chat = Chat::stored(Double::new(), checkpoint(json!([]), json!([]))).await;
    assert_eq!(
        chat.thread().await.state.intent.requires_clarification,
        ["entity:Anna"]
    );
    chat.say("Show shipments to Miami last week").await;
    let kept = chat.kept().await;
    let names = |value: &Value| -> Vec<String> {
        let members = value.as_object().unwrap();
        let mut names: Vec<_> = members.keys().cloned().collect();
        names.sort();
        names
    };
    assert_eq!(names(&kept), names(&state()));
    for context in ["intent", "resolution", "query", "execution"] {
        assert_eq!(names(&kept[context]), names(&state()[context]), "{context}");
    }
}
