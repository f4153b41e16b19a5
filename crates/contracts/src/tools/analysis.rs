//! The tools that analyse rows: statistics and patterns, computed in code.
//!
//! The rows are given, or had again by the query that found them. Every part of a result has a
//! `finding`: a sentence with its figures, that a text may cite. What makes a figure less certain
//! is in `notes`. A figure that cannot be had (the standard deviation of one value) is absent.
//! Figures are in the unit of their measure unless they say otherwise; shares are 0 to 1.
//!
//! Methods: quartiles interpolate linearly (type 7 of Hyndman & Fan 1996); intervals of means are
//! Student's; correlations are Pearson's and Spearman's; tests of two groups are Welch's t and
//! Mann–Whitney's U, of more Welch's ANOVA (1951) and Kruskal–Wallis; effects are Hedges' g (1981),
//! Cliff's delta (1993), eta² and epsilon²; trends are least squares, Theil–Sen and Mann–Kendall;
//! p-values of several tests are corrected by Holm (1979).

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::search::{HowToRetrieve, Interval, ResultColumn, SourceKind};

/// The names of these tools.
pub mod names {
    /// Summary, distribution, trend, correlation, comparison of groups.
    pub const STATS_ANALYSIS: &str = "stats_analysis";
    /// Anomalies, seasons, change points, concentrations.
    pub const PATTERN_RECOGNITION: &str = "pattern_recognition";
}

/// The rows to analyse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "from", rename_all = "snake_case", deny_unknown_fields)]
pub enum AnalysisData {
    /// These. A request has room for some ten thousand; more are had by their query.
    Rows {
        /// Flat objects.
        #[schema(value_type = Vec<Object>, max_items = 50000)]
        rows: Vec<Map<String, Value>>,
        /// The descriptions of their members. Default: derived from their values.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[schema(max_items = 64)]
        columns: Vec<ResultColumn>,
    },
    /// The rows of this query, which is run again as it is, to its end or to 50,000 rows.
    Query {
        /// The query.
        retrieve: HowToRetrieve,
    },
}

/// Arguments of `stats_analysis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StatsAnalysisArguments {
    /// The rows to analyse.
    pub data: AnalysisData,
    /// The numbers to analyse, as fields or as words of their names: `delay` for `delay_hours`.
    /// Default: all numbers, those that the question names first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub measures: Vec<String>,
    /// What groups are compared by, each for itself, as fields or as words. Default: those that the
    /// question names, otherwise every keyword and every yes or no with few values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 8)]
    pub group_by: Vec<String>,
    /// The date field of trends, as a field or as words. Default: the one that the question names,
    /// otherwise the first with several days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub time_field: Option<String>,
    /// The length of a trend's periods. Default: by the range and number of the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub interval: Option<Interval>,
    /// The IANA zone of the calendar. Default: the source's, otherwise UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64)]
    pub time_zone: Option<String>,
    /// The person's question: decides which measures, groups and dates come first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 2048)]
    pub question: Option<String>,
    /// What to compute. Default: everything that the data allow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 5)]
    pub analyses: Vec<Analysis>,
}

/// What can be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Analysis {
    Summary,
    Distribution,
    Trend,
    Correlation,
    GroupComparison,
}

/// Result of `stats_analysis`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatsAnalysis {
    /// The analysed data.
    pub data: AnalysedData,
    /// Per measure: its figures.
    pub summaries: Vec<MeasureSummary>,
    /// Per measure: how its values are distributed.
    pub distributions: Vec<Distribution>,
    /// Per measure: where it is heading.
    pub trends: Vec<MeasureTrend>,
    /// The strongest correlations between measures, the strongest first.
    pub correlations: Vec<Correlation>,
    /// Comparisons of groups, the largest effect first.
    pub comparisons: Vec<GroupComparison>,
    /// The key sentences, in order of importance.
    pub findings: Vec<String>,
    /// What to keep in mind about all of it.
    pub notes: Vec<String>,
}

/// The analysed data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnalysedData {
    /// Number of rows.
    pub records: u64,
    /// Number of rows in all; more than `records` when not all were read.
    pub total: u64,
    /// Whether all of them were analysed.
    pub complete: bool,
    /// Whether the rows are groups of an aggregation: then each counts as one, however many records
    /// it represents.
    pub aggregated: bool,
    /// The source, where the rows were had by a query.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The kind of the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_by: Option<SourceKind>,
    /// The IANA zone of days and other periods.
    pub time_zone: String,
    /// The date field of trends, seasons and changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_field: Option<String>,
    /// The first date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_at: Option<DateTime<FixedOffset>>,
    /// The last date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_at: Option<DateTime<FixedOffset>>,
}

