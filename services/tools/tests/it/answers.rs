//! The tools' answers about the measured sites, against the reference results.

use serde_json::{Value, json};

use crate::fixtures;
use crate::harness::{App, TENANT, database};

fn near(actual: &Value, expected: f64, tolerance: f64, what: &str) {
    let close = actual
        .as_f64()
        .is_some_and(|actual| (actual - expected).abs() <= tolerance);
    assert!(close, "{what}: {actual}, expected {expected}");
}

/// The days of a logger in `expected.json`, with those of its figures that are there.
fn daily(expected: &Value) -> impl Iterator<Item = (&String, &Value)> {
    expected["daily"].as_object().unwrap().iter()
}

#[tokio::test]
async fn power_curves_have_the_reference_energy_and_peak() {
    let database = database().await;
    let app = App::over(database.url());
    for (site, logger) in [
        ("rsf2", "RSF2-INV2"),
        ("sandia-baseline", "SNL-SYS1"),
        ("pvops-r27", "R27-MTR01"),
    ] {
        fixtures::load(&app.pool, TENANT, site).await;
        let expected = &fixtures::json("expected.json")[site]["loggers"][logger];
        let mut highest: (f64, Value) = (0.0, Value::Null);
        for (date, day) in daily(expected) {
            let answer = app
                .call(
                    "get_power_curve",
                    json!({ "logger_id": logger, "date": date }),
                )
                .await;
            if answer["status"] != "ok" {
                continue;
            }
            near(
                &answer["result"]["completeness"],
                day["completeness"].as_f64().unwrap(),
                0.001,
                date,
            );
            let peak = answer["summaryStats"]["peakValue"].as_f64().unwrap();
            if peak > highest.0 {
                highest = (peak, answer["summaryStats"]["peakTime"].clone());
            }
            if answer["result"]["energySource"] == "power" {
                let kwh = day["energy_kwh"].as_f64().unwrap();
                near(
                    &answer["summaryStats"]["totalEnergy"],
                    kwh,
                    0.001 * kwh + 0.006,
                    date,
                );
            }
        }
        assert!(
            (highest.0 - expected["peak_w"].as_f64().unwrap()).abs() < 0.11,
            "{logger}"
        );
        assert_eq!(highest.1, expected["peak_time"], "{logger}");
    }
}

#[tokio::test]
async fn a_day_of_minutes_is_thinned_and_its_figures_are_not() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "sandia-baseline").await;
    let answer = app
        .ok(
            "get_power_curve",
            json!({ "logger_id": "SNL-SYS1", "date": "2015-11-11" }),
        )
        .await;
    let points = answer["result"]["data"].as_array().unwrap();
    assert!(answer["result"]["recordCount"].as_u64().unwrap() > 1000);
    assert!(points.len() <= 1000);
    assert!(
        points
            .iter()
            .any(|point| point["min"].is_number() && point["max"].is_number())
    );
    let highest = points
        .iter()
        .filter_map(|point| point["max"].as_f64())
        .fold(0.0, f64::max);
    near(&answer["summaryStats"]["peakValue"], highest, 0.11, "peak");
    assert!(
        answer["result"]["flags"]
            .as_array()
            .unwrap()
            .contains(&json!("historical_data"))
    );
}

#[tokio::test]
async fn performance_ratios_are_the_reference_ones() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "rsf2").await;
    let expected = &fixtures::json("expected.json")["rsf2"]["loggers"]["RSF2-INV2"];
    let mut compared = 0;
    for (date, day) in expected["performance_daily"].as_object().unwrap() {
        let (pr, pr25) = (day["PR"].as_f64().unwrap(), day["PR_25C"].as_f64().unwrap());
        let answer = app
            .ok(
                "calculate_performance_ratio",
                json!({ "logger_id": "RSF2-INV2", "date": date }),
            )
            .await;
        let result = &answer["result"];
        near(&result["pr"], pr, 0.001, date);
        near(&result["pr25C"], pr25, 0.001, date);
        assert_eq!(result["capacityBasis"], "configured");
        near(&result["capacityKw"], 204.12, 1e-9, "capacity");
        assert_eq!(result["pairedRecords"].as_f64(), day["pairs"].as_f64());
        near(
            &result["yr"],
            day["yr_h"].as_f64().unwrap(),
            0.001,
            "reference yield",
        );
        compared += 1;
    }
    assert_eq!(compared, 5);
    let arguments =
        json!({ "logger_id": "RSF2-INV2", "date": "2022-01-05", "capacity_kw": 408.24 });
    let answer = app.ok("calculate_performance_ratio", arguments).await;
    assert_eq!(answer["result"]["capacityBasis"], "parameter");
}

#[tokio::test]
async fn a_real_outage_is_told_with_what_it_cost() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "rsf2").await;
    let expected = &fixtures::json("expected.json")["rsf2"]["loggers"]["RSF2-INV2"]["outage"];
    let answer = app
        .ok(
            "analyze_inverter_health",
            json!({ "logger_id": "RSF2-INV2", "days": 7 }),
        )
        .await;
    let result = &answer["result"];
    let outages: Vec<&Value> = result["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["kind"] == "outage")
        .collect();
    assert_eq!(Some(outages.len() as f64), expected["events"].as_f64());
    let minutes: f64 = outages
        .iter()
        .map(|event| event["minutes"].as_f64().unwrap())
        .sum();
    assert!(
        (minutes / 60.0 - expected["hours"].as_f64().unwrap()).abs() <= 0.5,
        "{minutes}"
    );
    near(
        &result["sunHours"],
        expected["sun_hours"].as_f64().unwrap(),
        0.01,
        "sun hours",
    );
    near(
        &result["availabilityEnergy"],
        expected["availability_energy"].as_f64().unwrap(),
        0.001,
        "availability by energy",
    );
    let lost = expected["lost_kwh"].as_f64().unwrap();
    near(&result["lostKwh"], lost, 0.02 * lost, "lost energy");
    near(
        &result["availabilityTime"],
        expected["availability_time"].as_f64().unwrap(),
        0.001,
        "availability",
    );
    near(
        &result["lostMoney"]["amount"],
        0.2 * result["lostKwh"].as_f64().unwrap(),
        0.01,
        "money",
    );
    assert!(result["anomalyCount"].as_u64().unwrap() > 0);
    assert!(result["healthScore"].as_f64().unwrap() < 100.0);
    assert!(!result["points"].as_array().unwrap().is_empty());
    assert_eq!(result["deadDays"], json!(["2022-01-06"]));
}

