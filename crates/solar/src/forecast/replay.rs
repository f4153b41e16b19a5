//! Replays the past: on every day the forecasts that would have been made, weighed by what was
//! known on that day.

use std::collections::VecDeque;

use crate::context::LoggerContext;
use crate::forecast::blend::Blend;
use crate::forecast::candidates::{BLENDED, Method, Running};
use crate::forecast::range::Errors;
use crate::forecast::weather::{Response, Verdict, Weather, WeatherReview};
use crate::forecast::{Basis, DailyEnergies, Recent};
use crate::stats;
use crate::sun::extraterrestrial_kwh;

/// Days whose forecasts are replayed: a year to judge them by, and what the first weights and
/// ranges of it need.
const REPLAYED: usize = 365 + 60;
/// Known days before the first forecast of the replay.
const FIRST_KNOWN: usize = 10;
/// Known days before a forecast says which method is better: the first weeks of a logger are no
/// climate.
const MATURE_KNOWN: usize = 30;
/// Extraterrestrial radiation below which a share of it means nothing, kWh/m2.
const DARK: f64 = 0.2;

/// A past forecast and its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Index of the day on which it was made, in the history.
    pub origin: usize,
    /// The expected energy, kWh.
    pub expected_kwh: f64,
    /// The range, kWh; `None` while there were too few errors to measure one.
    pub range_kwh: Option<(f64, f64)>,
    /// The produced energy, kWh.
    pub actual_kwh: f64,
    /// "As on the last known day", kWh.
    pub persistence_kwh: f64,
    /// The mean of the 14 days before, kWh; NaN without any.
    pub mean14_kwh: f64,
    /// How it was made.
    pub method: Method,
    /// The data that it used.
    pub basis: Basis,
}

/// The forecasts of a horizon.
pub(super) struct Horizon {
    pub(super) days_ahead: u32,
    pub(super) expected_kwh: f64,
    pub(super) lower_kwh: f64,
    pub(super) upper_kwh: f64,
    pub(super) method: Method,
    pub(super) basis: Basis,
    pub(super) weather: WeatherReview,
    pub(super) trials: Vec<Trial>,
}

/// Replays the history for the horizons from 1 to `horizons`, and forecasts from its last day.
pub(super) fn replay(
    history: &DailyEnergies,
    weather: &Weather,
    horizons: u32,
    context: &LoggerContext,
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
    let mut lanes: Vec<Lane<'_>> = (1..=horizons)
        .map(|horizon| Lane::new(horizon, history, weather))
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
            lane.learn(day);
        }
        let failing = lanes
            .first()
            .is_some_and(|next_day| next_day.response.is_failing());
        for lane in &mut lanes {
            let candidates = lane.candidates(&energy, &share, &radiation, day);
            lane.issue(day, candidates, &energy, (last_day, failing));
        }
    }
    lanes.into_iter().map(Lane::finish).collect()
}

/// Extraterrestrial radiation of every day of the history and of the horizons; empty without
/// coordinates.
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

/// A forecast with its range.
#[derive(Clone, Copy)]
struct Expected {
    kwh: f64,
    range_kwh: Option<(f64, f64)>,
    method: Method,
    basis: Basis,
}

impl Expected {
    fn inside(&self, actual: f64) -> Option<bool> {
        self.range_kwh
            .map(|(lower, upper)| (lower..=upper).contains(&actual))
    }
}

/// A forecast that waits for its day.
struct Pending {
    origin: usize,
    candidates: [f64; BLENDED],
    /// From past production alone.
    without: Expected,
    /// From forecast irradiance, where there was some and the response was known.
    by_weather: Option<Expected>,
    /// Why that was chosen, or not.
    review: WeatherReview,
    persistence_kwh: f64,
    mean14_kwh: f64,
    /// Enough was known to weigh the methods by.
    mature: bool,
}

impl Pending {
    /// The forecast that was issued.
    fn issued(&self) -> Expected {
        match (self.review.verdict, self.by_weather) {
            (Verdict::Used, Some(by_weather)) => by_weather,
            _ => self.without,
        }
    }
}

/// One horizon of the replay.
struct Lane<'a> {
    horizon: usize,
    history: &'a DailyEnergies,
    weather: &'a Weather,
    /// In order of origin: made, day not yet reached.
    pending: VecDeque<Pending>,
    trials: Vec<Trial>,
    blend: Blend,
    errors: Errors,
    response: Response,
    weather_errors: Errors,
}

impl<'a> Lane<'a> {
    fn new(horizon: u32, history: &'a DailyEnergies, weather: &'a Weather) -> Self {
        Self {
            horizon: stats::to_index(f64::from(horizon)),
            history,
            weather,
            pending: VecDeque::with_capacity(8),
            trials: Vec::with_capacity(history.kwh.len()),
            blend: Blend::default(),
            errors: Errors::default(),
            response: Response::default(),
            weather_errors: Errors::default(),
        }
    }

