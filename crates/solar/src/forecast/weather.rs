//! Irradiance that was forecast for the site, and what a device makes of it.
//!
//! The response of a device is learned per horizon from irradiance that was forecast in the past,
//! so that a forecast that is biased, or that is worth less the farther it looks, is corrected by
//! its past errors. Days that have no forecast but measured irradiance help at the start. Whether
//! weather is used at all, its own past decides: it must have been clearly better than the forecast
//! without.

use std::collections::{BTreeMap, VecDeque};

use chrono::{Days, NaiveDate};

/// Factor for an old day from one day to the next.
const MEMORY: f64 = 0.98;
/// The weight of a day with measured irradiance in place of a forecast.
const MEASURED_WEIGHT: f64 = 0.25;
/// Days, by weight, before a response is known.
const FEWEST_DAYS: f64 = 5.0;
/// The response starts from "in proportion", as if this number of days had shown it.
const PROPORTIONAL_DAYS: f64 = 2.0;
/// Forecasts of the past that were tried before weather may be used.
pub(super) const FEWEST_TRIED: u32 = 20;
/// Weather must have at most this share of the squared error of the forecast without.
const GAIN: f64 = 0.97;
/// The newest forecasts, which show that a source has just failed, and how much worse than those
/// without they may be.
const NEWEST: usize = 7;
const NEWEST_LOSS: f64 = 1.5;
/// Irradiation that is further off than these shares of the usual and of the highest ever is not
/// believed.
const LEAST_OF_USUAL: f64 = 0.03;
const MOST_OF_HIGHEST: f64 = 1.5;
/// Maximum extrapolation of the response, as a multiple of the highest irradiation.
const CONTINUED: f64 = 1.15;

/// Irradiation of the days of a site, kWh/m2, forecast and measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weather {
    /// By the day that is forecast, then by the day on which it was.
    issued: BTreeMap<NaiveDate, BTreeMap<NaiveDate, f64>>,
    measured: BTreeMap<NaiveDate, f64>,
}

impl Weather {
    /// Adds what was forecast on `issued` for `day`.
    pub fn insert_forecast(&mut self, issued: NaiveDate, day: NaiveDate, kwh_m2: f64) {
        if kwh_m2.is_finite() && kwh_m2 >= 0.0 {
            self.issued.entry(day).or_default().insert(issued, kwh_m2);
        }
    }

    /// Adds what was measured on `day`.
    pub fn insert_measured(&mut self, day: NaiveDate, kwh_m2: f64) {
        if kwh_m2.is_finite() && kwh_m2 > 0.0 {
            self.measured.insert(day, kwh_m2);
        }
    }

    /// Whether nothing was forecast.
    pub fn is_empty(&self) -> bool {
        self.issued.is_empty()
    }

    /// The newest forecast for `day` that was there at the end of `origin`, and no more than a day
    /// old then: an older one is worth less than the past says of its horizon.
    pub(super) fn forecast(&self, origin: NaiveDate, day: NaiveDate) -> Option<f64> {
        self.forecast_until(origin, origin, day)
    }

    /// Whether the same was forecast for `day` and two days next to it, to the last digit: then the
    /// source gives an old value again and again.
    pub(super) fn is_stuck(&self, origin: NaiveDate, latest: NaiveDate, day: NaiveDate) -> bool {
        let at = |offset: i64| {
            let day = day.checked_add_signed(chrono::TimeDelta::days(offset))?;
            self.forecast_until(origin, latest, day)
        };
        let same = |offset: i64| at(offset).is_some() && at(offset) == at(0);
        (same(-1) && (same(-2) || same(1))) || (same(1) && same(2))
    }

    /// The same with what was forecast up to `latest`.
    pub(super) fn forecast_until(
        &self,
        origin: NaiveDate,
        latest: NaiveDate,
        day: NaiveDate,
    ) -> Option<f64> {
        let earliest = origin.checked_sub_days(Days::new(1))?;
        let (_, kwh_m2) = self
            .issued
            .get(&day)?
            .range(earliest..=latest)
            .next_back()?;
        Some(*kwh_m2)
    }

    pub(super) fn measured(&self, day: NaiveDate) -> Option<f64> {
        self.measured.get(&day).copied()
    }
}

