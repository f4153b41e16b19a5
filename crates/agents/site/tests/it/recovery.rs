//! Calls without a result: for every workflow and free chat, for every status.

use agent_kit::ToolsError;
use contracts::{
    run::FinishReason,
    tools::{ToolStatus, names},
};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending},
};

/// A message per workflow and question, and the call that can fail in it.
const TASKS: [(&str, &str, &str); 6] = [
    (
        "Financial report for GW-INV-001",
        names::CALCULATE_FINANCIAL_SAVINGS,
        "date-range",
    ),
    (
        "Compare GW-INV-001 and SD-INV-001",
        names::COMPARE_LOGGERS,
        "date",
    ),
    (
        "Check the health of GW-INV-001",
        names::ANALYZE_INVERTER_HEALTH,
        "date-range",
    ),
    ("Power curve of GW-INV-001", names::GET_POWER_CURVE, "date"),
    (
        "Performance ratio of GW-INV-001",
        names::CALCULATE_PERFORMANCE_RATIO,
        "date",
    ),
    (
        "Error codes of GW-INV-001",
        names::DIAGNOSE_ERROR_CODES,
        "date-range",
    ),
];

fn nothing_then() -> Ending {
    Ending::Status(ToolStatus::NoDataInWindow, "Nothing in this window.")
}

#[tokio::test]
async fn days_without_data_are_asked_for_again_and_the_task_goes_on_to_its_answer() {
    for (message, tool, input) in TASKS {
        let mut chat = Chat::new(Double::new().once(tool, nothing_then()));
        let asked = chat.say(message).await;
        let (_, picker) = asked.picker();
        assert_eq!(picker["inputType"], input, "{message}");
        assert_eq!(
            (&picker["minDate"], &picker["maxDate"]),
            (&json!("2025-11-05"), &json!("2025-12-04")),
            "{message}"
        );
        let state = chat.state().await;
        assert_eq!(state.recovery_attempts, 1);
        assert_eq!(state.pending_selection.unwrap().retry.unwrap().tool, tool);
        let first = chat.tools.calls_of(tool).remove(0);

        let turn = chat.say("Selected: 2025-11-20").await;
        assert_eq!(turn.reason(), FinishReason::Stop, "{message}: {turn:#?}");
        let second = chat.tools.calls_of(tool).remove(0);
        assert_eq!(
            (&first["logger_id"], &first["logger_ids"]),
            (&second["logger_id"], &second["logger_ids"]),
            "{message}"
        );
        let said = [&second["date"], &second["start_date"], &second["end_date"]];
        assert!(said.contains(&&json!("2025-11-20")), "{message}: {second}");
        assert_eq!(chat.state().await.recovery_attempts, 0, "{message}");
    }
}

#[tokio::test]
async fn a_range_of_days_can_be_chosen() {
    let mut chat = Chat::new(Double::new().once(names::ANALYZE_INVERTER_HEALTH, nothing_then()));
    chat.say("Check the health of GW-INV-001").await.picker();
    let turn = chat.say("Selected: 2025-11-10:2025-11-19").await;
    assert_eq!(turn.card()["component"], "HealthReport");
    assert_eq!(
        chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH)[1],
        json!({ "logger_id": "GW-INV-001", "days": 10, "end_date": "2025-11-19" })
    );
}

#[tokio::test]
async fn a_range_given_as_a_value_is_taken() {
    let mut chat = Chat::new(Double::new().once(names::ANALYZE_INVERTER_HEALTH, nothing_then()));
    let asked = chat.say("Check the health of GW-INV-001").await;
    let turn = chat
        .give(
            &asked.picker().0,
            json!({ "start": "2025-11-10", "end": "2025-11-19" }),
        )
        .await;
    assert_eq!(turn.card()["component"], "HealthReport");
}

#[tokio::test]
async fn the_way_around_the_picker_takes_the_newest_day() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Power curve of GW-INV-001 on 2024-01-15").await;
    let (_, picker) = asked.picker();
    let skip = picker["flowHint"]["skipOption"]["action"]
        .as_str()
        .unwrap()
        .to_owned();
    chat.say(&skip).await;
    assert_eq!(
        chat.tools.calls_of(names::GET_POWER_CURVE)[1]["date"],
        "2025-12-04"
    );
}

#[tokio::test]
async fn a_day_outside_of_the_range_is_refused() {
    let mut chat = Chat::new(Double::new());
    let asked = chat.say("Power curve of GW-INV-001 on 2024-01-15").await;
    assert!(asked.text().contains("15 January 2024"), "{}", asked.text());
    let turn = chat.say("Selected: 2024-01-16").await;
    turn.picker();
    let turn = chat.say("Selected: 2025-11-29").await;
    assert_eq!(turn.card()["component"], "DynamicChart");
}

#[tokio::test]
async fn the_third_repair_is_the_last() {
    for (message, tool, _) in TASKS {
        let mut chat = Chat::new(Double::new().always(tool, nothing_then()));
        chat.say(message).await.picker();
        for attempt in 1..agent_site::MAX_ATTEMPTS {
            chat.say("Selected: 2025-11-20").await.picker();
            assert_eq!(chat.state().await.recovery_attempts, attempt + 1);
        }
        let turn = chat.say("Selected: 2025-11-20").await;
        assert_eq!(turn.reason(), FinishReason::Stop);
        assert!(
            turn.text()
                .ends_with("I'm having trouble retrieving data. Please try a different query."),
            "{}",
            turn.text()
        );
        let state = chat.state().await;
        assert_eq!(
            (state.recovery_attempts, state.pending_selection),
            (0, None)
        );
        // And a new task begins at zero.
        chat.say(message).await.picker();
        assert_eq!(chat.state().await.recovery_attempts, 1);
    }
}

