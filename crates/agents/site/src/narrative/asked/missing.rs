//! The days, and the hours of daylight, without data.

use contracts::tools::{AnomalyReport, DataGap};
use contracts::ui::FleetHealthRow;

use super::{Asked, MOST_NAMED};
use crate::narrative::{Facts, fleet_health, format, health};

/// Most devices that a sentence lists.
const LISTED: usize = 8;

/// Most gaps that a sentence lists one by one.
const MOST_GAPS: usize = 4;

/// The answer to a question about data that are missing, or that were sent.
pub(super) fn answer(asked: Asked, facts: &Facts<'_>) -> String {
    match (asked, *facts) {
        (Asked::Missing, Facts::Health { report }) => of_one(report),
        (Asked::WhoReported, Facts::Health { report }) => it_reported(report),
        (Asked::Missing, Facts::FleetHealth { reports, .. }) => of_all(reports),
        (Asked::WhoReported, Facts::FleetHealth { rows, reports, .. }) => reported(rows, reports),
        _ => String::new(),
    }
}

/// What one device lacks.
fn of_one(report: &AnomalyReport) -> String {
    let gaps = gaps_of_one(report);
    if report.missing_days.is_empty() {
        return gaps.unwrap_or_else(|| NOTHING.to_owned());
    }
    let days = health::without_data(report);
    match gaps {
        Some(gaps) => format!("{days} {gaps}"),
        None => days,
    }
}

/// Nothing is missing.
const NOTHING: &str = "No day is without data. No hour of daylight is without readings, either.";

/// The devices that lack days, and which; and those that lack hours.
fn of_all(reports: &[AnomalyReport]) -> String {
    let lacking: Vec<String> = reports
        .iter()
        .filter(|report| !report.missing_days.is_empty())
        .map(|report| {
            let days: Vec<String> = report
                .missing_days
                .iter()
                .map(|day| format::day_month(*day))
                .collect();
            format!("{} on {}", report.logger_id, format::list_most(&days, 4))
        })
        .collect();
    let days = (!lacking.is_empty()).then(|| {
        format!(
            "No data came from {}.",
            format::list_most(&lacking, MOST_NAMED)
        )
    });
    match (days, gaps_of_all(reports)) {
        (None, None) => NOTHING.to_owned(),
        (days, gaps) => {
            let sentences: Vec<String> = days.into_iter().chain(gaps).collect();
            sentences.join(" ")
        }
    }
}

/// Whether one device sent data.
fn it_reported(report: &AnomalyReport) -> String {
    let (id, all) = (&report.logger_id, u64::from(report.days_analyzed));
    let when = format::from_to(report.period.start, report.period.end);
    let sent = all.saturating_sub(report.missing_days.len() as u64);
    let gaps = gaps_of_one(report).map_or_else(String::new, |gaps| format!(" {gaps}"));
    match sent {
        0 => format!("No: {id} sent no data {when}."),
        sent if sent == all => format!("Yes: {id} sent data {when}.{gaps}"),
        sent => format!(
            "{id} sent data on {sent} of the {} {when}. {}{gaps}",
            format::count(all, "day"),
            health::without_data(report)
        ),
    }
}

/// Number and names of the devices that sent data, and which did not.
fn reported(rows: &[FleetHealthRow], reports: &[AnomalyReport]) -> String {
    let of = |id: &str| reports.iter().find(|report| report.logger_id == id);
    // A meter is one of the devices, whether the totals count it or not.
    let sent = |row: &&FleetHealthRow| {
        of(&row.logger_id).is_some_and(|report| {
            u32::try_from(report.missing_days.len()).is_ok_and(|days| days < report.days_analyzed)
        })
    };
    let (here, absent): (Vec<_>, Vec<_>) = rows.iter().partition(sent);
    let ids = |rows: &[&FleetHealthRow]| {
        let ids: Vec<&str> = rows.iter().map(|row| row.logger_id.as_str()).collect();
        format::list_most(&ids, LISTED)
    };
    let when = fleet_health::period(reports);
    let all = format::count(rows.len() as u64, "device");
    match (here.as_slice(), absent.as_slice()) {
        ([], _) => format!("None of your {all} sent data{when}."),
        (here, []) => format!("All of your {all} sent data{when}: {}.", ids(here)),
        (here, absent) => format!(
            "{} of your {all} sent data{when}: {}. No data came from {}.",
            here.len(),
            ids(here),
            ids(absent)
        ),
    }
}

/// The hours of daylight that one device lacks on days with data.
pub(in crate::narrative) fn gaps_of_one(report: &AnomalyReport) -> Option<String> {
    let hours = format::duration(60.0 * report.gap_hours);
    match report.gaps.as_slice() {
        [] => None,
        [gap] if report.gap_count <= 1 => Some(format!(
            "It sent nothing in daylight on {} for {hours}.",
            told(gap)
        )),
        gaps => Some(format!(
            "It sent nothing for {hours} of daylight in all: on {}.",
            listed(
                gaps.iter().map(|gap| (gap, String::new())),
                report.gap_count
            )
        )),
    }
}

fn gaps_of_all(reports: &[AnomalyReport]) -> Option<String> {
    let with: Vec<&AnomalyReport> = reports.iter().filter(|one| one.gap_count > 0).collect();
    let gaps = with.iter().flat_map(|report| {
        let id = &report.logger_id;
        report
            .gaps
            .iter()
            .map(move |gap| (gap, format!("{id} on ")))
    });
    let count = with.iter().map(|report| report.gap_count).sum();
    let hours: f64 = with.iter().map(|report| report.gap_hours).sum();
    let told = listed(gaps, count);
    match count {
        0 => None,
        1 => Some(format!(
            "In daylight nothing came from {told}, {} in all.",
            format::duration(60.0 * hours)
        )),
        _ => Some(format!(
            "{} of daylight are without readings: {told}.",
            format::duration(60.0 * hours)
        )),
    }
}

/// The gaps in order: where not all fit the longest, and the number of the others.
fn listed<'g>(gaps: impl Iterator<Item = (&'g DataGap, String)>, count: u64) -> String {
    let mut gaps: Vec<(&DataGap, String)> = gaps.collect();
    gaps.sort_by(|(a, _), (b, _)| b.hours.total_cmp(&a.hours));
    gaps.truncate(MOST_GAPS);
    gaps.sort_by_key(|(gap, _)| gap.start);
    let told: Vec<String> = gaps
        .iter()
        .map(|(gap, of)| format!("{of}{}", told(gap)))
        .collect();
    let more = count.saturating_sub(told.len() as u64);
    if more == 0 {
        return told.join("; ");
    }
    format!(
        "{}; and {}",
        told.join("; "),
        format::count_of(more, "shorter time", "shorter times")
    )
}

/// `9 November from 11:00 to 13:30`.
fn told(gap: &DataGap) -> String {
    format!(
        "{} from {} to {}",
        format::day_month(gap.start.date_naive()),
        format::clock(gap.start),
        format::clock(gap.end)
    )
}

/// The figures of sentences on gaps that no report has as they are said.
pub(in crate::narrative) fn figures(reports: &[AnomalyReport]) -> Vec<f64> {
    let hours: f64 = reports.iter().map(|report| report.gap_hours).sum();
    let count: u64 = reports.iter().map(|report| report.gap_count).sum();
    let single = reports.iter().flat_map(|report| &report.gaps);
    let minutes = single.map(|gap| 60.0 * gap.hours);
    let more = count.saturating_sub(MOST_GAPS as u64);
    minutes.chain([hours, 60.0 * hours, more as f64]).collect()
}
