//! What devices say themselves and what a site of them comes to: edge cases 11 and 12 of the
//! methods, and their neighbours.

use serde_json::json;
use solar::Role;
use solar::errors::{Brand, CodedRun, EVENT_PAUSE_SECONDS, Severity, codes_in, diagnose};
use solar::fleet::Activity::{Asleep, Idle, Offline, Producing};
use solar::fleet::{LatestReading, SiteHealth, fleet};
use solar::health::Surroundings;

use crate::fixtures::{self, Logger, assert_near, time};
use crate::made_up::examine;

// 11
#[test]
fn error_codes_may_be_null_or_numbers() {
    let reading = |time: i64, code: serde_json::Value| {
        let metadata = json!({ "errorCode": code });
        CodedRun::of_reading(time, codes_in(metadata.as_object().unwrap(), Brand::Lti))
    };
    // Newest first, as a database may give them.
    let readings = vec![
        reading(9000, json!("F02")),
        reading(1800, json!("F02")),
        reading(900, json!("F02")),
        reading(600, json!(null)),
        reading(300, json!(17)),
        reading(0, json!("0")),
    ];
    let issues = diagnose(readings, Brand::Lti, 0.25, &[]);
    assert_eq!(issues.len(), 2);
    let sensor = &issues[0];
    assert_eq!(
        (sensor.code.as_str(), sensor.occurrences, sensor.events),
        ("F02", 3, 2)
    );
    assert_eq!((sensor.first_seen, sensor.last_seen), (900, 9000));
    assert_near("hours", sensor.hours, 0.25 * 3.0, 1e-9);
    assert_eq!(issues[1].meaning.severity, Severity::Unknown);
    assert_eq!(issues[1].meaning.description, None);
}

#[test]
fn codes_are_joined_to_the_outages_that_they_explain() {
    let logger = fixtures::one("rsf2");
    let health = examine(&logger.series, &logger.context, Surroundings::default());
    let coded = |at: &str| {
        let metadata = json!({ "errorCode": "E-501" });
        CodedRun::of_reading(
            time(at),
            codes_in(metadata.as_object().unwrap(), Brand::Lti),
        )
    };
    let during = diagnose(
        vec![coded("2022-01-06T12:30:00-07:00")],
        Brand::Lti,
        0.25,
        &health.events,
    );
    assert!(during[0].overlaps_outage && (during[0].outage_hours - 0.25).abs() < 1e-9);
    let before = diagnose(
        vec![coded("2022-01-04T12:30:00-07:00")],
        Brand::Lti,
        0.25,
        &health.events,
    );
    assert!(!before[0].overlaps_outage);
}

