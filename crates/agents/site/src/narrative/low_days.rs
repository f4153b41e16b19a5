//! The days on which a device made clearly less than the others, where these are not all days of
//! the period.

use chrono::{Duration, NaiveDate};
use contracts::tools::{AnomalyReport, HealthEvent, HealthEventKind};

use super::format;

/// The minutes of the longest day: an event that is longer covers several days.
const LONGEST_DAY: f64 = 25.0 * 60.0;

/// The stretches of days, in words: "from 20 November to 29 November 2026". `None` if they are all
/// days of the period.
pub(super) fn when(report: &AnomalyReport) -> Option<String> {
    let days: Vec<(NaiveDate, NaiveDate)> = report
        .events
        .iter()
        .filter(|event| is_stretch(event))
        .map(|event| (event.start.date_naive(), last_day(event)))
        .collect();
    if days.is_empty() || days == [(report.period.start, report.period.end)] {
        return None;
    }
    let told: Vec<String> = days
        .into_iter()
        .map(|(first, last)| format::from_to(first, last))
        .collect();
    Some(format::list(&told))
}

/// Whether an event is low output of several days.
fn is_stretch(event: &HealthEvent) -> bool {
    event.kind == HealthEventKind::Underperformance && event.minutes > LONGEST_DAY
}

/// The last day of an event, which ends at midnight.
fn last_day(event: &HealthEvent) -> NaiveDate {
    (event.end - Duration::seconds(1)).date_naive()
}
