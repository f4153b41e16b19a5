//! The edge cases that the methods name, by their numbers there. 11 and 12 are in `devices.rs`.

use chrono_tz::{America, Europe, Tz};
use solar::calendar::{self, DaySpan};
use solar::compare::{Candidate, Entrant, Metric, align, common_records, compare};
use solar::curve::{Trend, curve_figures, thin};
use solar::fleet::fleet;
use solar::health::{EventKind, Evidence, HealthQuestion, Surroundings, analyze};
use solar::money::period_energy;
use solar::ratio::{Lacking, Rating, performance};
use solar::register::RegisterKind;
use solar::{
    Calibration, CapacityBasis, Carry, EnergySource, Flag, LoggerContext, Reading, Series,
    calibrate, day_figures, rollup,
};

use crate::fixtures::{self, assert_near};
use crate::made_up::{bell, bells, change, date, examine, readings};

// 1
#[test]
fn a_local_day_spans_two_utc_dates() {
    for (site, day) in [("rsf2", "2022-01-04"), ("sdt-tae", "2016-05-06")] {
        let logger = fixtures::one(site);
        let span = DaySpan::of_day(date(day), logger.context.zone);
        let rows = logger.series.rows(span.after, span.until);
        let utc = |row: usize| calendar::instant(logger.series.time()[row]).date_naive();
        assert_eq!(
            utc(rows.end - 1) - utc(rows.start),
            chrono::TimeDelta::days(1),
            "{site}"
        );
        let expected = logger.expected(&format!("daily/{day}/energy_kwh")).unwrap();
        assert_near(site, logger.day(day).power_kwh, expected, 0.001 * expected);
    }
}

// 2
#[test]
fn days_of_23_and_25_hours_are_complete_with_23_and_25_hours_of_readings() {
    let context = LoggerContext::new(Europe::Berlin);
    for (day, hours) in [
        ("2024-03-31", 23.0),
        ("2024-10-27", 25.0),
        ("2024-06-01", 24.0),
    ] {
        let series: Series = bell(day, Europe::Berlin, 5000.0).into_iter().collect();
        assert_near(day, series.len() as f64, hours * 4.0, 1e-9);
        let days = rollup(&series, &calibrate(&series, &context), &context);
        assert_eq!(days.len(), 1);
        assert_near(day, days[0].day_hours, hours, 1e-9);
        assert_near(day, days[0].completeness, 1.0, 0.5 / (hours * 4.0) + 0.01);
    }
}

// 3
#[test]
fn without_a_register_energy_comes_from_power() {
    let logger = fixtures::one("serf-east-2016");
    assert_eq!(logger.calibration.register, RegisterKind::None);
    let day = logger.day("2016-07-14");
    assert_eq!(day.energy(), Some((day.power_kwh, EnergySource::Power)));
    assert!(day.flags().contains(Flag::EnergyFromPower));
}

// 4
#[test]
fn a_sentinel_is_dropped_and_counted() {
    let logger = fixtures::one("sdt-30339");
    assert!(logger.series.power_w().contains(&-1e9));
    let dropped: u32 = logger.days.iter().map(|day| day.dropped).sum();
    assert_eq!(dropped, 58);
    let day = logger.days.iter().find(|day| day.dropped > 0).unwrap();
    assert!(day.flags().contains(Flag::ValuesDropped));
    assert!(day.night_import_kwh.abs() < 1e-9);
}

// 5
#[test]
fn a_thinned_chart_leaves_the_figures_alone() {
    let logger = fixtures::one("sandia-baseline");
    let points = thin(&logger.series, &logger.calibration, &logger.context, 300);
    assert!(
        points.len() <= 300 && points.len() > 200,
        "{}",
        points.len()
    );
    assert_eq!(points.iter().map(|point| point.records).sum::<u32>(), 1351);
    let highest = points
        .iter()
        .filter_map(|point| point.max_w)
        .fold(0.0, f64::max);
    assert_near("highest", highest, 3099.616, 0.1);
    assert!(
        points
            .iter()
            .filter_map(|point| point.mean_w)
            .all(|mean| mean < 3099.6)
    );
    let figures = curve_figures(logger.day("2015-11-11"), &logger.days, &logger.calibration);
    assert_near("peak", figures.peak_w.unwrap(), 3099.616, 0.1);
    assert_near("energy", figures.total_kwh.unwrap(), 17.227, 0.01);
    assert_eq!(
        calendar::rfc3339(figures.peak_time.unwrap(), logger.context.zone),
        "2015-11-11T11:34:00-07:00"
    );
    // Nothing is thinned when nothing has to be.
    assert_eq!(
        thin(&logger.series, &logger.calibration, &logger.context, 1351).len(),
        1351
    );
}

