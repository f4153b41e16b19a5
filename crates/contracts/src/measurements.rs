//! Ingestion: `POST /api/measurements`.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::threads::TimeZone;

/// One reading, as a row of the table `measurements`. At least one of the three values or a
/// metadata member must be there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Measurement {
    /// When: RFC 3339 with an offset, or a local time without one where the request names a
    /// `timezone`.
    #[schema(example = "2025-12-04T12:00:00Z")]
    pub timestamp: String,
    /// Which logger; a new id makes a new logger.
    #[schema(min_length = 1, max_length = 64)]
    pub logger_id: String,
    /// The brand or format: `goodwe`, `lti`, `meier`, `smartdog`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 20)]
    pub logger_type: Option<String>,
    /// Active AC power, W; negative while the device consumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_power_watts: Option<f64>,
    /// The device's own energy register of the day, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_daily_kwh: Option<f64>,
    /// Irradiance, W/m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irradiance: Option<f64>,
    /// Everything else the device said: voltages, temperatures, `errorCode`, `energyLifetimeKwh`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// How to read an ingestion request's body.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct IngestQuery {
    /// The site that new loggers join. Default: the tenant's only site; needed when there are
    /// several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub site: Option<String>,
    /// The logger of every row, for files without such a column.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// The type of loggers whose rows name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(max_length = 20)]
    pub logger_type: Option<String>,
    /// IANA zone of time stamps without an offset. Default: such stamps are refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<TimeZone>)]
    pub timezone: Option<String>,
    /// CSV: which column holds which field, `field=column` pairs joined by commas, for example
    /// `timestamp=Time,activePowerWatts=P_AC`. Columns that no field claims go into the metadata.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
    /// CSV: the delimiter, one character. Default: found in the file, one of `;`, tab, `|` and `,`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^([!#-/:-@\\[-`{-~ ]|\\t|tab)$")]
    pub delimiter: Option<String>,
    /// CSV: `,` when decimals are written with a comma. Default: found in the file. Thousands
    /// separators are taken away only where the file shows them beside decimals (`1.234,5`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(pattern = "^[.,]$")]
    pub decimal: Option<String>,
    /// Texts that represent "no value" of their field, joined by commas, in any case. Default:
    /// `NaN,n/a,-,--,null,#N/A`. A blank field never has a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(example = "NaN,n/a,-,--,null,#N/A")]
    pub missing: Option<String>,
    /// The first day that a reading may have; earlier ones are refused, as those of a clock that
    /// was not set. Default: `1985-01-01`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<chrono::NaiveDate>)]
    pub earliest: Option<String>,
}

/// The result of the rows of an ingestion request. A row counts once: as accepted, as replaced, as
/// empty or as refused.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestReport {
    /// Rows that are new.
    pub accepted: u64,
    /// Rows that took the place of a stored reading of the same logger and instant, identical ones
    /// included.
    pub replaced: u64,
    /// Rows without any value: nothing to store, and nothing wrong.
    #[serde(default)]
    pub empty: u64,
    /// Rows that were not stored.
    pub refused: u64,
    /// The first hundred refused rows, each with its reason.
    pub refusals: Vec<Refusal>,
    /// The stored rows, per logger.
    pub loggers: Vec<IngestedLogger>,
    /// How a CSV was read: what the request said, and what was found in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_as: Option<CsvDialect>,
    /// Rows of local time in the hour that happens twice when clocks go back. Absent when there are
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubled_hour: Option<DoubledHour>,
}

/// How a CSV was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CsvDialect {
    /// The delimiter between two fields; a tab as `tab`.
    #[schema(example = ";")]
    pub delimiter: String,
    /// `.` or `,`.
    #[schema(example = ",")]
    pub decimal: String,
    /// The columns that were taken for fields, `field=column`.
    pub columns: Vec<String>,
    /// Which of `delimiter` and `decimal` were found in the file, as the request did not say.
    pub found: Vec<String>,
}

/// The hour that happens twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DoubledHour {
    /// Rows whose place in it follows from their order: first summer time, then winter time.
    pub ordered: u64,
    /// Rows that were refused, because their order does not decide it.
    pub refused: u64,
}

/// Why one row was not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Refusal {
    /// The row, counted from 1, a CSV's header not counted.
    pub row: u64,
    /// The fault of the row.
    pub reason: String,
}

/// The rows stored for one logger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestedLogger {
    /// The logger.
    pub logger_id: String,
    /// Whether this request made it.
    pub created: bool,
    /// Rows stored, new and replaced.
    pub rows: u64,
    /// The earliest stored by this request.
    pub earliest: DateTime<FixedOffset>,
    /// The latest stored by this request.
    pub latest: DateTime<FixedOffset>,
}
