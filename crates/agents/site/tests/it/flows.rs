//! Each workflow when all goes well, and when parts of it do not.

use contracts::{
    run::{FinishReason, RunEvent, ToolCallKind},
    tools::{ToolStatus, names},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

#[tokio::test]
async fn a_greeting_tells_how_the_fleet_is() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Hello!").await;
    assert_eq!(turn.flow(), "greeting");
    assert!(!turn.text().is_empty());
    assert!(turn.cards().is_empty());
}

#[tokio::test]
async fn a_greeting_survives_a_fleet_that_can_not_be_asked() {
    for ending in [
        Ending::Fails(agent_kit::ToolsError::Unavailable),
        Ending::Status(ToolStatus::NoData, "none"),
    ] {
        let mut chat = Chat::new(Double::new().once(names::GET_FLEET_OVERVIEW, ending));
        let turn = chat.say("good morning").await;
        assert_eq!(turn.flow(), "greeting");
        assert!(!turn.text().is_empty());
    }
}

#[tokio::test]
async fn a_greeting_does_not_wait_for_ever() {
    let mut chat = Chat::new(Double::new().always(names::GET_FLEET_OVERVIEW, Ending::Hangs));
    let turn = chat.say("hi").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
}

#[tokio::test]
async fn a_briefing_of_a_fleet_in_order_diagnoses_nothing() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Morning briefing").await;
    assert_eq!(turn.flow(), "morning_briefing");
    assert_eq!(turn.card()["component"], "FleetOverview");
    assert_eq!(turn.card()["props"]["percentOnline"], 100.0);
    assert_eq!(turn.card()["props"]["alerts"], json!([]));
    let called: Vec<_> = chat
        .tools
        .calls()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    // The devices say which offers they can answer.
    assert_eq!(called, [names::GET_FLEET_OVERVIEW, names::LIST_LOGGERS]);
}

#[tokio::test]
async fn a_briefing_diagnoses_at_most_three_offline_devices() {
    let down = ["GW-INV-001", "LTI-INV-001", "MEIER-INV-001", "SD-INV-001"];
    let mut chat = Chat::new(Double::new().offline(&down));
    let turn = chat.say("How is the site?").await;
    let diagnosed = chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES);
    assert_eq!(
        diagnosed,
        down[..3]
            .iter()
            .map(|id| json!({ "logger_id": id, "days": 7 }))
            .collect::<Vec<_>>()
    );
    let alerts = turn.card()["props"]["alerts"].to_string();
    assert!(alerts.contains("LTI-INV-001 reports E-501"), "{alerts}");
    assert!(alerts.contains("SD-INV-001 is offline"), "{alerts}");
}

#[tokio::test]
async fn a_briefing_says_whose_error_codes_it_could_not_read() {
    let tools = Double::new().offline(&["LTI-INV-001"]).always(
        names::DIAGNOSE_ERROR_CODES,
        Ending::Fails(agent_kit::ToolsError::TimedOut),
    );
    let mut chat = Chat::new(tools);
    let turn = chat.say("Morning briefing").await;
    assert_eq!(turn.card()["component"], "FleetOverview");
    assert!(
        turn.card()["props"]["alerts"]
            .to_string()
            .contains("error codes of LTI-INV-001 could not be read")
    );
    assert!(turn.text().contains("LTI-INV-001"));
}

#[tokio::test]
async fn a_briefing_remembers_the_fleet_for_the_next_one() {
    let mut chat = Chat::new(Double::new());
    chat.say("Morning briefing").await;
    let before = chat
        .state()
        .await
        .flow_context
        .previous_fleet_status
        .unwrap();
    assert!(before.offline.is_empty());
    let tools = chat.tools.offline(&["SD-INV-001"]);
    drop(tools);
    let turn = chat.say("Morning briefing").await;
    assert!(turn.text().contains("SD-INV-001"), "{}", turn.text());
    assert_eq!(
        chat.state()
            .await
            .flow_context
            .previous_fleet_status
            .unwrap()
            .offline,
        ["SD-INV-001"]
    );
}

#[tokio::test]
async fn a_briefing_without_devices_says_how_to_get_some() {
    let mut chat = Chat::new(Double::with_loggers(Vec::new()));
    let turn = chat.say("Fleet overview").await;
    assert!(turn.cards().is_empty());
    assert!(turn.text().contains("Upload"));
}

