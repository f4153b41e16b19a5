//! Pickers: what they offer, and every way in which a person or a client answers them.

use contracts::{run::FinishReason, tools::names};
use serde_json::{Value, json};

use crate::{chat::Chat, double::Double};

fn values(picker: &Value) -> Vec<&str> {
    picker["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["value"].as_str().unwrap())
        .collect()
}

const ALL: [&str; 4] = ["GW-INV-001", "LTI-INV-001", "MEIER-INV-001", "SD-INV-001"];

#[tokio::test]
async fn a_missing_device_is_asked_for() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Health check").await;
    let (id, picker) = turn.picker();
    assert_eq!(turn.reason(), FinishReason::ToolCalls);
    assert_eq!(values(picker), ALL);
    assert_eq!(
        (&picker["selectionType"], &picker["inputType"]),
        (&json!("single"), &json!("dropdown"))
    );
    assert_eq!(picker["options"][0]["group"], "Inverters");
    assert!(
        picker["options"][0]["subtitle"]
            .as_str()
            .unwrap()
            .contains("December 2025")
    );
    assert!(!picker["prompt"].as_str().unwrap().is_empty());
    assert_eq!(
        chat.state().await.pending_selection.unwrap().tool_call_id,
        id
    );
}

#[tokio::test]
async fn every_form_of_a_text_answer_is_taken() {
    for answer in [
        "Selected: LTI-INV-001",
        "User selected: LTI-INV-001",
        "I selected: LTI-INV-001",
        "LTI-INV-001",
        "lti-inv-001",
        "the second one",
    ] {
        let mut chat = Chat::new(Double::new());
        let asked = chat.say("Health check").await;
        let (id, _) = asked.picker();
        let turn = chat.say(answer).await;
        assert_eq!(turn.flow(), "health_check", "{answer}");
        assert_eq!(turn.card()["props"]["loggerId"], "LTI-INV-001", "{answer}");
        assert_eq!(
            chat.result_of(&id).await,
            json!({ "selection": ["LTI-INV-001"], "selectedFor": "logger_id" }),
            "{answer}"
        );
        assert!(!turn.events.iter().any(|event| matches!(event, contracts::run::RunEvent::ToolResult { id: answered, .. } if *answered == id)));
    }
}

#[tokio::test]
async fn every_form_of_a_value_given_for_the_call_is_taken() {
    for output in [
        json!("LTI-INV-001"),
        json!(["LTI-INV-001"]),
        json!({ "selection": "LTI-INV-001" }),
        json!({ "selection": ["LTI-INV-001"], "selectedFor": "loggerId" }),
        json!({ "value": "LTI-INV-001" }),
    ] {
        let mut chat = Chat::new(Double::new());
        let asked = chat.say("Health check").await;
        let turn = chat.give(&asked.picker().0, output.clone()).await;
        assert_eq!(turn.card()["props"]["loggerId"], "LTI-INV-001", "{output}");
    }
}

#[tokio::test]
async fn several_devices_are_chosen_at_once() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Performance audit").await;
    let (_, picker) = asked.picker();
    assert_eq!(
        (
            &picker["selectionType"],
            &picker["minCount"],
            &picker["maxCount"]
        ),
        (&json!("multiple"), &json!(2), &json!(5))
    );
    let turn = chat.say("Selected: GW-INV-001, SD-INV-001").await;
    assert_eq!(
        turn.card()["props"]["loggerIds"],
        json!(["GW-INV-001", "SD-INV-001"])
    );
}

#[tokio::test]
async fn too_few_devices_are_asked_for_again_under_a_new_call() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Performance audit").await;
    let turn = chat.say("Selected: GW-INV-001").await;
    let (first, second) = (asked.picker(), turn.picker());
    assert_ne!(first.0, second.0);
    assert_eq!(values(first.1), values(second.1));
    assert!(chat.result_of(&first.0).await["error"].is_string());
    let turn = chat.say("Selected: GW-INV-001, SD-INV-001").await;
    assert_eq!(turn.card()["component"], "ComparisonChart");
}

#[tokio::test]
async fn a_value_that_was_not_offered_is_refused_and_asked_for_again() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Health check").await;
    for (n, output) in [json!("NOPE-999"), json!(17), json!({ "selection": [] })]
        .into_iter()
        .enumerate()
    {
        let open = chat.state().await.pending_selection.unwrap().tool_call_id;
        let turn = chat.give(&open, output).await;
        let (id, picker) = turn.picker();
        assert_ne!(id, open, "{n}");
        assert_eq!(values(picker), values(asked.picker().1), "{n}");
    }
    let turn = chat.say("Selected: NOPE-999").await;
    turn.picker();
    assert!(
        chat.tools
            .calls_of(names::ANALYZE_INVERTER_HEALTH)
            .is_empty()
    );
}

