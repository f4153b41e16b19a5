//! The arguments of each tool. Bounds are in the schema and are enforced: outside them a call is
//! answered 422.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Arguments of `list_loggers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLoggersArguments {
    /// Only this site's loggers. Default: every site of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
}

/// Arguments of `get_fleet_overview`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FleetOverviewArguments {
    /// Only this site. Default: every site of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
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

/// Arguments of `get_power_curve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerCurveArguments {
    /// The logger.
    #[schema(min_length = 1, max_length = 64)]
    pub logger_id: String,
    /// The local day.
    pub date: NaiveDate,
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

/// Arguments of `calculate_financial_savings`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FinancialSavingsArguments {
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
    /// The first local day.
    pub start_date: NaiveDate,
    /// The last local day. Default: the device's newest day; of several devices the newest day of
    /// their site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end_date: Option<NaiveDate>,
    /// Money per kWh in the site's currency; `rate` is the same. Default: the site's tariff,
    /// otherwise 0.20.
    #[serde(default, alias = "rate", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0.01, maximum = 1.0)]
    pub electricity_rate: Option<f64>,
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

/// Arguments of `forecast_production`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForecastArguments {
    /// The logger.
    #[schema(min_length = 1, max_length = 64)]
    pub logger_id: String,
    /// Number of days after the logger's newest day. Default: 1.
    #[serde(default = "one_day")]
    #[schema(minimum = 1, maximum = 7, default = 1)]
    pub days_ahead: u32,
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

/// Arguments of `health_check`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthCheckArguments {}

fn one_day() -> u32 {
    1
}
