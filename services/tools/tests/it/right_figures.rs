//! Sizes that nothing says, capacities that are wrong, registers that stood still, and hours
//! without readings: no device is praised or blamed for them, and no energy counts twice.

use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use serde_json::{Value, json};
use solar::IrradianceBasis;
use tools::catalog::{LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// Quarters of an hour from 06:00 to 18:00 UTC of an array that peaks at `peak_w`; each day is a
/// little brighter than the one before.
pub(crate) fn days(first: &str, count: usize, peak_w: f64) -> Vec<Row> {
    let first: NaiveDate = first.parse().unwrap();
    let mut rows = Vec::new();
    for (index, date) in first.iter_days().take(count).enumerate() {
        let sunrise: DateTime<Utc> = format!("{date}T06:00:00Z").parse().unwrap();
        let light = 0.8 + 0.005 * index as f64;
        for step in 1..=48 {
            let sun = light * (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
            rows.push(Row {
                time: sunrise + Duration::minutes(i64::from(step) * 15),
                power: Some(peak_w * sun),
                irradiance: Some(1000.0 * sun),
                ..Row::default()
            });
        }
    }
    rows
}

pub(crate) struct Device<'a> {
    pub(crate) id: &'a str,
    pub(crate) capacity_kw: Option<f64>,
    pub(crate) role: LoggerRole,
}

pub(crate) fn inverter(id: &str, capacity_kw: Option<f64>) -> Device<'_> {
    Device {
        id,
        capacity_kw,
        role: LoggerRole::Inverter,
    }
}

pub(crate) async fn put(app: &App, device: Device<'_>, rows: Vec<Row>) {
    let mut settings = LoggerSettings::new(device.id, "lti");
    settings.capacity_kw = device.capacity_kw;
    settings.irradiance_basis = IrradianceBasis::Poa;
    settings.role = device.role;
    let site = SiteSettings::new("roof", chrono_tz::UTC);
    fixtures::one_logger(&app.pool, TENANT, &site, &settings, rows).await;
}

pub(crate) fn near(value: &Value, expected: f64, tolerance: f64, what: &str) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} for {expected}"
    );
}

#[tokio::test]
async fn a_device_of_too_few_days_has_no_size_no_rank_and_no_verdict_by_it() {
    let database = database().await;
    let app = App::over(database.url());
    for id in ["A", "B", "C"] {
        put(&app, inverter(id, None), days("2025-06-01", 30, 8000.0)).await;
    }
    // It has four days beside the day that is asked for, and is half as large as the others.
    let young = days("2025-06-26", 5, 4000.0);
    put(&app, inverter("YOUNG", None), young).await;
    let arguments = json!({ "metric": "energy", "date": "2025-06-30" });
    let answer = app.ok("compare_loggers", arguments).await;
    let result = &answer["result"];
    let row = &result["summary"]["YOUNG"];
    assert_eq!(row["unranked"], "size_unknown", "{answer}");
    assert!(
        row["specificYield"].is_null() && row["capacityKw"].is_null() && row["rank"].is_null(),
        "{row}"
    );
    assert!(row["total"].as_f64().unwrap() > 20.0, "{row}");
    assert_eq!(result["ranking"], json!(["A", "B", "C"]));
    assert_eq!(result["underperformers"], json!([]));
    let told = answer["message"].as_str().unwrap();
    assert!(told.contains("there is no rank of YOUNG"), "{told}");
    let arguments =
        json!({ "logger_id": "YOUNG", "start_date": "2025-06-30", "end_date": "2025-06-30" });
    let health = app.ok("analyze_inverter_health", arguments.clone()).await;
    let result = &health["result"];
    assert!(result["capacityKw"].is_null(), "{health}");
    assert_eq!(result["events"], json!([]), "{health}");
    let savings = app.ok("calculate_financial_savings", arguments).await;
    assert!(savings["result"]["specificYield"].is_null(), "{savings}");
    let arguments = json!({ "logger_id": "YOUNG", "date": "2025-06-30" });
    let ratio = app.call("calculate_performance_ratio", arguments).await;
    assert_eq!(ratio["status"], "error", "{ratio}");
    let told = ratio["message"].as_str().unwrap();
    assert!(
        told.contains("too few bright readings on other days"),
        "{told}"
    );
    // With a day more it is found to be small.
    put(
        &app,
        inverter("OLDER", None),
        days("2025-06-20", 11, 3000.0),
    )
    .await;
    let arguments = json!({ "metric": "energy", "date": "2025-06-30" });
    let answer = app.ok("compare_loggers", arguments).await;
    let row = &answer["result"]["summary"]["OLDER"];
    assert!(row["rank"].is_number(), "{answer}");
    // Where no size is known at all, energies are ranked.
    let arguments =
        json!({ "logger_ids": ["YOUNG", "A"], "metric": "energy", "date": "2025-06-30" });
    let answer = app.ok("compare_loggers", arguments).await;
    assert_eq!(answer["result"]["basis"], "absolute", "{answer}");
    assert_eq!(answer["result"]["ranking"], json!(["A", "YOUNG"]));
}

