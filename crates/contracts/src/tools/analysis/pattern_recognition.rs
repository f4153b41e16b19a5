//! `pattern_recognition`.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalysedData, AnalysisData, TestResult};
use crate::tools::search::Interval;
use crate::tools::{Tool, ToolCategory};

/// The tool `pattern_recognition`.
#[derive(Debug, Clone, Copy)]
pub struct PatternRecognitionTool;

impl Tool for PatternRecognitionTool {
    const NAME: &'static str = "pattern_recognition";
    const CATEGORY: ToolCategory = ToolCategory::Analysis;
    const SUMMARY: &'static str = "Patterns in rows, or in what a query finds.";
    const DESCRIPTION: &'static str = "Patterns in rows or in what a query finds: anomalies, seasons, change points, and where high or late records are concentrated.";

    type Arguments = PatternRecognitionArguments;
    type Result = PatternRecognition;
}

/// Arguments of `pattern_recognition`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PatternRecognitionArguments {
    /// The rows to analyse.
    pub data: AnalysisData,
    /// The number to look at, as a field or as words of its name; `count` is how many records there
    /// are. Default: the one that the question names, otherwise the first; without any number,
    /// `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub measure: Option<String>,
    /// The date field, as a field or as words. Default: the one that the question names, otherwise
    /// the first with several days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub time_field: Option<String>,
    /// The length of the series' periods. Default: by the range and number of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub interval: Option<Interval>,
    /// The fields for concentrations, as fields or as words. Default: every keyword and every
    /// yes or no with few values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub group_by: Vec<String>,
    /// The IANA zone of the calendar. Default: the source's, otherwise UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64)]
    pub time_zone: Option<String>,
    /// The person's question: decides which measure and which date are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 2048)]
    pub question: Option<String>,
}

/// Result of `pattern_recognition`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PatternRecognition {
    /// The analysed data.
    pub data: AnalysedData,
    /// The field that was looked at; `count` is how many records there are.
    pub measure: String,
    /// What people call it.
    pub label: String,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The series that seasons, changes and anomalies of periods are of; absent without dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<SeriesInfo>,
    /// Values that are far from the others: of the records, and of the series.
    pub anomalies: Vec<Anomalies>,
    /// Patterns that come again: those that were found.
    pub seasons: Vec<Season>,
    /// The changes of level; absent without a series that is long enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_points: Option<ChangePoints>,
    /// Groups that are over-represented among certain records, the clearest first; at most 12.
    pub concentrations: Vec<Concentration>,
    /// The key sentences, in order of importance.
    pub findings: Vec<String>,
    /// What to keep in mind about all of it.
    pub notes: Vec<String>,
}

/// A series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeriesInfo {
    /// The length of a period.
    pub interval: Interval,
    /// Number of periods from the first to the last.
    pub periods: u64,
    /// Number of periods with a value.
    pub periods_with_values: u64,
    /// The value of a period: `mean` of the measure, or `count` of records.
    pub value: String,
}

/// Values far from the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Anomalies {
    /// The items that are compared with the others: `records` or `periods`.
    pub of: String,
    /// How they are found: `robust_z` (|x − median| ÷ 1.4826 MAD above 3.5, Iglewicz & Hoaglin
    /// 1993), `hampel` (the same against the periods around, and 4), `seasonal_hampel` (the same
    /// without season).
    pub method: String,
    /// The median of the values; of periods only with the method `robust_z`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// 1.4826 times the median absolute deviation; where that is 0, 1.2533 times the mean one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The score beyond which a value counts.
    pub threshold: f64,
    /// Number of items that were looked at.
    pub looked_at: u64,
    /// Number of anomalies.
    pub count: u64,
    /// Number of high ones.
    pub high: u64,
    /// Examples, at most 20: those with the greatest distance.
    pub examples: Vec<AnomalousValue>,
    /// The figures in a sentence.
    pub finding: String,
    /// What to keep in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A value far from the others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnomalousValue {
    /// Of a record: its place among the rows, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// Of a record: its identifying value, from its first member with different values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of a period: when it begins. Of a record: its date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<DateTime<FixedOffset>>,
    /// The value of the item.
    pub value: f64,
    /// What would be expected: the median, of a period that of the periods around, with season.
    pub expected: f64,
    /// The distance, in robust standard deviations; below 0 it is low.
    pub score: f64,
}

/// A pattern that comes again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Season {
    /// The cycle: `hour_of_day`, `day_of_week`, `month_of_year`, `quarter_of_year`.
    pub cycle: String,
    /// The length of the periods of the series that it shows in.
    pub interval: Interval,
    /// The series' autocorrelation at one cycle, without trend; absent where too few pairs of
    /// periods have values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocorrelation: Option<f64>,
    /// 1 − variance of the remainder ÷ variance of season and remainder (Wang, Smith & Hyndman
    /// 2006), 0 to 1.
    pub strength: f64,
    /// Whether the phases differ, without trend: Kruskal–Wallis, below 0.01.
    pub test: TestResult,
    /// The phases in the order of the calendar.
    pub profile: Vec<SeasonPhase>,
    /// The figures in a sentence.
    pub finding: String,
}

/// A phase of a cycle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeasonPhase {
    /// Its name: `Monday`, `January`, `14:00`, `Q1`.
    pub phase: String,
    /// Number of values.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
}

/// The changes of level of a series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangePoints {
    /// How they are found: `optimal_partitioning`, the segments of the least squares with a penalty
    /// per change (Jackson et al. 2005).
    pub method: String,
    /// The penalty in variances of the noise: 3 ln n.
    pub penalty: f64,
    /// The changes, in order.
    pub points: Vec<ChangePoint>,
    /// The figures in a sentence.
    pub finding: String,
    /// What to keep in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangePoint {
    /// The beginning of the first period after it.
    pub at: DateTime<FixedOffset>,
    /// The mean of the segment before.
    pub mean_before: f64,
    /// The mean of the segment after.
    pub mean_after: f64,
    /// After less before.
    pub difference: f64,
    /// The difference in standard deviations within both segments (Hedges' g).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<f64>,
    /// Number of periods that the segment before has.
    pub periods_before: u64,
    /// Number of periods that the segment after has.
    pub periods_after: u64,
}

/// A group that is over-represented among certain records.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Concentration {
    /// Which records: `high` (the top quarter), `above_zero` (where some are below), `anomalous`.
    pub among: String,
    /// The measure is above this in them; absent for `anomalous`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// The field.
    pub field: String,
    /// The value of the group.
    pub value: String,
    /// Number of those records that have it.
    pub count: u64,
    /// Number of those records.
    pub of: u64,
    /// Its share of those records.
    pub share: f64,
    /// Its share of all records with the measure.
    pub share_of_all: f64,
    /// Number of records that have it.
    pub count_of_all: u64,
    /// `share` ÷ `share_of_all`.
    pub lift: f64,
    /// Fisher's exact test where few are expected, otherwise chi².
    pub test: TestResult,
    /// Its p-value, corrected by Holm for everything that was looked at.
    pub p_adjusted: f64,
    /// The figures in a sentence.
    pub finding: String,
}
