//! One call about a list of devices, a site, or all of them.

use chrono::{DateTime, Duration, Utc};
use contracts::tools::HealthWord;
use http::StatusCode;
use serde_json::{Value, json};
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

const TOOLS: [(&str, &str); 4] = [
    ("calculate_financial_savings", "start_date"),
    ("calculate_performance_ratio", "date"),
    ("analyze_inverter_health", "start_date"),
    ("diagnose_error_codes", "start_date"),
];

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// Clear days of an array in quarters of an hour from 06:00 to 18:00 UTC, at a share of `kw` that
/// depends on the day, counted from 0.
fn days(first: &str, count: i64, kw: f64, share: impl Fn(i64) -> Option<f64>) -> Vec<Row> {
    let first = at(&format!("{first}T06:00:00Z"));
    let day = |day: i64| {
        let share = share(day);
        (1..=48).filter_map(move |step: i32| {
            let sun = (f64::from(step) / 48.0 * std::f64::consts::PI).sin();
            Some(Row {
                time: first + Duration::days(day) + Duration::minutes(i64::from(step) * 15),
                power: Some(1000.0 * kw * share? * sun),
                ..Row::default()
            })
        })
    };
    (0..count).flat_map(day).collect()
}

/// A device of a site.
struct Device {
    id: &'static str,
    role: LoggerRole,
    capacity_kw: Option<f64>,
    rows: Vec<Row>,
}

fn inverter(id: &'static str, capacity_kw: f64, rows: Vec<Row>) -> Device {
    Device {
        id,
        role: LoggerRole::Inverter,
        capacity_kw: Some(capacity_kw),
        rows,
    }
}

async fn site(app: &App, settings: &SiteSettings, devices: Vec<Device>) {
    let mut stored = Vec::new();
    let mut conn = app.pool.acquire().await.unwrap();
    let key = catalog::put_site(&mut conn, TENANT, settings)
        .await
        .unwrap();
    for device in devices {
        let mut logger = LoggerSettings::new(device.id, "lti");
        (logger.role, logger.capacity_kw) = (device.role, device.capacity_kw);
        let key = catalog::put_logger(&mut conn, TENANT, key, &logger)
            .await
            .unwrap();
        stored.push((key, device.rows));
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
}

fn in_francs(id: &str, tariff: f64) -> SiteSettings {
    let mut settings = SiteSettings::new(id, chrono_tz::UTC);
    settings.tariff_per_kwh = Some(tariff);
    "CHF".clone_into(&mut settings.currency);
    settings
}

fn sum(rows: &Value, figure: &str) -> f64 {
    let rows = rows.as_array().unwrap().iter();
    rows.filter(|row| row["counted"] != false)
        .map(|row| row[figure].as_f64().unwrap_or(0.0))
        .sum()
}

fn near(actual: &Value, expected: f64, tolerance: f64, what: &str) {
    let close = actual
        .as_f64()
        .is_some_and(|actual| (actual - expected).abs() <= tolerance);
    assert!(close, "{what}: {actual}, expected {expected}");
}

fn ids(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["loggerId"].as_str().unwrap()).collect()
}

/// A site with two inverters and their meter, and one with another tariff and inverters that
/// stopped in spring.
async fn two_sites(app: &App) {
    let well = |kw| days("2025-05-01", 50, kw, |_| Some(1.0));
    let meter = Device {
        role: LoggerRole::Meter,
        ..inverter("N-METER", 15.0, well(14.7))
    };
    let north = vec![
        inverter("N-1", 5.0, well(5.0)),
        inverter("N-2", 10.0, well(10.0)),
        meter,
    ];
    site(app, &in_francs("north", 0.25), north).await;
    let south = vec![inverter(
        "S-1",
        4.0,
        days("2025-02-01", 30, 4.0, |_| Some(1.0)),
    )];
    site(app, &in_francs("south", 0.2), south).await;
}

