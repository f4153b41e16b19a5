//! What a health check found, in words with its figures.

use chrono_tz::Tz;
use contracts::tools::{
    AnomalyReport, HealthEventKind, InsightKind, InsightSeverity, NextStepPriority, ToolContext,
    names,
};
use serde_json::json;
use solar::calendar::local_time;
use solar::health::{Event, EventKind, Evidence};

use crate::solar_tools::guidance::Guidance;

/// From so many anomalies on the matter is critical.
const MANY: u64 = 10;

/// The kind on the wire.
pub(super) fn kind(kind: EventKind) -> HealthEventKind {
    match kind {
        EventKind::Outage => HealthEventKind::Outage,
        EventKind::DataOutage => HealthEventKind::DataOutage,
        EventKind::DeadDay => HealthEventKind::DeadDay,
        EventKind::MissingDay => HealthEventKind::MissingDay,
        EventKind::Underperformance => HealthEventKind::Underperformance,
        EventKind::StaleValues => HealthEventKind::StaleValues,
        EventKind::Clipping => HealthEventKind::Clipping,
        EventKind::IrradianceSuspect => HealthEventKind::IrradianceSuspect,
        EventKind::ClockShift => HealthEventKind::ClockShift,
    }
}

/// The event in a sentence.
pub(super) fn description(event: &Event, zone: Tz) -> String {
    let from = local_time(event.start, zone);
    let (day, from) = (from.format("%-d %B %Y"), from.format("%H:%M"));
    let to = local_time(event.end, zone).format("%H:%M");
    match event.kind {
        EventKind::Outage => format!(
            "No power in sunshine on {day} from {from} to {to} ({}), {:.2} kWh lost.",
            duration(event.minutes),
            event.lost_kwh
        ),
        EventKind::DataOutage => format!(
            "No power readings in sunshine on {day} from {from} to {to} ({}); the inverter itself may have worked.",
            duration(event.minutes)
        ),
        EventKind::DeadDay => format!("Readings all day and next to no energy on {day}."),
        EventKind::MissingDay => format!("Next to no readings on {day}."),
        EventKind::Underperformance => format!(
            "Clearly less power for the irradiance than usual on {day}, {:.2} kWh lost.",
            event.lost_kwh
        ),
        EventKind::StaleValues => format!("The same value over and over in daylight on {day}."),
        EventKind::Clipping => format!("Power held at the inverter's limit on {day}."),
        EventKind::IrradianceSuspect => {
            format!(
                "The irradiance sensor showed light in the night of {day}; it was not used that day."
            )
        }
        EventKind::ClockShift => {
            format!("The logger's clock seems to have been moved around {day}.")
        }
    }
}

/// What the event rests on. `borrowed` irradiance is that of the site's sensors.
pub(super) fn evidence(event: &Event, borrowed: bool) -> String {
    match event.evidence {
        Evidence::OwnIrradiance(g) if borrowed => {
            format!("The site's irradiance was {g:.0} W/m² on average.")
        }
        Evidence::OwnIrradiance(g) => format!("Its own irradiance was {g:.0} W/m² on average."),
        Evidence::SiteIrradiance(g) => {
            format!("The irradiance of the site's other loggers was {g:.0} W/m² on average.")
        }
        Evidence::Neighbours(share) => {
            format!(
                "The neighbours delivered {:.0} % of their peaks on average.",
                100.0 * share
            )
        }
        Evidence::DayEnergy(kwh, median) => {
            format!("{kwh:.2} kWh, where {median:.2} kWh is the median day.")
        }
        Evidence::Completeness(share, usual) => format!(
            "{:.1} % of the day has readings, where {:.1} % is usual.",
            100.0 * share,
            100.0 * usual
        ),
        Evidence::RelativeRatio(ratio) => {
            format!(
                "{:.0} % of the power that it usually makes of its irradiance.",
                100.0 * ratio
            )
        }
        Evidence::Records(records) => format!("{records} readings."),
        Evidence::ShiftMinutes(minutes) => {
            format!("Its production is {minutes:.0} minutes later on the clock than before.")
        }
    }
}

