//! The cost of the analytics on one core, over synthetic readings every five minutes.
//!
//! Budgets: a week of health well below half a millisecond, a forecast over two years of days below
//! one.

use std::hint::black_box;

use chrono::NaiveDate;
use chrono_tz::{Europe, Tz};
use criterion::{Criterion, criterion_group, criterion_main};
use solar::calendar::DaySpan;
use solar::compare::{Candidate, Entrant, Metric, align, compare};
use solar::curve::{curve_figures, thin};
use solar::forecast::{DailyEnergies, forecast};
use solar::health::{HealthQuestion, Surroundings, analyze};
use solar::{
    Calibration, Carry, DayFigures, LoggerContext, Position, Reading, Series, calibrate,
    day_figures, rollup,
};

const ZONE: Tz = Europe::Berlin;

struct Logger {
    series: Series,
    context: LoggerContext,
    calibration: Calibration,
    days: Vec<DayFigures>,
}

fn logger(days: i64, peak_w: f64) -> Logger {
    let mut context = LoggerContext::new(ZONE);
    context.position = Some(Position {
        latitude: 52.5,
        longitude: 13.4,
    });
    let span = DaySpan::of_day(first(), ZONE);
    let mut daily_kwh = 0.0;
    let series: Series = (1..=days * 288)
        .map(|step| {
            let hour = (step % 288) as f64 / 12.0;
            let cloud = 0.75 + 0.25 * (step as f64 * 0.7).sin() * (step as f64 * 0.013).cos();
            let sun = if (6.0..20.0).contains(&hour) {
                cloud * (-((hour - 13.0) / 3.5).powi(2)).exp()
            } else {
                0.0
            };
            daily_kwh = if step % 288 == 1 {
                0.0
            } else {
                daily_kwh + peak_w * sun / 12_000.0
            };
            Reading {
                time: span.after + step * 300,
                power_w: peak_w * sun,
                daily_kwh,
                irradiance: 1000.0 * sun,
                module_c: 20.0 + 30.0 * sun,
                lifetime_kwh: f64::NAN,
            }
        })
        .collect();
    let calibration = calibrate(&series, &context);
    let days = rollup(&series, &calibration, &context);
    Logger {
        series,
        context,
        calibration,
        days,
    }
}

fn first() -> NaiveDate {
    NaiveDate::from_ymd_opt(2023, 4, 1).unwrap_or_default()
}

fn ranges(c: &mut Criterion) {
    let year = logger(365, 5000.0);
    let last = year.days.last().map(|day| day.date).unwrap_or_default();
    let window = DaySpan::of_days(last - chrono::Days::new(6), last, ZONE);
    let week = year.series.between(window.after, window.until);
    c.bench_function("health of a week", |b| {
        b.iter(|| {
            analyze(&HealthQuestion {
                silent_after: None,
                series: black_box(&week),
                window,
                days: &year.days[year.days.len() - 60..],
                calibration: &year.calibration,
                context: &year.context,
                surroundings: Surroundings::default(),
                peers: &[],
            })
        });
    });
    let day = DaySpan::of_day(last, ZONE);
    let rows = year.series.between(day.after, day.until);
    c.bench_function("power curve of a day", |b| {
        b.iter(|| {
            let (figures, _) = day_figures(
                black_box(&rows),
                last,
                &Carry::default(),
                &year.calibration,
                &year.context,
            );
            let figures =
                figures.map(|day| curve_figures(&day, &year.days[330..], &year.calibration));
            (figures, thin(&rows, &year.calibration, &year.context, 1000))
        });
    });
    c.bench_function("rollup of a year", |b| {
        b.iter(|| rollup(black_box(&year.series), &year.calibration, &year.context));
    });
    c.bench_function("calibration of a year", |b| {
        b.iter(|| calibrate(black_box(&year.series), &year.context));
    });
}

fn comparison(c: &mut Criterion) {
    let loggers: Vec<Logger> = [5000.0, 6000.0, 5500.0, 4500.0]
        .map(|peak_w| logger(1, peak_w))
        .into();
    let candidates: Vec<Candidate<'_>> = loggers
        .iter()
        .map(|logger| Candidate {
            series: &logger.series,
            days: &logger.days,
            calibration: &logger.calibration,
            context: &logger.context,
        })
        .collect();
    let entrants: Vec<Entrant<'_>> = loggers
        .iter()
        .map(|logger| Entrant {
            is_estimated: false,
            is_meter: false,
            sunlight: None,
            days: &logger.days,
            calibration: &logger.calibration,
            size_kw: Some(5.0),
            is_implausible: false,
            site: "site",
        })
        .collect();
    c.bench_function("comparison of four loggers over a day", |b| {
        b.iter(|| {
            (
                compare(black_box(&entrants)),
                align(&candidates, Metric::Power, 500),
            )
        });
    });
}

fn forecasts(c: &mut Criterion) {
    let mut context = LoggerContext::new(ZONE);
    context.position = Some(Position {
        latitude: 52.5,
        longitude: 13.4,
    });
    let kwh = (0..730)
        .map(|day| 20.0 + 8.0 * (f64::from(day) * 0.9).sin() * (f64::from(day) * 0.31).cos())
        .collect();
    let history = DailyEnergies {
        first: first(),
        kwh,
        source: None,
    };
    for days_ahead in [1, 7] {
        c.bench_function(
            &format!("forecast of {days_ahead} days over two years"),
            |b| {
                b.iter(|| forecast(black_box(&history), days_ahead, &context));
            },
        );
    }
}

criterion_group!(benches, ranges, comparison, forecasts);
criterion_main!(benches);
