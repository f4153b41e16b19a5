//! Ids that are alike, two periods of different lengths, and the end of a ranking after an energy.

use contracts::tools::{LoggerSummary, names};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending, logger},
    plant_owner::of_sites,
};

const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;

fn alike() -> Vec<LoggerSummary> {
    ["INV-001", "INV-01", "INV-1", "WR-2", "WR 2"]
        .map(|id| logger(id, "lti"))
        .to_vec()
}

#[tokio::test]
async fn an_exact_id_is_that_device_and_another_spelling_is_asked_for() {
    for id in ["INV-1", "INV-01", "INV-001", "WR-2", "WR 2"] {
        for message in [
            format!("Energy of {id} in November"),
            format!("Energy of \"{id}\" in November"),
            format!("energy of {} in november", id.to_lowercase()),
        ] {
            let mut chat = Chat::new(Double::with_loggers(alike()));
            let turn = chat.say(&message).await;
            let calls = chat.tools.calls_of(SAVINGS);
            assert_eq!(calls.len(), 1, "{message}: {}", turn.text());
            assert_eq!(calls[0]["logger_id"], id, "{message}");
            // What leans on it is about the same device.
            chat.say("and last week?").await;
            let calls = chat.tools.calls_of(SAVINGS);
            assert_eq!(calls[0]["logger_id"], id, "{message}");
        }
    }
    let mut chat = Chat::new(Double::with_loggers(alike()));
    chat.say("Compare INV-1 and INV-01").await;
    let calls = chat.tools.calls_of(COMPARE);
    assert_eq!(calls[0]["logger_ids"], json!(["INV-1", "INV-01"]));
    let mut chat = Chat::new(Double::with_loggers(alike()));
    let turn = chat.say("Energy of INV 1 in November").await;
    assert!(turn.open_picker().is_some(), "{}", turn.text());
    assert!(chat.tools.calls_of(SAVINGS).is_empty());
    chat.say("INV-01").await;
    let calls = chat.tools.calls_of(SAVINGS);
    assert_eq!(calls[0]["logger_id"], "INV-01");
}

fn report(name: &str, month: &str, days: u32, kwh: f64) -> Value {
    let mut report = of_sites();
    report["loggerId"] = json!(name);
    report["period"] = json!({ "start": format!("{month}-01"), "end": format!("{month}-30") });
    report["daysExpected"] = json!(days);
    report["daysWithData"] = json!(days);
    report["totalEnergyKwh"] = json!(kwh);
    report["sites"] = json!([]);
    report
}

#[tokio::test]
async fn the_means_of_two_periods_are_in_the_order_of_their_figures() {
    let of_one = |month, days, kwh| {
        let mut one = report("INV-1", month, days, kwh);
        one.as_object_mut().unwrap().remove("scope");
        one
    };
    let one = Double::with_loggers(alike())
        .once(SAVINGS, Ending::Answers(of_one("2025-12", 4, 80.0)))
        .once(SAVINGS, Ending::Answers(of_one("2025-11", 25, 750.0)));
    let turn = Chat::new(one)
        .say("Did INV-1 make more in December than in November?")
        .await;
    let text = turn.text();
    let said = "INV-1 made 670 kWh (89.3 %) less from 1 December to 4 December 2025 than from \
                1 November to 30 November 2025: 80 kWh against 750 kWh. They have different \
                numbers of days with data, 4 and 25: per day it's 20 kWh against 30 kWh, \
                33.3 % less.";
    assert!(text.contains(said), "{text}");
    let all = Double::with_loggers(alike())
        .once(
            SAVINGS,
            Ending::Answers(report("5 devices", "2025-12", 20, 400.0)),
        )
        .once(
            SAVINGS,
            Ending::Answers(report("5 devices", "2025-11", 100, 3000.0)),
        );
    let turn = Chat::new(all)
        .say("did we make more in December than in November?")
        .await;
    let text = turn.text();
    let said = "per device and day it's 20 kWh against 30 kWh, 33.3 % less.";
    assert!(text.contains(said), "{text}");
}

#[tokio::test]
async fn the_end_of_a_ranking_keeps_the_days_of_the_energy_before() {
    for (request, message) in [
        ("Energy of all devices in November", "top 3"),
        ("Energy of everything in November", "and the top 2?"),
        ("Energy of INV-1, INV-01 and WR-2 in November", "top 2"),
        ("How much energy did we make in November?", "the worst 2?"),
    ] {
        let mut chat = Chat::new(Double::with_loggers(alike()));
        chat.say(request).await;
        chat.tools.calls();
        let turn = chat.say(message).await;
        let calls = chat.tools.calls_of(COMPARE);
        assert!(!calls.is_empty(), "{request} {message}: {}", turn.text());
        for call in calls {
            assert_eq!(call["date"], "2025-11-01", "{request} {message}");
            assert_eq!(call["end_date"], "2025-11-30", "{request} {message}");
        }
    }
}

#[tokio::test]
async fn the_end_of_a_ranking_by_energy_is_in_kwh_whatever_the_size() {
    let row = |kwh: f64, per_kw: f64| {
        json!({
            "average": kwh, "peak": kwh, "total": kwh, "specificYield": per_kw,
            "capacityKw": kwh / per_kw, "vsMedianPct": 0.0, "robustZ": null, "commonRecords": 150,
        })
    };
    // The larger a device is, the less it makes for its size.
    let all = [
        ("INV-001", row(100.0, 5.0)),
        ("INV-01", row(200.0, 4.0)),
        ("INV-1", row(300.0, 3.0)),
        ("WR-2", row(400.0, 2.0)),
    ];
    let comparison = |ids: &[&str]| {
        let summary: serde_json::Map<_, _> = all
            .iter()
            .filter(|(id, _)| ids.contains(id))
            .map(|(id, row)| ((*id).to_owned(), row.clone()))
            .collect();
        json!({
            "type": "comparison", "metric": "energy", "loggerIds": ids, "date": "2025-11-01",
            "period": { "start": "2025-11-01", "end": "2025-11-30" }, "recordCount": 1, "data": [],
            "summary": summary, "basis": "stated_capacity", "ranking": ids, "best": ids[0],
            "worst": ids[ids.len() - 1], "spreadPercent": 60.0, "underperformers": [], "flags": [],
        })
    };
    for (message, end, by) in [
        (
            "Top 2 inverters in November by energy in kWh",
            ["INV-1", "WR-2"],
            "best 2 of 4 devices, ranked by energy: WR-2 (400 kWh) and INV-1 (300 kWh).",
        ),
        (
            "worst 2 inverters in November by kWh",
            ["INV-001", "INV-01"],
            "last 2 of 4 devices, ranked by energy: INV-01 (200 kWh) and INV-001 (100 kWh).",
        ),
        (
            "Top 2 inverters in November",
            ["INV-001", "INV-01"],
            "best 2 of 4 devices, ranked by energy for their size: INV-001 (5.00 kWh per kWp)",
        ),
    ] {
        let double = Double::with_loggers(alike())
            .once(
                COMPARE,
                Ending::Answers(comparison(&all.each_ref().map(|(id, _)| *id))),
            )
            .once(COMPARE, Ending::Answers(comparison(&end)));
        let mut chat = Chat::new(double);
        let text = chat.say(message).await.text();
        assert!(
            text.contains(by) && !text.contains("the least"),
            "{message}: {text}"
        );
        let calls = chat.tools.calls_of(COMPARE);
        let mut shown: Vec<String> =
            serde_json::from_value(calls[1]["logger_ids"].clone()).unwrap();
        shown.sort();
        assert_eq!(shown, end, "{message}");
    }
}