/// Why a day is forecast from weather, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is no forecast irradiance for the day.
    Missing,
    /// There is, and it cannot be: far above what the site ever had, next to nothing, or the same
    /// for days.
    Implausible,
    /// Too little of it was tried in the past.
    Untried,
    /// In the past it was not clearly better than the past production alone.
    NotBetter,
    /// It is used.
    Used,
}

/// How weather did in the past at one horizon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeatherReview {
    /// Whether weather is used for this day, and why not.
    pub verdict: Verdict,
    /// Days for which it was tried.
    pub tried: u32,
    /// Its root mean square error divided by that of the forecast without, on the same days. `None`
    /// before any was tried.
    pub error_ratio: Option<f64>,
}

/// A device's energy by irradiation at one horizon, and the quality of that forecast.
#[derive(Default)]
pub(super) struct Response {
    weight: f64,
    sum_h: f64,
    sum_e: f64,
    sum_hh: f64,
    sum_he: f64,
    highest: f64,
    /// Squared errors of weather and of the forecast without, on the same days: sums where older
    /// ones count less, and the newest.
    losses: (f64, f64),
    newest: VecDeque<(f64, f64)>,
    tried: u32,
}

impl Response {
    /// Takes in a day whose energy is known.
    pub(super) fn learn(&mut self, kwh_m2: f64, kwh: f64, measured: bool) {
        let weight = if measured { MEASURED_WEIGHT } else { 1.0 };
        let sums = [
            (&mut self.weight, 1.0),
            (&mut self.sum_h, kwh_m2),
            (&mut self.sum_e, kwh),
            (&mut self.sum_hh, kwh_m2 * kwh_m2),
            (&mut self.sum_he, kwh_m2 * kwh),
        ];
        for (sum, value) in sums {
            *sum = MEMORY * *sum + weight * value;
        }
        self.highest = self.highest.max(kwh_m2);
    }

    /// Takes in the result of a forecast by weather, and of the one without.
    pub(super) fn judge(&mut self, by_weather: f64, without: f64, actual: f64) {
        let losses = ((by_weather - actual).powi(2), (without - actual).powi(2));
        self.losses.0 = MEMORY * self.losses.0 + losses.0;
        self.losses.1 = MEMORY * self.losses.1 + losses.1;
        self.newest.push_back(losses);
        if self.newest.len() > NEWEST {
            self.newest.pop_front();
        }
        self.tried += 1;
    }

    /// The energy of a day with that irradiation; `None` where that cannot be said.
    pub(super) fn energy(&self, kwh_m2: f64) -> Option<f64> {
        if self.weight < FEWEST_DAYS || !self.is_plausible(kwh_m2) {
            return None;
        }
        let (mean_h, mean_e) = (self.sum_h / self.weight, self.sum_e / self.weight);
        let variance = (self.sum_hh / self.weight - mean_h * mean_h).max(0.0);
        let covariance = self.sum_he / self.weight - mean_h * mean_e;
        let spread = PROPORTIONAL_DAYS * 0.1 * mean_h * mean_h;
        let slope = (self.weight * covariance + spread * mean_e / mean_h)
            / (self.weight * variance + spread);
        let kwh_m2 = kwh_m2.min(CONTINUED * self.highest);
        Some((mean_e + slope.max(0.0) * (kwh_m2 - mean_h)).max(0.0))
    }

    fn is_plausible(&self, kwh_m2: f64) -> bool {
        let mean = self.sum_h / self.weight;
        mean > 0.0 && kwh_m2 >= LEAST_OF_USUAL * mean && kwh_m2 <= MOST_OF_HIGHEST * self.highest
    }

    /// What to do with a forecast of irradiation, given what its past was worth. `failing` says
    /// that the source fails at the next day already, which is known sooner than for the days
    /// after.
    pub(super) fn review(&self, kwh_m2: Option<f64>, stuck: bool, failing: bool) -> WeatherReview {
        let verdict = match kwh_m2 {
            None => Verdict::Missing,
            Some(_) if stuck => Verdict::Implausible,
            Some(kwh_m2) if self.weight >= FEWEST_DAYS && !self.is_plausible(kwh_m2) => {
                Verdict::Implausible
            }
            Some(_) if self.tried < FEWEST_TRIED => Verdict::Untried,
            Some(_) if self.is_better() && !failing => Verdict::Used,
            Some(_) => Verdict::NotBetter,
        };
        WeatherReview {
            verdict,
            tried: self.tried,
            error_ratio: (self.losses.1 > 0.0).then(|| (self.losses.0 / self.losses.1).sqrt()),
        }
    }