    /// Compares the forecasts whose day has come with what came.
    fn learn(&mut self, day: usize) {
        while let Some(pending) = self
            .pending
            .pop_front_if(|pending| pending.origin + self.horizon <= day)
        {
            let target = pending.origin + self.horizon;
            let actual = self.history.kwh[target];
            if !actual.is_finite() {
                continue;
            }
            let without = &pending.without;
            if pending.mature {
                self.blend.learn(&pending.candidates, without.kwh, actual);
            }
            self.errors
                .learn(actual - without.kwh, without.inside(actual));
            if let Some(by_weather) = &pending.by_weather {
                self.weather_errors
                    .learn(actual - by_weather.kwh, by_weather.inside(actual));
                self.response.judge(by_weather.kwh, without.kwh, actual);
            }
            let told = pending.issued();
            self.trials.push(Trial {
                origin: pending.origin,
                expected_kwh: told.kwh,
                range_kwh: told.range_kwh,
                actual_kwh: actual,
                persistence_kwh: pending.persistence_kwh,
                mean14_kwh: pending.mean14_kwh,
                method: told.method,
                basis: told.basis,
            });
            self.learn_response(pending.origin, target, actual);
        }
    }

    /// The irradiation of the day as it was forecast then, otherwise as it was measured, with the
    /// energy that came.
    fn learn_response(&mut self, origin: usize, target: usize, actual: f64) {
        if self.weather.is_empty() {
            return;
        }
        let date = self.history.date(target);
        let forecast = self.weather.forecast(self.history.date(origin), date);
        if let Some(kwh_m2) = forecast {
            self.response.learn(kwh_m2, actual, false);
        } else if let Some(kwh_m2) = self.weather.measured(date) {
            self.response.learn(kwh_m2, actual, true);
        }
    }

    fn candidates(
        &self,
        energy: &Running<'_>,
        share: &Running<'_>,
        radiation: &[f64],
        day: usize,
    ) -> [f64; BLENDED] {
        let [cliper, exponential, mean] = energy.forecasts(self.horizon);
        let h0 = radiation.get(day + self.horizon).copied();
        let shares = match h0 {
            Some(h0) if h0.is_finite() && share.known() > 0 => {
                share.forecasts(self.horizon).map(|share| share * h0)
            }
            _ => [f64::NAN; 3],
        };
        [cliper, exponential, mean, shares[0], shares[1], shares[2]]
    }

    fn issue(
        &mut self,
        origin: usize,
        candidates: [f64; BLENDED],
        energy: &Running<'_>,
        (last_day, failing): (bool, bool),
    ) {
        let (kwh, method) = self.blend.of(&candidates);
        let (date, target) = (
            self.history.date(origin),
            self.history.date(origin + self.horizon),
        );
        // What was forecast since the last day is known now, too.
        let latest = if last_day { target } else { date };
        let irradiation = self.weather.forecast_until(date, latest, target);
        let stuck = self.weather.is_stuck(date, latest, target);
        let by_weather = irradiation
            .filter(|_| !stuck)
            .and_then(|kwh_m2| self.response.energy(kwh_m2))
            .map(|kwh| Expected {
                kwh,
                range_kwh: self.weather_errors.range(kwh),
                method: Method::Weather,
                basis: Basis::Weather,
            });
        self.pending.push_back(Pending {
            origin,
            candidates,
            without: Expected {
                kwh,
                range_kwh: self.errors.range(kwh),
                method,
                basis: Basis::History,
            },
            by_weather,
            review: self.response.review(irradiation, stuck, failing),
            persistence_kwh: energy.last_known(),
            mean14_kwh: energy.mean14(),
            mature: energy.known() >= MATURE_KNOWN,
        });
    }

    /// The forecast that is still open after the last day.
    fn finish(mut self) -> Horizon {
        let days_ahead = u32::try_from(self.horizon).unwrap_or(1);
        let Some(newest) = self.pending.pop_back() else {
            return Horizon {
                days_ahead,
                expected_kwh: f64::NAN,
                lower_kwh: f64::NAN,
                upper_kwh: f64::NAN,
                method: Method::Cliper,
                basis: Basis::History,
                weather: self.response.review(None, false, false),
                trials: self.trials,
            };
        };
        let told = newest.issued();
        let expected = told.kwh.max(0.0);
        let (lower, upper) = told
            .range_kwh
            .unwrap_or_else(|| usual_range(&self.history.kwh, expected));
        Horizon {
            days_ahead,
            expected_kwh: expected,
            // What is expected lies in its own range, also after a run of errors to one side.
            lower_kwh: lower.min(expected),
            upper_kwh: upper.max(expected),
            method: told.method,
            basis: told.basis,
            weather: newest.review,
            trials: self.trials,
        }
    }
}

/// The range while no errors of forecasts are known: as far as the last known days lie apart.
fn usual_range(kwh: &[f64], expected: f64) -> (f64, f64) {
    let width = 1.28 * Recent::of(kwh).deviation;
    ((expected - width).max(0.0), expected + width)
}
