//! `analyze_inverter_health`, `get_power_curve`, `compare_loggers` and `diagnose_error_codes`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, EnergySource, Flag, LeftOut, Period, Scope};
use crate::tools::ComparisonMetric;

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
    /// What the totals are about; absent of one device.
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
    /// any capacity against its own share of theirs before the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs_peers_pct: Option<f64>,
    /// The capacity that it was judged by, kW: as stated, otherwise estimated from days outside the
    /// window; absent of several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_kw: Option<f64>,
    /// Where that comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub capacity_basis: Option<CapacityBasis>,
    /// Days with readings but no energy; of several devices the days on which any of them had one.
    pub dead_days: Vec<NaiveDate>,
    /// Days without readings.
    pub missing_days: Vec<NaiveDate>,
    /// Whether the totals count this device: a meter is not added to the inverters that it
    /// measures.
    #[serde(default = "super::yes", skip_serializing_if = "super::is_yes")]
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
    /// What to know about the figures.
    pub flags: Vec<Flag>,
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
    /// Its name.
    pub name: String,
    /// Its window.
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
pub struct Money {
    /// How much.
    pub amount: f64,
    /// ISO 4217 code.
    #[schema(example = "CHF")]
    pub currency: String,
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
    /// What it is: the event's kind.
    #[serde(rename = "type")]
    pub kind: HealthEventKind,
    /// A sentence.
    pub description: String,
    /// Amount that it matters.
    pub severity: AnomalySeverity,
    /// Power at its beginning, W.
    pub power: Option<f64>,
    /// Irradiance at its beginning, W/m².
    pub irradiance: Option<f64>,
}

/// Amount that an anomaly matters.
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
    /// When.
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
    /// How long, minutes.
    pub minutes: f64,
    /// Energy lost, kWh; of outages, dead days and underperformance. Outages on a dead day are part
    /// of that day's.
    pub lost_kwh: Option<f64>,
    /// The same in money, in the site's currency at its tariff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub lost_money: Option<Money>,
    /// What it rests on, a sentence with figures.
    pub evidence: String,
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

/// Result of `get_power_curve`; the summary figures are in the envelope's `summaryStats`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PowerCurve {
    /// Always `timeseries`.
    #[serde(rename = "type")]
    #[schema(example = "timeseries")]
    pub kind: String,
    /// The logger.
    pub logger_id: String,
    /// The local day.
    pub date: NaiveDate,
    /// Readings of the day, before thinning.
    pub record_count: u64,
    /// The curve; time buckets when the day has more than 1,000 readings.
    pub data: Vec<CurvePoint>,
    /// Where `totalEnergy` comes from.
    pub energy_source: EnergySource,
    /// The register's energy of the day, kWh.
    pub register_kwh: Option<f64>,
    /// Valid readings over expected readings.
    pub completeness: f64,
    /// Hours without readings inside the day's data.
    pub hole_hours: f64,
    /// Energy consumed, kWh.
    pub night_import_kwh: f64,
    /// Readings at the inverter's limit.
    pub clipped_samples: u64,
    /// Nominal step, minutes.
    pub step_minutes: f64,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// One point of a power curve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CurvePoint {
    /// When.
    pub timestamp: DateTime<FixedOffset>,
    /// Power, W; the bucket's mean when thinned.
    pub power: Option<f64>,
    /// Irradiance, W/m².
    pub irradiance: Option<f64>,
    /// The bucket's least power, W; only when thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The bucket's highest power, W; only when thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// What the reading is worth.
    pub quality: PointQuality,
}

/// What a reading is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointQuality {
    /// As measured.
    Ok,
    /// No power in the reading.
    Missing,
    /// An impossible value was dropped.
    Dropped,
    /// At the inverter's limit.
    Clipped,
    /// Repeats the values before it.
    Stale,
}

/// Result of `compare_loggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Always `comparison`.
    #[serde(rename = "type")]
    #[schema(example = "comparison")]
    pub kind: String,
    /// What is compared.
    pub metric: ComparisonMetric,
    /// Which loggers are compared, as asked for; those in `excluded` are not among them.
    pub logger_ids: Vec<String>,
    /// The first local day.
    pub date: NaiveDate,
    /// The local days.
    pub period: Period,
    /// Time stamps at which every logger of the chart has a reading, before thinning.
    pub record_count: u64,
    /// Rows of `timestamp` and one member per logger of `charted`; thinned to at most 500.
    pub data: Vec<ComparisonRow>,
    /// Each logger's figures.
    pub summary: IndexMap<String, ComparisonSummary>,
    /// What the specific yields divide by, the same for all.
    pub basis: ComparisonBasis,
    /// The logger that is ranked first: by specific yield (for irradiance: by mean).
    pub best: Option<String>,
    /// The logger that is ranked last.
    pub worst: Option<String>,
    /// (best - worst) / best, percent.
    pub spread_percent: Option<f64>,
    /// Loggers that lag the others beyond chance.
    pub underperformers: Vec<String>,
    /// Every logger that could be ranked, best first.
    #[serde(default)]
    pub ranking: Vec<String>,
    /// The local days that `data` shows, when they are not the whole period: its last 366.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub chart_period: Option<Period>,
    /// The loggers that `data` holds: all, or of more than five the first three and the last two of
    /// the ranking.
    #[serde(default)]
    pub charted: Vec<String>,
    /// Loggers that were asked for and are not compared, each with the reason.
    #[serde(default)]
    pub excluded: Vec<ExcludedLogger>,
    /// Energy of all compared loggers together, kWh; a meter is not added to the inverters of its
    /// site. Absent for irradiance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_kwh: Option<f64>,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// A logger that was asked for and is not compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExcludedLogger {
    /// The logger.
    pub logger_id: String,
    /// Why, in a word.
    pub reason: ExclusionReason,
    /// Why, in a sentence.
    pub message: String,
    /// Its first day with data, when it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_day: Option<NaiveDate>,
    /// Its newest day with data, when it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_day: Option<NaiveDate>,
}