#[tokio::test]
async fn devices_are_named_in_one_way() {
    let database = database().await;
    let app = App::over(database.url());
    two_sites(&app).await;
    for (tool, first) in TOOLS {
        for (others, pointer) in [
            (
                json!({ "logger_id": "N-1", "site_id": "north" }),
                "/site_id",
            ),
            (
                json!({ "logger_id": "N-1", "logger_ids": ["N-2"] }),
                "/logger_ids",
            ),
            (
                json!({ "logger_ids": ["N-1"], "site_id": "north" }),
                "/site_id",
            ),
            (json!({ "logger_ids": ["N-1", "N-1"] }), "/logger_ids/1"),
            (json!({ "logger_ids": [] }), "/logger_ids"),
        ] {
            let mut arguments = others;
            arguments[first] = json!("2025-06-01");
            let (status, problem) = app.call_as(TENANT, tool, arguments).await;
            assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{tool} {problem}");
            assert_eq!(problem["errors"][0]["pointer"], pointer, "{tool} {problem}");
        }
        let unknown = json!({ "logger_ids": ["N-1", "N-3"], first: "2025-06-01" });
        let answer = app.call(tool, unknown).await;
        assert_eq!(answer["status"], "no_data", "{tool}");
        assert!(answer["message"].as_str().unwrap().contains("N-3"));
        let nowhere = app
            .call(tool, json!({ "site_id": "west", first: "2025-06-01" }))
            .await;
        assert_eq!(nowhere["status"], "no_data", "{tool}");
    }
    let (status, problem) = app
        .call_as(
            TENANT,
            "analyze_inverter_health",
            json!({ "days": 7, "start_date": "2025-06-01" }),
        )
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(problem["errors"][0]["pointer"], "/days");
}

#[tokio::test]
async fn savings_of_a_site_are_the_sum_of_its_inverters() {
    let database = database().await;
    let app = App::over(database.url());
    two_sites(&app).await;
    let period = json!({ "start_date": "2025-06-01", "end_date": "2025-06-10" });
    let with = |name: &str, value: Value| {
        let mut arguments = period.clone();
        arguments[name] = value;
        app.ok("calculate_financial_savings", arguments)
    };
    let site = with("site_id", json!("north")).await;
    let result = &site["result"];
    assert_eq!(result["scope"]["kind"], "site");
    assert_eq!(result["loggerId"], "north");
    assert_eq!(ids(&result["devices"]), ["N-METER", "N-2", "N-1"]);
    for figure in ["totalEnergyKwh", "savings", "co2OffsetKg", "daysExpected"] {
        near(
            &result[figure],
            sum(&result["devices"], figure),
            1e-6,
            figure,
        );
    }
    assert_eq!(result["devices"][0]["counted"], false);
    assert_eq!(result["electricityRate"], 0.25);
    assert_eq!(result["currency"], "CHF");
    assert!(result["summary"].as_str().unwrap().contains("N-METER"));
    for device in ["N-1", "N-2"] {
        let alone = with("logger_id", json!(device)).await;
        let rows = result["devices"].as_array().unwrap();
        let row = rows.iter().find(|row| row["loggerId"] == device).unwrap();
        assert_eq!(&alone["result"], row, "{device}");
        assert!(alone["result"].get("devices").is_none());
    }
    let list = with("logger_ids", json!(["N-1", "N-2"])).await;
    assert_eq!(list["result"]["totalEnergyKwh"], result["totalEnergyKwh"]);
    assert_eq!(list["result"]["loggerId"], "N-1 and N-2");
    // The other site has nothing then, and that is said.
    let all = app.ok("calculate_financial_savings", period).await;
    assert_eq!(all["result"]["totalEnergyKwh"], result["totalEnergyKwh"]);
    assert_eq!(ids(&all["result"]["leftOut"]), ["S-1"]);
    assert_eq!(
        all["result"]["leftOut"][0]["availableRange"]["end"],
        "2025-03-02"
    );
}

