//! The quantity that a question asks for explicitly, so that the sentence has it, too, and not only
//! the card.

use contracts::tools::{
    AnomalyReport, ComparedPlaces, Comparison, ComparisonBasis, ComparisonMetric, Flag, PowerCurve,
    Unranked,
};

pub(super) mod missing;
mod places;
mod states;

pub(super) use states::lost_by;

use crate::language::Ranked;
use crate::sentences;

use super::{Facts, audit, financial, fleet_health, format, health};

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
    /// The energy that was to be had.
    Possible,
    /// Since when a device lags.
    LagsSince,
    /// Who was out, and how many that are.
    HowManyOut,
    /// Who was not out.
    WhoRan,
    /// The last of the worst devices of a ranking.
    Last,
    /// The device with the worst or the best health.
    Health {
        /// Whether the worst comes first.
        worst: bool,
    },
    /// Which device lost most energy while it stood still.
    LostMost,
    /// Whether any device lags the others.
    Lagging,
    /// The newest outage.
    LastOutage,
    /// The days and devices without data.
    Missing,
    /// Which devices sent data on some days, and how many they are.
    WhoReported,
    /// Whether energy counters and power readings agree.
    Register,
    /// The price of a kWh.
    Tariff,
    /// The energy of each site.
    Sites,
    /// The sites that made most energy, or least.
    EndOfSites(Ranked),
    /// The sites by the money that they saved, or by the carbon dioxide that they avoided.
    SitesByWorth {
        /// By carbon dioxide.
        carbon: bool,
    },
    /// Which device is first, and which is last.
    Best,
    /// Which device made most energy, whatever its size.
    Most,
    /// Which of two devices made more energy, and how much more.
    More,
    /// The energy of one of two devices as a multiple of the other one.
    Ratio,
    /// The energy of several devices together.
    Together,
    /// Who has a place of the ranking.
    Place(Place),
    /// Which device saved most money.
    MostSaved,
    /// Which device avoided most carbon dioxide.
    MostCarbon,
    /// Which devices are offline now.
    Offline,
    /// Which devices are not.
    Online,
    /// Which devices deliver power now.
    Producing {
        /// Whether those are asked for that deliver none.
        none: bool,
    },
    /// Why a device stood still, or made little.
    Why,
    /// Why a device is the first of a ranking, or the last one.
    WhyRanked,
    /// The sunlight.
    Sunlight,
    /// The errors that the devices reported themselves.
    Errors,
    /// Which sites there are.
    WhichSites,
}