// 6
#[test]
fn what_the_register_gained_in_a_hole_of_23_days_belongs_to_the_period_and_to_no_day() {
    let logger = fixtures::one("pvops-r27");
    for day in &logger.days {
        let expected = logger
            .expected(&format!("register_daily/{}", day.date))
            .unwrap();
        assert_near(
            &day.date.to_string(),
            day.lifetime_register_kwh.unwrap(),
            expected,
            0.01,
        );
    }
    let (first, last) = (date("2018-09-14"), date("2018-10-14"));
    let period = period_energy(&logger.days, first, last);
    assert_near(
        "days",
        period.total_kwh,
        logger.expected("lifetime_kwh").unwrap(),
        0.01,
    );
    assert_near(
        "with what belongs to no day",
        period.total_kwh + period.unallocated_kwh,
        logger.expected("lifetime_span_kwh").unwrap(),
        0.01,
    );
    assert_near(
        "unallocated",
        period.unallocated_kwh,
        68_697.0 - 12_107.0,
        0.01,
    );
    assert_eq!((period.days_expected, period.missing_days.len()), (31, 24));
    // A period that begins within the hole cannot claim what was gained before it.
    assert_near(
        "later",
        period_energy(&logger.days, date("2018-10-10"), last).unallocated_kwh,
        0.0,
        1e-9,
    );
}

#[test]
fn what_a_register_gained_until_a_midnight_is_not_lost() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let back = calendar::day_start(date("2024-06-04"), zone);
    let mut total = 900.0;
    let series: Series = readings(&bells("2024-06-01", 5, zone))
        .map(|reading| {
            total += reading.power_w * 0.25 / 1000.0;
            Reading {
                lifetime_kwh: total,
                ..reading
            }
        })
        .filter(|reading| reading.time <= back - 2 * 86_400 || reading.time >= back)
        .collect();
    let days = rollup(&series, &calibrate(&series, &context), &context);
    assert_eq!(
        days.iter().map(|day| day.date).collect::<Vec<_>>(),
        [date("2024-06-01"), date("2024-06-04"), date("2024-06-05")]
    );
    assert_near(
        "gained",
        days[1].unallocated_kwh,
        2.0 * days[1].power_kwh,
        0.01,
    );
}

// 7
#[test]
fn a_day_with_rows_and_no_energy_is_dead_and_an_outage() {
    let logger = fixtures::one("rsf2");
    let figures = curve_figures(logger.day("2022-01-06"), &logger.days, &logger.calibration);
    assert_eq!(figures.total_kwh, Some(0.0));
    assert_eq!(figures.average_w, Some(0.0));
    assert!(figures.flags.contains(Flag::DeadDay));
    let health = examine(&logger.series, &logger.context, Surroundings::default());
    assert_eq!(health.dead_days, [date("2022-01-06")]);
    let outage = health
        .events
        .iter()
        .find(|event| event.kind == EventKind::Outage)
        .unwrap();
    let zone = logger.context.zone;
    assert_eq!(
        calendar::rfc3339(outage.start, zone),
        "2022-01-06T12:00:00-07:00"
    );
    assert_eq!(
        calendar::rfc3339(outage.end, zone),
        "2022-01-06T13:15:00-07:00"
    );
    assert_near("minutes", outage.minutes, 75.0, 1e-9);
    assert!(matches!(outage.evidence, Evidence::OwnIrradiance(g) if g > 75.0));
    assert!(
        health.score < 85.0 && health.score > 50.0,
        "{}",
        health.score
    );
}

// 8
#[test]
fn a_stated_capacity_below_the_ac_limit_is_implausible_and_its_ratio_is_not_hidden() {
    let logger = fixtures::one("pvops-r27");
    let day = std::slice::from_ref(logger.day("2018-10-13"));
    let result = performance(
        day,
        &logger.days,
        None,
        &logger.calibration,
        &logger.context,
    );
    assert!(result.pr.unwrap() > 1.04);
    assert!(result.flags.contains(Flag::CapacityImplausible));
    assert_eq!(result.capacity.unwrap().basis, CapacityBasis::Configured);
    let other = performance(
        day,
        &logger.days,
        Some(590.0),
        &logger.calibration,
        &logger.context,
    );
    assert!(!other.flags.contains(Flag::CapacityImplausible));
    assert_eq!(other.capacity.unwrap().basis, CapacityBasis::Parameter);
}

