//! `/api/imports`: files of data loggers and tables, previewed and then imported as jobs.

use chrono::{DateTime, FixedOffset, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::threads::TimeZone;

/// The query of `POST /api/imports`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct CreateImport {
    /// The name of the file. Some formats name the device in it.
    #[param(min_length = 1, max_length = 255)]
    pub filename: String,
    /// The site of the readings. Default: the tenant's only site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub site: Option<String>,
    /// IANA zone of local times, such as `Etc/GMT-1` for a logger that ignores summer time.
    /// Default: the zone of the site.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<TimeZone>)]
    pub timezone: Option<String>,
    /// The id of the device, for files that do not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// The sensor of irradiance, for files with several: a part of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(min_length = 1, max_length = 64)]
    pub sensor: Option<String>,
    /// The format. Default: recognised by the content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FileFormat>,
    /// The offset to UTC in an Integra file is ignored: its times are local.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_offset: Option<bool>,
    /// Imports the file without waiting for a confirmation, if no row of it would be refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<bool>,
}

/// The body of `PATCH /api/imports/{import_id}`: what is read in another way. A member that is
/// absent stays as it is.
// The members of `CreateImport` stand here again, because a shared part (`flatten`) would accept
// unknown members, and reads no booleans from a query.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReviseImport {
    /// The site of the readings.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub site: Option<String>,
    /// IANA zone of local times.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TimeZone>)]
    pub timezone: Option<String>,
    /// The id of the device, for files that do not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// The sensor of irradiance.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub sensor: Option<String>,
    /// The format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<FileFormat>,
    /// The offset to UTC in an Integra file is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignore_offset: Option<bool>,
    /// The meaning of a table's columns. It is remembered for the tenant's files of the same
    /// header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapping: Option<ColumnMapping>,
}

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileFormat {
    /// GoodWe.
    Goodwe,
    /// LTI.
    Lti,
    /// Integra XML.
    Integra,
    /// Plexlog SQLite.
    Plexlog,
    /// meteocontrol, analog values or inverters.
    Meteocontrol,
    /// mb-met.
    Mbmet,
    /// Meier.
    Meier,
    /// SmartDog.
    Smartdog,
    /// A CSV of another shape.
    Csv,
    /// An Excel sheet.
    Xlsx,
}

impl FileFormat {
    /// Every format, the more particular ones first.
    pub const ALL: [Self; 10] = [
        Self::Plexlog,
        Self::Integra,
        Self::Meteocontrol,
        Self::Lti,
        Self::Mbmet,
        Self::Meier,
        Self::Smartdog,
        Self::Goodwe,
        Self::Xlsx,
        Self::Csv,
    ];

    /// The name on the wire, which is also the type of the format's loggers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Goodwe => "goodwe",
            Self::Lti => "lti",
            Self::Integra => "integra",
            Self::Plexlog => "plexlog",
            Self::Meteocontrol => "meteocontrol",
            Self::Mbmet => "mbmet",
            Self::Meier => "meier",
            Self::Smartdog => "smartdog",
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }

    /// The format of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether columns are read by a mapping.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Csv | Self::Xlsx)
    }
}

/// The status of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportStatus {
    /// The preview is there, and the import waits for its confirmation.
    Ready,
    /// The file cannot be imported as it is; `problem` says why.
    Refused,
    /// It waits for a worker.
    Queued,
    /// Rows are being stored.
    Running,
    /// Every good row is stored.
    Done,
    /// It was stopped by a failure, which `problem` describes. Running it again continues it.
    Failed,
    /// A user cancelled it. Rows that were stored stay.
    Cancelled,
}

