//! Replays the past: on every day the forecasts that would have been made, chosen by what was known on that day.

use std::collections::VecDeque;

use crate::context::LoggerContext;
use crate::forecast::candidates::{Method, Running};
use crate::forecast::{DailyEnergies, deviation};
use crate::stats;
use crate::sun::extraterrestrial_kwh;

/// Days whose forecasts are replayed: a year to judge them by, and what the first choice and range of it need.
const REPLAYED: usize = 365 + 60;
/// Known days before the first forecast of the replay.
const FIRST_KNOWN: usize = 10;
/// Known days before a forecast tells which method is better: the first weeks of a logger are no climate.
const MATURE_KNOWN: usize = 30;
/// Forecasts of the past by which a method is chosen and a range is measured.
const REMEMBERED: usize = 60;
/// Fewest of them for a choice, and for a range.
const FEWEST_FOR_CHOICE: usize = 15;
const FEWEST_FOR_RANGE: usize = 20;
/// A later method must have at most this share of the squared error.
const GAIN: f64 = 0.97;
/// Extraterrestrial radiation below which a share of it means nothing, kWh/m2.
const DARK: f64 = 0.2;

/// A forecast of the past and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Index of the day on which it was made, in the history.
    pub origin: usize,
    /// What was expected, kWh.
    pub expected_kwh: f64,
    /// The range, kWh; `None` while there were too few errors to measure one.
    pub range_kwh: Option<(f64, f64)>,
    /// What came, kWh.
    pub actual_kwh: f64,
    /// "As on the last known day", kWh.
    pub persistence_kwh: f64,
    /// How it was made.
    pub method: Method,
}

/// Which of the replayed forecasts get a range; measuring one costs more than making the forecast.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ranges {
    OfLastDay,
    OfEveryDay,
}

/// What a horizon comes to.
pub(super) struct Horizon {
    pub(super) days_ahead: u32,
    pub(super) expected_kwh: f64,
    pub(super) lower_kwh: f64,
    pub(super) upper_kwh: f64,
    pub(super) method: Method,
    pub(super) trials: Vec<Trial>,
}

/// Replays the history for the horizons from 1 to `horizons`, and forecasts from its last day.
pub(super) fn replay(
    history: &DailyEnergies,
    horizons: u32,
    context: &LoggerContext,
    ranges: Ranges,
) -> Vec<Horizon> {
    let days = history.kwh.len();
    let radiation = radiation(history, horizons, context);
    let clearness: Vec<f64> = history
        .kwh
        .iter()
        .zip(&radiation)
        .map(|(kwh, h0)| kwh / h0)
        .collect();
    let mut energy = Running::new(&history.kwh, horizons);
    let mut share = Running::new(&clearness, horizons);
    let mut lanes: Vec<Lane> = (1..=horizons)
        .map(|horizon| Lane::new(horizon, days))
        .collect();
    for day in 0..days {
        energy.advance();
        if !radiation.is_empty() {
            share.advance();
        }
        let last_day = day + 1 == days;
        let long_ago = day + REPLAYED < days;
        if (long_ago || energy.known() < FIRST_KNOWN) && !last_day {
            continue;
        }
        for lane in &mut lanes {
            lane.learn(day, &history.kwh);
            let forecasts = lane.forecasts(&energy, &share, &radiation, day);
            let mut issued = lane.issue(day, forecasts, &energy);
            if last_day || ranges == Ranges::OfEveryDay {
                issued.range_kwh = lane.range(forecasts[issued.chosen]);
            }
            lane.pending.push_back(issued);
        }
    }
    lanes
        .into_iter()
        .map(|lane| lane.finish(&history.kwh))
        .collect()
}

/// Extraterrestrial radiation of every day of the history and of the horizons; empty without coordinates.
fn radiation(history: &DailyEnergies, horizons: u32, context: &LoggerContext) -> Vec<f64> {
    let Some(position) = context.position else {
        return Vec::new();
    };
    let dates = history
        .first
        .iter_days()
        .take(history.kwh.len() + stats::to_index(f64::from(horizons)));
    let value = |date| Some(extraterrestrial_kwh(position.latitude, date)).filter(|h0| *h0 > DARK);
    dates.map(|date| value(date).unwrap_or(f64::NAN)).collect()
}

/// A forecast that waits for its day.
struct Pending {
    origin: usize,
    candidates: [f64; 6],
    chosen: usize,
    range_kwh: Option<(f64, f64)>,
    persistence_kwh: f64,
    /// Enough was known to judge the methods by.
    mature: bool,
}

/// One horizon of the replay.
struct Lane {
    horizon: usize,
    /// In order of origin: made, day not yet reached.
    pending: VecDeque<Pending>,
    trials: Vec<Trial>,
    /// Per candidate the last squared errors and their sum.
    squared: [Remembered; 6],
    /// Actual minus expected of the chosen forecasts, oldest first.
    errors: VecDeque<f64>,
}

#[derive(Default)]
struct Remembered {
    values: VecDeque<f64>,
    sum: f64,
}