#[test]
fn a_dead_day_has_a_critical_ratio_and_says_nothing_about_the_capacity() {
    let logger = fixtures::one("rsf2");
    let day = std::slice::from_ref(logger.day("2022-01-06"));
    let result = performance(
        day,
        &logger.days,
        Some(400.0),
        &logger.calibration,
        &logger.context,
    );
    assert!(result.flags.contains(Flag::DeadDay));
    assert!(result.pr.unwrap() < 0.01);
    assert_eq!(result.rating, Some(Rating::Critical));
    assert!(!result.flags.contains(Flag::CapacityImplausible));
}

#[test]
fn a_ratio_with_an_inferred_capacity_has_no_verdict() {
    let logger = fixtures::one("sandia-baseline");
    let result = performance(
        &logger.days,
        &logger.days,
        None,
        &logger.calibration,
        &logger.context,
    );
    assert!(result.pr.is_some() && result.rating.is_none());
    assert!(result.flags.contains(Flag::CapacityInferred));
}

// 9
#[test]
fn the_average_does_not_depend_on_night_rows() {
    let logger = fixtures::one("sandia-baseline");
    let day: Series = readings(&logger.series)
        .filter(|reading| reading.power_w > logger.calibration.producing_w())
        .collect();
    let calibration = Calibration {
        robust_peak_w: logger.calibration.robust_peak_w,
        ..logger.calibration.clone()
    };
    let short = rollup(&day, &calibration, &logger.context);
    let with_nights = logger.day("2015-11-11").producing_mean_w.unwrap();
    assert_near(
        "average",
        short[0].producing_mean_w.unwrap(),
        with_nights,
        0.001,
    );
    assert!(short[0].valid < 700);
}

// 10
#[test]
fn one_row_is_a_peak_and_no_energy() {
    let context = LoggerContext::new(Tz::UTC);
    let series: Series = std::iter::once(Reading {
        time: 43_200,
        power_w: 700.0,
        ..Reading::default()
    })
    .collect();
    let calibration = calibrate(&series, &context);
    let days = rollup(&series, &calibration, &context);
    assert_eq!(
        (days.len(), days[0].peak_w, days[0].peak_time),
        (1, Some(700.0), Some(43_200))
    );
    assert!(days[0].power_kwh.abs() < 1e-12);
    let figures = curve_figures(&days[0], &[], &calibration);
    assert_eq!(figures.trend, Trend::Stable);
    assert!(figures.flags.contains(Flag::FewDays) && figures.flags.contains(Flag::IncompleteDay));
    assert_eq!(thin(&series, &calibration, &context, 1).len(), 1);
    examine(&series, &context, Surroundings::default());
}

#[test]
fn nothing_in_gives_nothing_out() {
    let context = LoggerContext::new(America::Denver);
    let calibration = calibrate(&Series::default(), &context);
    assert_eq!(calibration, Calibration::default());
    assert!(rollup(&Series::default(), &calibration, &context).is_empty());
    assert!(thin(&Series::default(), &calibration, &context, 10).is_empty());
    let ratio = performance(&[], &[], Some(5.0), &calibration, &context);
    assert_eq!(
        (ratio.pr, ratio.lacking),
        (None, Some(Lacking::PairedReadings))
    );
    assert_eq!(
        period_energy(&[], date("2024-01-01"), date("2024-01-03")).source,
        None
    );
    assert_eq!(fleet(0, &[], None, None).total, 0);
    assert!(compare(&[]).loggers.is_empty());
    assert!(align(&[], Metric::Power, 10).times.is_empty());
    let window = DaySpan::last_days(0, 7, context.zone);
    let health = analyze(&HealthQuestion {
        silent_after: None,
        series: &Series::default(),
        window,
        days: &[],
        calibration: &calibration,
        context: &context,
        surroundings: Surroundings::default(),
        peers: &[],
    });
    assert_eq!((health.events.len(), health.availability_time), (0, None));
}

#[test]
fn all_null_power_is_no_energy_and_no_peak() {
    let context = LoggerContext::new(Tz::UTC);
    let series = change(&bells("2024-06-01", 3, Tz::UTC), |reading| {
        reading.power_w = f64::NAN;
    });
    let calibration = calibrate(&series, &context);
    let days = rollup(&series, &calibration, &context);
    assert!(
        days.iter()
            .all(|day| day.energy().is_none() && day.peak_w.is_none() && day.completeness == 0.0)
    );
    let ratio = performance(&days, &days, Some(5.0), &calibration, &context);
    assert_eq!(ratio.lacking, Some(Lacking::PairedReadings));
    let health = examine(&series, &context, Surroundings::default());
    assert_eq!(health.count(EventKind::Outage), 0);
    assert_eq!(health.count(EventKind::DataOutage), 3);
}