/// The guidance.
pub(super) fn guidance(report: &AnomalyReport) -> ToolContext {
    let id = report.logger_id.as_str();
    let (count, days) = (report.anomaly_count, report.days_analyzed);
    let severity = match count {
        0..=3 => InsightSeverity::Info,
        4..=MANY => InsightSeverity::Warning,
        _ => InsightSeverity::Critical,
    };
    if count == 0 {
        return well(report);
    }
    let money = report
        .lost_money
        .as_ref()
        .map(|money| format!(", worth {:.2} {}", money.amount, money.currency));
    let lost = if report.lost_kwh > 0.0 {
        format!(
            " Outages cost {:.2} kWh{}.",
            report.lost_kwh,
            money.unwrap_or_default()
        )
    } else {
        String::new()
    };
    let noun = if count == 1 {
        "anomaly was"
    } else {
        "anomalies were"
    };
    let mut guidance = Guidance::new(format!(
        "{count} {noun} found at {id} in {days} days.{lost}"
    ));
    if let Some(first) = report
        .anomalies
        .iter()
        .max_by_key(|anomaly| anomaly.severity)
    {
        guidance = guidance.insight(
            InsightKind::Maintenance,
            severity,
            "Most serious",
            &first.description,
        );
    }
    if let Some(availability) = report.availability_time {
        guidance = guidance
            .insight(
                InsightKind::Operational,
                severity,
                "Availability",
                format!(
                    "It worked {:.1} % of the {:.1} hours of sunshine.",
                    100.0 * availability,
                    report.sun_hours
                ),
            )
            .measured(format!("{:.1} %", 100.0 * availability), None);
    }
    guidance
        .alert(
            (count > 3).then(|| format!("{id} needs attention: {count} anomalies in {days} days.")),
        )
        .step(
            NextStepPriority::Recommended,
            "See an affected day",
            "The power curve shows when it began.",
            (
                names::GET_POWER_CURVE,
                json!({ "logger_id": id, "date": affected_day(report) }),
            ),
        )
        .step(
            NextStepPriority::Recommended,
            "Look for error codes",
            "The device may say itself what is wrong.",
            (
                names::DIAGNOSE_ERROR_CODES,
                json!({ "logger_id": id, "days": days.min(30), "end_date": report.period.end }),
            ),
        )
        .show(
            "data_table",
            "detailed",
            Some("anomalyCount"),
            if count > MANY { "danger" } else { "warning" },
        )
        .build()
}

fn well(report: &AnomalyReport) -> ToolContext {
    let id = report.logger_id.as_str();
    let rests_on = match report.availability_time {
        Some(_) => format!(
            "{:.1} hours of sunshine and {} readings were looked at.",
            report.sun_hours, report.total_records
        ),
        None => format!(
            "{} readings were looked at; without irradiance or neighbours outages can not be told from clouds and night.",
            report.total_records
        ),
    };
    Guidance::new(format!("No anomalies were found at {id} in {} days.", report.days_analyzed))
        .insight(InsightKind::Operational, InsightSeverity::Info, "What this rests on", rests_on)
        .step(
            NextStepPriority::Suggested,
            "Check the efficiency",
            "A device can run without faults and still deliver little.",
            (names::CALCULATE_PERFORMANCE_RATIO, json!({ "logger_id": id, "date": report.period.end })),
        )
        .step(
            NextStepPriority::Optional,
            "Calculate the savings",
            "What the period was worth.",
            (
                names::CALCULATE_FINANCIAL_SAVINGS,
                json!({ "logger_id": id, "start_date": report.period.start, "end_date": report.period.end }),
            ),
        )
        .show("status_badge", "summary", Some("healthScore"), "success")
        .build()
}

fn affected_day(report: &AnomalyReport) -> chrono::NaiveDate {
    report
        .anomalies
        .first()
        .map_or(report.period.end, |anomaly| anomaly.timestamp.date_naive())
}

fn duration(minutes: f64) -> String {
    if minutes < 60.0 {
        format!("{minutes:.0} min")
    } else {
        format!("{:.1} h", minutes / 60.0)
    }
}
