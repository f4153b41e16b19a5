//! A plant of two sites in two zones, with what goes wrong in a plant: a register that counts too
//! much, a weak inverter whose size is not stated, a young one, outages, dead and missing days.

use chrono::{Days, Duration, NaiveDate, Timelike};
use chrono_tz::{America, Europe, Tz};
use serde_json::{Value, json};
use solar::IrradianceBasis;
use solar::calendar::day_start;
use test_support::database::TestDatabase;
use tools::catalog::{self, LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

const FIRST: &str = "2026-09-23";
const LAST: &str = "2026-11-21";
/// Readings of a day.
const STEPS: i64 = 48;

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// How bright a day is at a site.
fn light(day: NaiveDate, zone: Tz) -> f64 {
    let index = (day - date(FIRST)).num_days();
    let shift = if zone == Europe::Zurich { 3 } else { 8 };
    [1.0, 0.45, 0.8, 0.95, 0.3, 0.7, 0.98]
        [usize::try_from((index * shift + index / 7) % 7).unwrap()]
}

/// A device: what it makes of a clear hour, by the local day and hour; `None` is a missing reading.
struct Device {
    id: &'static str,
    role: LoggerRole,
    capacity_kw: Option<f64>,
    /// The part of the power that the register counts; `None` has no register.
    register: Option<f64>,
    kw: fn(NaiveDate, f64) -> Option<f64>,
}

fn inverter(
    id: &'static str,
    capacity_kw: Option<f64>,
    register: f64,
    kw: fn(NaiveDate, f64) -> Option<f64>,
) -> Device {
    Device {
        id,
        role: LoggerRole::Inverter,
        capacity_kw,
        register: Some(register),
        kw,
    }
}

fn lindenau() -> Vec<Device> {
    let devices = vec![
        inverter("LIN-INV-1", Some(30.0), 1.0, |day, hour| {
            let out = day == date("2026-10-07") && hour > 10.0 && hour <= 12.0;
            Some(if out { 0.0 } else { 30.0 })
        }),
        inverter("LIN-INV-2", Some(30.0), 1.0, |day, _| {
            let dead = (date("2026-11-03")..=date("2026-11-05")).contains(&day);
            Some(if dead { 0.0 } else { 30.0 })
        }),
        // It has the size of the others, and makes 60 % of it.
        inverter("LIN-INV-3", None, 1.0, |_, _| Some(18.0)),
        inverter("LIN-INV-4", Some(20.0), 1.0, |day, _| {
            (day >= date("2026-10-20")).then_some(20.0)
        }),
    ];
    let meter = Device {
        role: LoggerRole::Meter,
        ..inverter("LIN-METER", None, 1.0, |_, _| Some(80.0))
    };
    let weather = Device {
        role: LoggerRole::Weather,
        register: None,
        ..inverter("LIN-WX", None, 1.0, |_, _| Some(1.0))
    };
    devices.into_iter().chain([meter, weather]).collect()
}

fn mesa() -> Vec<Device> {
    vec![
        inverter("MESA-A", Some(50.0), 1.3, |_, _| Some(50.0)),
        inverter("MESA-B", Some(50.0), 1.0, |day, hour| {
            let silent = (date("2026-11-08")..=date("2026-11-09")).contains(&day);
            let dead = day == date("2026-10-14") && hour > 12.0;
            (!silent).then_some(if dead { 0.0 } else { 50.0 })
        }),
        inverter("MESA-C", Some(25.0), 1.0, |_, _| Some(25.0)),
    ]
}

fn rows(device: &Device, zone: Tz) -> Vec<Row> {
    let mut rows = Vec::new();
    for day in date(FIRST).iter_days().take_while(|day| *day <= date(LAST)) {
        let start = day_start(day, zone);
        let steps = (day_start(day + Days::new(1), zone) - start) * STEPS / 86_400;
        let mut counted = 0.0;
        for step in 0..steps {
            let time = chrono::DateTime::from_timestamp(start + step * 86_400 / STEPS, 0).unwrap();
            let local = time.with_timezone(&zone);
            let hour = f64::from(local.num_seconds_from_midnight()) / 3600.0;
            let sun = ((hour - 12.25) / 5.5 * std::f64::consts::FRAC_PI_2).cos();
            let sun = if (hour - 12.25).abs() < 5.5 { sun } else { 0.0 };
            let sun = sun * light(day, zone);
            let Some(kw) = (device.kw)(day, hour) else {
                continue;
            };
            let watts = (820.0 * kw * sun).round();
            counted += device.register.unwrap_or(0.0) * watts * 24.0 / (1000.0 * STEPS as f64);
            let weather = device.role == LoggerRole::Weather;
            rows.push(Row {
                time,
                power: (!weather).then_some(watts),
                daily: device.register.map(|_| (100.0 * counted).round() / 100.0),
                irradiance: weather.then(|| (1000.0 * sun).round()),
                ..Row::default()
            });
        }
    }
    rows
}

async fn put(app: &App, site: &str, zone: Tz, devices: Vec<Device>) {
    let mut conn = app.pool.acquire().await.unwrap();
    let settings = SiteSettings::new(site, zone);
    let site_key = catalog::put_site(&mut conn, TENANT, &settings)
        .await
        .unwrap();
    let mut stored = Vec::new();
    for device in devices {
        let mut logger = LoggerSettings::new(device.id, "test");
        (logger.role, logger.capacity_kw) = (device.role, device.capacity_kw);
        logger.irradiance_basis = IrradianceBasis::Poa;
        let key = catalog::put_logger(&mut conn, TENANT, site_key, &logger)
            .await
            .unwrap();
        stored.push((key, rows(&device, zone)));
    }
    drop(conn);
    fixtures::store(&app.pool, &stored).await;
}

async fn plant() -> (TestDatabase, App) {
    let database = database().await;
    let app = App::at(database.url(), "2026-11-22T15:00:00Z");
    put(&app, "lindenau", Europe::Zurich, lindenau()).await;
    put(&app, "mesa", America::Phoenix, mesa()).await;
    (database, app)
}

fn near(value: &Value, expected: f64, tolerance: f64, what: &str) {
    let found = value.as_f64().unwrap_or(f64::NAN);
    assert!(
        (found - expected).abs() <= tolerance,
        "{what}: {found} for {expected}"
    );
}

fn of<'a>(rows: &'a Value, id: &str) -> &'a Value {
    let mut rows = rows.as_array().unwrap().iter();
    rows.find(|row| row["loggerId"] == id)
        .unwrap_or_else(|| panic!("{id} is not there"))
}

