//! Answers are to exactly what is asked: these days, this site, this unit, this moment.

use contracts::tools::names;
use serde_json::{Value, json};

use crate::{chat::Chat, double::Double, owner::plant};

fn chat() -> Chat {
    Chat::new(Double::with_loggers(plant()))
}

/// The days of the chart of a forecast.
fn charted(card: &Value) -> Vec<&str> {
    let rows = card["props"]["data"].as_array().unwrap();
    rows.iter()
        .map(|row| row["date"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_forecast_has_the_days_that_are_asked_for_and_no_others() {
    // The data run to Thursday, 4 December; today is the day after.
    let cases: &[(&str, &[&str], &str)] = &[
        (
            "forecast for LIN-INV-1 for next weekend",
            &["2025-12-06", "2025-12-07"],
            "60 kWh from LIN-INV-1 from 6 December to 7 December 2025",
        ),
        (
            "forecast for LIN-INV-1 the day after tomorrow",
            &["2025-12-07"],
            "30 kWh from LIN-INV-1 on 7 December 2025",
        ),
        (
            "how much will LIN-INV-1 make on monday?",
            &["2025-12-08"],
            "30 kWh from LIN-INV-1 on 8 December 2025",
        ),
        (
            "forecast for LIN-INV-1 tomorrow",
            &["2025-12-06"],
            "30 kWh from LIN-INV-1 on 6 December 2025",
        ),
        (
            "how much will LIN-INV-1 make on sunday and tuesday?",
            &["2025-12-07", "2025-12-09"],
            "60 kWh from LIN-INV-1 on 7 December 2025 and 9 December 2025",
        ),
        (
            "forecast for LIN-INV-1 for the next 2 days",
            &["2025-12-05", "2025-12-06"],
            "60 kWh from LIN-INV-1 from 5 December to 6 December 2025",
        ),
        (
            "forecast for LIN-INV-1 from 8 to 9 december",
            &["2025-12-08", "2025-12-09"],
            "60 kWh from LIN-INV-1 from 8 December to 9 December 2025",
        ),
    ];
    for (message, days, words) in cases {
        let turn = chat().say(message).await;
        assert_eq!(charted(turn.card()), *days, "{message}");
        let (energy, when) = words.split_once(" from LIN-INV-1 ").unwrap();
        let text = turn.text();
        assert!(
            text.contains(energy) && text.contains(when),
            "{message}: {text}"
        );
    }
}

#[tokio::test]
async fn a_forecast_that_does_not_reach_the_day_says_so() {
    let turn = chat().say("forecast for LIN-INV-1 on 20 december").await;
    assert_eq!(charted(turn.card()).len(), 7);
    assert!(turn.text().contains("at most 7 days"), "{}", turn.text());
    let turn = chat()
        .say("forecast for LIN-INV-1 on 2 december 2025")
        .await;
    assert!(
        turn.text().contains("2 December 2025 already has readings"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn the_power_right_now_is_the_newest_reading_with_its_time_and_age() {
    let mut chat = chat();
    let turn = chat.say("power of LIN-INV-1 right now").await;
    let text = turn.text();
    assert!(
        text.contains(
            "LIN-INV-1 delivered 1.2 kW by its newest reading, of 15:00 on 4 December 2025, "
        ),
        "{text}"
    );
    assert_eq!(
        chat.tools.calls_of(names::GET_FLEET_OVERVIEW),
        [json!({ "site_id": "lindenau" })]
    );
    let text = chat
        .say("what are MESA-A and MESA-B producing now?")
        .await
        .text();
    for id in ["MESA-A", "MESA-B"] {
        assert!(text.contains(&format!("{id} delivered 1.2 kW")), "{text}");
    }
}

#[tokio::test]
async fn how_a_site_did_in_a_month_is_its_energy() {
    let mut chat = chat();
    let turn = chat.say("how did Mesa Ranch do in november?").await;
    assert!(turn.text().contains("2,700 kWh"), "{}", turn.text());
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS),
        [json!({ "site_id": "mesa", "start_date": "2025-11-01", "end_date": "2025-11-30" })]
    );
}

#[tokio::test]
async fn errors_of_a_site_are_the_codes_of_its_devices_and_their_outages() {
    let mut chat = chat();
    let turn = chat.say("errors of Mesa Ranch in november").await;
    let calls = chat.tools.calls();
    let codes: Vec<_> = calls
        .iter()
        .filter(|(name, _)| name == names::DIAGNOSE_ERROR_CODES)
        .collect();
    assert_eq!(codes[0].1["site_id"], "mesa");
    assert!(turn.text().contains("no error codes"), "{}", turn.text());
    assert!(turn.text().contains("stood still"), "{}", turn.text());
    let mut chat = Chat::new(Double::new());
    let text = chat.say("list errors of LTI-INV-001").await.text();
    assert!(text.contains("E-501") && text.contains("out"), "{text}");
}

#[tokio::test]
async fn another_unit_keeps_the_devices_and_the_days() {
    let yesterday =
        json!({ "logger_id": "LIN-INV-1", "start_date": "2025-12-04", "end_date": "2025-12-04" });
    for (first, then) in [
        ("energy of LIN-INV-1 yesterday", "now in money"),
        ("energy of LIN-INV-1 yesterday", "in francs?"),
        (
            "energy of LIN-INV-1 yesterday",
            "and what is that in euros?",
        ),
        ("energy of LIN-INV-1", "how much is that in money?"),
        ("savings of LIN-INV-1 yesterday", "and in CO2?"),
    ] {
        let mut chat = chat();
        chat.say(first).await;
        chat.tools.calls();
        let turn = chat.say(then).await;
        assert_eq!(
            chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS),
            std::slice::from_ref(&yesterday),
            "{first} / {then}: {}",
            turn.text()
        );
        let converts = turn.text().contains("I don't convert it to EUR");
        assert_eq!(converts, then.contains("euros"), "{}", turn.text());
    }
    let mut chat = chat();
    chat.say("savings of LIN-INV-1 and LIN-INV-2 yesterday")
        .await;
    let turn = chat.say("in kWh?").await;
    assert!(
        turn.text().contains("1,800 kWh on 4 December 2025"),
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn what_a_site_is_offered_next_stays_with_the_site() {
    for message in [
        "briefing for Mesa Ranch",
        "how is Mesa Ranch doing?",
        "savings of Mesa Ranch last week",
        "any problems at Mesa Ranch?",
        "PR of Hof Lindenau yesterday",
    ] {
        let name = if message.contains("Mesa") {
            "Mesa Ranch"
        } else {
            "Hof Lindenau"
        };
        let turn = chat().say(message).await;
        let offers = turn.card()["suggestions"].as_array().unwrap();
        assert!(!offers.is_empty(), "{message}");
        for offer in offers {
            let action = offer["action"].as_str().unwrap();
            let device = plant().iter().any(|one| action.contains(&one.logger_id));
            assert!(device || action.contains(name), "{message}: {action}");
            let mut next = chat();
            let turn = next.say(action).await;
            let answered = next.tools.calls().iter().any(|(tool, call)| {
                tool != names::LIST_LOGGERS
                    && (device
                        || call["site_id"]
                            == json!(if name == "Mesa Ranch" {
                                "mesa"
                            } else {
                                "lindenau"
                            })
                        || call["logger_ids"].is_array()
                        || call["logger_id"].is_string())
            });
            assert!(answered, "{action}: {}", turn.text());
        }
    }
}

#[tokio::test]
async fn a_part_of_a_sites_name_that_all_its_devices_bear_is_the_site() {
    let mut chat = chat();
    let turn = chat.say("savings of mesa last week").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS)[0]["site_id"],
        "mesa",
        "{}",
        turn.text()
    );
}

#[tokio::test]
async fn slashes_are_read_as_the_days_that_a_device_has_data_for() {
    // The first site was there a year before the other, and neither has data in January or March.
    let mut loggers = plant();
    for logger in &mut loggers {
        if logger.site_id == "mesa" {
            logger.earliest_data = "2026-10-08T06:00:00+00:00".parse().ok();
            logger.latest_data = "2026-11-23T19:55:00+00:00".parse().ok();
        }
    }
    let mut chat = Chat::new(Double::with_loggers(loggers));
    let turn = chat.say("energy from 1/12 to 3/12").await;
    assert_eq!(
        chat.tools.calls_of(names::CALCULATE_FINANCIAL_SAVINGS),
        [json!({ "start_date": "2025-12-01", "end_date": "2025-12-03" })],
        "{}",
        turn.text()
    );
    assert!(turn.text().contains("I've read"), "{}", turn.text());
}

#[tokio::test]
async fn devices_that_ended_long_before_are_left_out_by_name() {
    let mut loggers = plant();
    for logger in &mut loggers {
        if logger.site_id == "mesa" {
            logger.earliest_data = "2022-01-02T06:00:00+00:00".parse().ok();
            logger.latest_data = "2022-01-06T19:55:00+00:00".parse().ok();
        }
    }
    let text = Chat::new(Double::with_loggers(loggers))
        .say("who was out in november 2025?")
        .await
        .text();
    assert!(
        text.contains("MESA-A, MESA-B and MESA-C have no data then"),
        "{text}"
    );
    assert!(!text.contains("too little data"), "{text}");
}

#[tokio::test]
async fn the_sunlight_of_a_weather_station_over_days_is_its_history() {
    let mut loggers = plant();
    for logger in &mut loggers {
        logger.has_irradiance = true;
    }
    let mut chat = Chat::new(Double::with_loggers(loggers).always(
        names::GET_ENERGY_HISTORY,
        crate::double::Ending::Answers(json!({
            "type": "energy_history", "loggerId": "LIN-WX", "period": { "start": "2025-11-24", "end": "2025-11-25" }, "interval": "day",
            "totalEnergyKwh": 0.0, "daysExpected": 2, "daysWithData": 2, "periods": [], "energySource": "power",
            "sunlight": { "insolationKwhM2": 5.5, "days": [{ "date": "2025-11-24", "insolationKwhM2": 2.0 }, { "date": "2025-11-25", "insolationKwhM2": 3.5 }] },
            "summary": "", "flags": [],
        })),
    ));
    let turn = chat
        .say("irradiance of LIN-WX from 24 to 25 november")
        .await;
    assert_eq!(
        chat.tools.calls_of(names::GET_ENERGY_HISTORY),
        [json!({ "logger_id": "LIN-WX", "start_date": "2025-11-24", "end_date": "2025-11-25" })]
    );
    assert!(
        turn.text().contains(
            "LIN-WX measured 5.50 kWh/m² of sunlight from 24 November 2025 to 25 November 2025"
        ),
        "{}",
        turn.text()
    );
}
