//! Sites in several zones, silent and dead devices, sizes that are not stated, default tariffs.

use chrono::{DateTime, Duration, NaiveDate, Timelike, Utc};
use chrono_tz::{America, Asia, Europe, Pacific, Tz};
use http::Method;
use serde_json::{Value, json};
use solar::Position;
use solar::calendar::local_day;
use test_support::database::TestDatabase;
use tools::catalog::{self, LoggerSettings, SiteSettings};

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// Readings of a device from a day on until `end`: quarters of an hour with clear days of
/// `kw` from 07:15 to 17:15, at a share that depends on the day; `None` is a day without readings.
fn rows(
    zone: Tz,
    first: &str,
    end: &str,
    kw: f64,
    share: impl Fn(NaiveDate) -> Option<f64>,
) -> Vec<Row> {
    let (mut time, end) = (at(&format!("{first}T00:00:00Z")), at(end));
    let mut rows = Vec::new();
    while time <= end {
        let local = time.with_timezone(&zone);
        let hour = f64::from(local.num_seconds_from_midnight()) / 3600.0 - 12.25;
        let sun = (hour / 5.0 * std::f64::consts::FRAC_PI_2).cos();
        let sun = if hour.abs() < 5.0 { sun } else { 0.0 };
        if let Some(share) = share(local_day(time.timestamp(), zone)) {
            rows.push(Row {
                time,
                power: Some((820.0 * kw * share * sun).round()),
                ..Row::default()
            });
        }
        time += Duration::minutes(15);
    }
    rows
}

async fn put(app: &App, site: &SiteSettings, id: &str, capacity_kw: Option<f64>, rows: Vec<Row>) {
    let mut logger = LoggerSettings::new(id, "lti");
    logger.capacity_kw = capacity_kw;
    let mut conn = app.pool.acquire().await.unwrap();
    let site_key = catalog::put_site(&mut conn, TENANT, site).await.unwrap();
    let key = catalog::put_logger(&mut conn, TENANT, site_key, &logger)
        .await
        .unwrap();
    drop(conn);
    fixtures::store(&app.pool, &[(key, rows)]).await;
}

const NOW: &str = "2026-11-29T11:45:00Z";

/// At this time it is noon in Zurich, early morning in Phoenix, and the next day in Auckland.
async fn three_zones() -> (TestDatabase, App) {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    for (site, zone, devices) in [
        (
            "alp",
            Europe::Zurich,
            [("ALP-1", 1.0), ("ALP-2", 0.9)].as_slice(),
        ),
        ("mesa", America::Phoenix, &[("MESA-1", 1.1)]),
        ("kiwi", Pacific::Auckland, &[("KIWI-1", 0.8)]),
    ] {
        let site = SiteSettings::new(site, zone);
        for (id, share) in devices {
            let rows = rows(zone, "2026-11-10", NOW, 10.0, |_| Some(*share));
            put(&app, &site, id, Some(10.0), rows).await;
        }
    }
    (database, app)
}

fn strings(value: &Value) -> Vec<&str> {
    let values = value.as_array().unwrap().iter();
    values.map(|one| one.as_str().unwrap()).collect()
}

fn reasons(answer: &Value) -> Vec<(&str, &str)> {
    let excluded = answer["result"]["excluded"].as_array().unwrap().iter();
    let mut reasons: Vec<_> = excluded
        .map(|one| {
            (
                one["loggerId"].as_str().unwrap(),
                one["reason"].as_str().unwrap(),
            )
        })
        .collect();
    reasons.sort_unstable();
    reasons
}

