//! The chart of a comparison: loggers on one time axis.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::calendar;
use crate::calibration::Calibration;
use crate::clean::Limits;
use crate::context::LoggerContext;
use crate::curve::{bucket_end, bucket_seconds};
use crate::days::DayFigures;
use crate::energy::{Step, adjacent, step_energy};
use crate::stats;

/// One logger of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Its readings in the range compared.
    pub series: &'a crate::Series,
    /// Its days in the range: an energy curve ends each day at the energy of the day.
    pub days: &'a [DayFigures],
    /// Its long-run figures.
    pub calibration: &'a Calibration,
    /// The context of the logger.
    pub context: &'a LoggerContext,
}

/// The quantity of a comparison chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Mean power, W.
    Power,
    /// Energy since the start of the range, kWh.
    Energy,
    /// Mean irradiance, W/m2.
    Irradiance,
}

/// The points of a comparison chart: one row per time, one column per logger.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AlignedChart {
    /// Seconds since 1970: a common time stamp, or the end of a bucket.
    pub times: Vec<i64>,
    /// Per logger one value per time; `None` where it has none.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Puts loggers on one time axis of at most `most` points. With equal steps and few points the axis
/// is the time stamps themselves, otherwise time buckets. Of times at which no logger has a value,
/// one is kept, as a gap.
pub fn align(loggers: &[Candidate<'_>], metric: Metric, most: usize) -> AlignedChart {
    let Some(first) = loggers.first() else {
        return AlignedChart::default();
    };
    let mut times: Vec<i64> = loggers
        .iter()
        .flat_map(|logger| logger.series.time())
        .copied()
        .collect();
    times.sort_unstable();
    times.dedup();
    let unequal = loggers
        .iter()
        .map(|logger| logger.calibration.step_hours)
        .filter(|step| (step - first.calibration.step_hours).abs() > 1e-9)
        .fold(None, |longest: Option<f64>, step| {
            Some(longest.map_or(step, |l| l.max(step)))
        });
    let steps =
        unequal.map(|step| stats::to_index(step.max(first.calibration.step_hours) * 3600.0));
    let longest_step = steps.and_then(|seconds| i64::try_from(seconds).ok());
    let bucket = bucket_seconds(&times, most).max(longest_step.filter(|seconds| *seconds > 0));
    if let Some(seconds) = bucket {
        for time in &mut times {
            *time = bucket_end(*time, seconds, first.context);
        }
        times.dedup();
    }
    let values: Vec<Vec<Option<f64>>> = loggers
        .iter()
        .map(|logger| on_axis(logger, metric, &times))
        .collect();
    without_empty_runs(&times, &values)
}

fn without_empty_runs(times: &[i64], values: &[Vec<Option<f64>>]) -> AlignedChart {
    let empty = |row: usize| values.iter().all(|column| column[row].is_none());
    let kept: Vec<usize> = (0..times.len())
        .filter(|&row| !empty(row) || (row > 0 && !empty(row - 1)))
        .collect();
    AlignedChart {
        times: kept.iter().map(|&row| times[row]).collect(),
        values: values
            .iter()
            .map(|column| kept.iter().map(|&row| column[row]).collect())
            .collect(),
    }
}

/// The values of a logger in the intervals that end at each of `times`.
fn on_axis(logger: &Candidate<'_>, metric: Metric, times: &[i64]) -> Vec<Option<f64>> {
    let of_rows = match metric {
        Metric::Power => power(logger),
        Metric::Irradiance => logger.series.irradiance().to_vec(),
        Metric::Energy => running_energy(logger),
    };
    let mut row = 0;
    let mut values = Vec::with_capacity(times.len());
    for &end in times {
        let (mut sum, mut count, mut last) = (0.0, 0_u32, None);
        while row < of_rows.len() && logger.series.time()[row] <= end {
            let value = of_rows[row];
            if value.is_finite() {
                (sum, count, last) = (sum + value, count + 1, Some(value));
            }
            row += 1;
        }
        values.push(if metric == Metric::Energy {
            last
        } else {
            (count > 0).then(|| sum / f64::from(count))
        });
    }
    values
}

fn power(logger: &Candidate<'_>) -> Vec<f64> {
    let limits = Limits::of(logger.calibration.robust_peak_w);
    logger
        .series
        .power_w()
        .iter()
        .map(|&p| limits.clean(p))
        .collect()
}

/// Energy since the start of the range at each reading, kWh; NaN at readings without power. It
/// rises as the power says, and ends each day at what the days come to.
fn running_energy(logger: &Candidate<'_>) -> Vec<f64> {
    let power = power(logger);
    let time = logger.series.time();
    let energies: BTreeMap<NaiveDate, f64> = logger
        .days
        .iter()
        .filter_map(|day| day.energy().map(|(kwh, _)| (day.date, kwh)))
        .collect();
    let mut running = vec![f64::NAN; power.len()];
    let (mut before_kwh, mut previous) = (0.0, None);
    for (span, rows) in calendar::split_days(time, logger.context.zone) {
        let mut wh = 0.0;
        for row in rows.clone() {
            if power[row].is_nan() {
                continue;
            }
            let sample = (time[row], power[row]);
            let step = previous.replace(sample).map(|from| {
                step_energy(
                    from,
                    sample,
                    logger.calibration.step_hours,
                    logger.context.label,
                )
            });
            if let Some(Step::Energy { wh: step, .. }) = step {
                wh += step;
            }
            running[row] = wh;
        }
        let day_kwh = energies.get(&span.first).copied().unwrap_or(0.0);
        for value in &mut running[rows.clone()] {
            *value = before_kwh
                + if wh > 0.0 {
                    day_kwh * *value / wh
                } else {
                    0.0 * *value
                };
        }
        before_kwh += day_kwh;
        let measured = rows.clone().rev().find(|&row| power[row].is_finite());
        let last = measured.or_else(|| (day_kwh > 0.0).then(|| rows.end - 1));
        if let Some(last) = last {
            running[last] = before_kwh;
        }
    }
    running
}

/// The time stamps of the slowest logger over whose step every logger has a valid power.
///
/// The time stamps of the logger with the longest step are the grid, so loggers with different
/// steps, or clocks that are seconds apart, are looked at without being resampled.
pub fn common_records(loggers: &[Candidate<'_>]) -> u32 {
    let slowest = loggers.iter().max_by(|a, b| {
        a.calibration
            .step_hours
            .total_cmp(&b.calibration.step_hours)
    });
    let Some(slowest) = slowest else { return 0 };
    let grid = slowest.series.time();
    let measured: Vec<Vec<bool>> = loggers
        .iter()
        .map(|logger| measured(logger, grid, slowest.calibration.step_hours))
        .collect();
    let common = (0..grid.len())
        .filter(|&interval| measured.iter().all(|logger| logger[interval]))
        .count();
    u32::try_from(common).unwrap_or(u32::MAX)
}

/// Whether a logger measured all of the interval that ends at each grid stamp.
fn measured(logger: &Candidate<'_>, grid: &[i64], step_hours: f64) -> Vec<bool> {
    let power = power(logger);
    let mut samples = logger
        .series
        .time()
        .iter()
        .copied()
        .zip(power)
        .filter(|(_, power)| !power.is_nan())
        .peekable();
    let mut previous = None;
    let mut measured = Vec::with_capacity(grid.len());
    for (index, &end) in grid.iter().enumerate() {
        let (mut any, mut hole) = (false, false);
        while let Some(sample) = samples.next_if(|(time, _)| *time <= end) {
            any = true;
            hole |= previous.is_some_and(|from| {
                let step = logger.calibration.step_hours;
                matches!(
                    step_energy(from, sample, step, logger.context.label),
                    Step::Hole { .. }
                )
            });
            previous = Some(sample);
        }
        let after_gap = index > 0 && !adjacent(grid[index - 1], end, step_hours);
        measured.push(any && !hole && !after_gap);
    }
    measured
}
