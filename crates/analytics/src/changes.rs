//! Changes of the level of a series: the segments whose means fit it best, with a penalty per
//! change.

use crate::anomalies;
use crate::compare::hedges_g;
use crate::describe::Moments;
use crate::order::median_of;
use crate::trend::Line;

/// Minimum number of values of a segment.
pub const SHORTEST: usize = 5;
/// Maximum length of a series; the search takes quadratic time.
pub const MOST: usize = 2_000;

/// The level changes of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// The penalty per change, in variances of the noise: 3 ln n. This is more than Schwarz' 2 ln n
    /// because a change adds a level and a position (Zhang & Siegmund 2007).
    pub penalty: f64,
    /// The changes, in order.
    pub found: Vec<Change>,
    /// Whether a straight line fits at least as well as the steps. In that case no change is
    /// reported.
    pub is_sloped: bool,
}

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The index of the first value after the change.
    pub place: usize,
    /// The mean of the segment before.
    pub mean_before: f64,
    /// The mean of the segment after.
    pub mean_after: f64,
    /// Number of values of the segment before.
    pub count_before: usize,
    /// Number of values of the segment after.
    pub count_after: usize,
    /// The difference in standard deviations within the segments (Hedges' g).
    pub effect: Option<f64>,
}

/// The level changes of values without NaN, by optimal partitioning (Jackson et al. 2005), which
/// finds the segmentation of the lowest cost. Returns `None` for too few values for two levels, and
/// for too many.
///
/// Single spikes are first replaced by the median of their neighbours. The noise is estimated from
/// the differences of neighbours, which level changes hardly affect. Where the differences show
/// slow noise, its long-run variance is used, as of an autoregression of order 1.
pub fn changes(values: &[f64]) -> Option<Changes> {
    if values.len() < 2 * SHORTEST || values.len() > MOST {
        return None;
    }
    let penalty = 3.0 * (values.len() as f64).ln();
    let none = Changes {
        penalty,
        found: Vec::new(),
        is_sloped: false,
    };
    let calm = without_spikes(values);
    let Some(variance) = long_run_variance(&calm) else {
        return Some(none);
    };
    let scale = variance.sqrt();
    let scaled: Vec<f64> = calm.iter().map(|value| (value - calm[0]) / scale).collect();
    let (bounds, cost) = segments(&scaled, penalty);
    if bounds.len() > 2 && sloped_cost(&scaled, penalty) <= cost {
        return Some(Changes {
            is_sloped: true,
            ..none
        });
    }
    Some(Changes {
        found: between(values, &bounds),
        ..none
    })
}

fn without_spikes(values: &[f64]) -> Vec<f64> {
    let mut calm = values.to_vec();
    for spike in anomalies::of_series(values) {
        calm[spike.place] = spike.expected;
    }
    calm
}

/// The long-run variance: the variance of a mean of many values, times their number. Returns `None`
/// if the values do not vary.
fn long_run_variance(values: &[f64]) -> Option<f64> {
    let differences: Vec<f64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let n = differences.len() as f64;
    let variance = differences
        .iter()
        .map(|difference| difference * difference)
        .sum::<f64>()
        / n;
    if variance <= 0.0 {
        // A single step has one non-zero difference; the rest of the series has no noise.
        return None;
    }
    let typical = median_of(
        &mut differences
            .iter()
            .map(|difference| difference.abs())
            .collect::<Vec<_>>(),
    )?;
    let neighbours: f64 = differences
        .windows(2)
        .map(|pair| pair[0] * pair[1])
        .sum::<f64>()
        / n;
    // In an autoregression, neighbouring differences have the correlation −(1 − rho) ÷ 2.
    let rho = 1.0 + 2.0 * neighbours / variance;
    let is_slow = typical > 0.0 && rho > 3.0 / n.sqrt();
    let rho = if is_slow { rho.min(0.95) } else { 0.0 };
    Some(variance / 2.0 * (1.0 + rho) / (1.0 - rho).powi(2))
}

/// The best segmentation, as the starts of the segments followed by the end of the last, and its
/// cost.
fn segments(values: &[f64], penalty: f64) -> (Vec<usize>, f64) {
    let n = values.len();
    let sums = Sums::of(values);
    let mut best = vec![f64::INFINITY; n + 1];
    let mut from = vec![0; n + 1];
    best[0] = -penalty;
    for end in SHORTEST..=n {
        for start in 0..=end - SHORTEST {
            let cost = best[start] + sums.cost(start, end) + penalty;
            if cost < best[end] {
                best[end] = cost;
                from[end] = start;
            }
        }
    }
    let mut bounds = vec![n];
    let mut end = n;
    while end > 0 {
        end = from[end];
        bounds.push(end);
    }
    bounds.reverse();
    (bounds, best[n])
}

