//! The device's own error codes.

use contracts::tools::{DiagnosticsReport, ErrorCodeIssue, IssueSeverity};

use super::compose::Story;
use super::{Branch, format};

pub(super) fn tell(report: &DiagnosticsReport, branch: Branch) -> Story {
    let (start, end) = (
        report.period.start.to_string(),
        report.period.end.to_string(),
    );
    let mut story = Story::about(&[&report.logger_id, &start, &end]);
    let id = &report.logger_id;
    // Each site has its own newest days.
    let period = report.period;
    let when = if report.devices.iter().all(|one| one.period == period) {
        format::from_to(period.start, period.end)
    } else {
        let days = u64::try_from((period.end - period.start).num_days() + 1).unwrap_or(1);
        format!("in the newest {} of each site", format::count(days, "day"))
    };
    let Some(first) = report.issues.first() else {
        story.must(story.pick([
            format!("{id} reported no error codes {when}."),
            format!("Good news: {id} reported no error codes {when}."),
        ]));
        left_out(report, &mut story);
        story.should(
            "That's only what a device says about itself, and an inverter can fail in silence.",
        );
        story.next(if report.scope.is_some() {
            "check the health of all inverters".to_owned()
        } else {
            format!("check the health of {id}")
        });
        return story;
    };
    let codes: Vec<&str> = report
        .issues
        .iter()
        .map(|issue| issue.code.as_str())
        .collect();
    let text = match branch {
        _ if report.scope.is_some() => {
            let needs = if branch == Branch::CriticalHighSeverity {
                ", which need attention"
            } else {
                ""
            };
            format!(
                "Among {id} I found {} {when}{needs}: {}.",
                format::count(report.issue_count, "error code"),
                format::list_most(&codes, 4)
            )
        }
        Branch::CriticalHighSeverity => format!(
            "{id} needs attention: it reported {} {when}.",
            format::list_most(&codes, 4)
        ),
        _ if report.issue_count == 1 => {
            format!("{id} reported one error code {when}: {}.", first.code)
        }
        _ => format!(
            "{id} reported {} {when}: {}.",
            format::count(report.issue_count, "error code"),
            format::list_most(&codes, 4)
        ),
    };
    story.must(text);
    if !first.logger_ids.is_empty() && report.scope.is_some() {
        story.must(format!(
            "{} came from {}.",
            first.code,
            format::list_most(&first.logger_ids, 3)
        ));
    }
    left_out(report, &mut story);
    for (rank, issue) in report.issues.iter().take(3).enumerate() {
        explain(issue, rank == 0, &mut story);
    }
    let whom = first.logger_ids.first().unwrap_or(id);
    story.next(format!("check the health of {whom} over the same days"));
    story
}

/// Devices whose codes could not be read.
fn left_out(report: &DiagnosticsReport, story: &mut Story) {
    story.must(format::left_out(&report.left_out, |ids, _| {
        format!("I could not read the codes of {ids}.")
    }));
}

fn is_known(issue: &ErrorCodeIssue) -> bool {
    issue.source.is_some() && issue.severity != IssueSeverity::Unknown
}

fn explain(issue: &ErrorCodeIssue, first: bool, story: &mut Story) {
    let meaning = if is_known(issue) {
        format!(
            "{} means: {}",
            issue.code,
            format::sentence(&issue.description)
        )
    } else {
        format!(
            "I don't know what {} means; its maker's manual will.",
            issue.code
        )
    };
    if !first {
        story.may(meaning);
        return;
    }
    story.must(meaning);
    let times = format::count(issue.events, "time");
    story.should(format!(
        "It came up {times}, for {} in all, last on {}.",
        format::duration(issue.hours * 60.0),
        format::date(issue.last_seen.date_naive())
    ));
    if issue.overlaps_outage {
        story.should("The inverter was down while it stood.");
    }
    if is_known(issue) && !issue.suggested_fix.trim().is_empty() {
        story.may(format::sentence(&issue.suggested_fix));
    }
    story.method(format!(
        "It stands in {} and was first seen on {}.",
        format::count(issue.occurrences, "reading"),
        format::date(issue.first_seen.date_naive())
    ));
}
