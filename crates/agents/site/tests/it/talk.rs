//! Conversation beside its tasks: refusals, explanations, references to earlier messages, and short
//! names.

use contracts::{run::FinishReason, tools::names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, logger},
};

#[tokio::test]
async fn what_no_flow_does_is_refused_as_what_it_is_with_what_comes_nearest() {
    for (message, reason, nearest) in [
        (
            "Can you turn off LTI-INV-001?",
            "can't switch",
            "Check the health of LTI-INV-001",
        ),
        (
            "is MEIER soiled?",
            "dirt",
            "Check the health of MEIER-INV-001",
        ),
        (
            "export November as CSV",
            "saved as CSV",
            "How much did I save in the last 30 days?",
        ),
        (
            "¿Cómo está MEIER-INV-001?",
            "Spanish",
            "health of MEIER-INV-001",
        ),
        ("Ist LTI-INV-001 kaputt?", "German", "health of LTI-INV-001"),
        (
            "How much will I save next month?",
            "still to come",
            "Forecast production of all inverters",
        ),
        ("how old is LTI-INV-001", "\"old\"", "LTI-INV-001"),
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(message).await;
        assert_eq!(turn.flow(), "free_chat", "{message}");
        assert_eq!(turn.reason(), FinishReason::Stop);
        assert!(turn.cards().is_empty(), "{message}");
        let text = turn.text();
        assert!(
            text.contains(reason) && text.contains(nearest),
            "{message}: {text}"
        );
        assert_eq!(text.matches('"').count() % 2, 0, "{text}");
        let called = chat.tools.calls();
        assert!(
            called.iter().all(|(name, _)| name == names::LIST_LOGGERS),
            "{message}: {called:?}"
        );
    }
}

#[tokio::test]
async fn a_definition_is_explained_with_its_source() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("what is a performance ratio?").await;
    let text = turn.text();
    assert!(
        text.contains("IEC 61724-1") && text.contains("nameplate"),
        "{text}"
    );
    // The devices say whether they have the sunlight that the offered message needs.
    let called = chat.tools.calls();
    assert!(
        called.iter().all(|(name, _)| name == names::LIST_LOGGERS),
        "{called:?}"
    );
}

#[tokio::test]
async fn a_short_name_answers_an_open_picker_of_every_flow() {
    for (question, tool) in [
        ("Health check", names::ANALYZE_INVERTER_HEALTH),
        ("Power curve yesterday", names::GET_POWER_CURVE),
        ("forecast for tomorrow", names::FORECAST_PRODUCTION),
        ("Savings of NOPE-INV-9", names::CALCULATE_FINANCIAL_SAVINGS),
        ("PR of NOPE-INV-9", names::CALCULATE_PERFORMANCE_RATIO),
        ("error codes of NOPE-INV-9", names::DIAGNOSE_ERROR_CODES),
    ] {
        for answer in ["LTI", "lti", "the lti one please", "LTI then"] {
            let mut chat = Chat::new(Double::new());
            chat.say(question).await.picker();
            let turn = chat.say(answer).await;
            let calls = chat.tools.calls_of(tool);
            assert_eq!(calls.len(), 1, "{question}, {answer}: {}", turn.text());
            assert_eq!(calls[0]["logger_id"], "LTI-INV-001", "{question}, {answer}");
        }
    }
    let mut chat = Chat::new(Double::new());
    chat.say("Performance audit").await.picker();
    chat.say("LTI and smartdog").await;
    assert_eq!(
        chat.tools.calls_of(names::COMPARE_LOGGERS)[0]["logger_ids"],
        json!(["LTI-INV-001", "SD-INV-001"])
    );
}

#[tokio::test]
async fn and_last_week_keeps_the_question_and_replaces_the_days() {
    let mut chat = Chat::new(Double::new());
    chat.say("How much did LTI-INV-001 save last month?").await;
    for (message, logger, start) in [
        ("And last week?", "LTI-INV-001", "2025-11-24"),
        ("same for MEIER", "MEIER-INV-001", "2025-11-24"),
        ("what about this month?", "MEIER-INV-001", "2025-12-01"),
    ] {
        chat.tools.calls();
        let turn = chat.say(message).await;
        assert_eq!(turn.flow(), "financial_report", "{message}");
        let call = &chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0];
        assert_eq!(
            (&call["logger_id"], &call["start_date"]),
            (&json!(logger), &json!(start)),
            "{message}"
        );
    }
    let turn = chat.say("and its error codes?").await;
    assert_eq!(
        chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES)[0]["logger_id"],
        "MEIER-INV-001",
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn what_was_chosen_in_a_picker_is_leant_on() {
    let mut chat = Chat::new(Double::new());
    chat.say("Health check").await.picker();
    chat.say("Selected: LTI-INV-001").await;
    chat.tools.calls();
    let turn = chat.say("And last week?").await;
    assert_eq!(turn.flow(), "health_check");
    assert_eq!(
        chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH),
        [json!({ "logger_id": "LTI-INV-001", "days": 7, "end_date": "2025-11-30" })]
    );
}

#[tokio::test]
async fn days_outside_the_range_are_asked_for_twice_at_most() {
    let mut chat = Chat::new(Double::new());
    chat.say("Power curve of GW-INV-001 on 2024-01-15")
        .await
        .picker();
    chat.say("Selected: 2024-01-16").await.picker();
    let turn = chat.say("Selected: 2024-01-17").await;
    assert_eq!(turn.reason(), FinishReason::Stop);
    assert!(turn.open_picker().is_none());
    assert!(
        turn.text().contains("I only have data from 5 November"),
        "{}",
        turn.text()
    );
    let state = chat.state().await;
    assert_eq!((state.pending_selection, state.active_flow), (None, None));
}

#[tokio::test]
async fn a_date_with_two_readings_is_read_by_the_data_and_the_answer_says_how() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("savings of GW-INV-001 from 1/12 to 3/12").await;
    let call = &chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0];
    assert_eq!(
        (&call["start_date"], &call["end_date"]),
        (&json!("2025-12-01"), &json!("2025-12-03"))
    );
    assert!(
        turn.text().contains("as 1 December to 3 December 2025"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn a_device_whose_id_looks_like_an_error_code_is_a_device() {
    let tools = Double::with_loggers(vec![logger("F01", "goodwe"), logger("F11", "lti")]);
    let mut chat = Chat::new(tools);
    chat.say("energy of F01 on 25.11.2025").await;
    let call = &chat.tools.calls_of(names::GET_POWER_CURVE)[0];
    assert_eq!(
        (&call["logger_id"], &call["date"]),
        (&json!("F01"), &json!("2025-11-25"))
    );
    chat.say("savings of F11 in november").await;
    let call = &chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0];
    assert_eq!(call["logger_id"], json!("F11"));
    chat.say("how much money did F11 lose in november").await;
    let call = &chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH)[0];
    assert_eq!(call["logger_id"], json!("F11"));
    assert!(chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES).is_empty());
}
