//! `check_alert`: what is the case by the clock, not by the newest reading.

use chrono::{DateTime, TimeDelta, Utc};
use http::StatusCode;
use serde_json::{Value, json};
use solar::Position;
use test_support::database::TestDatabase;
use tools::catalog::{self, LoggerSettings, SiteSettings};

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// Readings every quarter of an hour of 1 June 2026, from 6 o'clock to `until`, of this power.
fn day(until: &str, power: f64) -> Vec<Row> {
    let first: DateTime<Utc> = "2026-06-01T06:00:00Z".parse().unwrap();
    let until: DateTime<Utc> = format!("2026-06-01T{until}:00Z").parse().unwrap();
    std::iter::successors(Some(first), |time| Some(*time + TimeDelta::minutes(15)))
        .take_while(|time| *time <= until)
        .map(|time| Row {
            time,
            power: Some(power),
            ..Row::default()
        })
        .collect()
}

/// Readings without power after `from`, until 20 o'clock.
fn standing(from: &str) -> Vec<Row> {
    let from: DateTime<Utc> = format!("2026-06-01T{from}:00Z").parse().unwrap();
    let rows = day("20:00", 0.0).into_iter();
    rows.filter(|row| row.time > from).collect()
}

/// A site whose inverters deliver until these times.
async fn site(database: &TestDatabase, positioned: bool, inverters: Vec<(&str, Vec<Row>)>) {
    let app = App::over(database.url());
    let mut settings = SiteSettings::new("north", chrono_tz::UTC);
    settings.position = positioned.then_some(Position {
        latitude: 47.0,
        longitude: 0.0,
    });
    let mut conn = app.pool.acquire().await.unwrap();
    let site = catalog::put_site(&mut conn, TENANT, &settings)
        .await
        .unwrap();
    let mut stored = Vec::new();
    for (id, rows) in inverters {
        let logger = LoggerSettings::new(id, "lti");
        let key = catalog::put_logger(&mut conn, TENANT, site, &logger).await;
        stored.push((key.unwrap(), rows));
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
}

/// The devices that a condition holds for, and the whole answer, at a time.
async fn holds(database: &TestDatabase, now: &str, condition: Value) -> (Vec<String>, Value) {
    let app = App::at(database.url(), now);
    let answer = app.ok("check_alert", condition).await;
    let events = answer["result"]["events"].as_array().unwrap();
    let ids = events
        .iter()
        .map(|event| event["loggerId"].as_str().unwrap().to_owned());
    (ids.collect(), answer["result"].clone())
}

#[tokio::test]
async fn a_device_is_out_when_its_neighbours_deliver_or_the_sun_is_high() {
    let database = database().await;
    site(
        &database,
        true,
        vec![
            ("INV-1", day("18:00", 5000.0)),
            ("INV-2", day("09:00", 5000.0)),
            ("INV-3", [day("09:00", 5000.0), standing("09:00")].concat()),
        ],
    )
    .await;
    let out = |minutes: u32| json!({ "kind": "device_out", "minutes": minutes });
    let at = async |now: &str, minutes| holds(&database, now, out(minutes)).await.0;
    assert_eq!(at("2026-06-01T09:50:00Z", 60).await, Vec::<String>::new());
    assert_eq!(at("2026-06-01T10:02:00Z", 60).await, ["INV-2", "INV-3"]);
    let (_, told) = holds(&database, "2026-06-01T10:02:00Z", out(60)).await;
    let texts: Vec<&str> = told["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts[0], "INV-2 has been out since 1 June 2026, 09:00.");
    assert_eq!(
        texts[1],
        "INV-3 has delivered nothing since 1 June 2026, 09:00, although it sends readings."
    );
    assert_eq!(told["events"][0]["key"], "north/INV-2");
    assert_eq!(told["devices"], 3);
    // At night nothing changes: what worked until the evening works, what was out stays out.
    assert_eq!(at("2026-06-02T02:00:00Z", 60).await, ["INV-2", "INV-3"]);
    // In the morning after, the first has delivered nothing for two hours of a high sun.
    let morning = at("2026-06-02T10:00:00Z", 120).await;
    assert_eq!(morning, ["INV-1", "INV-2", "INV-3"]);
    let one = json!({ "kind": "device_out", "logger_id": "INV-1" });
    assert_eq!(
        holds(&database, "2026-06-01T10:02:00Z", one).await.0,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn without_a_position_midday_is_daylight() {
    let database = database().await;
    site(&database, false, vec![("INV-1", day("18:00", 5000.0))]).await;
    let out = json!({ "kind": "device_out", "minutes": 60 });
    let at = async |now: &str| holds(&database, now, out.clone()).await.0.len();
    assert_eq!(at("2026-06-02T09:00:00Z").await, 0);
    assert_eq!(at("2026-06-02T11:05:00Z").await, 1);
    // It has delivered nothing for longer than is looked back.
    assert_eq!(at("2026-07-02T03:00:00Z").await, 1);
}

#[tokio::test]
async fn silence_counts_day_and_night() {
    let database = database().await;
    site(
        &database,
        true,
        vec![
            ("INV-1", day("18:00", 5000.0)),
            ("INV-2", day("09:00", 5000.0)),
        ],
    )
    .await;
    let silent = |hours: u32| json!({ "kind": "no_data", "hours": hours });
    let at = async |now: &str, hours| holds(&database, now, silent(hours)).await.0;
    assert_eq!(at("2026-06-01T18:05:00Z", 3).await, ["INV-2"]);
    assert_eq!(at("2026-06-01T22:05:00Z", 3).await, ["INV-1", "INV-2"]);
    assert_eq!(at("2026-06-01T22:05:00Z", 24).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_day_is_judged_by_the_forecast_for_it() {
    let database = database().await;
    let first: DateTime<Utc> = "2026-05-01T06:00:00Z".parse().unwrap();
    // 40 days alike, the 36th with a third of it; of the second device that day has a hole.
    let days = |hole: bool| -> Vec<Row> {
        (0..40)
            .flat_map(|day| {
                (1..=48).filter_map(move |step: i32| {
                    let sun = (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
                    let share = if day == 35 { 0.3 } else { 1.0 };
                    let missing = hole && day == 35 && (10..40).contains(&step);
                    (!missing).then(|| Row {
                        time: first
                            + TimeDelta::days(day)
                            + TimeDelta::minutes(i64::from(step) * 15),
                        power: Some(10_000.0 * share * sun),
                        ..Row::default()
                    })
                })
            })
            .collect()
    };
    site(
        &database,
        true,
        vec![("INV-1", days(false)), ("INV-2", days(true))],
    )
    .await;
    let low = json!({ "kind": "low_energy", "percent": 80 });
    let (ids, told) = holds(&database, "2026-06-06T05:00:00Z", low.clone()).await;
    assert_eq!(ids, ["INV-1"], "{told}");
    assert_eq!(told["undecided"], json!(["north/INV-2"]));
    let text = told["events"][0]["text"].as_str().unwrap();
    assert!(text.contains("on 5 June 2026, 30 % of the"), "{text}");
    let (ids, told) = holds(&database, "2026-06-05T05:00:00Z", low.clone()).await;
    assert_eq!((ids.len(), &told["undecided"]), (0, &json!([])), "{told}");
    let lower = json!({ "kind": "low_energy", "percent": 25 });
    assert_eq!(
        holds(&database, "2026-06-06T05:00:00Z", lower).await.0,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let database = database().await;
    site(&database, true, vec![("INV-1", day("18:00", 5000.0))]).await;
    let app = App::at(database.url(), "2026-06-01T10:00:00Z");
    let unknown = json!({ "kind": "device_out", "logger_id": "INV-7" });
    let answer = app.call("check_alert", unknown).await;
    assert_eq!(answer["status"], "no_data");
    assert!(answer["message"].as_str().unwrap().contains("INV-7"));
    let elsewhere = json!({ "kind": "no_data", "hours": 1 });
    let (status, answer) = app.call_as("elsewhere", "check_alert", elsewhere).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(answer["status"], "no_data", "another tenant has no devices");
}

#[tokio::test]
async fn a_site_that_is_historical_begins_no_alert_of_all_devices() {
    let database = database().await;
    site(&database, true, vec![("OLD-1", day("18:00", 5000.0))]).await;
    let conditions = ["device_out", "no_data", "low_energy"];
    for kind in conditions {
        let (found, told) = holds(&database, "2026-12-01T10:00:00Z", json!({ "kind": kind })).await;
        assert_eq!(found, Vec::<String>::new(), "{kind}");
        // What had begun before is not over either.
        assert_eq!(told["undecided"], json!(["north/OLD-1"]), "{kind}");
        let summary = told["summary"].as_str().unwrap();
        assert!(summary.contains("0 of 0 devices"), "{summary}");
        assert!(summary.contains("nothing for two months"), "{summary}");
        assert!(!summary.contains("could not be judged"), "{summary}");
    }
    // Who names it means it.
    for named in [
        json!({ "kind": "no_data", "site_id": "north" }),
        json!({ "kind": "no_data", "logger_id": "OLD-1" }),
    ] {
        let (found, _) = holds(&database, "2026-12-01T10:00:00Z", named).await;
        assert_eq!(found, ["OLD-1"]);
    }
    // A limit of weeks has to pass first.
    let longest = json!({ "kind": "no_data", "hours": 720 });
    let found = holds(&database, "2026-08-20T10:00:00Z", longest).await.0;
    assert_eq!(found, ["OLD-1"]);
}

#[tokio::test]
async fn a_device_that_sends_energies_is_out_when_it_sends_nothing() {
    let database = database().await;
    let counted = |until: &str| -> Vec<Row> {
        let rows = day(until, 0.0).into_iter().zip(1..);
        rows.map(|(row, quarters)| Row {
            power: None,
            daily: Some(f64::from(quarters)),
            ..row
        })
        .collect()
    };
    site(
        &database,
        true,
        vec![
            ("INV-1", day("18:00", 5000.0)),
            ("REG-1", counted("18:00")),
            ("REG-2", counted("09:00")),
        ],
    )
    .await;
    let out = json!({ "kind": "device_out", "minutes": 60 });
    let at = async |now: &str| holds(&database, now, out.clone()).await.0;
    assert_eq!(at("2026-06-01T10:02:00Z").await, ["REG-2"]);
    assert_eq!(at("2026-06-01T18:30:00Z").await, ["REG-2"]);
}
