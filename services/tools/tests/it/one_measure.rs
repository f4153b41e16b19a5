//! One measure for all tools: the size of a device without a stated one, and the energy of a day on
//! which its register and its power differ.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde_json::{Value, json};
use solar::IrradianceBasis;
use tools::catalog::{LoggerSettings, SiteSettings};

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// Quarters of an hour of an 8 kW inverter on a 10 kW array from 06:00 to 18:00 UTC, at a share of
/// its power that depends on the day, counted from 0. A register counts `register` times what the
/// power makes.
fn days(
    first: &str,
    count: usize,
    register: Option<f64>,
    share: impl Fn(usize) -> Option<f64>,
) -> Vec<Row> {
    let first: NaiveDate = first.parse().unwrap();
    let mut rows = Vec::new();
    for (index, date) in first.iter_days().take(count).enumerate() {
        let Some(share) = share(index) else { continue };
        let sunrise: DateTime<Utc> = format!("{date}T06:00:00Z").parse().unwrap();
        let mut counted = 0.0;
        for step in 1..=48 {
            let sun = (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
            let power = 8000.0 * sun * share;
            counted += register.unwrap_or(0.0) * power / 4000.0;
            rows.push(Row {
                time: sunrise + Duration::minutes(i64::from(step) * 15),
                power: Some(power),
                irradiance: Some(1000.0 * sun),
                daily: register.map(|_| counted),
                ..Row::default()
            });
        }
    }
    rows
}

async fn put(app: &App, site: &str, id: &str, capacity_kw: Option<f64>, rows: Vec<Row>) {
    let mut settings = LoggerSettings::new(id, "lti");
    settings.capacity_kw = capacity_kw;
    settings.irradiance_basis = IrradianceBasis::Poa;
    let site = SiteSettings::new(site, chrono_tz::UTC);
    fixtures::one_logger(&app.pool, TENANT, &site, &settings, rows).await;
}

fn near(value: &Value, expected: f64, tolerance: f64, what: &str) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} for {expected}"
    );
}

#[tokio::test]
async fn a_unit_that_always_lagged_is_as_large_as_its_peers_in_every_tool() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, share) in [("A", 1.0), ("B", 0.62), ("C", 0.98), ("D", 1.02)] {
        let rows = days("2025-05-01", 60, None, |_| Some(share));
        put(&app, "roof", id, None, rows).await;
    }
    let compared = app
        .ok(
            "compare_loggers",
            json!({ "site_id": "roof", "metric": "energy", "date": "2025-06-20", "end_date": "2025-06-29" }),
        )
        .await;
    let size = &compared["result"]["summary"]["B"]["capacityKw"];
    let period = json!({ "start_date": "2025-06-20", "end_date": "2025-06-29" });
    for several in [false, true] {
        let of = |mut arguments: Value| {
            if several {
                arguments["site_id"] = json!("roof");
            } else {
                arguments["logger_id"] = json!("B");
            }
            arguments
        };
        let row = |answer: &Value| {
            let result = &answer["result"];
            let devices = result["devices"].as_array().cloned().unwrap_or_default();
            let own = devices.into_iter().find(|one| one["loggerId"] == "B");
            own.unwrap_or_else(|| result.clone())
        };
        let health = row(&app.ok("analyze_inverter_health", of(period.clone())).await);
        near(&health["vsPeersPct"], -38.0, 1.5, "beside its peers");
        assert_eq!(health["healthStatus"], "critical", "{health}");
        assert_eq!(
            (&health["capacityKw"], &health["capacityBasis"]),
            (size, &json!("peers"))
        );
        let kinds: Vec<&Value> = health["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| &event["kind"])
            .collect();
        assert_eq!(kinds, ["underperformance"]);
        let arguments = json!({ "date": "2025-06-20", "end_date": "2025-06-29" });
        let ratio = row(&app.ok("calculate_performance_ratio", of(arguments)).await);
        near(&ratio["performanceRatio"], 0.62 * 82.5, 1.5, "ratio");
        assert_eq!(
            (&ratio["capacityKw"], &ratio["capacityBasis"]),
            (size, &json!("peers"))
        );
        assert!(ratio["rating"].is_null(), "{ratio}");
    }
    let total = app
        .ok(
            "calculate_performance_ratio",
            json!({ "site_id": "roof", "date": "2025-06-20", "end_date": "2025-06-29" }),
        )
        .await;
    assert_eq!(total["result"]["capacityBasis"], "inferred");
    // The others are as they were.
    let well = app
        .ok(
            "analyze_inverter_health",
            json!({ "logger_id": "A", "start_date": "2025-06-20", "end_date": "2025-06-29" }),
        )
        .await;
    assert_eq!(well["result"]["events"], json!([]), "{well}");
    assert_eq!(well["result"]["capacityBasis"], "inferred");
}

