//! The quantity that a question asks for explicitly, so that the sentence has it, too, and not only
//! the card.

use contracts::tools::{AnomalyReport, Comparison, ComparisonBasis, ComparisonMetric, Flag};

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
    /// The newest outage.
    LastOutage,
    /// The days and devices without data.
    Missing,
    /// Whether energy counters and power readings agree.
    Register,
    /// The price of a kWh.
    Tariff,
    /// The energy of each site.
    Sites,
    /// Which device is first, and which is last.
    Best,
    /// Which device made most energy, whatever its size.
    Most,
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
        (Asked::LastOutage, Facts::Health { report }) => {
            fleet_health::last_out(std::slice::from_ref(report)).unwrap_or_else(|| outages(report))
        }
        (Asked::LastOutage, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            fleet_health::last_out(reports)
                .unwrap_or_else(|| "No device stood still in sunshine then.".to_owned())
        }
        (Asked::Missing, Facts::Health { report }) => missing(std::slice::from_ref(report)),
        (Asked::Missing, Facts::FleetHealth { reports, .. }) => missing(reports),
        (Asked::Register, Facts::Health { report }) => register(std::slice::from_ref(report)),
        (Asked::Register, Facts::FleetHealth { reports, .. }) => register(reports),
        (Asked::Tariff, Facts::Financial { report, .. } | Facts::Energy { report }) => {
            financial::tariff(report)
        }
        (Asked::Sites, Facts::Financial { report, .. } | Facts::Energy { report }) => {
            financial::sites(report)
        }
        (Asked::Best, Facts::Audit { comparison }) => best(comparison),
        (Asked::Most, Facts::Audit { comparison }) => most(comparison),
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

/// Who made most and least energy.
fn most(comparison: &Comparison) -> String {
    let mut made: Vec<(&String, f64)> = comparison
        .summary
        .iter()
        .filter_map(|(id, own)| Some((id, own.total?)))
        .collect();
    made.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    match made.as_slice() {
        [(most, kwh), .., (least, other)] => format!(
            "{most} made the most energy, {}, and {least} the least, {}.",
            format::energy(*kwh),
            format::energy(*other)
        ),
        _ => best(comparison),
    }
}

/// Most devices whose days without data are named.
const MOST_MISSING: usize = 5;

/// The devices that lack days, and which.
fn missing(reports: &[AnomalyReport]) -> String {
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
    if lacking.is_empty() {
        return "No day is without data.".to_owned();
    }
    format!(
        "No data came from {}.",
        format::list_most(&lacking, MOST_MISSING)
    )
}

/// Whether counters and power agree.
fn register(reports: &[AnomalyReport]) -> String {
    let differ: Vec<&str> = reports
        .iter()
        .filter(|report| report.flags.contains(&Flag::RegisterPowerMismatch))
        .map(|report| report.logger_id.as_str())
        .collect();
    let odd: Vec<&str> = reports
        .iter()
        .filter(|report| report.flags.contains(&Flag::RegisterSuspect))
        .map(|report| report.logger_id.as_str())
        .collect();
    match (differ.as_slice(), odd.as_slice()) {
        ([], []) => {
            "I found no day on which the energy counter and the power readings disagree.".to_owned()
        }
        ([], odd) => format!(
            "The energy counter of {} looks odd on some days.",
            format::list_most(odd, MOST_MISSING)
        ),
        (differ, _) => format!(
            "On some days the energy counter and the power readings of {} don't agree, so I wouldn't trust the counter blindly.",
            format::list_most(differ, MOST_MISSING)
        ),
    }
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