#[test]
fn runs_say_what_their_readings_say() {
    let metadata = |text: &str| -> serde_json::Value { serde_json::from_str(text).unwrap() };
    let kinds = [
        metadata(r#"{"errorCode":"E-501"}"#),
        metadata(r#"{"errorCode":"E-501","Evt1":129}"#),
        metadata(r#"{"St":7}"#),
    ];
    let codes = |kind: usize| codes_in(kinds[kind].as_object().unwrap(), Brand::Lti);
    // Kinds alternate within an hour, pauses are short, long, and just as long as a step allows.
    let times: [(i64, usize); 10] = [
        (0, 0),
        (300, 1),
        (600, 0),
        (900, 0),
        (1200, 2),
        (1500, 1),
        (3300, 1),
        (5101, 0),
        (5401, 0),
        (12_601, 2),
    ];
    for step_hours in [1.0 / 12.0, 0.25, 1.0] {
        let single = times
            .iter()
            .map(|(time, kind)| CodedRun::of_reading(*time, codes(*kind)))
            .collect();
        let mut runs: Vec<(usize, CodedRun)> = Vec::new();
        for (time, kind) in times {
            let open = runs.iter_mut().rev().find(|(of, _)| *of == kind);
            match open {
                Some((_, run)) if time - run.last <= EVENT_PAUSE_SECONDS => {
                    run.last = time;
                    run.readings += 1;
                }
                _ => runs.push((kind, CodedRun::of_reading(time, codes(kind)))),
            }
        }
        assert!(runs.len() < times.len());
        let runs = runs.into_iter().map(|(_, run)| run).collect();
        assert_eq!(
            format!("{:?}", diagnose(runs, Brand::Lti, step_hours, &[])),
            format!("{:?}", diagnose(single, Brand::Lti, step_hours, &[])),
        );
    }
}

// 12
fn latest(logger: &Logger, role: Role) -> LatestReading {
    let row = logger.series.len() - 1;
    let last = logger.days.last().unwrap();
    LatestReading {
        counts_alone: false,
        role,
        last_time: Some(logger.anchor()),
        last_power: Some((logger.anchor(), logger.series.power_w()[row])),
        last_irradiance: Some((logger.anchor(), logger.series.irradiance()[row])),
        step_hours: logger.calibration.step_hours,
        robust_peak_w: logger.calibration.robust_peak_w,
        power_per_irradiance: logger.calibration.power_per_irradiance,
        today: last.energy(),
        capacity_kw: None,
        dead_lately: false,
    }
}

#[test]
fn a_meter_is_not_added_to_the_inverters_it_measures() {
    let loggers = fixtures::load("captest");
    let role = |logger: &Logger| {
        if logger.name == "CAP-METER" {
            Role::Meter
        } else {
            Role::Inverter
        }
    };
    let newest: Vec<LatestReading> = loggers
        .iter()
        .map(|logger| latest(logger, role(logger)))
        .collect();
    let anchor = loggers[0].anchor();
    let site = fleet(anchor, &newest, None, None);
    let inverters: f64 = newest[..8]
        .iter()
        .filter_map(|logger| logger.today)
        .map(|(kwh, _)| kwh)
        .sum();
    assert_near("today", site.today_kwh, inverters, 1e-6);
    assert_eq!(site.total, 9);
    assert!(site.night && site.asleep == 9 && site.offline == 0);
    assert_eq!(site.health, SiteHealth::Healthy);
    // On its own it speaks for the site.
    let alone = fleet(anchor, &newest[8..], None, None);
    assert_near("meter", alone.today_kwh, newest[8].today.unwrap().0, 1e-6);
}

#[test]
fn silence_is_sleep_at_night_and_a_fault_by_day() {
    let inverter = |power: Option<(i64, f64)>| LatestReading {
        counts_alone: false,
        role: Role::Inverter,
        last_time: power.map(|(time, _)| time),
        last_power: power,
        last_irradiance: None,
        step_hours: 0.25,
        robust_peak_w: 5000.0,
        power_per_irradiance: None,
        today: None,
        capacity_kw: Some(5.0),
        dead_lately: false,
    };
    let anchor = 100 * 86_400;
    let loggers = [
        inverter(Some((anchor, 2000.0))),
        inverter(Some((anchor - 3600, 10.0))),
        inverter(Some((anchor - 5 * 3600, 800.0))),
        inverter(Some((anchor - 30 * 86_400, 800.0))),
        inverter(None),
    ];
    let states = |sun_up| {
        fleet(anchor, &loggers, sun_up, None)
            .loggers
            .iter()
            .map(|logger| logger.activity)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        states(Some(true)),
        [Producing, Idle, Offline, Offline, Offline]
    );
    assert_eq!(states(None), [Producing, Idle, Offline, Offline, Offline]);
    assert_eq!(
        states(Some(false)),
        [Producing, Asleep, Asleep, Offline, Offline]
    );
    let day = fleet(anchor, &loggers, Some(true), None);
    assert_eq!(
        (day.active, day.producing, day.oldest_reading_minutes),
        (2, 1, Some(60.0))
    );
    assert_near("power", day.power_w, 2010.0, 1e-9);
    assert_eq!(day.health, SiteHealth::Critical);
}

#[test]
fn silence_through_daylight_is_no_sleep() {
    let berlin = solar::Position {
        latitude: 52.5,
        longitude: 13.4,
    };
    // 22:00 in Berlin in June; the sun was up until 21:30.
    let anchor = chrono::DateTime::parse_from_rfc3339("2025-06-15T20:00:00Z")
        .unwrap()
        .timestamp();
    let silent = |hours: i64| LatestReading {
        counts_alone: false,
        role: Role::Inverter,
        last_time: Some(anchor - hours * 3600),
        last_power: Some((anchor - hours * 3600, 0.0)),
        last_irradiance: None,
        step_hours: 0.25,
        robust_peak_w: 5000.0,
        power_per_irradiance: None,
        today: None,
        capacity_kw: None,
        dead_lately: false,
    };
    let activity = |hours, position| {
        fleet(anchor, &[silent(hours)], Some(false), position).loggers[0].activity
    };
    assert_eq!(activity(3, Some(berlin)), Asleep);
    assert_eq!(activity(6, Some(berlin)), Offline);
    assert_eq!(activity(22, Some(berlin)), Offline);
    assert_eq!(activity(6, None), Asleep);
    assert_eq!(activity(22, None), Offline);
}

#[test]
fn a_logger_that_delivers_far_too_little_in_bright_light_counts_against_the_site() {
    let inverter = |watts: f64| LatestReading {
        counts_alone: false,
        role: Role::Inverter,
        last_time: Some(0),
        last_power: Some((0, watts)),
        last_irradiance: Some((0, 800.0)),
        step_hours: 0.25,
        robust_peak_w: 5000.0,
        power_per_irradiance: Some(5.0),
        today: None,
        capacity_kw: None,
        dead_lately: false,
    };
    let health = |watts: [f64; 2]| fleet(0, &watts.map(inverter), Some(true), None).health;
    assert_eq!(health([4000.0, 3800.0]), SiteHealth::Healthy);
    assert_eq!(health([4000.0, 900.0]), SiteHealth::Critical);
    let night = fleet(0, &[4000.0, 900.0].map(inverter), Some(false), None).health;
    assert_eq!(night, SiteHealth::Healthy);
}
