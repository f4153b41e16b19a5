//! `list_loggers`.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{CapacityBasis, IrradianceBasis};
use crate::tools::{Tool, ToolCategory};

/// The tool `list_loggers`.
#[derive(Debug, Clone, Copy)]
pub struct ListLoggers;

impl Tool for ListLoggers {
    const NAME: &'static str = "list_loggers";
    const CATEGORY: ToolCategory = ToolCategory::Discovery;
    const SUMMARY: &'static str = "Every logger with its range of data.";
    const DESCRIPTION: &'static str = "Lists every data logger (inverter, meter, weather station) with its site, type, capacity and the range of its data. \
        Call it first when it is not known which loggers exist.";

    type Arguments = ListLoggersArguments;
    type Result = LoggerList;
}

/// Arguments of `list_loggers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListLoggersArguments {
    /// Only this site's loggers. Default: every site of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
}

/// Result of `list_loggers`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LoggerList {
    /// Always `logger_list`.
    #[serde(rename = "type")]
    #[schema(example = "logger_list")]
    pub kind: String,
    /// Number of loggers.
    pub count: u64,
    /// The loggers, by id.
    pub loggers: Vec<LoggerSummary>,
}

/// One logger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoggerSummary {
    /// The id of the logger.
    pub logger_id: String,
    /// Its brand or format.
    pub logger_type: String,
    /// The role of the logger.
    pub role: LoggerRole,
    /// The site of the logger.
    pub site_id: String,
    /// Its site's name.
    pub site_name: String,
    /// IANA name of the site's zone.
    pub timezone: String,
    /// Its first reading.
    pub earliest_data: Option<DateTime<FixedOffset>>,
    /// Its newest reading.
    pub latest_data: Option<DateTime<FixedOffset>>,
    /// Number of readings.
    pub record_count: u64,
    /// Its nominal step, minutes.
    pub step_minutes: Option<f64>,
    /// Whether irradiance is known for it, its own or its sensor's.
    pub has_irradiance: bool,
    /// The plane of the irradiance.
    pub irradiance_basis: IrradianceBasis,
    /// Whether it has an energy register.
    pub has_register: bool,
    /// DC nameplate, kW.
    pub capacity_kw: Option<f64>,
    /// The source of the capacity.
    pub capacity_basis: CapacityBasis,
}

/// The role of a logger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoggerRole {
    /// Delivers energy.
    Inverter,
    /// Measures what inverters deliver; never added to them.
    Meter,
    /// Measures irradiance and temperatures.
    Weather,
}
