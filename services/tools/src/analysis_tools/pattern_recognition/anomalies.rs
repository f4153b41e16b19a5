//! Values that are far from the others, of records and of periods.

use analytics::anomalies::{self, FAR, FAR_IN_SERIES};
use analytics::calendar::Series;
use analytics::column::Column;
use analytics::seasons::Decomposition;
use chrono_tz::Tz;
use contracts::tools::analysis::{Anomalies, AnomalousValue};

use super::super::choice::Dates;
use super::super::subject;
use super::super::table::Table;
use super::super::wording::{amount, counted, figure, percent};
use super::{Target, at};

/// Maximum number of examples, the most extreme ones.
const MOST_EXAMPLES: usize = 20;
/// Share of rows above which a distance does not count as exceptional.
const COMMON: f64 = 0.05;

/// The records that are far from the others, and their rows.
pub(super) fn of_records(
    target: Target<'_>,
    column: &Column,
    table: &Table,
    dates: Option<Dates<'_>>,
    zone: Tz,
) -> Option<(Anomalies, Vec<usize>)> {
    let found = anomalies::of_column(column)?;
    let ids = table.ids();
    let examples = found
        .found
        .iter()
        .take(MOST_EXAMPLES)
        .map(|anomaly| AnomalousValue {
            row: Some(anomaly.place as u64),
            id: ids.and_then(|ids| Some(ids.name(ids.get(anomaly.place)?).to_owned())),
            at: at(dates, anomaly.place, zone),
            value: anomaly.value,
            expected: anomaly.expected,
            score: anomaly.score,
        });
    let examples: Vec<AnomalousValue> = examples.collect();
    let share = found.found.len() as f64 / column.count() as f64;
    let notes = (share > COMMON).then(|| {
        format!(
            "{} of the values is more than exceptions: the distribution has a long tail.",
            percent(share)
        )
    });
    let anomalies = Anomalies {
        of: "records".to_owned(),
        method: "robust_z".to_owned(),
        median: Some(found.centre.median),
        scale: Some(found.centre.scale),
        threshold: FAR,
        looked_at: column.count() as u64,
        count: found.found.len() as u64,
        high: found
            .found
            .iter()
            .filter(|anomaly| anomaly.score > 0.0)
            .count() as u64,
        finding: finding(target, "record", column.count(), &found.found, &examples),
        examples,
        notes: notes.into_iter().collect(),
    };
    Some((
        anomalies,
        found.found.iter().map(|anomaly| anomaly.place).collect(),
    ))
}

/// The periods that are far from those around them, without the season if there is one.
pub(super) fn of_periods(
    target: Target<'_>,
    series: &Series,
    seasonal: Option<&Decomposition>,
) -> Option<Anomalies> {
    if series.known() < 2 * anomalies::NEIGHBOURS {
        return None;
    }
    let without_season: Option<Vec<f64>> = seasonal.map(|seasonal| {
        let values = series.values.iter().zip(&seasonal.seasonal);
        values.map(|(value, season)| value - season).collect()
    });
    let season = |place: usize| seasonal.map_or(0.0, |seasonal| seasonal.seasonal[place]);
    let found = anomalies::of_series(without_season.as_deref().unwrap_or(&series.values));
    let examples = found
        .iter()
        .take(MOST_EXAMPLES)
        .map(|anomaly| AnomalousValue {
            row: None,
            id: None,
            at: Some(subject::fixed(series.starts[anomaly.place])),
            value: series.values[anomaly.place],
            expected: anomaly.expected + season(anomaly.place),
            score: anomaly.score,
        });
    let examples: Vec<AnomalousValue> = examples.collect();
    let (_, period) = subject::interval(series.interval);
    Some(Anomalies {
        of: "periods".to_owned(),
        method: if seasonal.is_some() {
            "seasonal_hampel"
        } else {
            "hampel"
        }
        .to_owned(),
        median: None,
        scale: None,
        threshold: FAR_IN_SERIES,
        looked_at: series.known() as u64,
        count: found.len() as u64,
        high: found.iter().filter(|anomaly| anomaly.score > 0.0).count() as u64,
        finding: finding(target, period, series.known(), &found, &examples),
        examples,
        notes: Vec::new(),
    })
}

fn finding(
    target: Target<'_>,
    one: &str,
    looked_at: usize,
    found: &[anomalies::Anomaly],
    examples: &[AnomalousValue],
) -> String {
    let label = target.label();
    let many = format!("{one}s");
    let all = counted(looked_at, one, &many);
    let Some(first) = examples.first() else {
        return format!("No {one} stands out among {all} of {label}.");
    };
    let which = match (&first.id, first.at) {
        (Some(id), _) => format!("{id} with "),
        (None, Some(at)) => format!("{} with ", at.date_naive()),
        (None, None) => String::new(),
    };
    let farthest = format!(
        "{which}{} against {} expected ({} robust standard deviations)",
        amount(first.value, target.unit()),
        amount(first.expected, target.unit()),
        figure(first.score.abs()),
    );
    let share = percent(found.len() as f64 / looked_at as f64);
    if found.len() == 1 {
        return format!("1 of {all} ({share}) is far from the others in {label}: {farthest}.");
    }
    let high = found.iter().filter(|anomaly| anomaly.score > 0.0).count();
    format!(
        "{} of {all} ({share}) are far from the others in {label}, {high} of them high; the farthest is {farthest}.",
        found.len(),
    )
}
