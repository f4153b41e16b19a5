//! Energy from registers: counters that reset every day, and counters that never do.
//!
//! Registers count through communication losses, so they are trusted before integrated power; but
//! they glitch, keep yesterday's value until the inverter wakes, and jump when a device is swapped.

mod daily;
mod lifetime;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

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
pub(crate) fn detect_kind(days: &[DayEnds], robust_peak_w: f64) -> RegisterKind {
    if days.is_empty() {
        return RegisterKind::None;
    }
    let beyond = LONGEST_SUN_HOURS * robust_peak_w / 1000.0;
    let high = days
        .iter()
        .filter(|day| robust_peak_w > 0.0 && day.first > beyond)
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

/// How fast a register can rise.
struct Pace {
    /// At its peak the device makes little more, kW.
    likely_kw: f64,
    /// No register counts more, whatever its factor is, kW.
    possible_kw: f64,
}

impl Pace {
    fn of(robust_peak_w: f64) -> Self {
        let peaks = |share: f64| {
            if robust_peak_w > 0.0 {
                share * robust_peak_w / 1000.0
            } else {
                f64::INFINITY
            }
        };
        Self {
            likely_kw: peaks(LIKELY_PEAKS),
            possible_kw: peaks(POSSIBLE_PEAKS),
        }
    }

    /// Whether the peak of the power is known, which limits the rises.
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