#[tokio::test]
async fn a_device_without_data_is_replaced_by_another_one() {
    for (message, tool, _) in TASKS
        .into_iter()
        .filter(|(_, tool, _)| *tool != names::COMPARE_LOGGERS)
    {
        let mut chat = Chat::new(Double::new().always_for(
            tool,
            "GW-INV-001",
            Ending::Status(ToolStatus::NoData, "No data."),
        ));
        let asked = chat.say(message).await;
        let options = asked.picker().1["options"].to_string();
        assert!(
            !options.contains("GW-INV-001") && options.contains("SD-INV-001"),
            "{message}: {options}"
        );
        let turn = chat.say("Selected: SD-INV-001").await;
        assert_eq!(turn.reason(), FinishReason::Stop, "{message}");
        assert_eq!(
            chat.tools.calls_of(tool).last().unwrap()["logger_id"],
            "SD-INV-001",
            "{message}"
        );
    }
}

#[tokio::test]
async fn without_another_device_recovery_says_how_to_get_data() {
    let tools = Double::with_loggers(vec![crate::double::logger("GW-INV-001", "goodwe")]).always(
        names::ANALYZE_INVERTER_HEALTH,
        Ending::Status(ToolStatus::NoData, "No data."),
    );
    let mut chat = Chat::new(tools);
    let turn = chat.say("Check the health of GW-INV-001").await;
    assert!(turn.text().contains("Upload"), "{}", turn.text());
    assert_eq!(turn.reason(), FinishReason::Stop);
}

#[tokio::test]
async fn an_error_is_explained_and_never_becomes_a_report() {
    let endings = [
        (
            Ending::Status(ToolStatus::Error, "The sensor archive is away."),
            "sensor archive",
        ),
        (Ending::Fails(ToolsError::Unavailable), "cannot be reached"),
        (
            Ending::Fails(ToolsError::TimedOut),
            "did not answer in time",
        ),
        (Ending::Fails(ToolsError::Refused), "do not have access"),
        (
            Ending::Fails(ToolsError::Invalid {
                detail: "days is too large.".to_owned(),
            }),
            "days is too large",
        ),
        (Ending::Fails(ToolsError::Failed), "problem of its own"),
        (
            Ending::Answers(json!({ "healthScore": 100 })),
            "cannot read",
        ),
    ];
    for (message, tool, _) in TASKS {
        for (ending, expected) in &endings {
            let mut chat = Chat::new(Double::new().once(tool, ending.clone()));
            let turn = chat.say(message).await;
            assert_eq!(turn.card()["component"], "ErrorCard", "{message}");
            assert_eq!(turn.card()["suggestions"][0]["action"], message);
            assert!(turn.text().contains(expected), "{message}: {}", turn.text());
            // "Try again" works.
            let turn = chat.say(message).await;
            assert!(
                turn.cards()
                    .iter()
                    .all(|card| card["component"] != "ErrorCard"),
                "{message}"
            );
        }
    }
}

#[tokio::test]
async fn a_list_of_devices_that_can_not_be_had_is_explained() {
    for message in [
        "Check the health of GW-INV-001",
        "Financial report",
        "Compare all inverters",
        "Power curve of GW-INV-001",
    ] {
        let mut chat = Chat::new(
            Double::new().once(names::LIST_LOGGERS, Ending::Fails(ToolsError::Unavailable)),
        );
        let turn = chat.say(message).await;
        assert_eq!(turn.card()["component"], "ErrorCard", "{message}");
    }
}

#[tokio::test]
async fn a_briefing_that_fails_is_explained() {
    let mut chat = Chat::new(Double::new().once(
        names::GET_FLEET_OVERVIEW,
        Ending::Fails(ToolsError::Unavailable),
    ));
    let turn = chat.say("Morning briefing").await;
    assert_eq!(turn.card()["component"], "ErrorCard");
    chat.tools.once(
        names::GET_FLEET_OVERVIEW,
        Ending::Status(ToolStatus::NoData, "No devices."),
    );
    let turn = chat.say("Morning briefing").await;
    assert!(turn.text().contains("Upload"), "{}", turn.text());
}

#[tokio::test]
async fn a_fleet_that_has_nothing_in_the_window_is_asked_about_as_one() {
    let mut chat = Chat::new(Double::new());
    let asked = chat
        .say("Check the health of all devices in January 2024")
        .await;
    let (_, picker) = asked.picker();
    assert_eq!(
        (&picker["inputType"], &picker["minDate"]),
        (&json!("date-range"), &json!("2025-11-05"))
    );
    let turn = chat.say("Selected: 2025-11-10:2025-11-19").await;
    assert_eq!(turn.card()["component"], "FleetHealthReport");
    assert_eq!(turn.card()["props"]["totalLoggers"], 4);
}

#[tokio::test]
async fn a_day_with_readings_that_say_nothing_is_answered_with_the_reason() {
    const REASON: &str = "LTI-INV-001 sent readings on 1 December 2025, but its register is odd.";
    let tool = names::CALCULATE_FINANCIAL_SAVINGS;
    for (message, words, absent) in [
        (
            "savings of LTI-INV-001 on 1 December 2025",
            REASON,
            "I don't have data",
        ),
        (
            "savings of LTI-INV-001 on 1 May 2025",
            "I don't have data from LTI-INV-001",
            REASON,
        ),
    ] {
        let ending = Ending::Status(ToolStatus::NoDataInWindow, REASON);
        let text = Chat::new(Double::new().once(tool, ending))
            .say(message)
            .await
            .text();
        assert!(
            text.contains(words) && !text.contains(absent),
            "{message}: {text}"
        );
    }
}
