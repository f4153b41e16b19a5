//! `/api/sites` and `/api/loggers`: the tenant's plants and their devices.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::threads::TimeZone;

/// Sites with their loggers: the body of `POST /api/sites` and the form of the TOML file of
/// `heliograph sites apply`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutSites {
    /// The sites.
    #[schema(min_items = 1)]
    pub sites: Vec<SiteDescription>,
}

/// A site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteDescription {
    /// The id within the tenant.
    #[schema(min_length = 1, max_length = 64, example = "roof")]
    pub id: String,
    /// The name. Default: the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The zone, which determines the days of the site.
    #[schema(value_type = TimeZone)]
    pub timezone: String,
    /// Degrees north.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latitude: Option<f64>,
    /// Degrees east.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longitude: Option<f64>,
    /// Height above the sea, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub altitude_m: Option<f64>,
    /// Slope of the modules, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt_deg: Option<f64>,
    /// Direction of the modules, degrees from north over east.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azimuth_deg: Option<f64>,
    /// Money per kWh. Default: the service's rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tariff_per_kwh: Option<f64>,
    /// ISO 4217 code. Default: USD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Carbon dioxide per kWh. Default: the service's factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub co2_factor: Option<EmissionFactor>,
    /// The loggers of the site.
    #[serde(default)]
    pub loggers: Vec<LoggerDescription>,
}

/// An emission factor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmissionFactor {
    /// kg of carbon dioxide per kWh.
    pub kg_per_kwh: f64,
    /// The name.
    pub name: String,
    /// The year.
    pub year: i32,
}

/// A logger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoggerDescription {
    /// The id within the tenant.
    #[schema(min_length = 1, max_length = 64)]
    pub id: String,
    /// The brand or format. It determines the table of error codes.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 20)]
    pub logger_type: Option<String>,
    /// `inverter`, `meter` or `weather`. Default: inverter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// DC nameplate at standard test conditions, kW.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity_kw: Option<f64>,
    /// Relative change of power per kelvin of module temperature, negative.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_coefficient: Option<f64>,
    /// `right` (a value is the mean of the step that its time ends) or `instantaneous`. Default:
    /// right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The plane of its own irradiance: `poa`, `ghi` or `unknown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irradiance_basis: Option<String>,
    /// The logger whose irradiance serves this one. Default: the sensors of the site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sensor: Option<String>,
}

/// The result of `POST /api/sites`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StoredSites {
    /// Number of sites that were created or updated.
    pub sites: u64,
    /// Number of loggers that were created or updated.
    pub loggers: u64,
    /// Number of loggers whose daily figures were computed again.
    pub recomputed: u64,
}

/// The sites of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SiteList {
    /// The sites, by id.
    pub sites: Vec<SiteDescription>,
}

/// The query of `GET /api/loggers`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ListSiteLoggers {
    /// Only the loggers of this site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub site: Option<String>,
}

/// The loggers of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SiteLoggerList {
    /// The loggers, by site and id.
    pub loggers: Vec<SiteLogger>,
}

/// A logger with its readings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SiteLogger {
    /// The site.
    pub site: String,
    /// The description.
    #[serde(flatten)]
    pub logger: LoggerDescription,
    /// Number of readings.
    pub readings: u64,
    /// The earliest reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earliest: Option<DateTime<Utc>>,
    /// The latest reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<DateTime<Utc>>,
}

/// The query of `DELETE /api/loggers/{logger_id}` and `DELETE /api/sites/{site_id}`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ConfirmDeletion {
    /// The id again, as a safeguard: readings are deleted, too.
    pub confirm: String,
}
