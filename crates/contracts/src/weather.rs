//! Forecast irradiance of a site: `POST`, `GET` and `DELETE /api/weather`.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Irradiance that was forecast for a site at one instant. Send every forecast that is issued, with
/// its `issued_at`: the result of those of the past decides whether a forecast of production uses
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WeatherForecast {
    /// The site. Default: the tenant's only one; needed when there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub site: Option<String>,
    /// When it was issued: RFC 3339 with an offset. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "2025-12-04T06:00:00Z")]
    pub issued_at: Option<String>,
    /// Minutes that each value represents; they end at its time stamp. Default: 60. A whole day has
    /// 1440.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 1440)]
    pub step_minutes: Option<u32>,
    /// The values, 1 to 10,000.
    #[schema(min_items = 1, max_items = 10000)]
    pub values: Vec<WeatherValue>,
}

/// The irradiance of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WeatherValue {
    /// The end of the step: RFC 3339 with an offset.
    #[schema(example = "2025-12-05T12:00:00Z")]
    pub timestamp: String,
    /// Its mean irradiance, W/m², 0 to 2000. On the horizontal or in the plane of the array, but
    /// always the same: each device's response to it is learned.
    #[schema(minimum = 0, maximum = 2000)]
    pub irradiance: f64,
}

/// The result of a forecast. Sending it again changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StoredWeather {
    /// The site.
    pub site: String,
    /// When the forecast was issued.
    pub issued_at: DateTime<FixedOffset>,
    /// Values that are new.
    pub accepted: u64,
    /// Values that took the place of those of the same site, issue and step, identical ones
    /// included.
    pub replaced: u64,
}

/// Which values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct WeatherQuery {
    /// The site. Default: the tenant's only one; needed when there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub site: Option<String>,
    /// From this instant on, it included: RFC 3339 with an offset.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(example = "2025-12-01T00:00:00Z")]
    pub from: Option<String>,
    /// Before this instant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(example = "2025-12-08T00:00:00Z")]
    pub to: Option<String>,
}

/// Values as they are kept, by time and issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WeatherList {
    /// The site.
    pub site: String,
    /// Its zone, in which the times are written.
    #[schema(example = "Europe/Zurich")]
    pub timezone: String,
    /// Number of values in all between `from` and `to`.
    pub count: u64,
    /// The first thousand of them.
    pub values: Vec<KeptWeather>,
    /// Whether there are more; ask from the last one's `timestamp` on.
    pub truncated: bool,
}

/// A value as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeptWeather {
    /// The end of its step.
    pub timestamp: DateTime<FixedOffset>,
    /// When it was forecast.
    pub issued_at: DateTime<FixedOffset>,
    /// Minutes that it represents.
    pub step_minutes: u32,
    /// W/m².
    pub irradiance: f64,
}

/// The deleted values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeletedWeather {
    /// The site.
    pub site: String,
    /// Number of values.
    pub deleted: u64,
}
