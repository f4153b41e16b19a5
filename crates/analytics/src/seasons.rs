//! Seasonality of a series: the phases of a calendar cycle, after the trend is removed.

use crate::calendar::{Cycle, Series};
use crate::compare::{Test, kruskal_wallis};
use crate::describe::Moments;
use crate::order::{median, median_of};

/// The significance level of the test for differences between the phases of a cycle.
pub const LEVEL: f64 = 0.01;
/// Minimum number of cycles that a series must cover.
const CYCLES: usize = 2;

/// A series as trend, season and what remains.
#[derive(Debug, Clone, PartialEq)]
pub struct Decomposition {
    /// The slow movement of the series.
    pub trend: Vec<f64>,
    /// The part that repeats with the cycle.
    pub seasonal: Vec<f64>,
    /// The rest after trend and season; NaN where the series has no value.
    pub remainder: Vec<f64>,
}

/// A seasonal pattern found in a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    /// The calendar cycle that the pattern follows.
    pub cycle: Cycle,
    /// The autocorrelation of the detrended series at a lag of one cycle; `None` when too few pairs
    /// have values.
    pub autocorrelation: Option<f64>,
    /// 1 − variance of the remainder ÷ variance of season and remainder (Wang, Smith & Hyndman
    /// 2006).
    pub strength: f64,
    /// The test for differences between the phases of the detrended series.
    pub test: Test,
    /// The phases that have values, in calendar order.
    pub profile: Vec<Phase>,
    /// The series split into trend, season and remainder.
    pub decomposition: Decomposition,
}

/// One phase of a cycle, with figures of the original series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Phase {
    /// The number of the phase, from 0.
    pub phase: usize,
    /// Number of values in the phase.
    pub count: usize,
    /// The mean of these values.
    pub mean: f64,
    /// The median of these values.
    pub median: f64,
}

/// The season of a series, if it has one: its phases differ at [`LEVEL`], and values one cycle
/// apart correlate. The series must have the interval of the cycle and cover at least two cycles.
pub fn season(series: &Series, cycle: Cycle) -> Option<Season> {
    if series.interval != cycle.interval() || series.values.len() < CYCLES * cycle.phases() {
        return None;
    }
    let phases: Vec<usize> = series
        .starts
        .iter()
        .map(|start| cycle.phase(*start))
        .collect();
    let decomposition = decompose(&series.values, &phases, cycle.phases())?;
    let detrended: Vec<f64> = series
        .values
        .iter()
        .zip(&decomposition.trend)
        .map(|(value, trend)| value - trend)
        .collect();
    let by_phase: Vec<Vec<f64>> = by_phase(&detrended, &phases, cycle.phases())
        .into_iter()
        .filter(|values| values.len() >= CYCLES)
        .collect();
    let groups: Vec<&[f64]> = by_phase.iter().map(Vec::as_slice).collect();
    let test = kruskal_wallis(&groups).filter(|test| test.p < LEVEL)?;
    let (autocorrelation, pairs) = autocorrelation(&detrended, cycle.phases());
    let is_weak = |correlation: f64| correlation < 1.96 / (pairs as f64).sqrt();
    if autocorrelation.is_some_and(is_weak) {
        return None;
    }
    Some(Season {
        cycle,
        autocorrelation,
        strength: strength(&decomposition),
        test,
        profile: profile(&series.values, &phases, cycle.phases()),
        decomposition,
    })
}

/// Splits values into trend and season by turns, as STL does (Cleveland et al. 1990), with a
/// constant season. The trend is a line through the surrounding values by weighted least squares.
/// The season is the median of each phase after the trend is removed. Returns `None` when fewer
/// than half of the phases have two values.
pub fn decompose(values: &[f64], phases: &[usize], count: usize) -> Option<Decomposition> {
    const ROUNDS: usize = 2;
    let known = by_phase(values, phases, count);
    if known.iter().filter(|values| values.len() >= CYCLES).count() * 2 < count.max(4) {
        return None;
    }
    let reach = count + count.div_ceil(2);
    let mut seasonal = vec![0.0; values.len()];
    let mut trend = Vec::new();
    for _ in 0..ROUNDS {
        let without_season: Vec<f64> = values
            .iter()
            .zip(&seasonal)
            .map(|(value, season)| value - season)
            .collect();
        trend = smooth(&without_season, reach);
        let without_trend: Vec<f64> = values
            .iter()
            .zip(&trend)
            .map(|(value, trend)| value - trend)
            .collect();
        let mut typical: Vec<f64> = by_phase(&without_trend, phases, count)
            .iter_mut()
            .map(|values| median_of(values).unwrap_or(0.0))
            .collect();
        let centre = typical.iter().sum::<f64>() / count as f64;
        for value in &mut typical {
            *value -= centre;
        }
        seasonal = phases.iter().map(|phase| typical[*phase]).collect();
    }
    let remainder = values
        .iter()
        .zip(trend.iter().zip(&seasonal))
        .map(|(value, (trend, season))| value - trend - season)
        .collect();
    Some(Decomposition {
        trend,
        seasonal,
        remainder,
    })
}

