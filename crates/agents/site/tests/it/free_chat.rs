//! Free chat without a model: one tool answers.

use contracts::tools::names;
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

#[tokio::test]
async fn a_power_curve_is_drawn_with_irradiance_and_units() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Power curve of GW-INV-001 on Nov 29").await;
    assert_eq!(turn.flow(), "free_chat");
    assert_eq!(
        chat.tools.calls_of(names::GET_POWER_CURVE),
        [json!({ "logger_id": "GW-INV-001", "date": "2025-11-29" })]
    );
    let props = &turn.card()["props"];
    assert_eq!(
        (&turn.card()["component"], &props["chartType"]),
        (&json!("DynamicChart"), &json!("composed"))
    );
    assert_eq!(
        (&props["yAxisLabel"], &props["yAxisRightLabel"]),
        (&json!("Power (W)"), &json!("Irradiance (W/m²)"))
    );
    assert_eq!(props["summaryStats"]["peakValue"], 4800.0);
    assert_eq!(props["data"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_power_curve_without_a_day_shows_the_newest() {
    let mut chat = Chat::new(Double::new());
    chat.say("Show the power curve of SD-INV-001").await;
    assert_eq!(
        chat.tools.calls_of(names::GET_POWER_CURVE)[0]["date"],
        "2025-12-04"
    );
}

#[tokio::test]
async fn a_power_curve_of_several_days_asks_which() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Power curve of GW-INV-001 last week").await;
    let (_, picker) = turn.picker();
    assert_eq!(picker["inputType"], "date");
    let last = picker["maxDate"].as_str().unwrap().to_owned();
    let turn = chat.say(&format!("Selected: {last}")).await;
    assert_eq!(
        chat.tools.calls_of(names::GET_POWER_CURVE),
        [json!({ "logger_id": "GW-INV-001", "date": last })]
    );
    assert_eq!(turn.card()["component"], "DynamicChart");
}

#[tokio::test]
async fn a_forecast_is_a_bar_chart_with_its_range() {
    let mut chat = Chat::new(Double::new());
    let turn = chat
        .say("Forecast for GW-INV-001 for the next 3 days")
        .await;
    assert_eq!(
        chat.tools.calls_of(names::FORECAST_PRODUCTION),
        [json!({ "logger_id": "GW-INV-001", "days_ahead": 3 })]
    );
    let props = &turn.card()["props"];
    assert_eq!(
        (&props["chartType"], &props["yAxisLabel"]),
        (&json!("bar"), &json!("Energy (kWh)"))
    );
    assert_eq!(
        props["data"][0],
        json!({ "date": "2025-12-05", "expectedKwh": 30.0, "rangeMin": 22.0, "rangeMax": 37.0 })
    );
}

#[tokio::test]
async fn a_forecast_for_too_long_says_so() {
    let mut chat = Chat::new(Double::new());
    let turn = chat
        .say("Forecast production of GW-INV-001 for the next 30 days")
        .await;
    assert_eq!(
        chat.tools.calls_of(names::FORECAST_PRODUCTION)[0]["days_ahead"],
        7
    );
    assert!(turn.text().contains("not 30"), "{}", turn.text());
}

#[tokio::test]
async fn a_forecast_for_all_devices_leaves_out_who_has_none_and_says_so() {
    let tools = Double::new().always_for(
        names::FORECAST_PRODUCTION,
        "SD-INV-001",
        Ending::Fails(agent_kit::ToolsError::Failed),
    );
    let mut chat = Chat::new(tools);
    let turn = chat.say("Forecast for all inverters for tomorrow").await;
    assert_eq!(chat.tools.calls_of(names::FORECAST_PRODUCTION).len(), 4);
    assert_eq!(turn.cards().len(), 3);
    assert!(
        turn.text()
            .contains("could not get the figures of SD-INV-001"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn more_devices_than_one_answer_covers_are_counted() {
    let loggers = (1..=15)
        .map(|number| crate::double::logger(&format!("INV-{number:03}"), "goodwe"))
        .collect();
    let mut chat = Chat::new(Double::with_loggers(loggers));
    let turn = chat.say("Forecast for all inverters for tomorrow").await;
    assert_eq!(chat.tools.calls_of(names::FORECAST_PRODUCTION).len(), 12);
    assert_eq!(turn.cards().len(), 5);
    assert!(turn.text().contains("first 12 of 15"), "{}", turn.text());
}

#[tokio::test]
async fn error_codes_are_explained() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Which error codes does LTI-INV-001 report?").await;
    assert_eq!(
        chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES),
        [json!({ "logger_id": "LTI-INV-001", "days": 7 })]
    );
    assert!(turn.text().contains("E-501"), "{}", turn.text());
}

#[tokio::test]
async fn the_devices_are_listed() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Which loggers do you know?").await;
    let text = turn.text();
    assert!(
        text.contains("GW-INV-001") && text.contains("SD-INV-001"),
        "{text}"
    );
}

#[tokio::test]
async fn the_service_itself_can_be_asked_about() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Is the database up?").await;
    assert_eq!(chat.tools.calls_of(names::HEALTH_CHECK).len(), 1);
    assert!(!turn.text().is_empty());
}

#[tokio::test]
async fn what_nobody_understands_gets_help_and_calls_nothing() {
    for message in [
        "What can you do?",
        "Tell me a joke about penguins",
        "?!",
        "\u{0}\u{1F600}",
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(message).await;
        assert_eq!(turn.flow(), "free_chat", "{message}");
        assert!(
            turn.text().contains("Morning briefing"),
            "{message}: {}",
            turn.text()
        );
        assert!(chat.tools.calls().is_empty(), "{message}");
    }
}
