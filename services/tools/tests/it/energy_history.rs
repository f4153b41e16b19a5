//! `get_energy_history`: energy by day, week, month and year.

use chrono::{DateTime, Duration, Utc};
use http::StatusCode;
use serde_json::{Value, json};
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// Days from `first`, each with the peak power that `kw` says; a day without one has no readings.
fn days(first: &str, count: i64, kw: impl Fn(i64) -> Option<f64>) -> Vec<Row> {
    let first: DateTime<Utc> = format!("{first}T06:00:00Z").parse().unwrap();
    let day = |day: i64| {
        let kw = kw(day);
        (1..=48).filter_map(move |step: i32| {
            let sun = (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
            Some(Row {
                time: first + Duration::days(day) + Duration::minutes(i64::from(step) * 15),
                power: Some(1000.0 * kw? * sun),
                ..Row::default()
            })
        })
    };
    (0..count).flat_map(day).collect()
}

/// A site with two inverters and a meter. The second inverter is silent from 10 to 12 June.
async fn site(app: &App) {
    let site = SiteSettings::new("north", chrono_tz::UTC);
    let well = |day: i64| Some(if day == 14 { 12.0 } else { 10.0 });
    let holes = |day: i64| (!(9..=11).contains(&day)).then_some(5.0);
    let mut conn = app.pool.acquire().await.unwrap();
    let site = catalog::put_site(&mut conn, TENANT, &site).await.unwrap();
    let mut stored = Vec::new();
    for (id, role, rows) in [
        ("INV-1", LoggerRole::Inverter, days("2025-06-01", 40, well)),
        ("INV-2", LoggerRole::Inverter, days("2025-06-01", 40, holes)),
        (
            "METER",
            LoggerRole::Meter,
            days("2025-06-01", 40, |_| Some(14.0)),
        ),
    ] {
        let mut logger = LoggerSettings::new(id, "lti");
        (logger.role, logger.capacity_kw) = (role, Some(12.0));
        let key = catalog::put_logger(&mut conn, TENANT, site, &logger).await;
        stored.push((key.unwrap(), rows));
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
}

/// Whether a sum of this many rounded parts is the rounded whole.
fn near(actual: &Value, expected: &Value, parts: u32) {
    let (one, other) = (actual.as_f64().unwrap(), expected.as_f64().unwrap());
    let rounding = 0.005 * f64::from(parts + 1) + 1e-6;
    assert!(
        (one - other).abs() < rounding,
        "{actual}, expected {expected}"
    );
}

fn sum(periods: &Value) -> Value {
    let energies = periods.as_array().unwrap().iter();
    json!(
        energies
            .filter_map(|one| one["energyKwh"].as_f64())
            .sum::<f64>()
    )
}

#[tokio::test]
async fn the_parts_add_up_to_the_energy_that_the_savings_report() {
    let database = database().await;
    let app = App::over(database.url());
    site(&app).await;
    for subject in [
        json!({ "logger_id": "INV-1" }),
        json!({ "site_id": "north" }),
        json!({}),
    ] {
        let mut arguments = subject.clone();
        arguments["start_date"] = json!("2025-06-03");
        arguments["end_date"] = json!("2025-07-08");
        let savings = app
            .ok("calculate_financial_savings", arguments.clone())
            .await;
        for (interval, count) in [("day", 36), ("week", 6), ("month", 2), ("year", 1_u32)] {
            arguments["interval"] = json!(interval);
            let history = app.ok("get_energy_history", arguments.clone()).await;
            let history = &history["result"];
            assert_eq!(
                history["periods"].as_array().unwrap().len(),
                count as usize,
                "{interval}"
            );
            let total = &history["totalEnergyKwh"];
            assert_eq!(total, &savings["result"]["totalEnergyKwh"], "{subject}");
            near(&sum(&history["periods"]), total, count);
        }
    }
}

#[tokio::test]
async fn complete_parts_are_ranked_and_incomplete_ones_are_marked() {
    let database = database().await;
    let app = App::over(database.url());
    site(&app).await;
    let arguments =
        json!({ "logger_id": "INV-1", "start_date": "2025-06-09", "end_date": "2025-06-22" });
    let history = app.ok("get_energy_history", arguments).await;
    let history = &history["result"];
    assert_eq!(
        (&history["interval"], &history["type"]),
        (&json!("day"), &json!("energy_history"))
    );
    assert_eq!(history["highest"]["start"], "2025-06-15");
    assert!(history.get("devices").is_none() && history.get("scope").is_none());
    let summary = history["summary"].as_str().unwrap();
    assert!(
        summary.contains("The highest day was 15 June 2025"),
        "{summary}"
    );

    let arguments = json!({ "logger_id": "INV-2", "start_date": "2025-06-04", "end_date": "2025-06-24", "interval": "week" });
    let weeks = app.ok("get_energy_history", arguments).await;
    let weeks = &weeks["result"];
    let complete: Vec<&Value> = weeks["periods"]
        .as_array()
        .unwrap()
        .iter()
        .map(|week| &week["complete"])
        .collect();
    // The first and the last week are cut by the period, the second has the silent days.
    assert_eq!(complete, [false, false, true, false]);
    assert_eq!(weeks["periods"][1]["daysWithData"], 4);
    assert!(
        weeks.get("highest").is_none(),
        "one week cannot be the highest"
    );
    assert_eq!(
        (&weeks["daysExpected"], &weeks["daysWithData"]),
        (&json!(21), &json!(18))
    );
    let silent = app
        .ok(
            "get_energy_history",
            json!({ "logger_id": "INV-2", "start_date": "2025-06-09", "end_date": "2025-06-12" }),
        )
        .await;
    assert!(
        silent["result"]["periods"][2].get("energyKwh").is_none(),
        "no data is not nothing"
    );
}

#[tokio::test]
async fn several_devices_are_added_without_their_meter() {
    let database = database().await;
    let app = App::over(database.url());
    site(&app).await;
    let arguments =
        json!({ "site_id": "north", "start_date": "2025-06-13", "end_date": "2025-06-14" });
    let history = app.ok("get_energy_history", arguments).await;
    let history = &history["result"];
    let devices: Vec<_> = history["devices"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["loggerId"], &one["counted"]))
        .collect();
    assert_eq!(
        devices,
        [
            (&json!("METER"), &json!(false)),
            (&json!("INV-1"), &json!(true)),
            (&json!("INV-2"), &json!(true))
        ]
    );
    let counted = history["devices"].as_array().unwrap().iter();
    let counted = counted.filter(|one| one["counted"] == true);
    let counted: f64 = counted.map(|one| one["energyKwh"].as_f64().unwrap()).sum();
    near(&history["totalEnergyKwh"], &json!(counted), 3);
    let silent = json!({ "logger_ids": ["INV-1", "INV-2"], "start_date": "2025-06-10", "end_date": "2025-06-11" });
    let history = app.ok("get_energy_history", silent).await;
    assert_eq!(history["result"]["leftOut"][0]["loggerId"], "INV-2");
}

#[tokio::test]
async fn impossible_periods_and_devices_are_refused() {
    let database = database().await;
    let app = App::over(database.url());
    site(&app).await;
    for (arguments, pointer) in [
        (
            json!({ "start_date": "2025-06-02", "end_date": "2025-06-01" }),
            "/end_date",
        ),
        (
            json!({ "start_date": "2010-06-02", "end_date": "2025-06-01" }),
            "/start_date",
        ),
        (
            json!({ "start_date": "2020-01-01", "end_date": "2025-07-01", "interval": "day" }),
            "/interval",
        ),
        (
            json!({ "start_date": "2025-06-01", "interval": "hour" }),
            "/interval",
        ),
        (
            json!({ "start_date": "2025-06-01", "logger_id": "INV-1", "site_id": "north" }),
            "/site_id",
        ),
    ] {
        let (status, problem) = app
            .call_as(TENANT, "get_energy_history", arguments.clone())
            .await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{arguments}: {problem}"
        );
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    for (arguments, answer) in [
        (
            json!({ "logger_id": "INV-9", "start_date": "2025-06-01" }),
            "no_data",
        ),
        (
            json!({ "logger_id": "INV-1", "start_date": "2025-08-01" }),
            "no_data_in_window",
        ),
        (
            json!({ "start_date": "2025-08-01", "end_date": "2025-08-02" }),
            "no_data_in_window",
        ),
    ] {
        let (status, envelope) = app
            .call_as(TENANT, "get_energy_history", arguments.clone())
            .await;
        assert_eq!(
            (status, &envelope["status"]),
            (StatusCode::OK, &json!(answer)),
            "{arguments}: {envelope}"
        );
    }
}

#[tokio::test]
async fn the_sunlight_of_a_weather_station_is_that_of_its_days() {
    let database = database().await;
    let app = App::over(database.url());
    let mut sensor = LoggerSettings::new("WX", "mbmet");
    sensor.role = LoggerRole::Weather;
    // Twice as much light on the third day, none of the readings on the fourth.
    let kw = |day: i64| match day {
        2 => Some(1.0),
        3 => None,
        _ => Some(0.5),
    };
    let rows = days("2025-06-01", 6, kw).into_iter().map(|row| Row {
        irradiance: row.power,
        power: None,
        ..row
    });
    let site = SiteSettings::new("north", chrono_tz::UTC);
    fixtures::one_logger(&app.pool, TENANT, &site, &sensor, rows.collect()).await;
    let week =
        json!({ "logger_id": "WX", "start_date": "2025-06-01", "end_date": "2025-06-05" });
    let answer = app.ok("get_energy_history", week).await;
    let result = &answer["result"];
    // A half sine of 12 hours: 12 h × 2/π of the peak.
    let hours = 12.0 * 2.0 / std::f64::consts::PI;
    let total = result["sunlight"]["insolationKwhM2"].as_f64().unwrap();
    assert!((total - 2.5 * hours).abs() < 0.05, "{total}: {answer}");
    let days = result["sunlight"]["days"].as_array().unwrap();
    assert_eq!(days.len(), 4);
    assert_eq!(
        (&result["daysWithData"], &result["daysExpected"]),
        (&json!(4), &json!(5))
    );
    let summary = result["summary"].as_str().unwrap();
    assert!(
        summary.contains("The sunniest day was 3 June 2025 with 7.6"),
        "{summary}"
    );
    let before =
        json!({ "logger_id": "WX", "start_date": "2025-05-01", "end_date": "2025-05-05" });
    let answer = app.call("get_energy_history", before).await;
    assert_eq!(answer["status"], "no_data_in_window", "{answer}");
}
