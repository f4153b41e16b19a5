//! Every figure of `expected.json`, within its tolerance.

use solar::compare::{Candidate, Entrant, common_records, compare};
use solar::health::{EventKind, Health, HealthQuestion, Surroundings, analyze, clock_offsets};
use solar::money::{DEFAULT_CO2_FACTOR, period_energy, savings};
use solar::ratio::performance;
use solar::{IrradianceBasis, LoggerContext, calendar};

use crate::fixtures::{self, Logger, assert_near};

#[test]
fn whole_fixture_energies_agree_with_rdtools_to_a_thousandth() {
    for logger in fixtures::all() {
        let kwh: f64 = logger.days.iter().map(|day| day.power_kwh).sum();
        for reference in ["rdtools_energy_kwh", "energy_kwh"] {
            let expected = logger.expected(reference).unwrap();
            assert_near(
                &format!("{} {reference}", logger.name),
                kwh,
                expected,
                0.001 * expected,
            );
        }
    }
}

#[test]
fn daily_energies_agree_to_a_thousandth() {
    for logger in fixtures::all() {
        let expected = logger.expected["daily"].as_object().unwrap();
        let dates: Vec<String> = logger.days.iter().map(|day| day.date.to_string()).collect();
        assert_eq!(
            dates,
            expected.keys().cloned().collect::<Vec<_>>(),
            "{}",
            logger.name
        );
        for day in &logger.days {
            let expected = expected[&day.date.to_string()]["energy_kwh"]
                .as_f64()
                .unwrap();
            // A ten-thousandth of a kWh is how far the reference is rounded.
            let tolerance = (0.001 * expected).max(0.0001);
            assert_near(
                &format!("{} {}", logger.name, day.date),
                day.power_kwh,
                expected,
                tolerance,
            );
        }
    }
}

#[test]
fn completeness_and_holes_agree() {
    for logger in fixtures::all() {
        for day in &logger.days {
            let expected = logger
                .expected(&format!("daily/{}/completeness", day.date))
                .unwrap();
            assert_near(
                &format!("{} {}", logger.name, day.date),
                day.completeness,
                expected,
                0.001,
            );
        }
        let holes: f64 = logger.days.iter().map(|day| day.hole_hours).sum();
        assert_near(
            &logger.name,
            holes,
            logger.expected("hole_hours").unwrap(),
            0.001,
        );
    }
}

#[test]
fn register_energies_agree_to_ten_watt_hours() {
    let mut with_register = 0;
    for logger in fixtures::all() {
        let Some(expected) = logger.expected["register_daily"].as_object() else {
            assert!(
                logger.days.iter().all(|day| day.register_kwh().is_none()),
                "{}",
                logger.name
            );
            continue;
        };
        with_register += 1;
        for day in &logger.days {
            let expected = expected[&day.date.to_string()].as_f64().unwrap();
            let what = format!("{} {}", logger.name, day.date);
            assert_near(&what, day.daily_register_kwh.unwrap(), expected, 0.01);
        }
        let total: f64 = logger
            .days
            .iter()
            .filter_map(solar::DayFigures::register_kwh)
            .sum();
        let expected_total = logger.expected("register_kwh").unwrap();
        assert_near(
            &logger.name,
            total,
            expected_total,
            0.01 * expected.len() as f64,
        );
    }
    assert_eq!(with_register, 15);
}

#[test]
fn peaks_agree_in_value_and_time() {
    for logger in fixtures::all() {
        let peaks = logger
            .days
            .iter()
            .filter_map(|day| day.peak_w.zip(day.peak_time));
        let (watts, time) = peaks
            .reduce(|best, peak| if peak.0 > best.0 { peak } else { best })
            .unwrap();
        assert_near(&logger.name, watts, logger.expected("peak_w").unwrap(), 0.1);
        assert_eq!(
            calendar::rfc3339(time, logger.context.zone),
            logger.expected["peak_time"],
            "{}",
            logger.name
        );
        let robust = logger.calibration.robust_peak_w;
        assert_near(
            &logger.name,
            robust,
            logger.expected("robust_peak_w").unwrap(),
            0.1,
        );
    }
}

#[test]
fn counts_and_steps_agree() {
    for logger in fixtures::all() {
        let sum = |field: fn(&solar::DayFigures) -> u32| logger.days.iter().map(field).sum::<u32>();
        let expect = |path: &str, actual: f64| {
            assert_near(path, actual, logger.expected(path).unwrap(), 1e-9);
        };
        expect("rows", logger.series.len() as f64);
        expect("step_minutes", logger.calibration.step_hours * 60.0);
        expect("values_dropped", f64::from(sum(|day| day.dropped)));
        expect("null_power_rows", f64::from(sum(|day| day.null_power)));
        expect("clipped_samples", f64::from(sum(|day| day.clipped)));
        expect("stale_samples_daylight", f64::from(sum(|day| day.stale)));
    }
}

