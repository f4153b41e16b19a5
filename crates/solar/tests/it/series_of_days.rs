//! Registers, trends, charts and forecasts of synthetic days.

use chrono_tz::{Europe, Tz};
use solar::calendar;
use solar::curve::{Quality, Trend, curve_figures, thin};
use solar::forecast::{DailyEnergies, forecast};
use solar::register::RegisterKind;
use solar::{DayFigures, EnergySource, Flag, LoggerContext, Reading, Series, calibrate, rollup};

use crate::fixtures::assert_near;
use crate::made_up::{bell, bells, change, date, readings};

#[test]
fn a_register_that_never_resets_is_read_as_one() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let mut total = 12_000.0;
    let series: Series = readings(&bells("2024-06-01", 6, zone))
        .map(|reading| {
            total += reading.power_w * 0.25 / 1000.0;
            Reading {
                daily_kwh: total,
                ..reading
            }
        })
        .collect();
    let calibration = calibrate(&series, &context);
    assert_eq!(calibration.register, RegisterKind::Lifetime);
    for day in rollup(&series, &calibration, &context).iter().skip(1) {
        let (kwh, source) = day.energy().unwrap();
        assert_eq!(source, EnergySource::LifetimeRegister);
        assert_near("day", kwh, day.power_kwh, 0.01);
    }
}

#[test]
fn register_and_power_that_disagree_are_flagged() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let (mut total, mut day) = (0.0, date("2024-06-01"));
    let series: Series = readings(&bells("2024-06-01", 4, zone))
        .map(|reading| {
            let today = calendar::local_day(reading.time, zone);
            if today != day {
                (total, day) = (0.0, today);
            }
            total += 1.1 * reading.power_w * 0.25 / 1000.0;
            Reading {
                daily_kwh: total,
                ..reading
            }
        })
        .collect();
    let days = rollup(&series, &calibrate(&series, &context), &context);
    assert!(
        days.iter()
            .all(|day| day.flags().contains(Flag::RegisterPowerMismatch))
    );
    assert_near("ratio", days[1].register_power_ratio().unwrap(), 1.1, 0.01);
}

#[test]
fn the_trend_compares_with_the_days_before() {
    let zone = Europe::Berlin;
    let context = LoggerContext::new(zone);
    let dim = date("2024-06-08");
    let series = change(&bells("2024-06-01", 8, zone), |reading| {
        if calendar::local_day(reading.time, zone) == dim {
            reading.power_w *= 0.5;
        }
    });
    let calibration = calibrate(&series, &context);
    let days = rollup(&series, &calibration, &context);
    let trend = |day: &DayFigures| curve_figures(day, &days, &calibration).trend;
    assert_eq!(trend(&days[7]), Trend::Decreasing);
    assert_eq!(trend(&days[6]), Trend::Stable);
    assert!(
        curve_figures(&days[2], &days, &calibration)
            .flags
            .contains(Flag::FewDays)
    );
}

#[test]
fn points_tell_how_far_to_trust_them() {
    let series: Series = bell("2024-06-01", Tz::UTC, 5000.0)
        .into_iter()
        .enumerate()
        .map(|(row, reading)| match row {
            40 => Reading {
                power_w: f64::NAN,
                ..reading
            },
            41 => Reading {
                power_w: -1e9,
                ..reading
            },
            _ => reading,
        })
        .collect();
    let context = LoggerContext::new(Tz::UTC);
    let points = thin(&series, &calibrate(&series, &context), &context, 1000);
    assert_eq!(
        (points[40].quality, points[41].quality),
        (Quality::Missing, Quality::Dropped)
    );
    assert_eq!(
        (points[20].quality, points[41].mean_w),
        (Quality::Good, None)
    );
}

#[test]
fn too_few_known_days_are_no_forecast() {
    let context = LoggerContext::new(Tz::UTC);
    let mut kwh = vec![f64::NAN; 30];
    kwh[26..].fill(20.0);
    let history = DailyEnergies {
        first: date("2024-06-01"),
        kwh,
        source: Some(EnergySource::Power),
    };
    assert_eq!(forecast(&history, 1, &context).unwrap_err().known_days, 4);
    assert_eq!(
        forecast(&DailyEnergies::default(), 7, &context)
            .unwrap_err()
            .known_days,
        0
    );
}

#[test]
fn a_steady_past_is_forecast_with_high_confidence() {
    let context = LoggerContext::new(Tz::UTC);
    let kwh: Vec<f64> = (0..60).map(|day| 20.0 + f64::from(day % 3)).collect();
    let history = DailyEnergies {
        first: date("2024-05-01"),
        kwh,
        source: Some(EnergySource::DailyRegister),
    };
    let forecast = forecast(&history, 7, &context).unwrap();
    assert_eq!(forecast.days.len(), 7);
    assert_eq!(forecast.days[0].date, date("2024-06-30"));
    assert_near("total", forecast.total_kwh, 7.0 * 21.0, 7.0);
    for day in &forecast.days {
        assert!(day.lower_kwh <= day.expected_kwh && day.expected_kwh <= day.upper_kwh);
        assert_eq!(day.confidence.as_str(), "high");
        assert!(day.backtest.unwrap().days > 20);
    }
}

#[test]
fn the_hours_of_a_day_add_up() {
    let context = LoggerContext::new(Europe::Berlin);
    let series = bells("2024-06-01", 3, Europe::Berlin);
    let calibration = calibrate(&series, &context);
    let shape = solar::forecast::hourly_shape(&series, &calibration, &context).unwrap();
    assert_near("sum", shape.iter().sum(), 1.0, 1e-9);
    assert!(shape[2].abs() < 1e-12 && shape[12] > 0.1);
    let (best, _) = shape
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.total_cmp(b.1))
        .unwrap();
    assert!((12..=13).contains(&best));
}
