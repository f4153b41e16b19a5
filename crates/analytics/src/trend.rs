//! The trend of a series: least squares, the Theil–Sen line, and the Mann–Kendall test.

use crate::describe::{CONFIDENCE, Moments};
use crate::order::median_of;
use crate::p_values;

/// Maximum length for the slopes of all pairs of points. For longer series, Theil's (1950)
/// abbreviated method pairs each point of the first half with the point half a series later.
const MOST_FOR_ALL_PAIRS: usize = 1_500;
/// Minimum number of points.
const LEAST: usize = 3;

/// The trend of a series, per unit of x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Number of points.
    pub count: usize,
    /// The slope by least squares.
    pub slope: f64,
    /// The confidence interval of the slope, by Student's t.
    pub interval: Option<(f64, f64)>,
    /// The share of the variance that the line explains; `None` for a constant.
    pub r2: Option<f64>,
    /// The Theil–Sen slope.
    pub theil_sen: f64,
    /// The p-value of the Mann–Kendall test; `None` for a constant.
    pub mann_kendall_p: Option<f64>,
    /// The autocorrelation of the residuals at lag 1.
    pub residual_autocorrelation: f64,
}

/// The trend of points sorted by increasing x. Returns `None` with fewer than three points.
pub fn trend(points: &[(f64, f64)]) -> Option<Trend> {
    let line = Line::through(points)?;
    let residuals: Vec<f64> = points.iter().map(|&(x, y)| y - line.at(x)).collect();
    let unexplained: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let freedom = points.len() as f64 - 2.0;
    let error = (unexplained / freedom / line.x.squares).sqrt();
    let reach = p_values::student_quantile(CONFIDENCE, freedom).map(|quantile| quantile * error);
    Some(Trend {
        count: points.len(),
        slope: line.slope,
        interval: reach.map(|reach| (line.slope - reach, line.slope + reach)),
        r2: (line.y.squares > 0.0).then(|| (1.0 - unexplained / line.y.squares).clamp(0.0, 1.0)),
        theil_sen: theil_sen(points)?,
        mann_kendall_p: mann_kendall(points),
        residual_autocorrelation: autocorrelation(&residuals),
    })
}

/// A line fitted by least squares.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    slope: f64,
    x: Moments,
    y: Moments,
}

impl Line {
    pub(crate) fn through(points: &[(f64, f64)]) -> Option<Self> {
        if points.len() < LEAST {
            return None;
        }
        let (xs, ys): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        let (x, y) = (Moments::of(&xs)?, Moments::of(&ys)?);
        if x.squares <= 0.0 {
            return None;
        }
        let products: f64 = points
            .iter()
            .map(|&(at, value)| (at - x.mean) * (value - y.mean))
            .sum();
        let slope = if y.squares > 0.0 {
            products / x.squares
        } else {
            0.0
        };
        Some(Self { slope, x, y })
    }

    pub(crate) fn at(&self, x: f64) -> f64 {
        self.y.mean + self.slope * (x - self.x.mean)
    }
}

fn theil_sen(points: &[(f64, f64)]) -> Option<f64> {
    let slope = |(&(x1, y1), &(x2, y2)): (&(f64, f64), &(f64, f64))| (y2 - y1) / (x2 - x1);
    let mut slopes: Vec<f64> = if points.len() > MOST_FOR_ALL_PAIRS {
        let half = points.len().div_ceil(2);
        points.iter().zip(&points[half..]).map(slope).collect()
    } else {
        let pairs = points.iter().enumerate().flat_map(|(place, first)| {
            points[place + 1..]
                .iter()
                .map(move |second| (first, second))
        });
        pairs.map(slope).collect()
    };
    median_of(&mut slopes)
}

