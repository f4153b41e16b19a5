//! A fleet's state in words with its figures.

use chrono::NaiveDate;
use contracts::tools::{
    FleetHealth, FleetOverview, InsightKind, InsightSeverity, NextStepPriority, ToolContext, names,
};
use serde_json::json;

use crate::solar_tools::guidance::Guidance;
use crate::solar_tools::wire;

/// One sentence, or two when the data are old.
pub(super) fn summary(overview: &FleetOverview) -> String {
    let (status, production) = (&overview.status, &overview.production);
    let old = overview.date_mismatch.as_ref().map(|mismatch| {
        format!(
            "The newest data are of {}. ",
            wire::spoken(mismatch.actual_data_date)
        )
    });
    let day = format!(
        "{} {}",
        wire::spoken_energy(production.today_total_energy_kwh),
        days(overview)
    );
    let sleep = if status.asleep > 0 && status.producing == 0 {
        " It is night."
    } else {
        ""
    };
    let silent: Vec<String> = overview
        .sites
        .iter()
        .filter(|site| !site.current)
        .map(|site| {
            let since = site.anchor.map_or_else(
                || "at all".to_owned(),
                |at| format!("since {}", wire::spoken(at.date_naive())),
            );
            format!(
                " {} has sent nothing {since} and is not counted.",
                site.name
            )
        })
        .collect();
    let silent = silent.concat();
    format!(
        "{}{} of {} devices are online and deliver {}; {day}.{sleep}{silent}",
        old.unwrap_or_default(),
        status.total_loggers - status.offline,
        status.total_loggers,
        wire::spoken_power(production.current_total_power_watts),
    )
}

/// The day of the energies; each site's own, where they differ.
fn days(overview: &FleetOverview) -> String {
    let sites: Vec<(&str, NaiveDate)> = overview
        .sites
        .iter()
        .filter(|site| site.current)
        .filter_map(|site| Some((site.name.as_str(), site.local_date?)))
        .collect();
    if sites.iter().all(|(_, day)| *day == overview.local_date) {
        return format!("on {}", wire::spoken(overview.local_date));
    }
    let days: Vec<String> = sites
        .iter()
        .map(|(name, day)| format!("{} ({name})", wire::spoken(*day)))
        .collect();
    format!("on the newest day of each site: {}", days.join(", "))
}

/// The guidance.
pub(super) fn guidance(overview: &FleetOverview) -> ToolContext {
    let status = &overview.status;
    let (severity, colours) = match status.fleet_health {
        FleetHealth::Healthy => (InsightSeverity::Info, "success"),
        FleetHealth::Degraded => (InsightSeverity::Warning, "warning"),
        FleetHealth::Critical => (InsightSeverity::Critical, "danger"),
        FleetHealth::Unknown => (InsightSeverity::Info, "neutral"),
    };
    let offline: Vec<&str> = overview
        .offline_loggers
        .iter()
        .map(|logger| logger.logger_id.as_str())
        .collect();
    let devices = if offline.is_empty() {
        format!("All {} devices do what they should.", status.total_loggers)
    } else {
        format!("Not working: {}.", offline.join(", "))
    };
    let mut guidance = Guidance::new(&overview.summary)
        .insight(InsightKind::Operational, severity, "Devices", devices)
        .measured(format!("{:.1} % online", status.percent_online), None);
    if let Some(irradiance) = overview.production.site_avg_irradiance {
        let sun = match irradiance {
            g if g > 800.0 => "excellent",
            g if g > 500.0 => "good",
            g if g > 200.0 => "moderate",
            _ => "little",
        };
        guidance = guidance
            .insight(
                InsightKind::Weather,
                InsightSeverity::Info,
                "Sunlight",
                format!("There is {sun} sunlight."),
            )
            .measured(format!("{irradiance:.0} W/m²"), None);
    }
    if let Some(specific) = overview.production.specific_yield {
        guidance = guidance
            .insight(
                InsightKind::Performance,
                InsightSeverity::Info,
                "Specific yield",
                format!(
                    "{specific:.2} kWh per kilowatt of capacity {}.",
                    days(overview)
                ),
            )
            .measured(format!("{specific:.2} kWh/kWp"), None);
    }
    if let Some(first) = overview.offline_loggers.first() {
        let critical = status.fleet_health == FleetHealth::Critical;
        let priority = if critical {
            NextStepPriority::Urgent
        } else {
            NextStepPriority::Recommended
        };
        guidance = guidance.step(
            priority,
            format!("Check the health of {}", first.logger_id),
            &first.reason,
            (
                names::ANALYZE_INVERTER_HEALTH,
                json!({ "logger_id": first.logger_id, "days": 7 }),
            ),
        );
    }
    guidance
        .step(
            NextStepPriority::Optional,
            "List the loggers",
            "Each with the range of its data.",
            (names::LIST_LOGGERS, json!({})),
        )
        .alert(overview.date_mismatch.as_ref().map(|mismatch| {
            format!(
                "Historical data: the newest reading is of {}.",
                contracts::figures::aged_day(
                    &wire::spoken(mismatch.actual_data_date),
                    mismatch.days_difference
                )
            )
        }))
        .alert((severity == InsightSeverity::Critical).then(|| {
            format!(
                "Only {:.1} % of the devices are online.",
                status.percent_online
            )
        }))
        .show(
            "metric_grid",
            "summary",
            Some("currentTotalPowerWatts"),
            colours,
        )
        .build()
}