#[tokio::test]
async fn a_register_above_the_power_gives_the_energy_of_every_tool() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, register) in [("R", Some(1.3)), ("P", None)] {
        let rows = days("2025-06-01", 20, register, |_| Some(1.0));
        put(&app, "roof", id, Some(15.0), rows).await;
    }
    let of = |tool: &'static str, arguments: Value| app.ok(tool, arguments);
    let period = json!({ "logger_id": "R", "start_date": "2025-06-11", "end_date": "2025-06-20" });
    let savings = of("calculate_financial_savings", period).await;
    let kwh = savings["result"]["totalEnergyKwh"].as_f64().unwrap();
    let period = json!({ "logger_id": "R", "date": "2025-06-11", "end_date": "2025-06-20" });
    let ratio = of("calculate_performance_ratio", period).await;
    near(&ratio["result"]["yf"], kwh / 15.0, 0.2, "final yield");
    let told = ratio["result"]["interpretation"].as_str().unwrap();
    assert!(told.contains("The register of R counts"), "{told}");
    let period = json!({ "logger_ids": ["P"], "date": "2025-06-11", "end_date": "2025-06-20" });
    let other = of("calculate_performance_ratio", period).await;
    near(
        &ratio["result"]["pr"],
        1.3 * other["result"]["pr"].as_f64().unwrap(),
        0.004,
        "ratio",
    );
    let all = of(
        "calculate_performance_ratio",
        json!({ "site_id": "roof", "date": "2025-06-11", "end_date": "2025-06-20" }),
    )
    .await;
    let told = all["result"]["interpretation"].as_str().unwrap();
    assert!(told.contains("the register counts: R."), "{told}");
}

#[tokio::test]
async fn a_day_with_nothing_is_one_anomaly() {
    let database = database().await;
    let app = App::over(database.url());
    let dead = |day| Some(if day == 9 { 0.0 } else { 1.0 });
    put(
        &app,
        "roof",
        "A",
        Some(10.0),
        days("2025-06-01", 20, None, dead),
    )
    .await;
    let arguments =
        json!({ "logger_id": "A", "start_date": "2025-06-08", "end_date": "2025-06-12" });
    let answer = app.ok("analyze_inverter_health", arguments).await;
    let result = &answer["result"];
    let anomalies = result["anomalies"].as_array().unwrap();
    assert_eq!(anomalies.len(), 1, "{answer}");
    assert_eq!(anomalies[0]["type"], "dead_day", "{answer}");
    let events = result["events"].as_array().unwrap();
    let dead = events.iter().find(|event| event["kind"] == "dead_day");
    assert!(dead.unwrap()["lostKwh"].as_f64().unwrap() > 30.0);
    for outage in events.iter().filter(|event| event["kind"] == "outage") {
        assert!(outage["lostKwh"].is_null(), "{outage}");
        let evidence = outage["evidence"].as_str().unwrap();
        assert!(
            evidence.ends_with("Part of the dead day, which has the loss."),
            "{evidence}"
        );
    }
    assert_eq!(result["anomalyCount"], 1);
    assert!(!result["points"].as_array().unwrap().is_empty());
}

