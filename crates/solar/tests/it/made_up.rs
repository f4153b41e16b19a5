//! Synthetic readings, for cases that are not in measured data.

use chrono::NaiveDate;
use chrono_tz::Tz;
use solar::calendar::{self, DaySpan};
use solar::health::{Health, HealthQuestion, Surroundings, analyze};
use solar::{LoggerContext, Reading, Series, calibrate, rollup};

pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

/// A bell-shaped day of a 5 kW inverter with its irradiance, in steps of a quarter of an hour from
/// local midnight.
pub(crate) fn bell(day: &str, zone: Tz, peak_w: f64) -> Vec<Reading> {
    let start = calendar::day_start(date(day), zone);
    let quarters = (calendar::day_start(date(day).succ_opt().unwrap(), zone) - start) / 900;
    let reading = |quarter: i64| {
        let hour = quarter as f64 / 4.0;
        let sun = (-((hour - 13.0) / 3.0).powi(2)).exp();
        let sun = if (6.0..20.0).contains(&hour) {
            sun
        } else {
            0.0
        };
        Reading {
            time: start + quarter * 900,
            power_w: peak_w * sun,
            irradiance: 1000.0 * sun,
            ..Reading::default()
        }
    };
    (1..=quarters).map(reading).collect()
}

pub(crate) fn bells(first: &str, days: usize, zone: Tz) -> Series {
    let dates = date(first).iter_days().take(days);
    dates
        .flat_map(|day| bell(&day.to_string(), zone, 5000.0))
        .collect()
}

pub(crate) fn examine(
    series: &Series,
    context: &LoggerContext,
    surroundings: Surroundings<'_>,
) -> Health {
    let calibration = calibrate(series, context);
    let days = rollup(series, &calibration, context);
    let window = DaySpan::of_days(days[0].date, days[days.len() - 1].date, context.zone);
    examine_within(series, context, surroundings, window)
}

/// The same, of some of its days.
pub(crate) fn examine_within(
    series: &Series,
    context: &LoggerContext,
    surroundings: Surroundings<'_>,
    window: DaySpan,
) -> Health {
    let calibration = calibrate(series, context);
    let days = rollup(series, &calibration, context);
    analyze(&HealthQuestion {
        silent_after: None,
        series,
        window,
        days: &days,
        calibration: &calibration,
        context,
        surroundings,
        peers: &[],
    })
}

pub(crate) fn change(series: &Series, change: impl Fn(&mut Reading)) -> Series {
    readings(series)
        .map(|mut reading| {
            change(&mut reading);
            reading
        })
        .collect()
}

pub(crate) fn readings(series: &Series) -> impl Iterator<Item = Reading> + '_ {
    (0..series.len()).map(|row| Reading {
        time: series.time()[row],
        power_w: series.power_w()[row],
        daily_kwh: series.daily_kwh()[row],
        lifetime_kwh: series.lifetime_kwh()[row],
        irradiance: series.irradiance()[row],
        module_c: series.module_c()[row],
    })
}