/// The figures of a measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MeasureSummary {
    /// The field.
    pub measure: String,
    /// What people call it.
    pub label: String,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Number of values.
    pub count: u64,
    /// Number of rows that have none.
    pub missing: u64,
    /// Their sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<f64>,
    /// The arithmetic mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// The lower end of the 95 % interval of the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_low: Option<f64>,
    /// The upper end of the 95 % interval of the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_high: Option<f64>,
    /// The standard deviation of the sample (n − 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// The standard error of the mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sem: Option<f64>,
    /// Minimum of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// A quarter is less (type 7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q1: Option<f64>,
    /// Half is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// Three quarters are less (type 7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub q3: Option<f64>,
    /// The greatest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The adjusted Fisher–Pearson coefficient of skewness (G1); 0 is symmetric, above 0 the long
    /// tail is of high values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skewness: Option<f64>,
    /// Number of values beyond Tukey's fences, 1.5 interquartile ranges outside the quartiles.
    pub outliers: u64,
    /// The share above 0, where some are below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_positive: Option<f64>,
    /// The figures in a sentence.
    pub finding: String,
    /// What to keep in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How the values of a measure are distributed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Distribution {
    /// The field.
    pub measure: String,
    /// What people call it.
    pub label: String,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The width of a bin, by the rule of Freedman and Diaconis (1981); wider where that would
    /// make more than 50.
    pub bin_width: f64,
    /// The bins, without a gap, from the least to the greatest.
    pub bins: Vec<Bin>,
    /// The figures in a sentence.
    pub finding: String,
}

/// A bin of a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Bin {
    /// The beginning of the bin, inclusive.
    pub from: f64,
    /// The end of the bin, exclusive; inclusive in the last.
    pub to: f64,
    /// Number of values.
    pub count: u64,
}

/// The trend of a measure: over its mean per period.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MeasureTrend {
    /// The field; `count` is how many records there are per period.
    pub measure: String,
    /// What people call it.
    pub label: String,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The length of a period.
    pub interval: Interval,
    /// Number of periods that have a value.
    pub periods: u64,
    /// The slope of least squares, per day.
    pub slope_per_day: f64,
    /// The lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_low: Option<f64>,
    /// The upper end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ci_high: Option<f64>,
    /// Share of the variance that the line explains, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r2: Option<f64>,
    /// Theil and Sen's slope, per day: the median of the slopes of all pairs, which outliers do not
    /// move.
    pub theil_sen_per_day: f64,
    /// The p-value of Mann and Kendall's test, corrected for ties.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mann_kendall_p: Option<f64>,
    /// The direction: `increasing` or `decreasing` when Mann and Kendall's p is below 0.05,
    /// otherwise `stable`.
    pub direction: super::Trend,
    /// What Theil and Sen's line makes of the whole time.
    pub change: f64,
    /// The figures in a sentence.
    pub finding: String,
    /// What to keep in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How two measures go together, over the rows that have both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Correlation {
    /// One field.
    pub measure: String,
    /// The other.
    pub other: String,
    /// Number of rows that have both.
    pub count: u64,
    /// Pearson's r: how close they are to a line, −1 to 1.
    pub pearson: f64,
    /// Its p-value.
    pub pearson_p: f64,
    /// Spearman's rho: how close they are to any increasing or decreasing curve, −1 to 1.
    pub spearman: f64,
    /// Its p-value (t approximation).
    pub spearman_p: f64,
    /// The same, corrected by Holm for all pairs that were looked at.
    pub p_adjusted: f64,
    /// The figures in a sentence.
    pub finding: String,
}

/// How a measure differs between groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GroupComparison {
    /// The measure.
    pub measure: String,
    /// What people call it.
    pub label: String,
    /// The unit of the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The field whose values are the groups.
    pub group_by: String,
    /// The groups, the highest mean first; at most 30, the largest.
    pub groups: Vec<GroupFigures>,
    /// Whether the means differ: Welch's t of two groups, Welch's ANOVA of more. Absent with fewer
    /// than two groups of three.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub means: Option<TestResult>,
    /// Whether the ranks differ: Mann–Whitney's U of two groups, Kruskal–Wallis of more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranks: Option<TestResult>,
    /// The larger p of both tests, corrected by Holm for all comparisons of this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_adjusted: Option<f64>,
    /// How large the differences are.
    pub effects: Vec<Effect>,
    /// Of three groups or more: the pairs that differ most, p-values corrected by Holm for all
    /// pairs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<GroupPair>,
    /// The figures in a sentence.
    pub finding: String,
    /// What to keep in mind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The figures of a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GroupFigures {
    /// The value of the field.
    pub group: String,
    /// Number of values of the measure.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their median.
    pub median: f64,
    /// Their standard deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
    /// It has fewer than three values, and no part in the tests.
    pub too_small: bool,
}

/// A test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TestResult {
    /// Its name: `welch_t`, `mann_whitney_u`, `welch_anova`, `kruskal_wallis`, `fisher_exact`,
    /// `chi_square`.
    pub test: String,
    /// Its statistic; absent for Fisher's test, which has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<f64>,
    /// Its degrees of freedom, of F both.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub degrees_of_freedom: Vec<f64>,
    /// Its p-value.
    pub p: f64,
}

/// How large a difference is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Effect {
    /// Its name: `hedges_g`, `cliffs_delta`, `eta_squared`, `epsilon_squared`.
    pub effect: String,
    /// The size of the effect.
    pub value: f64,
    /// In a word: `negligible`, `small`, `medium`, `large`, by Cohen's (1988) and Romano's (2006)
    /// limits.
    pub size: String,
}

/// Two groups.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GroupPair {
    /// The group with the higher mean.
    pub higher: String,
    /// The other.
    pub lower: String,
    /// The difference of the means.
    pub difference: f64,
    /// The p-value of Welch's t test, corrected by Holm for all pairs.
    pub p_adjusted: f64,
    /// Hedges' g.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hedges_g: Option<f64>,
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