impl Remembered {
    fn push(&mut self, value: f64) {
        self.sum += value;
        self.values.push_back(value);
        if self.values.len() > REMEMBERED {
            self.sum -= self.values.pop_front().unwrap_or(0.0);
        }
    }

    /// Whether these errors are clearly less than others; undecided while either are few.
    fn clearly_less_than(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.values.len(), other.values.len());
        // Means are compared without dividing.
        ours.min(theirs) >= FEWEST_FOR_CHOICE
            && self.sum * (theirs as f64) < GAIN * other.sum * ours as f64
    }
}

impl Lane {
    fn new(horizon: u32, days: usize) -> Self {
        Self {
            horizon: stats::to_index(f64::from(horizon)),
            pending: VecDeque::with_capacity(8),
            trials: Vec::with_capacity(days),
            squared: Default::default(),
            errors: VecDeque::with_capacity(REMEMBERED + 1),
        }
    }

    /// Compares the forecasts whose day has come with what came.
    fn learn(&mut self, day: usize, kwh: &[f64]) {
        while let Some(pending) = self
            .pending
            .pop_front_if(|pending| pending.origin + self.horizon <= day)
        {
            let actual = kwh[pending.origin + self.horizon];
            if !actual.is_finite() {
                continue;
            }
            for (squared, candidate) in self.squared.iter_mut().zip(pending.candidates) {
                if pending.mature && candidate.is_finite() {
                    squared.push((candidate - actual).powi(2));
                }
            }
            let expected = pending.candidates[pending.chosen];
            self.remember(actual - expected);
            self.trials.push(Trial {
                origin: pending.origin,
                expected_kwh: expected,
                range_kwh: pending.range_kwh,
                actual_kwh: actual,
                persistence_kwh: pending.persistence_kwh,
                method: Method::ALL[pending.chosen],
            });
        }
    }

    fn remember(&mut self, error: f64) {
        self.errors.push_back(error);
        if self.errors.len() > REMEMBERED {
            self.errors.pop_front();
        }
    }

    fn forecasts(
        &self,
        energy: &Running<'_>,
        share: &Running<'_>,
        radiation: &[f64],
        day: usize,
    ) -> [f64; 6] {
        let h0 = radiation
            .get(day + self.horizon)
            .copied()
            .unwrap_or(f64::NAN);
        let mut forecasts = [
            energy.cliper(self.horizon),
            energy.exponential_mean(),
            energy.mean14(),
            f64::NAN,
            f64::NAN,
            f64::NAN,
        ];
        // The next day is CLIPER's; the others need not be computed for it.
        if self.horizon > 1 && h0.is_finite() && share.known() > 0 {
            forecasts[3] = share.cliper(self.horizon) * h0;
            forecasts[4] = share.exponential_mean() * h0;
            forecasts[5] = share.mean30() * h0;
        }
        forecasts
    }

    fn issue(&self, origin: usize, candidates: [f64; 6], energy: &Running<'_>) -> Pending {
        Pending {
            origin,
            candidates,
            chosen: self.choose(&candidates),
            range_kwh: None,
            persistence_kwh: energy.last_known(),
            mature: energy.known() >= MATURE_KNOWN,
        }
    }

    /// The first method, unless a later one erred clearly less.
    fn choose(&self, candidates: &[f64; 6]) -> usize {
        let mut chosen = 0;
        if self.horizon == 1 {
            return chosen;
        }
        for (index, candidate) in candidates.iter().enumerate().skip(1) {
            if candidate.is_finite() && self.squared[index].clearly_less_than(&self.squared[chosen])
            {
                chosen = index;
            }
        }
        chosen
    }

    /// The forecast plus the 10 and 90 % quantile of its errors.
    fn range(&self, expected: f64) -> Option<(f64, f64)> {
        if self.errors.len() < FEWEST_FOR_RANGE {
            return None;
        }
        let mut errors: Vec<f64> = self.errors.iter().copied().collect();
        let (lower, upper) = (
            stats::quantile(&mut errors, 0.1)?,
            stats::quantile(&mut errors, 0.9)?,
        );
        Some(((expected + lower).max(0.0), (expected + upper).max(0.0)))
    }

    /// The forecast that is still open after the last day.
    fn finish(mut self, kwh: &[f64]) -> Horizon {
        let newest = self.pending.pop_back();
        let (expected, method) = newest.as_ref().map_or((f64::NAN, 0), |newest| {
            (newest.candidates[newest.chosen].max(0.0), newest.chosen)
        });
        let range = newest
            .and_then(|newest| newest.range_kwh)
            .unwrap_or_else(|| {
                let recent: Vec<f64> = kwh
                    .iter()
                    .rev()
                    .copied()
                    .filter(|kwh| kwh.is_finite())
                    .take(30)
                    .collect();
                let mean = stats::mean(recent.iter().copied()).unwrap_or(0.0);
                let width = 1.28 * deviation(&recent, mean);
                ((expected - width).max(0.0), expected + width)
            });
        Horizon {
            days_ahead: u32::try_from(self.horizon).unwrap_or(1),
            expected_kwh: expected,
            lower_kwh: range.0,
            upper_kwh: range.1,
            method: Method::ALL[method],
            trials: self.trials,
        }
    }
}
