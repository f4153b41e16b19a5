//! A briefing's memory for the next one in the same thread.

use chrono::{DateTime, FixedOffset};
use contracts::tools::FleetOverview;
use serde::{Deserialize, Serialize};

/// A fleet at one moment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FleetSnapshot {
    /// The newest reading then.
    pub at: DateTime<FixedOffset>,
    /// Devices not offline, percent.
    pub percent_online: f64,
    /// W.
    pub total_power_watts: f64,
    /// kWh of the newest day.
    pub total_energy_kwh: f64,
    /// The ids of offline devices.
    pub offline: Vec<String>,
}

/// What changed since the last briefing.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Percentage points of `percent_online`, now minus then.
    pub points: f64,
    /// Offline now and not then.
    pub newly_offline: Vec<String>,
    /// Offline then and not now.
    pub back_online: Vec<String>,
    /// Whether the data themselves are the same as then, so that nothing can have changed.
    pub same_data: bool,
}

impl FleetSnapshot {
    /// The fleet as `overview` shows it.
    pub fn of(overview: &FleetOverview) -> Self {
        Self {
            at: overview.timestamp,
            percent_online: overview.status.percent_online,
            total_power_watts: overview.production.current_total_power_watts,
            total_energy_kwh: overview.production.today_total_energy_kwh,
            offline: overview
                .offline_loggers
                .iter()
                .map(|one| one.logger_id.clone())
                .collect(),
        }
    }

    /// What `overview` changed.
    pub fn change_to(&self, overview: &FleetOverview) -> Change {
        let now = Self::of(overview);
        let without = |these: &[String], those: &[String]| {
            these
                .iter()
                .filter(|id| !those.contains(id))
                .cloned()
                .collect()
        };
        Change {
            points: now.percent_online - self.percent_online,
            newly_offline: without(&now.offline, &self.offline),
            back_online: without(&self.offline, &now.offline),
            same_data: now.at == self.at,
        }
    }
}
