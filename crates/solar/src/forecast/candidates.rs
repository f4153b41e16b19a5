//! The simple methods that the past weighs, evaluated with running sums.

use std::collections::VecDeque;

use crate::forecast::LONGEST_HORIZON;

/// Number of methods that are blended.
pub(super) const BLENDED: usize = 6;

/// How a day is forecast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Convex combination of the last day and the mean of 30 days.
    Cliper,
    /// Exponential mean of the last 45 days.
    ExponentialMean,
    /// Mean of the last 30 known days.
    Mean30,
    /// [`Method::Cliper`] of the share of extraterrestrial radiation.
    CliperClearness,
    /// [`Method::ExponentialMean`] of that share.
    ExponentialClearness,
    /// [`Method::Mean30`] of that share.
    MeanClearness,
    /// Several of these, each weighted by how it did, none with nine tenths of the weight.
    Blend,
    /// Irradiance that was forecast for the site, by the device's response to it.
    Weather,
}

impl Method {
    /// The methods that are blended, in the order of [`Running::forecasts`].
    pub(super) const BLENDED: [Method; BLENDED] = [
        Method::Cliper,
        Method::ExponentialMean,
        Method::Mean30,
        Method::CliperClearness,
        Method::ExponentialClearness,
        Method::MeanClearness,
    ];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Cliper => "cliper",
            Method::ExponentialMean => "exponential_mean",
            Method::Mean30 => "mean_30_days",
            Method::CliperClearness => "cliper_clearness",
            Method::ExponentialClearness => "exponential_mean_clearness",
            Method::MeanClearness => "mean_30_days_clearness",
            Method::Blend => "blend",
            Method::Weather => "weather",
        }
    }
}

/// Days that the autocorrelation looks back.
const CORRELATION_DAYS: usize = 90;
/// With fewer pairs than this the autocorrelation is not worth computing.
const FEWEST_PAIRS: f64 = 15.0;
/// The correlation if there are too few pairs.
const DEFAULT_CORRELATION: f64 = 0.3;
/// Weight of the newest day in the exponential mean, and how far it looks back.
const NEWEST_WEIGHT: f64 = 0.12;
const EXPONENTIAL_DAYS: usize = 45;

/// The state of the methods after a sequence of days, updated day by day.
pub(super) struct Running<'a> {
    values: &'a [f64],
    /// Days seen.
    seen: usize,
    /// The last 30 known values and their sum.
    last_known: VecDeque<f64>,
    last_known_sum: f64,
    /// Sum and count of the known values of the last 14 days: what any method has to beat.
    fortnight: (f64, f64),
    /// Weighted sum and weights of the last 45 days.
    exponential: (f64, f64),
    /// One per lag, from 1.
    correlations: Vec<Correlation>,
}

impl<'a> Running<'a> {
    pub(super) fn new(values: &'a [f64], lags: u32) -> Self {
        // Sums of squares lose digits far from zero, so the correlations work on differences from
        // the overall mean.
        let centre = crate::stats::mean(values.iter().copied().filter(|value| value.is_finite()))
            .unwrap_or(0.0);
        let lags = usize::try_from(lags.min(LONGEST_HORIZON)).unwrap_or(0);
        Self {
            values,
            seen: 0,
            last_known: VecDeque::with_capacity(31),
            last_known_sum: 0.0,
            fortnight: (0.0, 0.0),
            exponential: (0.0, 0.0),
            correlations: (1..=lags)
                .map(|lag| Correlation {
                    lag,
                    centre,
                    ..Correlation::default()
                })
                .collect(),
        }
    }

    /// Takes the next day in.
    pub(super) fn advance(&mut self) {
        let day = self.seen;
        let value = self.values[day];
        if value.is_finite() {
            self.last_known.push_back(value);
            self.last_known_sum += value;
            if self.last_known.len() > 30 {
                self.last_known_sum -= self.last_known.pop_front().unwrap_or(0.0);
            }
        }
        let gone = |days: usize| {
            day.checked_sub(days)
                .map_or(f64::NAN, |day| self.values[day])
        };
        add(&mut self.fortnight, value, 1.0);
        add(&mut self.fortnight, gone(14), -1.0);
        let keep = 1.0 - NEWEST_WEIGHT;
        self.exponential = (self.exponential.0 * keep, self.exponential.1 * keep);
        add(&mut self.exponential, value, 1.0);
        add(
            &mut self.exponential,
            gone(EXPONENTIAL_DAYS),
            -POWERS[EXPONENTIAL_DAYS],
        );
        for correlation in &mut self.correlations {
            correlation.advance(self.values, day);
        }
        self.seen += 1;
    }

    pub(super) fn known(&self) -> usize {
        self.last_known.len()
    }

    pub(super) fn mean30(&self) -> f64 {
        self.last_known_sum / self.last_known.len() as f64
    }

    /// The last known value of the two latest days.
    pub(super) fn last(&self) -> f64 {
        let latest = &self.values[self.seen.saturating_sub(2)..self.seen];
        latest
            .iter()
            .rev()
            .copied()
            .find(|value| value.is_finite())
            .unwrap_or(f64::NAN)
    }

    /// The last known value at all.
    pub(super) fn last_known(&self) -> f64 {
        self.last_known.back().copied().unwrap_or(f64::NAN)
    }

    pub(super) fn cliper(&self, lag: usize) -> f64 {
        let (mean, last) = (self.mean30(), self.last());
        if last.is_nan() {
            return mean;
        }
        let r = self.correlations[lag - 1].value();
        r * last + (1.0 - r) * mean
    }

