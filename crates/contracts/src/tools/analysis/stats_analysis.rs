//! `stats_analysis`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AnalysedData, AnalysisData};
use crate::tools::search::Interval;
use crate::tools::{Tool, ToolCategory, Trend};

/// The tool `stats_analysis`.
#[derive(Debug, Clone, Copy)]
pub struct StatsAnalysisTool;

impl Tool for StatsAnalysisTool {
    const NAME: &'static str = "stats_analysis";
    const CATEGORY: ToolCategory = ToolCategory::Analysis;
    const SUMMARY: &'static str = "Statistics over rows, or over what a query finds.";
    const DESCRIPTION: &'static str = "Statistics over rows or over what a query finds: summary, distribution, trend, correlation, comparison of groups with effect sizes.";

    type Arguments = StatsAnalysisArguments;
    type Result = StatsAnalysis;
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
    pub direction: Trend,
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
