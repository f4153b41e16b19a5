//! One figure per device and day in every tool, and no sick or silent device that spoils or leads a
//! comparison.

use chrono::{DateTime, Duration, NaiveDate, Utc};
use serde_json::{Value, json};
use tools::catalog::{LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

/// A day of a 5 kW array in five-minute steps, from 06:00 to 18:00 UTC; the register counts what
/// the power makes.
fn day(date: NaiveDate, factor: f64) -> Vec<Row> {
    let sunrise: DateTime<Utc> = format!("{date}T06:00:00Z").parse().unwrap();
    (1..=144)
        .map(|step: i32| {
            let sun = (f64::from(step) / 144.0 * std::f64::consts::PI).sin();
            Row {
                time: sunrise + Duration::minutes(i64::from(step) * 5),
                power: Some(5000.0 * sun * factor),
                irradiance: Some(1000.0 * sun),
                ..Row::default()
            }
        })
        .collect()
}

fn days(first: &str, count: usize, factor: f64) -> Vec<Row> {
    let first: NaiveDate = first.parse().unwrap();
    first
        .iter_days()
        .take(count)
        .flat_map(|date| day(date, factor))
        .collect()
}

struct Device<'a> {
    site: &'a str,
    id: &'a str,
    capacity_kw: Option<f64>,
    role: LoggerRole,
}

fn inverter<'a>(site: &'a str, id: &'a str, capacity_kw: Option<f64>) -> Device<'a> {
    Device {
        site,
        id,
        capacity_kw,
        role: LoggerRole::Inverter,
    }
}

async fn put(app: &App, device: Device<'_>, rows: Vec<Row>) {
    let mut settings = LoggerSettings::new(device.id, "test");
    settings.capacity_kw = device.capacity_kw;
    settings.role = device.role;
    let site = SiteSettings::new(device.site, chrono_tz::UTC);
    fixtures::one_logger(&app.pool, TENANT, &site, &settings, rows).await;
}

fn near(value: &Value, expected: f64, tolerance: f64, what: &str) {
    let value = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (value - expected).abs() <= tolerance,
        "{what}: {value} for {expected}"
    );
}

fn last_of(data: &Value, id: &str) -> f64 {
    let mut rows = data.as_array().unwrap().iter().rev();
    rows.find_map(|row| row[id].as_f64()).unwrap()
}

