//! Findings that the measured data do not show.

use chrono_tz::{Europe, Tz};
use solar::calendar::{self, DaySpan};
use solar::health::{EventKind, Evidence, Surroundings, site_irradiance, site_utilisation};
use solar::{Flag, IrradianceBasis, LoggerContext, Series, calibrate};

use crate::fixtures::{self, assert_near};
use crate::made_up::{bells, change, date, examine, examine_within, readings};

#[test]
fn a_healthy_logger_scores_one_hundred() {
    let context = LoggerContext::new(Europe::Berlin);
    let health = examine(
        &bells("2024-06-01", 10, Europe::Berlin),
        &context,
        Surroundings::default(),
    );
    assert_eq!(health.events, []);
    assert_near("score", health.score, 100.0, 1e-9);
    assert_eq!(health.availability_time, Some(1.0));
}

#[test]
fn horizontal_irradiance_raises_the_threshold_and_names_no_underperformance() {
    let logger = fixtures::one("serf-east-2016");
    assert_eq!(logger.context.irradiance_basis, IrradianceBasis::Ghi);
    let health = examine(&logger.series, &logger.context, Surroundings::default());
    assert_eq!(health.count(EventKind::Outage), 0);
    assert_eq!(health.count(EventKind::Underperformance), 0);
    assert!(health.flags.contains(Flag::IrradianceNotPoa));
}

#[test]
fn a_worn_day_underperforms_against_the_usual_one() {
    let zone = Europe::Berlin;
    let worn = date("2024-06-09");
    let series = change(&bells("2024-06-01", 12, zone), |reading| {
        if calendar::local_day(reading.time, zone) == worn {
            reading.power_w *= 0.7;
        }
    });
    let health = examine(&series, &LoggerContext::new(zone), Surroundings::default());
    assert_eq!(health.underperforming_days, [worn]);
    let event = health
        .events
        .iter()
        .find(|event| event.kind == EventKind::Underperformance)
        .unwrap();
    assert!(matches!(event.evidence, Evidence::RelativeRatio(share) if (share - 0.7).abs() < 0.01));
    assert!(health.score <= 90.0);
}

#[test]
fn a_day_is_not_blamed_again_for_what_its_outage_cost() {
    let zone = Europe::Berlin;
    let start = calendar::local_instant(date("2024-06-09").and_hms_opt(9, 0, 0).unwrap(), zone);
    let stopped = |worn: f64| {
        let series = change(&bells("2024-06-01", 12, zone), |reading| {
            if reading.time > start && reading.time <= start + 5 * 3600 {
                reading.power_w = 0.0;
            } else if calendar::local_day(reading.time, zone) == date("2024-06-09") {
                reading.power_w *= worn;
            }
        });
        examine(&series, &LoggerContext::new(zone), Surroundings::default())
    };
    let outage_alone = stopped(1.0);
    assert_eq!(outage_alone.count(EventKind::Outage), 1);
    assert_eq!(outage_alone.underperforming_days, []);
    let worn_beside_it = stopped(0.4);
    assert_eq!(worn_beside_it.underperforming_days, [date("2024-06-09")]);
}

/// A logger that stands still from 11:00 to 13:00 of one day.
fn with_standstill(zone: Tz) -> (Series, i64) {
    let noon = calendar::local_instant(date("2024-06-05").and_hms_opt(11, 0, 0).unwrap(), zone);
    let series = change(&bells("2024-06-01", 8, zone), |reading| {
        if reading.time > noon && reading.time <= noon + 7200 {
            reading.power_w = 0.0;
        }
    });
    (series, noon)
}

#[test]
fn without_a_sensor_the_site_and_then_the_neighbours_tell_that_the_sun_shone() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let (with_sensor, start) = with_standstill(zone);
    let blind = change(&with_sensor, |reading| reading.irradiance = f64::NAN);
    assert_eq!(
        examine(&blind, &context, Surroundings::default()).count(EventKind::Outage),
        0
    );

    let neighbour = bells("2024-06-01", 8, zone);
    let calibration = calibrate(&neighbour, &context);
    let irradiance = site_irradiance(blind.time(), &[(&neighbour, &calibration)]);
    let site = examine(
        &blind,
        &context,
        Surroundings {
            irradiance: Some(&irradiance),
            utilisation: None,
        },
    );
    let share = site_utilisation((&blind, &calibration), &[(&neighbour, &calibration)], zone);
    let neighbours = examine(
        &blind,
        &context,
        Surroundings {
            irradiance: None,
            utilisation: Some(&share),
        },
    );
    let own = examine(&with_sensor, &context, Surroundings::default());
    for health in [&own, &site, &neighbours] {
        let outages: Vec<_> = health
            .events
            .iter()
            .filter(|event| event.kind == EventKind::Outage)
            .collect();
        assert_eq!(outages.len(), 1);
        assert_eq!((outages[0].start, outages[0].minutes), (start, 120.0));
        assert_near(
            "lost",
            outages[0].lost_kwh,
            own.lost_kwh,
            0.05 * own.lost_kwh,
        );
    }
    assert!(
        site.events
            .iter()
            .any(|event| matches!(event.evidence, Evidence::SiteIrradiance(_)))
    );
    assert!(
        neighbours
            .events
            .iter()
            .any(|event| matches!(event.evidence, Evidence::Neighbours(_)))
    );
}

