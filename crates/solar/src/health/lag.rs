//! The day on which a logger began to fall behind its peers.
//!
//! The daily ratios of its yield per capacity to the median of its peers' are cut into stretches of
//! a constant level. A stretch is cut at the day that reduces the sum of the absolute deviations
//! from the medians of both parts the most, as long as the two medians differ by more than chance
//! explains. Medians and absolute deviations ignore single odd days; missing days do not matter,
//! because only the order of the days counts.

use chrono::NaiveDate;

use crate::stats;

/// Minimum number of days of a stretch: a week has different weather.
const SHORTEST: usize = 7;

/// Minimum change of the level between two stretches, as a share of the larger level.
const STEP: f64 = 0.05;

/// Minimum change, in standard errors of the difference of two medians.
const BEYOND_CHANCE: f64 = 4.0;

/// The standard error of a median, in standard deviations over the root of the number of values.
const MEDIAN_ERROR: f64 = 1.2533;

/// A logger that falls by more than this from its level before lags, as in a comparison.
const FALL: f64 = 0.1;

/// A logger that was below its peers by more than this on all days lags; the planes of roofs
/// explain less.
const ALWAYS_BEHIND: f64 = 0.15;

/// Whether a logger fell behind its peers, and since when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lag {
    /// Whether it is behind on the last days.
    pub lags: bool,
    /// The first day on which it is behind; `None` if it is not, or has been on all days.
    pub since: Option<NaiveDate>,
    /// The median ratio before that day, since the change before it.
    pub before: Option<f64>,
    /// The median ratio since that day; of a logger that is not behind since the last change.
    pub after: f64,
    /// The first day that was compared.
    pub first: NaiveDate,
    /// Number of days that were compared.
    pub days: usize,
}

/// Days of one level: the places of the first one and of the one behind the last.
#[derive(Clone, Copy)]
struct Stretch {
    start: usize,
    end: usize,
    level: f64,
}

impl Lag {
    /// Of the daily ratios of a logger, in order. Ratios that are not `sized` have no meaning in
    /// themselves and only show changes.
    pub(super) fn of(days: &[(NaiveDate, f64)], sized: bool) -> Option<Self> {
        if days.len() < 2 * SHORTEST {
            return None;
        }
        let ratios: Vec<f64> = days.iter().map(|(_, ratio)| *ratio).collect();
        let stretches = stretches(&ratios);
        let last = stretches.last()?;
        let none = Self {
            lags: false,
            since: None,
            before: None,
            after: last.level,
            first: days.first()?.0,
            days: days.len(),
        };
        let best = stretches
            .iter()
            .fold(0.0_f64, |best, stretch| best.max(stretch.level));
        if last.level < (1.0 - FALL) * best {
            // The stretches at the end that are all below the level that it had.
            let good = |stretch: &&Stretch| stretch.level >= (1.0 - STEP) * best;
            let before = stretches.iter().rev().find(good)?;
            return Some(Self {
                lags: true,
                since: Some(days.get(before.end)?.0),
                before: Some(before.level),
                after: median(&ratios[before.end..]),
                ..none
            });
        }
        let all = median(&ratios);
        if sized && last.level < 1.0 - ALWAYS_BEHIND && all < 1.0 - ALWAYS_BEHIND {
            return Some(Self {
                lags: true,
                after: all,
                ..none
            });
        }
        Some(none)
    }
}

fn median(values: &[f64]) -> f64 {
    stats::median(&mut values.to_vec()).unwrap_or(0.0)
}

/// The stretches of a constant level, in order.
fn stretches(values: &[f64]) -> Vec<Stretch> {
    let mut cuts = vec![0, values.len()];
    let mut open = vec![(0, values.len())];
    while let Some((start, end)) = open.pop() {
        if let Some(cut) = cut(&values[start..end]).map(|cut| start + cut) {
            cuts.push(cut);
            open.extend([(start, cut), (cut, end)]);
        }
    }
    cuts.sort_unstable();
    cuts.windows(2)
        .map(|pair| Stretch {
            start: pair[0],
            end: pair[1],
            level: median(&values[pair[0]..pair[1]]),
        })
        .filter(|stretch| stretch.start < stretch.end)
        .collect()
}

/// The place at which the level changes most, if that is beyond chance.
fn cut(values: &[f64]) -> Option<usize> {
    if values.len() < 2 * SHORTEST {
        return None;
    }
    let left = deviations(values.iter().copied());
    let right = deviations(values.iter().rev().copied());
    let both = |cut: usize| left[cut] + right[values.len() - cut];
    let cut = (SHORTEST..=values.len() - SHORTEST).min_by(|a, b| both(*a).total_cmp(&both(*b)))?;
    let (before, after) = values.split_at(cut);
    let (low, high) = (median(before), median(after));
    let step = (high - low).abs();
    let mut residuals: Vec<f64> = before
        .iter()
        .map(|value| (value - low).abs())
        .chain(after.iter().map(|value| (value - high).abs()))
        .collect();
    let spread = stats::spread(&mut residuals);
    let counts = 1.0 / before.len() as f64 + 1.0 / after.len() as f64;
    let error = MEDIAN_ERROR * spread * counts.sqrt();
    (step > STEP * low.max(high) && step > BEYOND_CHANCE * error).then_some(cut)
}

/// For each number of first values, the sum of their absolute deviations from their median.
fn deviations(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sorted: Vec<f64> = Vec::new();
    let mut sums = vec![0.0];
    for value in values {
        let at = sorted.partition_point(|other| *other < value);
        sorted.insert(at, value);
        let (low, high) = (sorted.len() / 2, sorted.len().div_ceil(2));
        let above: f64 = sorted[high..].iter().sum();
        let below: f64 = sorted[..low].iter().sum();
        sums.push(above - below);
    }
    sums
}