#[tokio::test]
async fn a_ratio_that_no_array_has_is_in_no_total_and_has_no_verdict() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, capacity) in [("A", 10.0), ("B", 10.0), ("WRONG", 4.0)] {
        let whole = |day| (day != 15).then_some(1.0);
        put(
            &app,
            "roof",
            id,
            Some(capacity),
            days("2025-06-01", 20, None, whole),
        )
        .await;
    }
    // A day is missing in one of the periods.
    for first in ["2025-06-11", "2025-06-17"] {
        let arguments = json!({ "site_id": "roof", "date": first, "end_date": "2025-06-20" });
        let answer = app.ok("calculate_performance_ratio", arguments).await;
        let result = &answer["result"];
        near(
            &result["performanceRatio"],
            80.0,
            0.5,
            "without the wrong one",
        );
        assert_eq!(result["rating"], "normal");
        let told = result["interpretation"].as_str().unwrap();
        assert!(
            told.contains("which is normal") && told.contains("capacity must be wrong: WRONG"),
            "{told}"
        );
        let flags = result["flags"].as_array().unwrap();
        assert!(!flags.contains(&json!("capacity_implausible")), "{flags:?}");
        let arguments = json!({ "logger_id": "WRONG", "date": first, "end_date": "2025-06-20" });
        let alone = app.ok("calculate_performance_ratio", arguments).await;
        assert!(alone["result"]["rating"].is_null(), "{alone}");
        let told = alone["result"]["interpretation"].as_str().unwrap();
        assert!(
            told.contains("no array has") && !told.contains("normal"),
            "{told}"
        );
    }
    let arguments = json!({ "logger_ids": ["WRONG"], "date": "2025-06-17" });
    let only = app.ok("calculate_performance_ratio", arguments).await;
    let told = only["result"]["interpretation"].as_str().unwrap();
    assert!(told.contains("which no array has"), "{told}");
}

#[tokio::test]
async fn a_comparison_is_of_the_whole_period_and_says_what_its_chart_shows() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, share) in [("A", 1.0), ("B", 0.9)] {
        // The first day is far before the others.
        let mut rows = days("2023-01-10", 1, None, |_| Some(share));
        rows.extend(days("2025-06-01", 2, None, |_| Some(share)));
        put(&app, "roof", id, Some(10.0), rows).await;
    }
    for metric in ["energy", "power"] {
        let arguments = json!({ "metric": metric, "date": "2023-01-01", "end_date": "2025-06-02" });
        let answer = app.ok("compare_loggers", arguments).await;
        let result = &answer["result"];
        assert_eq!(result["period"]["start"], "2023-01-01");
        assert_eq!(result["summary"]["A"]["daysWithData"], 3, "{answer}");
        assert_eq!(
            result["chartPeriod"],
            json!({ "start": "2024-06-02", "end": "2025-06-02" })
        );
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("The chart shows only the last days"),
            "{message}"
        );
    }
    let arguments = json!({ "date": "2025-06-01", "end_date": "2025-06-02" });
    let answer = app.ok("compare_loggers", arguments).await;
    assert!(answer["result"].get("chartPeriod").is_none() && answer.get("message").is_none());
    let (status, refused) = app
        .call_as(
            TENANT,
            "compare_loggers",
            json!({ "date": "2010-01-01", "end_date": "2025-06-02" }),
        )
        .await;
    assert_eq!(status.as_u16(), 422, "{refused}");
}

#[tokio::test]
async fn in_the_night_a_silent_device_is_active_and_online() {
    let database = database().await;
    let app = App::over(database.url());
    for id in ["A", "B"] {
        put(
            &app,
            "roof",
            id,
            Some(10.0),
            days("2025-06-01", 20, None, |_| Some(1.0)),
        )
        .await;
    }
    // A sensor continues through the night.
    let mut sensor = LoggerSettings::new("WX", "mbmet");
    sensor.role = tools::store::LoggerRole::Weather;
    let night: DateTime<Utc> = "2025-06-20T18:15:00Z".parse().unwrap();
    let rows = (0..20).map(|step| Row {
        time: night + Duration::minutes(15 * step),
        irradiance: Some(0.0),
        ..Row::default()
    });
    let site = SiteSettings::new("roof", chrono_tz::UTC);
    fixtures::one_logger(&app.pool, TENANT, &site, &sensor, rows.collect()).await;
    let answer = app.ok("get_fleet_overview", json!({})).await;
    let status = &answer["result"]["status"];
    assert_eq!(
        (&status["asleep"], &status["activeLoggers"]),
        (&json!(2), &json!(2)),
        "{status}"
    );
    assert_eq!(status["percentOnline"], 100.0);
}
