//! Devices that fell silent in the course of the day that a question is about, and rankings that
//! say what they go by.

use contracts::tools::{LoggerSummary, names};
use serde_json::json;

use crate::{
    chat::Chat,
    double::{Double, Ending, logger},
};

const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;

/// The second of two inverters sent its last reading at three in the night.
fn plant() -> Vec<LoggerSummary> {
    let mut silent = logger("B-2", "goodwe");
    silent.latest_data = "2025-12-04T03:00:00+00:00".parse().ok();
    vec![logger("A-1", "goodwe"), silent]
}

fn report(id: &str, kwh: f64) -> serde_json::Value {
    json!({
        "type": "financial_report", "loggerId": id, "siteId": "demo", "period": { "start": "2025-12-04", "end": "2025-12-04" },
        "daysExpected": 1, "daysWithData": 1, "missingDays": [], "totalEnergyKwh": kwh, "energySource": "daily_register",
        "electricityRate": 0.25, "electricityRateUsd": 0.25, "savings": kwh / 4.0, "savingsUsd": kwh / 4.0, "currency": "CHF", "co2OffsetKg": kwh / 8.0,
        "co2Factor": { "value": 0.125, "name": "mix", "year": 2024 }, "treesGrown10Years": 0.1, "treesEquivalent": 0.1, "projectedYear": null,
        "summary": "", "counted": true, "sites": [], "devices": [], "flags": [],
    })
}

#[tokio::test]
async fn a_device_that_fell_silent_has_not_made_nothing() {
    for question in [
        "how much did B-2 make today?",
        "how much did B-2 save on 4 December?",
        "what did B-2 save today?",
    ] {
        let double =
            Double::with_loggers(plant()).always(SAVINGS, Ending::Answers(report("B-2", 0.0)));
        let text = Chat::new(double).say(question).await.text();
        assert!(
            text.contains("B-2 has sent no data since 03:00 on 4 December 2025"),
            "{question}: {text}"
        );
        assert!(
            !text.contains("0 kWh") && !text.contains("no energy"),
            "{question}: {text}"
        );
    }
    // One that sent all day made nothing.
    let double = Double::with_loggers(plant()).always(SAVINGS, Ending::Answers(report("A-1", 0.0)));
    let text = Chat::new(double)
        .say("how much did A-1 save today?")
        .await
        .text();
    assert!(text.contains("made no energy"), "{text}");
}

/// The second of two inverters sent its last reading on the evening before.
fn since_the_evening_before() -> Vec<LoggerSummary> {
    let mut loggers = plant();
    loggers[0].latest_data = "2025-12-04T11:00:00+00:00".parse().ok();
    loggers[1].latest_data = "2025-12-03T18:00:00+00:00".parse().ok();
    loggers
}

#[tokio::test]
async fn a_silence_over_midnight_is_one() {
    for question in [
        "how much did B-2 make today?",
        "how much did B-2 save on 4 December?",
    ] {
        let double = Double::with_loggers(since_the_evening_before())
            .always(SAVINGS, Ending::Answers(report("B-2", 0.0)));
        let text = Chat::new(double).say(question).await.text();
        assert!(
            text.contains(
                "B-2 has sent no data since 18:00 on 3 December 2025, so I can't say what it made on 4 December 2025."
            ),
            "{question}: {text}"
        );
        assert!(!text.contains("no energy"), "{question}: {text}");
    }
    let mut total = report("2 devices", 12.0);
    total["scope"] = json!({ "kind": "all", "name": "2 devices", "devices": 2 });
    total["devices"] = json!([report("A-1", 12.0), report("B-2", 0.0)]);
    let double =
        Double::with_loggers(since_the_evening_before()).always(SAVINGS, Ending::Answers(total));
    let text = Chat::new(double)
        .say("how much did we make today?")
        .await
        .text();
    assert!(
        text.contains("B-2 has sent no data since 18:00 on 3 December 2025, so the total lacks"),
        "{text}"
    );
}

#[tokio::test]
async fn a_curve_of_a_device_that_fell_silent_says_so() {
    let without_power = json!({
        "type": "timeseries", "loggerId": "B-2", "date": "2025-12-04", "recordCount": 0, "data": [],
        "energySource": "power", "registerKwh": null, "completeness": 0.0, "holeHours": 0.0, "nightImportKwh": 0.0,
        "clippedSamples": 0, "stepMinutes": 5.0, "flags": [],
    });
    for question in [
        "How much energy did B-2 produce on 4 December?",
        "power curve of B-2 on 4 December",
    ] {
        let double = Double::with_loggers(plant())
            .always(
                names::GET_POWER_CURVE,
                Ending::Answers(without_power.clone()),
            )
            .always(SAVINGS, Ending::Answers(report("B-2", 0.0)));
        let text = Chat::new(double).say(question).await.text();
        assert!(
            text.contains("B-2 has sent no data since 03:00 on 4 December 2025"),
            "{question}: {text}"
        );
        assert!(!text.contains("delivered no power"), "{question}: {text}");
    }
    // It made something before.
    let double = Double::with_loggers(plant());
    let text = Chat::new(double)
        .say("power curve of B-2 on 4 December")
        .await
        .text();
    assert!(
        text.contains("made 31.4 kWh")
            && text.contains("B-2 has sent no data since 03:00 on 4 December 2025."),
        "{text}"
    );
    let double = Double::with_loggers(plant());
    let text = Chat::new(double)
        .say("power curve of A-1 on 4 December")
        .await
        .text();
    assert!(!text.contains("no data since"), "{text}");
}

