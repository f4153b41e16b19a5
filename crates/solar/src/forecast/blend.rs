//! One forecast of several: each method has a weight, which falls with its errors of the past.
//!
//! This is the exponentially weighted average of online learning. In the long run it errs no more
//! than the best of the methods, and it does not jump from one to another as a choice by the least
//! error does.

use crate::forecast::candidates::{BLENDED, Method};

/// The weights before anything is known: mostly CLIPER.
const PRIOR: [f64; BLENDED] = [0.6, 0.2, 0.2, 0.1, 0.1, 0.1];
/// How fast a weight falls with the error.
const LEARNING_RATE: f64 = 1.5;
/// Factor for an old error from one day to the next: half of it is left after 46 days.
const MEMORY: f64 = 0.985;
/// The share of the weight from which a single method is named.
const DOMINANT: f64 = 0.9;

/// The weights of one horizon.
#[derive(Default)]
pub(super) struct Blend {
    /// Sums of squared errors, older ones counting less.
    losses: [f64; BLENDED],
    count: f64,
}

impl Blend {
    /// Takes in the result of forecasts. `blended` is what they came to together; a method that
    /// said nothing has its error.
    pub(super) fn learn(&mut self, forecasts: &[f64; BLENDED], blended: f64, actual: f64) {
        for (loss, forecast) in self.losses.iter_mut().zip(forecasts) {
            let said = if forecast.is_finite() {
                *forecast
            } else {
                blended
            };
            *loss = MEMORY * *loss + (said - actual).powi(2);
        }
        self.count = MEMORY * self.count + 1.0;
    }

    /// The weighted mean of the forecasts that are there, and the method that it mostly comes from.
    pub(super) fn of(&self, forecasts: &[f64; BLENDED]) -> (f64, Method) {
        let weights = self.weights(forecasts);
        let total: f64 = weights.iter().sum();
        let sum: f64 = weights
            .iter()
            .zip(forecasts)
            .filter(|(weight, _)| **weight > 0.0)
            .map(|(weight, forecast)| weight * forecast)
            .sum();
        let dominant = weights
            .iter()
            .position(|weight| *weight >= DOMINANT * total);
        let method = dominant.map_or(Method::Blend, |index| Method::BLENDED[index]);
        (sum / total, method)
    }

    fn weights(&self, forecasts: &[f64; BLENDED]) -> [f64; BLENDED] {
        let there = |index: usize| forecasts[index].is_finite();
        let least = (0..BLENDED)
            .filter(|index| there(*index))
            .map(|index| self.losses[index])
            .fold(f64::INFINITY, f64::min);
        let mut weights = PRIOR;
        for (index, weight) in weights.iter_mut().enumerate() {
            if !there(index) {
                *weight = 0.0;
            } else if self.count >= 1.0 {
                let unit = (least / self.count).max(f64::MIN_POSITIVE);
                *weight *= (-LEARNING_RATE * (self.losses[index] - least) / unit).exp();
            }
        }
        weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    #[test]
    fn nothing_known_gives_the_prior_of_what_is_there() {
        let (value, method) = Blend::default().of(&[10.0, 20.0, 20.0, NONE, NONE, NONE]);
        assert!((value - 14.0).abs() < 1e-9);
        assert_eq!(method, Method::Blend);
    }

    #[test]
    fn the_method_that_errs_least_takes_over() {
        let mut blend = Blend::default();
        let forecasts = [10.0, 20.0, 30.0, NONE, NONE, NONE];
        for _ in 0..30 {
            let (blended, _) = blend.of(&forecasts);
            blend.learn(&forecasts, blended, 21.0);
        }
        let (value, method) = blend.of(&forecasts);
        assert!((value - 20.0).abs() < 0.01, "{value}");
        assert_eq!(method, Method::ExponentialMean);
    }

    #[test]
    fn a_perfect_past_divides_by_nothing() {
        let mut blend = Blend::default();
        let forecasts = [5.0, 5.0, 6.0, NONE, NONE, NONE];
        for _ in 0..5 {
            blend.learn(&forecasts, 5.0, 5.0);
        }
        let (value, _) = blend.of(&forecasts);
        assert!((value - 5.0).abs() < 1e-9);
    }
}