/// A place of a ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The place, from 1 on.
    pub nth: usize,
    /// Counted from the end.
    pub worst: bool,
    /// By the energy, whatever the size.
    pub by_energy: bool,
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
        (
            Asked::Availability,
            Facts::FleetHealth {
                reports,
                availability,
                ..
            },
        ) => availabilities(reports, availability),
        (Asked::Outages | Asked::HowManyOut | Asked::WhoRan, Facts::Health { report }) => {
            outages(report)
        }
        (Asked::Outages, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            fleet_health::out(reports).unwrap_or_else(|| none_out(reports))
        }
        (Asked::HowManyOut, Facts::FleetHealth { reports, .. }) => states::how_many_out(reports),
        (Asked::WhoRan, Facts::FleetHealth { reports, .. }) => states::who_ran(reports),
        (Asked::Health { worst }, Facts::FleetHealth { reports, .. }) => {
            states::by_health(reports, worst)
        }
        (Asked::LostMost, Facts::FleetHealth { reports, .. }) => states::by_losses(reports),
        (Asked::Lagging, Facts::Audit { comparison }) => states::lagging(comparison),
        (Asked::EndOfSites(ranked), Facts::Financial { report, .. } | Facts::Energy { report }) => {
            financial::end_of_sites(report, ranked)
        }
        (Asked::SitesByWorth { carbon }, Facts::Financial { report, .. }) => {
            financial::sites_by_worth(report, carbon)
        }
        (Asked::Why, Facts::Health { report }) => {
            why(std::slice::from_ref(report), outages(report))
        }
        (Asked::Why, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            let out = fleet_health::out(reports).unwrap_or_else(|| none_out(reports));
            why(reports, out)
        }
        (Asked::LastOutage, Facts::Health { report }) => {
            fleet_health::last_out(std::slice::from_ref(report)).unwrap_or_else(|| outages(report))
        }
        (Asked::LastOutage, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            fleet_health::last_out(reports).unwrap_or_else(|| none_out(reports))
        }
        (Asked::Missing | Asked::WhoReported, _) => missing::answer(asked, facts),
        (Asked::Register, Facts::Health { report }) => register(std::slice::from_ref(report)),
        (Asked::Register, Facts::FleetHealth { reports, .. }) => register(reports),
        (Asked::Tariff, Facts::Financial { report, .. } | Facts::Energy { report }) => {
            financial::tariff(report)
        }
        (Asked::Sites, Facts::Financial { report, .. } | Facts::Energy { report }) => {
            financial::sites(report)
        }
        (Asked::Best, Facts::Audit { comparison }) => best(comparison),
        (Asked::Last, Facts::Audit { comparison }) => audit::last(comparison),
        (Asked::Most, Facts::Audit { comparison }) => most(comparison),
        (Asked::WhyRanked, Facts::Audit { comparison }) => places::why(comparison),
        (Asked::More, Facts::Audit { comparison }) => more(comparison),
        (Asked::Ratio, Facts::Audit { comparison }) => places::ratio(comparison),
        (Asked::Together, Facts::Audit { comparison }) => places::together(comparison),
        (Asked::Place(place), Facts::Audit { comparison }) => places::at(place, comparison),
        (
            Asked::MostSaved | Asked::MostCarbon,
            Facts::Financial { report, .. } | Facts::Energy { report },
        ) => places::by_worth(report, asked == Asked::MostCarbon),
        (_, Facts::Briefing { overview, .. }) => states::now(asked, overview),
        (Asked::Sunlight, Facts::PowerCurve { curve, .. }) => sunlight(curve),
        (Asked::Sunlight, Facts::Performance { report }) => format!(
            "The sun brought {} kWh/m² {}, which is as many hours of full sun.",
            format::figure(report.yr),
            report.period.map_or_else(
                || format::from_to(report.date, report.date),
                |period| format::from_to(period.start, period.end),
            )
        ),
        (Asked::Losses, Facts::FleetHealth { reports, .. }) if !reports.is_empty() => {
            let stood = fleet_health::standstill(reports)
                .unwrap_or_else(|| "Nothing was lost to outages or dead days.".to_owned());
            let short = fleet_health::shortfalls(reports).unwrap_or_default();
            format!("{stood} {short}").trim_end().to_owned()
        }
        (Asked::Possible, Facts::Health { report }) => {
            states::possible(std::slice::from_ref(report))
        }
        (Asked::Possible, Facts::FleetHealth { reports, .. }) => states::possible(reports),
        (Asked::LagsSince, Facts::Health { report }) => states::lags_since(report),
        (Asked::Losses, Facts::Health { report }) if report.lost_kwh > 0.0 => health::cost(report),
        // The sentence on what it made less follows in the report.
        (Asked::Losses, Facts::Health { report }) if report.shortfall_kwh.is_some() => {
            "It didn't stand still, but it made less than it could.".to_owned()
        }
        (Asked::Losses, Facts::Health { report }) if report.health_score.is_some() => {
            "It lost nothing to outages or dead days.".to_owned()
        }
        _ => String::new(),
    }
}

/// The sentence of a report on health on devices that stood still.
pub(crate) fn standstills(facts: &Facts<'_>) -> String {
    answer(Asked::Outages, facts)
}

/// The figure that a device is ranked by, as it is shown.
pub(crate) fn ranked_by(comparison: &Comparison, id: &str) -> Option<String> {
    let own = comparison.summary.get(id)?;
    let places = if own.per_sunlight.is_some() { 3 } else { 2 };
    Some(format::decimal(ranked_value(comparison, id)?, places))
}

/// The figure that a device is ranked by.
pub(crate) fn ranked_value(comparison: &Comparison, id: &str) -> Option<f64> {
    let own = comparison.summary.get(id)?;
    if own.per_sunlight.is_some() {
        return own.per_sunlight;
    }
    if comparison.basis == ComparisonBasis::Absolute {
        match comparison.metric {
            ComparisonMetric::Irradiance => own.average,
            ComparisonMetric::Power | ComparisonMetric::Energy => own.total,
        }
    } else {
        own.compared_yield.or(own.specific_yield)
    }
}

/// The devices of a comparison, best first: as they are ranked, otherwise by their figures.
pub(crate) fn ranking(comparison: &Comparison) -> Vec<String> {
    if !comparison.ranking.is_empty() {
        return comparison.ranking.clone();
    }
    let figure = |id: &String| {
        let figures = comparison.summary.get(id);
        figures
            .and_then(|figures| figures.specific_yield.or(figures.average))
            .unwrap_or(f64::NEG_INFINITY)
    };
    let mut ids = comparison.logger_ids.clone();
    ids.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
    ids
}