#[tokio::test]
async fn a_total_names_the_devices_that_it_does_not_know() {
    let mut total = report("2 devices", 12.0);
    total["scope"] = json!({ "kind": "all", "name": "2 devices", "devices": 2 });
    total["devices"] = json!([report("A-1", 12.0), report("B-2", 0.0)]);
    for question in ["how much did we make today?", "how much did we save today?"] {
        let double = Double::with_loggers(plant()).always(SAVINGS, Ending::Answers(total.clone()));
        let text = Chat::new(double).say(question).await.text();
        assert!(
            text.contains(
                "B-2 has sent no data since 03:00, so the total lacks what it made since."
            ),
            "{question}: {text}"
        );
        assert!(!text.contains("B-2 made 0"), "{question}: {text}");
    }
}

#[tokio::test]
async fn the_end_of_a_ranking_says_what_it_goes_by() {
    for question in [
        "worst 2 inverters",
        "the two worst inverters in november",
        "bottom 2 devices",
    ] {
        let text = Chat::new(Double::new()).say(question).await.text();
        assert!(
            text.contains("These are the last 2 of 4 devices, ranked by energy for their size: "),
            "{question}: {text}"
        );
        assert!(
            !text.contains("is the best") && !text.contains("leads"),
            "{question}: {text}"
        );
        assert!(text.contains(" is last "), "{question}: {text}");
    }
}

#[tokio::test]
async fn a_meter_has_no_panels() {
    let mut meter = logger("M-1", "goodwe");
    meter.role = serde_json::from_value(json!("meter")).unwrap();
    for question in [
        "power curve of M-1 on 29 November",
        "how much did M-1 save in november?",
        "forecast for M-1",
        "performance ratio of M-1 yesterday",
    ] {
        let double = Double::with_loggers(vec![logger("A-1", "goodwe"), meter.clone()]);
        let text = Chat::new(double).say(question).await.text();
        assert!(!text.contains("panels on"), "{question}: {text}");
    }
}

/// Three devices, of which one stopped ten days before the newest reading, and one that has never
/// sent anything.
fn with_one_stopped() -> Vec<LoggerSummary> {
    let mut loggers = ["A-1", "B-2", "C-3", "D-4"]
        .map(|id| logger(id, "goodwe"))
        .to_vec();
    loggers[0].latest_data = "2025-12-04T11:00:00+00:00".parse().ok();
    loggers[1].latest_data = "2025-11-24T18:00:00+00:00".parse().ok();
    loggers[2].latest_data = "2025-12-02T11:00:00+00:00".parse().ok();
    (loggers[3].earliest_data, loggers[3].latest_data) = (None, None);
    loggers
}

#[tokio::test]
async fn silent_devices_are_those_that_sent_nothing_for_as_long_as_asked() {
    const OLDEST: &str = "B-2 since 18:00 on 24 November 2025, for 10 days";
    const OTHER: &str = "C-3 since 11:00 on 2 December 2025";
    let mut wrong = Vec::new();
    for (question, words, absent) in [
        (
            "Which devices are silent for more than a week?",
            "1 of your 4 devices has been silent for more than 1 week",
            "C-3",
        ),
        (
            "which inverters have been silent for over 7 days",
            OLDEST,
            "C-3",
        ),
        (
            "which devices have not sent data for more than 5 days?",
            OLDEST,
            "C-3",
        ),
        ("who has sent nothing for 24 hours?", OTHER, "A-1"),
        (
            "which ones stopped sending?",
            "2 of your 4 devices have been silent for more than 24 hours",
            "A-1",
        ),
        ("which devices stopped reporting?", OLDEST, "A-1"),
        ("which loggers no longer send data?", OTHER, "A-1"),
        ("has any device gone silent?", OLDEST, "A-1"),
        (
            "which devices are silent for more than a month?",
            "None of your 4 devices with readings has been silent for more than 30 days.",
            "B-2",
        ),
        (
            "how long has B-2 been silent?",
            "B-2 has sent nothing since 18:00 on 24 November 2025",
            "A-1",
        ),
        (
            "since when is B-2 silent?",
            "B-2 has sent nothing since 18:00 on 24 November 2025",
            "A-1",
        ),
        (
            "is B-2 still sending data?",
            "B-2 has sent nothing since 18:00 on 24 November 2025",
            "A-1",
        ),
        ("which devices are not sending data?", OLDEST, "A-1"),
        (
            "which inverter has been offline the longest?",
            OLDEST,
            "A-1",
        ),
        (
            "when did B-2 stop sending?",
            "B-2 has sent nothing since 18:00 on 24 November 2025, for 10 days.",
            "A-1",
        ),
        (
            "has A-1 stopped sending?",
            "A-1 has not been silent for more than 24 hours",
            "B-2",
        ),
    ] {
        let text = Chat::new(Double::with_loggers(with_one_stopped()))
            .say(question)
            .await
            .text();
        if !text.contains(words) || text.contains(absent) {
            wrong.push(format!("{question}\n    {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    let text = Chat::new(Double::with_loggers(with_one_stopped()))
        .say("which devices stopped sending?")
        .await
        .text();
    assert!(text.contains("D-4 has not sent a reading yet."), "{text}");
}
