//! Short questions that lean on the one before keep its devices and its days, and words that turn a
//! question round are read.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    owner::plant,
};

const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;

/// The calls of a thread, and its last answer.
async fn asked(messages: &[&str]) -> (Vec<Value>, String) {
    let mut chat = Chat::new(Double::with_loggers(plant()));
    let mut text = String::new();
    for message in messages {
        text = chat.say(message).await.text();
    }
    (chat.tools.calls_of(SAVINGS), text)
}

#[tokio::test]
async fn the_n_days_before_are_all_of_them() {
    let mut wrong = Vec::new();
    for (first, then, days) in [
        (
            "Energy of LIN-INV-1 in the last 7 days",
            "and the 7 days before?",
            ["2025-11-21", "2025-11-27"],
        ),
        (
            "Energy of LIN-INV-1 in the last 7 days",
            "the 7 days before that",
            ["2025-11-21", "2025-11-27"],
        ),
        (
            "Savings of LIN-INV-1 in the last 10 days",
            "and the 10 days before?",
            ["2025-11-15", "2025-11-24"],
        ),
        (
            "Energy of LIN-INV-1 from 24 November to 30 November",
            "and the 2 weeks before?",
            ["2025-11-10", "2025-11-23"],
        ),
    ] {
        let (calls, text) = asked(&[first, then]).await;
        let last = calls.last().cloned().unwrap_or_default();
        if calls.len() != 2 || last["start_date"] != days[0] || last["end_date"] != days[1] {
            wrong.push(format!("{first} {then}\n    {calls:?}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn each_device_is_one_of_the_site_that_was_asked_for() {
    let mut wrong = Vec::new();
    for first in [
        "Energy of Mesa Ranch on 20 November",
        "How much did Mesa Ranch save in November?",
    ] {
        for then in [
            "and per device?",
            "each device?",
            "per device please",
            "by device",
            "and for each inverter?",
        ] {
            let (calls, text) = asked(&[first, then]).await;
            let same = |field: &str| calls.len() == 2 && calls[0][field] == calls[1][field];
            let devices = json!(["MESA-A", "MESA-B", "MESA-C"]);
            if !same("start_date") || !same("end_date") || calls[1]["logger_ids"] != devices {
                wrong.push(format!("{first} {then}\n    {calls:?}\n    {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn per_kwp_keeps_the_days_and_the_sites() {
    let mut wrong = Vec::new();
    for first in [
        "Which site saved the most money in November?",
        "Energy of LIN-INV-1 in November",
        "How much did Mesa Ranch save last week?",
    ] {
        for then in ["and per kWp?", "per kWp", "and in kWh per kWp?"] {
            let (calls, text) = asked(&[first, then]).await;
            let same = |field: &str| calls.len() == 2 && calls[0][field] == calls[1][field];
            let fields = ["start_date", "end_date", "site_id", "logger_id"];
            if !fields.iter().all(|field| same(field)) {
                wrong.push(format!("{first} {then}\n    {calls:?}\n    {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A report of two devices of 20 kW, of which one has a quarter of the days.
fn of_two_ages() -> Value {
    let one = |id: &str, kwh: f64, days: u32| {
        json!({
            "type": "financial_report", "loggerId": id, "siteId": "mesa",
            "period": { "start": "2025-11-07", "end": "2025-12-04" }, "daysExpected": 28,
            "daysWithData": days, "missingDays": [], "totalEnergyKwh": kwh,
            "capacityKw": 20.0, "capacityBasis": "configured", "specificYield": kwh / 20.0,
            "energySource": "daily_register", "electricityRate": 0.25,
            "electricityRateUsd": 0.25, "savings": kwh / 4.0, "savingsUsd": kwh / 4.0,
            "currency": "CHF", "co2OffsetKg": kwh / 8.0,
            "co2Factor": { "value": 0.125, "name": "Swiss consumer mix", "year": 2024 },
            "treesGrown10Years": 1.9, "treesEquivalent": 1.9, "projectedYear": null,
            "summary": "", "flags": [],
        })
    };
    let mut all = one("Mesa Ranch", 2500.0, 28);
    all["scope"] = json!({ "kind": "site", "name": "Mesa Ranch", "devices": 2 });
    all["devices"] = json!([one("MESA-A", 2000.0, 28), one("MESA-B", 500.0, 7)]);
    all
}

#[tokio::test]
async fn a_specific_yield_divides_by_the_capacity_of_the_days_with_data() {
    let answering =
        |answer| Chat::new(Double::with_loggers(plant()).always(SAVINGS, Ending::Answers(answer)));
    let text = answering(of_two_ages())
        .say("Specific yield of Mesa Ranch in the last 28 days")
        .await
        .text();
    let told = "That's 100.0 kWh per kWp, each device counted for the days it has data, for";
    assert!(text.contains(told), "{text}");
    let young = of_two_ages()["devices"][1].take();
    let text = answering(young)
        .say("Specific yield of MESA-B in the last 28 days")
        .await
        .text();
    let told = "That's 25.0 kWh per kWp over the 7 days it has data, for a stated capacity";
    assert!(text.contains(told), "{text}");
}

#[tokio::test]
async fn what_was_not_made_is_what_was_lost() {
    let mut wrong = Vec::new();
    for message in [
        "How much energy did the devices at Mesa Ranch not make on 20 November?",
        "How many kWh did LIN-INV-1 not produce on 20 November?",
        "How much didn't LIN-INV-1 make on 20 November?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        let text = chat.say(message).await.text();
        let health = chat.tools.calls_of(names::ANALYZE_INVERTER_HEALTH);
        if health.len() != 1 || !chat.tools.calls_of(SAVINGS).is_empty() {
            wrong.push(format!("{message}\n    {health:?}\n    {text}"));
        }
    }
    for message in [
        "How many kWh did we not lose on 20 November?",
        "How much energy didn't LIN-INV-1 lose on 20 November?",
    ] {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        let text = chat.say(message).await.text();
        if !chat
            .tools
            .calls_of(names::ANALYZE_INVERTER_HEALTH)
            .is_empty()
        {
            wrong.push(format!("{message}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