/// For each index, the value of a line through the surrounding values, by least squares with
/// tricube weights (Cleveland 1979). Falls back to the median of all values where fewer than two
/// surround it.
fn smooth(values: &[f64], reach: usize) -> Vec<f64> {
    let mut known: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    let everywhere = median_of(&mut known).unwrap_or(0.0);
    let weights: Vec<f64> = (0..=reach)
        .map(|distance| (1.0 - (distance as f64 / (reach + 1) as f64).powi(3)).powi(3))
        .collect();
    (0..values.len())
        .map(|place| {
            let from = place.saturating_sub(reach);
            let to = (place + reach + 1).min(values.len());
            let (mut w, mut wx, mut wy, mut wxx, mut wxy) = (0.0, 0.0, 0.0, 0.0, 0.0);
            for (at, value) in values.iter().enumerate().take(to).skip(from) {
                if value.is_nan() {
                    continue;
                }
                let weight = weights[at.abs_diff(place)];
                let (x, y) = (at as f64 - place as f64, value - everywhere);
                w += weight;
                wx += weight * x;
                wy += weight * y;
                wxx += weight * x * x;
                wxy += weight * x * y;
            }
            let spread = w * wxx - wx * wx;
            if spread > 1e-9 * w * w {
                everywhere + (wxx * wy - wx * wxy) / spread
            } else {
                everywhere
            }
        })
        .collect()
}

fn by_phase(values: &[f64], phases: &[usize], count: usize) -> Vec<Vec<f64>> {
    let mut of_phases = vec![Vec::new(); count];
    for (value, phase) in values.iter().zip(phases) {
        if !value.is_nan() {
            of_phases[*phase].push(*value);
        }
    }
    of_phases
}

/// The autocorrelation at a lag over the pairs that have values, and the number of these pairs.
/// `None` with fewer than ten pairs.
fn autocorrelation(values: &[f64], lag: usize) -> (Option<f64>, usize) {
    const LEAST: usize = 10;
    let known: Vec<f64> = values
        .iter()
        .copied()
        .filter(|value| !value.is_nan())
        .collect();
    let Some(moments) = Moments::of(&known) else {
        return (None, 0);
    };
    let pairs: Vec<f64> = values
        .iter()
        .zip(values.iter().skip(lag))
        .filter(|(one, other)| !one.is_nan() && !other.is_nan())
        .map(|(one, other)| (one - moments.mean) * (other - moments.mean))
        .collect();
    let variance = moments.squares / moments.count;
    if pairs.len() < LEAST || variance <= 0.0 {
        return (None, pairs.len());
    }
    let covariance = pairs.iter().sum::<f64>() / pairs.len() as f64;
    (Some((covariance / variance).clamp(-1.0, 1.0)), pairs.len())
}

fn strength(decomposition: &Decomposition) -> f64 {
    let known = |value: &f64| !value.is_nan();
    let remainder: Vec<f64> = decomposition
        .remainder
        .iter()
        .copied()
        .filter(known)
        .collect();
    let both: Vec<f64> = decomposition
        .remainder
        .iter()
        .zip(&decomposition.seasonal)
        .map(|(remainder, season)| remainder + season)
        .filter(known)
        .collect();
    match (Moments::of(&remainder), Moments::of(&both)) {
        (Some(remainder), Some(both)) if both.squares > 0.0 => {
            (1.0 - remainder.squares / both.squares).clamp(0.0, 1.0)
        }
        _ => 0.0,
    }
}