#[tokio::test]
async fn absurdly_long_messages_do_not_swell_the_thread() {
    let mut chat = Chat::new(Double::new());
    chat.say(&format!("Health check {}", "x".repeat(1_000_000)))
        .await;
    let asked = chat.say("Health check").await;
    let again = chat
        .give(&asked.picker().0, json!("y".repeat(1_000_000)))
        .await;
    chat.say(&format!("Selected: {}", "z".repeat(1_000_000)))
        .await;
    assert!(again.open_picker().is_some());
    let size = serde_json::to_vec(&chat.state().await).unwrap().len();
    assert!(size < 32 * 1024, "{size}");
}

#[tokio::test]
async fn an_answer_that_comes_twice_runs_once() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Health check").await;
    let (id, _) = asked.picker();
    chat.give(&id, json!("GW-INV-001")).await;
    chat.tools.calls();
    for turn in [
        chat.give(&id, json!("GW-INV-001")).await,
        chat.say("Selected: GW-INV-001").await,
    ] {
        assert_eq!(turn.reason(), FinishReason::Stop);
        assert!(turn.cards().is_empty());
        assert!(chat.tools.calls().is_empty());
    }
    assert_eq!(
        chat.result_of(&id).await["selection"],
        json!(["GW-INV-001"])
    );
}

#[tokio::test]
async fn an_answer_to_nothing_is_answered_kindly() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.give("call_of_nobody", json!("GW-INV-001")).await;
    assert!(turn.text().contains("no open question"));
    assert_eq!(turn.reason(), FinishReason::Stop);
}

#[tokio::test]
async fn a_late_answer_to_an_older_picker_leaves_the_open_one_open() {
    let mut chat = Chat::new(Double::new());
    let first = chat.say("Health check").await.picker().0;
    let second = chat.say("Performance audit").await.picker().0;
    let turn = chat.give(&first, json!("GW-INV-001")).await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert_eq!(
        chat.state().await.pending_selection.unwrap().tool_call_id,
        second
    );
    let turn = chat
        .give(&second, json!(["GW-INV-001", "SD-INV-001"]))
        .await;
    assert_eq!(turn.card()["component"], "ComparisonChart");
}

#[tokio::test]
async fn a_question_can_be_taken_back_and_its_answer_comes_too_late() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Health check").await;
    let turn = chat.say("never mind").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert_eq!(
        chat.result_of(&asked.picker().0).await["status"],
        "cancelled"
    );
    assert_eq!(chat.state().await.active_flow, None);
    chat.tools.calls();
    let turn = chat.say("Selected: GW-INV-001").await;
    assert!(turn.text().contains("no open question"));
    assert!(chat.tools.calls().is_empty());
}

#[tokio::test]
async fn an_ignored_picker_is_closed_by_the_next_task() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Health check").await;
    let turn = chat.say("Morning briefing").await;
    assert_eq!(turn.flow(), "morning_briefing");
    assert_eq!(turn.card()["component"], "FleetOverview");
    assert_eq!(
        chat.result_of(&asked.picker().0).await,
        json!({ "status": "not_answered" })
    );
    assert_eq!(chat.state().await.pending_selection, None);
}

#[tokio::test]
async fn an_unknown_device_is_said_to_be_unknown() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Check the health of NOPE-INV-999").await;
    assert!(
        turn.text().to_lowercase().contains("nope-inv-999"),
        "{}",
        turn.text()
    );
    assert_eq!(values(turn.picker().1), ALL);
    assert!(
        chat.tools
            .calls_of(names::ANALYZE_INVERTER_HEALTH)
            .is_empty()
    );
}

#[tokio::test]
async fn a_single_device_named_for_a_comparison_is_chosen_already() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Compare SD-INV-001").await;
    let (_, picker) = turn.picker();
    assert_eq!(picker["preSelectedValues"], json!(["SD-INV-001"]));
    assert_eq!(values(picker)[0], "SD-INV-001");
}

#[tokio::test]
async fn a_name_that_fits_several_devices_is_asked_about() {
    let loggers = ["GW-INV-001", "GW-INV-002", "SD-INV-001"].map(|id| {
        crate::double::logger(
            id,
            if id.starts_with("GW") {
                "goodwe"
            } else {
                "smartdog"
            },
        )
    });
    let mut chat = Chat::new(Double::with_loggers(loggers.to_vec()));
    let turn = chat.say("Check the health of the GoodWe").await;
    let (_, picker) = turn.picker();
    assert_eq!(values(picker)[..2], ["GW-INV-001", "GW-INV-002"]);
    assert_eq!(picker["preSelectedValues"], json!(["GW-INV-001"]));
    assert!(turn.text().contains("GW-INV-002"), "{}", turn.text());
}

#[tokio::test]
async fn the_days_asked_for_survive_the_choice_of_a_device() {
    let mut chat = Chat::new(Double::new());
    chat.say("Power curve yesterday").await.picker();
    let turn = chat.say("Selected: SD-INV-001").await;
    assert_eq!(
        chat.tools.calls_of(names::GET_POWER_CURVE),
        [json!({ "logger_id": "SD-INV-001", "date": "2025-12-04" })]
    );
    assert_eq!(turn.card()["component"], "DynamicChart");
}