/// The normal approximation with ties and a correction for continuity.
fn mann_kendall(points: &[(f64, f64)]) -> Option<f64> {
    let mut sorted: Vec<f64> = points.iter().map(|point| point.1).collect();
    let mut concordance = 0.0;
    for (place, first) in sorted.iter().enumerate() {
        let later = &sorted[place + 1..];
        let rises = later.iter().filter(|value| *value > first).count() as f64;
        let falls = later.iter().filter(|value| *value < first).count() as f64;
        concordance += rises - falls;
    }
    sorted.sort_by(f64::total_cmp);
    let spread = |n: f64| n * (n - 1.0) * (2.0 * n + 5.0);
    let ties: f64 = sorted
        .chunk_by(|a, b| a >= b)
        .map(|run| spread(run.len() as f64))
        .sum();
    let variance = (spread(sorted.len() as f64) - ties) / 18.0;
    if variance <= 0.0 {
        return None;
    }
    let continuous = (f64::abs(concordance) - 1.0).max(0.0);
    Some(p_values::normal(continuous / variance.sqrt()))
}

/// The autocorrelation of values about 0, at lag 1; 0 for a constant.
fn autocorrelation(residuals: &[f64]) -> f64 {
    let squares: f64 = residuals.iter().map(|residual| residual * residual).sum();
    let products: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
    if squares > 0.0 {
        products / squares
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noise::Noise;

    fn close(ours: f64, theirs: f64) {
        assert!(
            (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0),
            "{ours} is not {theirs}"
        );
    }

    #[test]
    fn slopes_and_tests_are_those_of_scipy() {
        let ys = [3.0, 5.0, 4.0, 6.0, 6.0, 9.0, 7.0, 30.0, 8.0, 10.0];
        let xs = [0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0, 10.0, 11.0];
        let points: Vec<(f64, f64)> = xs.into_iter().zip(ys).collect();
        let trend = trend(&points).unwrap();
        // scipy 1.17.1: linregress, theilslopes; pymannkendall's formulae for z (ties, continuity)
        close(trend.slope, 0.996_096_799_375_487_7);
        close(trend.interval.unwrap().0, -0.470_469_727_670_401_96);
        close(trend.interval.unwrap().1, 2.462_663_326_421_377);
        close(trend.r2.unwrap(), 0.234_678_640_325_539_56);
        close(trend.theil_sen, 0.6);
        close(trend.mann_kendall_p.unwrap(), 0.003_041_744_319_900_935);
    }

    #[test]
    fn constants_and_few_points_have_no_direction() {
        assert_eq!(trend(&[(0.0, 1.0), (1.0, 2.0)]), None);
        assert_eq!(trend(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        let flat = trend(&[(0.0, 0.1), (1.0, 0.1), (2.0, 0.1), (3.0, 0.1)]).unwrap();
        assert_eq!(
            (flat.slope, flat.r2, flat.mann_kendall_p),
            (0.0, None, None)
        );
    }

    #[test]
    fn long_series_take_half_a_series_between_points() {
        let points: Vec<(f64, f64)> = (0..4_000)
            .map(|i| (f64::from(i), 2.0 * f64::from(i)))
            .collect();
        close(trend(&points).unwrap().theil_sen, 2.0);
    }

    #[test]
    fn noise_has_a_trend_as_often_as_the_level_says() {
        let found = (0..400)
            .filter(|seed| {
                let noise = Noise::of(*seed).normals(60);
                let points: Vec<(f64, f64)> = noise
                    .into_iter()
                    .enumerate()
                    .map(|(i, y)| (i as f64, y))
                    .collect();
                trend(&points).unwrap().mann_kendall_p.unwrap() < 0.05
            })
            .count();
        assert!((8..=36).contains(&found), "{found} of 400");
    }

    proptest! {
        #[test]
        fn a_planted_slope_is_found_behind_outliers(seed in 0_u64..500, slope in -5.0..5.0_f64) {
            let mut noise = Noise::of(seed);
            let points: Vec<(f64, f64)> = (0..80)
                .map(|i| {
                    let wild = if i % 9 == 4 { 300.0 } else { 0.0 };
                    (f64::from(i), slope * f64::from(i) + noise.normal() + wild)
                })
                .collect();
            prop_assert!((trend(&points).unwrap().theil_sen - slope).abs() < 0.2);
        }
    }
}
