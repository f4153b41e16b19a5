//! Tests for differences between groups.

use super::Test;
use crate::describe::Moments;
use crate::order::sorted_ranks;
use crate::p_values;

/// Welch's t test of two means. Returns `None` when neither group varies.
pub(super) fn welch_t(one: Moments, other: Moments) -> Option<Test> {
    let errors =
        [one, other].map(|group| (group.variance().unwrap_or(0.0) / group.count, group.count));
    let error: f64 = errors.iter().map(|(error, _)| error).sum();
    if error <= 0.0 {
        return None;
    }
    // Shares of the larger error, so that the squares of tiny values do not underflow.
    let shares = errors
        .iter()
        .map(|(of_group, count)| (of_group / error).powi(2) / (count - 1.0));
    let freedom = 1.0 / shares.sum::<f64>();
    let statistic = (one.mean - other.mean) / error.sqrt();
    Some(Test {
        name: "welch_t",
        statistic,
        freedom: vec![freedom],
        p: p_values::student(statistic, freedom),
    })
}

/// Welch's (1951) analysis of variance for groups with unequal variances. Returns `None` when a
/// group does not vary, because its weight would be infinite.
pub(super) fn welch_anova(groups: &[Moments]) -> Option<Test> {
    let weights: Vec<f64> = groups
        .iter()
        .map(|group| Some(group.count / group.variance().filter(|variance| *variance > 0.0)?))
        .collect::<Option<_>>()?;
    let all: f64 = weights.iter().sum();
    let k = groups.len() as f64;
    let weighted = || groups.iter().zip(&weights);
    let mean = weighted()
        .map(|(group, weight)| group.mean * (weight / all))
        .sum::<f64>();
    let between = weighted()
        .map(|(group, weight)| weight * (group.mean - mean).powi(2))
        .sum::<f64>()
        / (k - 1.0);
    let lambda: f64 = weighted()
        .map(|(group, weight)| (1.0 - weight / all).powi(2) / (group.count - 1.0))
        .sum();
    let statistic = between / (1.0 + 2.0 * (k - 2.0) / (k * k - 1.0) * lambda);
    let freedom = (k * k - 1.0) / (3.0 * lambda);
    Some(Test {
        name: "welch_anova",
        statistic,
        freedom: vec![k - 1.0, freedom],
        p: p_values::fisher_f(statistic, k - 1.0, freedom),
    })
}

/// Mann and Whitney's U of the first group, by the normal approximation with ties and a correction
/// for continuity. Returns `None` when all values are the same.
pub(super) fn mann_whitney(one: &[f64], other: &[f64]) -> Option<Test> {
    let (sums, ties, n) = rank_sums(&[one, other]);
    let (n1, n2) = (one.len() as f64, other.len() as f64);
    let u = sums[0] - n1 * (n1 + 1.0) / 2.0;
    let variance = n1 * n2 / 12.0 * (n + 1.0 - ties / (n * (n - 1.0)));
    if variance <= 0.0 {
        return None;
    }
    let distance = ((u - n1 * n2 / 2.0).abs() - 0.5).max(0.0);
    Some(Test {
        name: "mann_whitney_u",
        statistic: u,
        freedom: Vec::new(),
        p: p_values::normal(distance / variance.sqrt()),
    })
}

/// Kruskal and Wallis' H, corrected for ties. Returns `None` when all values are the same.
pub(crate) fn kruskal_wallis(groups: &[&[f64]]) -> Option<Test> {
    let (sums, ties, n) = rank_sums(groups);
    let correction = 1.0 - ties / (n * n * n - n);
    if groups.len() < 2 || correction.is_nan() || correction <= 0.0 {
        return None;
    }
    let squares: f64 = sums
        .iter()
        .zip(groups)
        .map(|(sum, group)| sum * sum / group.len() as f64)
        .sum();
    let statistic = ((12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0)) / correction).max(0.0);
    let freedom = groups.len() as f64 - 1.0;
    Some(Test {
        name: "kruskal_wallis",
        statistic,
        freedom: vec![freedom],
        p: p_values::chi_squared(statistic, freedom),
    })
}

/// The rank sum of each group, Σ(t³ − t) over the ties, and the number of values.
fn rank_sums(groups: &[&[f64]]) -> (Vec<f64>, f64, f64) {
    let mut values: Vec<(f64, usize)> = groups
        .iter()
        .enumerate()
        .flat_map(|(group, values)| values.iter().map(move |value| (*value, group)))
        .collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let sorted: Vec<f64> = values.iter().map(|value| value.0).collect();
    let (ranks, ties) = sorted_ranks(&sorted);
    let mut sums = vec![0.0; groups.len()];
    for ((_, group), rank) in values.iter().zip(ranks) {
        sums[*group] += rank;
    }
    (sums, ties, values.len() as f64)
}