#[tokio::test]
async fn a_device_and_a_day_have_one_energy_in_every_tool_and_beside_any_other() {
    let database = database().await;
    let app = App::over(database.url());
    // A: every fourth reading is missing. B: none. C: a register that counts 10 % more than the
    // power. D: silent at noon.
    let sparse = days("2025-06-01", 3, 1.0).into_iter().enumerate();
    let sparse = sparse
        .filter(|(row, _)| row % 4 != 1)
        .map(|(_, row)| row)
        .collect();
    put(&app, inverter("roof", "A", Some(5.0)), sparse).await;
    put(
        &app,
        inverter("roof", "B", Some(5.0)),
        days("2025-06-01", 3, 1.0),
    )
    .await;
    let mut counted = days("2025-06-01", 3, 1.0);
    let mut total = 0.0;
    for (row, reading) in counted.iter_mut().enumerate() {
        total = if row % 144 == 0 { 0.0 } else { total };
        total += 1.1 * reading.power.unwrap() / 12_000.0;
        reading.daily = Some(total);
    }
    put(&app, inverter("roof", "C", Some(5.0)), counted).await;
    let noon = |row: &Row| !(11..13).contains(&chrono::Timelike::hour(&row.time));
    let holes = days("2025-06-01", 3, 1.0)
        .into_iter()
        .filter(noon)
        .collect();
    put(&app, inverter("roof", "D", Some(5.0)), holes).await;

    let overview = app.ok("get_fleet_overview", json!({})).await;
    for id in ["A", "B", "C", "D"] {
        let arguments = json!({ "logger_id": id, "date": "2025-06-03" });
        let curve = app.ok("get_power_curve", arguments).await;
        let kwh = curve["summaryStats"]["totalEnergy"].as_f64().unwrap();
        let devices = overview["result"]["devices"].as_array().unwrap();
        let device = devices
            .iter()
            .find(|device| device["loggerId"] == id)
            .unwrap();
        near(&device["energyTodayKwh"], kwh, 1e-9, id);
        let arguments =
            json!({ "logger_id": id, "start_date": "2025-06-03", "end_date": "2025-06-03" });
        let savings = app.ok("calculate_financial_savings", arguments).await;
        near(&savings["result"]["totalEnergyKwh"], kwh, 1e-9, id);
        for others in [
            &["A", "B", "C", "D"][..],
            &["A", "D"],
            &["B", "C"],
            &["C", "A"],
        ] {
            let mut ids: Vec<&str> = others.to_vec();
            if !ids.contains(&id) {
                ids.push(id);
            }
            for metric in ["energy", "power"] {
                let arguments =
                    json!({ "logger_ids": ids, "metric": metric, "date": "2025-06-03" });
                let compared = app.ok("compare_loggers", arguments).await;
                let result = &compared["result"];
                let row = &result["summary"][id];
                near(&row["total"], kwh, 1e-9, id);
                near(&row["specificYield"], kwh / 5.0, 0.003, id);
                near(
                    &row["specificYield"],
                    device["specificYield"].as_f64().unwrap(),
                    1e-9,
                    id,
                );
                if metric == "energy" {
                    assert!(
                        (last_of(&result["data"], id) - kwh).abs() < 1e-9,
                        "the curve of {id}"
                    );
                    near(&row["average"], kwh, 1e-9, id);
                }
                let sum: f64 = ids
                    .iter()
                    .map(|id| result["summary"][*id]["total"].as_f64().unwrap())
                    .sum();
                near(&result["totalKwh"], sum, 0.011 * ids.len() as f64, "sum");
            }
        }
    }
    let arguments = json!({ "logger_ids": ["A", "B"], "metric": "energy", "date": "2025-06-01", "end_date": "2025-06-03" });
    let equal = app.ok("compare_loggers", arguments).await;
    assert!(
        equal["result"]["spreadPercent"].as_f64().unwrap() < 1.0,
        "{equal}"
    );
}

#[tokio::test]
async fn a_silent_device_is_named_and_left_out_and_the_others_are_ranked() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, factor) in [("A", 1.0), ("B", 0.8), ("C", 0.9)] {
        put(
            &app,
            inverter("roof", id, Some(5.0)),
            days("2025-06-01", 3, factor),
        )
        .await;
    }
    let meter = Device {
        role: LoggerRole::Meter,
        ..inverter("roof", "M", None)
    };
    put(&app, meter, days("2025-06-01", 3, 2.7)).await;
    put(
        &app,
        inverter("old", "OLD", Some(5.0)),
        days("2022-01-01", 3, 1.0),
    )
    .await;
    put(&app, inverter("old", "NEW", Some(5.0)), Vec::new()).await;

    let everything = app
        .ok("compare_loggers", json!({ "metric": "energy" }))
        .await;
    let result = &everything["result"];
    assert_eq!(result["ranking"], json!(["A", "C", "B"]));
    assert_eq!(
        (&result["best"], &result["worst"]),
        (&json!("A"), &json!("B"))
    );
    near(&result["spreadPercent"], 20.0, 0.1, "spread");
    let excluded: Vec<(&Value, &Value)> = result["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["loggerId"], &one["reason"]))
        .collect();
    for (id, reason) in [
        ("M", "meter"),
        ("NEW", "no_data"),
        ("OLD", "no_data_in_window"),
    ] {
        assert!(
            excluded.contains(&(&json!(id), &json!(reason))),
            "{excluded:?}"
        );
        assert!(
            everything["message"].as_str().unwrap().contains(id),
            "{everything}"
        );
    }
    let sum: f64 = ["A", "B", "C"]
        .iter()
        .map(|id| result["summary"][*id]["total"].as_f64().unwrap())
        .sum();
    near(&result["totalKwh"], sum, 0.04, "sum");

    let named = app
        .ok(
            "compare_loggers",
            json!({ "logger_ids": ["A", "M", "OLD"], "date": "2025-06-03" }),
        )
        .await;
    let result = &named["result"];
    assert_eq!(result["loggerIds"], json!(["A", "M"]));
    // The meter was asked for, and is not added to its inverter.
    let of_a = result["summary"]["A"]["total"].as_f64().unwrap();
    near(&result["totalKwh"], of_a, 1e-9, "total");

    let site = app.ok("compare_loggers", json!({ "site_id": "old" })).await;
    assert_eq!(site["result"]["loggerIds"], json!(["OLD"]));
    assert_eq!(site["result"]["date"], "2022-01-03");
    let none = app
        .call(
            "compare_loggers",
            json!({ "logger_ids": ["A", "OLD"], "date": "2024-01-01" }),
        )
        .await;
    assert_eq!(none["status"], "no_data_in_window");
    let unknown = app
        .call("compare_loggers", json!({ "site_id": "attic" }))
        .await;
    assert_eq!(unknown["status"], "no_data");
}

