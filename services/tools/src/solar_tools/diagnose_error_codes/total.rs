//! The error codes of several devices: each on its own, and which codes they have in common.

use contracts::tools::{
    DiagnosticsReport, ErrorCodeIssue, IssueSeverity, OverallHealth, Period, Scope, ScopeKind,
};
use indexmap::IndexMap;
use solar::calendar::DaySpan;
use sqlx::PgConnection;

use super::{diagnosed, wire};
use crate::error::Error;
use crate::solar_tools::SolarTools;
use crate::solar_tools::subject::{Subject, period};
use crate::solar_tools::subjects::{Subjects, all_devices, common, excuse, has_stopped};
use crate::solar_tools::window::Window;

pub(super) async fn of(
    toolbox: &SolarTools,
    conn: &mut PgConnection,
    tenant: &str,
    mut subjects: Subjects,
    window: Window,
) -> Result<DiagnosticsReport, Error> {
    let found = std::mem::take(&mut subjects.found);
    let mut asked: Vec<(&Subject, DaySpan)> = Vec::with_capacity(found.len());
    for subject in &found {
        let zone = subject.logger.site.zone;
        let span = window.span(subjects.newest_day(subject), zone)?;
        let after_the_end = span.first > subject.available.end && !has_stopped(subject, span.first);
        if after_the_end || span.last < subject.available.start {
            let id = subject.logger.logger_id.clone();
            let nothing = subject.nothing_in(period(span));
            subjects.left_out.push(excuse(id, nothing)?);
        } else {
            asked.push((subject, span));
        }
    }
    subjects.or_nothing(&asked)?;
    let mut devices = diagnosed(toolbox, conn, tenant, &asked).await?;
    devices.sort_by(|a, b| {
        rank(a.overall_health)
            .cmp(&rank(b.overall_health))
            .then_with(|| b.issue_count.cmp(&a.issue_count))
            .then_with(|| a.logger_id.cmp(&b.logger_id))
    });
    let issues = issues(&devices);
    let newest = devices
        .iter()
        .map(|device| device.period)
        .max_by_key(|period: &Period| period.end);
    let mut flags: Vec<_> = devices
        .iter()
        .flat_map(|device| device.flags.clone())
        .collect();
    flags.sort_unstable();
    flags.dedup();
    let mut report = DiagnosticsReport {
        kind: "diagnostics_report".to_owned(),
        logger_id: name(&subjects.scope),
        scope: Some(subjects.scope),
        logger_type: common(devices.iter().map(|device| device.logger_type.clone()))
            .unwrap_or_else(|| "several".to_owned()),
        period: newest.unwrap_or(period(asked[0].1)),
        overall_health: devices
            .iter()
            .map(|device| device.overall_health)
            .min_by_key(|health| rank(*health))
            .unwrap_or(OverallHealth::Good),
        issue_count: issues.len() as u64,
        issues: issues
            .into_iter()
            .take(toolbox.settings.issue_limit)
            .collect(),
        devices,
        left_out: subjects.left_out,
        summary: String::new(),
        flags,
    };
    report.summary = summary(&report);
    Ok(report)
}

/// Worst first.
fn rank(health: OverallHealth) -> u8 {
    match health {
        OverallHealth::Critical => 0,
        OverallHealth::Warning => 1,
        OverallHealth::Unknown => 2,
        OverallHealth::Info => 3,
        OverallHealth::Good => 4,
    }
}

/// The same code of one brand is one issue.
fn issues(devices: &[DiagnosticsReport]) -> Vec<ErrorCodeIssue> {
    let mut merged: IndexMap<(String, String), ErrorCodeIssue> = IndexMap::new();
    for device in devices {
        for issue in &device.issues {
            let key = (device.logger_type.clone(), issue.code.clone());
            let one = merged.entry(key).or_insert_with(|| ErrorCodeIssue {
                occurrences: 0,
                events: 0,
                hours: 0.0,
                overlaps_outage: false,
                ..issue.clone()
            });
            one.logger_ids.push(device.logger_id.clone());
            one.occurrences += issue.occurrences;
            one.events += issue.events;
            one.hours = wire::cents(one.hours + issue.hours);
            one.first_seen = one.first_seen.min(issue.first_seen);
            one.last_seen = one.last_seen.max(issue.last_seen);
            one.overlaps_outage |= issue.overlaps_outage;
        }
    }
    let mut issues: Vec<ErrorCodeIssue> = merged.into_values().collect();
    issues.sort_by(|a, b| {
        let severity = |issue: &ErrorCodeIssue| -> IssueSeverity { issue.severity };
        (severity(a), b.occurrences, &a.code).cmp(&(severity(b), a.occurrences, &b.code))
    });
    issues
}

fn summary(report: &DiagnosticsReport) -> String {
    let name = &report.logger_id;
    let Period { start, end } = report.period;
    let when = match common(report.devices.iter().map(|device| device.period)) {
        Some(_) => format!("from {} to {}", wire::spoken(start), wire::spoken(end)),
        None => "in the last days of each site".to_owned(),
    };
    let Some(worst) = report.issues.first() else {
        return format!("Of {name} no device reported an error code {when}.");
    };
    let with = report
        .devices
        .iter()
        .filter(|device| device.issue_count > 0)
        .count();
    format!(
        "Of {name} {with} reported error codes {when}; foremost {} of {} in {} readings, {:.1} hours in all.",
        worst.code,
        worst.logger_ids.join(", "),
        worst.occurrences,
        worst.hours
    )
}

/// What to call the devices: a meter that reports codes is one of them.
fn name(scope: &Scope) -> String {
    match scope.kind {
        ScopeKind::All => all_devices(usize::try_from(scope.devices).unwrap_or(usize::MAX)),
        ScopeKind::Loggers | ScopeKind::Site => scope.name.clone(),
    }
}
