//! The findings of a health check, in words with their figures.

use chrono_tz::Tz;
use contracts::tools::{
    AnomalyReport, HealthEventKind, HealthWord, InsightKind, InsightSeverity, Money,
    NextStepPriority, ToolContext, names,
};
use serde_json::json;
use solar::calendar::local_time;
use solar::health::{Event, EventKind, Evidence};

use crate::solar_tools::guidance::Guidance;
use crate::solar_tools::wire;

/// The further sentence of an outage on a dead day.
pub(super) const PART_OF_DEAD_DAY: &str = " Part of the dead day, which has the loss.";

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
        EventKind::RegisterMismatch => HealthEventKind::RegisterMismatch,
    }
}

/// The event in a sentence.
pub(super) fn description(event: &Event, zone: Tz) -> String {
    let from = local_time(event.start, zone);
    let (day, from) = (from.format("%-d %B %Y"), from.format("%H:%M"));
    let to = local_time(event.end, zone).format("%H:%M");
    match event.kind {
        EventKind::Outage => format!(
            "No power in sunshine on {day} from {from} to {to} ({}), {} lost.",
            duration(event.minutes),
            wire::spoken_energy(event.lost_kwh)
        ),
        EventKind::DataOutage => format!(
            "No power readings in sunshine on {day} from {from} to {to} ({}); the inverter itself may have worked.",
            duration(event.minutes)
        ),
        EventKind::DeadDay if event.lost_kwh > 0.0 => format!(
            "Readings all day and next to no energy on {day}, {} lost.",
            wire::spoken_energy(event.lost_kwh)
        ),
        EventKind::DeadDay => format!("Readings all day and next to no energy on {day}."),
        EventKind::MissingDay => format!("Next to no readings on {day}."),
        EventKind::Underperformance if is_judgement(event) => format!(
            "{} That is {} less than expected, from {day} to {}.",
            evidence(event, false),
            wire::spoken_energy(event.lost_kwh),
            local_time(event.end - 1, zone).format("%-d %B %Y")
        ),
        EventKind::Underperformance => format!(
            "Clearly less power for the irradiance than usual on {day}, {} lost.",
            wire::spoken_energy(event.lost_kwh)
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
        EventKind::RegisterMismatch => evidence(event, false),
    }
}

/// Whether missing readings do not explain that register and power differ.
pub(super) fn is_wrong_register(event: &Event) -> bool {
    matches!(event.evidence, Evidence::Registers { whole: true, .. })
}

/// Whether the event judges the whole window.
fn is_judgement(event: &Event) -> bool {
    matches!(
        event.evidence,
        Evidence::Peers(..) | Evidence::OwnShare(_) | Evidence::PerformanceRatio(_)
    )
}

/// The evidence of the event. `borrowed` irradiance is that of the site's sensors.
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
            format!(
                "{}, where {} is the median day.",
                wire::spoken_energy(kwh),
                wire::spoken_energy(median)
            )
        }
        Evidence::ExpectedEnergy(kwh, expected) => format!(
            "{}, where the site's other inverters or the sun say {}.",
            wire::spoken_energy(kwh),
            wire::spoken_energy(expected)
        ),
        Evidence::Peers(share, 1) => format!(
            "{:.0} % less energy per capacity than the site's other inverter.",
            100.0 * share
        ),
        Evidence::Peers(share, peers) => format!(
            "{:.0} % less energy per capacity than the median of the site's {peers} other inverters.",
            100.0 * share
        ),
        Evidence::OwnShare(share) => format!(
            "{:.0} % less energy than before, measured by the site's other inverters.",
            100.0 * share
        ),
        Evidence::PerformanceRatio(ratio) => format!(
            "A performance ratio of {:.0} %, where 75 % is normal.",
            100.0 * ratio
        ),
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
        Evidence::Registers {
            register_kwh,
            power_kwh,
            days,
            whole,
        } => {
            let days = if days == 1 {
                "one day".to_owned()
            } else {
                format!("{days} days")
            };
            let why = if whole {
                "One of the two is wrong."
            } else {
                "Missing readings can explain that."
            };
            format!(
                "Its register counts {} on {days} on which its power adds up to {}. {why}",
                wire::spoken_energy(register_kwh),
                wire::spoken_energy(power_kwh)
            )
        }
        Evidence::ShiftMinutes(minutes) => {
            format!("Its production is {minutes:.0} minutes later on the clock than before.")
        }
    }
}

fn worth(money: &Money) -> String {
    let default = if money.default_tariff {
        " at the default tariff"
    } else {
        ""
    };
    format!(", worth {:.2} {}{default}", money.amount, money.currency)
}

