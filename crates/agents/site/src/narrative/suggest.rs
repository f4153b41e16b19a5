//! What to ask next.
//!
//! Each suggestion's action is an ordinary message: sent back, it is understood by
//! [`crate::language`] like any other, with the device and the days that it names. Nothing is
//! suggested that cannot be had (no forecast beyond seven days, for one).

mod single;

use chrono::NaiveDate;
use contracts::tools::{
    AnomalyReport, Comparison, FinancialReport, FleetOverview, LoggerRole, Period, Scope,
    ScopeKind, ServiceHealth,
};
use contracts::ui::{FleetHealthRow, Suggestion, SuggestionPriority, SuggestionUrgency};

use super::{Branch, Facts, audit, fleet_health, format, health};
use SuggestionUrgency::{Optional, Recommended, Suggested, Urgent};

/// Maximum number of suggestions on a card.
const MOST: usize = 3;
/// Maximum number of days that `diagnose_error_codes` looks at.
const ERROR_CODE_DAYS: i64 = 30;

/// Up to three things to ask next, the most pressing first, each label once. Every action works
/// when it is sent back as a message.
pub fn suggestions(facts: &Facts<'_>, branch: Branch) -> Vec<Suggestion> {
    suggestions_at(facts, branch, None)
}

/// The same after an answer about one `site` of several: they stay with it.
pub(crate) fn suggestions_at(
    facts: &Facts<'_>,
    branch: Branch,
    site: Option<&str>,
) -> Vec<Suggestion> {
    let mut offers = match *facts {
        Facts::Briefing { overview, .. } => after_briefing(overview, site),
        Facts::Financial { report, .. } | Facts::Energy { report } => {
            after_financial(report, branch, site)
        }
        Facts::Audit { comparison } => after_audit(comparison, branch),
        Facts::Health { report } => after_health(report, branch),
        Facts::FleetHealth { rows, reports, .. } => {
            after_fleet_health((rows, reports), branch, site)
        }
        Facts::PowerCurve { curve, .. } => single::after_curve(curve, branch),
        Facts::Forecast { forecast } => single::after_forecast(forecast, branch),
        Facts::Performance { report } => single::after_performance(report, branch, site),
        Facts::Errors { report } => single::after_errors(report),
        Facts::Loggers { list } if list.loggers.is_empty() => Vec::new(),
        Facts::Greeting { .. } | Facts::Loggers { .. } | Facts::Presented { .. } => start(),
        Facts::Service { report } if report.status == ServiceHealth::Degraded => {
            vec![offer(
                "Check again",
                "Is the service healthy?",
                Suggested,
                "The trouble may have passed.",
            )]
        }
        Facts::Service { .. } => vec![offer(
            "Morning briefing",
            "Morning briefing",
            Suggested,
            "See how your panels are doing.",
        )],
    };
    offers.sort_by_key(|offer| offer.urgency);
    let mut chosen: Vec<Suggestion> = Vec::new();
    for offer in offers {
        if chosen.len() < MOST
            && chosen
                .iter()
                .all(|other| other.label != offer.label && other.action != offer.action)
        {
            chosen.push(offer);
        }
    }
    if let Some(first) = chosen.first_mut() {
        first.priority = SuggestionPriority::Primary;
    }
    chosen
}

fn offer(
    label: &str,
    action: impl Into<String>,
    urgency: SuggestionUrgency,
    reason: &str,
) -> Suggestion {
    Suggestion {
        label: label.to_owned(),
        action: action.into(),
        priority: SuggestionPriority::Secondary,
        urgency,
        reason: reason.to_owned(),
    }
}

/// The words of a message for every inverter, or for those of a site.
fn inverters(site: Option<&str>) -> String {
    site.map_or_else(
        || "all inverters".to_owned(),
        |site| format!("all inverters of {site}"),
    )
}

fn summary(site: Option<&str>) -> Suggestion {
    let of = site.map_or_else(String::new, |site| format!(" of {site}"));
    offer(
        "Financial summary",
        format!("Show financial savings{of} for the past month"),
        Optional,
        "See what your panels are worth to you.",
    )
}

fn start() -> Vec<Suggestion> {
    vec![
        offer(
            "Morning briefing",
            "Morning briefing",
            Suggested,
            "See how your panels are doing.",
        ),
        offer(
            "Check health",
            "Check the health of all inverters",
            Optional,
            "Find outages and other trouble.",
        ),
        summary(None),
    ]
}