/// The sunlight of a day.
fn sunlight(curve: &PowerCurve) -> String {
    let (id, day) = (&curve.logger_id, format::date(curve.date));
    let readings = curve
        .data
        .iter()
        .filter_map(|point| Some((point.timestamp, point.irradiance?)));
    let Some((at, most)) = readings.max_by(|(_, a), (_, b)| a.total_cmp(b)) else {
        return format!("I have no readings of the sunlight for {id} on {day}.");
    };
    format!(
        "The sunlight of {id} on {day} was strongest at {}, with {} W/m².",
        format::clock(at),
        format::decimal(most, 0)
    )
}

/// The energy of the first of two devices beyond that of the second, kWh.
pub(super) fn difference(comparison: &Comparison) -> Option<f64> {
    match by_energy(comparison).as_slice() {
        [(_, most), (_, least)] => Some(most - least),
        _ => None,
    }
}

/// The devices with their energy, most first. A meter among inverters made none.
pub(crate) fn by_energy(comparison: &Comparison) -> Vec<(&String, f64)> {
    let mut made: Vec<(&String, f64)> = comparison
        .summary
        .iter()
        .filter(|(_, own)| own.unranked != Some(Unranked::Meter))
        .filter_map(|(id, own)| Some((id, own.total?)))
        .collect();
    made.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    made
}

/// Which of two devices made more energy.
fn more(comparison: &Comparison) -> String {
    let made = by_energy(comparison);
    let [(most, kwh), (least, other)] = made.as_slice() else {
        return self::most(comparison);
    };
    let (shown, against) = (format::energy(*kwh), format::energy(*other));
    if shown == against {
        return format!("{most} and {least} made the same, {shown} each.");
    }
    format!(
        "{most} made {} more than {least}: {shown} against {against}.",
        format::energy(kwh - other)
    )
}

/// The devices that are ranked the same as one of them, in the order of the ranking.
pub(super) fn level_with<'c>(comparison: &'c Comparison, id: &str) -> Vec<&'c str> {
    let own = ranked_by(comparison, id);
    let order = if comparison.ranking.is_empty() {
        &comparison.logger_ids
    } else {
        &comparison.ranking
    };
    order
        .iter()
        .map(String::as_str)
        .filter(|other| *other == id || own.is_some() && ranked_by(comparison, other) == own)
        .collect()
}

/// Who is first and last, and who made most, which the larger devices do.
fn best(comparison: &Comparison) -> String {
    let (Some(best), Some(worst)) = (&comparison.best, &comparison.worst) else {
        return String::new();
    };
    if audit::is_without_sizes(comparison) {
        return most(comparison);
    }
    let level = level_with(comparison, best);
    let of_size = if comparison.places == ComparedPlaces::OwnSun {
        " for its size and its sunlight"
    } else if comparison.basis == ComparisonBasis::Absolute {
        ""
    } else if comparison
        .summary
        .get(best)
        .is_some_and(audit::is_estimated)
    {
        " for its estimated size"
    } else {
        " for its size"
    };
    let last = level_with(comparison, worst);
    let (last, is) = audit::ends(&last);
    let most = by_energy(comparison)
        .into_iter()
        .next()
        .filter(|(id, _)| *id != best && comparison.metric == ComparisonMetric::Energy)
        .map(|(id, kwh)| format!(" In kWh {id} made the most, {}.", format::energy(kwh)));
    let most = most.unwrap_or_default();
    if level.contains(&worst.as_str()) {
        // The lead says that they are.
        return most.trim_start().to_owned();
    }
    if level.len() > 1 {
        let level = format::list_most(&level, MOST_LEVEL);
        let of_size = of_size.replace("its", "their");
        return format!("{level} are level as the best{of_size}, and {last} {is} last.{most}");
    }
    format!("{best} is the best{of_size}, and {last} {is} last.{most}")
}

/// Most devices that are named as level with one another.
const MOST_LEVEL: usize = 20;

