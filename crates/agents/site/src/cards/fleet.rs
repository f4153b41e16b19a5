//! The fleet at a glance.

use contracts::{
    tools::{Flag, FleetOverview, IssueSeverity},
    ui::{AlertType, FleetCardDevice, FleetOverviewCard, UiAlert, UiComponent},
};

use crate::{findings::Diagnostics, narrative::format};

/// Devices that one alert names; more are counted.
const NAMED: usize = 3;

/// The fleet card: figures, an alert for everything unusual, each device that the figures count.
pub(crate) fn fleet_card(overview: &FleetOverview, diagnostics: &Diagnostics) -> UiComponent {
    let status = &overview.status;
    UiComponent::FleetOverview(FleetOverviewCard {
        total_power: overview.production.current_total_power_watts,
        total_energy: overview.production.today_total_energy_kwh,
        device_count: status.total_loggers,
        online_count: status.total_loggers.saturating_sub(status.offline),
        percent_online: status.percent_online,
        data_timestamp: Some(overview.timestamp.to_rfc3339()),
        date_mismatch: overview.date_mismatch.clone(),
        alerts: alerts(overview, diagnostics),
        devices: overview
            .devices
            .iter()
            .filter(|device| device.counted)
            .map(|device| FleetCardDevice {
                logger_id: device.logger_id.clone(),
                state: device.state,
                power: device.power_watts,
                energy: device.energy_today_kwh,
            })
            .collect(),
    })
}

/// Worst first: what is down, what the codes say, what is odd, what to know.
fn alerts(overview: &FleetOverview, diagnostics: &Diagnostics) -> Vec<UiAlert> {
    let mut alerts = Vec::new();
    for offline in &overview.offline_loggers {
        alert(
            &mut alerts,
            AlertType::Error,
            format!("{} is offline. {}", offline.logger_id, offline.reason),
        );
    }
    for report in &diagnostics.reports {
        for issue in report.issues.iter().filter(|issue| {
            matches!(
                issue.severity,
                IssueSeverity::Critical | IssueSeverity::Warning
            )
        }) {
            let kind = if issue.severity == IssueSeverity::Critical {
                AlertType::Error
            } else {
                AlertType::Warning
            };
            alert(
                &mut alerts,
                kind,
                format!(
                    "{} reports {}: {}",
                    report.logger_id, issue.code, issue.description
                ),
            );
        }
    }
    for failure in &diagnostics.failures {
        let logger = failure.logger_id().unwrap_or("one device");
        alert(
            &mut alerts,
            AlertType::Warning,
            format!("The error codes of {logger} could not be read."),
        );
    }
    for (flag, words) in [
        (Flag::DeadDay, "delivered nothing all day"),
        (Flag::StaleValues, "repeats the same value again and again"),
        (
            Flag::ClockShift,
            "has a clock that was moved by about an hour",
        ),
        (
            Flag::RegisterSuspect,
            "has an energy register that cannot be trusted",
        ),
    ] {
        // Of a site that stopped long ago the answer says so, and no more.
        let stopped = |site: &str| {
            let mut sites = overview.sites.iter();
            sites.any(|one| one.site_id == site && !one.current)
        };
        let devices = overview
            .devices
            .iter()
            .filter(|device| device.flags.contains(&flag) && !stopped(&device.site_id));
        let devices: Vec<_> = devices.map(|device| device.logger_id.as_str()).collect();
        if !devices.is_empty() {
            alert(
                &mut alerts,
                AlertType::Warning,
                format!("{} {words}.", format::list_most(&devices, NAMED)),
            );
        }
    }
    if let Some(mismatch) = &overview.date_mismatch {
        let day = format::date(mismatch.actual_data_date);
        let day = contracts::figures::aged_day(&day, mismatch.days_difference);
        let message = format!("The newest data are of {day}.");
        alert(&mut alerts, AlertType::Info, message);
    }
    alerts
}

fn alert(alerts: &mut Vec<UiAlert>, kind: AlertType, message: String) {
    alerts.push(UiAlert { kind, message });
}
