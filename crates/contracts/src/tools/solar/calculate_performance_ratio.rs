//! `calculate_performance_ratio`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, Flag, IrradianceBasis, LeftOut, Period, Scope};
use crate::tools::{Tool, ToolCategory};

/// The tool `calculate_performance_ratio`.
#[derive(Debug, Clone, Copy)]
pub struct CalculatePerformanceRatio;

impl Tool for CalculatePerformanceRatio {
    const NAME: &'static str = "calculate_performance_ratio";
    const CATEGORY: ToolCategory = ToolCategory::Performance;
    const SUMMARY: &'static str = "Performance ratio of a day or a period.";
    const DESCRIPTION: &'static str = "Performance ratio (IEC 61724-1) of a logger, a list, a site or all (name none) on one local day or over a period, also \
        corrected to 25 °C where module temperature is known.";

    type Arguments = PerformanceRatioArguments;
    type Result = PerformanceReport;
}

/// Arguments of `calculate_performance_ratio`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PerformanceRatioArguments {
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
    /// The local day, or the first of several.
    pub date: NaiveDate,
    /// The last local day: one ratio over the whole period. Default: `date`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
    /// DC nameplate at standard test conditions, kW, of one device. Default: the configured one,
    /// otherwise inferred from the data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0.01, maximum = 1_000_000.0)]
    pub capacity_kw: Option<f64>,
}

/// Result of `calculate_performance_ratio`: of one device, or of several (weighted by capacity)
/// with each under `devices`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PerformanceReport {
    /// Always `performance_report`.
    #[serde(rename = "type")]
    #[schema(example = "performance_report")]
    pub kind: String,
    /// The logger; of several devices what `scope` calls them.
    pub logger_id: String,
    /// The scope of the ratio; absent for one device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub scope: Option<Scope>,
    /// The local day, or the first of the period.
    pub date: NaiveDate,
    /// The period; absent of a single day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub period: Option<Period>,
    /// Performance ratio, percent; of the logger's own usual when the capacity is inferred.
    pub performance_ratio: f64,
    /// The same as a ratio.
    pub pr: f64,
    /// The ratio corrected to 25 °C module temperature.
    #[serde(rename = "pr25C")]
    pub pr_25c: Option<f64>,
    /// Final yield: the energy of the days with irradiance, as every other answer has it, per
    /// capacity, kWh/kW. `pr` is of the readings that have both power and irradiance.
    pub yf: f64,
    /// Reference yield, h.
    pub yr: f64,
    /// Records with both power and irradiance.
    pub paired_records: u64,
    /// Paired records / daylight records.
    pub coverage: f64,
    /// The capacity used, kW.
    pub capacity_kw: f64,
    /// The source of the capacity.
    pub capacity_basis: CapacityBasis,
    /// The capacity estimated from the data, kW.
    pub inferred_capacity_kw: Option<f64>,
    /// AC power at standard test conditions, kW.
    pub stc_power_kw: Option<f64>,
    /// The plane of the irradiance.
    pub irradiance_basis: IrradianceBasis,
    /// The verdict; absent when there is no fair one, and where a normal ratio hides a whole day
    /// without energy or a device that is not normal.
    pub rating: Option<PerformanceRating>,
    /// The figures behind the ratio.
    pub metrics: PerformanceMetrics,
    /// Whether the total counts this device: a meter is not added to the inverters that it
    /// measures, and a ratio that is relative to a device's own usual is not added to those of
    /// stated capacities.
    #[serde(
        default = "super::basis::yes",
        skip_serializing_if = "super::basis::is_yes"
    )]
    #[schema(default = true)]
    pub counted: bool,
    /// Each device with the same fields, lowest ratio first; absent of one device.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub devices: Vec<PerformanceReport>,
    /// Devices without a ratio, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// One sentence.
    pub interpretation: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// The verdict on a performance ratio.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PerformanceRating {
    /// 0.75 or more.
    Normal,
    /// 0.60 to 0.75.
    Low,
    /// Below 0.60.
    Critical,
}

/// Averages behind a performance ratio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PerformanceMetrics {
    /// Mean power of the paired records, W.
    pub avg_power_watts: f64,
    /// Highest power, W.
    pub peak_power_watts: f64,
    /// Mean irradiance of the paired records, W/m².
    pub avg_irradiance: f64,
    /// Paired records.
    pub data_points: u64,
}
