//! Changes of the level of the series.

use analytics::calendar::Series;
use analytics::changes::{self, Change};
use analytics::seasons::Decomposition;
use contracts::tools::analysis::{ChangePoint, ChangePoints};

use super::super::subject;
use super::super::wording::{amount, counted, listed, sentence, signed};
use super::Target;

/// The changes of level of a series, without the season if there is one. `None` when it is too
/// short.
pub(super) fn of(
    target: Target<'_>,
    series: &Series,
    seasonal: Option<&Decomposition>,
) -> Option<ChangePoints> {
    let known: Vec<usize> = (0..series.values.len())
        .filter(|&place| !series.values[place].is_nan())
        .collect();
    let season = |place: usize| seasonal.map_or(0.0, |seasonal| seasonal.seasonal[place]);
    let values: Vec<f64> = known
        .iter()
        .map(|&place| series.values[place] - season(place))
        .collect();
    let found = changes::changes(&values)?;
    let points: Vec<ChangePoint> = found
        .found
        .iter()
        .map(|change| point(change, series, &known))
        .collect();
    let (_, period) = subject::interval(series.interval);
    let mut notes = Vec::new();
    if found.is_sloped {
        notes.push(
            "The series moves steadily; a straight line fits it better than steps.".to_owned(),
        );
    }
    if seasonal.is_some() {
        notes.push("The season is taken out of the means.".to_owned());
    }
    if known.len() < series.values.len() {
        let gaps = counted(
            series.values.len() - known.len(),
            period,
            &format!("{period}s"),
        );
        notes.push(format!("{gaps} without values are left out."));
    }
    Some(ChangePoints {
        method: "optimal_partitioning".to_owned(),
        penalty: found.penalty,
        finding: finding(target, &points, values.len(), period),
        points,
        notes,
    })
}

fn point(change: &Change, series: &Series, known: &[usize]) -> ChangePoint {
    ChangePoint {
        at: subject::fixed(series.starts[known[change.place]]),
        mean_before: change.mean_before,
        mean_after: change.mean_after,
        difference: change.mean_after - change.mean_before,
        effect: change.effect,
        periods_before: change.count_before as u64,
        periods_after: change.count_after as u64,
    }
}

fn finding(target: Target<'_>, points: &[ChangePoint], periods: usize, period: &str) -> String {
    let label = sentence(target.label());
    let unit = target.unit();
    let periods = counted(periods, period, &format!("{period}s"));
    if points.is_empty() {
        return format!("{label} keeps its level over {periods}.");
    }
    let told = points.iter().map(|point| {
        format!(
            "on {} from {} to {} ({})",
            point.at.date_naive(),
            amount(point.mean_before, unit),
            amount(point.mean_after, unit),
            signed(point.difference, unit),
        )
    });
    let told: Vec<String> = told.collect();
    format!(
        "{label} changes its level over {periods}: {}.",
        listed(&told)
    )
}