    pub(super) fn exponential_mean(&self) -> f64 {
        ratio(self.exponential)
    }

    /// What each method that works on these values expects in `lag` days: CLIPER, the exponential
    /// mean, the mean of 30 days.
    pub(super) fn forecasts(&self, lag: usize) -> [f64; 3] {
        [self.cliper(lag), self.exponential_mean(), self.mean30()]
    }

    pub(super) fn mean14(&self) -> f64 {
        ratio(self.fortnight)
    }
}

fn add(sum: &mut (f64, f64), value: f64, weight: f64) {
    if value.is_finite() {
        sum.0 += weight * value;
        sum.1 += weight;
    }
}

fn ratio((sum, weight): (f64, f64)) -> f64 {
    // Running sums never come back to exactly zero.
    if weight > 1e-6 {
        sum / weight
    } else {
        f64::NAN
    }
}

/// Powers of what an exponential mean keeps from one day to the next.
const POWERS: [f64; EXPONENTIAL_DAYS + 1] = {
    let mut powers = [1.0; EXPONENTIAL_DAYS + 1];
    let mut day = 1;
    while day <= EXPONENTIAL_DAYS {
        powers[day] = powers[day - 1] * (1.0 - NEWEST_WEIGHT);
        day += 1;
    }
    powers
};

/// Pearson correlation of the last 90 days with themselves `lag` days earlier.
#[derive(Default)]
struct Correlation {
    lag: usize,
    centre: f64,
    pairs: f64,
    sum_a: f64,
    sum_b: f64,
    sum_aa: f64,
    sum_bb: f64,
    sum_ab: f64,
}

impl Correlation {
    fn advance(&mut self, values: &[f64], day: usize) {
        if let Some(earlier) = day.checked_sub(self.lag) {
            self.add(values[earlier], values[day], 1.0);
        }
        // The oldest pair leaves with the first of its two days.
        if let Some(gone) = day.checked_sub(CORRELATION_DAYS) {
            self.add(values[gone], values[gone + self.lag], -1.0);
        }
    }

    fn add(&mut self, earlier: f64, later: f64, sign: f64) {
        let (a, b) = (earlier - self.centre, later - self.centre);
        if !(a.is_finite() && b.is_finite()) {
            return;
        }
        self.pairs += sign;
        self.sum_a += sign * a;
        self.sum_b += sign * b;
        self.sum_aa += sign * a * a;
        self.sum_bb += sign * b * b;
        self.sum_ab += sign * a * b;
    }

    /// Clipped to [0, 1].
    fn value(&self) -> f64 {
        if self.pairs < FEWEST_PAIRS {
            return DEFAULT_CORRELATION;
        }
        let n = self.pairs;
        let covariance = self.sum_ab - self.sum_a * self.sum_b / n;
        let variances = (self.sum_aa - self.sum_a * self.sum_a / n)
            * (self.sum_bb - self.sum_b * self.sum_b / n);
        if variances <= 1e-12 {
            return 0.0;
        }
        (covariance / variances.sqrt()).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definitions, written out over the last days of a slice.
    fn slowly(values: &[f64], lag: usize) -> (f64, f64, f64) {
        let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let month = mean(&known[known.len().saturating_sub(30)..]);
        let window = &values[values.len().saturating_sub(90)..];
        let pairs: Vec<(f64, f64)> = window
            .iter()
            .zip(&window[lag..])
            .filter(|(a, b)| a.is_finite() && b.is_finite())
            .map(|(a, b)| (*a, *b))
            .collect();
        let (earlier, later): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let covariance = |x: &[f64], y: &[f64]| {
            let (mean_x, mean_y) = (mean(x), mean(y));
            x.iter()
                .zip(y)
                .map(|(x, y)| (x - mean_x) * (y - mean_y))
                .sum::<f64>()
        };
        let r = if pairs.len() < 15 {
            0.3
        } else {
            let variances = covariance(&earlier, &earlier) * covariance(&later, &later);
            (covariance(&earlier, &later) / variances.sqrt()).clamp(0.0, 1.0)
        };
        let last = values.iter().rev().take(2).copied().find(|v| v.is_finite());
        let cliper = last.map_or(month, |last| r * last + (1.0 - r) * month);
        let recent = values
            .iter()
            .rev()
            .take(45)
            .enumerate()
            .filter(|(_, v)| v.is_finite());
        let (sum, weight) = recent.fold((0.0, 0.0), |(sum, weight), (age, v)| {
            let w = 0.88_f64.powi(i32::try_from(age).unwrap());
            (sum + w * v, weight + w)
        });
        let fortnight: Vec<f64> = values
            .iter()
            .rev()
            .take(14)
            .copied()
            .filter(|v| v.is_finite())
            .collect();
        (cliper, sum / weight, mean(&fortnight))
    }

    proptest::proptest! {
        #[test]
        fn running_sums_equal_the_definitions(
            values in proptest::collection::vec(
                proptest::prop_oneof![9 => 0.0..60.0_f64, 1 => proptest::strategy::Just(f64::NAN)], 40..200),
            lag in 1_usize..=7,
        ) {
            let mut running = Running::new(&values, 7);
            for day in 0..values.len() {
                running.advance();
                if day < 20 { continue; }
                let (cliper, exponential, fortnight) = slowly(&values[..=day], lag);
                if fortnight.is_finite() {
                    proptest::prop_assert!((running.mean14() - fortnight).abs() < 1e-6);
                }
                proptest::prop_assert!((running.exponential_mean() - exponential).abs() < 1e-6);
                proptest::prop_assert!((running.cliper(lag) - cliper).abs() < 1e-5);
            }
        }
    }
}
