//! Energy from registers: counters that reset every day, and counters that never do.
//!
//! Registers count through communication losses, so they are trusted before integrated power; but they glitch, keep
//! yesterday's value until the inverter wakes, and jump when a device is swapped.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::stats;

/// No array delivers its peak for longer than this in a day, hours.
pub(crate) const LONGEST_SUN_HOURS: f64 = 14.0;

/// What the daily-energy column of a logger really is.
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

/// The last known state of a daily register before a day.
pub(crate) struct Opening {
    /// Local midnight.
    pub(crate) midnight: i64,
    /// The last reading before the day.
    pub(crate) previous_kwh: Option<f64>,
}

/// Energy of a local day from a daily register: the running maximum of the readings, which must be (time, kWh) in order.
/// `None` without a reading.
pub(crate) fn daily_energy(
    readings: &[(i64, f64)],
    opening: &Opening,
    robust_peak_w: f64,
) -> Option<f64> {
    let readings = after_reset(readings, opening.previous_kwh)?;
    let kw = if robust_peak_w > 0.0 {
        1.2 * robust_peak_w / 1000.0
    } else {
        f64::INFINITY
    };
    let (mut accepted_at, mut total) = (opening.midnight, 0.0_f64);
    for &(time, kwh) in readings {
        // One kWh of resolution: a register in whole kWh may jump by that much at once.
        let possible = total + kw * (time - accepted_at) as f64 / 3600.0 + 1.0;
        if kwh < total || kwh > possible {
            continue;
        }
        (accepted_at, total) = (time, kwh);
    }
    Some(total)
}

/// The readings of today, without those that still show yesterday's value. `None` when there are none at all.
fn after_reset(readings: &[(i64, f64)], previous: Option<f64>) -> Option<&[(i64, f64)]> {
    let &(_, first) = readings.first()?;
    let Some(previous) = previous.filter(|&kwh| kwh > 0.0 && first >= 0.9 * kwh) else {
        return Some(readings);
    };
    match readings.iter().position(|&(_, kwh)| kwh < 0.5 * first) {
        Some(reset) => Some(&readings[reset..]),
        // Never reset: an inverter that did not wake up all day shows exactly what it showed yesterday.
        None if readings
            .iter()
            .all(|&(_, kwh)| (kwh - previous).abs() <= 1e-9 * previous) =>
        {
            Some(&[])
        }
        None => Some(readings),
    }
}

/// The last valid reading of a lifetime register before a day, and its local day.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LifetimeReading {
    /// The local day of the reading.
    pub date: NaiveDate,
    /// kWh.
    pub kwh: f64,
}

/// What a lifetime register says about one day.
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
}

