//! `get_power_curve`.

use chrono::{DateTime, FixedOffset, NaiveDate};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EnergySource, Flag};
use crate::tools::{Tool, ToolCategory};

/// The tool `get_power_curve`.
#[derive(Debug, Clone, Copy)]
pub struct GetPowerCurve;

impl Tool for GetPowerCurve {
    const NAME: &'static str = "get_power_curve";
    const CATEGORY: ToolCategory = ToolCategory::Monitoring;
    const SUMMARY: &'static str = "One logger's power over one day.";
    const DESCRIPTION: &'static str =
        "One logger's power over one local day, with peak, mean, energy and trend.";

    type Arguments = PowerCurveArguments;
    type Result = PowerCurve;
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
    /// The source of `totalEnergy`.
    pub energy_source: EnergySource,
    /// The register's energy of the day, kWh.
    pub register_kwh: Option<f64>,
    /// Readings with valid power, or of the register of a device that sends no power, over expected
    /// readings.
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
    /// The time of the reading.
    pub timestamp: DateTime<FixedOffset>,
    /// Power, W; the bucket's mean when thinned. With the flag `power_from_register`, the mean
    /// since the point before, by the register.
    pub power: Option<f64>,
    /// Irradiance, W/m².
    pub irradiance: Option<f64>,
    /// The bucket's least power, W; only when thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The bucket's highest power, W; only when thinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// The quality of the reading.
    pub quality: PointQuality,
}

/// The quality of a reading.
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