#[tokio::test]
async fn a_ranking_compares_whole_days_or_the_same_hours() {
    let (_database, app) = three_zones().await;
    let compare = |arguments: Value| app.ok("compare_loggers", arguments);
    let by_size = ["MESA-1", "ALP-1", "ALP-2", "KIWI-1"];

    // Without a day it is the newest one that is over everywhere.
    let newest = compare(json!({ "metric": "energy" })).await;
    let result = &newest["result"];
    assert_eq!(result["date"], "2026-11-28");
    assert_eq!(result["unfinishedDay"], "2026-11-29");
    assert_eq!(strings(&result["ranking"]), by_size);
    let told = newest["message"].as_str().unwrap();
    assert!(
        told.contains("29 November 2026 is not over at every site"),
        "{told}"
    );

    // A period ends with the last day that is.
    let week =
        compare(json!({ "metric": "energy", "date": "2026-11-23", "end_date": "2026-11-29" }))
            .await;
    let result = &week["result"];
    assert_eq!(
        result["period"],
        json!({ "start": "2026-11-23", "end": "2026-11-28" })
    );
    assert_eq!(strings(&result["ranking"]), by_size);
    for row in result["summary"].as_object().unwrap().values() {
        assert_eq!(row["daysWithData"], 6);
    }

    // Of a day that is not over, those are compared that have the same hours of it.
    let today = compare(json!({ "metric": "energy", "date": "2026-11-29" })).await;
    assert_eq!(strings(&today["result"]["ranking"]), ["ALP-1", "ALP-2"]);
    assert_eq!(
        reasons(&today),
        [("KIWI-1", "other_hours"), ("MESA-1", "other_hours")]
    );
    let tomorrow = compare(json!({ "metric": "energy", "date": "2026-11-30" })).await;
    assert_eq!(
        reasons(&tomorrow),
        [
            ("ALP-1", "day_not_begun"),
            ("ALP-2", "day_not_begun"),
            ("MESA-1", "day_not_begun")
        ]
    );
    let past = compare(json!({ "metric": "energy", "date": "2026-11-27" })).await;
    assert_eq!(strings(&past["result"]["ranking"]), by_size);
    assert!(past["result"].get("unfinishedDay").is_none());

    // Devices with one clock have the same hours of today.
    let alp = compare(json!({ "site_id": "alp" })).await;
    assert_eq!(alp["result"]["date"], "2026-11-29");
    assert_eq!(alp["result"]["excluded"], json!([]));
}

#[tokio::test]
async fn a_ranking_of_money_compares_what_a_ranking_of_energy_does() {
    let (_database, app) = three_zones().await;
    let savings = |arguments: Value| app.ok("calculate_financial_savings", arguments);
    let ids = |answer: &Value| -> Vec<String> {
        let devices = answer["result"]["devices"].as_array().unwrap().iter();
        devices
            .map(|one| one["loggerId"].as_str().unwrap().to_owned())
            .collect()
    };
    let today = json!({ "start_date": "2026-11-29", "end_date": "2026-11-29" });
    let mut ranked = today.clone();
    ranked["ranked"] = json!(true);

    // A total is of all devices, whatever hours they have, and says that they differ.
    let all = savings(today).await;
    assert_eq!(ids(&all).len(), 4);
    assert_eq!(all["result"]["unfinishedDay"], "2026-11-29");
    assert_eq!(all["result"]["period"]["end"], "2026-11-29");
    let fair = savings(ranked).await;
    assert_eq!(ids(&fair), ["ALP-1", "ALP-2"]);
    let mut others: Vec<_> = fair["result"]["otherHours"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["loggerId"].as_str().unwrap())
        .collect();
    others.sort_unstable();
    assert_eq!(others, ["KIWI-1", "MESA-1"]);

    let week = json!({ "start_date": "2026-11-23", "end_date": "2026-11-29", "ranked": true });
    let week = savings(week).await;
    assert_eq!(ids(&week), ["MESA-1", "ALP-1", "ALP-2", "KIWI-1"]);
    assert_eq!(week["result"]["period"]["end"], "2026-11-28");
    assert_eq!(week["result"]["unfinishedDay"], "2026-11-29");
    for device in week["result"]["devices"].as_array().unwrap() {
        assert_eq!(device["daysWithData"], 6, "{device}");
    }
    let past = json!({ "start_date": "2026-11-20", "end_date": "2026-11-27", "ranked": true });
    assert!(savings(past).await["result"].get("unfinishedDay").is_none());
}

/// It is early morning in Phoenix: a day that has just begun is not the lowest of the week.
#[tokio::test]
async fn a_day_that_is_not_over_is_neither_the_highest_nor_the_lowest() {
    let (_database, app) = three_zones().await;
    for (id, whole) in [("MESA-1", 4), ("ALP-1", 4)] {
        let week = json!({ "logger_id": id, "start_date": "2026-11-25", "end_date": "2026-11-29", "interval": "day" });
        let answer = app.ok("get_energy_history", week).await;
        let result = &answer["result"];
        let periods = result["periods"].as_array().unwrap();
        let complete = periods.iter().filter(|one| one["complete"] == true);
        assert_eq!(complete.count(), whole, "{id} {periods:?}");
        assert_ne!(result["lowest"]["start"], "2026-11-29", "{id}");
    }
}