    fn is_better(&self) -> bool {
        self.losses.0 < GAIN * self.losses.1 && !self.is_failing()
    }

    /// Whether the newest forecasts were far worse than those without.
    pub(super) fn is_failing(&self) -> bool {
        let newest = self.newest.iter().fold((0.0, 0.0), |sum, losses| {
            (sum.0 + losses.0, sum.1 + losses.1)
        });
        newest.0 > NEWEST_LOSS * newest.1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn only_what_was_known_then_counts() {
        let mut weather = Weather::default();
        weather.insert_forecast(day("2025-06-01"), day("2025-06-04"), 4.0);
        weather.insert_forecast(day("2025-06-03"), day("2025-06-04"), 5.0);
        let at = |origin| weather.forecast(day(origin), day("2025-06-04"));
        assert_eq!(at("2025-06-01"), Some(4.0));
        assert_eq!(at("2025-06-02"), Some(4.0));
        assert_eq!(at("2025-06-03"), Some(5.0));
        assert_eq!(at("2025-05-31"), None);
        assert_eq!(
            weather.forecast_until(day("2025-06-01"), day("2025-06-04"), day("2025-06-04")),
            Some(5.0)
        );
        // Nothing was forecast for two days: what is older is not taken.
        weather.insert_forecast(day("2025-06-01"), day("2025-06-08"), 4.0);
        assert_eq!(weather.forecast(day("2025-06-03"), day("2025-06-08")), None);
    }

    #[test]
    fn the_same_value_day_after_day_is_stuck() {
        let mut weather = Weather::default();
        let origin = day("2025-06-01");
        for (text, kwh_m2) in [
            ("2025-06-02", 4.0),
            ("2025-06-03", 5.0),
            ("2025-06-04", 5.0),
            ("2025-06-05", 5.0),
        ] {
            weather.insert_forecast(origin, day(text), kwh_m2);
        }
        let stuck = |text| weather.is_stuck(origin, origin, day(text));
        assert!(!stuck("2025-06-02") && !stuck("2025-06-06"));
        assert!(stuck("2025-06-03") && stuck("2025-06-04") && stuck("2025-06-05"));
    }

    #[test]
    fn a_bias_and_a_floor_are_learned() {
        let mut response = Response::default();
        for index in 0..40 {
            let sun = 2.0 + f64::from(index % 7);
            response.learn(1.3 * sun, 5.0 * sun + 3.0, false);
        }
        let energy = response.energy(1.3 * 5.0).unwrap();
        assert!((energy - 28.0).abs() < 0.5, "{energy}");
    }

    #[test]
    fn what_cannot_be_is_not_believed() {
        let mut response = Response::default();
        for index in 0..40 {
            response.learn(3.0 + f64::from(index % 3), 20.0, false);
        }
        assert_eq!(response.energy(5000.0), None);
        assert_eq!(response.energy(0.0), None);
        assert_eq!(
            response.review(Some(5000.0), false, false).verdict,
            Verdict::Implausible
        );
        assert_eq!(
            response.review(Some(4.0), false, false).verdict,
            Verdict::Untried
        );
        assert_eq!(
            response.review(None, false, false).verdict,
            Verdict::Missing
        );
    }

    #[test]
    fn weather_that_fails_is_left_within_days() {
        let mut response = Response::default();
        for _ in 0..60 {
            response.judge(20.5, 25.0, 20.0);
        }
        assert_eq!(
            response.review(Some(1.0), false, false).verdict,
            Verdict::Used
        );
        assert_eq!(
            response.review(Some(1.0), false, true).verdict,
            Verdict::NotBetter
        );
        for _ in 0..3 {
            response.judge(40.0, 25.0, 20.0);
        }
        assert_eq!(
            response.review(Some(1.0), false, false).verdict,
            Verdict::NotBetter
        );
    }
}