#[tokio::test]
async fn savings_count_the_register_across_lost_days() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "pvops-r27").await;
    let arguments = json!({ "logger_id": "R27-MTR01", "start_date": "2018-09-14", "end_date": "2018-10-13", "rate": 0.3 });
    let answer = app.ok("calculate_financial_savings", arguments).await;
    let result = &answer["result"];
    let kwh = result["totalEnergyKwh"].as_f64().unwrap();
    near(&result["savings"], 0.3 * kwh, 0.01, "savings");
    near(&result["co2OffsetKg"], 0.394 * kwh, 0.01, "carbon");
    assert_eq!(result["electricityRateUsd"], 0.3);
    assert!(result["missingDays"].as_array().unwrap().len() >= 20);
    assert_eq!(result["daysExpected"], 30);
    assert!(result["projectedYear"].is_null());
}

#[tokio::test]
async fn a_meter_is_not_added_to_its_inverters_and_alike_inverters_are_alike() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "captest").await;
    let fleet = app.ok("get_fleet_overview", json!({})).await;
    let result = &fleet["result"];
    assert_eq!(result["status"]["totalLoggers"], 8);
    assert_eq!(result["devices"].as_array().unwrap().len(), 9);
    let sum: f64 = result["devices"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|device| device["role"] == "inverter")
        .map(|device| device["energyTodayKwh"].as_f64().unwrap())
        .sum();
    near(
        &result["production"]["todayTotalEnergyKwh"],
        sum,
        0.05,
        "energy",
    );
    assert_eq!(result["dateMismatch"]["isHistorical"], true);

    let arguments = json!({ "logger_ids": ["CAP-INV1", "CAP-INV2", "CAP-INV3"], "date": "1990-10-10", "end_date": "1990-10-12" });
    let comparison = app.ok("compare_loggers", arguments).await;
    let result = &comparison["result"];
    // No capacity is stated, and the fixture has no five days outside of these to estimate it from.
    assert_eq!(result["basis"], "absolute");
    assert!(result["data"].as_array().unwrap().len() <= 500);
    assert_eq!(result["summary"].as_object().unwrap().len(), 3);
    assert_eq!(result["underperformers"], json!([]));
}

#[tokio::test]
async fn forecasts_come_with_their_error() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "sdt-tae").await;
    let answer = app
        .ok(
            "forecast_production",
            json!({ "logger_id": "TAE-7000TL", "days_ahead": 7 }),
        )
        .await;
    let result = &answer["result"];
    let forecasts = result["forecasts"].as_array().unwrap();
    assert_eq!(forecasts.len(), 7);
    let sum: f64 = forecasts
        .iter()
        .map(|day| day["expectedKwh"].as_f64().unwrap())
        .sum();
    near(&result["totalPredicted"], sum, 0.04, "sum");
    assert!(
        forecasts
            .iter()
            .all(|day| day["lower"].as_f64() <= day["expectedKwh"].as_f64())
    );
    assert_eq!(result["backtest"].as_array().unwrap().len(), 7);
    let shape: f64 = result["hourlyShape"]
        .as_array()
        .unwrap()
        .iter()
        .map(|share| share.as_f64().unwrap())
        .sum();
    assert!((shape - 1.0).abs() < 0.02, "{shape}");
}

#[tokio::test]
async fn the_list_tells_what_is_known_of_each_logger() {
    let database = database().await;
    let app = App::over(database.url());
    fixtures::load(&app.pool, TENANT, "rsf2").await;
    fixtures::load(&app.pool, TENANT, "sdt-tae").await;
    let answer = app.ok("list_loggers", json!({})).await;
    let loggers = answer["result"]["loggers"].as_array().unwrap();
    let ids: Vec<&str> = loggers
        .iter()
        .map(|logger| logger["loggerId"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["RSF2-INV2", "RSF2-METER", "TAE-7000TL"]);
    let inverter = &loggers[0];
    assert_eq!(inverter["recordCount"], 480);
    assert_eq!(inverter["earliestData"], "2022-01-02T00:00:00-07:00");
    assert_eq!(inverter["latestData"], "2022-01-06T23:45:00-07:00");
    assert_eq!(inverter["stepMinutes"], 15.0);
    assert_eq!(inverter["irradianceBasis"], "poa");
    assert_eq!(inverter["hasRegister"], true);
    assert_eq!(loggers[2]["hasIrradiance"], false);
    let only = app
        .ok("list_loggers", json!({ "site_id": "sdt-tae" }))
        .await;
    assert_eq!(only["result"]["count"], 1);
    assert_eq!(
        app.call("list_loggers", json!({ "site_id": "nowhere" }))
            .await["status"],
        "no_data"
    );
}
