//! Forecast irradiance, at the tools service.

use super::common::{JsonRefusals, ToolsRefusals};
use crate::problem::Problem;
use crate::weather::{DeletedWeather, StoredWeather, WeatherForecast, WeatherList, WeatherQuery};

/// Stores irradiance that was forecast for a site. A value of the same site, issue and step is
/// replaced, so sending a forecast twice changes nothing. `forecast_production` uses it where, over
/// at least 20 days of the past, it was clearly better than past production alone; its answer says
/// so.
#[utoipa::path(post, path = "/api/weather", tag = "weather", security(("bearer" = ["measurements:write"])),
    request_body = WeatherForecast,
    responses(
        (status = 200, description = "What became of the values", body = StoredWeather),
        (status = 422, description = "Unknown site, or values that cannot be; the problem points to each", body = Problem, content_type = "application/problem+json"),
        JsonRefusals,
        ToolsRefusals,
    ))]
pub fn put_weather() {}

/// The forecast irradiance of a site as it is kept, by time and issue.
#[utoipa::path(get, path = "/api/weather", tag = "weather", security(("bearer" = ["tools:read"])),
    params(WeatherQuery),
    responses(
        (status = 200, description = "The values", body = WeatherList),
        (status = 422, description = "Unknown site, or a range that is none", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn list_weather() {}

/// Deletes the forecast irradiance of a site between `from` and `to`; both are needed.
#[utoipa::path(delete, path = "/api/weather", tag = "weather", security(("bearer" = ["measurements:write"])),
    params(WeatherQuery),
    responses(
        (status = 200, description = "How many values are gone", body = DeletedWeather),
        (status = 422, description = "Unknown site, or a range that is none", body = Problem, content_type = "application/problem+json"),
        ToolsRefusals,
    ))]
pub fn delete_weather() {}

/// Names for what the macro generates, one per operation.
pub mod operations {
    pub use super::{
        __path_delete_weather as DeleteWeather, __path_list_weather as ListWeather,
        __path_put_weather as PutWeather,
    };
}