fn ids(rows: &Value) -> Vec<&str> {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["loggerId"].as_str().unwrap()).collect()
}

async fn energy(app: &App, id: &str, from: &str, to: &str) -> f64 {
    let arguments = json!({ "logger_id": id, "start_date": from, "end_date": to });
    let answer = app.ok("calculate_financial_savings", arguments).await;
    answer["result"]["totalEnergyKwh"].as_f64().unwrap()
}

/// The energy of a device of this size, kW, on a day.
fn made(kw: f64, day: &str, zone: Tz) -> f64 {
    let device = Device {
        kw: |_, _| Some(1.0),
        register: None,
        ..inverter("X", None, 1.0, |_, _| None)
    };
    let start = day_start(date(day), zone);
    let rows = rows(&device, zone);
    let of_day = rows
        .iter()
        .filter(|row| (start + 1..=start + 86_400).contains(&row.time.timestamp()));
    kw * of_day.map(|row| row.power.unwrap()).sum::<f64>() * 24.0 / (1000.0 * STEPS as f64)
}

#[tokio::test]
async fn each_site_has_its_own_newest_day_and_its_own_size_for_each_device() {
    let (_database, app) = plant().await;
    // In Zurich the newest reading of Phoenix is one of the next morning.
    let answer = app.ok("get_fleet_overview", json!({})).await;
    let result = &answer["result"];
    let mut sum = 0.0;
    for site in result["sites"].as_array().unwrap() {
        assert_eq!(
            (&site["localDate"], &site["current"]),
            (&json!(LAST), &json!(true)),
            "{site}"
        );
        sum += site["energyTodayKwh"].as_f64().unwrap();
    }
    assert_eq!(result["localDate"], LAST);
    near(
        &result["production"]["todayTotalEnergyKwh"],
        sum,
        1e-6,
        "sum",
    );
    for device in result["devices"].as_array().unwrap() {
        if device["role"] != "weather" {
            let id = device["loggerId"].as_str().unwrap();
            let kwh = energy(&app, id, LAST, LAST).await;
            assert!(kwh > 10.0, "{id}");
            near(&device["energyTodayKwh"], kwh, 1e-9, id);
        }
    }
    let told = result["summary"].as_str().unwrap();
    assert!(told.contains("on 21 November 2026"), "{told}");
    let compared = app
        .ok("compare_loggers", json!({ "metric": "energy" }))
        .await;
    assert_eq!(compared["result"]["date"], LAST);
    // The size of one is that of its peers.
    assert_eq!(compared["result"]["ranking"].as_array().unwrap().len(), 6);

    // One size for each device, and none for a meter.
    let listed = app.ok("list_loggers", json!({})).await;
    let rows = &listed["result"]["loggers"];
    let meter = of(rows, "LIN-METER");
    assert_eq!(
        (&meter["capacityKw"], &meter["capacityBasis"]),
        (&Value::Null, &json!("unknown"))
    );
    let weak = of(rows, "LIN-INV-3");
    assert_eq!(
        (&weak["capacityKw"], &weak["capacityBasis"]),
        (&json!(30.0), &json!("peers"))
    );
    for (id, row) in compared["result"]["summary"].as_object().unwrap() {
        assert_eq!(row["capacityKw"], of(rows, id)["capacityKw"], "{id}");
    }
    let named =
        json!({ "logger_ids": ["LIN-METER", "LIN-INV-1", "LIN-INV-2"], "metric": "energy" });
    let named = app.ok("compare_loggers", named).await;
    assert_eq!(
        named["result"]["summary"]["LIN-METER"]["capacityKw"],
        Value::Null
    );
    assert_eq!(named["result"]["ranking"].as_array().unwrap().len(), 2);
    assert!(
        named["message"].as_str().unwrap().contains("LIN-METER"),
        "{named}"
    );
}

