//! `forecast_production`.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{EnergySource, Flag};
use crate::tools::{Tool, ToolCategory};

/// The tool `forecast_production`.
#[derive(Debug, Clone, Copy)]
pub struct ForecastProduction;

impl Tool for ForecastProduction {
    const NAME: &'static str = "forecast_production";
    const CATEGORY: ToolCategory = ToolCategory::Forecasting;
    const SUMMARY: &'static str = "Production of the coming days.";
    const DESCRIPTION: &'static str = "Expected production of the next one to seven days with an 80 % interval and the method's backtested error.";

    type Arguments = ForecastArguments;
    type Result = ProductionForecast;
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

fn one_day() -> u32 {
    1
}

/// Result of `forecast_production`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProductionForecast {
    /// Always `production_forecast`.
    #[serde(rename = "type")]
    #[schema(example = "production_forecast")]
    pub kind: String,
    /// The logger.
    pub logger_id: String,
    /// The basis of the days' forecasts.
    #[serde(default)]
    pub basis: ForecastBasis,
    /// What irradiance that was forecast for the site was worth; absent when there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weather: Option<WeatherUse>,
    /// The method of the first day: `cliper`, `exponential_mean`, `mean_30_days`, one of these with
    /// `_clearness`, `blend` of several, or `weather`.
    #[schema(example = "cliper")]
    pub method: String,
    /// Days ahead.
    pub horizon: u32,
    /// Known days it rests on.
    pub based_on_days: u32,
    /// True when there are too few of them; then there are no forecasts.
    pub insufficient_data: bool,
    /// The newest day of a logger that its site outlasts. Days until the site's newest one are not
    /// forecast; without forecasts the logger is silent for too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub silent_since: Option<NaiveDate>,
    /// The history in figures; absent when there are too few days.
    pub historical_stats: Option<HistoricalStats>,
    /// One row per day.
    pub forecasts: Vec<ForecastDay>,
    /// Sum of the days' expectations, kWh.
    pub total_predicted: f64,
    /// The probability that each range covers.
    #[schema(example = 0.8)]
    pub confidence_level: f64,
    /// The source of the history's energy.
    pub energy_source: EnergySource,
    /// The accuracy of the method, per horizon.
    pub backtest: Vec<Backtest>,
    /// Share of a day's energy per local hour 0 to 23, from the last 14 days; empty when unknown.
    pub hourly_shape: Vec<f64>,
    /// One sentence.
    pub summary: String,
    /// What to know about the figures.
    pub flags: Vec<Flag>,
}

/// Daily energies of the last 30 known days.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistoricalStats {
    /// Mean, kWh.
    pub average_kwh: f64,
    /// Sample standard deviation, kWh.
    pub std_dev_kwh: f64,
    /// Least, kWh.
    pub min_kwh: f64,
    /// Most, kWh.
    pub max_kwh: f64,
}

/// One day's forecast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastDay {
    /// The day.
    pub date: NaiveDate,
    /// Days after the newest one.
    pub horizon: u32,
    /// Expected energy, kWh.
    pub expected_kwh: f64,
    /// Lower end of the range, kWh.
    pub range_min: f64,
    /// Upper end, kWh.
    pub range_max: f64,
    /// Same as `rangeMin`.
    pub lower: f64,
    /// Same as `rangeMax`.
    pub upper: f64,
    /// The range's width in a word.
    pub confidence: ForecastConfidence,
    /// The method of this horizon.
    pub method: String,
    /// The basis of the forecast.
    #[serde(default)]
    pub basis: ForecastBasis,
}

/// The basis of a forecast.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForecastBasis {
    /// Past production alone.
    #[default]
    History,
    /// Irradiance that was forecast for the site, by the device's response to it.
    Weather,
    /// Some days the one, some the other.
    Mixed,
}

/// What irradiance that was forecast for the site is worth for this device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WeatherUse {
    /// Days of this answer that it was forecast for.
    pub days_available: u32,
    /// Days of this answer that are forecast from it.
    pub days_used: u32,
    /// Past days on which it was tried; the fewest of any horizon.
    pub days_tried: u32,
    /// Its root mean square error in the past divided by that of past production alone, for the
    /// first day. Absent before it was tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_ratio: Option<f64>,
    /// Why it is used, or not, in one sentence.
    pub reason: String,
}

/// How wide a range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ForecastConfidence {
    /// Below 0.3 of the mean.
    High,
    /// Below 0.6.
    Medium,
    /// Wider.
    Low,
}

/// A method's error on the past.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Backtest {
    /// Days ahead.
    pub horizon: u32,
    /// Mean absolute error over the mean.
    pub nmae: f64,
    /// Root mean square error over the mean.
    pub nrmse: f64,
    /// 1 - RMSE / RMSE of persistence.
    pub skill: f64,
    /// Days tested.
    pub days: u32,
}
