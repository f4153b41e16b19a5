//! `analyze_inverter_health`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, Flag, LeftOut, Period, Scope};
use crate::tools::{Tool, ToolCategory};

/// The tool `analyze_inverter_health`.
#[derive(Debug, Clone, Copy)]
pub struct AnalyzeInverterHealth;

impl Tool for AnalyzeInverterHealth {
    const NAME: &'static str = "analyze_inverter_health";
    const CATEGORY: ToolCategory = ToolCategory::Monitoring;
    const SUMMARY: &'static str = "Outages, other anomalies and health.";
    const DESCRIPTION: &'static str = "Finds outages, communication gaps, dead and missing days, underperformance against peers and itself, stuck values and clipping \
        of a logger, a list, a site or all (name none), with lost energy and its cost, availability, a health score, and for several \
        loggers every event in time order: who was out, when and for how long.";

    type Arguments = InverterHealthArguments;
    type Result = AnomalyReport;
}

/// Arguments of `analyze_inverter_health`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct InverterHealthArguments {
    /// One device: the answer is about it alone. Give at most one of `logger_id`, `logger_ids` and
    /// `site_id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// Several devices: the answer has their total, and each under `devices`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 1000)]
    pub logger_ids: Option<Vec<String>>,
    /// Every device of this site. Without any of the three: every device of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
    /// Number of local days, the last included; a longer window is given by `start_date`. Default:
    /// 7 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 365, default = 7)]
    pub days: Option<u32>,
    /// The first local day of the window; not together with `days`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub start_date: Option<NaiveDate>,
    /// The last day of the window. Default: the newest day of the device's site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
}

/// Result of `analyze_inverter_health`: of one device, or of several with each of them under
/// `devices`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnomalyReport {
    /// Always `anomaly_report`.
    #[serde(rename = "type")]
    #[schema(example = "anomaly_report")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// The scope of the totals; absent for one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// The site; absent of several sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub site_id: Option<String>,
    /// The window. Sites whose data end on different days have windows of their own, in `sites`;
    /// this is then the newest.
    pub period: Period,
    /// Its local days.
    pub days_analyzed: u32,
    /// Readings in it.
    pub total_records: u64,
    /// Number of anomalies: events, not readings.
    pub anomaly_count: u64,
    /// The anomalies, oldest first; at most a hundred.
    pub anomalies: Vec<Anomaly>,
    /// The readings of the outages, oldest first; at most a hundred, and none of several devices.
    pub points: Vec<AnomalyPoint>,
    /// Every event found, with its evidence, oldest first. Of several devices those of all of them,
    /// error codes too; at most a thousand.
    pub events: Vec<HealthEvent>,
    /// 100 when nothing was found, otherwise lower; absent when there is too little to judge by. Of
    /// several devices the mean.
    #[schema(minimum = 0, maximum = 100)]
    pub health_score: Option<f64>,
    /// The score in a word; of several devices that of the worst.
    #[serde(default)]
    pub health_status: HealthWord,
    /// 1 - outage records / daylight records: whether the device ran, not how well.
    pub availability_time: Option<f64>,
    /// 1 - energy lost while it stood still / expected energy: whether the device ran, not how
    /// well.
    pub availability_energy: Option<f64>,
    /// Daylight hours judged.
    pub sun_hours: f64,
    /// Energy lost in outages and on dead days, kWh.
    pub lost_kwh: f64,
    /// The same in money, in the site's currency at its tariff; null when the sites' currencies
    /// differ: see `sites`.
    pub lost_money: Option<Money>,
    /// Energy that the device made less than its peers (or than it usually makes) while it ran,
    /// kWh. Not part of `lostKwh`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shortfall_kwh: Option<f64>,
    /// Its yield per capacity against the median of the site's other inverters, percent. Without
    /// any capacity, its share of their yield against that before the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_peers_pct: Option<f64>,
    /// The capacity that it was judged by, kW: as stated, otherwise estimated from days outside the
    /// window; absent of several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_kw: Option<f64>,
    /// The source of that capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_basis: Option<CapacityBasis>,
    /// Days with readings but no energy; of several devices the days on which any of them had one.
    pub dead_days: Vec<NaiveDate>,
    /// Days without readings.
    pub missing_days: Vec<NaiveDate>,
    /// Times of daylight without readings on days that have some, oldest first; at most a hundred,
    /// the longest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<DataGap>,
    /// The number of all of them.
    #[serde(default)]
    pub gap_count: u64,
    /// Their hours in all; of several devices the sum.
    #[serde(default)]
    pub gap_hours: f64,
    /// Whether the totals count this device: a meter is not added to the inverters that it
    /// measures.
    #[serde(
        default = "super::basis::yes",
        skip_serializing_if = "super::basis::is_yes"
    )]
    #[schema(default = true)]
    pub counted: bool,
    /// Each device with the same fields, lowest score first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub devices: Vec<AnomalyReport>,
    /// Each site's window and losses; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<SiteHealth>,
    /// Devices that could not be judged, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Since when the device is silent, if it sends nothing while others of its site do; absent of
    /// several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub silence: Option<Silence>,
    /// Whether the device fell behind the other inverters of its site within the window, and since
    /// when. Absent of several devices, and where too few days can be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lag: Option<Lag>,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// The yield of a device for its size beside the median of the site's other inverters, day by day:
/// whether it fell behind, and when. Days on which either stood still do not count.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Lag {
    /// Whether it is behind at the end of the window.
    pub lags: bool,
    /// The first day on which it is behind. Absent if it is not, and if it has been behind on all
    /// days that were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub since: Option<NaiveDate>,
    /// Its yield as a multiple of its peers' before that day: the median of the days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ratio_before: Option<f64>,
    /// The same from that day on; of a device that is not behind since the last change.
    pub ratio_after: f64,
    /// The first day that was compared.
    pub first_day: NaiveDate,
    /// Number of days that were compared.
    pub days: u32,
}

/// A device that has sent nothing for more than a day while others of its site did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Silence {
    /// Its newest reading.
    pub last_reading: DateTime<FixedOffset>,
    /// Days from the day of that to today.
    pub days: u32,
}

/// A device's health in a word. One function says it, of the score alone, so that word and score
/// never disagree.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthWord {
    /// 95 or more: nothing that costs energy was found.
    Healthy,
    /// 75 or more.
    Warning,
    /// Less than 75.
    Critical,
    /// There is no score.
    #[default]
    Unknown,
}

impl HealthWord {
    /// From this score on a device is healthy.
    pub const HEALTHY: f64 = 95.0;

    /// Below this score its state is critical.
    pub const CRITICAL: f64 = 75.0;

    /// The word for a score.
    pub fn of(score: Option<f64>) -> Self {
        match score {
            Some(score) if score >= Self::HEALTHY => Self::Healthy,
            Some(score) if score >= Self::CRITICAL => Self::Warning,
            Some(_) => Self::Critical,
            None => Self::Unknown,
        }
    }
}

/// One site's part of a health report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteHealth {
    /// The site.
    pub site_id: String,
    /// The name of the target.
    pub name: String,
    /// The window of the site.
    pub period: Period,
    /// Its devices that were judged.
    pub devices: u32,
    /// The mean of their scores.
    pub health_score: Option<f64>,
    /// Energy that they lost, kWh; a meter is not added to its inverters.
    pub lost_kwh: f64,
    /// The same in money, in the site's currency at its tariff.
    pub lost_money: Option<Money>,
}

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// The amount.
    pub amount: f64,
    /// ISO 4217 code.
    #[schema(example = "CHF")]
    pub currency: String,
    /// Whether some of it is at the default tariff of the service, because none is stated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub default_tariff: bool,
}

/// One anomaly, as a card shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Anomaly {
    /// The device, in a report on several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub logger_id: Option<String>,
    /// When it began.
    pub timestamp: DateTime<FixedOffset>,
    /// The kind of the event.
    #[serde(rename = "type")]
    pub kind: HealthEventKind,
    /// A sentence.
    pub description: String,
    /// The severity of the anomaly.
    pub severity: AnomalySeverity,
    /// Power at its beginning, W.
    pub power: Option<f64>,
    /// Irradiance at its beginning, W/m².
    pub irradiance: Option<f64>,
}

/// The severity of an anomaly.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum AnomalySeverity {
    Low,
    Medium,
    High,
}

/// One reading of an outage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnomalyPoint {
    /// The time of the reading.
    pub timestamp: DateTime<FixedOffset>,
    /// Power, W.
    pub active_power_watts: Option<f64>,
    /// Irradiance, W/m².
    pub irradiance: Option<f64>,
    /// `daytime_outage` or `data_outage`.
    pub reason: String,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthEvent {
    /// The device, in a report on several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub logger_id: Option<String>,
    /// What happened.
    pub kind: HealthEventKind,
    /// When it began.
    pub start: DateTime<FixedOffset>,
    /// When it ended.
    pub end: DateTime<FixedOffset>,
    /// The duration, minutes.
    pub minutes: f64,
    /// Energy lost, kWh; of outages, dead days and underperformance. Outages on a dead day are part
    /// of that day's.
    pub lost_kwh: Option<f64>,
    /// The same in money, in the site's currency at its tariff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lost_money: Option<Money>,
    /// The evidence, a sentence with figures.
    pub evidence: String,
}

/// A time of daylight without readings, on a day that has some.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataGap {
    /// The device, in a report on several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub logger_id: Option<String>,
    /// When it began.
    pub start: DateTime<FixedOffset>,
    /// When it ended.
    pub end: DateTime<FixedOffset>,
    /// Its length, hours.
    pub hours: f64,
}

/// What can happen to a logger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HealthEventKind {
    /// Sun, and no power.
    Outage,
    /// Sun, and no reading of power: not the inverter's fault.
    DataOutage,
    /// Readings all day and no energy.
    DeadDay,
    /// No readings.
    MissingDay,
    /// Less power per irradiance than usual, or less energy per capacity than the site's other
    /// inverters.
    Underperformance,
    /// The same value again and again.
    StaleValues,
    /// Power held at the inverter's limit.
    Clipping,
    /// The irradiance sensor shows light at night.
    IrradianceSuspect,
    /// The clock was moved by about an hour.
    ClockShift,
    /// The device reported an error code; in reports on several devices.
    ErrorCode,
    /// The register counts clearly more or less than the power.
    RegisterMismatch,
}
