//! Energy of a day from a counter that is never reset.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::{BACK_SHARE, POSSIBLE_PEAKS, Pace};
use crate::stats;

/// The energy of the longest summer days, as hours of peak power.
const USUAL_SUN_HOURS: f64 = 10.0;

/// A lifetime register that stood still has caught up when it rises at once by this share of what
/// was counted in the meantime.
const CAUGHT_UP: f64 = 0.5;

/// A register without power beside it that shows its old count again within this time fell by a
/// glitch.
const GLITCH_SECONDS: i64 = 3600;

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
    /// Energy of the day; `None` without valid readings, or when it is suspect and the power counts
    /// more.
    pub(crate) energy_kwh: Option<f64>,
    /// Gained over lost days before this one.
    pub(crate) unallocated_kwh: f64,
    /// The register was reset or replaced: it fell, or rose more than possible. What it gained in
    /// that step is not known.
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
///
/// After a reset the register counts on from what it shows then. The energy of the day is what it
/// counted before and after; the step over the reset is left out. Where the power counts more than
/// that, the power is trusted.
pub(crate) fn lifetime_energy(
    readings: &[(i64, f64)],
    (date, midnight): (NaiveDate, i64),
    before: Option<LifetimeReading>,
    power_kwh: f64,
    robust_peak_w: f64,
) -> LifetimeDay {
    let valid = valid(readings);
    let (Some(&(first_at, first)), Some(&(_, last))) = (valid.first(), valid.last()) else {
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
    let opened = yesterday.map_or((first_at, first), |reading| (midnight, reading.kwh));
    let pace = Pace::of(robust_peak_w);
    let mut count = Count::of(opened, &valid, &pace, false);
    if ahead > 0.0 && !count.is_reset {
        let (at_once, seconds) = largest_rise((midnight, opened.1), &valid);
        let unlikely = !pace.made(at_once - 1.0, seconds);
        let beyond = count.kwh >= power_kwh + CAUGHT_UP * ahead;
        if at_once >= CAUGHT_UP * ahead && (unlikely || beyond) {
            count.kwh = (count.kwh - ahead).max(0.0);
            ahead = 0.0;
        }
    }
    if !possible(count.kwh, 1) {
        count = Count::of(opened, &valid, &pace, true);
    }
    let is_possible = possible(count.kwh, 1);
    let suspect = count.is_reset || !is_possible;
    let is_trusted = !suspect || (is_possible && count.kwh >= power_kwh);
    LifetimeDay {
        energy_kwh: is_trusted.then_some(count.kwh),
        unallocated_kwh: gap.unwrap_or(0.0),
        suspect,
        last_kwh: Some(last),
        ahead_kwh: if count.is_reset { 0.0 } else { ahead },
    }
}

/// The energy that a register counted over a day.
struct Count {
    kwh: f64,
    /// It began again, or another one continued.
    is_reset: bool,
}

impl Count {
    /// Counts from the reading that opens the day. With `refuses`, a rise that nothing can have
    /// made is a reset as well: to a count that is not zero, or by another device.
    fn of(opened: (i64, f64), valid: &[(i64, f64)], pace: &Pace, refuses: bool) -> Self {
        let mut count = Self {
            kwh: 0.0,
            is_reset: false,
        };
        // The last reading, the one before it, and the one that the count continues from.
        let (mut last, mut before, mut start) = (opened, opened.1, opened.1);
        let mut row = 0;
        while let Some(&(time, kwh)) = valid.get(row) {
            // A register that was too high for one reading does not fall below the one before.
            let falls = kwh < BACK_SHARE * before.min(last.1);
            row += 1;
            if falls && let Some(more) = back_from_glitch(&valid[row - 1..], last.1, pace) {
                row += more;
                continue;
            }
            if falls || (refuses && !pace.allows(kwh - last.1, time - last.0)) {
                count.kwh += last.1 - start;
                count.is_reset = true;
                (before, start) = (kwh, kwh);
            } else {
                before = last.1;
            }
            last = (time, kwh);
        }
        count.kwh += last.1 - start;
        count
    }
}

/// Number of readings after the first of these, which fell, that are of a glitch as well: after
/// them the register shows what it showed before, at a pace that nothing makes. `None` if it was
/// reset.
fn back_from_glitch(fallen: &[(i64, f64)], level: f64, pace: &Pace) -> Option<usize> {
    let &(fell, _) = fallen.first()?;
    fallen.windows(2).position(|pair| {
        let ((from, low), (to, high)) = (pair[0], pair[1]);
        let at_once = if pace.is_known() {
            !pace.allows(high - low, to - from)
        } else {
            to - fell <= GLITCH_SECONDS
        };
        high >= BACK_SHARE * level && at_once
    })
}

/// The largest rise between two readings, and the seconds between them.
fn largest_rise(opened: (i64, f64), valid: &[(i64, f64)]) -> (f64, i64) {
    let (mut before, mut largest) = (opened, (0.0_f64, 0));
    for &(time, kwh) in valid {
        if kwh - before.1 > largest.0 {
            largest = (kwh - before.1, time - before.0);
        }
        before = (time, kwh);
    }
    largest
}

/// The readings that agree with those around them.
fn valid(readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
    let shown: Vec<f64> = readings.iter().map(|(_, kwh)| *kwh).collect();
    let agreeing = (0..shown.len()).filter(|&at| agrees(&shown, at));
    agreeing.map(|at| readings[at]).collect()
}

/// Whether a reading is near the running median of five. Beside a reset it is near the median of
/// those on one side of it.
fn agrees(readings: &[f64], at: usize) -> bool {
    let value = readings[at];
    let around = at.saturating_sub(2)..readings.len().min(at + 3);
    let until = at.saturating_sub(4)..at + 1;
    let from = at..readings.len().min(at + 5);
    let is_near = |window: std::ops::Range<usize>| {
        let window = &readings[window];
        let mut sorted = [0.0; 5];
        let sorted = &mut sorted[..window.len()];
        sorted.copy_from_slice(window);
        let median = stats::median(sorted).unwrap_or(f64::NAN);
        (value - median).abs() <= 0.02 * median + 50.0
    };
    let several = |window: &std::ops::Range<usize>| window.len() > 1;
    value > 0.0 && (is_near(around) || [until, from].into_iter().filter(several).any(is_near))
}
