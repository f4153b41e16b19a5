//! A comparison in words with its figures.

use contracts::tools::{
    Comparison, ComparisonBasis, ComparisonMetric, InsightKind, InsightSeverity, NextStepPriority,
    ToolContext, names,
};
use serde_json::json;

use crate::solar_tools::guidance::Guidance;
use crate::solar_tools::wire;

/// A difference below this is none, percent.
const ALIKE: f64 = 10.0;

/// A difference above this is large.
const LARGE: f64 = 30.0;

/// What to say of loggers that have no readings in the window.
pub(super) fn without_readings(ids: &[&str]) -> Option<String> {
    match ids {
        [] => None,
        [one] => Some(format!("{one} has no data in the window.")),
        several => Some(format!(
            "{} have no data in the window.",
            several.join(", ")
        )),
    }
}

/// The guidance.
pub(super) fn guidance(comparison: &Comparison) -> ToolContext {
    let (Some(best), Some(worst), Some(spread)) = (
        &comparison.best,
        &comparison.worst,
        comparison.spread_percent,
    ) else {
        return Guidance::new("There are too few common readings to compare by.")
            .show("chart_line", "detailed", None, "neutral")
            .build();
    };
    let per = match comparison.basis {
        ComparisonBasis::StatedCapacity => "per kilowatt of stated capacity",
        ComparisonBasis::StcPower => {
            "per kilowatt under standard test conditions, estimated from the data"
        }
        ComparisonBasis::RobustPeak => "per kilowatt of peak power",
        ComparisonBasis::Absolute => "in mean irradiance",
    };
    let ids = comparison.logger_ids.join(", ");
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
    investigate(guidance, comparison, best, worst, spread)
        .show("chart_line", "detailed", Some("specificYield"), colours)
        .build()
}

fn leading(comparison: &Comparison, best: &str) -> String {
    let Some(row) = comparison.summary.get(best) else {
        return format!("{best} leads.");
    };
    match (comparison.metric, row.specific_yield, row.average) {
        (ComparisonMetric::Irradiance, _, Some(mean)) => {
            format!("{best} saw {mean:.0} W/m² on average.")
        }
        (_, Some(specific), _) => {
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

fn difference(comparison: &Comparison, worst: &str, spread: f64) -> String {
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
    best: &str,
    worst: &str,
    spread: f64,
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
            (names::GET_POWER_CURVE, json!({ "logger_id": best, "date": end })),
        )
        .step(
            NextStepPriority::Optional,
            format!("Compare the {other}"),
            "Another view on the same loggers.",
            (
                names::COMPARE_LOGGERS,
                json!({ "logger_ids": comparison.logger_ids, "metric": other, "date": comparison.date, "end_date": end }),
            ),
        )
        .alert((spread > 40.0).then(|| format!("{worst} is {spread:.1} % behind {best}.")))
}