#[tokio::test]
async fn a_site_whose_next_day_has_begun_does_not_empty_the_other() {
    let database = database().await;
    let app = App::at(database.url(), "2026-11-22T09:00:00Z");
    put(&app, "mesa", America::Phoenix, mesa()).await;
    let mut conn = app.pool.acquire().await.unwrap();
    let settings = SiteSettings::new("lindenau", Europe::Zurich);
    let site = catalog::put_site(&mut conn, TENANT, &settings)
        .await
        .unwrap();
    let logger = LoggerSettings::new("LIN-INV-1", "test");
    let key = catalog::put_logger(&mut conn, TENANT, site, &logger)
        .await
        .unwrap();
    drop(conn);
    // The last reading of Phoenix is at 07:30 in Zurich; this site has readings until 10:00.
    let mut rows = rows(&lindenau()[0], Europe::Zurich);
    let end = rows.last().unwrap().time;
    rows.extend((1..=20).map(|step| Row {
        time: end + Duration::minutes(30 * step),
        power: Some(if step > 15 { 5000.0 } else { 0.0 }),
        daily: Some(if step > 15 {
            2.5 * (step - 15) as f64
        } else {
            0.0
        }),
        ..Row::default()
    }));
    fixtures::store(&app.pool, &[(key, rows)]).await;
    let answer = app.ok("get_fleet_overview", json!({})).await;
    let result = &answer["result"];
    let days: Vec<&Value> = result["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| &site["localDate"])
        .collect();
    assert_eq!(days, ["2026-11-22", "2026-11-21"]);
    near(
        &result["sites"][0]["energyTodayKwh"],
        12.5,
        0.01,
        "this morning",
    );
    assert!(result["sites"][1]["energyTodayKwh"].as_f64().unwrap() > 100.0);
    let told = result["summary"].as_str().unwrap();
    assert!(
        told.contains("22 November 2026 (lindenau), 21 November 2026 (mesa)"),
        "{told}"
    );
    // A comparison is of one day, which both have.
    let compared = app.ok("compare_loggers", json!({})).await;
    assert_eq!(compared["result"]["date"], "2026-11-21");
    assert_eq!(compared["result"]["excluded"], json!([]));
}

#[tokio::test]
async fn a_register_that_counts_too_much_is_told_every_day_and_spoils_no_other_device() {
    let (_database, app) = plant().await;
    for day in ["2026-10-06", "2026-10-09", "2026-11-13", "2026-11-16"] {
        let expected = 1.3 * made(50.0, day, America::Phoenix);
        let arguments = json!({ "logger_id": "MESA-A", "date": day });
        let curve = app.ok("get_power_curve", arguments).await;
        near(
            &curve["result"]["registerKwh"],
            expected,
            0.001 * expected,
            day,
        );
        assert_eq!(
            curve["result"]["registerKwh"],
            curve["summaryStats"]["totalEnergy"]
        );
        let flags = curve["result"]["flags"].as_array().unwrap();
        assert!(
            flags.contains(&json!("register_power_mismatch")),
            "{day} {flags:?}"
        );
        near(
            &json!(energy(&app, "MESA-A", day, day).await),
            expected,
            0.001 * expected,
            day,
        );
    }
    let period = json!({ "site_id": "mesa", "start_date": "2026-10-20", "end_date": "2026-11-05" });
    let health = app.ok("analyze_inverter_health", period).await;
    let devices = &health["result"]["devices"];
    let inflated = of(devices, "MESA-A");
    assert_eq!(inflated["healthStatus"], "warning", "{inflated}");
    assert_eq!(inflated["healthScore"], 90.0);
    assert_eq!(inflated["events"][0]["kind"], "register_mismatch");
    for id in ["MESA-B", "MESA-C"] {
        near(&of(devices, id)["vsPeersPct"], 0.0, 0.5, id);
        assert_eq!(of(devices, id)["healthScore"], 100.0);
    }
    for arguments in [
        json!({ "site_id": "mesa", "date": "2026-10-20", "end_date": "2026-11-19" }),
        json!({ "logger_ids": ["MESA-A", "MESA-B"], "date": "2026-10-20" }),
        json!({ "logger_ids": ["MESA-A", "LIN-INV-1", "MESA-C"], "metric": "energy", "date": "2026-11-13" }),
    ] {
        let answer = app.ok("compare_loggers", arguments).await;
        let result = &answer["result"];
        assert_ne!(result["best"], "MESA-A", "{answer}");
        assert_eq!(result["underperformers"], json!([]));
        assert_eq!(result["summary"]["MESA-A"]["registerDiffers"], true);
        let energies = &result["summary"]["MESA-A"]["total"];
        let (from, to) = (&result["period"]["start"], &result["period"]["end"]);
        let kwh = energy(&app, "MESA-A", from.as_str().unwrap(), to.as_str().unwrap()).await;
        near(energies, kwh, 1e-9, "its energy is what it is everywhere");
        assert!(
            answer["message"].as_str().unwrap().contains("MESA-A"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn days_that_a_device_lacks_are_filled_from_its_own_site_and_said() {
    let (_database, app) = plant().await;
    let compare = |arguments: Value| app.ok("compare_loggers", arguments);
    // The weak one has the first days alone. Its size is not stated, so that energies are ranked.
    let period = |ids: Value| json!({ "logger_ids": ids, "metric": "energy", "date": "2026-10-01", "end_date": "2026-10-31" });
    let answer = compare(period(json!(["LIN-INV-3", "LIN-INV-4"]))).await;
    near(&answer["result"]["spreadPercent"], 10.0, 0.3, "spread");
    let young = &answer["result"]["summary"]["LIN-INV-4"];
    assert_eq!(
        (&young["filledDays"], &young["daysWithData"]),
        (&json!(19), &json!(12))
    );
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("LIN-INV-4 (19 days)"),
        "{answer}"
    );
    let all =
        compare(json!({ "metric": "energy", "date": "2026-10-01", "end_date": "2026-10-31" }))
            .await;
    let summary = &all["result"]["summary"];
    let yields = |id: &str| {
        let row = &summary[id];
        row["comparedYield"]
            .as_f64()
            .or_else(|| row["specificYield"].as_f64())
            .unwrap()
    };
    near(
        &json!(yields("LIN-INV-4") / yields("LIN-INV-2")),
        1.0,
        0.01,
        "as its neighbours",
    );
    near(
        &json!(yields("MESA-A") / yields("MESA-C")),
        1.0,
        0.01,
        "by its power",
    );
    assert_eq!(summary["LIN-INV-3"]["unranked"], "size_estimated");
    assert_eq!(all["result"]["underperformers"], json!([]));
    // Days without rows are filled as well, and days of one site are none of the other's.
    let answer = compare(json!({ "logger_ids": ["MESA-B", "MESA-C"], "metric": "energy", "date": "2026-11-01", "end_date": "2026-11-20" })).await;
    near(&answer["result"]["spreadPercent"], 0.0, 0.1, "equal");
    assert_eq!(answer["result"]["summary"]["MESA-B"]["filledDays"], 2);
    let answer = compare(period(json!(["LIN-INV-4", "MESA-C"]))).await;
    assert_eq!(
        answer["result"]["summary"]["LIN-INV-4"]["filledDays"],
        Value::Null
    );
    assert!(
        answer["message"]
            .as_str()
            .unwrap()
            .contains("12 days that all sites have"),
        "{answer}"
    );
}

#[tokio::test]
async fn what_a_device_is_judged_by_says_what_it_is() {
    let (_database, app) = plant().await;
    // The outage of one peer does not make the weak one better.
    let day =
        json!({ "logger_id": "LIN-INV-3", "start_date": "2026-10-07", "end_date": "2026-10-07" });
    let health = app.ok("analyze_inverter_health", day).await;
    near(
        &health["result"]["vsPeersPct"],
        -40.0,
        0.5,
        "beside its peers",
    );
    let week =
        json!({ "site_id": "lindenau", "start_date": "2026-10-05", "end_date": "2026-10-11" });
    let health = app.ok("analyze_inverter_health", week).await;
    near(
        &of(&health["result"]["devices"], "LIN-INV-2")["vsPeersPct"],
        0.0,
        12.0,
        "fair",
    );

    // Before its first day a device has no health; the days before are not missing.
    let before =
        json!({ "logger_id": "LIN-INV-4", "start_date": "2026-10-13", "end_date": "2026-10-19" });
    let none = app.call("analyze_inverter_health", before).await;
    assert_eq!(none["status"], "no_data_in_window", "{none}");
    let around =
        json!({ "logger_id": "LIN-INV-4", "start_date": "2026-10-13", "end_date": "2026-10-26" });
    let health = app.ok("analyze_inverter_health", around).await;
    assert_eq!(health["result"]["missingDays"], json!([]));
    let all =
        json!({ "site_id": "lindenau", "start_date": "2026-10-01", "end_date": "2026-10-19" });
    let health = app.ok("analyze_inverter_health", all).await;
    assert!(
        ids(&health["result"]["leftOut"]).contains(&"LIN-INV-4"),
        "{health}"
    );
    let weather = app
        .call("analyze_inverter_health", json!({ "logger_id": "LIN-WX" }))
        .await;
    assert_eq!(weather["status"], "error");
    assert!(
        weather["message"]
            .as_str()
            .unwrap()
            .contains("measures the weather")
    );

    // A ratio is of the energies of every other answer; meters are not ranked; no weak device
    // hides.
    let october = json!({ "site_id": "lindenau", "date": "2026-10-01", "end_date": "2026-10-31" });
    let ratio = app.ok("calculate_performance_ratio", october.clone()).await;
    let result = &ratio["result"];
    assert_eq!(
        ids(&result["devices"])[0],
        "LIN-INV-3",
        "the lowest is first"
    );
    assert!(!ids(&result["devices"]).contains(&"LIN-METER"), "{result}");
    assert!(ids(&result["leftOut"]).contains(&"LIN-METER"), "{result}");
    assert_eq!(result["rating"], Value::Null);
    let told = result["interpretation"].as_str().unwrap();
    assert!(told.contains("LIN-INV-3 reaches only 49"), "{told}");
    for device in result["devices"].as_array().unwrap() {
        let id = device["loggerId"].as_str().unwrap();
        let kwh = energy(&app, id, "2026-10-01", "2026-10-31").await;
        let capacity = device["capacityKw"].as_f64().unwrap();
        near(&device["yf"], kwh / capacity, 0.001, id);
    }
    let dead = json!({ "logger_id": "LIN-INV-2", "date": "2026-10-01", "end_date": "2026-11-20" });
    let ratio = app.ok("calculate_performance_ratio", dead).await;
    assert_eq!(ratio["result"]["rating"], Value::Null, "{ratio}");

    // Averages are of calendar days.
    let arguments =
        json!({ "site_id": "lindenau", "start_date": "2026-10-01", "end_date": "2026-10-31" });
    let savings = app.ok("calculate_financial_savings", arguments).await;
    let told = savings["context"]["insights"].to_string();
    assert!(
        told.contains("a day of all devices together, over 31 days"),
        "{told}"
    );

    // Who was out, on any day of the past.
    let day = json!({ "start_date": "2026-11-04", "end_date": "2026-11-04" });
    let out = app.ok("analyze_inverter_health", day).await;
    let dead = out["result"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["loggerId"] == "LIN-INV-2" && event["kind"] == "dead_day");
    let dead = dead.unwrap_or_else(|| panic!("{out}"));
    let expected = made(30.0, "2026-11-04", Europe::Zurich);
    near(&dead["lostKwh"], expected, 0.03 * expected, "lost");
    assert!(dead["lostMoney"]["amount"].as_f64().unwrap() > 0.0);
}
