//! `diagnose_error_codes`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Flag, LeftOut, Period, Scope};
use crate::tools::{Tool, ToolCategory};

/// The tool `diagnose_error_codes`.
#[derive(Debug, Clone, Copy)]
pub struct DiagnoseErrorCodes;

impl Tool for DiagnoseErrorCodes {
    const NAME: &'static str = "diagnose_error_codes";
    const CATEGORY: ToolCategory = ToolCategory::Diagnostics;
    const SUMMARY: &'static str = "The device's own error codes, explained.";
    const DESCRIPTION: &'static str = "The error codes that a logger, a list, a site or all (name none) reported, explained, with how often and how long they stood.";

    type Arguments = ErrorCodesArguments;
    type Result = DiagnosticsReport;
}

/// Arguments of `diagnose_error_codes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorCodesArguments {
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
    #[schema(nullable = false, minimum = 1, maximum = 30, default = 7)]
    pub days: Option<u32>,
    /// The first local day of the window; not together with `days`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub start_date: Option<NaiveDate>,
    /// The last day of the window. Default: the device's newest day; of several devices the newest
    /// day of their site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
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
    /// The scope of the totals; absent for one device.
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
    /// The meaning of the code.
    pub description: String,
    /// The severity of the code.
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

/// The severity of an error code.
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
