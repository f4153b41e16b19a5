//! Threads that releases before the run context stored: they are read and continued, and what is
//! stored now has their form.

use std::{collections::BTreeSet, sync::Arc};

use agent_kit::Assistant;
use agent_site::SiteAssistant;
use contracts::tools::{ToolStatus, names};
use graph::{Checkpoint, Checkpointer, MemorySaver, NextTask};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

/// A device is asked for.
const ASKS: &str = include_str!("stored/asks.json");
/// Other days are asked for, because the call for a report had none.
const RECOVERY: &str = include_str!("stored/recovery.json");
/// A question about a word, after a briefing.
const LEANS: &str = include_str!("stored/leans.json");

/// The thread as it was stored, with the run cut off before a node that does not exist any more.
async fn thread(state: &str, tools: Arc<Double>) -> Chat {
    let store = Arc::new(MemorySaver::new());
    let checkpoint = Checkpoint {
        thread_id: "owner:thread".into(),
        id: Uuid::now_v7(),
        parent_id: None,
        step: 4,
        state: state.as_bytes().to_vec(),
        next: vec![NextTask {
            node: "health_check/analyze_health".into(),
            input: None,
        }],
        writes: Vec::new(),
        metadata: Map::from_iter([("run_id".to_owned(), json!("earlier"))]),
    };
    store.put(&checkpoint).await.unwrap();
    let mut chat = Chat::on(tools, store);
    // The ids of its calls come from the run `run1`.
    chat.begun();
    chat
}

fn keys(value: &Value) -> BTreeSet<&str> {
    let members = value.as_object().unwrap();
    members.keys().map(String::as_str).collect()
}

#[tokio::test]
async fn an_open_picker_of_an_earlier_release_is_answered() {
    for answer in ["Selected: GW-INV-001", "the first one"] {
        let mut chat = thread(ASKS, Double::new()).await;
        let turn = chat.say(answer).await;
        assert_eq!(turn.warnings(), [""; 0]);
        assert_eq!(turn.card()["props"]["loggerId"], "GW-INV-001");
        let asked = chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH);
        assert_eq!(asked[0]["end_date"], "2025-11-30");
    }
    let mut chat = thread(ASKS, Double::new()).await;
    let turn = chat.give("call_run1_4", json!("LTI-INV-001")).await;
    assert_eq!(turn.card()["props"]["loggerId"], "LTI-INV-001");
}

#[tokio::test]
async fn a_failed_call_that_an_earlier_release_remembered_is_tried_again() {
    let mut chat = thread(RECOVERY, Double::new()).await;
    let turn = chat.say("Selected: 2025-11-10:2025-11-12").await;
    assert_eq!(turn.warnings(), [""; 0]);
    assert_eq!(turn.card()["component"], "FinancialReport");
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS),
        [json!({
            "logger_id": "GW-INV-001",
            "start_date": "2025-11-10",
            "end_date": "2025-11-12",
            "electricity_rate": 0.3,
        })]
    );
    let nothing = Ending::Status(ToolStatus::NoDataInWindow, "Nothing.");
    let tools = Double::new().always(names::CALCULATE_FINANCIAL_SAVINGS, nothing);
    let mut chat = thread(RECOVERY, tools).await;
    for _ in 0..2 {
        chat.say("Selected: 2025-11-10:2025-11-12").await.picker();
    }
    // The attempt of the earlier release counts.
    let turn = chat.say("Selected: 2025-11-10:2025-11-12").await;
    assert!(chat.state().await.pending_selection.is_none());
    assert!(turn.text().contains("trouble"), "{}", turn.text());
}

#[tokio::test]
async fn a_message_leans_on_the_task_that_an_earlier_release_remembered() {
    let mut chat = thread(LEANS, Double::new()).await;
    let kept = chat.assistant().thread("owner:thread").await;
    let kept = kept.unwrap().unwrap();
    let remembered = SiteAssistant::remembered(&kept);
    assert_eq!(
        (&remembered.values["activeFlow"], remembered.asks),
        (&json!("free_chat"), false)
    );
    assert!(kept.state.flow_context.previous_fleet_status.is_some());
    let turn = chat.say("Morning briefing").await;
    assert_eq!(turn.card()["component"], "FleetOverview");
}

#[tokio::test]
async fn what_is_stored_has_the_form_that_earlier_releases_read() {
    for (stored, messages) in [
        (ASKS, &["Health check in November"][..]),
        (LEANS, &["Morning briefing", "what is a performance ratio?"]),
        (
            RECOVERY,
            &["Financial report for GW-INV-001 at 0.3 per kWh"],
        ),
    ] {
        let nothing = Ending::Status(ToolStatus::NoDataInWindow, "Nothing.");
        let tools = Double::new().once(names::CALCULATE_FINANCIAL_SAVINGS, nothing);
        let mut chat = Chat::new(tools);
        for message in messages {
            chat.say(message).await;
        }
        let now = serde_json::to_value(chat.state().await).unwrap();
        let mut before: Value = serde_json::from_str(stored).unwrap();
        // The run keeps the call that is tried again, so the thread does not.
        before["flow_context"]
            .as_object_mut()
            .unwrap()
            .remove("retry");
        for part in ["pending_selection", "flow_context"] {
            if before[part].is_object() {
                assert_eq!(keys(&now[part]), keys(&before[part]), "{part}");
            }
        }
        assert_eq!(keys(&now), keys(&before));
        for part in [
            "recovery_attempts",
            "active_flow",
            "flow_step",
            "flow_context",
        ] {
            assert_eq!(now[part], before[part], "{part}");
        }
        assert_eq!(
            now["pending_selection"]["retry"],
            before["pending_selection"]["retry"]
        );
        let kinds = |state: &Value| -> Vec<Value> {
            let records = state["messages"].as_array().unwrap();
            let kind = |record: &Value| {
                json!([
                    record["role"],
                    record["id"],
                    record["name"],
                    record["input"]
                ])
            };
            records.iter().map(kind).collect()
        };
        assert_eq!(kinds(&now), kinds(&before));
    }
}