fn profile(values: &[f64], phases: &[usize], count: usize) -> Vec<Phase> {
    by_phase(values, phases, count)
        .into_iter()
        .enumerate()
        .filter_map(|(phase, mut values)| {
            values.sort_by(f64::total_cmp);
            Some(Phase {
                phase,
                count: values.len(),
                mean: Moments::of(&values)?.mean,
                median: median(&values)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use chrono_tz::Tz;
    use proptest::prelude::*;

    use super::*;
    use crate::calendar::{Interval, means};
    use crate::column::Column;
    use crate::noise::Noise;

    /// A value per day from Wednesday, 1 January 2025 on.
    fn daily(values: Vec<f64>) -> Series {
        let times: Vec<Option<DateTime<Utc>>> = (0..values.len())
            .map(|day| {
                DateTime::from_timestamp(1_735_689_600 + 86_400 * i64::try_from(day).unwrap(), 0)
            })
            .collect();
        means(&times, &Column::new(values), Tz::UTC, Interval::Day, 5_000).unwrap()
    }

    fn weekly(seed: u64, days: usize, height: f64) -> Vec<f64> {
        let mut noise = Noise::of(seed);
        // Day 5 of the series is a Monday.
        (0..days)
            .map(|day| noise.normal() + 0.05 * day as f64 + if day % 7 == 5 { height } else { 0.0 })
            .collect()
    }

    #[test]
    fn mondays_are_found_on_a_slope_and_the_remainder_has_neither() {
        let found = season(&daily(weekly(1, 84, 4.0)), Cycle::DayOfWeek).unwrap();
        let best = found
            .profile
            .iter()
            .max_by(|a, b| a.mean.total_cmp(&b.mean))
            .unwrap();
        assert_eq!(Cycle::DayOfWeek.phase_name(best.phase), "Monday");
        assert!(found.strength > 0.4, "{}", found.strength);
        assert!(found.autocorrelation.unwrap() > 0.3);
        let remainder = Moments::of(&found.decomposition.remainder).unwrap();
        assert!(remainder.mean.abs() < 0.3 && remainder.sd().unwrap() < 1.3);
    }

    #[test]
    fn short_series_constants_and_other_intervals_have_no_season() {
        assert_eq!(season(&daily(weekly(1, 13, 9.0)), Cycle::DayOfWeek), None);
        assert_eq!(season(&daily(weekly(1, 84, 9.0)), Cycle::MonthOfYear), None);
        assert_eq!(season(&daily(vec![0.1; 60]), Cycle::DayOfWeek), None);
        let mut gaps = weekly(1, 84, 9.0);
        for (day, value) in gaps.iter_mut().enumerate() {
            if day % 7 > 2 && day > 0 && day < 83 {
                *value = f64::NAN;
            }
        }
        assert_eq!(season(&daily(gaps), Cycle::DayOfWeek), None);
    }

    #[test]
    fn noise_rarely_has_a_season() {
        for days in [30, 120] {
            let found = (0..400)
                .filter(|seed| {
                    season(&daily(Noise::of(*seed).normals(days)), Cycle::DayOfWeek).is_some()
                })
                .count();
            assert!(found <= 8, "{found} of 400, {days} days");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn a_planted_week_is_found_whatever_the_unit(seed in 0_u64..1_000, scale in 0.01..100.0_f64, shift in -1e3..1e3_f64) {
            let values = weekly(seed, 98, 6.0);
            let found = season(&daily(values.clone()), Cycle::DayOfWeek).unwrap();
            let moved = season(&daily(values.iter().map(|x| x * scale + shift).collect()), Cycle::DayOfWeek).unwrap();
            prop_assert!((found.strength - moved.strength).abs() < 1e-6);
            prop_assert!((found.test.p - moved.test.p).abs() < 1e-9);
        }

        #[test]
        fn no_input_makes_it_fail(values in prop::collection::vec(prop::num::f64::ANY, 0..90)) {
            let column = Column::new(values);
            if column.count() > 0 {
                let phases: Vec<usize> = (0..column.values().len()).map(|place| place % 7).collect();
                if let Some(found) = decompose(column.values(), &phases, 7) {
                    prop_assert_eq!(found.trend.len(), column.values().len());
                }
            }
        }
    }
}