#[tokio::test]
async fn different_tariffs_and_currencies_are_not_added_in_silence() {
    let database = database().await;
    let app = App::over(database.url());
    two_sites(&app).await;
    let all = json!({ "start_date": "2025-02-01" });
    let answer = app.ok("calculate_financial_savings", all.clone()).await;
    let result = &answer["result"];
    assert!(result["electricityRate"].is_null());
    near(
        &result["savings"],
        sum(&result["devices"], "savings"),
        1e-6,
        "savings",
    );
    near(
        &result["savings"],
        sum(&result["sites"], "savings"),
        1e-6,
        "sites",
    );
    assert!(result["summary"].as_str().unwrap().contains("own tariffs"));
    // Each site has its own newest day.
    assert_eq!(result["sites"][0]["period"]["end"], "2025-06-19");
    assert_eq!(result["sites"][1]["period"]["end"], "2025-03-02");

    let mut euros = in_francs("south", 0.2);
    "EUR".clone_into(&mut euros.currency);
    site(&app, &euros, Vec::new()).await;
    let answer = app.ok("calculate_financial_savings", all).await;
    let result = &answer["result"];
    assert!(result["savings"].is_null() && result["currency"].is_null());
    near(
        &result["totalEnergyKwh"],
        sum(&result["devices"], "totalEnergyKwh"),
        1e-6,
        "energy",
    );
    assert_eq!(result["sites"][1]["currency"], "EUR");
    assert!(result["summary"].as_str().unwrap().contains("not added"));
}

#[tokio::test]
async fn a_performance_ratio_of_several_is_one_ratio_of_sums() {
    let database = database().await;
    let app = App::over(database.url());
    let lit = |kw: f64, share: f64| {
        let mut rows = days("2025-05-01", 30, kw, |_| Some(share));
        for row in &mut rows {
            row.irradiance = row.power.map(|watts| watts / kw / share);
        }
        rows
    };
    let devices = vec![
        inverter("A", 5.0, lit(5.0, 0.9)),
        inverter("B", 15.0, lit(15.0, 0.7)),
        Device {
            capacity_kw: None,
            ..inverter("C", 1.0, lit(4.9, 0.8))
        },
        inverter("D", 5.0, days("2025-04-01", 3, 5.0, |_| Some(1.0))),
    ];
    site(&app, &in_francs("roof", 0.25), devices).await;
    let period = json!({ "date": "2025-05-10", "end_date": "2025-05-20" });
    let answer = app.ok("calculate_performance_ratio", period.clone()).await;
    let result = &answer["result"];
    near(
        &result["pr"],
        (5.0 * 0.9 + 15.0 * 0.7) / 20.0,
        0.001,
        "ratio",
    );
    assert_eq!(result["capacityKw"], 20.0);
    assert_eq!(
        result["period"],
        json!({ "start": "2025-05-10", "end": "2025-05-20" })
    );
    assert_eq!(ids(&result["leftOut"]), ["D"]);
    let rows = result["devices"].as_array().unwrap();
    let relative = rows.iter().find(|row| row["loggerId"] == "C").unwrap();
    assert_eq!(relative["counted"], false);
    assert!(
        result["interpretation"]
            .as_str()
            .unwrap()
            .contains("no capacity is stated")
    );
    near(&rows[0]["pr"], 0.7, 0.001, "lowest first");
    let mut one = period;
    one["logger_id"] = json!("A");
    let alone = app.ok("calculate_performance_ratio", one).await;
    let row = rows.iter().find(|row| row["loggerId"] == "A").unwrap();
    assert_eq!(&alone["result"], row);
    let of_several = json!({ "date": "2025-05-10", "capacity_kw": 5.0 });
    let (status, _) = app
        .call_as(TENANT, "calculate_performance_ratio", of_several)
        .await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}

