//! Registers of the day for files that have none: sums of the energy of intervals, gains of a
//! lifetime register, integrals of power. Each starts again at local midnight.

use std::collections::{BTreeMap, HashMap};

use chrono::{NaiveDate, NaiveDateTime, TimeDelta};

/// Number of days per device whose rows can still come in any order.
const DAYS: usize = 3;

/// Sums of the energy of intervals, by device and local day.
#[derive(Debug, Default)]
pub struct IntervalSums {
    devices: HashMap<String, BTreeMap<NaiveDate, Day>>,
}

#[derive(Debug, Default)]
struct Day {
    sum: f64,
    parts: HashMap<NaiveDateTime, f64>,
}

impl IntervalSums {
    /// Adds the energy of an interval; returns the sum of its day so far, in the order of the rows.
    /// A second row of the same time replaces the first. An interval that ends at midnight is of
    /// the day before.
    pub fn add(&mut self, device: &str, at: NaiveDateTime, kwh: f64) -> f64 {
        if !self.devices.contains_key(device) {
            self.devices.insert(device.to_owned(), BTreeMap::new());
        }
        let Some(days) = self.devices.get_mut(device) else {
            return kwh;
        };
        let date = (at - TimeDelta::seconds(1)).date();
        let day = days.entry(date).or_default();
        let before = day.parts.insert(at, kwh).unwrap_or(0.0);
        day.sum += kwh - before;
        let sum = day.sum;
        while days.len() > DAYS {
            days.pop_first();
        }
        sum
    }
}

/// Gains of lifetime registers since the last value before midnight, by device.
#[derive(Debug, Default)]
pub struct LifetimeGains {
    devices: HashMap<String, Gain>,
}

#[derive(Debug)]
struct Gain {
    at: NaiveDateTime,
    total: f64,
    today: f64,
}

/// The gain of a day.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DayGain {
    /// The gain, kWh.
    pub kwh: f64,
    /// The register was not seen at the start of the day, so that a part is missing.
    pub partial: bool,
}

impl LifetimeGains {
    /// Takes a value of the register, kWh; returns the gain of its day so far.
    pub fn add(&mut self, device: &str, at: NaiveDateTime, total: f64) -> DayGain {
        let Some(known) = self.devices.get_mut(device) else {
            let start = Gain {
                at,
                total,
                today: 0.0,
            };
            self.devices.insert(device.to_owned(), start);
            return DayGain {
                kwh: 0.0,
                partial: true,
            };
        };
        let days = (at.date() - known.at.date()).num_days();
        // A register that was reset or replaced gains nothing in that step.
        let step = (total - known.total).max(0.0);
        let partial = days > 1;
        known.today = match days {
            0 => known.today + step,
            1 => step,
            // The energy of several days cannot be given to one of them.
            _ => 0.0,
        };
        known.at = at;
        known.total = total;
        DayGain {
            kwh: known.today,
            partial,
        }
    }
}

/// The energy up to each sample of a series in W, kWh, from its true spacing. A gap counts as three
/// times the usual spacing at most. Samples are in order.
pub fn integrate(samples: &[(i64, Option<f64>)]) -> Vec<Option<f64>> {
    let mut spacings: Vec<i64> = samples
        .windows(2)
        .map(|pair| pair[1].0 - pair[0].0)
        .collect();
    spacings.sort_unstable();
    let usual = spacings
        .get(spacings.len() / 2)
        .copied()
        .unwrap_or(300)
        .max(1);
    let mut sum = 0.0;
    let mut before: Option<i64> = None;
    samples
        .iter()
        .map(|(at, power)| {
            let power = (*power)?;
            let step = before
                .map_or(usual, |before| at - before)
                .clamp(0, 3 * usual);
            before = Some(*at);
            sum += power.max(0.0) * step as f64 / 3_600_000.0;
            Some(sum)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()
    }

    #[test]
    fn interval_energy_adds_up_and_starts_again_at_midnight() {
        let mut sums = IntervalSums::default();
        assert_eq!(sums.add("A", at("2024-06-01 12:00"), 0.1), 0.1);
        assert_eq!(sums.add("A", at("2024-06-01 12:05"), 0.1), 0.2);
        assert_eq!(sums.add("B", at("2024-06-01 12:05"), 0.5), 0.5);
        // The same row twice is one row.
        assert_eq!(sums.add("A", at("2024-06-01 12:05"), 0.1), 0.2);
        assert_eq!(sums.add("A", at("2024-06-02 00:00"), 0.2), 0.4);
        assert_eq!(sums.add("A", at("2024-06-02 00:05"), 0.3), 0.3);
    }

    #[test]
    fn a_lifetime_register_gains_since_the_last_value_before_midnight() {
        let mut gains = LifetimeGains::default();
        assert!(gains.add("A", at("2024-06-01 20:00"), 100.0).partial);
        assert_eq!(gains.add("A", at("2024-06-01 21:00"), 101.0).kwh, 1.0);
        assert_eq!(
            gains.add("A", at("2024-06-02 06:00"), 102.0),
            DayGain {
                kwh: 1.0,
                partial: false
            }
        );
        assert_eq!(gains.add("A", at("2024-06-02 07:00"), 5.0).kwh, 1.0);
        let after_gap = gains.add("A", at("2024-06-06 07:00"), 500.0);
        assert_eq!(
            after_gap,
            DayGain {
                kwh: 0.0,
                partial: true
            }
        );
    }

    #[test]
    fn power_is_integrated_with_its_spacing_and_gaps_are_not_bridged() {
        let kw = Some(1000.0);
        let sums = integrate(&[
            (0, kw),
            (3600, kw),
            (7200, kw),
            (72_000, kw),
            (75_600, None),
        ]);
        let rounded: Vec<_> = sums.iter().map(|sum| sum.map(f64::round)).collect();
        assert_eq!(rounded, [Some(1.0), Some(2.0), Some(3.0), Some(6.0), None]);
    }
}
