//! `get_fleet_overview`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EnergySource, Flag, LoggerRole};
use crate::tools::{Tool, ToolCategory};

/// The tool `get_fleet_overview`.
#[derive(Debug, Clone, Copy)]
pub struct GetFleetOverview;

impl Tool for GetFleetOverview {
    const NAME: &'static str = "get_fleet_overview";
    const CATEGORY: ToolCategory = ToolCategory::Discovery;
    const SUMMARY: &'static str = "The whole fleet at a glance.";
    const DESCRIPTION: &'static str = "Site-wide status: current power, today's energy, how many devices are online, which are offline.";

    type Arguments = FleetOverviewArguments;
    type Result = FleetOverview;
}

/// Arguments of `get_fleet_overview`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FleetOverviewArguments {
    /// Only this site. Default: every site of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
}

/// Result of `get_fleet_overview`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetOverview {
    /// Always `fleet_overview`.
    #[serde(rename = "type")]
    #[schema(example = "fleet_overview")]
    pub kind: String,
    /// The newest reading of all sites looked at: the "now" of this answer.
    pub timestamp: DateTime<FixedOffset>,
    /// The local day of that reading.
    pub local_date: NaiveDate,
    /// Number of devices that do what. Meters and weather stations do not count, nor do the sites
    /// that are not `current`.
    pub status: FleetStatus,
    /// The production of the fleet.
    pub production: FleetProduction,
    /// One sentence.
    pub summary: String,
    /// There when the newest data are not today's.
    pub date_mismatch: Option<DateMismatch>,
    /// Age of the oldest reading that counts in the current power, minutes.
    pub oldest_reading_minutes: Option<f64>,
    /// The source of the energy.
    pub energy_source: EnergySource,
    /// Devices that should deliver and do not.
    pub offline_loggers: Vec<OfflineLogger>,
    /// Every device, also those that do not count.
    pub devices: Vec<FleetDevice>,
    /// Each site on its own clock.
    pub sites: Vec<FleetSite>,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// Counts of a fleet's devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetStatus {
    /// Inverters.
    pub total_loggers: u64,
    /// Number of loggers that are not offline: they send readings, or sleep.
    pub active_loggers: u64,
    /// Active and delivering.
    pub producing: u64,
    /// Silent because it is night.
    pub asleep: u64,
    /// Silent or dead without that excuse.
    pub offline: u64,
    /// `activeLoggers`, percent of all.
    #[schema(minimum = 0, maximum = 100)]
    pub percent_online: f64,
    /// The whole in a word.
    pub fleet_health: FleetHealth,
}

/// A fleet's state in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum FleetHealth {
    /// Every device does what it should.
    Healthy,
    /// Some devices are offline or dead.
    Degraded,
    /// Half of the devices or more are.
    Critical,
    /// There is no device.
    Unknown,
}

/// The production of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetProduction {
    /// Sum of the active devices' last valid power, W.
    pub current_total_power_watts: f64,
    /// Energy of each site's newest day (its `localDate`), kWh, of the devices with data on that
    /// day.
    pub today_total_energy_kwh: f64,
    /// Mean of the newest irradiances, W/m².
    pub site_avg_irradiance: Option<f64>,
    /// The same per capacity, kWh/kWp, over those of these devices whose capacity is known.
    pub specific_yield: Option<f64>,
}

/// The newest data are not today's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DateMismatch {
    /// Today, in the site's zone.
    pub requested_date: NaiveDate,
    /// The day of the newest reading.
    pub actual_data_date: NaiveDate,
    /// Days between them.
    pub days_difference: i64,
    /// Always true when this is there.
    pub is_historical: bool,
}

/// A device that should deliver and does not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OfflineLogger {
    /// The logger.
    pub logger_id: String,
    /// The site of the device.
    pub site_id: String,
    /// Its last valid power reading; of a device that sends no power, its newest reading.
    pub last_seen: Option<DateTime<FixedOffset>>,
    /// Why it counts as offline, a sentence.
    pub reason: String,
}

/// One device of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetDevice {
    /// The logger.
    pub logger_id: String,
    /// Its brand or format.
    pub logger_type: String,
    /// The site of the device.
    pub site_id: String,
    /// The role of the device.
    pub role: LoggerRole,
    /// The state of the device.
    pub state: DeviceState,
    /// Whether it counts in `status` and `production`: an inverter, or a meter of a site without
    /// inverters, of a site that is `current`.
    #[serde(default = "yes")]
    pub counted: bool,
    /// Its power now, W; absent when it sleeps or is silent.
    pub power_watts: Option<f64>,
    /// Energy of the `localDate` of its site, kWh; absent without data on that day.
    pub energy_today_kwh: Option<f64>,
    /// The source of that energy.
    pub energy_source: Option<EnergySource>,
    /// The same per capacity, kWh/kWp.
    pub specific_yield: Option<f64>,
    /// Its last valid power reading; of a device that sends no power, its newest reading.
    pub last_seen: Option<DateTime<FixedOffset>>,
    /// How old that reading is on the site's clock, minutes.
    pub age_minutes: Option<f64>,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// The state of a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceState {
    /// Recent reading, power above 0.5 % of its peak.
    Producing,
    /// Recent reading, no power.
    Idle,
    /// Silent, and it is night.
    Asleep,
    /// Silent or without power, and it should not be.
    Offline,
}

/// One site of a fleet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FleetSite {
    /// The site.
    pub site_id: String,
    /// The name of the site.
    pub name: String,
    /// IANA name of its zone.
    pub timezone: String,
    /// Its newest reading: the site's "now".
    pub anchor: Option<DateTime<FixedOffset>>,
    /// Power now, W.
    pub power_watts: f64,
    /// The site's newest local day: the day of `energyTodayKwh`. A site that is silent for longer
    /// than a night has the day of the answer's `timestamp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub local_date: Option<NaiveDate>,
    /// Energy of that day, kWh.
    pub energy_today_kwh: f64,
    /// Inverters.
    pub total_loggers: u64,
    /// Of them offline.
    pub offline: u64,
    /// Whether it is night there at its "now".
    pub night: bool,
    /// Whether it counts in the figures of the fleet: a site whose newest reading is more than a
    /// week older than the fleet's does not.
    #[serde(default = "yes")]
    pub current: bool,
}

fn yes() -> bool {
    true
}
