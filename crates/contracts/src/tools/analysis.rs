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

mod pattern_recognition;
mod stats_analysis;

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::tools::search::{HowToRetrieve, ResultColumn, SourceKind};

pub use pattern_recognition::*;
pub use stats_analysis::*;

/// The tools that analyse rows, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! analysis_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            STATS_ANALYSIS stats_analysis $crate::tools::analysis::StatsAnalysisTool,
            PATTERN_RECOGNITION pattern_recognition $crate::tools::analysis::PatternRecognitionTool,
        }
    };
}

/// The names of these tools.
pub mod names {
    crate::analysis_tools!(tool_names);
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
