//! A device that sleeps has no power, and more than five devices are added up.

use chrono::{DateTime, Duration, Utc};
use serde_json::json;
use solar::Position;
use tools::catalog::{LoggerSettings, SiteSettings};

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Readings of a day in five-minute steps from 06:00 UTC until `end`, with a share of 5 kW.
fn day_until(end: &str, share: f64) -> Vec<Row> {
    let end = at(end);
    let sunrise = end.date_naive().and_hms_opt(6, 0, 0).unwrap().and_utc();
    let rows = (1..=144).map(|step: i32| {
        let sun = (f64::from(step) / 144.0 * std::f64::consts::PI).sin();
        Row {
            time: sunrise + Duration::minutes(i64::from(step) * 5),
            power: Some(5000.0 * sun * share),
            ..Row::default()
        }
    });
    rows.filter(|row| row.time <= end).collect()
}

async fn store(app: &App, site: &SiteSettings, id: &str, rows: Vec<Row>) {
    let settings = LoggerSettings::new(id, "lti");
    fixtures::one_logger(&app.pool, TENANT, site, &settings, rows).await;
}

#[tokio::test]
async fn a_device_that_sleeps_has_no_power() {
    let database = database().await;
    let app = App::at(database.url(), "2025-11-05T21:00:00Z");
    let mut site = SiteSettings::new("roof", chrono_tz::UTC);
    site.position = Some(Position {
        latitude: 47.4,
        longitude: 8.5,
    });
    // The last reading has power: only the night says that the device sleeps.
    for (id, until) in [
        ("EARLY", "2025-11-05T13:00:00Z"),
        ("LATE", "2025-11-05T15:00:00Z"),
    ] {
        store(&app, &site, id, day_until(until, 1.0)).await;
    }
    let night = Row {
        time: at("2025-11-05T20:30:00Z"),
        power: Some(0.0),
        ..Row::default()
    };
    store(&app, &site, "LATE", vec![night]).await;
    let fleet = app.ok("get_fleet_overview", json!({})).await;
    let devices = fleet["result"]["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 2, "{fleet}");
    for device in devices {
        assert_eq!(device["state"], "asleep", "{device}");
        assert!(device["powerWatts"].is_null(), "{device}");
    }
    let power = &fleet["result"]["production"]["currentTotalPowerWatts"];
    assert!(power.as_f64().is_none_or(|watts| watts == 0.0), "{fleet}");
}

#[tokio::test]
async fn the_energy_of_eight_devices_is_the_sum_of_each() {
    let database = database().await;
    let app = App::over(database.url());
    let site = SiteSettings::new("roof", chrono_tz::UTC);
    for index in 0..8_i32 {
        let share = 1.0 - 0.02 * f64::from(index);
        let rows = day_until("2025-06-01T18:00:00Z", share);
        store(&app, &site, &format!("INV-{index}"), rows).await;
    }
    let mut sum = 0.0;
    for index in 0..8 {
        let arguments = json!({ "logger_id": format!("INV-{index}"), "start_date": "2025-06-01" });
        let one = app.ok("calculate_financial_savings", arguments).await;
        sum += one["result"]["totalEnergyKwh"].as_f64().unwrap();
    }
    let arguments = json!({ "site_id": "roof", "start_date": "2025-06-01" });
    let all = app.ok("calculate_financial_savings", arguments).await;
    let total = all["result"]["totalEnergyKwh"].as_f64().unwrap();
    assert!((total - sum).abs() < 0.01, "{total} {sum}");
    let compared = json!({ "site_id": "roof", "metric": "energy", "date": "2025-06-01" });
    let compared = app.ok("compare_loggers", compared).await;
    let summary = compared["result"]["summary"].as_object().unwrap();
    let ranked: f64 = summary
        .values()
        .filter_map(|one| one["total"].as_f64())
        .sum();
    assert!((ranked - total).abs() < 0.05, "{ranked} {total}");
}