#[test]
fn night_import_agrees() {
    for logger in fixtures::all() {
        let kwh: f64 = logger.days.iter().map(|day| day.night_import_kwh).sum();
        let expected = logger.expected("night_import_kwh").unwrap();
        // One step more or less at the very start, where the midnight stamp ends a day that has no
        // figures.
        assert_near(&logger.name, kwh, expected, 0.0015 * expected + 0.0001);
    }
}

#[test]
fn irradiation_agrees() {
    for logger in fixtures::all() {
        let Some(expected) = logger.expected("insolation_kwh_m2") else {
            assert!(!logger.series.has_irradiance(), "{}", logger.name);
            continue;
        };
        let kwh: f64 = logger
            .days
            .iter()
            .map(|day| day.sun.insolation_kwh_m2)
            .sum();
        assert_near(&logger.name, kwh, expected, 0.001 * expected);
    }
}

#[test]
fn capacities_are_inferred_to_a_hundredth() {
    for logger in fixtures::all() {
        for (path, actual) in [
            ("stc_power_kw", logger.calibration.stc_power_kw),
            (
                "dc_capacity_estimate_kw",
                logger.calibration.dc_capacity_estimate_kw(),
            ),
        ] {
            match logger.expected(path) {
                Some(expected) => assert_near(path, actual.unwrap(), expected, 0.01 * expected),
                None => assert_eq!(actual, None, "{} {path}", logger.name),
            }
        }
    }
}

