//! Daily registers against the power that they count, for any clock, gap and glitch.

use chrono_tz::{America, Europe, Tz};
use proptest::prelude::*;
use solar::calendar::{self, day_start, local_day};
use solar::money::period_energy;
use solar::{EnergySource, Flag, LoggerContext, Reading, Series, calibrate, rollup};

use crate::fixtures::assert_near;
use crate::made_up::{bells, change, date, readings};

const PEAK_W: f64 = 5000.0;
const DAYS: usize = 6;

/// The oddities of a register.
#[derive(Clone, Debug)]
struct Oddity {
    zone: Tz,
    /// When the register is reset, seconds after local midnight; may be before it.
    reset_after: i64,
    /// The register right after a reset, kWh.
    rest: f64,
    /// Steps of its display, kWh.
    resolution: f64,
    /// Of how many readings the one that begins there are lost, within the sun's hours.
    gaps: Vec<(usize, usize)>,
    /// Readings that show zero instead.
    glitches: Vec<usize>,
    /// How bright each day is.
    light: Vec<f64>,
}

fn oddity() -> impl Strategy<Value = Oddity> {
    let zone = prop_oneof![Just(Tz::UTC), Just(Europe::Berlin), Just(America::Denver)];
    // By a clock that is a little off, at the first light, or by the clock of another zone.
    let reset_after = prop_oneof![
        -150..150_i64,
        Just(0),
        4 * 3600..6 * 3600_i64,
        Just(-7 * 3600),
        Just(9 * 3600),
    ];
    let rest = prop_oneof![3 => Just(0.0), 1 => Just(0.1)];
    let resolution = prop_oneof![Just(0.001), Just(0.1)];
    let gaps = proptest::collection::vec((0..DAYS * 96, 1..4_usize), 0..12);
    let glitches = proptest::collection::vec(0..DAYS * 96, 0..6);
    let light = proptest::collection::vec(0.3..1.0_f64, DAYS);
    (zone, reset_after, rest, resolution, gaps, glitches, light).prop_map(
        |(zone, reset_after, rest, resolution, gaps, glitches, light)| Oddity {
            zone,
            reset_after,
            rest,
            resolution,
            gaps,
            glitches,
            light,
        },
    )
}

/// The readings, and the true energy of each day, kWh.
fn counted(odd: &Oddity) -> (Series, Vec<f64>) {
    let sun = bells("2024-06-01", DAYS, odd.zone);
    let mut truth = vec![0.0; DAYS];
    let (mut total, mut last_reset) = (odd.rest, i64::MIN);
    let mut series: Vec<Reading> = Vec::new();
    for reading in readings(&sun) {
        let day = (local_day(reading.time, odd.zone) - date("2024-06-01")).num_days();
        let index = usize::try_from(day).unwrap();
        let power_w = PEAK_W / 5000.0 * odd.light[index] * reading.power_w;
        let kwh = power_w * 0.25 / 1000.0;
        truth[index] += kwh;
        // The newest reset up to this reading; half of the step's energy came before a reset within
        // it, at most.
        let shifted = reading.time - odd.reset_after;
        let reset = day_start(local_day(shifted + 1, odd.zone), odd.zone) + odd.reset_after;
        if reset > last_reset && reset <= reading.time {
            (total, last_reset) = (odd.rest, reset);
        }
        total += kwh;
        series.push(Reading {
            power_w,
            daily_kwh: (total / odd.resolution).floor() * odd.resolution,
            ..reading
        });
    }
    for &glitch in &odd.glitches {
        // A glitch after which the register does not return looks like a reset.
        let alone = |row: &usize| {
            odd.gaps
                .iter()
                .all(|(from, count)| *row + 1 < *from || *row > from + count + 1)
        };
        if alone(&glitch) && !odd.glitches.contains(&(glitch + 1)) && series[glitch].daily_kwh > 1.0
        {
            series[glitch].daily_kwh = 0.0;
        }
    }
    // Gaps are in daylight: what is lost around a reset is lost.
    let noon = |time: i64| {
        let hour = calendar::local_time(time, odd.zone)
            .format("%H")
            .to_string();
        (10..=15).contains(&hour.parse::<u32>().unwrap())
    };
    let lost = |row: usize| {
        odd.gaps
            .iter()
            .any(|(from, count)| (*from..from + count).contains(&row))
    };
    let kept = (0..series.len()).filter(|&row| !(lost(row) && noon(series[row].time)));
    (kept.map(|row| series[row]).collect(), truth)
}

