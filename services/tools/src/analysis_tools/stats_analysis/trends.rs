//! The trend of each measure.

use analytics::calendar;
use analytics::trend::{self, trend};
use chrono_tz::Tz;
use contracts::tools::Trend;
use contracts::tools::analysis::MeasureTrend;
use contracts::tools::search::Interval;

use super::super::choice::{Dates, Measure};
use super::super::subject;
use super::super::wording::{amount, counted, p_value, sentence};

/// More periods would take too long.
const MOST_PERIODS: usize = 2_000;
const LEVEL: f64 = 0.05;

/// The trend of each measure over its mean per period.
pub(super) fn of(
    measures: &[Measure<'_>],
    dates: Dates<'_>,
    zone: Tz,
    wanted: Option<Interval>,
    notes: &mut Vec<String>,
) -> Vec<MeasureTrend> {
    let Some(interval) = subject::fitting(dates.times, zone, wanted, MOST_PERIODS, notes) else {
        return Vec::new();
    };
    measures
        .iter()
        .filter_map(|measure| of_measure(*measure, dates, zone, interval))
        .collect()
}

fn of_measure(
    measure: Measure<'_>,
    dates: Dates<'_>,
    zone: Tz,
    interval: calendar::Interval,
) -> Option<MeasureTrend> {
    let series = calendar::means(dates.times, measure.column, zone, interval, MOST_PERIODS)?;
    let points = series.points();
    let found = trend(&points)?;
    let days = points.last()?.0 - points.first()?.0;
    let is_clear = found.mann_kendall_p.is_some_and(|p| p < LEVEL);
    let direction = match found.theil_sen {
        slope if is_clear && slope > 0.0 => Trend::Increasing,
        slope if is_clear && slope < 0.0 => Trend::Decreasing,
        _ => Trend::Stable,
    };
    let (interval, word) = subject::interval(interval);
    let field = measure.field;
    Some(MeasureTrend {
        measure: field.name.clone(),
        label: field.label.clone(),
        unit: field.unit.clone(),
        interval,
        periods: found.count as u64,
        slope_per_day: found.slope,
        ci_low: found.interval.map(|interval| interval.0),
        ci_high: found.interval.map(|interval| interval.1),
        r2: found.r2,
        theil_sen_per_day: found.theil_sen,
        mann_kendall_p: found.mann_kendall_p,
        direction,
        change: found.theil_sen * days,
        finding: finding(measure, &found, direction, days, word),
        notes: notes(&found),
    })
}

fn finding(
    measure: Measure<'_>,
    found: &trend::Trend,
    direction: Trend,
    days: f64,
    period: &str,
) -> String {
    let unit = measure.field.unit.as_deref();
    let label = sentence(&measure.field.label);
    let periods = counted(found.count, period, &format!("{period}s"));
    let Some(p) = found.mann_kendall_p else {
        return format!("{label} is the same in all of {periods}.");
    };
    let p = p_value(p);
    let verb = match direction {
        Trend::Increasing => "rises",
        Trend::Decreasing => "falls",
        Trend::Stable => {
            return format!("{label} shows no trend over {periods} (Mann-Kendall {p}).");
        }
    };
    let size = |change: f64| amount(change.abs(), unit);
    let (per_day, change) = (size(found.theil_sen), size(found.theil_sen * days));
    format!(
        "{label} {verb} by {per_day} per day over {periods}, {change} in all (Theil-Sen; Mann-Kendall {p})."
    )
}

fn notes(found: &trend::Trend) -> Vec<String> {
    let mut notes = Vec::new();
    if found.count < 10 {
        notes.push("So few periods show only the strongest trends.".to_owned());
    }
    // Twice the standard error of an autocorrelation of noise.
    if found.residual_autocorrelation > 2.0 / (found.count as f64).sqrt() {
        notes.push(
            "Neighbouring periods resemble each other, so that a trend looks clearer than it is."
                .to_owned(),
        );
    }
    if found.theil_sen * found.slope < 0.0 {
        notes.push(
            "The line of least squares goes the other way: a few periods pull it.".to_owned(),
        );
    }
    notes
}
