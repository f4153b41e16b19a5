//! Tools that are asked for by their own words, of which the assistant knows only the contract.

use contracts::tools::{ToolStatus, names};
use serde_json::{Value, json};

use crate::chat::Chat;
use crate::double::{Double, Ending};

fn weeks() -> Value {
    let week = |start: &str, end: &str, kwh: f64| json!({ "start": start, "end": end, "energyKwh": kwh, "daysExpected": 7, "daysWithData": 7, "complete": true });
    let weeks = [
        week("2025-11-10", "2025-11-16", 212.5),
        week("2025-11-17", "2025-11-23", 180.25),
    ];
    json!({
        "type": "energy_history", "loggerId": "GW-INV-001", "period": { "start": "2025-11-10", "end": "2025-11-23" },
        "interval": "week", "totalEnergyKwh": 392.75, "daysExpected": 14, "daysWithData": 14, "periods": weeks,
        "highest": weeks[0], "lowest": weeks[1], "energySource": "power", "summary": "", "flags": [],
    })
}

#[tokio::test]
async fn the_tool_is_called_with_what_the_words_name_and_told_and_shown_by_its_contract() {
    let tools = Double::new().always(names::GET_ENERGY_HISTORY, Ending::Answers(weeks()));
    let mut chat = Chat::new(tools);
    for (message, arguments) in [
        (
            "Energy per week of GW-INV-001 from 10 to 23 November",
            json!({ "logger_id": "GW-INV-001", "start_date": "2025-11-10", "end_date": "2025-11-23", "interval": "week" }),
        ),
        (
            "How much energy did all inverters make each day last month?",
            json!({ "start_date": "2025-11-01", "end_date": "2025-11-30", "interval": "day" }),
        ),
        (
            "monthly production of LTI and MEIER in November",
            json!({ "logger_ids": ["LTI-INV-001", "MEIER-INV-001"], "start_date": "2025-11-01", "end_date": "2025-11-30", "interval": "month" }),
        ),
    ] {
        let turn = chat.say(message).await;
        let calls = chat.tools.calls_of(names::GET_ENERGY_HISTORY);
        assert_eq!(calls, [arguments], "{message}: {}", turn.text());
        assert_eq!(turn.flow(), "free_chat");
        let text = turn.text();
        for part in [
            "GW-INV-001 delivered 393 kWh",
            "The highest week was that of 10 November 2025",
        ] {
            assert!(text.contains(part), "{message}: {text}");
        }
        assert_eq!(turn.card()["component"], "DataCard");
        assert_eq!(
            turn.card()["props"]["title"],
            "Energy of GW-INV-001 by week"
        );
    }
}

#[tokio::test]
async fn other_figures_by_day_are_other_questions() {
    let mut chat = Chat::new(Double::new());
    for message in [
        "How much money did I save per month?",
        "daily report",
        "Weekly energy of my fridge in the kitchen",
        "Health of GW-INV-001 every day",
    ] {
        chat.say(message).await;
        let calls = chat.tools.calls_of(names::GET_ENERGY_HISTORY);
        assert!(calls.is_empty(), "{message}");
    }
}

#[tokio::test]
async fn days_without_data_are_asked_for_again() {
    let tools = Double::new().once(
        names::GET_ENERGY_HISTORY,
        Ending::Status(ToolStatus::NoDataInWindow, "There are no data."),
    );
    let mut chat = Chat::new(tools);
    let turn = chat.say("Energy per day of GW-INV-001 in June").await;
    let (_, picker) = turn.picker();
    assert_eq!(picker["inputType"], "date-range", "{picker}");
}

#[tokio::test]
async fn the_best_month_is_named_where_only_one_is_complete() {
    let month = |start: &str, end: &str, kwh: f64, complete: bool| json!({ "start": start, "end": end, "energyKwh": kwh, "daysExpected": 30, "daysWithData": 20, "complete": complete });
    let answer = json!({
        "type": "energy_history", "loggerId": "GW-INV-001", "period": { "start": "2025-09-20", "end": "2025-11-29" },
        "interval": "month", "totalEnergyKwh": 900.0, "daysExpected": 70, "daysWithData": 60,
        "periods": [
            month("2025-09-20", "2025-09-30", 200.0, false), month("2025-10-01", "2025-10-31", 400.0, true),
            month("2025-11-01", "2025-11-29", 300.0, false),
        ],
        "highest": null, "lowest": null, "energySource": "power", "summary": "", "flags": [],
    });
    for (message, told) in [
        (
            "Which month was best for GW-INV-001?",
            "October 2025 has the most, 400 kWh",
        ),
        (
            "Worst month of GW-INV-001",
            "September 2025 has the least, 200 kWh",
        ),
    ] {
        let tools =
            Double::new().always(names::GET_ENERGY_HISTORY, Ending::Answers(answer.clone()));
        let text = Chat::new(tools).say(message).await.text();
        assert!(text.contains(told), "{message}: {text}");
    }
}
