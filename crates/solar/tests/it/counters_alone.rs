//! Counters without power: they are reset, replaced by others, or stand still.

use chrono_tz::Tz;
use solar::context::{Capacity, CapacityBasis};
use solar::ratio::is_dead;
use solar::{DayFigures, Flag, LoggerContext, Reading, Series, calibrate, rollup};

use crate::made_up::{bell, date};

const FIRST: &str = "2024-06-01";

/// The readings of a person's plant.
#[derive(Clone, Copy, Debug)]
struct Sends {
    peak_w: f64,
    days: usize,
    step: i64,
    /// The counter at the beginning, kWh.
    begins: f64,
    /// Whether it sends nothing from 20 to 6 o'clock.
    sleeps: bool,
    capacity_kw: Option<f64>,
}

/// At which seconds after the first midnight the counter shows what.
type Shows = [(i64, f64)];

/// The figures of the days, and the true energy of each, kWh.
fn counted(sends: Sends, shows: &Shows) -> Vec<(DayFigures, f64)> {
    counted_with(sends, shows, &[])
}

/// The same, with readings that are wrong by so much, at which seconds after the first midnight.
fn counted_with(sends: Sends, shows: &Shows, wrong: &Shows) -> Vec<(DayFigures, f64)> {
    let days = date(FIRST).iter_days().take(sends.days);
    let quarters: Vec<Reading> = days
        .flat_map(|day| bell(&day.to_string(), Tz::UTC, sends.peak_w))
        .collect();
    let midnight = quarters[0].time - 900;
    let (mut shown, mut truth) = (sends.begins, vec![0.0; sends.days]);
    let mut series: Vec<Reading> = Vec::new();
    let mut events = shows.iter().peekable();
    for quarter in quarters {
        let seconds = quarter.time - midnight;
        let kwh = quarter.power_w * 0.25 / 1000.0;
        truth[usize::try_from((seconds - 1) / 86_400).unwrap()] += kwh;
        shown += kwh;
        if let Some((_, other)) = events.next_if(|(at, _)| *at <= seconds) {
            shown = *other;
        }
        let awake = !sends.sleeps || (6 * 3600..=20 * 3600).contains(&(seconds % 86_400));
        if seconds % sends.step == 0 && awake {
            let glitch = wrong.iter().find(|(at, _)| *at == seconds);
            series.push(Reading {
                time: quarter.time,
                lifetime_kwh: shown + glitch.map_or(0.0, |(_, kwh)| *kwh),
                ..Reading::default()
            });
        }
    }
    let series: Series = series.into_iter().collect();
    let mut context = LoggerContext::new(Tz::UTC);
    context.capacity = sends.capacity_kw.map(|kw| Capacity {
        kw,
        basis: CapacityBasis::Configured,
    });
    let days = rollup(&series, &calibrate(&series, &context), &context);
    days.into_iter().zip(truth).collect()
}

/// Each day has at most its true energy, all of it but the steps over the changes, and only the day
/// of a change is marked.
fn check(sends: Sends, shows: &Shows) {
    let days = counted(sends, shows);
    assert_eq!(days.len(), sends.days, "{sends:?} {shows:?}");
    for (index, (day, truth)) in days.iter().enumerate() {
        let energy = day.energy().map(|(kwh, _)| kwh);
        let case = format!(
            "{}: {energy:?} for {truth} of {sends:?} {shows:?}",
            day.date
        );
        let changes = shows
            .iter()
            .filter(|(at, _)| usize::try_from(at / 86_400).unwrap() == index)
            .count();
        let is_first = index == 0;
        let step = sends.peak_w / 1000.0 * sends.step as f64 / 3600.0;
        // The first reading opens the first day.
        let unknown = step * (changes as f64 + f64::from(u8::from(is_first))) + 0.01 * truth;
        let kwh = energy.unwrap_or(f64::NAN);
        assert!(kwh <= truth + 1e-6 && kwh >= truth - unknown, "{case}");
        assert_eq!(
            day.flags().contains(Flag::RegisterSuspect),
            changes > 0,
            "{case}"
        );
    }
}

fn every_plant(check: impl Fn(Sends)) {
    for (peak_w, begins) in [(3000.0, 40.0), (3000.0, 54_000.0), (250_000.0, 900.0)] {
        for (step, sleeps) in [(900, false), (900, true), (3600, false), (3600, true)] {
            for capacity_kw in [None, Some(peak_w / 900.0)] {
                check(Sends {
                    peak_w,
                    days: 5,
                    step,
                    begins,
                    sleeps,
                    capacity_kw,
                });
            }
        }
    }
}

const DAY: i64 = 86_400;
const NOON: i64 = 12 * 3600;

#[test]
fn a_counter_that_is_not_changed_keeps_its_energy() {
    every_plant(|sends| check(sends, &[]));
}

#[test]
fn a_counter_that_is_reset_to_zero_counts_on_from_zero() {
    every_plant(|sends| {
        check(sends, &[(2 * DAY + NOON, 0.0)]);
        check(Sends { days: 1, ..sends }, &[(NOON, 0.0)]);
        check(sends, &[(2 * DAY + 900, 0.0)]);
        check(
            sends,
            &[(2 * DAY + NOON - 7200, 0.0), (2 * DAY + NOON + 7200, 0.0)],
        );
    });
}