#[tokio::test]
async fn of_more_than_five_all_are_ranked_and_the_ends_are_drawn() {
    let database = database().await;
    let app = App::over(database.url());
    for index in 0..8_i32 {
        let id = format!("INV-{index}");
        let factor = 1.0 - 0.02 * f64::from(index);
        put(
            &app,
            inverter("roof", &id, Some(5.0)),
            days("2025-06-01", 2, factor),
        )
        .await;
    }
    let answer = app
        .ok(
            "compare_loggers",
            json!({ "site_id": "roof", "metric": "energy" }),
        )
        .await;
    let result = &answer["result"];
    let best_first: Vec<String> = (0..8).map(|index| format!("INV-{index}")).collect();
    assert_eq!(result["ranking"], json!(best_first));
    assert_eq!(
        result["charted"],
        json!(["INV-0", "INV-1", "INV-2", "INV-6", "INV-7"])
    );
    assert_eq!(result["summary"].as_object().unwrap().len(), 8);
    assert_eq!(result["summary"]["INV-3"]["rank"], 4);
    let drawn = result["data"][0].as_object().unwrap();
    assert_eq!(drawn.len(), 6, "a time and five devices");

    let contradiction = json!({ "logger_ids": ["INV-0", "INV-1"], "site_id": "roof" });
    let (status, refused) = app.call_as(TENANT, "compare_loggers", contradiction).await;
    assert_eq!(
        (status.as_u16(), &refused["errors"][0]["pointer"]),
        (422, &json!("/site_id")),
        "{refused}"
    );
}

#[tokio::test]
async fn a_unit_that_makes_41_percent_less_is_behind_although_its_size_is_not_stated() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, factor) in [("A", 1.0), ("B", 0.59), ("C", 0.98), ("D", 1.02)] {
        put(
            &app,
            inverter("sick", id, None),
            days("2025-06-01", 20, factor),
        )
        .await;
    }
    // E was well until the days that are judged; without peers only its own past is evidence.
    let mut rows = days("2025-06-01", 17, 1.0);
    rows.extend(days("2025-06-18", 3, 0.59));
    put(&app, inverter("lone", "E", None), rows).await;
    for window in [
        json!({ "date": "2025-06-20" }),
        json!({ "date": "2025-06-18", "end_date": "2025-06-20" }),
        json!({ "date": "2025-06-01", "end_date": "2025-06-20" }),
    ] {
        for ids in [
            json!(["A", "B", "C", "D"]),
            json!(["B", "A"]),
            json!(["C", "D", "B"]),
        ] {
            let mut arguments = window.clone();
            arguments["logger_ids"] = ids.clone();
            let answer = app.ok("compare_loggers", arguments).await;
            let result = &answer["result"];
            assert_eq!(result["worst"], "B", "{answer}");
            let spread = result["spreadPercent"].as_f64().unwrap();
            assert!((38.0..44.0).contains(&spread), "{spread}");
            if ids.as_array().unwrap().len() > 2 {
                assert_eq!(result["underperformers"], json!(["B"]), "{answer}");
            }
        }
    }
    let arguments =
        json!({ "logger_ids": ["A", "E"], "date": "2025-06-18", "end_date": "2025-06-20" });
    let answer = app.ok("compare_loggers", arguments).await;
    assert_eq!(answer["result"]["worst"], "E", "{answer}");
    near(&answer["result"]["spreadPercent"], 41.0, 1.0, "spread");
    assert_eq!(
        answer["result"]["summary"]["E"]["capacityBasis"],
        "inferred"
    );
}