/// Cumulative sums, from which the squares about the mean of any segment follow.
struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn of(values: &[f64]) -> Self {
        let running = |of: fn(f64) -> f64| {
            let mut sum = 0.0;
            let sums = values.iter().map(|value| {
                sum += of(*value);
                sum
            });
            std::iter::once(0.0).chain(sums).collect()
        };
        Self {
            values: running(|value| value),
            squares: running(|value| value * value),
        }
    }

    fn cost(&self, start: usize, end: usize) -> f64 {
        let sum = self.values[end] - self.values[start];
        let squares = self.squares[end] - self.squares[start];
        (squares - sum * sum / (end - start) as f64).max(0.0)
    }
}

/// The cost of a straight line. Its slope counts as one change.
fn sloped_cost(values: &[f64], penalty: f64) -> f64 {
    let points: Vec<(f64, f64)> = values
        .iter()
        .enumerate()
        .map(|(place, value)| (place as f64, *value))
        .collect();
    let Some(line) = Line::through(&points) else {
        return f64::INFINITY;
    };
    points
        .iter()
        .map(|(x, y)| (y - line.at(*x)).powi(2))
        .sum::<f64>()
        + penalty
}

fn between(values: &[f64], bounds: &[usize]) -> Vec<Change> {
    bounds
        .windows(3)
        .filter_map(|bounds| {
            let before = Moments::of(&values[bounds[0]..bounds[1]])?;
            let after = Moments::of(&values[bounds[1]..bounds[2]])?;
            Some(Change {
                place: bounds[1],
                mean_before: before.mean,
                mean_after: after.mean,
                count_before: bounds[1] - bounds[0],
                count_after: bounds[2] - bounds[1],
                effect: hedges_g(after, before),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::noise::Noise;

    fn places(values: &[f64]) -> Vec<usize> {
        changes(values)
            .unwrap()
            .found
            .iter()
            .map(|change| change.place)
            .collect()
    }

    #[test]
    fn a_step_is_found_with_its_means() {
        let mut values = Noise::of(7).normals(90);
        for value in &mut values[60..] {
            *value += 4.0;
        }
        values[20] = 60.0;
        let found = changes(&values).unwrap().found;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].place.abs_diff(60) <= 1);
        assert!((found[0].mean_after - found[0].mean_before - 4.0).abs() < 1.5);
        assert_eq!(
            (
                found[0].count_before + found[0].count_after,
                found[0].effect.is_some()
            ),
            (90, true)
        );
    }

    #[test]
    fn a_slope_has_no_level_changes() {
        let mut noise = Noise::of(3);
        let sloped: Vec<f64> = (0..120)
            .map(|i| 0.1 * f64::from(i) + noise.normal())
            .collect();
        let found = changes(&sloped).unwrap();
        assert!(found.is_sloped && found.found.is_empty());
    }

    #[test]
    fn a_step_without_noise_is_found_and_a_constant_has_none() {
        assert_eq!(places(&[vec![1.0; 20], vec![2.0; 20]].concat()), [20]);
        assert!(places(&[0.1; 40]).is_empty());
        assert_eq!(changes(&[1.0; 9]), None);
        assert_eq!(changes(&[1.0; MOST + 1]), None);
    }

    #[test]
    fn white_and_slow_noise_rarely_have_changes() {
        for (length, most) in [(30, 12), (100, 8), (400, 8)] {
            let white = (0..400)
                .filter(|seed| !places(&Noise::of(*seed).normals(length)).is_empty())
                .count();
            assert!(white <= most, "{white} of 400, {length} values");
        }
        let slow = (0..200)
            .filter(|seed| {
                let mut level = 0.0;
                let noise = Noise::of(*seed).normals(200);
                let values: Vec<f64> = noise
                    .into_iter()
                    .map(|shock| {
                        level = 0.6 * level + shock;
                        level
                    })
                    .collect();
                !places(&values).is_empty()
            })
            .count();
        assert!(slow <= 10, "{slow} of 200");
    }

    #[test]
    fn a_third_change_is_rarely_found_beside_two() {
        let third = (0..400)
            .filter(|seed| {
                let mut values = Noise::of(*seed).normals(120);
                for value in &mut values[30..80] {
                    *value += 5.0;
                }
                places(&values).len() > 2
            })
            .count();
        assert!(third <= 8, "{third} of 400");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn planted_changes_are_found_whatever_the_unit(
            seed in 0_u64..1_000,
            first in 20_usize..40,
            second in 70_usize..90,
            scale in 0.01..100.0_f64,
            shift in -1e3..1e3_f64,
        ) {
            let mut values = Noise::of(seed).normals(120);
            for value in &mut values[first..second] {
                *value += 5.0;
            }
            let found = places(&values);
            // The noise may have a change of its own, rarely.
            let near = |place: usize| found.iter().any(|found| found.abs_diff(place) <= 2);
            prop_assert!(near(first) && near(second) && found.len() <= 3, "{:?}", found);
            let moved: Vec<f64> = values.iter().map(|x| x * scale + shift).collect();
            prop_assert_eq!(places(&moved), found);
        }

        #[test]
        fn no_input_makes_it_fail(values in prop::collection::vec(-1e100..1e100_f64, 0..60)) {
            if let Some(found) = changes(&values) {
                prop_assert!(found.found.iter().all(|change| change.place < values.len()));
            }
        }
    }
}