fn check_health(id: &str, urgency: SuggestionUrgency, reason: &str) -> Suggestion {
    offer(
        "Check health",
        format!("Check the health of {id}"),
        urgency,
        reason,
    )
}

fn show_curve(id: &str, day: NaiveDate, urgency: SuggestionUrgency, reason: &str) -> Suggestion {
    offer(
        "Show power curve",
        format!("Show the power curve of {id} on {}", format::date(day)),
        urgency,
        reason,
    )
}

fn compare_all(
    day: Option<NaiveDate>,
    site: Option<&str>,
    urgency: SuggestionUrgency,
) -> Suggestion {
    let when = day
        .map(|day| format!(" on {}", format::date(day)))
        .unwrap_or_default();
    offer(
        "Compare devices",
        format!("Compare {}{when}", inverters(site)),
        urgency,
        "See which device does best for its size.",
    )
}

fn savings(id: &str, urgency: SuggestionUrgency) -> Suggestion {
    offer(
        "Show savings",
        format!("Show the savings of {id} for the past month"),
        urgency,
        "See what it was worth to you.",
    )
}

fn after_briefing(overview: &FleetOverview, site: Option<&str>) -> Vec<Suggestion> {
    if overview.status.total_loggers == 0 {
        return Vec::new();
    }
    let mut offers: Vec<Suggestion> = Vec::new();
    if let Some(first) = overview.offline_loggers.first() {
        offers.push(offer(
            "Diagnose offline devices",
            format!("Diagnose {}", first.logger_id),
            Urgent,
            "It should be delivering and isn't.",
        ));
    }
    // A day without energy yet, such as one that has just begun, has nothing to show.
    let delivered = overview.devices.iter().find_map(|device| {
        let site = overview.sites.iter().find(|s| s.site_id == device.site_id);
        let day = site
            .and_then(|site| site.local_date)
            .unwrap_or(overview.local_date);
        let has_delivered = device.energy_today_kwh.is_some_and(|energy| energy > 0.0);
        (has_delivered && device.role == LoggerRole::Inverter).then_some((device, day))
    });
    offers.push(
        match delivered.filter(|_| overview.status.total_loggers == 1) {
            Some((only, day)) => offer(
                "Check efficiency",
                format!(
                    "Show the performance ratio of {} on {}",
                    only.logger_id,
                    format::date(day)
                ),
                Suggested,
                "See how much of the sun it turns into power.",
            ),
            None => offer(
                "Check efficiency",
                site.map_or_else(
                    || "Show performance ratio for the fleet".to_owned(),
                    |_| format!("Show the performance ratio of {}", inverters(site)),
                ),
                Suggested,
                "See how much of the sun your devices turn into power.",
            ),
        },
    );
    offers.push(summary(site));
    if let Some((device, day)) = delivered {
        offers.push(show_curve(
            &device.logger_id,
            day,
            Optional,
            "See how the newest day went.",
        ));
    }
    offers
}

/// How a message names the devices of a report on several; the device of a report on one.
fn whom(id: &str, scope: Option<&Scope>, devices: impl Iterator<Item = String>) -> String {
    match scope.map(|scope| (scope.kind, &scope.name)) {
        None => id.to_owned(),
        Some((ScopeKind::All, _)) => "all inverters".to_owned(),
        Some((ScopeKind::Site, name)) => format!("all inverters of {name}"),
        Some((ScopeKind::Loggers, _)) => format::list(&devices.collect::<Vec<_>>()),
    }
}

fn after_financial(
    report: &FinancialReport,
    branch: Branch,
    site: Option<&str>,
) -> Vec<Suggestion> {
    let devices = report.devices.iter().map(|one| one.logger_id.clone());
    let id = &whom(&report.logger_id, report.scope.as_ref(), devices);
    let mut offers = Vec::new();
    if branch == Branch::DataIncomplete {
        offers.push(offer(
            "Use recent data",
            format!("Show the savings of {id} for the last 30 days"),
            Suggested,
            "The newest days may be more complete.",
        ));
    }
    // The documents offer 30 days, which no forecast reaches.
    offers.push(offer(
        "Extend forecast",
        format!("Forecast production of {id} for the next 7 days"),
        Suggested,
        "See the coming days one by one.",
    ));
    offers.push(offer(
        "Compare savings",
        site.map_or_else(
            || "Compare energy across all loggers".to_owned(),
            |_| format!("Compare the energy of {}", inverters(site)),
        ),
        Optional,
        "At one rate, energy ranks like savings.",
    ));
    offers.push(check_health(
        id,
        Optional,
        "Make sure that nothing is being lost.",
    ));
    offers
}