#[tokio::test]
async fn a_device_has_one_size_in_every_tool_whatever_happened_on_the_days_that_are_judged() {
    let database = database().await;
    let app = App::over(database.url());
    // A was well until the days that are judged, B never was.
    let mut rows = days("2025-06-01", 14, 1.0);
    rows.extend(days("2025-06-15", 6, 0.5));
    put(&app, inverter("roof", "A", None), rows).await;
    for (id, factor) in [("B", 0.59), ("C", 0.98), ("D", 1.02)] {
        let rows = days("2025-06-01", 20, factor);
        put(&app, inverter("roof", id, None), rows).await;
    }
    for (first, last) in [("2025-06-15", "2025-06-20"), ("2025-06-20", "2025-06-20")] {
        let window = json!({ "date": first, "end_date": last, "metric": "energy" });
        let compared = app.ok("compare_loggers", window).await["result"].take();
        let window = json!({ "site_id": "roof", "start_date": first, "end_date": last });
        let savings = app.ok("calculate_financial_savings", window).await["result"].take();
        for device in savings["devices"].as_array().unwrap() {
            let id = device["loggerId"].as_str().unwrap();
            let row = &compared["summary"][id];
            for field in ["capacityKw", "capacityBasis", "specificYield"] {
                assert_eq!(device[field], row[field], "{field} of {id}: {device} {row}");
            }
            let alone = json!({ "logger_id": id, "start_date": first, "end_date": last });
            let alone = app.ok("calculate_financial_savings", alone).await["result"].take();
            assert_eq!(alone["capacityKw"], device["capacityKw"], "{id}");
            let health = json!({ "logger_id": id, "days": 1, "end_date": "2025-06-20" });
            let health = app.ok("analyze_inverter_health", health).await["result"].take();
            assert_eq!(
                health["capacityBasis"], row["capacityBasis"],
                "{id}: {health}"
            );
        }
        assert_eq!(compared["summary"]["A"]["capacityBasis"], "inferred");
        assert_eq!(compared["summary"]["B"]["capacityBasis"], "peers");
        assert_eq!(compared["worst"], "A", "{compared}");
    }
}