/// The guidance.
pub(super) fn guidance(report: &AnomalyReport) -> ToolContext {
    let id = report.logger_id.as_str();
    let (count, days) = (report.anomaly_count, report.days_analyzed);
    let severity = severity(report.health_status);
    let silent = report.silence.map(|silence| {
        let days = if silence.days == 1 { "day" } else { "days" };
        let last = wire::spoken(silence.last_reading.date_naive());
        format!(
            "{id} has not reported since {last} ({} {days}). ",
            silence.days
        )
    });
    let silent = silent.unwrap_or_default();
    if count == 0 {
        return well(report);
    }
    let money = report.lost_money.as_ref().map(worth);
    let lost = if report.lost_kwh > 0.0 {
        format!(
            " Standstill cost {}{}.",
            wire::spoken_energy(report.lost_kwh),
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
        "{silent}{count} {noun} found at {id} in {days} days.{lost}"
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
                    "It ran in {:.1} % of the {:.1} hours of sunshine. That says that it ran, not how well.",
                    100.0 * availability,
                    report.sun_hours
                ),
            )
            .measured(format!("{:.1} %", 100.0 * availability), None);
    }
    guidance
        .alert(
            (severity == InsightSeverity::Critical)
                .then(|| format!("{id} needs attention: {count} anomalies in {days} days.")),
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
            colours(report.health_status),
        )
        .build()
}

fn severity(word: HealthWord) -> InsightSeverity {
    match word {
        HealthWord::Critical => InsightSeverity::Critical,
        HealthWord::Warning => InsightSeverity::Warning,
        HealthWord::Healthy | HealthWord::Unknown => InsightSeverity::Info,
    }
}

fn colours(word: HealthWord) -> &'static str {
    match word {
        HealthWord::Critical => "danger",
        HealthWord::Warning => "warning",
        HealthWord::Healthy => "success",
        HealthWord::Unknown => "neutral",
    }
}

/// The guidance for several devices.
pub(super) fn guidance_for_several(report: &AnomalyReport) -> ToolContext {
    let name = report.logger_id.as_str();
    // A meter has its own report and is not one of the devices that it measures.
    let counted = || report.devices.iter().filter(|one| one.counted);
    let count = |word: HealthWord| {
        let devices = counted();
        devices.filter(|one| one.health_status == word).count()
    };
    let (healthy, all) = (count(HealthWord::Healthy), counted().count());
    let worst = report
        .devices
        .first()
        .filter(|one| one.health_status != HealthWord::Healthy);
    let lost: Vec<String> = report
        .sites
        .iter()
        .filter(|site| site.lost_kwh > 0.0)
        .map(|site| {
            let money = site.lost_money.as_ref().map(worth);
            let money = money.unwrap_or_default();
            format!(
                "{}{money} at {}",
                wire::spoken_energy(site.lost_kwh),
                site.name
            )
        })
        .collect();
    let lost = match lost.as_slice() {
        [] => String::new(),
        several => format!(" Standstill cost {}.", several.join(" and ")),
    };
    let mut guidance = Guidance::new(format!(
        "Of {name} {healthy} of {all} that could be judged are healthy, {} have a warning and {} are in a critical state.{lost}",
        count(HealthWord::Warning),
        count(HealthWord::Critical),
    ));
    if let Some(worst) = worst {
        let found = worst.anomalies.iter().max_by_key(|one| one.severity);
        guidance = guidance.insight(
            InsightKind::Maintenance,
            severity(worst.health_status),
            "Lowest score",
            format!(
                "{}: {}",
                worst.logger_id,
                found.map_or("no single finding stands out.", |one| &one.description)
            ),
        );
        if let Some(score) = worst.health_score {
            guidance = guidance.measured(format!("{score:.1}"), None);
        }
        guidance = guidance.step(
            NextStepPriority::Recommended,
            "See what is wrong with it",
            "Its own report has every finding with its evidence.",
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": worst.logger_id, "start_date": worst.period.start, "end_date": worst.period.end }),
            ),
        );
    }
    let (kwh, word) = (report.lost_kwh, report.health_status);
    guidance
        .alert((count(HealthWord::Critical) > 0).then(|| {
            format!(
                "{} of {all} devices are in a critical state.",
                count(HealthWord::Critical)
            )
        }))
        .show(
            "data_table",
            "detailed",
            Some(if kwh > 0.0 { "lostKwh" } else { "healthScore" }),
            colours(word),
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
            "{} readings were looked at; without irradiance or neighbours outages cannot be distinguished from clouds and night.",
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
        .show("status_badge", "summary", Some("healthScore"), colours(report.health_status))
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
