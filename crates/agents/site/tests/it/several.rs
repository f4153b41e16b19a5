//! All of it, not a picker: savings, energy, ratios and codes of a list, a site or everything, and
//! comparisons of any number.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{chat::Chat, double::Double};

fn fleet(count: usize) -> std::sync::Arc<Double> {
    let loggers = (1..=count)
        .map(|number| crate::double::logger(&format!("INV-{number:03}"), "goodwe"))
        .collect();
    Double::with_loggers(loggers)
}

#[tokio::test]
async fn savings_without_a_device_are_those_of_everything_with_the_devices_below() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("How much did I save last month?").await;
    assert_eq!(turn.flow(), "financial_report");
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS),
        [json!({ "start_date": "2025-11-01", "end_date": "2025-11-30" })]
    );
    assert!(turn.open_picker().is_none());
    let props = &turn.card()["props"];
    assert_eq!(turn.card()["component"], "FinancialReport");
    assert_eq!(props["energyGenerated"], 3600.0);
    assert_eq!(props["devices"].as_array().unwrap().len(), 4);
    assert!(turn.text().contains("CHF 900.00"), "{}", turn.text());
}

#[tokio::test]
async fn a_list_and_a_site_are_named_to_the_tool() {
    let mut north = crate::double::logger("A-INV-1", "goodwe");
    "North Park".clone_into(&mut north.site_name);
    "north".clone_into(&mut north.site_id);
    let mut second = north.clone();
    "A-INV-2".clone_into(&mut second.logger_id);
    let south = crate::double::logger("B-INV-1", "lti");
    let mut chat = Chat::new(Double::with_loggers(vec![north, second, south]));
    chat.say("How much did North Park save last month?").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["site_id"],
        "north"
    );
    let turn = chat.say("Savings of A-INV-1 and B-INV-1 in November").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["logger_ids"],
        json!(["A-INV-1", "B-INV-1"])
    );
    assert_eq!(turn.card()["props"]["devices"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn energy_of_everything_is_told_as_energy() {
    let mut chat = Chat::new(Double::new());
    for message in [
        "How much energy did all inverters make last week?",
        "what did the fleet produce last week",
        "how many kWh did we make last week",
    ] {
        let turn = chat.say(message).await;
        assert_eq!(turn.card()["component"], "FinancialReport", "{message}");
        let text = turn.text();
        assert!(text.contains("made 3,600 kWh"), "{message}: {text}");
    }
}

#[tokio::test]
async fn the_ratio_of_everything_has_a_bar_for_each() {
    for (message, date) in [
        ("performance ratio yesterday", "2025-12-04"),
        ("Show performance ratio for the fleet", "2025-12-04"),
        ("what was our PR on Nov 29", "2025-11-29"),
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(message).await;
        assert_eq!(
            chat.tools.calls_of(names::CALCULATE_PERFORMANCE_RATIO),
            [json!({ "date": date })],
            "{message}"
        );
        let card = turn.card();
        assert_eq!(card["component"], "DynamicChart", "{message}");
        assert_eq!(card["props"]["data"].as_array().unwrap().len(), 4);
        assert!(!card["suggestions"].as_array().unwrap().is_empty());
        assert!(turn.text().contains("82 %"), "{}", turn.text());
    }
}

#[tokio::test]
async fn a_ratio_of_one_device_has_its_card_and_may_cover_a_period() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("PR of GW-INV-001 last week").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_PERFORMANCE_RATIO),
        [json!({ "logger_id": "GW-INV-001", "date": "2025-11-24", "end_date": "2025-11-30" })]
    );
    assert_eq!(turn.card()["props"]["data"][0]["performanceRatio"], 82.0);
    assert!(!turn.card()["suggestions"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn error_codes_have_their_card_of_one_device_and_of_all() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("error codes of LTI-INV-001").await;
    let card = turn.card();
    assert_eq!(card["props"]["data"][0]["code"], "E-501");
    assert!(!card["suggestions"].as_array().unwrap().is_empty());
    let turn = chat.say("which error codes were there last week?").await;
    assert_eq!(
        chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES)[1],
        json!({ "days": 7, "end_date": "2025-11-30" })
    );
    assert_eq!(turn.card()["component"], "DynamicChart");
}

#[tokio::test]
async fn who_was_out_is_asked_of_every_device() {
    for message in [
        "Who was out on 29 November?",
        "which devices were down on Nov 29",
    ] {
        let mut chat = Chat::new(Double::new());
        let turn = chat.say(message).await;
        assert_eq!(turn.flow(), "health_check", "{message}");
        let props = &turn.card()["props"];
        assert_eq!(props["totalLoggers"], 4, "{message}");
        let text = turn.text();
        assert!(text.contains("LTI-INV-001"), "{message}: {text}");
    }
}

