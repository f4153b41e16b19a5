//! Past errors of forecasts, and the range that follows from them: eight of ten days are expected
//! in it, at every horizon.
//!
//! Split conformal ranges promise that for days that are all alike. Days are not: a stormy month
//! follows a calm one, and the errors of neighbouring days are correlated. So the range is also
//! corrected online: each day outside makes the next range wider, each day inside a little
//! narrower, in such steps that two of ten days outside keep it as it is (adaptive conformal
//! inference, Gibbs and Candès 2021).

use std::collections::VecDeque;

/// The probability that a range covers.
pub const CONFIDENCE_LEVEL: f64 = 0.8;

/// Errors that are remembered, and how many it takes for a range.
const REMEMBERED: usize = 90;
const FEWEST: usize = 20;
/// The share of days on either side of the range.
const TAIL: f64 = (1.0 - CONFIDENCE_LEVEL) / 2.0;
/// Increase of the range's width after a day outside, as a logarithm.
const STEP: f64 = 0.2;
/// Limits of the correction, as a logarithm.
const NARROWEST: f64 = -1.2;
const WIDEST: f64 = 1.1;

/// The errors of one kind of forecast at one horizon.
#[derive(Default)]
pub(super) struct Errors {
    /// Oldest first, and in order of size.
    by_age: VecDeque<f64>,
    by_size: Vec<f64>,
    /// Logarithm of what the range is multiplied with.
    correction: f64,
}

impl Errors {
    /// Takes in the error of a forecast, actual minus expected, and whether the actual value lay in
    /// its range, if it had one.
    pub(super) fn learn(&mut self, error: f64, inside: Option<bool>) {
        if let Some(inside) = inside {
            let outside = if inside { 0.0 } else { 1.0 };
            let step = STEP * (outside - (1.0 - CONFIDENCE_LEVEL));
            self.correction = (self.correction + step).clamp(NARROWEST, WIDEST);
        }
        self.by_age.push_back(error);
        let at = self.by_size.partition_point(|known| *known < error);
        self.by_size.insert(at, error);
        if self.by_age.len() > REMEMBERED
            && let Some(oldest) = self.by_age.pop_front()
        {
            let at = self.by_size.partition_point(|known| *known < oldest);
            self.by_size.remove(at);
        }
    }

    /// The range around a forecast; `None` while too few errors are known.
    pub(super) fn range(&self, expected: f64) -> Option<(f64, f64)> {
        let count = self.by_size.len() as f64;
        if self.by_size.len() < FEWEST {
            return None;
        }
        // A further error falls between any two neighbouring ones with the same probability, hence
        // count + 1.
        let lower = self.at(TAIL * (count + 1.0) - 1.0);
        let upper = self.at((1.0 - TAIL) * (count + 1.0) - 1.0);
        let middle = self.at(0.5 * (count - 1.0));
        let factor = self.correction.exp();
        let end = |error: f64| (expected + middle + factor * (error - middle)).max(0.0);
        Some((end(lower), end(upper)))
    }

    /// The error at a position in the order of size, between two of them on the straight line.
    fn at(&self, position: f64) -> f64 {
        let last = self.by_size.len() - 1;
        let position = position.clamp(0.0, last as f64);
        let below = crate::stats::to_index(position.floor()).min(last);
        let above = (below + 1).min(last);
        let fraction = position - position.floor();
        self.by_size[below] + fraction * (self.by_size[above] - self.by_size[below])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors spread evenly over [-1, 1], the same ones again and again.
    fn even(index: u32) -> f64 {
        f64::from((index * 37) % 101) / 50.0 - 1.0
    }

    #[test]
    fn even_errors_give_four_fifths_of_their_span() {
        let mut errors = Errors::default();
        for index in 0..REMEMBERED {
            errors.learn(even(u32::try_from(index).unwrap()), None);
        }
        let (lower, upper) = errors.range(10.0).unwrap();
        assert!(
            (lower - 9.2).abs() < 0.06 && (upper - 10.8).abs() < 0.06,
            "{lower} {upper}"
        );
    }

    #[test]
    fn few_errors_give_no_range() {
        let mut errors = Errors::default();
        for index in 1..20 {
            errors.learn(even(index), None);
        }
        assert_eq!(errors.range(10.0), None);
    }

    #[test]
    fn days_outside_widen_the_range_and_days_inside_narrow_it() {
        let mut errors = Errors::default();
        for index in 0..40 {
            errors.learn(even(index), None);
        }
        let width = |errors: &Errors| errors.range(10.0).map(|(low, high)| high - low).unwrap();
        let before = width(&errors);
        errors.learn(0.0, Some(false));
        let wider = width(&errors);
        assert!(wider > 1.1 * before);
        for _ in 0..4 {
            errors.learn(0.0, Some(true));
        }
        assert!(width(&errors) < wider);
    }

    #[test]
    fn a_range_that_is_always_missed_stays_finite() {
        let mut errors = Errors::default();
        for index in 0..500 {
            errors.learn(even(index), Some(false));
        }
        let (lower, upper) = errors.range(10.0).unwrap();
        assert!(lower >= 0.0 && upper < 20.0);
    }
}
