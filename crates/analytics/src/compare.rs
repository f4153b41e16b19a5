//! Differences of a column between groups: tests, effect sizes, pairs.

mod tests_of_difference;

use crate::column::Column;
use crate::describe::Moments;
use crate::labels::Labels;
use crate::order::median;
use crate::p_values::holm;

pub(crate) use tests_of_difference::kruskal_wallis;
use tests_of_difference::{mann_whitney, welch_anova, welch_t};

/// Groups with fewer values are shown but not tested.
pub const LEAST: usize = 3;

/// The result of a statistical test.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// The name of the test as in the contract: `welch_t`.
    pub name: &'static str,
    /// The test statistic.
    pub statistic: f64,
    /// The degrees of freedom: two for F, none for U.
    pub freedom: Vec<f64>,
    /// The p-value.
    pub p: f64,
}

/// The size of a difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effect {
    /// The measure: `hedges_g`, `cliffs_delta`, `eta_squared` or `epsilon_squared`.
    pub name: &'static str,
    /// The value in the unit of the measure.
    pub value: f64,
}

impl Effect {
    /// The size in a word, by the limits of Cohen (1988; g, and f² as eta²) and Romano et al.
    /// (2006; delta).
    pub fn size(&self) -> &'static str {
        let limits = match self.name {
            "hedges_g" => [0.2, 0.5, 0.8],
            "cliffs_delta" => [0.147, 0.33, 0.474],
            _ => [0.01, 0.06, 0.14],
        };
        let words = ["negligible", "small", "medium", "large"];
        words[limits
            .iter()
            .filter(|limit| self.value.abs() >= **limit)
            .count()]
    }

    /// The size on one scale for all measures: from 0 (negligible) to 3 (large), continuous.
    pub fn weight(&self) -> f64 {
        let unit = match self.name {
            "hedges_g" => 0.8,
            "cliffs_delta" => 0.474,
            _ => 0.14,
        };
        self.value.abs() / unit
    }
}

/// The figures of one group.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Group {
    /// The number of the group in [`Labels`].
    pub label: usize,
    /// Number of values in the group.
    pub count: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The median.
    pub median: f64,
    /// The standard deviation; `None` for a single value.
    pub sd: Option<f64>,
}

impl Group {
    /// Whether the group is large enough for the tests.
    pub fn is_tested(&self) -> bool {
        self.count >= LEAST
    }

    pub(crate) fn moments(&self) -> Moments {
        let count = self.count as f64;
        let squares = self.sd.map_or(0.0, |sd| sd * sd * (count - 1.0));
        Moments {
            count,
            mean: self.mean,
            squares,
        }
    }
}

/// The comparison of two groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The label of the group with the higher mean.
    pub higher: usize,
    /// The label of the group with the lower mean.
    pub lower: usize,
    /// The difference of the means.
    pub difference: f64,
    /// The p-value of Welch's t, corrected for the number of pairs.
    pub p_adjusted: f64,
    /// Hedges' g; `None` if neither group varies.
    pub hedges_g: Option<f64>,
}

/// The differences of a column between groups.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The groups, the highest mean first.
    pub groups: Vec<Group>,
    /// Number of groups left out, the smallest first, because there are too many.
    pub left_out: usize,
    /// The test for a difference of the means.
    pub means: Option<Test>,
    /// The test for a difference of the ranks.
    pub ranks: Option<Test>,
    /// The effect sizes of the differences.
    pub effects: Vec<Effect>,
    /// For three or more groups: every tested pair, the largest difference first.
    pub pairs: Vec<Pair>,
}

/// Compares the `most` largest groups of a column.
pub fn groups(column: &Column, labels: &Labels, most: usize) -> Comparison {
    let mut values: Vec<Vec<f64>> = vec![Vec::new(); labels.count()];
    for &row in column.order() {
        if let Some(label) = labels.get(row) {
            values[label].push(column.values()[row]);
        }
    }
    let mut groups: Vec<Group> = values
        .iter()
        .enumerate()
        .filter_map(|(label, values)| group(label, values))
        .collect();
    groups.sort_by(|a, b| b.count.cmp(&a.count).then(a.label.cmp(&b.label)));
    let left_out = groups.len().saturating_sub(most);
    groups.truncate(most);
    groups.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.label.cmp(&b.label)));

    let tested: Vec<Group> = groups.iter().copied().filter(Group::is_tested).collect();
    let tested_values: Vec<&[f64]> = tested
        .iter()
        .map(|group| values[group.label].as_slice())
        .collect();
    let (means, ranks, effects) = match tested.as_slice() {
        [] | [_] => (None, None, Vec::new()),
        [one, other] => two(*one, *other, &tested_values),
        _ => several(&tested, &tested_values),
    };
    Comparison {
        pairs: if tested.len() > 2 {
            pairs(&tested)
        } else {
            Vec::new()
        },
        groups,
        left_out,
        means,
        ranks,
        effects,
    }
}

