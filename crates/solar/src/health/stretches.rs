//! Stretches of days on which a logger made clearly less than was expected, in a window that may be
//! sound as a whole.
//!
//! Each day has the ratio of its energy to the expected one. A stretch is the run of days whose
//! ratios are below the threshold by the largest sum; the search continues on both sides of it. A
//! stretch counts if most of its days are below the threshold, and if it is below the level of the
//! logger's other days by more than their spread explains.

use chrono::NaiveDate;

use crate::stats;

/// Minimum number of days of a stretch: a single day has clouds of its own.
const SHORTEST: usize = 3;

/// Minimum number of other days that say what is usual.
const FEWEST_OTHERS: usize = 5;

/// Minimum distance from the usual level, as a multiple of the spread of the other days.
const BEYOND_CHANCE: f64 = 3.0;

/// Minimum change from the usual level, as a share of it.
const CHANGE: f64 = 0.1;

/// The energy of a day against the expected one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day {
    pub(super) date: NaiveDate,
    pub(super) made: f64,
    pub(super) expected: f64,
}

impl Day {
    fn ratio(&self) -> f64 {
        self.made / self.expected
    }
}

/// The ratio of all these days.
pub(super) fn ratio(days: &[Day]) -> f64 {
    let expected = total(days, |day| day.expected);
    if expected > 0.0 {
        total(days, |day| day.made) / expected
    } else {
        1.0
    }
}

/// The sum of a figure of these days.
pub(super) fn total(days: &[Day], figure: impl Fn(&Day) -> f64) -> f64 {
    days.iter().map(figure).sum()
}

/// The stretches of these days, in order, whose ratio is below the threshold. `others` are the
/// ratios of the days around the window.
pub(super) fn below<'d>(days: &'d [Day], others: &[f64], threshold: f64) -> Vec<&'d [Day]> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut open = vec![(0, days.len())];
    while let Some((start, end)) = open.pop() {
        let Some((from, to)) = lowest(&days[start..end], threshold) else {
            continue;
        };
        let (from, to) = (start + from, start + to);
        if is_stretch(&days[from..to], threshold) {
            found.push((from, to));
        }
        open.extend([(start, from), (to, end)]);
    }
    found.sort_unstable();
    let mut usual: Vec<f64> = days
        .iter()
        .enumerate()
        .filter(|(place, _)| !found.iter().any(|(from, to)| (from..to).contains(&place)))
        .map(|(_, day)| day.ratio())
        .chain(others.iter().copied())
        .collect();
    if usual.len() < FEWEST_OTHERS {
        return Vec::new();
    }
    let level = stats::median(&mut usual).unwrap_or(1.0);
    let mut distances: Vec<f64> = usual.iter().map(|ratio| (ratio - level).abs()).collect();
    let spread = stats::spread(&mut distances);
    let least = (CHANGE * level).max(BEYOND_CHANCE * spread);
    found
        .into_iter()
        .map(|(from, to)| &days[from..to])
        .filter(|stretch| level - ratio(stretch) > least)
        .collect()
}

/// The run of days that is below the threshold by the largest sum; two days in a row that are not
/// below end it. `None` if no day is below.
fn lowest(days: &[Day], threshold: f64) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    let (mut sum, mut start) = (0.0, 0);
    let mut was_low = true;
    for (place, day) in days.iter().enumerate() {
        let is_low = day.ratio() < threshold;
        if sum <= 0.0 || !is_low && !was_low {
            (sum, start) = (0.0, place);
        }
        was_low = is_low;
        sum += threshold - day.ratio();
        if sum > best.map_or(0.0, |(sum, ..)| sum) {
            best = Some((sum, start, place + 1));
        }
    }
    best.map(|(_, start, end)| (start, end))
}

fn is_stretch(days: &[Day], threshold: f64) -> bool {
    let below = days.iter().filter(|day| day.ratio() < threshold).count();
    below >= SHORTEST && 3 * below >= 2 * days.len() && ratio(days) < threshold
}