#[test]
fn performance_ratios_agree() {
    let mut checked = 0;
    for logger in fixtures::all().filter(|logger| logger.context.capacity.is_some()) {
        check_performance(logger, &logger.days, "performance");
        for day in &logger.days {
            check_performance(
                logger,
                std::slice::from_ref(day),
                &format!("performance_daily/{}", day.date),
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 5 + 9);
}

fn check_performance(logger: &Logger, days: &[solar::DayFigures], path: &str) {
    let result = performance(
        days,
        &logger.days,
        None,
        &logger.calibration,
        &logger.context,
    );
    let figures = [
        ("PR", result.pr, 0.001),
        ("PR_25C", result.pr_25c, 0.001),
        ("yf_kwh_per_kwp", result.yf, 0.001),
        ("yr_h", Some(result.yr).filter(|yr| *yr > 0.0), 0.001),
        (
            "pairs",
            Some(f64::from(result.paired_records)).filter(|pairs| *pairs > 0.0),
            0.0,
        ),
    ];
    for (figure, actual, tolerance) in figures {
        let what = format!("{} {path}/{figure}", logger.name);
        match logger.expected(&format!("{path}/{figure}")) {
            Some(expected) => assert_near(&what, actual.unwrap(), expected, tolerance),
            None => assert_eq!(actual, None, "{what}"),
        }
    }
}

/// The reference took every irradiance for plane of array, also the horizontal one of
/// serf-east-2016.
fn whole_health(logger: &Logger) -> Health {
    let context = LoggerContext {
        irradiance_basis: IrradianceBasis::Unknown,
        ..logger.context.clone()
    };
    let window = calendar::DaySpan::of_days(
        logger.days.first().unwrap().date,
        logger.days.last().unwrap().date,
        context.zone,
    );
    analyze(&HealthQuestion {
        silent_after: None,
        series: &logger.series,
        window,
        days: &logger.days,
        calibration: &logger.calibration,
        context: &context,
        surroundings: Surroundings::default(),
        peers: &[],
    })
}

#[test]
fn outages_and_availability_agree() {
    for logger in fixtures::all() {
        let health = whole_health(logger);
        if logger.expected.get("outage").is_none() {
            assert_eq!(health.availability_time, None, "{}", logger.name);
            continue;
        }
        let expected = |figure: &str| logger.expected(&format!("outage/{figure}")).unwrap();
        let what = |figure: &str| format!("{} {figure}", logger.name);
        let events = health.count(EventKind::Outage) as f64;
        assert_near(&what("events"), events, expected("events"), 0.0);
        let step = logger.calibration.step_hours;
        assert_near(
            &what("hours"),
            health.outage_hours,
            expected("hours"),
            events * step,
        );
        assert_near(
            &what("lost"),
            health.outage_kwh,
            expected("lost_kwh"),
            0.02 * expected("lost_kwh"),
        );
        assert_near(&what("sun"), health.sun_hours, expected("sun_hours"), 0.001);
        assert_near(
            &what("time"),
            health.availability_time.unwrap(),
            expected("availability_time"),
            0.001,
        );
        assert_near(
            &what("energy"),
            health.availability_energy.unwrap(),
            expected("availability_energy"),
            0.001,
        );
        let data = health.count(EventKind::DataOutage) as f64;
        assert_near(
            &what("data outages"),
            data,
            expected("data_outage_events"),
            0.0,
        );
    }
}

#[test]
fn dead_missing_and_suspect_days_agree() {
    for logger in fixtures::all() {
        let health = whole_health(logger);
        let names =
            |days: &[chrono::NaiveDate]| days.iter().map(ToString::to_string).collect::<Vec<_>>();
        let expected = |list: &str| -> Vec<String> {
            serde_json::from_value(logger.expected[list].clone()).unwrap()
        };
        assert_eq!(
            names(&health.dead_days),
            expected("dead_days"),
            "{} dead",
            logger.name
        );
        assert_eq!(
            names(&health.missing_days),
            expected("missing_days"),
            "{} missing",
            logger.name
        );
        let suspect = names(&health.irradiance_suspect_days);
        if let Some(list) = logger.expected.get("irradiance_suspect_days") {
            assert_eq!(serde_json::json!(suspect), *list, "{} suspect", logger.name);
        }
    }
}

#[test]
fn clock_offsets_agree_to_a_minute_and_no_clock_was_shifted() {
    let mut halves = 0;
    for logger in fixtures::all() {
        let offsets = clock_offsets(&logger.days, &logger.calibration, &logger.context);
        match logger.expected["clock_offset_min"].as_object() {
            None => assert!(offsets.is_empty(), "{}", logger.name),
            Some(expected) => {
                assert_eq!(offsets.len(), expected.len());
                for offset in offsets {
                    let half = if offset.from.format("%d").to_string() == "01" {
                        'a'
                    } else {
                        'b'
                    };
                    let key = format!("{}{half}", offset.from.format("%Y-%m"));
                    assert_near(&key, offset.minutes, expected[&key].as_f64().unwrap(), 1.0);
                    halves += 1;
                }
            }
        }
        assert_eq!(
            whole_health(logger).count(EventKind::ClockShift),
            0,
            "{}",
            logger.name
        );
    }
    assert_eq!(halves, 7);
}

#[test]
fn money_and_carbon_agree() {
    for logger in fixtures::all() {
        let (first, last) = (
            logger.days.first().unwrap().date,
            logger.days.last().unwrap().date,
        );
        let energy = period_energy(&logger.days, first, last);
        let expected = |figure: &str| logger.expected(&format!("money/{figure}")).unwrap();
        assert_near(
            &logger.name,
            energy.total_kwh,
            expected("kwh"),
            0.001 * expected("kwh"),
        );
        let value = savings(
            energy.total_kwh,
            expected("rate"),
            DEFAULT_CO2_FACTOR.kg_per_kwh,
        );
        let marginal = savings(
            energy.total_kwh,
            expected("rate"),
            solar::money::CO2_FACTORS[2].kg_per_kwh,
        );
        for (figure, actual) in [
            ("savings", value.savings),
            ("co2_kg_us_average_delivered", value.co2_kg),
            ("co2_kg_us_marginal", marginal.co2_kg),
            ("trees_grown_10_years", value.trees_grown_10_years),
        ] {
            assert_near(
                &format!("{} {figure}", logger.name),
                actual,
                expected(figure),
                0.001 * expected(figure),
            );
        }
    }
}

#[test]
fn the_eight_inverters_and_their_meter_compare_as_expected() {
    let loggers = fixtures::load("captest");
    let candidates: Vec<Candidate<'_>> = loggers
        .iter()
        .map(|logger| Candidate {
            series: &logger.series,
            days: &logger.days,
            calibration: &logger.calibration,
            context: &logger.context,
        })
        .collect();
    assert_eq!(common_records(&candidates), 1440);
    let entrants: Vec<Entrant<'_>> = loggers
        .iter()
        .map(|logger| Entrant {
            is_estimated: false,
            is_meter: false,
            sunlight: None,
            days: &logger.days,
            calibration: &logger.calibration,
            size_kw: logger.calibration.stc_power_uncorrected_kw,
            is_implausible: false,
            site: "site",
        })
        .collect();
    let comparison = compare(&entrants);
    let expected = &fixtures::expected()["captest"]["comparison"];
    for (logger, compared) in loggers.iter().zip(&comparison.loggers) {
        let expected = |figure: &str| expected[&logger.name][figure].as_f64().unwrap();
        assert_near(
            &logger.name,
            compared.specific_yield.unwrap(),
            expected("specific_yield"),
            0.001,
        );
        assert_near(
            &logger.name,
            compared.vs_median_pct.unwrap(),
            expected("vs_median_pct"),
            0.001,
        );
        // The reference rounded the kW to four digits; the robust z divides by a deviation of 0.02
        // %, which shows it.
        let tolerance = 0.001 * expected("robust_z").abs() + 0.0005;
        assert_near(
            &logger.name,
            compared.robust_z.unwrap(),
            expected("robust_z"),
            tolerance,
        );
        assert!(!compared.underperformer, "{}", logger.name);
    }
}
