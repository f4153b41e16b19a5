//! A device beside the others of its site: when it falls silent, when one of them joins or has
//! gaps, and when the others are far away or measure something else.

use serde_json::{Value, json};
use solar::{IrradianceBasis, Position};
use tools::catalog::{LoggerSettings, SiteSettings};
use tools::store::LoggerRole;

use crate::fixtures::{self, Row};
use crate::harness::{App, TENANT, database};
use crate::right_figures::{Device, days, inverter, near, put};

const HEALTH: &str = "analyze_inverter_health";

#[tokio::test]
async fn a_device_that_fell_silent_is_not_healthy_however_long_ago() {
    let database = database().await;
    let app = App::over(database.url());
    put(
        &app,
        inverter("GOES-ON", Some(10.0)),
        days("2025-03-01", 122, 8000.0),
    )
    .await;
    // Until 21 May: 40 days before the site's newest day, 30 June.
    put(
        &app,
        inverter("SILENT", Some(10.0)),
        days("2025-03-01", 82, 8000.0),
    )
    .await;
    // Until 10 March, and until 27 June.
    put(
        &app,
        inverter("LONG-GONE", Some(10.0)),
        days("2025-03-01", 10, 8000.0),
    )
    .await;
    put(
        &app,
        inverter("SINCE-FRIDAY", Some(10.0)),
        days("2025-03-01", 119, 8000.0),
    )
    .await;
    // The clock is at 1 June 2026, to which the days of a silence count.
    let since = 336;
    for (id, silent, highest, status) in [
        ("SILENT", 40, 60.0, "critical"),
        ("LONG-GONE", 112, 60.0, "critical"),
        ("SINCE-FRIDAY", 3, 94.0, "warning"),
    ] {
        let answer = app.ok(HEALTH, json!({ "logger_id": id })).await;
        let report = &answer["result"];
        assert_eq!(report["period"]["end"], "2025-06-30", "{answer}");
        assert_eq!(report["silence"]["days"], silent + since, "{answer}");
        assert_eq!(report["healthStatus"], status, "{answer}");
        assert!(
            report["healthScore"].as_f64().unwrap() < highest,
            "{answer}"
        );
        assert_eq!(
            report["missingDays"].as_array().unwrap().len(),
            silent.min(7)
        );
        let summary = answer["context"]["summary"].as_str().unwrap();
        assert!(summary.contains("has not reported since"), "{summary}");
        // So it is in a named window, and of the days before there is no such finding.
        let june = json!({ "logger_id": id, "start_date": "2025-06-01", "end_date": "2025-06-30" });
        let june = app.ok(HEALTH, june).await;
        assert_eq!(june["result"]["silence"]["days"], silent + since, "{june}");
        let march =
            json!({ "logger_id": id, "start_date": "2025-03-04", "end_date": "2025-03-10" });
        let march = app.ok(HEALTH, march).await;
        assert!(march["result"]["silence"].is_null(), "{march}");
        assert_eq!(march["result"]["healthStatus"], "healthy", "{march}");
    }
    let sound = app.ok(HEALTH, json!({ "logger_id": "GOES-ON" })).await;
    assert!(sound["result"]["silence"].is_null(), "{sound}");
    assert_eq!(sound["result"]["healthStatus"], "healthy", "{sound}");
    // After the end of the site there is nothing to find.
    let july =
        json!({ "logger_id": "SILENT", "start_date": "2025-07-01", "end_date": "2025-07-02" });
    let july = app.call(HEALTH, july).await;
    assert_eq!(july["status"], "no_data_in_window", "{july}");
    // Among all devices those that stopped long ago are left out, with the reason.
    let all = app.ok(HEALTH, json!({})).await;
    let left_out: Vec<&str> = all["result"]["leftOut"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["message"].as_str().unwrap())
        .collect();
    assert_eq!(left_out.len(), 2, "{all}");
    assert!(
        left_out
            .iter()
            .any(|told| told.contains("SILENT has not reported since 21 May 2025 (376 days)"))
    );
}

/// A site with its position, and devices of the same size.
async fn site(app: &App, id: &str, place: (f64, f64), devices: &[(&str, LoggerRole, f64, bool)]) {
    let mut site = SiteSettings::new(id, chrono_tz::UTC);
    site.position = Some(Position {
        latitude: place.0,
        longitude: place.1,
    });
    for (device, role, sun, has_sensor) in devices {
        let mut settings = LoggerSettings::new(*device, "lti");
        settings.capacity_kw = (*role == LoggerRole::Inverter).then_some(10.0);
        settings.irradiance_basis = IrradianceBasis::Poa;
        settings.role = *role;
        let rows = days("2025-06-01", 30, 8000.0 * sun)
            .into_iter()
            .map(|row| Row {
                irradiance: row.irradiance.filter(|_| *has_sensor).map(|g| g * sun),
                ..row
            });
        fixtures::one_logger(&app.pool, TENANT, &site, &settings, rows.collect()).await;
    }
}

