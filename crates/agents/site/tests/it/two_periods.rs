//! Two periods beside each other: both are looked up, for one device, a list, a site and all, and
//! each device is counted where it has data in both.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending},
    owner::plant,
};

const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;

/// A report of all devices: each with its energy and its days with data.
fn report(period: [&str; 2], devices: &[(&str, f64, u32)]) -> Value {
    let one = |id: &str, kwh: f64, days: u32| {
        json!({
            "type": "financial_report", "loggerId": id, "siteId": "lindenau",
            "period": { "start": period[0], "end": period[1] }, "daysExpected": days,
            "daysWithData": days, "missingDays": [], "totalEnergyKwh": kwh,
            "energySource": "daily_register", "electricityRate": 0.25,
            "electricityRateUsd": 0.25, "savings": kwh / 4.0, "savingsUsd": kwh / 4.0,
            "currency": "CHF", "co2OffsetKg": kwh / 8.0,
            "co2Factor": { "value": 0.125, "name": "Swiss consumer mix", "year": 2024 },
            "treesGrown10Years": 1.9, "treesEquivalent": 1.9, "projectedYear": null,
            "summary": "", "flags": [],
        })
    };
    let sum = devices.iter().map(|(_, kwh, _)| kwh).sum();
    let days = devices.iter().map(|(.., days)| days).sum();
    let mut all = one("all 7 devices", sum, days);
    all["scope"] = json!({ "kind": "all", "name": "all 7 devices", "devices": 7 });
    all["devices"] = devices
        .iter()
        .map(|(id, kwh, days)| one(id, *kwh, *days))
        .collect();
    all
}

#[tokio::test]
async fn both_periods_are_looked_up_whatever_the_devices_are() {
    let weeks = ["2025-11-24", "2025-11-17"];
    let months = ["2025-12-01", "2025-11-01"];
    let days = ["2025-11-20", "2025-11-13"];
    let mut wrong = Vec::new();
    for (message, starts) in [
        ("Compare last week with the week before", weeks),
        (
            "Compare last week with the week before for all devices",
            weeks,
        ),
        ("Compare last week with the week before per device", weeks),
        ("last week vs the week before for each inverter", weeks),
        (
            "Compare LIN-INV-1 and LIN-INV-2 last week with the week before",
            weeks,
        ),
        ("Compare Mesa Ranch last week with the week before", weeks),
        (
            "Mesa Ranch: last week against the week before, per device",
            weeks,
        ),
        (
            "How did all inverters do last week compared to the previous week?",
            weeks,
        ),
        ("Compare this month with last month for all devices", months),
        ("this month vs last month per device", months),
        ("Compare November with December for all devices", months),
        ("Compare November and December per inverter", months),
        (
            "did all inverters make more this month than last month?",
            months,
        ),
        ("how much less did we make than last month?", months),
        ("which devices got worse since last month?", months),
        ("which inverters improved since last month?", months),
        (
            "which inverter made less this month than last month?",
            months,
        ),
        ("13 November versus 20 November", days),
        ("13 November versus 20 November for all devices", days),
        (
            "Compare the savings of 13 November with 20 November per device",
            days,
        ),
        (
            "energy per day in November against December per device",
            months,
        ),
        ("month over month per device", months),
    ] {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        let text = chat.say(message).await.text();
        let calls = chat.tools.calls();
        let called: Vec<&Value> = calls
            .iter()
            .filter(|(name, _)| name == SAVINGS)
            .map(|(_, call)| &call["start_date"])
            .collect();
        if called != starts || calls.iter().any(|(name, _)| name == COMPARE) {
            wrong.push(format!("{message}\n    {text}\n    {calls:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn each_device_is_compared_and_those_with_data_in_one_period_are_named() {
    let months = || {
        Double::with_loggers(plant())
            .once(
                SAVINGS,
                Ending::Answers(report(
                    ["2025-12-01", "2025-12-04"],
                    &[
                        ("LIN-INV-1", 40.0, 4),
                        ("LIN-INV-2", 88.0, 4),
                        ("LIN-INV-4", 30.0, 4),
                        ("MESA-A", 0.0, 0),
                    ],
                )),
            )
            .once(
                SAVINGS,
                Ending::Answers(report(
                    ["2025-11-01", "2025-11-30"],
                    &[
                        ("LIN-INV-1", 500.0, 25),
                        ("LIN-INV-2", 500.0, 25),
                        ("LIN-INV-3", 450.0, 25),
                        ("MESA-A", 0.0, 0),
                    ],
                )),
            )
    };
    let turn = Chat::new(months())
        .say("Compare November with December per device")
        .await;
    let text = turn.text();
    for said in [
        "2 devices made 872 kWh (87.2 %) less from 1 December to 4 December 2025 than from \
         1 November to 30 November 2025: 128 kWh against 1,000 kWh.",
        "different numbers of days with data, 4 and 25: per day it's 32 kWh against 40 kWh, \
         20 % less.",
        "LIN-INV-1 made 460 kWh (92 %) less, 40 kWh against 500 kWh, per day -50 %; LIN-INV-2 \
         made 412 kWh (82.4 %) less, 88 kWh against 500 kWh, per day +10 %.",
        "LIN-INV-3 (450 kWh) has data only from 1 November to 30 November 2025, so it isn't in \
         the sums.",
        "LIN-INV-4 (30 kWh) has data only from 1 December to 4 December 2025",
        "MESA-A has no data in either period.",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let text = Chat::new(months())
        .say("which devices got worse since last month?")
        .await
        .text();
    for said in [
        "1 of the 2 devices with data in both periods made less per day: LIN-INV-1 (-50 %).",
        "Together they changed by -20 %; LIN-INV-1 did clearly worse than that.",
        "128 kWh against 1,000 kWh",
    ] {
        assert!(text.contains(said), "{said}\n{text}");
    }
    let text = Chat::new(months())
        .say("Compare the money saved in November with December for all devices")
        .await
        .text();
    assert!(text.contains("CHF 32.00 against CHF 250.00"), "{text}");
}

#[tokio::test]
async fn a_period_without_data_is_said_and_is_no_nothing() {
    let turn = Chat::new(Double::with_loggers(plant()))
        .say("Compare October with November for all devices")
        .await;
    let text = turn.text();
    assert!(
        text.contains("from 1 October to 31 October 2025 there are no data"),
        "{text}"
    );
    assert!(
        text.contains("from 1 November to 30 November 2025"),
        "{text}"
    );
}

#[tokio::test]
async fn two_periods_of_other_figures_are_refused_by_name() {
    for message in [
        "compare the health of all inverters last week with the week before",
        "compare the performance ratio of LIN-INV-1 in November with December",
    ] {
        let mut chat = Chat::new(Double::with_loggers(plant()));
        let text = chat.say(message).await.text();
        assert!(
            text.contains("two periods side by side"),
            "{message}: {text}"
        );
        assert!(chat.tools.calls_of(COMPARE).is_empty(), "{message}");
    }
}
