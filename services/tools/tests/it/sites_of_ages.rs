//! Devices that began and ended on different days, and a meter beside one of its inverters.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// Days from `first` with this peak power.
fn days(first: &str, count: i64, kw: f64) -> Vec<Row> {
    let first: DateTime<Utc> = format!("{first}T06:00:00Z").parse().unwrap();
    let day = |day: i64| {
        (1..=48).map(move |step: i32| {
            let sun = (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
            Row {
                time: first + Duration::days(day) + Duration::minutes(i64::from(step) * 15),
                power: Some(1000.0 * kw * sun),
                ..Row::default()
            }
        })
    };
    (0..count).flat_map(day).collect()
}

async fn put(app: &App, site: &str, devices: Vec<(&str, LoggerRole, Vec<Row>)>) {
    let mut conn = app.pool.acquire().await.unwrap();
    let site = SiteSettings::new(site, chrono_tz::UTC);
    let site = catalog::put_site(&mut conn, TENANT, &site).await.unwrap();
    let mut stored = Vec::new();
    for (id, role, rows) in devices {
        let mut logger = LoggerSettings::new(id, "lti");
        logger.role = role;
        logger.capacity_kw = (role == LoggerRole::Inverter).then_some(12.0);
        let key = catalog::put_logger(&mut conn, TENANT, site, &logger).await;
        stored.push((key.unwrap(), rows));
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
}

/// The intervals that are ranked, by their first days.
fn complete(history: &Value) -> Vec<&str> {
    let periods = history["result"]["periods"].as_array().unwrap().iter();
    periods
        .filter(|one| one["complete"] == true)
        .map(|one| one["start"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn intervals_are_complete_with_the_devices_that_were_in_use() {
    let database = database().await;
    let app = App::over(database.url());
    let inverter = LoggerRole::Inverter;
    // The old site ended on 20 May, the new one began on 1 July; between them is nothing.
    let old = vec![
        ("OLD-1", inverter, days("2025-04-01", 50, 10.0)),
        ("OLD-2", inverter, days("2025-04-01", 50, 8.0)),
    ];
    put(&app, "old", old).await;
    let new = vec![
        ("NEW-1", inverter, days("2025-07-01", 75, 9.0)),
        ("NEW-2", inverter, days("2025-08-01", 44, 5.0)),
    ];
    put(&app, "new", new).await;
    let arguments =
        json!({ "start_date": "2025-04-01", "end_date": "2025-09-13", "interval": "month" });
    let months = app.ok("get_energy_history", arguments.clone()).await;
    assert_eq!(
        complete(&months),
        ["2025-04-01", "2025-07-01", "2025-08-01"]
    );
    let result = &months["result"];
    assert_eq!(result["lowest"]["start"], "2025-07-01");
    assert_eq!(result["highest"]["start"], "2025-04-01");
    let summary = result["summary"].as_str().unwrap();
    assert!(summary.contains("the lowest July 2025"), "{summary}");
    assert!(summary.contains("May 2025"), "what is left out: {summary}");

    let mut of_one = arguments;
    of_one["logger_id"] = json!("OLD-1");
    of_one["end_date"] = json!("2025-05-20");
    let months = app.ok("get_energy_history", of_one).await;
    assert_eq!(complete(&months), ["2025-04-01"], "May is cut");
}

#[tokio::test]
async fn a_device_that_fell_silent_of_late_is_missing() {
    let database = database().await;
    let app = App::over(database.url());
    let inverter = LoggerRole::Inverter;
    let devices = vec![
        ("INV-1", inverter, days("2025-06-01", 30, 10.0)),
        ("INV-2", inverter, days("2025-06-01", 10, 10.0)),
    ];
    put(&app, "north", devices).await;
    let arguments =
        json!({ "start_date": "2025-06-01", "end_date": "2025-06-30", "interval": "day" });
    let history = app.ok("get_energy_history", arguments).await;
    assert_eq!(complete(&history).len(), 10);
}

#[tokio::test]
async fn an_inverter_beside_its_meter_made_something() {
    let database = database().await;
    let app = App::over(database.url());
    let devices = vec![
        ("INV-1", LoggerRole::Inverter, days("2025-06-01", 5, 10.0)),
        ("INV-2", LoggerRole::Inverter, days("2025-06-01", 5, 10.0)),
        ("METER", LoggerRole::Meter, days("2025-06-01", 5, 20.0)),
    ];
    put(&app, "north", devices).await;
    let arguments = json!({
        "logger_ids": ["METER", "INV-1"], "metric": "energy", "date": "2025-06-01",
        "end_date": "2025-06-05",
    });
    let compared = app.ok("compare_loggers", arguments).await;
    assert_eq!(compared["result"]["summary"]["METER"]["unranked"], "meter");
    let summary = compared["context"]["summary"].as_str().unwrap();
    assert!(
        summary.contains("Of METER, INV-1 only INV-1 can be ranked"),
        "{summary}"
    );
}