/// An import of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Import {
    /// The id of the import.
    pub import_id: String,
    /// The name of the file.
    pub filename: String,
    /// The size of the file, in bytes.
    pub size_bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub content_hash: String,
    /// The same file was uploaded before with the same options; this is that import.
    pub known: bool,
    /// The status.
    pub status: ImportStatus,
    /// The reason of a refusal or failure, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The site of the readings.
    pub site: String,
    /// The zone of local times.
    pub timezone: String,
    /// The format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<FileFormat>,
    /// The content of the file, and what would be refused. The list of imports has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<ImportPreview>,
    /// The progress of the import.
    pub progress: ImportProgress,
    /// The time of the upload.
    pub created_at: DateTime<Utc>,
    /// The time of the newest change.
    pub updated_at: DateTime<Utc>,
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImportPreview {
    /// Number of rows, the refused ones included.
    pub rows: u64,
    /// Number of rows that would be stored.
    pub good: u64,
    /// Number of rows without any value.
    pub empty: u64,
    /// Number of rows that would be refused.
    pub refused: u64,
    /// Number of rows that were merged into others of the same device and time.
    pub merged: u64,
    /// The first hundred refused rows, each with its reason.
    pub refusals: Vec<RefusedLine>,
    /// The devices.
    pub loggers: Vec<PreviewLogger>,
    /// The first rows, as they would be stored.
    pub first_rows: Vec<PreviewRow>,
    /// Remarks about the way in which the file is read, and doubts.
    pub notes: Vec<String>,
    /// The meaning of a table's columns: guessed, or remembered from a file of the same header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapping: Option<ColumnMapping>,
    /// The mapping was corrected by a user of the tenant before.
    #[serde(default)]
    pub mapping_remembered: bool,
}

/// A line that is not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefusedLine {
    /// The line of the file, counted from 1.
    pub line: u64,
    /// The fault.
    pub reason: String,
}

/// A device of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreviewLogger {
    /// The id.
    pub logger_id: String,
    /// The tenant has no such device yet.
    pub new: bool,
    /// `inverter`, `meter` or `weather`.
    pub role: String,
    /// Number of rows that would be stored.
    pub rows: u64,
    /// The earliest reading, in the zone of the site.
    pub earliest: DateTime<FixedOffset>,
    /// The latest reading, in the zone of the site.
    pub latest: DateTime<FixedOffset>,
    /// The highest power, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub highest_power_w: Option<f64>,
}

/// A row as it would be stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PreviewRow {
    /// The line of the file.
    pub line: u64,
    /// The time, in the zone of the site.
    pub timestamp: DateTime<FixedOffset>,
    /// The device.
    pub logger_id: String,
    /// Active AC power, W.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_power_w: Option<f64>,
    /// Register of the day, kWh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_daily_kwh: Option<f64>,
    /// Irradiance, W/m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irradiance: Option<f64>,
    /// Everything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// The progress of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportProgress {
    /// Number of rows that were handled.
    pub rows_done: u64,
    /// Number of rows of the file.
    pub rows_total: u64,
    /// Number of readings that were stored and are new.
    pub accepted: u64,
    /// Number of readings that took the place of stored ones, identical ones included.
    pub replaced: u64,
    /// Number of rows that were refused.
    pub refused: u64,
    /// Number of rows without any value.
    pub empty: u64,
}

/// The imports of a tenant, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ImportList {
    /// The newest two hundred.
    pub imports: Vec<Import>,
}

/// The meaning of a table's columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ColumnMapping {
    /// The sheet of a workbook. Default: the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The delimiter of a CSV: one character, or `tab`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<String>,
    /// The decimal mark, `.` or `,`.
    #[schema(value_type = String, example = ".")]
    pub decimal: char,
    /// The line of the names, counted from 1; 0 if there is none.
    pub header_line: u64,
    /// The line below the names has units.
    pub units_line: bool,
    /// The way in which times are written.
    pub times: TimeOrder,
    /// The columns, in the order of the file.
    pub columns: Vec<MappedColumn>,
}

/// The way in which times are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeOrder {
    /// `2024-06-01 12:00`.
    YearFirst,
    /// `01.06.2024 12:00`.
    DayFirst,
    /// `06/01/2024 12:00`.
    MonthFirst,
    /// Seconds since 1970.
    UnixSeconds,
    /// Milliseconds since 1970.
    UnixMilliseconds,
}

/// The meaning of a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MappedColumn {
    /// The name in the file.
    pub name: String,
    /// The field that it holds.
    pub field: ColumnField,
    /// The unit of its numbers, such as `kW`. Default: W, kWh or W/m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The device of the column, in tables with columns of several devices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
}

/// The meaning of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnField {
    /// Date and time.
    Timestamp,
    /// The date, beside a column of times.
    Date,
    /// The time, beside a column of dates.
    Time,
    /// The device of the row.
    LoggerId,
    /// Active AC power.
    Power,
    /// The register of the day.
    EnergyDay,
    /// The energy since the row before.
    EnergyInterval,
    /// The lifetime register.
    EnergyTotal,
    /// Irradiance.
    Irradiance,
    /// The code or text of a fault.
    ErrorCode,
    /// The state of the device.
    Status,
    /// Another value, kept under the name of the column.
    Keep,
    /// Nothing that is kept.
    Ignore,
}