/// Why a logger is not compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExclusionReason {
    /// It has no readings at all.
    NoData,
    /// It has readings, none of them in the window.
    NoDataInWindow,
    /// It has readings in the window, none of them with what is compared.
    NoValues,
    /// It is a meter, which measures what inverters deliver, and was not named.
    Meter,
}

/// One instant of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonRow {
    /// When.
    pub timestamp: DateTime<FixedOffset>,
    /// One member per logger.
    #[serde(flatten)]
    pub values: IndexMap<String, Option<f64>>,
}

/// One logger of a comparison. Its own figures do not depend on what it is compared with.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ComparisonSummary {
    /// Mean of the metric: power and irradiance over its daylight readings, energy over its days.
    pub average: Option<f64>,
    /// Its peak.
    pub peak: Option<f64>,
    /// Energy of its days in the window, kWh, as every other answer has it (irradiance: kWh/m²).
    pub total: Option<f64>,
    /// Energy per capacity, kWh/kWp (or per peak, see `basis`).
    pub specific_yield: Option<f64>,
    /// What the yield was divided by, kW.
    pub capacity_kw: Option<f64>,
    /// Where that comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_basis: Option<CapacityBasis>,
    /// What it is ranked by, where that is not its specific yield: `filledDays` of it are those of
    /// the others of its site, at its relation to them on the days that both have; only the days
    /// count that all sites have; and where register and power differ, the lower of the two counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_yield: Option<f64>,
    /// Days of the ranking that it lacks, or that have too few readings.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub filled_days: u32,
    /// Days that the ranking is about, where that is not the specific yield.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked_days: Option<u32>,
    /// Whether its register and its power differ on more than a tenth of its days: it does not
    /// lead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub register_differs: bool,
    /// Deviation from the median, percent.
    pub vs_median_pct: Option<f64>,
    /// (y - median) / (1.4826 MAD); only with three loggers or more.
    pub robust_z: Option<f64>,
    /// Its place in the ranking, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// Days of the window with data.
    #[serde(default)]
    pub days_with_data: u32,
    /// Of them with clearly fewer readings than usual.
    #[serde(default)]
    pub incomplete_days: u32,
    /// Time stamps that all loggers of the chart share.
    pub common_records: u64,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
fn is_none_at_all(count: &u32) -> bool {
    *count == 0
}

/// What specific yields divide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonBasis {
    /// Configured DC capacities, of every logger.
    StatedCapacity,
    /// Some capacities are estimated: from power and irradiance on the best days outside the
    /// window, or from the peers of the site.
    StcPower,
    /// Some capacities are estimated from the peaks of the best days outside the window.
    RobustPeak,
    /// Nothing: no capacity is known, and the values themselves are compared.
    Absolute,
}

/// Result of `diagnose_error_codes`: of one device, or of several with each of them under
/// `devices`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiagnosticsReport {
    /// Always `diagnostics_report`.
    #[serde(rename = "type")]
    #[schema(example = "diagnostics_report")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// What the totals are about; absent of one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// Its brand or format; of several devices their common one, otherwise `several`.
    pub logger_type: String,
    /// The window. Devices whose data end on different days have windows of their own, in
    /// `devices`; this is then the newest.
    pub period: Period,
    /// The whole in a word; of several devices that of the worst.
    pub overall_health: OverallHealth,
    /// Number of different codes.
    pub issue_count: u64,
    /// The codes, worst first; at most twenty. Of several devices the same code of one brand is one
    /// issue.
    pub issues: Vec<ErrorCodeIssue>,
    /// Each device with the same fields, worst first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub devices: Vec<DiagnosticsReport>,
    /// Devices without an answer, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// One sentence.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// One error code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorCodeIssue {
    /// The devices that reported it, in a report on several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logger_ids: Vec<String>,
    /// As the device reported it; for bit masks the bit, too.
    pub code: String,
    /// What it means.
    pub description: String,
    /// Amount that it matters.
    pub severity: IssueSeverity,
    /// Readings with the code.
    pub occurrences: u64,
    /// Runs of such readings.
    pub events: u64,
    /// Sum of the runs' lengths, hours.
    pub hours: f64,
    /// The first reading with it.
    pub first_seen: DateTime<FixedOffset>,
    /// The last.
    pub last_seen: DateTime<FixedOffset>,
    /// What to do about it.
    pub suggested_fix: String,
    /// The table that explains the code; absent when none does.
    pub source: Option<String>,
    /// Whether the device was out while the code stood.
    pub overlaps_outage: bool,
}

/// Amount that an error code matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum IssueSeverity {
    Critical,
    Warning,
    Unknown,
    Info,
}

/// A device's state in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum OverallHealth {
    Good,
    Info,
    Unknown,
    Warning,
    Critical,
}