fn ids(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|id| id.as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn sites_in_different_places_are_compared_by_their_own_sun() {
    use LoggerRole::{Inverter, Meter};
    for (sensors, places) in [(true, "own_sun"), (false, "different")] {
        let database = database().await;
        let app = App::over(database.url());
        let south = [
            ("SEVILLA-1", Inverter, 1.0, sensors),
            ("SEVILLA-2", Inverter, 1.0, false),
            ("SEVILLA-3", Inverter, 1.0, false),
            ("SEVILLA-4", Inverter, 1.0, false),
        ];
        site(&app, "sevilla", (37.4, -6.0), &south).await;
        let north = [
            ("OSLO-1", Inverter, 0.6, true),
            ("OSLO-METER", Meter, 0.3, false),
        ];
        site(&app, "oslo", (59.9, 10.7), &north).await;
        let arguments =
            json!({ "metric": "energy", "date": "2025-06-20", "end_date": "2025-06-29" });
        let answer = app.ok("compare_loggers", arguments).await;
        let result = &answer["result"];
        assert_eq!(result["places"], places, "{answer}");
        assert_eq!(result["underperformers"], json!([]), "{answer}");
        if sensors {
            near(&result["spreadPercent"], 0.0, 1.0, "spread");
            near(
                &result["summary"]["OSLO-1"]["perSunlight"],
                0.8,
                0.05,
                "ratio",
            );
        }
        let told = answer["message"].as_str().unwrap();
        assert!(told.contains("different places"), "{told}");
        // A meter is never weak beside an inverter, whichever way it is named.
        for named in [
            json!(["OSLO-METER", "OSLO-1"]),
            json!(["OSLO-METER", "SEVILLA-1"]),
        ] {
            let arguments =
                json!({ "logger_ids": named, "metric": "energy", "date": "2025-06-20" });
            let answer = app.ok("compare_loggers", arguments).await;
            assert_eq!(
                answer["result"]["summary"]["OSLO-METER"]["unranked"], "meter",
                "{answer}"
            );
            assert!(
                !ids(&answer["result"]["ranking"]).contains(&"OSLO-METER"),
                "{answer}"
            );
        }
    }
}

#[tokio::test]
async fn sites_beside_each_other_have_the_same_sun() {
    use LoggerRole::Inverter;
    let database = database().await;
    let app = App::over(database.url());
    site(
        &app,
        "barn",
        (47.37, 8.54),
        &[("BARN-1", Inverter, 1.0, true)],
    )
    .await;
    site(
        &app,
        "roof",
        (47.40, 8.60),
        &[("ROOF-1", Inverter, 0.6, true)],
    )
    .await;
    let arguments = json!({ "metric": "energy", "date": "2025-06-20" });
    let answer = app.ok("compare_loggers", arguments).await;
    assert_eq!(answer["result"]["places"], "same", "{answer}");
    near(&answer["result"]["spreadPercent"], 40.0, 0.5, "spread");
}

#[tokio::test]
async fn gaps_of_a_neighbour_and_a_new_neighbour_change_nothing() {
    let database = database().await;
    let app = App::over(database.url());
    let blind = |rows: Vec<Row>| {
        rows.into_iter().map(|row| Row {
            irradiance: None,
            ..row
        })
    };
    let day = |row: &Row| row.time.date_naive().to_string();
    let device = |id| Device {
        id,
        capacity_kw: None,
        role: LoggerRole::Inverter,
    };
    // Out on three of the 29 days from 2 to 30 June.
    let out = ["2025-06-05", "2025-06-12", "2025-06-19"];
    let own = blind(days("2025-05-01", 61, 8000.0)).map(|row| Row {
        power: row.power.map(|w| {
            if out.contains(&day(&row).as_str()) {
                0.0
            } else {
                w
            }
        }),
        ..row
    });
    put(&app, device("OWN"), own.collect()).await;
    let gaps = ["2025-06-07", "2025-06-08", "2025-06-21", "2025-06-22"];
    let gappy =
        blind(days("2025-05-01", 61, 9000.0)).filter(|row| !gaps.contains(&day(row).as_str()));
    put(&app, device("GAPPY"), gappy.collect()).await;
    let arguments =
        json!({ "logger_id": "OWN", "start_date": "2025-06-02", "end_date": "2025-06-30" });
    let before = app.ok(HEALTH, arguments.clone()).await;
    near(
        &before["result"]["availabilityTime"],
        26.0 / 29.0,
        0.003,
        "availability",
    );
    put(
        &app,
        device("NEW"),
        blind(days("2025-06-20", 11, 14_000.0)).collect(),
    )
    .await;
    let after = app.ok(HEALTH, arguments).await;
    let weak = |answer: &Value| {
        let events = answer["result"]["events"].as_array().unwrap().clone();
        events
            .into_iter()
            .filter(|event| event["kind"] == "underperformance")
            .count()
    };
    assert_eq!((weak(&before), weak(&after)), (0, 0), "{after}");
}