#[tokio::test]
async fn a_financial_report_covers_the_thirty_days_to_the_newest_and_looks_a_week_ahead() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Financial report for GW-INV-001").await;
    assert_eq!(turn.flow(), "financial_report");
    let calls = chat.tools.calls();
    assert_eq!(
        calls,
        [
            (names::LIST_LOGGERS.to_owned(), json!({})),
            (
                names::CALCULATE_FINANCIAL_SAVINGS.to_owned(),
                json!({ "logger_id": "GW-INV-001", "start_date": "2025-11-05", "end_date": "2025-12-04" })
            ),
            (
                names::FORECAST_PRODUCTION.to_owned(),
                json!({ "logger_id": "GW-INV-001", "days_ahead": 7 })
            ),
        ]
    );
    let props = &turn.card()["props"];
    assert_eq!(turn.card()["component"], "FinancialReport");
    assert_eq!(
        (
            &props["energyGenerated"],
            &props["forecast"]["totalPredicted"]
        ),
        (&json!(900.0), &json!(210.0))
    );
    assert!(turn.text().contains("900"), "{}", turn.text());
}

#[tokio::test]
async fn a_rate_is_used_and_stays_with_the_thread() {
    let mut chat = Chat::new(Double::new());
    chat.say("How much did I save with GW-INV-001 at 0.30 per kWh?")
        .await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["electricity_rate"],
        0.3
    );
    chat.say("Savings of SD-INV-001").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["electricity_rate"],
        0.3
    );
}

#[tokio::test]
async fn a_financial_report_honours_the_days_asked_for() {
    let mut chat = Chat::new(Double::new());
    chat.say("Savings of GW-INV-001 in November").await;
    let call = &chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0];
    assert_eq!(
        (&call["start_date"], &call["end_date"]),
        (&json!("2025-11-01"), &json!("2025-11-30"))
    );
}

#[tokio::test]
async fn a_financial_report_stands_without_its_forecast_and_says_so() {
    for ending in [
        Ending::Fails(agent_kit::ToolsError::Failed),
        Ending::Status(ToolStatus::Error, "The model diverged."),
        Ending::Status(ToolStatus::NoData, "There is too little."),
    ] {
        let mut chat = Chat::new(Double::new().once(names::FORECAST_PRODUCTION, ending));
        let turn = chat.say("Financial report for GW-INV-001").await;
        assert_eq!(turn.card()["component"], "FinancialReport");
        assert!(turn.card()["props"].get("forecast").is_none());
        assert!(
            turn.text().contains("forecast is missing"),
            "{}",
            turn.text()
        );
    }
}

#[tokio::test]
async fn an_audit_compares_the_devices_named_on_the_newest_day() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Compare GW-INV-001 and LTI-INV-001").await;
    assert_eq!(turn.flow(), "performance_audit");
    assert_eq!(
        chat.tools.calls_of(names::COMPARE_LOGGERS),
        [json!({ "logger_ids": ["GW-INV-001", "LTI-INV-001"], "metric": "power" })]
    );
    let props = &turn.card()["props"];
    assert_eq!(props["best"], "GW-INV-001");
    assert_eq!(props["loggers"].as_array().unwrap().len(), 2);
    assert_eq!(props["series"][1]["dataKey"], "LTI-INV-001");
}

#[tokio::test]
async fn an_audit_of_all_takes_them_all_when_they_are_few() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Compare all inverters on energy").await;
    let call = &chat.tools.calls_of(names::COMPARE_LOGGERS)[0];
    assert_eq!(call["logger_ids"].as_array().unwrap().len(), 4);
    assert_eq!(call["metric"], "energy");
    assert_eq!(turn.card()["props"]["metric"], "energy");
}

#[tokio::test]
async fn a_health_check_of_one_device_shows_its_outage() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Check the health of LTI-INV-001").await;
    assert_eq!(turn.flow(), "health_check");
    assert_eq!(
        chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH),
        [json!({ "logger_id": "LTI-INV-001", "days": 7 })]
    );
    assert_eq!(turn.card()["component"], "HealthReport");
    assert_eq!(turn.card()["props"]["anomalyCount"], 1);
}

