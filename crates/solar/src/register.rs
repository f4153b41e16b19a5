//! Energy from registers: counters that reset every day, and counters that never do.
//!
//! Registers count through communication losses, so they are trusted before integrated power; but
//! they glitch, keep yesterday's value until the inverter wakes, and jump when a device is swapped.

mod daily;
mod lifetime;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::series::Series;

pub(crate) use daily::{Opening, daily_energy};
pub use lifetime::LifetimeReading;
pub(crate) use lifetime::lifetime_energy;

/// No array delivers its peak for longer than this in a day, hours.
pub(crate) const LONGEST_SUN_HOURS: f64 = 14.0;

/// After a glitch the register is back at this share of what it showed.
const BACK_SHARE: f64 = 0.98;

/// Times the robust peak that production reaches at most.
const LIKELY_PEAKS: f64 = 1.2;

/// Times the robust peak that a register may count: its factor may be wrong, or that of the power.
/// A larger rise is not energy of the device.
const POSSIBLE_PEAKS: f64 = 3.0;

/// The peak of a register is that of its steps of at least this length: shorter ones show the
/// resolution of its display.
const PEAK_STEP_SECONDS: i64 = 3600;

/// Fewer steps than this say nothing about the peak.
const FEWEST_RATES: usize = 8;

/// The count of a longer step is made in this many hours.
const BRIGHT_HOURS: f64 = 8.0;

/// A register that is reset every day may have been reset within a longer step.
const LONGEST_DAILY_STEP_HOURS: f64 = 6.0;

/// The real kind of a logger's daily-energy column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RegisterKind {
    /// It holds nothing.
    #[default]
    None,
    /// A counter that resets every day.
    Daily,
    /// A counter that never resets, in the wrong column.
    Lifetime,
}

/// The kind of a daily-energy column, from the first and last readings of each day in order.
///
/// A register that resets opens the day near zero, or at yesterday's value and then falls. One that
/// never resets opens it with more than the device can deliver in a day, and does not fall.
pub(crate) fn detect_kind(days: &[DayEnds], peak_w: f64) -> RegisterKind {
    if days.is_empty() {
        return RegisterKind::None;
    }
    let beyond = LONGEST_SUN_HOURS * peak_w / 1000.0;
    let high = days
        .iter()
        .filter(|day| peak_w > 0.0 && day.first > beyond)
        .count();
    let falls = days.iter().filter(|day| day.falls).count()
        + days
            .windows(2)
            .filter(|pair| pair[1].first < 0.5 * pair[0].last)
            .count();
    if high * 2 > days.len() && falls * 10 <= days.len() {
        RegisterKind::Lifetime
    } else {
        RegisterKind::Daily
    }
}

/// The readings that open and close a day.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DayEnds {
    pub(crate) first: f64,
    pub(crate) last: f64,
    /// Whether the register fell by more than half within the day.
    pub(crate) falls: bool,
}

/// The peak that limits the rises of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Peak {
    /// W; 0 when it is not known.
    pub(crate) w: f64,
    /// Whether it is that of the power, beside which the register is judged. Otherwise it comes
    /// from the register's own rises, or is the stated capacity.
    pub(crate) of_power: bool,
}

/// The robust peak of what a register counts, W. A few steps may be those of glitches and of a
/// register that was replaced. Of a register that is reset every day, a fall is a reset, and steps
/// over a night say nothing.
pub(crate) fn counted_peak_w(time: &[i64], shown: &[f64], kind: RegisterKind) -> Option<f64> {
    let is_daily = kind == RegisterKind::Daily;
    let mut readings = time
        .iter()
        .zip(shown)
        .filter(|(_, kwh)| kwh.is_finite() && **kwh > 0.0);
    let (mut from, mut low) = readings.next()?;
    let mut rates = Vec::new();
    for (to, high) in readings {
        let seconds = to - from;
        if seconds < PEAK_STEP_SECONDS {
            continue;
        }
        let is_reset = is_daily && high < low;
        let rise = if is_reset { *high } else { high - low };
        if rise > 0.0 && (!is_daily || hours(seconds) <= LONGEST_DAILY_STEP_HOURS) {
            rates.push(1000.0 * rise / hours(seconds).min(BRIGHT_HOURS));
        }
        (from, low) = (to, high);
    }
    if rates.len() < FEWEST_RATES {
        return None;
    }
    rates.sort_unstable_by(|a, b| b.total_cmp(a));
    rates.get((rates.len() * 3 / 100).max(2)).copied()
}

/// The column that holds a logger's register, and its kind: that of the daily energy, if it is
/// used, otherwise that of the lifetime energy.
pub(crate) fn column(
    series: &Series,
    rows: Range<usize>,
    daily_column: RegisterKind,
) -> (RegisterKind, &[f64]) {
    let daily = &series.daily_kwh()[rows.clone()];
    if daily_column != RegisterKind::None && daily.iter().any(|kwh| kwh.is_finite()) {
        (daily_column, daily)
    } else {
        (RegisterKind::Lifetime, &series.lifetime_kwh()[rows])
    }
}

/// Whether a register with this peak can rise by that much, kWh, in this time.
pub(crate) fn allows(peak: Peak, rise: f64, seconds: i64) -> bool {
    Pace::of(peak).allows(rise, seconds)
}

/// How fast a register can rise.
struct Pace {
    /// At its peak the device makes little more, kW.
    likely_kw: f64,
    /// No register counts more, whatever its factor is, kW.
    possible_kw: f64,
}

impl Pace {
    fn of(peak: Peak) -> Self {
        let peaks = |share: f64| {
            if peak.w > 0.0 {
                share * peak.w / 1000.0
            } else {
                f64::INFINITY
            }
        };
        Self {
            likely_kw: peaks(LIKELY_PEAKS),
            possible_kw: peaks(POSSIBLE_PEAKS),
        }
    }

    /// Whether a peak is known, which limits the rises.
    fn is_known(&self) -> bool {
        self.possible_kw.is_finite()
    }

    /// Whether a rise is possible. One kWh of resolution: a register in whole kWh may jump by that
    /// much at once.
    fn allows(&self, rise: f64, seconds: i64) -> bool {
        rise - 1.0 <= self.possible_kw * hours(seconds)
    }

    /// Whether a rise is what the power makes.
    fn made(&self, rise: f64, seconds: i64) -> bool {
        rise <= self.likely_kw * hours(seconds)
    }
}

fn hours(seconds: i64) -> f64 {
    seconds.max(1) as f64 / 3600.0
}
