//! Questions of people with a plant of their own, in the words that they use: counts of outages,
//! ends of rankings by health and by loss, days among days, two periods of one device, and devices
//! that are left out of the question before.

use contracts::tools::{LoggerSummary, names};
use serde_json::{Value, json};

use crate::{
    chat::Chat,
    double::{Double, Ending, logger},
};

const HEALTH: &str = names::ANALYZE_INVERTER_HEALTH;
const SAVINGS: &str = names::CALCULATE_FINANCIAL_SAVINGS;
const COMPARE: &str = names::COMPARE_LOGGERS;
const HISTORY: &str = names::GET_ENERGY_HISTORY;

/// A message, the tool that answers it with some of its arguments, words that the answer has, and
/// words that it has not.
pub(crate) type Asked = (
    &'static str,
    &'static str,
    Value,
    &'static str,
    &'static str,
);

pub(crate) async fn check(plant: fn() -> Vec<LoggerSummary>, threads: Vec<Vec<Asked>>) {
    let mut wrong = Vec::new();
    for thread in threads {
        let mut double = Double::with_loggers(plant());
        let of_sites_asked =
            |(message, ..): &Asked| message.contains("site") || message.contains("plants");
        if thread.iter().any(of_sites_asked) {
            double = double.always(SAVINGS, Ending::Answers(of_sites()));
        }
        let mut chat = Chat::new(double);
        for (message, tool, arguments, words, never) in thread {
            chat.tools.calls();
            let turn = chat.say(message).await;
            let text = turn.text();
            let called = chat.tools.calls();
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let fits = |call: &Value| arguments.iter().all(|(name, value)| call[name] == *value);
            let right = called.iter().any(|(name, call)| name == tool && fits(call));
            let unsaid = never.is_empty() || !text.contains(never);
            if !right || !text.contains(words) || !unsaid || turn.open_picker().is_some() {
                wrong.push(format!("{message}\n    {text}\n    {called:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The energy of both sites.
pub(crate) fn of_sites() -> Value {
    let period = json!({ "start": "2025-11-01", "end": "2025-11-30" });
    let site = |id: &str, name: &str, kwh: f64| json!({ "siteId": id, "name": name, "period": period, "devices": 2, "totalEnergyKwh": kwh, "electricityRate": 0.25, "savings": kwh / 4.0, "currency": "CHF", "co2OffsetKg": kwh / 8.0 });
    json!({
        "type": "financial_report", "loggerId": "all 5 devices", "scope": { "kind": "all", "name": "all 5 devices", "devices": 5 }, "period": period,
        "daysExpected": 150, "daysWithData": 150, "missingDays": [], "totalEnergyKwh": 1500.0, "capacityKw": null, "specificYield": null, "energySource": "daily_register",
        "electricityRate": 0.25, "electricityRateUsd": 0.25, "savings": 375.0, "savingsUsd": 375.0, "currency": "CHF", "co2OffsetKg": 187.5,
        "co2Factor": { "value": 0.125, "name": "mix", "year": 2024 }, "treesGrown10Years": 3.1, "treesEquivalent": 3.1, "projectedYear": null, "summary": "1500 kWh.",
        "sites": [site("mill", "Old Mill", 1000.0), site("barn", "Hay Barn", 500.0)], "devices": [], "flags": [],
    })
}

/// Three inverters and a meter of a mill, two inverters of a barn; LTI-INV-001 was out on
/// 29 November.
pub(crate) fn mill() -> Vec<LoggerSummary> {
    let at = |id: &str, site: &str, name: &str| {
        let mut one = logger(id, "lti");
        site.clone_into(&mut one.site_id);
        name.clone_into(&mut one.site_name);
        one
    };
    let mut meter = at("MILL-METER", "mill", "Old Mill");
    meter.role = serde_json::from_value(json!("meter")).unwrap();
    vec![
        at("LTI-INV-001", "mill", "Old Mill"),
        at("MILL-1", "mill", "Old Mill"),
        at("MILL-2", "mill", "Old Mill"),
        meter,
        at("BARN-A", "barn", "Hay Barn"),
        at("BARN-B", "barn", "Hay Barn"),
    ]
}

#[tokio::test]
async fn devices_that_were_out_are_counted() {
    let on_day = json!({ "end_date": "2025-11-29" });
    let mut threads = Vec::new();
    for message in [
        "how many inverters were out on 29 November?",
        "How many devices were down on 29 November?",
        "how many of my inverters were offline on 29 november",
        "how many inverters stood still on 29 November?",
        "on 29 November, how many inverters were out?",
        "number of inverters that were out on 29 November",
        "how many inverters failed on 29 November?",
        "how many inverters had an outage on 29 November?",
        "how many inverters were not working on 29 November?",
        "how many inverters went down on 29 november",
        "count the inverters that were out on 29 November",
    ] {
        threads.push(vec![(
            message,
            HEALTH,
            on_day.clone(),
            "One of your 5 devices was out",
            "",
        )]);
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn a_count_of_devices_that_were_out_is_said_once() {
    let mut chat = Chat::new(Double::with_loggers(mill()));
    let text = chat
        .say("how many inverters were out on 29 November?")
        .await
        .text();
    assert!(text.contains("One of your 5 devices was out"), "{text}");
    assert_eq!(text.matches("One of your 5 devices").count(), 1, "{text}");
    assert_eq!(text.matches("5 devices").count(), 1, "{text}");
}

#[tokio::test]
async fn devices_that_were_not_out_are_those_that_ran() {
    let on_day = json!({ "end_date": "2025-11-29" });
    let ran = "4 of your 5 devices didn't stand still then: BARN-A, BARN-B, MILL-1 and MILL-2";
    let mut threads = Vec::new();
    for message in [
        "who was not out on 29 November?",
        "who wasn't out on 29 November?",
        "which inverters were not down on 29 November?",
        "which inverters weren't out on 29 November?",
        "which inverters had no outage on 29 November?",
        "which inverters stayed up on 29 November?",
        "which inverters kept running on 29 November?",
        "who never went down on 29 November?",
        "which devices ran without an outage on 29 November?",
        "how many inverters were not out on 29 November?",
        "which inverters did not stand still on 29 November?",
    ] {
        threads.push(vec![(message, HEALTH, on_day.clone(), ran, "")]);
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn devices_that_are_not_offline_now_are_those_that_are_online() {
    let mut wrong = Vec::new();
    for message in [
        "who is not offline?",
        "which inverters are not offline now?",
    ] {
        let mut chat = Chat::new(Double::new().offline(&["MEIER-INV-001"]));
        let text = chat.say(message).await.text();
        if !text.contains("3 of your 4 devices are online: GW-INV-001, LTI-INV-001 and SD-INV-001.")
        {
            wrong.push(format!("{message}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn ranks_by_health() {
    let mut threads = Vec::new();
    for message in [
        "which inverter has the worst health?",
        "worst health in november",
        "which inverter has the lowest health score?",
        "who is in the worst condition?",
        "which inverter is in the worst shape?",
        "rank my inverters by health",
        "worst 2 inverters by health",
        "the two inverters with the worst health",
        "the unhealthiest inverter",
        "which device has the poorest health?",
    ] {
        threads.push(vec![(
            message,
            HEALTH,
            json!({}),
            "LTI-INV-001 has the lowest health score, 88",
            "",
        )]);
    }
    threads.push(vec![(
        "which inverter is the healthiest?",
        HEALTH,
        json!({}),
        "the highest health score, 100",
        "",
    )]);
    check(mill, threads).await;
}

#[tokio::test]
async fn ranks_by_lost_energy() {
    let mut threads = Vec::new();
    for message in [
        "which inverter lost the most energy?",
        "who lost the most energy in november?",
        "which device lost most kWh in november?",
        "which inverter had the highest losses in november?",
        "worst 2 inverters by lost energy",
        "top 2 inverters by lost energy in november",
        "rank the inverters by lost energy",
        "who has lost the most?",
        "which inverter had the most downtime losses?",
        "the inverter with the biggest loss in november",
    ] {
        threads.push(vec![(
            message,
            HEALTH,
            json!({}),
            "LTI-INV-001 lost the most, 18.2 kWh",
            "",
        )]);
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn ends_of_the_ranking_of_sites_are_sites() {
    let mut threads = Vec::new();
    for message in [
        "top 2 sites",
        "top two sites in november",
        "the 2 best sites",
        "worst 2 sites in november",
        "which are the top 2 plants?",
        "show me the top 2 sites by energy",
        "bottom 2 sites last month",
        "who are the top 2 sites in november?",
        "the best 2 plants last month",
    ] {
        threads.push(vec![(message, SAVINGS, json!({}), "2 sites", "")]);
    }
    for message in [
        "best sites last month",
        "rank the sites",
        "rank my sites by energy in november",
    ] {
        threads.push(vec![(
            message,
            SAVINGS,
            json!({}),
            "Old Mill made the most energy",
            "",
        )]);
    }
    threads.push(vec![(
        "top 1 site in november",
        SAVINGS,
        json!({}),
        "Of your 2 sites the most energy was made by Old Mill with 1,000 kWh.",
        "Hay Barn with",
    )]);
    threads.push(vec![("worst 2 sites in november", SAVINGS, json!({}), "Of your 2 sites the least energy was made by Hay Barn with 500 kWh and Old Mill with 1,000 kWh.", "")]);
    check(mill, threads).await;
}

#[tokio::test]
async fn the_best_day_of_a_device_is_told() {
    let mut threads = Vec::new();
    for message in [
        "best day of MILL-2",
        "what was the best day of MILL-2 in november?",
        "which day was the best for MILL-2?",
        "on which day did MILL-2 produce the most?",
        "when did MILL-2 make the most energy?",
        "worst day of MILL-2 in november",
        "MILL-2's best day",
        "the most productive day of MILL-2",
        "on what day did MILL-2 make the least?",
        "highest day of MILL-2 in november",
    ] {
        threads.push(vec![(
            message,
            HISTORY,
            json!({ "logger_id": "MILL-2", "interval": "day" }),
            "14 November 2025 with 41.5 kWh",
            "",
        )]);
    }
    threads.push(vec![(
        "best week of MILL-2",
        HISTORY,
        json!({ "interval": "week" }),
        "",
        "",
    )]);
    threads.push(vec![(
        "what was our best month?",
        HISTORY,
        json!({ "interval": "month" }),
        "",
        "",
    )]);
    check(mill, threads).await;
}

#[tokio::test]
async fn any_device_is_all_of_them() {
    let mut threads = Vec::new();
    for message in [
        "is any inverter underperforming?",
        "is any inverter underperforming in november?",
        "are any inverters underperforming?",
        "is any of my inverters lagging?",
        "are there any underperforming inverters?",
        "does any inverter underperform?",
        "is any device weak?",
        "any underperforming inverters?",
        "which inverters are underperforming?",
        "is there an inverter that underperforms?",
    ] {
        threads.push(vec![(message, COMPARE, json!({}), "", "")]);
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn two_periods_of_one_device_are_set_side_by_side() {
    let second = json!({ "logger_id": "MILL-2", "start_date": "2025-12-01" });
    let mut threads = Vec::new();
    for message in [
        "difference between November and December for MILL-2",
        "what is the difference between november and december for MILL-2?",
        "compare november and december for MILL-2",
        "compare MILL-2 in november and in december",
        "MILL-2: november versus december",
        "MILL-2 november vs december",
        "did MILL-2 make more in december than in november?",
        "how much more did MILL-2 make in december than in november?",
        "MILL-2 in november compared to december",
        "energy of MILL-2 in november against december",
    ] {
        threads.push(vec![(
            message,
            SAVINGS,
            second.clone(),
            "MILL-2 made the same",
            "",
        )]);
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn devices_are_left_out_of_the_question_before() {
    let others = json!({ "logger_ids": ["LTI-INV-001", "MILL-1", "BARN-A", "BARN-B"] });
    let mut threads = Vec::new();
    for (before, tool) in [
        ("compare all inverters in november", COMPARE),
        ("which inverter made the most energy in november?", COMPARE),
        ("top 3 inverters in november", COMPARE),
        ("rank the inverters in november", COMPARE),
    ] {
        for message in [
            "without MILL-2",
            "leave out MILL-2",
            "leave MILL-2 out",
            "now without MILL-2",
            "and without MILL-2?",
            "exclude MILL-2",
            "not MILL-2",
            "everything except MILL-2",
            "ignore MILL-2",
            "skip MILL-2 please",
        ] {
            threads.push(vec![
                (before, tool, json!({}), "", ""),
                (message, tool, others.clone(), "", "MILL-2"),
            ]);
        }
    }
    check(mill, threads).await;
}

#[tokio::test]
async fn a_number_of_a_device_is_no_day() {
    let november =
        json!({ "logger_id": "MILL-2", "start_date": "2025-11-01", "end_date": "2025-11-30" });
    let mut threads = Vec::new();
    for message in [
        "now in money",
        "and in money?",
        "in euros",
        "how much is that worth?",
    ] {
        threads.push(vec![
            (
                "how much energy did MILL-2 make last week?",
                SAVINGS,
                json!({}),
                "",
                "",
            ),
            ("and November?", SAVINGS, november.clone(), "", ""),
            (message, SAVINGS, november.clone(), "", ""),
        ]);
        threads.push(vec![
            (
                "energy of MILL-2 november",
                SAVINGS,
                november.clone(),
                "",
                "",
            ),
            (message, SAVINGS, november.clone(), "", ""),
        ]);
    }
    check(mill, threads).await;
}

/// MILL-2 has sent nothing since 6 November; the others continue.
fn silent() -> Vec<LoggerSummary> {
    let mut all = mill();
    all[2].earliest_data = serde_json::from_value(json!("2025-01-05T06:00:00+00:00")).unwrap();
    all[2].latest_data = serde_json::from_value(json!("2025-11-06T16:00:00+00:00")).unwrap();
    all
}

#[tokio::test]
async fn a_silent_device_is_said_to_be_silent() {
    let told = "MILL-2 has not reported since 6 November 2025 (29 days).";
    let november = json!({ "start_date": "2025-11-01", "end_date": "2025-11-30" });
    let mut threads = Vec::new();
    for (message, tool, arguments) in [
        (
            "is MILL-2 healthy?",
            HEALTH,
            json!({ "logger_id": "MILL-2" }),
        ),
        ("how is MILL-2?", HEALTH, json!({ "logger_id": "MILL-2" })),
        (
            "how long has MILL-2 been offline?",
            HEALTH,
            json!({ "end_date": "2025-12-04" }),
        ),
        ("is MILL-2 ok?", HEALTH, json!({})),
        (
            "was MILL-2 out in november?",
            HEALTH,
            json!({ "end_date": "2025-11-30" }),
        ),
        (
            "how much did MILL-2 save last month?",
            SAVINGS,
            november.clone(),
        ),
        ("energy of MILL-2 in november", SAVINGS, november.clone()),
        (
            "compare MILL-1 and MILL-2 in november",
            COMPARE,
            json!({ "date": "2025-11-01" }),
        ),
        (
            "top 2 inverters in november",
            COMPARE,
            json!({ "date": "2025-11-01" }),
        ),
        (
            "forecast for MILL-2",
            names::FORECAST_PRODUCTION,
            json!({ "logger_id": "MILL-2" }),
        ),
        (
            "error codes of MILL-2",
            names::DIAGNOSE_ERROR_CODES,
            json!({ "logger_id": "MILL-2" }),
        ),
        (
            "performance ratio of MILL-2",
            names::CALCULATE_PERFORMANCE_RATIO,
            json!({ "logger_id": "MILL-2" }),
        ),
    ] {
        threads.push(vec![(message, tool, arguments, told, "")]);
    }
    check(silent, threads).await;
}