#[tokio::test]
async fn any_problems_is_about_all_and_a_health_check_still_asks_for_whom() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("Any problems?").await;
    assert_eq!(turn.card()["component"], "FleetHealthReport");
    let turn = chat.say("Health check").await;
    let skip = &turn.picker().1["flowHint"]["skipOption"];
    assert_eq!(skip["label"], "All devices");
    let action = skip["action"].as_str().unwrap().to_owned();
    let turn = chat.say(&action).await;
    assert_eq!(turn.card()["component"], "FleetHealthReport");
}

#[tokio::test]
async fn more_than_five_devices_are_compared() {
    let mut chat = Chat::new(fleet(7));
    let turn = chat.say("Compare all inverters").await;
    let call = &chat.tools.calls_of(names::COMPARE_LOGGERS)[0];
    assert_eq!(call["logger_ids"].as_array().unwrap().len(), 7);
    assert_eq!(turn.card()["component"], "ComparisonChart");
}

fn compared(calls: &[Value]) -> Vec<usize> {
    calls
        .iter()
        .map(|call| call["logger_ids"].as_array().unwrap().len())
        .collect()
}

#[tokio::test]
async fn the_top_three_are_the_three_best() {
    // The scripted comparison ranks the devices in the order in which they are named.
    for (message, ids) in [
        ("top 3 inverters", ["INV-001", "INV-002", "INV-003"]),
        (
            "show me the worst 3 inverters",
            ["INV-005", "INV-006", "INV-007"],
        ),
    ] {
        let mut chat = Chat::new(fleet(7));
        let turn = chat.say(message).await;
        let calls = chat.tools.calls_of(names::COMPARE_LOGGERS);
        assert_eq!(compared(&calls), [7, 3], "{message}");
        assert_eq!(calls[0]["metric"], "energy");
        assert_eq!(turn.card()["props"]["loggerIds"], json!(ids), "{message}");
        assert!(turn.text().contains("3 of 7 devices"), "{}", turn.text());
    }
    let mut chat = Chat::new(fleet(7));
    let asked = chat.say("Performance audit").await;
    let skip = asked.picker().1["flowHint"]["skipOption"]["action"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(skip, "Compare the top 3");
    chat.say(&skip).await;
    let calls = chat.tools.calls_of(names::COMPARE_LOGGERS);
    assert_eq!(compared(&calls), [7, 3]);
}

#[tokio::test]
async fn the_only_device_is_not_offered_for_comparison() {
    let mut chat = Chat::new(fleet(1));
    for message in [
        "Check the health of INV-001",
        "Financial report",
        "Performance ratio yesterday",
        "Power curve of INV-001",
    ] {
        let turn = chat.say(message).await;
        let offers = turn.card()["suggestions"].to_string();
        assert!(!offers.contains("Compare"), "{message}: {offers}");
    }
}

#[tokio::test]
async fn a_briefing_of_another_day_says_that_it_is_of_the_newest() {
    let mut chat = Chat::new(Double::new());
    let turn = chat.say("how did the site do yesterday").await;
    assert_eq!(turn.flow(), "morning_briefing");
    let text = turn.text();
    assert!(
        text.contains("newest day") && text.contains("make on 3 December 2025?"),
        "{text}"
    );
    let turn = chat.say("Morning briefing").await;
    assert!(!turn.text().contains("newest day."), "{}", turn.text());
}

#[tokio::test]
async fn error_codes_of_a_long_period_are_all_asked_for() {
    let mut chat = Chat::new(Double::new());
    chat.say("error codes of LTI-INV-001 in 2025").await;
    assert_eq!(
        chat.tools.calls_of(names::DIAGNOSE_ERROR_CODES),
        [
            json!({ "logger_id": "LTI-INV-001", "start_date": "2025-01-01", "end_date": "2025-12-04" })
        ]
    );
}

#[tokio::test]
async fn a_ranking_is_continued_by_place_money_and_device() {
    let mut chat = Chat::new(Double::new());
    chat.say("which inverter was worst last week?").await;
    for (message, expected) in [
        ("and the second worst?", "is the second worst"),
        ("and for MEIER?", "MEIER-INV-001 is number "),
    ] {
        let turn = chat.say(message).await;
        assert_eq!(turn.flow(), "performance_audit", "{message}");
        assert!(turn.open_picker().is_none(), "{message}");
        assert!(turn.text().contains(expected), "{}", turn.text());
    }
    let turn = chat.say("and in money?").await;
    assert_eq!(turn.flow(), "financial_report");
    assert!(
        turn.text().contains("Each of them saved the same, CHF"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn who_is_offline_is_answered_by_the_state_now_with_the_reason() {
    let mut chat = Chat::new(Double::new().offline(&["MEIER-INV-001"]));
    let turn = chat.say("which are offline?").await;
    assert_eq!(turn.flow(), "morning_briefing");
    let expected = "MEIER-INV-001 sends no readings; last power reading";
    assert!(turn.text().contains(expected), "{}", turn.text());
}