fn after_audit(comparison: &Comparison, branch: Branch) -> Vec<Suggestion> {
    let Some((best, worst)) = comparison.best.as_ref().zip(comparison.worst.as_ref()) else {
        // Nothing could be ranked then; a device's own newest day always has something to show.
        let first = comparison.logger_ids.first().into_iter();
        return first
            .map(|id| {
                offer(
                    "Latest day",
                    format!("Show the power curve of {id} on the latest day"),
                    Suggested,
                    "See its newest day.",
                )
            })
            .collect();
    };
    let mut offers = Vec::new();
    if branch == Branch::ComparisonSignificant {
        offers.push(offer(
            "Check the weakest",
            format!("Check the health of {worst}"),
            Recommended,
            "It lags well behind the others.",
        ));
    }
    let metric = audit::other_metric(comparison.metric);
    let when = when(comparison.period);
    offers.push(offer(
        &format!("Compare {metric}"),
        format!(
            "Compare {} on {metric} {when}",
            format::list(&comparison.logger_ids)
        ),
        Suggested,
        "Look at the same devices from another side.",
    ));
    offers.push(check_health(
        worst,
        Optional,
        "See whether something holds it back.",
    ));
    offers.push(show_curve(
        best,
        comparison.period.end,
        Optional,
        "See how a good day looks.",
    ));
    if comparison.logger_ids.len() < 2 {
        offers.retain(|offer| !offer.label.starts_with("Compare"));
    }
    if branch == Branch::ComparisonSignificant {
        offers.retain(|offer| offer.label != "Check health");
    }
    offers
}

/// A period as a message says it.
fn when(period: Period) -> String {
    if period.start == period.end {
        format!("on {}", format::date(period.end))
    } else {
        format!(
            "from {} to {}",
            format::date(period.start),
            format::date(period.end)
        )
    }
}

fn error_codes(id: &str, period: Period, urgency: SuggestionUrgency) -> Suggestion {
    let within = (period.end - period.start).num_days() < ERROR_CODE_DAYS;
    let when = if within {
        when(period)
    } else {
        format!("for the last {ERROR_CODE_DAYS} days")
    };
    offer(
        "Diagnose errors",
        format!("Show the error codes of {id} {when}"),
        urgency,
        "See what the device says about it.",
    )
}

fn after_health(report: &AnomalyReport, branch: Branch) -> Vec<Suggestion> {
    let id = &report.logger_id;
    if branch == Branch::DataIncomplete {
        return vec![
            offer(
                "Look further back",
                format!("Check the health of {id} for the last 30 days"),
                Suggested,
                "A longer period may have enough data.",
            ),
            compare_all(None, None, Optional),
        ];
    }
    if report.anomaly_count == 0 {
        return vec![
            savings(id, Suggested),
            offer(
                "Check all devices",
                "Check the health of all inverters",
                Optional,
                "See whether the others are well, too.",
            ),
            compare_all(None, None, Optional),
        ];
    }
    let diagnose = if branch == Branch::CriticalHighSeverity {
        Urgent
    } else {
        Suggested
    };
    let mut offers = vec![error_codes(id, report.period, diagnose)];
    if let Some(event) = health::worst_outage(report) {
        offers.push(show_curve(
            id,
            event.start.date_naive(),
            Recommended,
            "See the longest outage.",
        ));
    } else if let Some(anomaly) = report.anomalies.first() {
        offers.push(show_curve(
            id,
            anomaly.timestamp.date_naive(),
            Recommended,
            "See the day of the first finding.",
        ));
    }
    offers.push(offer(
        "Check all devices",
        "Check the health of all inverters",
        Optional,
        "See whether the others are well.",
    ));
    offers
}

fn after_fleet_health(
    (rows, reports): (&[FleetHealthRow], &[AnomalyReport]),
    branch: Branch,
    site: Option<&str>,
) -> Vec<Suggestion> {
    let mut offers = Vec::new();
    if let Some(worst) = fleet_health::worst(rows, reports) {
        let urgency = if branch.action_required() {
            Urgent
        } else {
            Recommended
        };
        offers.push(check_health(
            &worst.logger_id,
            urgency,
            "It has the most findings.",
        ));
    }
    if rows.len() > 1 {
        offers.push(compare_all(None, site, Suggested));
    }
    offers.push(summary(site));
    offers
}
