//! Missing and odd data, and data of another user.

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};
use tools::catalog::{LoggerSettings, SiteSettings};

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// A clear day of a 5 kW array in five-minute steps, from 06:00 to 18:00 UTC.
fn clear_day(date: &str) -> Vec<Row> {
    let sunrise = at(&format!("{date}T06:00:00Z"));
    (1..=144)
        .map(|step: i32| {
            let sun = (f64::from(step) / 144.0 * std::f64::consts::PI).sin();
            Row {
                time: sunrise + Duration::minutes(i64::from(step) * 5),
                power: Some(5000.0 * sun),
                irradiance: Some(1000.0 * sun),
                ..Row::default()
            }
        })
        .collect()
}

async fn logger(app: &App, tenant: &str, id: &str, logger_type: &str, rows: Vec<Row>) -> i32 {
    let site = SiteSettings::new("roof", chrono_tz::UTC);
    fixtures::one_logger(
        &app.pool,
        tenant,
        &site,
        &LoggerSettings::new(id, logger_type),
        rows,
    )
    .await
}

/// A call of each tool that is about one logger.
fn calls(id: &str, date: &str) -> [(&'static str, Value); 6] {
    [
        ("get_power_curve", json!({ "logger_id": id, "date": date })),
        (
            "calculate_performance_ratio",
            json!({ "logger_id": id, "date": date }),
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": id, "start_date": date, "end_date": date }),
        ),
        (
            "compare_loggers",
            json!({ "logger_ids": [id, "OTHER"], "date": date }),
        ),
        (
            "analyze_inverter_health",
            json!({ "logger_id": id, "end_date": date, "days": 3 }),
        ),
        (
            "diagnose_error_codes",
            json!({ "logger_id": id, "end_date": date, "days": 3 }),
        ),
    ]
}

#[tokio::test]
async fn an_unknown_logger_is_said_to_be_unknown() {
    let database = database().await;
    let app = App::over(database.url());
    logger(&app, TENANT, "LTI-INV-001", "lti", clear_day("2025-11-05")).await;
    let mut calls = calls("LTI-INV-01", "2025-11-05").to_vec();
    calls.push(("forecast_production", json!({ "logger_id": "LTI-INV-01" })));
    for (tool, arguments) in calls {
        let answer = app.call(tool, arguments).await;
        assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
        let message = answer["message"].as_str().unwrap();
        assert!(
            message.contains("unknown") && message.contains("LTI-INV-001"),
            "{tool}: {message}"
        );
        assert!(
            answer.get("result").is_none() && answer.get("availableRange").is_none(),
            "{tool}"
        );
    }
}

#[tokio::test]
async fn windows_without_data_say_when_there_are_some() {
    let database = database().await;
    let app = App::over(database.url());
    for id in ["A", "OTHER"] {
        let rows = [clear_day("2025-11-05"), clear_day("2025-11-06")].concat();
        logger(&app, TENANT, id, "lti", rows).await;
    }
    for date in ["2025-10-01", "2025-12-24"] {
        for (tool, arguments) in calls("A", date) {
            let answer = app.call(tool, arguments).await;
            assert_eq!(
                answer["status"], "no_data_in_window",
                "{tool} {date}: {answer}"
            );
            assert_eq!(
                answer["availableRange"],
                json!({ "start": "2025-11-05", "end": "2025-11-06" }),
                "{tool}"
            );
        }
    }
    let arguments = json!({ "logger_id": "A", "start_date": "2025-11-07" });
    assert_eq!(
        app.call("calculate_financial_savings", arguments).await["status"],
        "no_data_in_window"
    );
}

#[tokio::test]
async fn the_last_days_include_the_newest() {
    let database = database().await;
    let app = App::over(database.url());
    let rows = ["2025-11-04", "2025-11-05", "2025-11-06"]
        .map(clear_day)
        .concat();
    logger(&app, TENANT, "A", "lti", rows).await;
    let answer = app
        .ok(
            "analyze_inverter_health",
            json!({ "logger_id": "A", "days": 2 }),
        )
        .await;
    assert_eq!(
        answer["result"]["period"],
        json!({ "start": "2025-11-05", "end": "2025-11-06" })
    );
    assert_eq!(answer["result"]["totalRecords"], 288);
    let flags = answer["result"]["flags"].as_array().unwrap();
    assert!(flags.contains(&json!("historical_data")));
    let now = App::at(database.url(), "2025-11-06T18:05:00Z");
    let answer = now
        .ok(
            "analyze_inverter_health",
            json!({ "logger_id": "A", "days": 2 }),
        )
        .await;
    assert!(
        !answer["result"]["flags"]
            .as_array()
            .unwrap()
            .contains(&json!("historical_data"))
    );
    let fleet = now.ok("get_fleet_overview", json!({})).await;
    assert!(fleet["result"]["dateMismatch"].is_null(), "{fleet}");
}

#[tokio::test]
async fn one_reading_is_enough_to_be_answered() {
    let database = database().await;
    let app = App::over(database.url());
    let row = Row {
        time: at("2025-11-05T12:00:00Z"),
        power: Some(1000.0),
        ..Row::default()
    };
    for id in ["A", "OTHER"] {
        logger(&app, TENANT, id, "lti", vec![row.clone()]).await;
    }
    for (tool, arguments) in calls("A", "2025-11-05") {
        let answer = app.call(tool, arguments).await;
        let expected = if tool == "calculate_performance_ratio" {
            "error"
        } else {
            "ok"
        };
        assert_eq!(answer["status"], expected, "{tool}: {answer}");
    }
    let forecast = app
        .ok("forecast_production", json!({ "logger_id": "A" }))
        .await;
    assert_eq!(forecast["result"]["insufficientData"], true);
    assert_eq!(forecast["result"]["forecasts"], json!([]));
    assert_eq!(
        app.ok("get_fleet_overview", json!({})).await["result"]["status"]["totalLoggers"],
        2
    );
    assert!(
        app.ok("list_loggers", json!({})).await["result"]["loggers"][0]["stepMinutes"].is_null()
    );
}

#[tokio::test]
async fn readings_without_any_value_are_no_production() {
    let database = database().await;
    let app = App::over(database.url());
    let empty: Vec<Row> = clear_day("2025-11-05")
        .into_iter()
        .map(|row| Row {
            time: row.time,
            ..Row::default()
        })
        .collect();
    for id in ["A", "OTHER"] {
        logger(&app, TENANT, id, "lti", empty.clone()).await;
    }
    for (tool, arguments) in calls("A", "2025-11-05") {
        let answer = app.call(tool, arguments).await;
        match tool {
            "calculate_performance_ratio" => assert_eq!(answer["status"], "error", "{answer}"),
            "calculate_financial_savings" => {
                assert_eq!(answer["status"], "no_data_in_window", "{answer}");
            }
            "get_power_curve" => {
                assert_eq!(answer["status"], "ok");
                assert!(
                    answer.get("summaryStats").is_none() && answer["message"].is_string(),
                    "{answer}"
                );
            }
            _ => assert_eq!(answer["status"], "ok", "{tool}: {answer}"),
        }
    }
    let health = app
        .ok("analyze_inverter_health", json!({ "logger_id": "A" }))
        .await;
    assert!(
        health["result"]["healthScore"].is_null(),
        "nothing to judge by is no good report: {health}"
    );
}

#[tokio::test]
async fn error_codes_come_in_every_shape() {
    let database = database().await;
    let app = App::over(database.url());
    let codes = [
        r#"{"errorCode": null}"#,
        r#"{"errorCode": ""}"#,
        r#"{"errorCode": 0}"#,
        r#"{"errorCode": "F01", "energyLifetimeKwh": 1e300}"#,
        r#"{"errorcode": ["F01", "F77"]}"#,
        r#"{"faultCode": 42}"#,
        r#"["not", "an", "object"]"#,
        "null",
    ];
    let mut rows = clear_day("2025-11-05");
    for (row, metadata) in rows.iter_mut().zip(codes) {
        row.metadata = Some(metadata.to_owned());
    }
    logger(&app, TENANT, "A", "lti", rows).await;
    let answer = app
        .ok("diagnose_error_codes", json!({ "logger_id": "A" }))
        .await;
    let issues = answer["result"]["issues"].as_array().unwrap();
    let found: Vec<(&str, u64, &str)> = issues
        .iter()
        .map(|issue| {
            (
                issue["code"].as_str().unwrap(),
                issue["occurrences"].as_u64().unwrap(),
                issue["severity"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("F01", 2, "warning"),
            ("42", 1, "unknown"),
            ("F77", 1, "unknown")
        ]
    );
    assert_eq!(issues[0]["firstSeen"], "2025-11-05T06:20:00Z");
    assert_eq!(issues[0]["lastSeen"], "2025-11-05T06:25:00Z");
    assert_eq!(answer["result"]["overallHealth"], "warning");
    assert!(issues[1]["source"].is_null());
}

#[tokio::test]
async fn tenants_do_not_see_each_other() {
    let database = database().await;
    let app = App::over(database.url());
    logger(&app, "north", "SECRET-001", "lti", clear_day("2025-11-05")).await;
    logger(&app, "south", "OTHER", "lti", clear_day("2025-11-05")).await;
    for (tool, arguments) in calls("SECRET-001", "2025-11-05") {
        let (_, answer) = app.call_as("south", tool, arguments).await;
        assert_eq!(answer["status"], "no_data", "{tool}: {answer}");
    }
    let (_, similar) = app
        .call_as(
            "south",
            "get_power_curve",
            json!({ "logger_id": "SECRET-002", "date": "2025-11-05" }),
        )
        .await;
    assert!(!similar.to_string().contains("SECRET-001"), "{similar}");
    for tool in ["list_loggers", "get_fleet_overview"] {
        let (_, answer) = app.call_as("south", tool, json!({})).await;
        assert!(
            answer.to_string().contains("OTHER") && !answer.to_string().contains("SECRET"),
            "{answer}"
        );
    }
    let (_, answer) = app.call_as("nobody", "get_fleet_overview", json!({})).await;
    assert_eq!(answer["status"], "no_data");
    // The same id may exist for both.
    logger(
        &app,
        "south",
        "SECRET-001",
        "meier",
        clear_day("2025-11-08"),
    )
    .await;
    let (_, answer) = app.call_as("south", "list_loggers", json!({})).await;
    assert_eq!(answer["result"]["count"], 2);
}

#[tokio::test]
async fn a_silent_inverter_is_offline_by_day_and_asleep_at_night() {
    let database = database().await;
    let app = App::over(database.url());
    let noon = |rows: Vec<Row>, until: &str| {
        rows.into_iter()
            .filter(|row| row.time <= at(until))
            .collect::<Vec<Row>>()
    };
    let days = || [clear_day("2025-11-04"), clear_day("2025-11-05")].concat();
    logger(
        &app,
        TENANT,
        "GOOD",
        "lti",
        noon(days(), "2025-11-05T12:00:00Z"),
    )
    .await;
    logger(
        &app,
        TENANT,
        "SILENT",
        "lti",
        noon(days(), "2025-11-05T08:00:00Z"),
    )
    .await;
    let fleet = app.ok("get_fleet_overview", json!({})).await;
    let status = &fleet["result"]["status"];
    assert_eq!(
        (&status["offline"], &status["producing"]),
        (&json!(1), &json!(1)),
        "{status}"
    );
    assert_eq!(status["fleetHealth"], "Critical");
    assert_eq!(fleet["result"]["offlineLoggers"][0]["loggerId"], "SILENT");
    assert_eq!(fleet["context"]["next_steps"][0]["priority"], "urgent");
    let power = fleet["result"]["production"]["currentTotalPowerWatts"]
        .as_f64()
        .unwrap();
    assert!((power - 5000.0).abs() < 0.2, "{power}");

    let night = Row {
        time: at("2025-11-05T20:00:00Z"),
        power: Some(0.0),
        irradiance: Some(0.0),
        ..Row::default()
    };
    logger(&app, TENANT, "GOOD", "lti", vec![night]).await;
    let fleet = app.ok("get_fleet_overview", json!({})).await;
    assert_eq!(fleet["result"]["status"]["asleep"], 2, "{fleet}");
    assert_eq!(fleet["result"]["status"]["fleetHealth"], "Healthy");
}