/// Energy of a local day from the readings of a lifetime register.
pub(crate) fn lifetime_energy(
    readings: &[f64],
    date: NaiveDate,
    before: Option<LifetimeReading>,
    robust_peak_w: f64,
) -> LifetimeDay {
    let Some((first, last)) = valid_ends(readings) else {
        return LifetimeDay::default();
    };
    let most_per_day = if robust_peak_w > 0.0 {
        LONGEST_SUN_HOURS * robust_peak_w / 1000.0
    } else {
        f64::INFINITY
    };
    let possible = |rise: f64, days: i64| rise >= 0.0 && rise <= most_per_day * days as f64;
    let yesterday = before.filter(|reading| reading.date.succ_opt() == Some(date));
    let rise = last - yesterday.map_or(first, |reading| reading.kwh);
    let suspect = !possible(rise, 1);
    let gap = before.filter(|_| yesterday.is_none()).map(|reading| {
        let gained = first - reading.kwh;
        if possible(gained, (date - reading.date).num_days()) {
            gained
        } else {
            0.0
        }
    });
    LifetimeDay {
        energy_kwh: (!suspect).then_some(rise),
        unallocated_kwh: gap.unwrap_or(0.0),
        suspect,
        last_kwh: Some(last),
    }
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

/// What a daily-energy column is, from the first and last readings of each day in order.
///
/// A register that resets opens the day near zero, or at yesterday's value and then falls. One that never resets opens it
/// with more than the device can deliver in a day, and does not fall.
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

#[cfg(test)]
mod tests {
    use super::*;

    const PEAK_W: f64 = 5000.0;

    fn opening(previous_kwh: Option<f64>) -> Opening {
        Opening {
            midnight: 0,
            previous_kwh,
        }
    }

    fn hours(readings: &[(i64, f64)]) -> Vec<(i64, f64)> {
        readings
            .iter()
            .map(|&(hour, kwh)| (hour * 3600, kwh))
            .collect()
    }

    fn daily(readings: &[(i64, f64)], previous: Option<f64>) -> Option<f64> {
        daily_energy(&hours(readings), &opening(previous), PEAK_W)
    }

    #[test]
    fn a_daily_register_counts_from_its_reset_although_the_day_opens_with_yesterdays_value() {
        assert_eq!(
            daily(
                &[(1, 30.0), (5, 30.0), (6, 0.0), (12, 15.0), (20, 28.0)],
                Some(30.0)
            ),
            Some(28.0)
        );
        assert_eq!(daily(&[(1, 30.0), (23, 30.0)], Some(30.0)), Some(0.0));
    }

    #[test]
    fn glitches_add_nothing() {
        // Down to zero and back, and up beyond what the device can deliver.
        let readings = [
            (6, 0.0),
            (9, 8.0),
            (10, 0.0),
            (11, 12.0),
            (12, 400.0),
            (13, 16.0),
        ];
        assert_eq!(daily(&readings, Some(30.0)), Some(16.0));
        assert_eq!(daily(&[], Some(30.0)), None);
    }

    fn date(day: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2024, 5, day).unwrap()
    }

    fn before(day: u32, kwh: f64) -> LifetimeReading {
        LifetimeReading {
            date: date(day),
            kwh,
        }
    }

    #[test]
    fn a_lifetime_register_counts_from_yesterdays_last_reading() {
        let day = lifetime_energy(
            &[1001.0, 1010.0, 1020.0],
            date(2),
            Some(before(1, 1000.0)),
            PEAK_W,
        );
        assert_eq!(
            (day.energy_kwh, day.unallocated_kwh, day.suspect),
            (Some(20.0), 0.0, false)
        );
    }

    #[test]
    fn what_it_gained_over_lost_days_belongs_to_no_day() {
        let day = lifetime_energy(&[1090.0, 1110.0], date(7), Some(before(1, 1000.0)), PEAK_W);
        assert_eq!((day.energy_kwh, day.unallocated_kwh), (Some(20.0), 90.0));
    }

    #[test]
    fn impossible_rises_and_falls_are_suspect() {
        assert!(
            lifetime_energy(&[5000.0, 5001.0], date(2), Some(before(1, 1000.0)), PEAK_W).suspect
        );
        assert!(lifetime_energy(&[10.0, 11.0], date(2), Some(before(1, 1000.0)), PEAK_W).suspect);
        let swapped = lifetime_energy(&[10.0, 12.0], date(9), Some(before(1, 1000.0)), PEAK_W);
        assert_eq!(
            (swapped.energy_kwh, swapped.unallocated_kwh),
            (Some(2.0), 0.0)
        );
    }

    #[test]
    fn a_reading_far_from_its_neighbours_is_no_reading() {
        let day = lifetime_energy(
            &[0.0, 1001.0, 1002.0, 9e9, 1003.0, 0.0],
            date(2),
            Some(before(1, 1000.0)),
            PEAK_W,
        );
        assert_eq!(day.energy_kwh, Some(3.0));
    }

    #[test]
    fn a_register_that_never_resets_is_found_out() {
        let ends = |first: f64, last: f64| DayEnds {
            first,
            last,
            falls: false,
        };
        let rising = [ends(900.0, 920.0), ends(920.0, 941.0), ends(941.0, 950.0)];
        assert_eq!(detect_kind(&rising, PEAK_W), RegisterKind::Lifetime);
        assert_eq!(
            detect_kind(&[ends(0.0, 20.0), ends(0.0, 22.0)], PEAK_W),
            RegisterKind::Daily
        );
        assert_eq!(detect_kind(&[], PEAK_W), RegisterKind::None);
    }
}