proptest! {
    #[test]
    fn a_register_gives_each_day_what_the_power_gave_it(odd in oddity()) {
        let (series, truth) = counted(&odd);
        let context = LoggerContext::new(odd.zone);
        let days = rollup(&series, &calibrate(&series, &context), &context);
        prop_assert_eq!(days.len(), DAYS);
        for (day, truth) in days.iter().zip(&truth) {
            let (kwh, source) = day.energy().unwrap();
            prop_assert_eq!(source, EnergySource::DailyRegister);
            // The first day of a register of another zone begins before the readings.
            let first = day.date == days[0].date;
            let off = (kwh - truth).abs();
            prop_assert!(first || off <= 0.02 * truth + 0.4, "{} has {} for {}", day.date, kwh, truth);
        }
        let period = period_energy(&days, days[0].date, days[DAYS - 1].date);
        let sum: f64 = days.iter().map(|day| day.energy().unwrap().0).sum();
        prop_assert!((period.total_kwh - sum).abs() < 1e-9);
    }
}

#[test]
fn a_day_between_two_readings_of_a_tenth_and_of_nothing_keeps_its_energy() {
    let odd = Oddity {
        zone: Tz::UTC,
        reset_after: -30,
        rest: 0.1,
        resolution: 0.1,
        gaps: Vec::new(),
        glitches: Vec::new(),
        light: vec![1.0; DAYS],
    };
    let (series, truth) = counted(&odd);
    // The register of the third midnight was reset to nothing, not to a tenth.
    let midnight = day_start(date("2024-06-04"), Tz::UTC);
    let series = change(&series, |reading| {
        if reading.time == midnight {
            reading.daily_kwh = 0.0;
        }
    });
    let context = LoggerContext::new(odd.zone);
    let days = rollup(&series, &calibrate(&series, &context), &context);
    for (day, truth) in days.iter().zip(&truth) {
        assert_near(&day.date.to_string(), day.energy().unwrap().0, *truth, 0.21);
    }
}

#[test]
fn a_register_that_stands_still_while_there_is_power_is_not_believed() {
    let context = LoggerContext::new(Tz::UTC);
    let series = change(&bells("2024-06-01", 3, Tz::UTC), |reading| {
        reading.daily_kwh = 0.0;
    });
    for day in rollup(&series, &calibrate(&series, &context), &context) {
        let (kwh, source) = day.energy().unwrap();
        assert_eq!(source, EnergySource::Power);
        assert!(kwh > 20.0 && day.flags().contains(Flag::RegisterSuspect));
    }
}

#[test]
fn a_register_of_twice_the_power_is_told_however_few_readings_there_are() {
    let context = LoggerContext::new(Tz::UTC);
    // No rows at night: 14 of 24 hours.
    let series: Series = readings(&bells("2024-06-01", 3, Tz::UTC))
        .filter(|reading| reading.power_w > 0.0)
        .scan((0.0, 0), |(total, today), reading| {
            let day = reading.time / 86_400;
            if day != *today {
                (*total, *today) = (0.0, day);
            }
            *total += 1.9 * reading.power_w * 0.25 / 1000.0;
            Some(Reading {
                daily_kwh: *total,
                ..reading
            })
        })
        .collect();
    let days = rollup(&series, &calibrate(&series, &context), &context);
    assert!(days.iter().all(|day| day.completeness < 0.6));
    assert!(
        days.iter()
            .all(|day| day.flags().contains(Flag::RegisterPowerMismatch))
    );
}

/// Stretches of rows over which a lifetime register shows the same, and how bright each day is.
fn still() -> impl Strategy<Value = (Vec<(usize, usize)>, Vec<f64>)> {
    let stretches = proptest::collection::vec((0..(DAYS - 1) * 96, 1..150_usize), 0..4);
    (stretches, proptest::collection::vec(0.3..1.0_f64, DAYS))
}

proptest! {
    #[test]
    fn a_lifetime_register_that_stands_still_and_catches_up_keeps_the_sum((still, light) in still()) {
        let sun: Vec<Reading> = readings(&bells("2024-06-01", DAYS, Tz::UTC)).collect();
        let (mut total, mut shown, mut truth) = (1000.0, 1000.0, 0.0);
        let series: Series = sun
            .into_iter()
            .enumerate()
            .map(|(row, reading)| {
                let power_w = reading.power_w * light[(row / 96).min(DAYS - 1)];
                total += power_w * 0.25 / 1000.0;
                truth += power_w * 0.25 / 1000.0;
                let stands = still.iter().any(|(from, rows)| (*from..from + rows).contains(&row));
                // On the last day it shows everything.
                if !stands || row >= (DAYS - 1) * 96 {
                    shown = total;
                }
                Reading { power_w, lifetime_kwh: shown, ..reading }
            })
            .collect();
        let context = LoggerContext::new(Tz::UTC);
        let days = rollup(&series, &calibrate(&series, &context), &context);
        let sum: f64 = days.iter().filter_map(solar::DayFigures::energy).map(|(kwh, _)| kwh).sum();
        // What the power of a day says of the part that the register counted, and the other way
        // round, differ by a little.
        prop_assert!((sum - truth).abs() <= 0.01 * truth, "{sum} for {truth}");
    }
}
