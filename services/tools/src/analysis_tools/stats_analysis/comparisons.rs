//! How measures differ between groups.

use analytics::compare::{self, Comparison, Group};
use analytics::p_values::holm;
use contracts::tools::analysis::{Effect, GroupComparison, GroupFigures, GroupPair, TestResult};

use super::super::choice::{Grouping, Measure};
use super::super::wording::{amount, counted, figure, p_value, sentence};

/// Maximum number of groups in a grouping that was not requested.
pub(super) const MOST_DEFAULT_GROUPS: usize = 20;
/// Maximum number of groups in a comparison.
const MOST_GROUPS: usize = 30;
/// Maximum number of comparisons in an answer.
const MOST_COMPARISONS: usize = 12;
/// Maximum number of pairs in a comparison.
const MOST_PAIRS: usize = 5;
const LEVEL: f64 = 0.05;

/// A comparison before its p-value is corrected.
struct Compared<'a> {
    measure: Measure<'a>,
    grouping: Grouping<'a>,
    found: Comparison,
}

/// Whether a comparison found a difference.
pub(super) fn is_clear(comparison: &GroupComparison) -> bool {
    comparison.p_adjusted.is_some_and(|p| p < LEVEL)
}

/// Every measure between the groups of every grouping, the clear ones first, then by how large the
/// difference is.
pub(super) fn of(
    measures: &[Measure<'_>],
    groupings: &[Grouping<'_>],
    notes: &mut Vec<String>,
) -> Vec<GroupComparison> {
    let mut compared: Vec<Compared<'_>> = Vec::new();
    for measure in measures {
        for grouping in groupings {
            let found = compare::groups(measure.column, grouping.labels, MOST_GROUPS);
            if found.groups.len() < 2 && !grouping.is_named {
                continue;
            }
            if !grouping.is_named && grouping.is_boolean && restates(*measure, *grouping) {
                notes.push(format!(
                    "{} says again whether {} is high, so it is not compared.",
                    grouping.field.name, measure.field.name
                ));
                continue;
            }
            compared.push(Compared {
                measure: *measure,
                grouping: *grouping,
                found,
            });
        }
    }
    let p_values: Vec<f64> = compared
        .iter()
        .map(|compared| larger_p(&compared.found).unwrap_or(1.0))
        .collect();
    let mut comparisons: Vec<(f64, GroupComparison)> = compared
        .iter()
        .zip(holm(&p_values))
        .map(|(compared, p)| {
            let weights = compared.found.effects.iter().map(compare::Effect::weight);
            let p = larger_p(&compared.found).map(|_| p);
            (
                weights.fold(0.0, f64::max),
                comparison(compared, p, compared.found.groups.len()),
            )
        })
        .collect();
    comparisons
        .sort_by(|(one, a), (other, b)| is_clear(b).cmp(&is_clear(a)).then(other.total_cmp(one)));
    if comparisons.len() > 1 {
        notes.push(
            "Several comparisons were made; their p-values are corrected for that (Holm)."
                .to_owned(),
        );
    }
    comparisons.truncate(MOST_COMPARISONS);
    comparisons
        .into_iter()
        .map(|(_, comparison)| comparison)
        .collect()
}

/// Whether a yes or no is only another form of a number: all values of one group lie beyond those
/// of the other.
pub(in super::super) fn restates(measure: Measure<'_>, grouping: Grouping<'_>) -> bool {
    let order = measure.column.order().iter();
    let mut labels: Vec<usize> = order.filter_map(|&row| grouping.labels.get(row)).collect();
    labels.dedup();
    labels.len() == 2
}

fn larger_p(found: &Comparison) -> Option<f64> {
    match (&found.means, &found.ranks) {
        (Some(means), Some(ranks)) => Some(means.p.max(ranks.p)),
        (means, ranks) => means.as_ref().or(ranks.as_ref()).map(|test| test.p),
    }
}

fn comparison(compared: &Compared<'_>, p_adjusted: Option<f64>, shown: usize) -> GroupComparison {
    let Compared {
        measure,
        grouping,
        found,
    } = compared;
    let name = |label: usize| grouping.labels.name(label).to_owned();
    let groups = found.groups.iter().take(shown).map(|group| GroupFigures {
        group: name(group.label),
        count: group.count as u64,
        mean: group.mean,
        median: group.median,
        sd: group.sd,
        too_small: !group.is_tested(),
    });
    let pairs = found.pairs.iter().take(MOST_PAIRS).map(|pair| GroupPair {
        higher: name(pair.higher),
        lower: name(pair.lower),
        difference: pair.difference,
        p_adjusted: pair.p_adjusted,
        hedges_g: pair.hedges_g,
    });
    let effects = found.effects.iter().map(|effect| Effect {
        effect: effect.name.to_owned(),
        value: effect.value,
        size: effect.size().to_owned(),
    });
    GroupComparison {
        measure: measure.field.name.clone(),
        label: measure.field.label.clone(),
        unit: measure.field.unit.clone(),
        group_by: grouping.field.name.clone(),
        groups: groups.collect(),
        means: found.means.as_ref().map(test),
        ranks: found.ranks.as_ref().map(test),
        p_adjusted,
        effects: effects.collect(),
        pairs: pairs.collect(),
        finding: finding(compared, p_adjusted),
        notes: notes(found),
    }
}

/// A test as the contract has it.
pub(in super::super) fn test(test: &compare::Test) -> TestResult {
    TestResult {
        test: test.name.to_owned(),
        statistic: Some(test.statistic).filter(|statistic| statistic.is_finite()),
        degrees_of_freedom: test.freedom.clone(),
        p: test.p,
    }
}

fn finding(compared: &Compared<'_>, p_adjusted: Option<f64>) -> String {
    let Compared {
        measure,
        grouping,
        found,
    } = compared;
    let label = sentence(&measure.field.label);
    let by = &grouping.field.label;
    let tested: Vec<&Group> = found
        .groups
        .iter()
        .filter(|group| group.is_tested())
        .collect();
    let (Some(highest), Some(lowest), Some(p), true) =
        (tested.first(), tested.last(), p_adjusted, tested.len() > 1)
    else {
        return format!(
            "{label} cannot be compared by {by}: there are no two groups of three values or more that vary."
        );
    };
    let told = |group: &Group| {
        format!(
            "{} ({}, {})",
            grouping.called(group.label),
            amount(group.mean, measure.field.unit.as_deref()),
            counted(group.count, "value", "values"),
        )
    };
    let effect = found.effects.first().map_or_else(String::new, |effect| {
        format!(
            ", {} effect, {} {}",
            effect.size(),
            effect_name(effect.name),
            figure(effect.value)
        )
    });
    let p = p_value(p);
    if p_adjusted.is_some_and(|p| p < LEVEL) {
        return format!(
            "{label} differs by {by}: the mean is highest for {} and lowest for {} ({p}{effect}).",
            told(highest),
            told(lowest),
        );
    }
    format!(
        "{label} does not clearly differ by {by}: the means run from {} to {} ({p}{effect}).",
        told(highest),
        told(lowest),
    )
}

fn effect_name(name: &str) -> &'static str {
    match name {
        "hedges_g" => "Hedges' g",
        "cliffs_delta" => "Cliff's delta",
        "eta_squared" => "eta²",
        _ => "epsilon²",
    }
}

fn notes(found: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    let small = found
        .groups
        .iter()
        .filter(|group| !group.is_tested())
        .count();
    if small > 0 {
        let small = counted(small, "group has", "groups have");
        notes.push(format!(
            "{small} fewer than three values and no part in the tests."
        ));
    }
    if found.left_out > 0 {
        let left_out = counted(found.left_out, "smaller group is", "smaller groups are");
        notes.push(format!("{left_out} left out."));
    }
    if let (Some(means), Some(ranks)) = (&found.means, &found.ranks)
        && (means.p < LEVEL) != (ranks.p < LEVEL)
    {
        notes.push("The tests of means and of ranks disagree: a few values decide.".to_owned());
    }
    if found.means.is_none() && found.ranks.is_some() {
        notes.push(
            "A group whose values are all the same has no test of means; ranks are compared."
                .to_owned(),
        );
    }
    notes
}