#[tokio::test]
async fn two_devices_share_a_day_that_is_over_for_both() {
    let (_database, app) = three_zones().await;
    let token = app.token(TENANT, &["tools:read"]);
    let path = "/api/data-overview";
    let (_, overview) = app.send(Method::GET, path, Some(&token), "").await;
    let loggers = overview["loggers"].as_array().unwrap();
    assert_eq!(loggers.len(), 4, "{overview}");
    for other in &loggers[1..] {
        let one_site = loggers[0]["logger_id"].as_str().unwrap()[..3]
            == other["logger_id"].as_str().unwrap()[..3];
        let day = if one_site { "2026-11-29" } else { "2026-11-28" };
        assert_eq!(other["day_with_first"], day, "{overview}");
        let both = json!([loggers[0]["logger_id"], other["logger_id"]]);
        let asked = json!({ "logger_ids": both, "metric": "energy", "date": day });
        let compared = app.ok("compare_loggers", asked).await;
        assert_eq!(
            strings(&compared["result"]["ranking"]).len(),
            2,
            "{compared}"
        );
    }
}

#[tokio::test]
async fn a_day_that_has_not_begun_is_not_missing() {
    let (_database, app) = three_zones().await;
    let period = json!({ "start_date": "2026-11-28", "end_date": "2026-11-30" });
    let health = app.ok("analyze_inverter_health", period.clone()).await;
    let devices = health["result"]["devices"].as_array().unwrap();
    assert_eq!(devices.len(), 4);
    for device in devices {
        assert_eq!(device["missingDays"], json!([]), "{device}");
        assert_eq!(device["healthScore"], 100.0, "{device}");
    }
    let savings = app.ok("calculate_financial_savings", period.clone()).await;
    assert_eq!(savings["result"]["missingDays"], json!([]));
    let mut one = period;
    one["logger_id"] = json!("MESA-1");
    for (tool, days) in [
        ("analyze_inverter_health", "period"),
        ("calculate_financial_savings", "period"),
    ] {
        let answer = app.ok(tool, one.clone()).await;
        assert_eq!(answer["result"]["missingDays"], json!([]), "{tool}");
        assert_eq!(answer["result"][days]["end"], "2026-11-29", "{tool}");
    }
    let today = json!({ "start_date": "2026-11-30", "end_date": "2026-11-30" });
    let answer = app.call("analyze_inverter_health", today.clone()).await;
    assert_eq!(answer["status"], "no_data_in_window");
    let told = answer["message"].as_str().unwrap();
    assert!(
        told.contains("30 November 2026 has not begun at alp."),
        "{told}"
    );
    let answer = app.ok("calculate_financial_savings", today).await;
    assert_eq!(answer["result"]["devices"].as_array().unwrap().len(), 1);
    assert_eq!(answer["result"]["leftOut"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn silence_through_daylight_is_no_sleep() {
    // It is night in Tokyo; the devices are silent since the evening before.
    for (silent, expected) in [(6, 6), (5, 5)] {
        let database = database().await;
        let app = App::at(database.url(), NOW);
        let mut site = SiteSettings::new("edo", Asia::Tokyo);
        site.position = (silent == 6).then_some(Position {
            latitude: 35.7,
            longitude: 139.7,
        });
        for device in 0..6 {
            let end = if device < silent {
                "2026-11-28T13:45:00Z"
            } else {
                NOW
            };
            let rows = rows(Asia::Tokyo, "2026-11-20", end, 10.0, |_| Some(1.0));
            put(&app, &site, &format!("E-{device}"), Some(10.0), rows).await;
        }
        let answer = app.ok("get_fleet_overview", json!({})).await;
        let status = &answer["result"]["status"];
        assert_eq!(status["offline"], expected, "{status}");
        assert_eq!(status["asleep"], 6 - expected, "{status}");
        assert_eq!(
            answer["result"]["localDate"],
            if silent == 6 {
                "2026-11-28"
            } else {
                "2026-11-29"
            }
        );
    }
}

#[tokio::test]
async fn a_silent_device_has_no_forecast_of_the_past() {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    let site = SiteSettings::new("hof", Europe::Berlin);
    for (id, end) in [
        ("RUNS", NOW),
        ("THREE", "2026-11-26T22:45:00Z"),
        ("LONG", "2026-11-17T11:45:00Z"),
    ] {
        let share = |day: NaiveDate| Some(if day < date("2026-11-20") { 1.0 } else { 0.9 });
        let rows = rows(Europe::Berlin, "2026-10-20", end, 10.0, share);
        put(&app, &site, id, Some(10.0), rows).await;
    }
    let forecast = |id: &'static str, days: u32| {
        app.ok(
            "forecast_production",
            json!({ "logger_id": id, "days_ahead": days }),
        )
    };
    let runs = forecast("RUNS", 1).await;
    assert_eq!(runs["result"]["forecasts"][0]["date"], "2026-11-30");
    assert!(runs["result"].get("silentSince").is_none());
    for days in [1, 5] {
        let three = forecast("THREE", days).await;
        let result = &three["result"];
        assert_eq!(result["silentSince"], "2026-11-26");
        let rows = result["forecasts"].as_array().unwrap();
        assert_eq!(rows[0]["date"], "2026-11-30", "{rows:?}");
        let sum: f64 = rows
            .iter()
            .map(|row| row["expectedKwh"].as_f64().unwrap())
            .sum();
        let total = result["totalPredicted"].as_f64().unwrap();
        assert!((sum - total).abs() < 0.02 && result["horizon"] == rows.len());
    }
    let long = forecast("LONG", 7).await;
    assert_eq!(long["result"]["forecasts"], json!([]));
    assert_eq!(long["result"]["silentSince"], "2026-11-17");
    let told = long["message"].as_str().unwrap();
    assert!(
        told.contains("LONG has sent nothing since 17 November 2026")
            && told.contains("in the past"),
        "{told}"
    );
    // The data of a site that ended long ago are taken as they are.
    let later = App::over(database.url());
    let later_forecast = later.ok(
        "forecast_production",
        json!({ "logger_id": "RUNS", "days_ahead": 1 }),
    );
    assert!(later_forecast.await["result"]["forecasts"].is_array());
    let old = App::at(database.url(), "2027-03-01T12:00:00Z");
    let arguments = json!({ "logger_id": "RUNS", "days_ahead": 1 });
    let answer = old.ok("forecast_production", arguments).await;
    assert_eq!(answer["result"]["forecasts"][0]["date"], "2026-11-30");
    // One that fell silent lately is not.
    let lately = App::at(database.url(), "2026-12-15T12:00:00Z");
    let arguments = json!({ "logger_id": "RUNS", "days_ahead": 1 });
    let answer = lately.ok("forecast_production", arguments).await;
    assert_eq!(answer["result"]["forecasts"], json!([]), "{answer}");
}

#[tokio::test]
async fn no_device_is_behind_by_a_size_that_only_another_one_has() {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    let site = SiteSettings::new("barn", Europe::Berlin);
    for (id, share) in [("B-1", 1.0), ("B-2", 0.6)] {
        let rows = rows(Europe::Berlin, "2026-10-20", NOW, 10.0, |_| Some(share));
        put(&app, &site, id, None, rows).await;
    }
    let week = json!({ "start_date": "2026-11-16", "end_date": "2026-11-22" });
    let health = app.ok("analyze_inverter_health", week).await;
    for device in health["result"]["devices"].as_array().unwrap() {
        assert_eq!(device["events"], json!([]), "{device}");
        assert_eq!(device["healthScore"], 100.0);
    }
    let week = json!({ "metric": "energy", "date": "2026-11-16", "end_date": "2026-11-22" });
    let compared = app.ok("compare_loggers", week).await;
    let result = &compared["result"];
    assert!(result["spreadPercent"].as_f64().unwrap() < 1.0, "{result}");
    assert_eq!(result["underperformers"], json!([]));
    for own in result["summary"].as_object().unwrap().values() {
        assert_eq!(own["capacityBasis"], "inferred");
    }
}

#[tokio::test]
async fn a_dead_device_never_leads() {
    let database = database().await;
    let app = App::at(database.url(), NOW);
    let site = SiteSettings::new("hof", Europe::Berlin);
    // The dead one comes first in every list.
    for (id, share) in [("A-DEAD", 0.0), ("B", 1.0)] {
        let of_day = move |day: NaiveDate| Some(if day < date("2026-11-20") { 1.0 } else { share });
        let rows = rows(Europe::Berlin, "2026-10-20", NOW, 10.0, of_day);
        put(&app, &site, id, Some(10.0), rows).await;
    }
    let compared = app
        .ok(
            "compare_loggers",
            json!({ "metric": "energy", "date": "2026-11-25" }),
        )
        .await;
    assert_eq!(compared["result"]["best"], "B");
    // The loss of a dead day does not depend on the days that are asked for.
    let mut losses = Vec::new();
    for (from, to) in [
        ("2026-11-25", "2026-11-25"),
        ("2026-11-19", "2026-11-25"),
        ("2026-11-25", "2026-11-28"),
        ("2026-10-30", "2026-11-28"),
    ] {
        let arguments = json!({ "logger_id": "A-DEAD", "start_date": from, "end_date": to });
        let answer = app.ok("analyze_inverter_health", arguments).await;
        let events = answer["result"]["events"].as_array().unwrap().clone();
        let event = events.into_iter().find(|event| {
            event["kind"] == "dead_day"
                && event["start"].as_str().unwrap().starts_with("2026-11-25")
        });
        losses.push(event.unwrap()["lostKwh"].as_f64().unwrap());
    }
    assert!(
        losses[0] > 40.0
            && losses
                .iter()
                .all(|lost| lost.to_bits() == losses[0].to_bits()),
        "{losses:?}"
    );
}

#[tokio::test]
async fn a_tariff_that_nobody_set_is_said_to_be_the_default() {
    let (_database, app) = three_zones().await;
    let site = stated_tariff(Europe::Zurich);
    let mut conn = app.pool.acquire().await.unwrap();
    catalog::put_site(&mut conn, TENANT, &site).await.unwrap();
    drop(conn);
    let period = json!({ "start_date": "2026-11-20", "end_date": "2026-11-28" });
    let answer = app.ok("calculate_financial_savings", period).await;
    let result = &answer["result"];
    assert_eq!(result["defaultTariff"], true);
    for site in result["sites"].as_array().unwrap() {
        assert_eq!(site["defaultTariff"], site["siteId"] != "alp", "{site}");
    }
    let stated = json!({ "site_id": "alp", "start_date": "2026-11-20" });
    let answer = app.ok("calculate_financial_savings", stated).await;
    assert_eq!(answer["result"]["defaultTariff"], false);
    let named = json!({ "site_id": "mesa", "start_date": "2026-11-20", "electricity_rate": 0.4 });
    let answer = app.ok("calculate_financial_savings", named).await;
    assert_eq!(answer["result"]["defaultTariff"], false);

    // A loss has the same price, and says as much.
    let loss = |site: &'static str, rate: f64, is_default: bool| {
        let app = &app;
        async move {
            let period =
                json!({ "site_id": site, "start_date": "2026-11-20", "end_date": "2026-11-28" });
            let answer = app.ok("analyze_inverter_health", period).await;
            let (kwh, money) = (&answer["result"]["lostKwh"], &answer["result"]["lostMoney"]);
            let amount = rate * kwh.as_f64().unwrap();
            assert!(
                (money["amount"].as_f64().unwrap() - amount).abs() < 0.01,
                "{answer}"
            );
            assert_eq!(
                money["defaultTariff"].as_bool().unwrap_or(false),
                is_default
            );
        }
    };
    for site in ["alp", "mesa"] {
        let zone = if site == "alp" {
            Europe::Zurich
        } else {
            America::Phoenix
        };
        let dead = rows(zone, "2026-11-10", NOW, 10.0, |day| {
            Some(if day == date("2026-11-24") { 0.0 } else { 1.0 })
        });
        let settings = if site == "alp" {
            stated_tariff(zone)
        } else {
            SiteSettings::new(site, zone)
        };
        put(&app, &settings, &format!("{site}-DEAD"), Some(10.0), dead).await;
    }
    loss("alp", 0.27, false).await;
    loss("mesa", 0.2, true).await;
}

fn stated_tariff(zone: Tz) -> SiteSettings {
    let mut site = SiteSettings::new("alp", zone);
    (site.tariff_per_kwh, site.currency) = (Some(0.27), "CHF".to_owned());
    site
}
