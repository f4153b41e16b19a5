//! A comparison in words with its figures.

use chrono::NaiveDate;
use contracts::tools::{
    ComparedPlaces, Comparison, ComparisonBasis, ComparisonMetric, ComparisonSummary, InsightKind,
    InsightSeverity, NextStepPriority, Period, ToolContext, Unranked, names,
};
use serde_json::{Value, json};

use super::{Loaded, Ranked};
use crate::solar_tools::guidance::Guidance;
use crate::solar_tools::wire;

/// A difference below this is none, percent.
const ALIKE: f64 = 10.0;

/// A difference above this is large.
const LARGE: f64 = 30.0;

/// Maximum number of ids in a call.
const MOST_IDS: usize = 200;

/// Maximum number of devices that are named one by one; more are counted.
const NAMED: usize = 5;

/// What to say of loggers that are not compared, and of a chart that does not show the whole
/// period.
pub(super) fn message(comparison: &Comparison, notes: &[String]) -> Option<String> {
    let messages: Vec<&str> = comparison
        .excluded
        .iter()
        .take(NAMED)
        .map(|one| one.message.as_str())
        .collect();
    let more = comparison.excluded.len() - messages.len();
    let rest = (more > 0).then(|| format!("{more} more are not compared, either."));
    let chart = comparison.chart_period.map(|period| {
        format!(
            "The chart shows only the last days of the period, {}; the figures are of all of it.",
            when(period)
        )
    });
    let unfinished = comparison
        .unfinished_day
        .map(|day| unfinished(day, comparison));
    let places = match comparison.places {
        ComparedPlaces::Same => None,
        ComparedPlaces::OwnSun => Some(
            "The sites are in different places, so each device is ranked by its energy for the sunlight of its own site.",
        ),
        ComparedPlaces::Different => Some(
            "The sites are in different places, and the sunlight of some is not measured: a difference between sites is no verdict on a device.",
        ),
    };
    let sentences: Vec<&str> = places
        .into_iter()
        .chain(unfinished.as_deref())
        .chain(messages)
        .chain(rest.as_deref())
        .chain(chart.as_deref())
        .chain(notes.iter().map(String::as_str))
        .collect();
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// A sentence about a day that is not over at every site.
fn unfinished(day: NaiveDate, comparison: &Comparison) -> String {
    let spoken = wire::spoken(day);
    if day > comparison.period.end {
        format!(
            "{spoken} is not over at every site, so the comparison is of the days until {}.",
            wire::spoken(comparison.period.end)
        )
    } else {
        format!(
            "{spoken} is not over at every site, so only devices with the same hours of it are compared."
        )
    }
}

/// The figures that the ranking replaces, and why.
pub(super) fn notes(compared: &[Loaded], ranked: &Ranked) -> Vec<String> {
    let rows = || compared.iter().zip(&ranked.summaries);
    let of = |wanted: &dyn Fn(&Loaded, &ComparisonSummary) -> bool| -> Vec<String> {
        let found = rows().filter(|(one, summary)| wanted(one, summary));
        found.map(|(one, _)| one.id().to_owned()).collect()
    };
    let mut notes = Vec::new();
    let filled: Vec<String> = rows()
        .filter(|(_, summary)| summary.filled_days > 0)
        .map(|(one, summary)| {
            let days = if summary.filled_days == 1 {
                "day"
            } else {
                "days"
            };
            format!("{} ({} {days})", one.id(), summary.filled_days)
        })
        .collect();
    if !filled.is_empty() {
        notes.push(format!(
            "Some devices lack days of the ranking: {}. These count as the other devices of their site had them, at the relation on the days that both have.",
            some(&filled)
        ));
    }
    let widest = rows()
        .map(|(_, summary)| summary.days_with_data + summary.filled_days)
        .max();
    let days = rows().find_map(|(_, summary)| summary.ranked_days);
    if let Some(days) = days.filter(|days| widest.is_some_and(|widest| *days < widest)) {
        notes.push(format!(
            "The ranking is about the {days} days that all sites have."
        ));
    }
    let differing = of(&|_, summary| summary.register_differs);
    if !differing.is_empty() {
        notes.push(format!(
            "Register and power differ, and the lower of the two counts in the ranking, of {}.",
            some(&differing)
        ));
    }
    let unranked = |why| of(&move |_, summary| summary.unranked == Some(why));
    for (why, words) in [
        (
            Unranked::Meter,
            "A meter has no capacity of its own, so it is not ranked",
        ),
        (
            Unranked::SizeUnknown,
            "No capacity is stated, and fewer than five other days have readings to estimate it from, so there is no rank of",
        ),
        (
            Unranked::SizeEstimated,
            "No capacity is stated, and an estimate has no place among stated ones, so there is no rank of",
        ),
        (
            Unranked::CapacityImplausible,
            "What it delivers contradicts the stated capacity, so there is no rank of",
        ),
    ] {
        let ids = unranked(why);
        if !ids.is_empty() {
            let colon = if why == Unranked::Meter { ":" } else { "" };
            notes.push(format!("{words}{colon} {}.", some(&ids)));
        }
    }
    notes
}

/// The first of many.
fn some(ids: &[String]) -> String {
    let more = ids.len().saturating_sub(NAMED);
    let first = ids[..ids.len().min(NAMED)].join(", ");
    if more == 0 {
        first
    } else {
        format!("{first} and {more} more")
    }
}

/// "on 4 December 2025", or "from … to …".
pub(super) fn when(window: Period) -> String {
    if window.start == window.end {
        format!("on {}", wire::spoken(window.start))
    } else {
        format!(
            "from {} to {}",
            wire::spoken(window.start),
            wire::spoken(window.end)
        )
    }
}

/// The guidance. `site_id` is the site that was asked for, `registers` what to say of registers.
pub(super) fn guidance(
    comparison: &Comparison,
    site_id: Option<&str>,
    registers: Option<String>,
) -> ToolContext {
    let (Some(best), Some(worst), Some(spread)) = (
        &comparison.best,
        &comparison.worst,
        comparison.spread_percent,
    ) else {
        return Guidance::new(alone(comparison))
            .show("chart_line", "detailed", None, "neutral")
            .build();
    };
    let per = match comparison.basis {
        _ if comparison.places == ComparedPlaces::OwnSun => {
            "for their size and the sunlight of their sites"
        }
        ComparisonBasis::StatedCapacity => "per kilowatt of stated capacity",
        ComparisonBasis::StcPower => {
            "per kilowatt of capacity, estimated from their best days where none is stated"
        }
        ComparisonBasis::RobustPeak => {
            "per kilowatt of capacity, estimated from their best peaks where none is stated"
        }
        ComparisonBasis::Absolute if comparison.metric == ComparisonMetric::Irradiance => {
            "in mean irradiance"
        }
        ComparisonBasis::Absolute => "in energy; too few capacities are stated to divide it by",
    };
    let ids = named(&comparison.ranking);
    let summary = if spread < ALIKE {
        format!("{ids} are within {spread:.1} % of each other {per}.")
    } else {
        format!("{best} leads {worst} by {spread:.1} % {per}.")
    };
    let (severity, colours) = match spread {
        s if s < 15.0 => (InsightSeverity::Info, "success"),
        s if s <= LARGE => (InsightSeverity::Info, "warning"),
        s if s <= 40.0 => (InsightSeverity::Warning, "warning"),
        _ => (InsightSeverity::Warning, "danger"),
    };
    let guidance = Guidance::new(summary)
        .alert(registers)
        .insight(
            InsightKind::Performance,
            InsightSeverity::Info,
            "Leading",
            leading(comparison, best),
        )
        .insight(
            InsightKind::Performance,
            severity,
            "Difference",
            difference(comparison, worst, spread),
        );
    investigate(guidance, comparison, (best, worst, spread), site_id)
        .show("chart_line", "detailed", Some("specificYield"), colours)
        .build()
}

/// The sentence for fewer than two ranked devices.
fn alone(comparison: &Comparison) -> String {
    let when = when(comparison.period);
    match &comparison.logger_ids[..] {
        [one] => {
            let energy = comparison
                .total_kwh
                .map(|kwh| format!(" It made {}.", wire::spoken_energy(kwh)));
            format!("Only {one} has data {when}.{}", energy.unwrap_or_default())
        }
        [] => format!("None of the loggers has a value {when}."),
        ids if comparison.best.is_some() => format!(
            "Of {} only {} can be ranked {when}.",
            named(ids),
            named(&comparison.ranking)
        ),
        ids if !comparison.ranking.is_empty() => {
            format!(
                "No device leads of {}: those with a sound register made nothing {when}.",
                named(ids)
            )
        }
        ids => format!("{} have no day in common {when}.", named(ids)),
    }
}

fn named(ids: &[String]) -> String {
    if ids.len() > NAMED {
        format!("All {} devices", ids.len())
    } else {
        ids.join(", ")
    }
}

/// Arguments that ask about the same loggers and days again.
fn again(comparison: &Comparison, site_id: Option<&str>, metric: &str) -> Value {
    let mut arguments =
        json!({ "metric": metric, "date": comparison.date, "end_date": comparison.period.end });
    match site_id {
        Some(site) => arguments["site_id"] = json!(site),
        None if comparison.logger_ids.len() <= MOST_IDS => {
            arguments["logger_ids"] = json!(comparison.logger_ids);
        }
        None => {}
    }
    arguments
}

fn leading(comparison: &Comparison, best: &str) -> String {
    let Some(row) = comparison.summary.get(best) else {
        return format!("{best} leads.");
    };
    match (comparison.metric, row.specific_yield, row.average) {
        (ComparisonMetric::Irradiance, _, Some(mean)) => {
            format!("{best} saw {mean:.0} W/m² on average.")
        }
        (_, Some(_), _) if comparison.basis != ComparisonBasis::Absolute => {
            let specific = ranked_by(comparison, best);
            let peak = wire::spoken_power(row.peak.unwrap_or(0.0));
            match comparison.metric {
                ComparisonMetric::Power => {
                    format!("{best} made {specific:.2} kWh/kW and peaked at {peak}.")
                }
                _ => format!("{best} made {specific:.2} kWh/kW."),
            }
        }
        _ => format!("{best} leads."),
    }
}

/// The figure that a logger is ranked by, kWh/kW.
fn ranked_by(comparison: &Comparison, id: &str) -> f64 {
    let row = comparison.summary.get(id);
    row.and_then(|row| row.compared_yield.or(row.specific_yield))
        .unwrap_or(0.0)
}

fn difference(comparison: &Comparison, worst: &str, spread: f64) -> String {
    let days = if comparison.summary.values().any(|row| row.filled_days > 0) {
        " Days that a device lacks count as those of the others of its site."
    } else {
        ""
    };
    let text = lag(comparison, worst, spread);
    format!("{text}{days}")
}

fn lag(comparison: &Comparison, worst: &str, spread: f64) -> String {
    if comparison.underperformers.is_empty() {
        return format!(
            "{worst} is {spread:.1} % behind the best. Different roof planes explain a few percent; none lags beyond chance."
        );
    }
    format!(
        "{} lag the others beyond chance.",
        comparison.underperformers.join(", ")
    )
}

fn investigate(
    guidance: Guidance,
    comparison: &Comparison,
    (best, worst, spread): (&str, &str, f64),
    site_id: Option<&str>,
) -> Guidance {
    let end = comparison.period.end;
    let priority = if spread > LARGE {
        NextStepPriority::Recommended
    } else {
        NextStepPriority::Suggested
    };
    let other = match comparison.metric {
        ComparisonMetric::Power => "energy",
        ComparisonMetric::Energy | ComparisonMetric::Irradiance => "power",
    };
    let mut guidance = guidance;
    if spread >= ALIKE {
        guidance = guidance.step(
            priority,
            format!("Check the health of {worst}"),
            format!("It is {spread:.1} % behind {best}."),
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": worst, "days": 7, "end_date": end }),
            ),
        );
    }
    guidance
        .step(
            NextStepPriority::Suggested,
            format!("See the power curve of {best}"),
            "It shows what the day allowed.",
            (
                names::GET_POWER_CURVE,
                json!({ "logger_id": best, "date": end }),
            ),
        )
        .step(
            NextStepPriority::Optional,
            format!("Compare the {other}"),
            "Another view on the same loggers.",
            (names::COMPARE_LOGGERS, again(comparison, site_id, other)),
        )
        .alert((spread > 40.0).then(|| format!("{worst} is {spread:.1} % behind {best}.")))
}