/// The figures of a group whose values are sorted.
fn group(label: usize, sorted: &[f64]) -> Option<Group> {
    let moments = Moments::of(sorted)?;
    Some(Group {
        label,
        count: sorted.len(),
        mean: moments.mean,
        median: median(sorted)?,
        sd: moments.sd(),
    })
}

type Tests = (Option<Test>, Option<Test>, Vec<Effect>);

fn two(one: Group, other: Group, values: &[&[f64]]) -> Tests {
    let ranks = mann_whitney(values[0], values[1]);
    let delta = ranks.as_ref().map(|test| {
        let pairs = (one.count * other.count) as f64;
        Effect {
            name: "cliffs_delta",
            value: 2.0 * test.statistic / pairs - 1.0,
        }
    });
    let g = hedges_g(one.moments(), other.moments());
    let g = g.map(|value| Effect {
        name: "hedges_g",
        value,
    });
    let means = welch_t(one.moments(), other.moments());
    (means, ranks, g.into_iter().chain(delta).collect())
}

fn several(groups: &[Group], values: &[&[f64]]) -> Tests {
    let moments: Vec<Moments> = groups.iter().map(Group::moments).collect();
    let ranks = kruskal_wallis(values);
    let all: f64 = moments.iter().map(|group| group.count).sum();
    let epsilon = ranks.as_ref().map(|test| Effect {
        name: "epsilon_squared",
        value: (test.statistic / (all - 1.0)).clamp(0.0, 1.0),
    });
    let eta = eta_squared(&moments).map(|value| Effect {
        name: "eta_squared",
        value,
    });
    (
        welch_anova(&moments),
        ranks,
        eta.into_iter().chain(epsilon).collect(),
    )
}

/// The share of the variance that lies between groups.
fn eta_squared(groups: &[Moments]) -> Option<f64> {
    let all: f64 = groups.iter().map(|group| group.count).sum();
    let mean = groups
        .iter()
        .map(|group| group.mean * (group.count / all))
        .sum::<f64>();
    let between: f64 = groups
        .iter()
        .map(|group| group.count * (group.mean - mean).powi(2))
        .sum();
    let within: f64 = groups.iter().map(|group| group.squares).sum();
    let total = between + within;
    (total > 0.0).then(|| between / total)
}

/// The difference of two means in pooled standard deviations, corrected for small samples (Hedges
/// 1981).
pub(crate) fn hedges_g(one: Moments, other: Moments) -> Option<f64> {
    let freedom = one.count + other.count - 2.0;
    let pooled = ((one.squares + other.squares) / freedom).sqrt();
    let correction = 1.0 - 3.0 / (4.0 * freedom - 1.0);
    (freedom >= 1.0 && pooled > 0.0).then(|| correction * (one.mean - other.mean) / pooled)
}

/// Every pair of groups, given in the order of their means.
fn pairs(groups: &[Group]) -> Vec<Pair> {
    let both = groups
        .iter()
        .enumerate()
        .flat_map(|(place, higher)| groups[place + 1..].iter().map(move |lower| (higher, lower)));
    let both: Vec<(&Group, &Group)> = both.collect();
    let p_values: Vec<f64> = both
        .iter()
        .map(|(higher, lower)| {
            welch_t(higher.moments(), lower.moments()).map_or(1.0, |test| test.p)
        })
        .collect();
    let mut pairs: Vec<Pair> = both
        .iter()
        .zip(holm(&p_values))
        .map(|((higher, lower), p_adjusted)| Pair {
            higher: higher.label,
            lower: lower.label,
            difference: higher.mean - lower.mean,
            p_adjusted,
            hedges_g: hedges_g(higher.moments(), lower.moments()),
        })
        .collect();
    pairs.sort_by(|a, b| b.difference.total_cmp(&a.difference));
    pairs
}

#[cfg(test)]
mod tests;
