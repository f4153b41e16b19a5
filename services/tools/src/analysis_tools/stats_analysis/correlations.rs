//! How measures go together.

use analytics::correlation::correlation;
use analytics::p_values::holm;
use contracts::tools::analysis::Correlation;

use super::super::choice::Measure;
use super::super::wording::{counted, figure, p_value, sentence};

/// Maximum number of reported correlations, the strongest ones.
const MOST: usize = 10;

/// The strongest correlations between measures, the strongest first.
pub(super) fn of(measures: &[Measure<'_>]) -> Vec<Correlation> {
    let pairs = measures
        .iter()
        .enumerate()
        .flat_map(|(place, one)| measures[place + 1..].iter().map(move |other| (one, other)));
    let found: Vec<_> = pairs
        .filter_map(|(one, other)| Some((one, other, correlation(one.column, other.column)?)))
        .collect();
    let p_values: Vec<f64> = found.iter().map(|(_, _, found)| found.spearman_p).collect();
    let mut correlations: Vec<Correlation> = found
        .iter()
        .zip(holm(&p_values))
        .map(|((one, other, found), p_adjusted)| Correlation {
            measure: one.field.name.clone(),
            other: other.field.name.clone(),
            count: found.count as u64,
            pearson: found.pearson,
            pearson_p: found.pearson_p,
            spearman: found.spearman,
            spearman_p: found.spearman_p,
            p_adjusted,
            finding: finding(&one.field.label, &other.field.label, found, p_adjusted),
        })
        .collect();
    correlations.sort_by(|a, b| b.spearman.abs().total_cmp(&a.spearman.abs()));
    correlations.truncate(MOST);
    correlations
}

fn finding(
    one: &str,
    other: &str,
    found: &analytics::correlation::Correlation,
    p_adjusted: f64,
) -> String {
    let figures = format!(
        "Spearman's rho {}, Pearson's r {}, {} over {}",
        figure(found.spearman),
        figure(found.pearson),
        p_value(p_adjusted),
        counted(found.count, "row", "rows"),
    );
    if p_adjusted >= 0.05 {
        return format!(
            "{} and {other} do not clearly go together ({figures}).",
            sentence(one)
        );
    }
    let strength = match found.spearman.abs() {
        strength if strength >= 0.7 => "closely",
        strength if strength >= 0.4 => "moderately",
        _ => "weakly",
    };
    let way = if found.spearman > 0.0 {
        "rise together"
    } else {
        "go against each other"
    };
    format!(
        "{} and {other} {way} {strength} ({figures}).",
        sentence(one)
    )
}
