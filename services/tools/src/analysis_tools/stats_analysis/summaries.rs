//! The figures of each measure, and how its values are distributed.

use analytics::describe::{Description, describe};
use analytics::histogram::histogram;
use contracts::tools::analysis::{Bin, Distribution, MeasureSummary};

use super::super::choice::Measure;
use super::super::wording::{amount, counted, percent, sentence};

/// A distribution with more than this is far from symmetric.
const SKEWED: f64 = 1.0;

/// The figures of each measure.
pub(super) fn of(measures: &[Measure<'_>]) -> Vec<MeasureSummary> {
    measures.iter().map(|measure| summary(*measure)).collect()
}

fn summary(measure: Measure<'_>) -> MeasureSummary {
    let figures = describe(measure.column);
    let field = measure.field;
    let has_both_signs = figures.positive > 0 && figures.negative > 0;
    let share_positive = has_both_signs.then(|| figures.positive as f64 / figures.count as f64);
    MeasureSummary {
        measure: field.name.clone(),
        label: field.label.clone(),
        unit: field.unit.clone(),
        count: figures.count as u64,
        missing: figures.missing as u64,
        sum: figures.sum,
        mean: figures.mean,
        ci_low: figures.interval.map(|interval| interval.0),
        ci_high: figures.interval.map(|interval| interval.1),
        sd: figures.sd,
        sem: figures.sem,
        min: figures.min,
        q1: figures.q1,
        median: figures.median,
        q3: figures.q3,
        max: figures.max,
        skewness: figures.skewness,
        outliers: figures.outliers as u64,
        share_positive,
        finding: finding(measure, &figures, share_positive),
        notes: notes(&figures),
    }
}

fn finding(measure: Measure<'_>, figures: &Description, share_positive: Option<f64>) -> String {
    let unit = measure.field.unit.as_deref();
    let label = sentence(&measure.field.label);
    let (Some(mean), Some(min), Some(median), Some(max)) =
        (figures.mean, figures.min, figures.median, figures.max)
    else {
        return format!("{label} has no values.");
    };
    let values = counted(figures.count, "value", "values");
    if min >= max {
        return format!("{label} is {} in all of {values}.", amount(mean, unit));
    }
    let interval = figures.interval.map(|(low, high)| {
        let (low, high) = (amount(low, None), amount(high, unit));
        format!(" (95 % interval {low} to {high})")
    });
    let middle = figures.q1.zip(figures.q3).map(|(q1, q3)| {
        let (q1, q3) = (amount(q1, None), amount(q3, unit));
        format!(", half of the values lie between {q1} and {q3}")
    });
    let share = share_positive.map(|share| format!(" {} are above 0.", percent(share)));
    let outliers = (figures.outliers > 0).then(|| {
        let outliers = counted(figures.outliers, "value lies", "values lie");
        format!(" {outliers} far outside the rest.")
    });
    format!(
        "The average {} is {} over {values}{}; the median is {}{}, all between {} and {}.{}{}",
        quantity(&measure.field.label, unit),
        amount(mean, unit),
        interval.unwrap_or_default(),
        amount(median, unit),
        middle.unwrap_or_default(),
        amount(min, None),
        amount(max, unit),
        share.unwrap_or_default(),
        outliers.unwrap_or_default(),
    )
}

/// The quantity without its unit, which follows each value: the delay of `delay hours`.
fn quantity(label: &str, unit: Option<&str>) -> String {
    let units: &[&str] = match unit {
        Some("h") => &["hours", "hour", "h"],
        Some("USD") => &["usd"],
        Some(unit) if unit.eq_ignore_ascii_case("kg") => &["kg"],
        Some("min") => &["minutes", "min"],
        _ => &[],
    };
    let lower = label.to_lowercase();
    let bare = units
        .iter()
        .find_map(|unit| lower.strip_suffix(&format!(" {unit}")));
    bare.map_or(lower.clone(), str::to_owned)
}

fn notes(figures: &Description) -> Vec<String> {
    let mut notes = Vec::new();
    if figures.missing > 0 {
        let missing = counted(figures.missing, "row has", "rows have");
        notes.push(format!("{missing} no value."));
    }
    if (1..10).contains(&figures.count) {
        notes.push("So few values tell little about any others.".to_owned());
    }
    if let Some(skewness) = figures.skewness.filter(|skewness| skewness.abs() > SKEWED) {
        let side = if skewness > 0.0 { "high" } else { "low" };
        notes.push(format!(
            "A few very {side} values pull the mean; the median is more typical."
        ));
    }
    notes
}

/// How the values of each measure are distributed.
pub(super) fn distributions(measures: &[Measure<'_>]) -> Vec<Distribution> {
    measures
        .iter()
        .filter_map(|measure| distribution(*measure))
        .collect()
}

fn distribution(measure: Measure<'_>) -> Option<Distribution> {
    let found = histogram(measure.column)?;
    let field = measure.field;
    let unit = field.unit.as_deref();
    let tallest = found.bins.iter().rev().max_by_key(|bin| bin.count)?;
    let share = tallest.count as f64 / measure.column.count() as f64;
    let finding = format!(
        "{}: {} of the values ({}) lie between {} and {}.",
        sentence(&field.label),
        percent(share),
        tallest.count,
        amount(tallest.from, None),
        amount(tallest.to, unit),
    );
    Some(Distribution {
        measure: field.name.clone(),
        label: field.label.clone(),
        unit: field.unit.clone(),
        bin_width: found.width,
        bins: found
            .bins
            .iter()
            .map(|bin| Bin {
                from: bin.from,
                to: bin.to,
                count: bin.count as u64,
            })
            .collect(),
        finding,
    })
}