#[tokio::test]
async fn a_health_check_honours_the_days_asked_for() {
    let mut chat = Chat::new(Double::new());
    chat.say("Health check of GW-INV-001 in November").await;
    assert_eq!(
        chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH),
        [json!({ "logger_id": "GW-INV-001", "days": 30, "end_date": "2025-11-30" })]
    );
}

#[tokio::test]
async fn a_health_check_of_all_has_a_row_for_each() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Check the health of all devices").await;
    let props = &turn.card()["props"];
    assert_eq!(turn.card()["component"], "FleetHealthReport");
    assert_eq!(
        (
            &props["totalLoggers"],
            &props["loggersWithIssues"],
            &props["avgHealthScore"]
        ),
        // As in the report of the tool: below a healthy score as long as one is not healthy.
        (&json!(4), &json!(1), &json!(94.9))
    );
    let states: Vec<_> = props["loggers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["status"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["healthy", "warning", "healthy", "healthy"]);
}

#[tokio::test]
async fn a_device_that_could_not_be_judged_is_unknown_and_never_healthy() {
    let tools = Double::new()
        .always_for(
            names::ANALYZE_INVERTER_HEALTH,
            "SD-INV-001",
            Ending::Fails(agent_kit::ToolsError::TimedOut),
        )
        .always_for(
            names::ANALYZE_INVERTER_HEALTH,
            "GW-INV-001",
            Ending::Status(ToolStatus::NoDataInWindow, "Nothing in this window."),
        );
    let mut chat = Chat::new(tools);
    let turn = chat.say("Check the health of all devices").await;
    let rows = turn.card()["props"]["loggers"].as_array().unwrap();
    assert_eq!(
        (&rows[0]["status"], &rows[0]["message"]),
        (&json!("unknown"), &json!("Nothing in this window."))
    );
    assert_eq!(rows[3]["status"], "unknown");
    assert!(
        turn.text().contains("GW-INV-001") && turn.text().contains("SD-INV-001"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn every_data_call_carries_its_whole_envelope_to_the_client() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Check the health of GW-INV-001").await;
    let mut answered = Vec::new();
    for event in &turn.events {
        if let RunEvent::ToolCall {
            id,
            name,
            kind: ToolCallKind::Server,
            ..
        } = event
        {
            answered.push((id, name));
        }
        if let RunEvent::ToolResult { id, output, .. } = event
            && let Some((_, name)) = answered.iter().find(|(call, _)| *call == id)
        {
            assert_eq!(output["status"], "ok");
            assert!(output["result"].is_object(), "{name}: {output}");
        }
    }
    assert_eq!(answered.len(), 2);
}

#[tokio::test]
async fn without_devices_every_report_says_how_to_get_some() {
    for message in [
        "Check the health of all devices",
        "Financial report",
        "Compare all inverters",
    ] {
        let mut chat = Chat::new(Double::with_loggers(Vec::new()));
        let turn = chat.say(message).await;
        assert!(turn.text().contains("Upload"), "{message}: {}", turn.text());
        assert_eq!(turn.reason(), FinishReason::Stop);
    }
}

#[tokio::test]
async fn the_only_device_need_not_be_chosen() {
    let mut chat = Chat::new(Double::with_loggers(vec![crate::double::logger(
        "GW-INV-001",
        "goodwe",
    )]));
    let turn = chat.say("Any problems?").await;
    assert_eq!(turn.card()["props"]["loggerId"], "GW-INV-001");
    let turn = chat.say("Performance audit").await;
    assert!(turn.text().contains("only device"), "{}", turn.text());
}

/// The answer to a schedule is read later: nothing is announced, and no next step is offered.
#[tokio::test]
async fn an_answer_that_no_user_waits_for_has_no_words_around_it() {
    let words = ["I'll ", "Next", "next.", "I'd "];
    for question in [
        "Morning briefing",
        "How much did I save last month?",
        "Compare all inverters",
        "Health check of GW-INV-001",
        "Forecast for GW-INV-001",
    ] {
        let mut attended = Chat::new(Double::new());
        let with = attended.say(question).await.text();
        assert!(words.iter().any(|word| with.contains(word)), "{with}");
        let mut chat = Chat::new(Double::new());
        chat.unattended = true;
        let turn = chat.say(question).await;
        let text = turn.text();
        assert!(!text.is_empty() && !turn.cards().is_empty(), "{question}");
        assert!(!words.iter().any(|word| text.contains(word)), "{text}");
    }
}