#[test]
fn a_counter_that_is_replaced_by_a_higher_one_keeps_its_days() {
    every_plant(|sends| {
        let higher = sends.begins + 20_000.0;
        let by_day = 2 * DAY + NOON;
        check(sends, &[(by_day, higher)]);
        check(Sends { days: 1, ..sends }, &[(NOON, higher)]);
        // In the night.
        check(sends, &[(2 * DAY + 3600, higher)]);
        // Twice on a day, and on two days.
        check(
            sends,
            &[(by_day - 7200, higher), (by_day + 7200, 2.0 * higher)],
        );
        check(sends, &[(by_day, higher), (by_day + DAY, 7.0)]);
    });
}

/// Every day has its energy but for the largest step around a reading that is wrong by `kwh`, and
/// the one after it, if `readings` is 2.
fn check_glitch(sends: Sends, at: i64, readings: i64, kwh: f64) {
    let first = at / sends.step * sends.step;
    let wrong: Vec<(i64, f64)> = (0..readings)
        .map(|reading| (first + reading * sends.step, kwh))
        .collect();
    let sun = |at: i64| {
        let hours = (at % DAY) as f64 / 3600.0;
        (-((hours - 13.0) / 3.0).powi(2)).exp()
    };
    let sun = sun(first).max(sun(first + readings * sends.step));
    let step = sun * sends.peak_w / 1000.0 * sends.step as f64 / 3600.0;
    for (index, (day, truth)) in counted_with(sends, &[], &wrong).iter().enumerate() {
        let unknown = if index == 0 { 0.01 * truth + 0.1 } else { 1e-6 };
        let unknown = if index == 2 { step } else { unknown };
        let energy = day.energy().map_or(f64::NAN, |(kwh, _)| kwh);
        assert!(
            (energy - truth).abs() <= unknown,
            "{}: {energy} for {truth} of {sends:?} {wrong:?}",
            day.date
        );
    }
}

#[test]
fn a_counter_that_is_wrong_for_a_reading_keeps_its_day() {
    let times = [10 * 3600, 12 * 3600 + 1800, 15 * 3600].map(|time| 2 * DAY + time);
    let dips = [
        1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 42.0, 50.0, 60.0, 80.0, 100.0, 150.0,
        200.0,
    ];
    let check = |sends: Sends| {
        for at in times {
            for dip in dips.into_iter().filter(|dip| *dip < sends.begins) {
                for readings in [1, 2] {
                    check_glitch(sends, at, readings, -dip);
                }
            }
            for rise in [20.0, 40.0, 300.0] {
                check_glitch(sends, at, 1, rise);
            }
        }
    };
    every_plant(check);
    every_plant(|sends| {
        check(Sends {
            peak_w: 9000.0,
            begins: 2000.0,
            capacity_kw: sends.capacity_kw.map(|_| 10.0),
            ..sends
        });
    });
}

#[test]
fn a_day_with_a_wrong_reading_is_not_one_of_a_reset() {
    for kwh in [-60.0, -40.0, -30.0, -20.0, 20.0, 40.0] {
        let sends = Sends {
            peak_w: 9000.0,
            days: 5,
            step: 900,
            begins: 2000.0,
            sleeps: false,
            capacity_kw: None,
        };
        let (day, truth) = counted_with(sends, &[], &[(2 * DAY + NOON + 1800, kwh)]).remove(2);
        let energy = day.energy().map_or(f64::NAN, |(kwh, _)| kwh);
        assert!((energy - truth).abs() < 1e-6, "{kwh}: {energy} for {truth}");
        assert!(!day.flags().contains(Flag::RegisterSuspect), "{kwh}");
    }
}

#[test]
fn a_counter_that_is_set_back_by_little_is_reset() {
    every_plant(|sends| {
        let days = counted(sends, &[]);
        let made: f64 = days.iter().take(2).map(|(_, truth)| truth).sum();
        let shown = sends.begins + made;
        for share in [0.3, 0.6, 0.8, 0.9, 0.95] {
            check(sends, &[(2 * DAY + NOON, share * shown)]);
            check(sends, &[(2 * DAY + NOON - 7200, share * shown)]);
        }
    });
}

#[test]
fn a_stated_capacity_limits_a_counter_that_is_hardly_read() {
    let sends = |capacity_kw| Sends {
        peak_w: 3000.0,
        days: 1,
        step: 3 * 3600,
        begins: 500.0,
        sleeps: true,
        capacity_kw,
    };
    let (day, truth) = counted(sends(Some(3.5)), &[(NOON, 1500.0)]).remove(0);
    let kwh = day.energy().map_or(0.0, |(kwh, _)| kwh);
    assert!(
        kwh <= truth && day.flags().contains(Flag::RegisterSuspect),
        "{kwh} for {truth}"
    );
}

#[test]
fn a_counter_that_stands_still_all_day_has_a_dead_day() {
    let mut total = 500.0;
    let series: Series = (0..5 * 24)
        .map(|hour| {
            let runs = (6..20).contains(&(hour % 24)) && hour / 24 != 2;
            total += if runs { 2.0 } else { 0.0 };
            Reading {
                time: 3600 * (hour + 1),
                lifetime_kwh: total,
                ..Reading::default()
            }
        })
        .collect();
    let context = LoggerContext::new(Tz::UTC);
    let days = rollup(&series, &calibrate(&series, &context), &context);
    let calibration = calibrate(&series, &context);
    let dead: Vec<bool> = days.iter().map(|day| is_dead(day, &calibration)).collect();
    assert_eq!(dead, [false, false, true, false, false]);
}