/// Thirteen inverters: one dead all June, one dead on three days, one a third behind, one silent
/// since the 20th, one with a fault code on the 7th; and their meter.
async fn park(app: &App) {
    let well = || days("2025-04-01", 91, 5.0, |_| Some(1.0));
    let dead = |from: i64, to: i64| {
        days("2025-04-01", 91, 5.0, move |day| {
            Some(if (from..=to).contains(&day) { 0.0 } else { 1.0 })
        })
    };
    let mut coded = well();
    for row in &mut coded {
        let hours = row.time - at("2025-06-07T12:00:00Z");
        if (0..60).contains(&hours.num_minutes()) {
            row.metadata = Some(json!({ "errorCode": "E-501" }).to_string());
            row.power = Some(0.0);
        }
    }
    let mut devices = vec![
        inverter("DEAD", 5.0, dead(61, 90)),
        inverter("THREE", 5.0, dead(66, 68)),
        inverter("WEAK", 5.0, days("2025-04-01", 91, 5.0, |_| Some(0.69))),
        inverter("SILENT", 5.0, days("2025-04-01", 80, 5.0, |_| Some(1.0))),
        inverter("CODED", 5.0, coded),
    ];
    devices.extend(
        ["W1", "W2", "W3", "W4", "W5", "W6", "W7", "W8"].map(|id| inverter(id, 5.0, well())),
    );
    devices.push(Device {
        role: LoggerRole::Meter,
        ..inverter("METER", 65.0, well())
    });
    site(app, &in_francs("park", 0.25), devices).await;
}

fn device<'a>(result: &'a Value, id: &str) -> &'a Value {
    let devices = result["devices"].as_array().unwrap();
    devices.iter().find(|row| row["loggerId"] == id).unwrap()
}

#[tokio::test]
async fn no_sick_device_is_praised() {
    let database = database().await;
    let app = App::over(database.url());
    park(&app).await;
    let june = json!({ "start_date": "2025-06-01", "end_date": "2025-06-30" });
    let answer = app.ok("analyze_inverter_health", june.clone()).await;
    let result = &answer["result"];
    let daily = 5.0 * 7.64;
    let dead = device(result, "DEAD");
    assert_eq!(dead["healthScore"], 0.0);
    assert_eq!(dead["deadDays"].as_array().unwrap().len(), 30);
    near(
        &dead["lostKwh"],
        30.0 * daily,
        0.02 * 30.0 * daily,
        "dead all month",
    );
    near(
        &dead["lostMoney"]["amount"],
        0.25 * dead["lostKwh"].as_f64().unwrap(),
        0.01,
        "money",
    );
    let weak = device(result, "WEAK");
    assert_eq!(weak["healthStatus"], "critical");
    near(&weak["vsPeersPct"], -31.0, 0.5, "behind its peers");
    near(
        &weak["shortfallKwh"],
        0.31 * 30.0 * daily,
        0.02 * 30.0 * daily,
        "shortfall",
    );
    assert!(weak["anomalyCount"].as_u64().unwrap() > 0);
    let three = device(result, "THREE");
    near(
        &three["lostKwh"],
        3.0 * daily,
        0.02 * 3.0 * daily,
        "three dead days",
    );
    let silent = device(result, "SILENT");
    assert_eq!(silent["missingDays"].as_array().unwrap().len(), 11);
    assert!(silent["healthScore"].as_f64().unwrap() < 85.0);
    assert_eq!(device(result, "W3")["healthScore"], 100.0);
    for row in result["devices"].as_array().unwrap() {
        let word: HealthWord = serde_json::from_value(row["healthStatus"].clone()).unwrap();
        assert_eq!(word, HealthWord::of(row["healthScore"].as_f64()), "{row}");
    }
    let inverters = || {
        let rows = result["devices"].as_array().unwrap().iter();
        rows.filter(|row| row["loggerId"] != "METER")
    };
    let lost: f64 = inverters()
        .map(|row| row["lostKwh"].as_f64().unwrap())
        .sum();
    near(&result["lostKwh"], lost, 1e-6, "total");
    near(&result["sites"][0]["lostKwh"], lost, 1e-6, "site");
    // A device alone has the figures that it has among others.
    for id in ["DEAD", "WEAK", "SILENT", "W3"] {
        let mut alone = june.clone();
        alone["logger_id"] = json!(id);
        let alone = app.ok("analyze_inverter_health", alone).await;
        for figure in [
            "healthScore",
            "lostKwh",
            "vsPeersPct",
            "events",
            "healthStatus",
        ] {
            assert_eq!(
                alone["result"][figure],
                device(result, id)[figure],
                "{id} {figure}"
            );
        }
    }
}

