//! `list_loggers`, `get_fleet_overview` and `health_check`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, EnergySource, Flag, IrradianceBasis};

/// Result of `list_loggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LoggerList {
    /// Always `logger_list`.
    #[serde(rename = "type")]
    #[schema(example = "logger_list")]
    pub kind: String,
    /// How many.
    pub count: u64,
    /// The loggers, by id.
    pub loggers: Vec<LoggerSummary>,
}

/// One logger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoggerSummary {
    /// Its id.
    pub logger_id: String,
    /// Its brand or format.
    pub logger_type: String,
    /// What it does.
    pub role: LoggerRole,
    /// Its site.
    pub site_id: String,
    /// Its site's name.
    pub site_name: String,
    /// IANA name of the site's zone.
    pub timezone: String,
    /// Its first reading.
    pub earliest_data: Option<DateTime<FixedOffset>>,
    /// Its newest reading.
    pub latest_data: Option<DateTime<FixedOffset>>,
    /// Number of readings.
    pub record_count: u64,
    /// Its nominal step, minutes.
    pub step_minutes: Option<f64>,
    /// Whether irradiance is known for it, its own or its sensor's.
    pub has_irradiance: bool,
    /// What the irradiance is measured on.
    pub irradiance_basis: IrradianceBasis,
    /// Whether it has an energy register.
    pub has_register: bool,
    /// DC nameplate, kW.
    pub capacity_kw: Option<f64>,
    /// Where the capacity comes from.
    pub capacity_basis: CapacityBasis,
}

/// What a logger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoggerRole {
    /// Delivers energy.
    Inverter,
    /// Measures what inverters deliver; never added to them.
    Meter,
    /// Measures irradiance and temperatures.
    Weather,
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
    /// What they deliver.
    pub production: FleetProduction,
    /// One sentence.
    pub summary: String,
    /// There when the newest data are not today's.
    pub date_mismatch: Option<DateMismatch>,
    /// Age of the oldest reading that counts in the current power, minutes.
    pub oldest_reading_minutes: Option<f64>,
    /// Where the energy comes from.
    pub energy_source: EnergySource,
    /// Devices that should deliver and do not.
    pub offline_loggers: Vec<OfflineLogger>,
    /// Every device.
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
    /// Those that are not offline: they send readings, or sleep.
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

/// What a fleet delivers.
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
    /// Its site.
    pub site_id: String,
    /// Its last valid power reading.
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
    /// Its site.
    pub site_id: String,
    /// What it does.
    pub role: LoggerRole,
    /// What it does now.
    pub state: DeviceState,
    /// Its power now, W; absent when it sleeps or is silent.
    pub power_watts: Option<f64>,
    /// Energy of the `localDate` of its site, kWh; absent without data on that day.
    pub energy_today_kwh: Option<f64>,
    /// Where that energy comes from.
    pub energy_source: Option<EnergySource>,
    /// The same per capacity, kWh/kWp.
    pub specific_yield: Option<f64>,
    /// Its last valid power reading.
    pub last_seen: Option<DateTime<FixedOffset>>,
    /// How old that reading is on the site's clock, minutes.
    pub age_minutes: Option<f64>,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// What a device does now.
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
    /// Its name.
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

/// Result of `health_check`, also the `details` of `GET /api/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HealthReport {
    /// Always `health_check`.
    #[serde(rename = "type")]
    #[schema(example = "health_check")]
    pub kind: String,
    /// The state in a word.
    pub status: ServiceHealth,
    /// `healthy`, or what is wrong in words for a user.
    pub database: String,
    /// The database's connections.
    pub pool_stats: Option<PoolStats>,
}

/// The state of a service in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ServiceHealth {
    Healthy,
    Degraded,
}

/// Connections to the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PoolStats {
    /// Connections open.
    pub pool_size: u32,
    /// Of them idle.
    pub checked_in: u32,
    /// Of them in use.
    pub checked_out: u32,
    /// Connections beyond the configured number; always 0, the pool is bounded.
    pub overflow: u32,
}

/// `GET /api/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApiHealth {
    /// The state in a word.
    pub status: ServiceHealth,
    /// Always `solar-analyst-http`, the name that existing clients look for.
    #[schema(example = "solar-analyst-http")]
    pub service: String,
    /// What was found.
    pub details: HealthReport,
}