/// Who made most and least energy.
fn most(comparison: &Comparison) -> String {
    let made = by_energy(comparison);
    let level = |end: Option<&(&String, f64)>| -> Vec<&str> {
        let shown = end.map(|(_, kwh)| format::energy(*kwh));
        made.iter()
            .filter(|(_, kwh)| shown.as_ref() == Some(&format::energy(*kwh)))
            .map(|(id, _)| id.as_str())
            .collect()
    };
    let (highest, lowest) = (level(made.first()), level(made.last()));
    let each = |level: &[&str]| if level.len() > 1 { " each" } else { "" };
    match made.as_slice() {
        [(_, kwh), .., (_, other)] if format::energy(*kwh) == format::energy(*other) => {
            format!("Each of them made the same, {}.", format::energy(*kwh))
        }
        [(_, kwh), .., (_, other)] => format!(
            "{} made the most energy, {}{}, and {} the least, {}{}.",
            format::list_most(&highest, MOST_LEVEL),
            format::energy(*kwh),
            each(&highest),
            format::list_most(&lowest, MOST_LEVEL),
            format::energy(*other),
            each(&lowest)
        ),
        _ => best(comparison),
    }
}

/// Most devices that a sentence names.
const MOST_NAMED: usize = 5;

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
    let alone: Vec<&str> = reports
        .iter()
        .filter(|report| report.flags.contains(&Flag::PowerFromRegister))
        .map(|report| report.logger_id.as_str())
        .collect();
    let mut sentences = Vec::new();
    match (differ.as_slice(), odd.as_slice()) {
        ([], []) if alone.len() == reports.len() => {}
        ([], []) => sentences.push(
            "I found no day on which the energy counter and the power readings disagree.".to_owned(),
        ),
        ([], odd) => sentences.push(format!(
            "The energy counter of {} looks odd on some days.",
            format::list_most(odd, MOST_NAMED)
        )),
        (differ, _) => sentences.push(format!(
            "On some days the energy counter and the power readings of {} don't agree, so I wouldn't trust the counter blindly.",
            format::list_most(differ, MOST_NAMED)
        )),
    }
    if !alone.is_empty() {
        let (s, its) = if alone.len() == 1 {
            ("s", "its")
        } else {
            ("", "their")
        };
        sentences.push(format!(
            "{} send{s} no power that {its} energy counter could be compared with.",
            format::list_most(&alone, MOST_NAMED)
        ));
    }
    sentences.join(" ")
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

fn availabilities(reports: &[AnomalyReport], of_all: Option<f64>) -> String {
    let Some(all) = of_all.map(|share| 100.0 * share) else {
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

/// No device stood still; those without data are named, because nothing is known of them.
fn none_out(reports: &[AnomalyReport]) -> String {
    let silent: Vec<&str> = reports
        .iter()
        .filter(|report| is_silent(report))
        .map(|report| report.logger_id.as_str())
        .collect();
    if silent.is_empty() {
        return "No device stood still in sunshine then.".to_owned();
    }
    format!(
        "No device with data stood still in sunshine then; there are none from {}.",
        format::list_most(&silent, MOST_NAMED)
    )
}

/// Whether none of the days has data.
fn is_silent(report: &AnomalyReport) -> bool {
    !report.missing_days.is_empty()
        && u32::try_from(report.missing_days.len()) == Ok(report.days_analyzed)
}

/// The outages, and what the readings say of their cause: nothing.
fn why(reports: &[AnomalyReport], outages: String) -> String {
    if outages.is_empty() || reports.iter().all(is_silent) {
        return outages;
    }
    let stood = reports
        .iter()
        .any(|report| health::outages_of(report).next().is_some() || !report.dead_days.is_empty());
    let short = reports
        .iter()
        .any(|report| fleet_health::shortfall(report) > 0.0 && report.vs_peers_pct.is_some());
    let cause = if stood {
        "Why, the readings don't say; the error codes of those days may."
    } else if short {
        "So neither an outage nor clouds explain it: its neighbours have the same sky. The cause, the readings don't say."
    } else {
        "So an outage doesn't explain it, and clouds alone can."
    };
    format!("{outages} {cause}")
}

/// Of a device without any data nothing can be said.
pub(super) const SILENT: &str = "There are no data from it then, so I can't tell whether it ran.";

/// Number and duration of the outages of one device.
fn outages(report: &AnomalyReport) -> String {
    if let Some(silence) = report.silence {
        let ran = if is_silent(report) { SILENT } else { "" };
        let last = silence.last_reading.date_naive();
        let since = sentences::silent(&report.logger_id, last, silence.days.into());
        return format!("{since} {ran}").trim_end().to_owned();
    }
    if is_silent(report) {
        return SILENT.to_owned();
    }
    if report.health_score.is_none() {
        return String::new();
    }
    let times = health::outages_of(report).count() as u64;
    let dead = report.dead_days.len() as u64;
    let hours = format::duration(minutes_out(report));
    match (times, dead) {
        (0, 0) if !report.missing_days.is_empty() => {
            "It didn't stand still in sunshine on the days with data.".to_owned()
        }
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