#[test]
fn days_without_a_neighbour_count_in_the_availability() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let whole = change(&bells("2024-06-01", 29, zone), |reading| {
        reading.irradiance = f64::NAN;
    });
    let day = |time: i64| calendar::local_day(time, zone).to_string();
    let out = ["2024-06-05", "2024-06-12", "2024-06-19"];
    let own = change(&whole, |reading| {
        if out.contains(&day(reading.time).as_str()) {
            reading.power_w = 0.0;
        }
    });
    let calibration = calibrate(&whole, &context);
    let availability = |neighbour: &Series| {
        let share = site_utilisation((&own, &calibration), &[(neighbour, &calibration)], zone);
        let surroundings = Surroundings {
            irradiance: None,
            utilisation: Some(&share),
        };
        let health = examine(&own, &context, surroundings);
        let both = (health.availability_time, health.availability_energy);
        (both.0.unwrap(), both.1.unwrap())
    };
    let expected = availability(&whole);
    assert_near("time", expected.0, 26.0 / 29.0, 0.002);
    for silent in [
        // Days on which the device ran, then one on which it stood still, too.
        vec!["2024-06-07", "2024-06-08", "2024-06-21", "2024-06-22"],
        vec!["2024-06-07", "2024-06-12"],
    ] {
        let kept = readings(&whole).filter(|reading| !silent.contains(&day(reading.time).as_str()));
        let found = availability(&kept.collect());
        assert_near("time", found.0, expected.0, 0.005);
        assert_near("energy", found.1, expected.1, 0.01);
    }
}

#[test]
fn a_clock_that_is_an_hour_off_is_no_outage() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let neighbour = change(&bells("2024-06-01", 8, zone), |reading| {
        reading.irradiance = f64::NAN;
    });
    let calibration = calibrate(&neighbour, &context);
    let examined = |series: &Series| {
        let share = site_utilisation((series, &calibration), &[(&neighbour, &calibration)], zone);
        let surroundings = Surroundings {
            irradiance: None,
            utilisation: Some(&share),
        };
        examine(series, &context, surroundings)
    };
    for hours in [-1, 1] {
        let moved = change(&neighbour, |reading| {
            let from = calendar::day_start(date("2024-06-05"), zone);
            if reading.time > from {
                reading.time += hours * 3600;
            }
        });
        let moved: Series = {
            // What falls on the hour before the change is written over.
            let mut readings: Vec<_> = crate::made_up::readings(&moved).collect();
            readings.sort_by_key(|reading| reading.time);
            readings.dedup_by_key(|reading| reading.time);
            readings.into_iter().collect()
        };
        let health = examined(&moved);
        assert_eq!(
            health.count(EventKind::Outage),
            0,
            "{hours} {:?}",
            health.events
        );
        assert_near("lost", health.lost_kwh, 0.0, 1e-9);
    }
    // A device that starts an hour late and ends with the others stood still.
    let late = change(&neighbour, |reading| {
        let start = calendar::day_start(date("2024-06-05"), zone) + 9 * 3600;
        if (start - 7200..=start).contains(&reading.time) {
            reading.power_w = 0.0;
        }
    });
    assert_eq!(examined(&late).count(EventKind::Outage), 1);
}

