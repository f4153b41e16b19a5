//! Since when a device is behind the other inverters of its site, over HTTP.

use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::fixtures::Row;
use crate::harness::{App, database};
use crate::right_figures::{days, inverter, near, put};

const HEALTH: &str = "analyze_inverter_health";

/// The rows of a device whose power falls to a share on a day.
fn falling(since: &str, share: f64) -> Vec<Row> {
    let since: NaiveDate = since.parse().unwrap();
    days("2025-05-01", 61, 8000.0)
        .into_iter()
        .map(|row| Row {
            power: row.power.map(|power| {
                if row.time.date_naive() < since {
                    power
                } else {
                    share * power
                }
            }),
            ..row
        })
        .collect()
}

#[tokio::test]
async fn the_day_on_which_a_device_fell_behind_is_in_its_health() {
    let database = database().await;
    let app = App::over(database.url());
    for id in ["A", "B", "C"] {
        put(
            &app,
            inverter(id, Some(10.0)),
            days("2025-05-01", 61, 8000.0),
        )
        .await;
    }
    put(
        &app,
        inverter("FALLS", Some(10.0)),
        falling("2025-06-05", 0.8),
    )
    .await;
    // Of the same fall a device has only every third day before.
    let gaps = falling("2025-06-05", 0.8).into_iter().filter(|row| {
        let day = row.time.date_naive();
        day >= "2025-06-05".parse().unwrap() || chrono::Datelike::day(&day) % 3 != 0
    });
    put(&app, inverter("GAPS", Some(10.0)), gaps.collect()).await;
    let all =
        |id: &str| json!({ "logger_id": id, "start_date": "2025-05-01", "end_date": "2025-06-30" });
    for id in ["FALLS", "GAPS"] {
        let answer = app.ok(HEALTH, all(id)).await;
        let lag = &answer["result"]["lag"];
        assert_eq!(lag["lags"], true, "{answer}");
        assert_eq!(lag["since"], "2025-06-05", "{id}: {lag}");
        near(&lag["ratioBefore"], 1.0, 0.02, "before");
        near(&lag["ratioAfter"], 0.8, 0.02, "after");
    }
    let sound = app.ok(HEALTH, all("A")).await;
    let lag = &sound["result"]["lag"];
    assert_eq!(lag["lags"], false, "{lag}");
    assert!(lag["since"].is_null(), "{lag}");
    // A week is too short to compare.
    let week = json!({ "logger_id": "FALLS", "days": 7 });
    let week = app.ok(HEALTH, week).await;
    assert!(week["result"]["lag"].is_null(), "{week}");
    // Of several devices each has its own.
    let several = json!({ "logger_ids": ["A", "FALLS"], "start_date": "2025-05-01", "end_date": "2025-06-30" });
    let several = app.ok(HEALTH, several).await;
    assert!(several["result"]["lag"].is_null(), "{several}");
    let devices = several["result"]["devices"].as_array().unwrap();
    let falls = devices
        .iter()
        .find(|one| one["loggerId"] == "FALLS")
        .unwrap();
    assert_eq!(falls["lag"]["since"], "2025-06-05", "{falls}");
}

#[tokio::test]
async fn ten_low_days_are_found_in_every_window_that_has_them() {
    let database = database().await;
    let app = App::over(database.url());
    for id in ["A", "B"] {
        let rows = days("2025-05-01", 60, 8000.0);
        put(&app, inverter(id, Some(10.0)), rows).await;
    }
    let mut rows = falling("2025-06-20", 0.6);
    rows.retain(|row| row.time.date_naive() <= "2025-06-29".parse().unwrap());
    put(&app, inverter("LOW", Some(10.0)), rows).await;
    let mut of_each = Vec::new();
    for (first, days) in [("2025-06-01", 29), ("2025-06-10", 20), ("2025-06-20", 10)] {
        let of =
            |id: &str| json!({ "logger_id": id, "start_date": first, "end_date": "2025-06-29" });
        let sound = app.ok(HEALTH, of("A")).await;
        assert!(sound["result"]["shortfallKwh"].is_null(), "{sound}");
        let answer = app.ok(HEALTH, of("LOW")).await;
        let result = &answer["result"];
        assert_eq!(result["daysAnalyzed"], days, "{answer}");
        // Its sensor shows each of these days, too.
        let mut events = result["events"].as_array().unwrap().iter();
        let of_days = |event: &&Value| event["minutes"].as_f64() > Some(1500.0);
        let event = events.find(of_days).unwrap();
        assert_eq!(event["kind"], "underperformance", "{answer}");
        let start = event["start"].as_str().unwrap();
        assert!(start.starts_with("2025-06-20T00:00"), "{event}");
        assert_eq!(event["lostKwh"], result["shortfallKwh"], "{answer}");
        let mut told = result["anomalies"].as_array().unwrap().iter();
        let span = "from 20 June 2025 to 29 June 2025.";
        assert!(
            told.any(|one| one["description"].as_str().unwrap().ends_with(span)),
            "{answer}"
        );
        // The score falls by the share of the lost energy at least.
        let share = 100.0 * 0.4 * 10.0 / f64::from(days);
        let score = result["healthScore"].as_f64().unwrap();
        assert!(score <= 100.0 - share + 0.5, "{score} {share}");
        of_each.push(result["shortfallKwh"].as_f64().unwrap());
    }
    for lost in &of_each {
        assert!((lost - of_each[0]).abs() < 0.01 * lost, "{of_each:?}");
    }
    let several =
        json!({ "site_id": "roof", "start_date": "2025-06-01", "end_date": "2025-06-29" });
    let several = app.ok(HEALTH, several).await;
    near(&several["result"]["shortfallKwh"], of_each[0], 0.1, "all");
}