#[tokio::test]
async fn sites_of_different_ages_are_not_added_up() {
    let database = database().await;
    let app = App::over(database.url());
    put(
        &app,
        inverter("new", "N1", Some(5.0)),
        days("2025-06-01", 3, 1.0),
    )
    .await;
    put(
        &app,
        inverter("new", "N2", Some(5.0)),
        days("2025-06-01", 3, 0.9),
    )
    .await;
    // On the day before only: its energy is of another day.
    put(
        &app,
        inverter("late", "L", Some(100.0)),
        days("2025-06-01", 2, 1.0),
    )
    .await;
    put(
        &app,
        inverter("old", "OLD", Some(200.0)),
        days("2022-01-01", 3, 1.0),
    )
    .await;
    let answer = app.ok("get_fleet_overview", json!({})).await;
    let result = &answer["result"];
    let devices = result["devices"].as_array().unwrap();
    let energy = |id: &str| {
        let device = devices
            .iter()
            .find(|device| device["loggerId"] == id)
            .unwrap();
        device["energyTodayKwh"].as_f64()
    };
    assert_eq!((energy("L"), energy("OLD")), (None, None));
    let sum = energy("N1").unwrap() + energy("N2").unwrap();
    near(
        &result["production"]["todayTotalEnergyKwh"],
        sum,
        0.011,
        "energy",
    );
    near(
        &result["production"]["specificYield"],
        sum / 10.0,
        0.002,
        "yield",
    );
    assert_eq!(result["status"]["totalLoggers"], 3);
    let counted = devices.iter().filter(|device| device["counted"] == true);
    assert_eq!(counted.count(), 3, "{devices:?}");
    assert_eq!(result["status"]["activeLoggers"], 2);
    let sites = result["sites"].as_array().unwrap();
    let current = |id: &str| &sites.iter().find(|site| site["siteId"] == id).unwrap()["current"];
    assert_eq!(
        (current("new"), current("old")),
        (&json!(true), &json!(false))
    );
    assert!(
        result["summary"]
            .as_str()
            .unwrap()
            .contains("old has sent nothing since 3 January 2022")
    );
    let asleep_or_silent =
        |device: &&Value| device["state"] == "asleep" || device["state"] == "offline";
    for device in devices.iter().filter(asleep_or_silent) {
        assert!(device["powerWatts"].is_null(), "{device}");
    }
    // Asked for on its own, the old site has its own day.
    let old = app
        .ok("get_fleet_overview", json!({ "site_id": "old" }))
        .await;
    assert_eq!(old["result"]["localDate"], "2022-01-03");
    assert!(
        old["result"]["production"]["todayTotalEnergyKwh"]
            .as_f64()
            .unwrap()
            > 30.0
    );
}

#[tokio::test]
async fn a_register_that_differs_from_the_power_is_told_however_few_readings_there_are() {
    let database = database().await;
    let app = App::over(database.url());
    let mut counted = days("2025-06-01", 3, 1.0);
    let mut total = 0.0;
    for (row, reading) in counted.iter_mut().enumerate() {
        total = if row % 144 == 0 { 0.0 } else { total };
        total += 1.9 * reading.power.unwrap() / 12_000.0;
        reading.daily = Some(total);
    }
    put(&app, inverter("roof", "R", Some(5.0)), counted).await;
    put(
        &app,
        inverter("roof", "S", Some(5.0)),
        days("2025-06-01", 3, 1.0),
    )
    .await;
    let calls = [
        (
            "get_power_curve",
            json!({ "logger_id": "R", "date": "2025-06-02" }),
        ),
        (
            "calculate_financial_savings",
            json!({ "logger_id": "R", "start_date": "2025-06-01" }),
        ),
        ("compare_loggers", json!({ "logger_ids": ["R", "S"] })),
    ];
    for (tool, arguments) in calls {
        let answer = app.ok(tool, arguments).await;
        let flags = answer["result"]["flags"].as_array().unwrap();
        assert!(
            flags.contains(&json!("register_power_mismatch")),
            "{tool}: {answer}"
        );
        let context = &answer["context"];
        let told = [&context["alert"], &context["summary"]]
            .into_iter()
            .filter_map(Value::as_str)
            .any(|text| text.contains("The register of R counts"));
        assert!(told, "{tool}: {context}");
    }
}

