//! The shortfall of a logger on the stretches of days of a window that fell short.

use chrono::NaiveDate;

use super::{DARK_DAY, Measure, Model, Shortfall, tolerance};
use crate::days::DayFigures;
use crate::health::stretches::{self, Day};
use crate::stats;

/// From this ratio on, the days outside of the stretches that fell short are sound.
const SOUND: f64 = 0.9;

/// Consecutive days that fell short.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::health) struct Stretch {
    pub(in crate::health) first: NaiveDate,
    pub(in crate::health) last: NaiveDate,
    /// Share of what was to be expected of these days, 0 to 1.
    pub(in crate::health) share: f64,
    /// kWh.
    pub(in crate::health) kwh: f64,
}

impl Stretch {
    fn of(days: &[Day]) -> Option<Self> {
        let share = (1.0 - stretches::ratio(days)).clamp(0.0, 1.0);
        Some(Self {
            first: days.first()?.date,
            last: days.last()?.date,
            share,
            kwh: share * stretches::total(days, |day| day.expected),
        })
    }
}

impl Model<'_> {
    /// The shortfall of the stretches of days that are behind by this expectation. That of the
    /// `whole` window stays where the other days are behind, too.
    pub(super) fn stretched(
        &self,
        ran: &[(&DayFigures, f64)],
        measure: Measure,
        whole: Option<Shortfall>,
        expectation: impl Fn(NaiveDate) -> Option<f64>,
    ) -> Option<Shortfall> {
        let (peers, by_level) = match measure {
            Measure::Peers(peers) => (peers as usize, true),
            _ => (self.beside().len(), false),
        };
        let tolerance = tolerance(peers);
        let days = self.expected_days(ran.iter().copied(), &expectation);
        let window = self.question.window;
        let around = self
            .question
            .days
            .iter()
            .filter(|day| day.date < window.first || day.date > window.last)
            .filter(|day| self.is_good(day))
            .map(|day| (day, 0.0));
        let others: Vec<f64> = self
            .expected_days(around, &expectation)
            .iter()
            .map(|day| day.made / day.expected)
            .collect();
        let is_real = |stretch: &&[Day]| {
            let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else {
                return false;
            };
            let own: Vec<(&DayFigures, f64)> = ran
                .iter()
                .copied()
                .filter(|(day, _)| (first.date..=last.date).contains(&day.date))
                .collect();
            self.against(&own, peers, &expectation)
                .is_some_and(|found| {
                    !by_level
                        || self.is_beyond_chance(&found, &own) && self.is_behind_most(&found, &own)
                })
        };
        let found: Vec<&[Day]> = stretches::below(&days, &others, 1.0 - tolerance)
            .into_iter()
            .filter(is_real)
            .collect();
        if found.is_empty() {
            return whole;
        }
        let in_stretch = |day: &&Day| {
            let within = |stretch: &&[Day]| stretch.iter().any(|own| own.date == day.date);
            found.iter().any(within)
        };
        let rest: Vec<Day> = days
            .iter()
            .filter(|day| !in_stretch(day))
            .copied()
            .collect();
        if whole.is_some() && (rest.is_empty() || stretches::ratio(&rest) < SOUND) {
            return whole;
        }
        let stretches: Vec<Stretch> = found.iter().filter_map(|days| Stretch::of(days)).collect();
        let kwh = stretches.iter().map(|stretch| stretch.kwh).sum();
        Some(Shortfall {
            share: kwh / stretches::total(&days, |day| day.expected),
            kwh,
            measure,
            stretches,
        })
    }

    /// The energies of days against the expected ones. A day of little sun says little.
    fn expected_days<'d>(
        &self,
        days: impl Iterator<Item = (&'d DayFigures, f64)>,
        expectation: impl Fn(NaiveDate) -> Option<f64>,
    ) -> Vec<Day> {
        let mut days: Vec<Day> = days
            .filter_map(|(day, lost)| {
                Some(Day {
                    date: day.date,
                    made: day.judged_kwh(self.question.calibration)? + lost,
                    expected: expectation(day.date).filter(|kwh| *kwh > 0.0)?,
                })
            })
            .collect();
        let mut expected: Vec<f64> = days.iter().map(|day| day.expected).collect();
        let dark = DARK_DAY * stats::median(&mut expected).unwrap_or(0.0);
        days.retain(|day| day.expected > dark);
        days
    }
}