#[tokio::test]
async fn a_capacity_that_what_is_delivered_contradicts_leads_nothing_and_judges_no_device() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, capacity) in [
        ("A", 10.0),
        ("B", 10.0),
        ("C", 10.0),
        ("SMALL", 2.0),
        ("WATTS", 10_000.0),
    ] {
        let rows = days("2025-06-01", 30, 8000.0);
        put(&app, inverter(id, Some(capacity)), rows).await;
    }
    let arguments = json!({ "metric": "energy", "date": "2025-06-20", "end_date": "2025-06-29" });
    let answer = app.ok("compare_loggers", arguments).await;
    let result = &answer["result"];
    assert_eq!(result["ranking"], json!(["A", "B", "C"]), "{answer}");
    near(&result["spreadPercent"], 0.0, 0.1, "spread");
    for id in ["SMALL", "WATTS"] {
        let row = &result["summary"][id];
        assert_eq!(row["unranked"], "capacity_implausible", "{row}");
        assert!(row["total"].is_number() && row["specificYield"].is_number());
    }
    let flags = result["flags"].as_array().unwrap();
    assert!(flags.contains(&json!("capacity_implausible")), "{flags:?}");
    let told = answer["message"].as_str().unwrap();
    assert!(
        told.contains("contradicts the stated capacity") && told.contains("SMALL, WATTS"),
        "{told}"
    );
    let arguments = json!({ "start_date": "2025-06-20", "end_date": "2025-06-29" });
    let health = app.ok("analyze_inverter_health", arguments).await;
    for device in health["result"]["devices"].as_array().unwrap() {
        let id = device["loggerId"].as_str().unwrap();
        assert_eq!(device["events"], json!([]), "{device}");
        let flags = device["flags"].as_array().unwrap();
        let flagged = flags.contains(&json!("capacity_implausible"));
        assert_eq!(flagged, ["SMALL", "WATTS"].contains(&id), "{device}");
    }
    // The yield of the park is that of the capacities that can be right.
    let overview = app.ok("get_fleet_overview", json!({})).await;
    let devices = overview["result"]["devices"].as_array().unwrap();
    let own = devices.iter().find(|one| one["loggerId"] == "A").unwrap();
    assert_eq!(
        overview["result"]["production"]["specificYield"],
        own["specificYield"]
    );
}

#[tokio::test]
async fn a_lifetime_register_that_stood_still_and_catches_up_counts_nothing_twice() {
    let database = database().await;
    let app = App::over(database.url());
    let truth = days("2025-06-01", 12, 8000.0);
    let date = |row: &Row| row.time.date_naive().to_string();
    // It stands still on the fifth and the sixth, and sends nothing on the ninth.
    for (id, catches_up) in [("CATCHES-UP", true), ("CONTINUES", false)] {
        let mut rows = truth.clone();
        let (mut total, mut held) = (1000.0, 0.0);
        for row in &mut rows {
            let made = row.power.unwrap() / 4000.0;
            let day = date(row);
            if ["2025-06-05", "2025-06-06"].contains(&day.as_str()) {
                held += made;
            } else {
                if catches_up {
                    total += held;
                }
                held = 0.0;
                total += made;
            }
            let metadata = json!({ "energyLifetimeKwh": total }).to_string();
            row.metadata = (day != "2025-06-09").then_some(metadata);
        }
        put(&app, inverter(id, Some(10.0)), rows).await;
        let mut sum = 0.0;
        for day in 1..=12 {
            let day = format!("2025-06-{day:02}");
            let made: f64 = truth
                .iter()
                .filter(|row| date(row) == day)
                .map(|row| row.power.unwrap() / 4000.0)
                .sum();
            sum += made;
            let arguments = json!({ "logger_id": id, "start_date": day, "end_date": day });
            let answer = app.ok("calculate_financial_savings", arguments).await;
            near(&answer["result"]["totalEnergyKwh"], made, 1.0, &day);
        }
        let arguments =
            json!({ "logger_id": id, "start_date": "2025-06-01", "end_date": "2025-06-12" });
        let answer = app.ok("calculate_financial_savings", arguments).await;
        near(&answer["result"]["totalEnergyKwh"], sum, 2.0, id);
        let lost = answer["result"]["unallocatedKwh"].as_f64().unwrap_or(0.0);
        assert!(lost < 1.0, "{answer}");
    }
}

#[tokio::test]
async fn hours_of_daylight_without_readings_are_told_with_their_device() {
    let database = database().await;
    let app = App::over(database.url());
    put(
        &app,
        inverter("WHOLE", Some(10.0)),
        days("2025-06-01", 20, 8000.0),
    )
    .await;
    let kept = |row: &Row| {
        let (day, hour) = (row.time.date_naive().to_string(), row.time.hour());
        !(day == "2025-06-18" && (10..12).contains(&hour)) && day != "2025-06-12"
    };
    let rows = days("2025-06-01", 20, 8000.0).into_iter().filter(kept);
    put(&app, inverter("GAPPY", Some(10.0)), rows.collect()).await;
    let period = json!({ "start_date": "2025-06-11", "end_date": "2025-06-20" });
    let all = app.ok("analyze_inverter_health", period).await;
    let gaps = all["result"]["gaps"].as_array().unwrap();
    assert_eq!(gaps.len(), 1, "{all}");
    assert_eq!(gaps[0]["loggerId"], "GAPPY");
    near(&gaps[0]["hours"], 2.0, 0.26, "hours");
    assert!(
        gaps[0]["start"]
            .as_str()
            .unwrap()
            .starts_with("2025-06-18T09:45"),
        "{gaps:?}"
    );
    assert_eq!(all["result"]["missingDays"], json!(["2025-06-12"]));
    let period =
        json!({ "logger_id": "GAPPY", "start_date": "2025-06-18", "end_date": "2025-06-18" });
    let one = app.ok("analyze_inverter_health", period).await;
    assert_eq!(one["result"]["gapCount"], 1, "{one}");
    near(&one["result"]["gapHours"], 2.0, 0.26, "hours");
}