#[tokio::test]
async fn the_demonstration_ranks_all_its_inverters_and_adds_up_to_one_day() {
    let database = database().await;
    let app = App::over(database.url());
    demo_park::seed(&app.pool, |_| ()).await.unwrap();
    let everything = json!({ "metric": "energy" });
    let five = json!({
        "metric": "energy",
        "logger_ids": ["GW-INV-001", "LTI-INV-001", "MEIER-INV-001", "RSF2-INV2", "SD-INV-001"]
    });
    let overview = app.ok("get_fleet_overview", json!({})).await;
    let production = &overview["result"]["production"];
    for arguments in [everything, five] {
        let answer = app.ok("compare_loggers", arguments).await;
        let result = &answer["result"];
        assert_eq!(result["date"], "2025-12-04");
        assert_eq!(result["ranking"].as_array().unwrap().len(), 4, "{answer}");
        assert_eq!(result["worst"], "MEIER-INV-001");
        assert_eq!(result["summary"]["MEIER-INV-001"]["rank"], 4);
        let excluded = result["excluded"].as_array().unwrap();
        assert!(excluded.iter().any(|one| one["loggerId"] == "RSF2-INV2"));
        // The park's day, whatever a site of another age did on its own last day.
        let total = production["todayTotalEnergyKwh"].as_f64().unwrap();
        near(&result["totalKwh"], total, 1e-9, "total");
        near(&production["specificYield"], total / 21.0, 0.002, "yield");
    }
    assert_eq!(overview["result"]["status"]["totalLoggers"], 4);
    assert_eq!(overview["result"]["status"]["offline"], 0);
}

#[tokio::test]
async fn an_estimated_size_is_not_ranked_among_stated_ones() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, factor) in [("A", 1.0), ("B", 0.9)] {
        let rows = days("2025-06-01", 20, factor);
        put(&app, inverter("roof", id, Some(5.0)), rows).await;
    }
    // It was held back until the window, so that its own best days say a fifth of its size.
    let mut rows = days("2025-06-01", 15, 0.2);
    rows.extend(days("2025-06-16", 5, 1.0));
    put(&app, inverter("roof", "HELD", None), rows).await;
    let window = json!({ "metric": "energy", "date": "2025-06-16", "end_date": "2025-06-20" });
    let answer = app.ok("compare_loggers", window.clone()).await;
    let result = &answer["result"];
    assert_eq!(result["ranking"], json!(["A", "B"]), "{answer}");
    assert_eq!(
        (&result["best"], &result["worst"]),
        (&json!("A"), &json!("B"))
    );
    assert_eq!(result["basis"], "stated_capacity");
    let row = &result["summary"]["HELD"];
    assert_eq!(row["unranked"], "size_estimated", "{row}");
    assert_eq!(row["capacityBasis"], "inferred", "{row}");
    // Its own figure is there, apart from the ranking.
    assert!(
        row["specificYield"].as_f64() > result["summary"]["A"]["specificYield"].as_f64(),
        "{row}"
    );
    let told = answer["message"].as_str().unwrap();
    assert!(told.contains("there is no rank of HELD"), "{told}");
    // Beside a single stated size energies are ranked.
    let mut two = window;
    two["logger_ids"] = json!(["B", "HELD"]);
    let answer = app.ok("compare_loggers", two).await;
    let result = &answer["result"];
    assert_eq!(result["basis"], "absolute", "{answer}");
    assert_eq!(result["ranking"], json!(["HELD", "B"]));
}

#[tokio::test]
async fn the_size_of_the_peers_is_not_ranked_among_stated_ones() {
    let database = database().await;
    let app = App::over(database.url());
    for (id, factor) in [("A", 1.0), ("B", 0.98), ("D", 1.02)] {
        let rows = days("2025-06-01", 20, factor);
        put(&app, inverter("roof", id, Some(5.0)), rows).await;
    }
    let larger = days("2025-06-01", 20, 0.59);
    put(&app, inverter("roof", "UNSTATED", None), larger).await;
    let window = json!({ "metric": "energy", "date": "2025-06-16", "end_date": "2025-06-20" });
    let answer = app.ok("compare_loggers", window).await;
    let result = &answer["result"];
    assert_eq!(result["ranking"], json!(["D", "A", "B"]), "{answer}");
    assert_eq!(result["worst"], "B");
    assert_eq!(result["underperformers"], json!([]), "{answer}");
    let row = &result["summary"]["UNSTATED"];
    assert_eq!(
        (&row["capacityBasis"], &row["unranked"]),
        (&json!("peers"), &json!("size_estimated")),
        "{row}"
    );
}
