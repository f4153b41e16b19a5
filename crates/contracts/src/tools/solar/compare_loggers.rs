//! `compare_loggers`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, Flag, Period};
use crate::tools::{Tool, ToolCategory};

/// The tool `compare_loggers`.
#[derive(Debug, Clone, Copy)]
pub struct CompareLoggers;

impl Tool for CompareLoggers {
    const NAME: &'static str = "compare_loggers";
    const CATEGORY: ToolCategory = ToolCategory::Comparison;
    const SUMMARY: &'static str = "Several loggers side by side, ranked and summed.";
    const DESCRIPTION: &'static str = "Compares loggers, or every inverter of a site or of all sites, on power, energy or irradiance, normalised by capacity: ranks and sums them.";

    type Arguments = CompareLoggersArguments;
    type Result = Comparison;
}

/// Arguments of `compare_loggers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareLoggersArguments {
    /// Two or more different loggers. All are ranked and summed; of more than five the chart shows
    /// the ends. Default: every inverter of the site, or of the tenant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(min_items = 2, max_items = 200)]
    pub logger_ids: Vec<String>,
    /// Every inverter of this site, in place of `logger_ids`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
    /// What to compare. Default: power.
    #[serde(default)]
    pub metric: ComparisonMetric,
    /// The local day, or the first of several. Default: the newest day that any of the loggers has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub date: Option<NaiveDate>,
    /// The last local day; a period has at most 3,660 days, of which the chart shows the last 366.
    /// Default: `date`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
}

/// What `compare_loggers` compares.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonMetric {
    /// Active power, W.
    #[default]
    Power,
    /// Energy since the beginning of the window, kWh.
    Energy,
    /// Irradiance, W/m².
    Irradiance,
}

/// Result of `compare_loggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Always `comparison`.
    #[serde(rename = "type")]
    #[schema(example = "comparison")]
    pub kind: String,
    /// The compared quantity.
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
    /// The divisor of the specific yields, the same for all.
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
    /// A day that is not over at every site, where the sites have different clocks. If it is after
    /// the period, the period was shortened to days that are over everywhere; if it is the last
    /// day of the period, the loggers are those of the same hours of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unfinished_day: Option<NaiveDate>,
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
    /// Whether the loggers are in places with different sun, and what that does to the ranking.
    #[serde(default)]
    pub places: ComparedPlaces,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// Whether compared loggers have the same sun.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedPlaces {
    /// They are at one site, or at sites near each other.
    #[default]
    Same,
    /// Their sites are far apart, and each is ranked by its energy for its own sunlight.
    OwnSun,
    /// Their sites are far apart, and the sunlight of one of them is not measured: a logger is
    /// judged beside those of its own site only.
    Different,
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
    /// The day has not begun at its site.
    DayNotBegun,
    /// The day is less far, or further, at its site than at the sites that are compared.
    OtherHours,
}

/// Why a logger that is compared has no rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unranked {
    /// Its capacity is not stated, and fewer than five days outside the window have readings to
    /// estimate it from.
    SizeUnknown,
    /// Its capacity is only estimated, from its own best days, and at least two of the others have
    /// a stated one.
    SizeEstimated,
    /// Its production contradicts its stated capacity.
    CapacityImplausible,
    /// It is a meter, which has no capacity of its own.
    Meter,
    /// It has no day in common with the others.
    NoCommonDay,
}

/// One instant of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ComparisonRow {
    /// The time of the reading.
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
    /// The peak of the values.
    pub peak: Option<f64>,
    /// Energy of its days in the window, kWh, as every other answer has it (irradiance: kWh/m²).
    pub total: Option<f64>,
    /// Energy per capacity, kWh/kWp (or per peak, see `basis`).
    pub specific_yield: Option<f64>,
    /// The capacity that the yield was divided by, kW.
    pub capacity_kw: Option<f64>,
    /// The source of that capacity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_basis: Option<CapacityBasis>,
    /// The figure for the rank, where it is not the specific yield. `filledDays` of it have the
    /// figures of the others of its site, at its ratio to them on the days that both have. Only
    /// days that all sites have count. Where register and power differ, the lower of the two
    /// counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compared_yield: Option<f64>,
    /// Energy for each kW and each kWh/m² of its own sunlight, which is the figure for the rank
    /// where `places` is `own_sun`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_sunlight: Option<f64>,
    /// Days of the ranking without data, or with too few readings.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub filled_days: u32,
    /// Days of the ranking, where they are not those of the specific yield.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ranked_days: Option<u32>,
    /// Whether register and power differ on more than a tenth of the days. Such a logger does not
    /// lead.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub register_differs: bool,
    /// Deviation from the median, percent.
    pub vs_median_pct: Option<f64>,
    /// (y - median) / (1.4826 MAD); only with three loggers or more.
    pub robust_z: Option<f64>,
    /// Why it has no rank although it has data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub unranked: Option<Unranked>,
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
fn is_zero(count: &u32) -> bool {
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
