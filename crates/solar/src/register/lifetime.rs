//! Energy of a day from a counter that is never reset.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{POSSIBLE_PEAKS, Pace};
use crate::stats;

/// The energy of the longest summer days, as hours of peak power.
const USUAL_SUN_HOURS: f64 = 10.0;

/// A lifetime register that stood still has caught up when it rises at once by this share of what
/// was counted in the meantime.
const CAUGHT_UP: f64 = 0.5;

/// The last valid reading of a lifetime register before a day, and its local day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifetimeReading {
    /// The local day of the reading.
    pub date: NaiveDate,
    /// kWh.
    pub kwh: f64,
    /// Energy of the days until now that something else counted, because the register stood still
    /// or sent nothing, kWh. A register that catches up counts it once more.
    #[serde(default)]
    pub ahead_kwh: f64,
}

/// The figures of a lifetime register for one day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LifetimeDay {
    /// Energy of the day; `None` without valid readings or when suspect.
    pub(crate) energy_kwh: Option<f64>,
    /// Gained over lost days before this one.
    pub(crate) unallocated_kwh: f64,
    /// The register fell, or rose more than possible.
    pub(crate) suspect: bool,
    /// The last valid reading.
    pub(crate) last_kwh: Option<f64>,
    /// What remains of the energy that something else counted, if the register stands still today,
    /// too.
    pub(crate) ahead_kwh: f64,
}

/// Energy of a local day from the readings (time, kWh) of a lifetime register. `midnight` opens
/// the day, and `power_kwh` is what its power comes to.
///
/// After days on which it stood still, the register continues from where it stood, or it catches up
/// at once. In the second case the energy of these days was counted already, and is not of this
/// one.
pub(crate) fn lifetime_energy(
    readings: &[(i64, f64)],
    (date, midnight): (NaiveDate, i64),
    before: Option<LifetimeReading>,
    power_kwh: f64,
    robust_peak_w: f64,
) -> LifetimeDay {
    let shown: Vec<f64> = readings.iter().map(|(_, kwh)| *kwh).collect();
    let Some((first, last)) = valid_ends(&shown) else {
        return LifetimeDay::default();
    };
    let most_per_day = if robust_peak_w > 0.0 {
        POSSIBLE_PEAKS * USUAL_SUN_HOURS * robust_peak_w / 1000.0
    } else {
        f64::INFINITY
    };
    let possible = |rise: f64, days: i64| rise >= 0.0 && rise <= most_per_day * days as f64;
    let yesterday = before.filter(|reading| reading.date.succ_opt() == Some(date));
    let mut ahead = before.map_or(0.0, |reading| reading.ahead_kwh);
    let gap = before.filter(|_| yesterday.is_none()).map(|reading| {
        let gained = first - reading.kwh;
        let counted = ahead;
        if gained >= CAUGHT_UP * ahead {
            ahead = 0.0;
        }
        if possible(gained - counted, (date - reading.date).num_days()) {
            gained - counted
        } else {
            0.0
        }
    });
    let opened = yesterday.map_or(first, |reading| reading.kwh);
    let mut rise = last - opened;
    if ahead > 0.0 {
        let (at_once, seconds) = largest_rise((midnight, opened), readings, &shown);
        let unlikely = !Pace::of(robust_peak_w).made(at_once - 1.0, seconds);
        let beyond = rise >= power_kwh + CAUGHT_UP * ahead;
        if at_once >= CAUGHT_UP * ahead && (unlikely || beyond) {
            rise = (rise - ahead).max(0.0);
            ahead = 0.0;
        }
    }
    let suspect = !possible(rise, 1);
    LifetimeDay {
        energy_kwh: (!suspect).then_some(rise),
        unallocated_kwh: gap.unwrap_or(0.0),
        suspect,
        last_kwh: Some(last),
        ahead_kwh: ahead,
    }
}

/// The largest rise between two readings that agree with those around them, and the seconds
/// between them.
fn largest_rise(opened: (i64, f64), readings: &[(i64, f64)], shown: &[f64]) -> (f64, i64) {
    let (mut before, mut largest) = (opened, (0.0_f64, 0));
    for (at, &(time, kwh)) in readings.iter().enumerate() {
        if !agrees(shown, at) {
            continue;
        }
        if kwh - before.1 > largest.0 {
            largest = (kwh - before.1, time - before.0);
        }
        before = (time, kwh);
    }
    largest
}

/// First and last reading that agree with the running median of five.
fn valid_ends(readings: &[f64]) -> Option<(f64, f64)> {
    let first = (0..readings.len()).find(|&i| agrees(readings, i))?;
    let last = (0..readings.len()).rev().find(|&i| agrees(readings, i))?;
    Some((readings[first], readings[last]))
}

fn agrees(readings: &[f64], at: usize) -> bool {
    let window = &readings[at.saturating_sub(2)..readings.len().min(at + 3)];
    let mut sorted = [0.0; 5];
    let sorted = &mut sorted[..window.len()];
    sorted.copy_from_slice(window);
    let median = stats::median(sorted).unwrap_or(f64::NAN);
    let value = readings[at];
    value > 0.0 && (value - median).abs() <= 0.02 * median + 50.0
}
