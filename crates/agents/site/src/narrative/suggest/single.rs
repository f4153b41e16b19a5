//! What to ask after the answer to a single question.

use contracts::tools::{DiagnosticsReport, PerformanceReport, PowerCurve, ProductionForecast};
use contracts::ui::Suggestion;
use contracts::ui::SuggestionUrgency::{Optional, Recommended, Suggested};

use super::{check_health, compare_all, offer, savings, show_curve, when, whom};
use crate::narrative::{Branch, performance};

pub(super) fn after_curve(curve: &PowerCurve, branch: Branch) -> Vec<Suggestion> {
    let id = &curve.logger_id;
    let mut offers = Vec::new();
    match branch {
        Branch::WarningSingle => offers.push(check_health(
            id,
            Recommended,
            "It made less than on the days before.",
        )),
        Branch::DataIncomplete => {
            offers.push(offer(
                "Latest day",
                format!("Show the power curve of {id} on the latest day"),
                Suggested,
                "The newest day may be more complete.",
            ));
        }
        _ => {}
    }
    offers.push(compare_all(Some(curve.date), None, Suggested));
    offers.push(offer(
        "7-day forecast",
        format!("Forecast production of {id} for the next 7 days"),
        Optional,
        "See what the coming days may bring.",
    ));
    offers.push(check_health(
        id,
        Optional,
        "Make sure that nothing is being lost.",
    ));
    if branch == Branch::WarningSingle {
        offers.pop();
    }
    offers
}

pub(super) fn after_forecast(forecast: &ProductionForecast, branch: Branch) -> Vec<Suggestion> {
    let id = &forecast.logger_id;
    let mut offers = Vec::new();
    if branch == Branch::DataIncomplete {
        offers.push(offer(
            "Latest day",
            format!("Show the power curve of {id} on the latest day"),
            Suggested,
            "See what there is so far.",
        ));
    }
    offers.push(savings(id, Suggested));
    offers.push(check_health(
        id,
        Optional,
        "Make sure that nothing is being lost.",
    ));
    offers.push(compare_all(None, None, Optional));
    offers
}

pub(super) fn after_performance(
    report: &PerformanceReport,
    branch: Branch,
    site: Option<&str>,
) -> Vec<Suggestion> {
    // Of several devices the lowest one is looked at.
    let one = performance::lowest(report)
        .or(report.devices.first())
        .unwrap_or(report);
    let id = &one.logger_id;
    let day = report.period.map_or(one.date, |period| period.end);
    let health = if branch.action_required() {
        Recommended
    } else {
        Optional
    };
    vec![
        check_health(id, health, "Outages pull the ratio down."),
        show_curve(id, day, Suggested, "See how that day went."),
        compare_all(Some(day), site, Optional),
    ]
}

pub(super) fn after_errors(report: &DiagnosticsReport) -> Vec<Suggestion> {
    let worst = report
        .issues
        .first()
        .and_then(|issue| issue.logger_ids.first());
    let devices = report.devices.iter().map(|one| one.logger_id.clone());
    let all = whom(&report.logger_id, report.scope.as_ref(), devices);
    let id = worst.unwrap_or(&all);
    let mut offers = Vec::new();
    let urgency = if report.issues.is_empty() {
        Suggested
    } else {
        Recommended
    };
    offers.push(offer(
        "Check health",
        format!("Check the health of {id} {}", when(report.period)),
        urgency,
        "See what it cost you.",
    ));
    let alone = report.scope.is_none() || worst.is_some();
    if let Some(issue) = report.issues.first().filter(|_| alone) {
        offers.push(show_curve(
            id,
            issue.last_seen.date_naive(),
            Suggested,
            "See the last day with the code.",
        ));
    }
    offers.push(savings(id, Optional));
    offers
}