/// A neighbour whose clock is an hour late delivers for an hour after sunset, or for an hour before
/// sunrise: the other devices did not stand still then.
#[test]
fn a_neighbour_with_a_wrong_clock_makes_no_outage_of_others() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let own = change(&bells("2024-06-01", 8, zone), |reading| {
        reading.irradiance = f64::NAN;
    });
    let calibration = calibrate(&own, &context);
    let set = |hours: i64, from: i64| -> Series {
        let moved = change(&own, |reading| {
            if reading.time > from {
                reading.time += hours * 3600;
            }
        });
        let mut readings: Vec<_> = crate::made_up::readings(&moved).collect();
        readings.sort_by_key(|reading| reading.time);
        readings.dedup_by_key(|reading| reading.time);
        readings.into_iter().collect()
    };
    let examined = |own: &Series, neighbours: &[&Series]| {
        let neighbours: Vec<_> = neighbours.iter().map(|one| (*one, &calibration)).collect();
        let share = site_utilisation((own, &calibration), &neighbours, zone);
        let surroundings = Surroundings {
            irradiance: None,
            utilisation: Some(&share),
        };
        examine(own, &context, surroundings)
    };
    let midnight = calendar::day_start(date("2024-06-05"), zone);
    for from in [midnight, midnight + 12 * 3600] {
        for hours in [-1, 1] {
            let moved = set(hours, from);
            for neighbours in [&[&moved][..], &[&moved, &own], &[&own, &moved, &own]] {
                let health = examined(&own, neighbours);
                let outages = health.count(EventKind::Outage);
                assert_eq!(outages, 0, "{hours} {from} {:?}", health.events);
                assert_near("lost", health.lost_kwh, 0.0, 1e-9);
            }
        }
    }
    // A device that stops an hour before the others stood still, whatever one clock says.
    let early = change(&own, |reading| {
        let noon = calendar::day_start(date("2024-06-06"), zone) + 16 * 3600;
        if (noon..=noon + 8 * 3600).contains(&reading.time) {
            reading.power_w = 0.0;
        }
    });
    let moved = set(1, midnight);
    assert_eq!(
        examined(&early, &[&own, &moved, &own]).count(EventKind::Outage),
        1
    );
    assert_eq!(examined(&early, &[&own]).count(EventKind::Outage), 1);
}

#[test]
fn a_sensor_that_sees_light_at_night_is_not_used_that_day() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let (standing, _) = with_standstill(zone);
    let lit = change(&standing, |reading| {
        if calendar::local_day(reading.time, zone) == date("2024-06-05") {
            reading.irradiance = 300.0;
        }
    });
    let health = examine(&lit, &context, Surroundings::default());
    assert_eq!(health.irradiance_suspect_days, [date("2024-06-05")]);
    assert_eq!(health.count(EventKind::Outage), 0);
    let neighbour = bells("2024-06-01", 8, zone);
    let calibration = calibrate(&neighbour, &context);
    let irradiance = site_irradiance(lit.time(), &[(&neighbour, &calibration)]);
    let helped = examine(
        &lit,
        &context,
        Surroundings {
            irradiance: Some(&irradiance),
            utilisation: None,
        },
    );
    assert_eq!(helped.count(EventKind::Outage), 1);
}

#[test]
fn a_clock_moved_by_an_hour_is_noticed() {
    let zone = Europe::Berlin;
    let mut context = LoggerContext::new(zone);
    context.position = Some(solar::Position {
        latitude: 52.5,
        longitude: 13.4,
    });
    let moved = calendar::day_start(date("2024-06-16"), zone);
    let series = change(&bells("2024-06-01", 30, zone), |reading| {
        if reading.time > moved {
            let hour = ((reading.time - moved) % 86_400) as f64 / 3600.0;
            reading.power_w = 5000.0 * (-((hour - 14.0) / 3.0).powi(2)).exp();
        }
    });
    let health = examine(&series, &context, Surroundings::default());
    let event = health
        .events
        .iter()
        .find(|event| event.kind == EventKind::ClockShift)
        .unwrap();
    assert!(
        matches!(event.evidence, Evidence::ShiftMinutes(minutes) if (minutes - 60.0).abs() < 10.0)
    );
    assert!(health.flags.contains(Flag::ClockShift));
    // It is of the day on which the clock was moved, and of no window without it.
    assert_eq!(
        calendar::local_day(event.start + 1, zone),
        date("2024-06-16")
    );
    for (first, last, found) in [
        ("2024-06-01", "2024-06-15", 0),
        ("2024-06-10", "2024-06-20", 1),
        ("2024-06-16", "2024-06-16", 1),
        ("2024-06-17", "2024-06-30", 0),
    ] {
        let window = DaySpan::of_days(date(first), date(last), zone);
        let health = examine_within(&series, &context, Surroundings::default(), window);
        assert_eq!(health.count(EventKind::ClockShift), found, "{first}");
    }
}