#[test]
fn windows_before_the_first_and_after_the_last_row_are_empty() {
    let logger = fixtures::one("rsf2");
    for day in ["2021-12-01", "2022-02-01"] {
        let span = DaySpan::of_day(date(day), logger.context.zone);
        assert!(logger.series.between(span.after, span.until).is_empty());
        let (figures, carry) = day_figures(
            &logger.series,
            date(day),
            &Carry::default(),
            &logger.calibration,
            &logger.context,
        );
        assert_eq!((figures, carry), (None, Carry::default()));
        let period = period_energy(&logger.days, date(day), date(day));
        assert!(period.days.is_empty() && period.missing_days == [date(day)]);
    }
}

// 13
#[test]
fn loggers_with_different_steps_compare_over_their_common_time() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let coarse = bells("2024-06-01", 2, zone);
    // The same power in thirds of a step, and only the first day of it.
    let fine: Series = readings(&coarse)
        .filter(|reading| reading.time <= calendar::day_start(date("2024-06-02"), zone))
        .flat_map(|reading| {
            [600, 300, 0].map(|back| Reading {
                time: reading.time - back,
                ..reading
            })
        })
        .collect();
    let calibrations = [calibrate(&coarse, &context), calibrate(&fine, &context)];
    let days = [
        rollup(&coarse, &calibrations[0], &context),
        rollup(&fine, &calibrations[1], &context),
    ];
    let candidates = [
        Candidate {
            series: &coarse,
            days: &days[0],
            calibration: &calibrations[0],
            context: &context,
        },
        Candidate {
            series: &fine,
            days: &days[1],
            calibration: &calibrations[1],
            context: &context,
        },
    ];
    assert_eq!(common_records(&candidates), 96);
    let entrants = [0, 1].map(|index| Entrant {
        is_estimated: false,
        is_meter: false,
        sunlight: None,
        days: &days[index],
        calibration: &calibrations[index],
        size_kw: Some(5.0),
        is_implausible: false,
        site: "site",
    });
    let comparison = compare(&entrants);
    assert_near("spread", comparison.spread_pct.unwrap(), 0.0, 0.2);
    assert!(
        comparison
            .loggers
            .iter()
            .all(|logger| logger.robust_z.is_none() && !logger.underperformer)
    );
    let chart = align(&candidates, Metric::Power, 500);
    assert_eq!((chart.times.len(), chart.values.len()), (192, 2));
    assert_near(
        "aligned",
        chart.values[0][51].unwrap(),
        chart.values[1][51].unwrap(),
        1e-6,
    );
    assert_eq!(chart.values[1][150], None);
    let energy = align(&candidates, Metric::Energy, 500);
    assert_near(
        "energy",
        energy.values[0][95].unwrap(),
        energy.values[1][95].unwrap(),
        0.01,
    );
}

// 14
#[test]
fn an_anchor_at_local_midnight_belongs_to_the_day_that_it_ends() {
    let zone = America::Denver;
    let series = bells("2022-01-02", 3, zone);
    let anchor = *series.time().last().unwrap();
    assert_eq!(calendar::rfc3339(anchor, zone), "2022-01-05T00:00:00-07:00");
    let window = DaySpan::last_days(anchor, 2, zone);
    assert_eq!(
        (window.first, window.last),
        (date("2022-01-03"), date("2022-01-04"))
    );
    assert!(window.contains(anchor));
    let context = LoggerContext::new(zone);
    let days = rollup(&series, &calibrate(&series, &context), &context);
    assert_eq!(
        days.iter().map(|day| day.date).collect::<Vec<_>>(),
        [date("2022-01-02"), date("2022-01-03"), date("2022-01-04")]
    );
}

#[test]
fn a_midnight_stamp_alone_makes_no_day() {
    let logger = fixtures::one("rsf2");
    assert_eq!(
        calendar::local_day(logger.series.time()[0], logger.context.zone),
        date("2022-01-01")
    );
    assert_eq!(logger.days[0].date, date("2022-01-02"));
    assert_near("complete", logger.days[0].completeness, 1.0, 1e-9);
}
