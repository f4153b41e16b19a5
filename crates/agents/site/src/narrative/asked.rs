//! The quantity that a question asks for explicitly, so that the sentence has it, too, and not only
//! the card.

use contracts::tools::{AnomalyReport, Comparison, ComparisonBasis, ComparisonMetric};

use super::{Facts, financial, fleet_health, format, health};

/// The figure that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Avoided carbon dioxide.
    Carbon,
    /// Availability.
    Availability,
    /// Who was out, when, how often and for how long.
    Outages,
    /// Energy and money that were lost.
    Losses,
    /// Which device is first, and which is last.
    Best,
}

/// Its sentence; empty when the facts do not have it.
pub(super) fn answer(asked: Asked, facts: &Facts<'_>) -> String {
    match (asked, *facts) {
        (Asked::Carbon, Facts::Financial { report, .. } | Facts::Energy { report })
            if report.days_with_data > 0 =>
        {
            financial::carbon(report)
        }
        (Asked::Availability, Facts::Health { report }) => availability(report),
        (Asked::Availability, Facts::FleetHealth { reports, .. }) => availabilities(reports),
        (Asked::Outages, Facts::Health { report }) => outages(report),
        (Asked::Outages, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            fleet_health::out(reports)
                .unwrap_or_else(|| "No device stood still in sunshine then.".to_owned())
        }
        (Asked::Best, Facts::Audit { comparison }) => best(comparison),
        (Asked::Losses, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            fleet_health::standstill(reports)
                .unwrap_or_else(|| "Nothing was lost to outages or dead days.".to_owned())
        }
        (Asked::Losses, Facts::Health { report }) if report.lost_kwh > 0.0 => health::cost(report),
        (Asked::Losses, Facts::Health { report }) if report.health_score.is_some() => {
            "It lost nothing to outages or dead days.".to_owned()
        }
        _ => String::new(),
    }
}

/// Who is first and last, and who made most, which the larger devices do.
fn best(comparison: &Comparison) -> String {
    let (Some(best), Some(worst)) = (&comparison.best, &comparison.worst) else {
        return String::new();
    };
    let of_size = if comparison.basis == ComparisonBasis::Absolute {
        ""
    } else {
        " for its size"
    };
    let made = comparison
        .summary
        .iter()
        .filter_map(|(id, own)| Some((id, own.total?)));
    let most = made
        .max_by(|(_, a), (_, b)| a.total_cmp(b))
        .filter(|(id, _)| *id != best && comparison.metric == ComparisonMetric::Energy)
        .map(|(id, kwh)| format!(" In kWh {id} made the most, {}.", format::energy(kwh)));
    format!(
        "{best} is the best{of_size}, and {worst} is last.{}",
        most.unwrap_or_default()
    )
}

fn availability(report: &AnomalyReport) -> String {
    match (report.availability_time, report.availability_energy) {
        (Some(time), Some(energy)) => format!(
            "Its availability was {} by time and {} by energy, which says that it ran, not how well.",
            format::percent(100.0 * time),
            format::percent(100.0 * energy)
        ),
        (Some(time), None) => format!(
            "Its availability by time was {}, which says that it ran, not how well.",
            format::percent(100.0 * time)
        ),
        (None, _) => {
            "I can't tell its availability: nothing tells when the sun shone on it.".to_owned()
        }
    }
}

fn availabilities(reports: &[AnomalyReport]) -> String {
    let Some(all) = fleet_health::availability(reports) else {
        return "I can't tell the availability: nothing tells when the sun shone.".to_owned();
    };
    let mut known: Vec<(&AnomalyReport, f64)> = reports
        .iter()
        .filter_map(|report| Some((report, report.availability_time?)))
        .collect();
    known.sort_by(|(_, a), (_, b)| a.total_cmp(b));
    let lowest = known.first().filter(|(_, share)| *share < 1.0);
    let lowest = lowest.map(|(report, share)| {
        format!(
            "; {} has the lowest, {}",
            report.logger_id,
            format::percent(100.0 * share)
        )
    });
    format!(
        "The availability by time was {} in all{}.",
        format::percent(all),
        lowest.unwrap_or_default()
    )
}

/// Number and duration of the outages of one device.
fn outages(report: &AnomalyReport) -> String {
    if report.health_score.is_none() {
        return String::new();
    }
    let times = health::outages_of(report).count() as u64;
    let dead = report.dead_days.len() as u64;
    let hours = format::duration(minutes_out(report));
    match (times, dead) {
        (0, 0) => "It didn't stand still in sunshine then.".to_owned(),
        (0, dead) => format!(
            "It stood still for {}.",
            format::count_of(dead, "whole day", "whole days")
        ),
        (1, 0) => health::worst_outage(report)
            .map(|event| health::longest(report, event))
            .unwrap_or_default(),
        (times, 0) => format!(
            "It stood still {}, for {hours} in all.",
            format::count_of(times, "time", "times")
        ),
        (times, dead) => format!(
            "It stood still {}, for {hours} in all, and for {}.",
            format::count_of(times, "time", "times"),
            format::count_of(dead, "whole day", "whole days")
        ),
    }
}

/// Minutes of all outages.
pub(super) fn minutes_out(report: &AnomalyReport) -> f64 {
    health::outages_of(report).map(|event| event.minutes).sum()
}
