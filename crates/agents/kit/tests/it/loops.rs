//! The model's loop of tool calls.

use agent_kit::{
    ToolLimits, ToolsError,
    testing::{Model, calls, results, says},
};
use llm::{FinishReason, Message, ToolChoice};
use serde_json::{Value, json};

use crate::clerk::{LIMITS, Shelf, answer};

fn device(id: &str) -> Value {
    json!({ "logger_id": id, "date": "2025-11-29" })
}

#[tokio::test]
async fn an_answer_may_name_the_figures_that_calls_brought() {
    let model = Model::new([
        calls("a", "get_power_curve", device("A")),
        says("It made 42 kWh. It made 43 kWh."),
    ]);
    let tools = Shelf::with([]);
    let said = answer(LIMITS, &model, &tools).await;
    assert_eq!(said, "It made 42 kWh. It made\u{2026}");
    assert_eq!(tools.called(), ["get_power_curve"]);
}

#[tokio::test]
async fn every_call_is_answered_also_those_that_are_not_made() {
    let model = Model::new([
        calls("a", "get_power_curve", device("A"))
            .and("b", "get_power_curve", device("A"))
            .and("c", "drop_tables", json!({}))
            .and("d", "get_power_curve", json!({ "logger_id": "A" }))
            .and("e", "get_power_curve", device("B")),
        says("Done."),
    ]);
    let tools = Shelf::with([]);
    answer(LIMITS, &model, &tools).await;
    assert_eq!(tools.called(), ["get_power_curve"]);
    let requests = model.requests();
    let outputs = results(&requests[1]);
    let told: Vec<_> = outputs
        .iter()
        .map(|(id, output, is_error)| (*id, output["message"].as_str().unwrap_or(""), *is_error))
        .collect();
    assert_eq!((told[0].0, told[0].2), ("a", false));
    for ((id, message, is_error), (wanted, reason)) in told[1..].iter().zip([
        ("b", "stands in this step already"),
        ("c", "no tool of this name"),
        ("d", "date"),
        ("e", "only the first 4"),
    ]) {
        assert!(
            *id == wanted && message.contains(reason) && *is_error,
            "{told:?}"
        );
    }
}

#[tokio::test]
async fn a_call_that_brought_a_result_is_not_made_again_and_one_that_failed_is() {
    let model = Model::new([
        calls("a", "get_power_curve", device("A")),
        calls("a", "get_power_curve", device("A")),
        calls("b", "get_power_curve", device("A")),
        says("Done."),
    ]);
    let tools = Shelf::with([Err(ToolsError::TimedOut)]);
    answer(LIMITS, &model, &tools).await;
    assert_eq!(tools.called(), ["get_power_curve", "get_power_curve"]);
    let requests = model.requests();
    assert_eq!(results(&requests[3])[0].1, &json!({ "see": 2 }));
    let ids = requests[1..].iter().map(|request| results(request)[0].0);
    assert_eq!(
        ids.collect::<Vec<_>>(),
        ["a", "asked_r_2", "b"],
        "an id that was used before is replaced"
    );
}

#[tokio::test]
async fn calls_that_the_assistant_answers_itself_do_not_reach_the_service() {
    let model = Model::new([
        calls("a", "diagnose_error_codes", json!({})).and("b", "get_fleet_overview", json!({})),
        says("Done."),
    ]);
    let tools = Shelf::with([]);
    answer(LIMITS, &model, &tools).await;
    assert!(tools.called().is_empty());
    let requests = model.requests();
    let outputs = results(&requests[1]);
    assert_eq!(outputs[0].1, &json!({ "codes": "none" }));
    assert_eq!(outputs[1].1, &json!({ "status": "known" }));
}

#[tokio::test]
async fn a_tool_is_offered_as_long_as_the_assistant_says() {
    let model = Model::new([calls("a", "get_power_curve", device("A")), says("Done.")]);
    answer(LIMITS, &model, &Shelf::with([])).await;
    let offers = |request: &llm::ChatRequest| {
        let mut tools = request.tools.iter();
        tools.any(|tool| tool.name == "forecast_production")
    };
    let requests = model.requests();
    assert!(!offers(&requests[0]) && offers(&requests[1]));
}

#[tokio::test]
async fn the_last_question_allows_no_calls() {
    for limits in [
        ToolLimits {
            max_steps: 1,
            ..LIMITS
        },
        ToolLimits {
            max_calls: 1,
            ..LIMITS
        },
    ] {
        let model = Model::new([
            calls("a", "get_power_curve", device("A")),
            says("That is all."),
        ]);
        let said = answer(limits, &model, &Shelf::with([])).await;
        assert_eq!(said, "That is all.");
        let choices: Vec<_> = model
            .requests()
            .iter()
            .map(|request| request.tool_choice.clone())
            .collect();
        assert_eq!(choices, [ToolChoice::Auto, ToolChoice::None]);
    }
}

#[tokio::test]
async fn calls_of_an_answer_that_was_cut_off_are_not_made() {
    let cut = says("I look. Then").and("a", "get_power_curve", device("A"));
    let model = Model::new([cut.ends(FinishReason::Length)]);
    let tools = Shelf::with([]);
    answer(LIMITS, &model, &tools).await;
    assert!(tools.called().is_empty());
    let requests = model.requests();
    let asked = requests[0]
        .messages
        .iter()
        .filter(|message| matches!(message, Message::User { .. }));
    assert_eq!((requests.len(), asked.count()), (1, 1));
}