#[tokio::test]
async fn who_was_out_on_a_day_is_told_in_order_of_time() {
    let database = database().await;
    let app = App::over(database.url());
    park(&app).await;
    let day = json!({ "site_id": "park", "start_date": "2025-06-07", "end_date": "2025-06-07" });
    let answer = app.ok("analyze_inverter_health", day).await;
    let events = answer["result"]["events"].as_array().unwrap();
    let told = |id: &str, kind: &str| {
        events
            .iter()
            .find(|event| event["loggerId"] == id && event["kind"] == kind)
            .unwrap_or_else(|| panic!("{id} {kind}: {events:?}"))
    };
    for id in ["DEAD", "THREE"] {
        let event = told(id, "dead_day");
        assert!(event["lostKwh"].as_f64().unwrap() > 30.0, "{event}");
        assert_eq!(event["lostMoney"]["currency"], "CHF");
    }
    let outage = told("CODED", "outage");
    near(&outage["minutes"], 60.0, 1e-6, "minutes");
    assert!(outage["lostKwh"].as_f64().unwrap() > 3.0);
    let code = told("CODED", "error_code");
    assert!(code["evidence"].as_str().unwrap().contains("E-501"));
    let starts: Vec<&str> = events
        .iter()
        .map(|event| event["start"].as_str().unwrap())
        .collect();
    assert!(starts.is_sorted(), "{starts:?}");
    assert!(events.iter().all(
        |event| !event["loggerId"].as_str().unwrap().starts_with('W')
            || event["loggerId"] == "WEAK"
    ));

    let codes = app
        .ok(
            "diagnose_error_codes",
            json!({ "start_date": "2025-06-01", "end_date": "2025-06-30" }),
        )
        .await;
    let result = &codes["result"];
    assert_eq!(result["issues"][0]["loggerIds"], json!(["CODED"]));
    assert_eq!(result["issueCount"], 1);
    assert_eq!(result["devices"][0]["loggerId"], "CODED");
    assert_eq!(result["devices"].as_array().unwrap().len(), 14);
}

#[tokio::test]
async fn sites_of_different_ages_have_windows_of_their_own() {
    let database = database().await;
    let app = App::over(database.url());
    two_sites(&app).await;
    let answer = app.ok("analyze_inverter_health", json!({})).await;
    let result = &answer["result"];
    let periods: Vec<&Value> = result["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| &site["period"])
        .collect();
    assert_eq!(
        *periods[0],
        json!({ "start": "2025-06-13", "end": "2025-06-19" })
    );
    assert_eq!(
        *periods[1],
        json!({ "start": "2025-02-24", "end": "2025-03-02" })
    );
    assert_eq!(result["period"], *periods[0]);
    // The meter has a report of its own, and is not one of the devices that it measures.
    assert_eq!(result["scope"]["name"], "all 3 devices");
    assert_eq!(result["scope"]["devices"], 4);
    let told = answer["context"]["summary"].as_str().unwrap();
    assert!(told.contains(" of 3 that could be judged"), "{told}");
}

#[tokio::test]
async fn a_device_that_stopped_is_judged_by_the_days_of_its_site() {
    let database = database().await;
    let app = App::over(database.url());
    park(&app).await;
    let answer = app
        .ok("analyze_inverter_health", json!({ "logger_id": "SILENT" }))
        .await;
    let result = &answer["result"];
    assert_eq!(result["period"]["end"], "2025-06-30");
    assert_eq!(result["missingDays"].as_array().unwrap().len(), 7);
    assert_eq!(result["healthStatus"], "critical");
}

#[tokio::test]
async fn the_weak_inverter_of_the_demo_is_not_healthy() {
    let database = database().await;
    demo_park::seed(database.pool(), |_| ()).await.unwrap();
    let app = App::over(database.url());
    let answer = app
        .ok("analyze_inverter_health", json!({ "days": 30 }))
        .await;
    let result = &answer["result"];
    let weak = device(result, "MEIER-INV-001");
    assert_eq!(weak["healthStatus"], "critical", "{weak}");
    assert!(weak["vsPeersPct"].as_f64().unwrap() < -25.0);
    assert_eq!(device(result, "GW-INV-001")["healthScore"], 100.0);
}
