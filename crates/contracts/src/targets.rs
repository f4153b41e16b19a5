//! `/api/targets`: the databases and spreadsheets that questions are put to.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::tools::sql::{JoinEdge, SqlDialect};

/// The kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A database of the tenant.
    Database,
    /// The tables of an uploaded file.
    Spreadsheet,
}

/// The server of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// PostgreSQL.
    Postgresql,
    /// MySQL 8 or MariaDB.
    Mysql,
}

/// The encryption of connections to a database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetTls {
    /// None. For a server on the same machine.
    Off,
    /// Encrypted if the server can.
    #[default]
    Preferred,
    /// Encrypted, or no connection. The server's certificate is not checked.
    Required,
    /// Encrypted, and the certificate is checked, with the name of the host.
    Verified,
}

/// A connection to a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewConnection {
    /// The server.
    pub engine: Engine,
    /// The name or address of the host.
    #[schema(min_length = 1, max_length = 253, example = "db.example.com")]
    pub host: String,
    /// The port. Default: that of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The name of the database.
    #[schema(min_length = 1, max_length = 64)]
    pub database: String,
    /// A role that only reads.
    #[schema(min_length = 1, max_length = 64)]
    pub username: String,
    /// The role's password. It is stored encrypted, and no answer has it.
    #[schema(min_length = 1, max_length = 1024, format = Password)]
    pub password: String,
    /// Encryption. Default: `preferred`.
    #[serde(default)]
    pub tls: TargetTls,
    /// The certificates (PEM) that the server's certificate is checked with, instead of those of
    /// public authorities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 65536)]
    pub ca_certificate: Option<String>,
}

/// A database to be added, or tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTarget {
    /// The name, by which questions can name it.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[a-z0-9_-]+$",
        example = "erp"
    )]
    pub name: String,
    /// A description of its contents, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// The connection.
    pub connection: NewConnection,
    /// PostgreSQL: the schemas to look in. Default: the search path of the role.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub schemas: Vec<String>,
    /// Whether a role that may write is accepted. Statements that write are refused anyway.
    #[serde(default)]
    pub allow_writing_role: bool,
    /// The tables and columns that are hidden from every user.
    #[serde(default)]
    pub policy: TargetPolicy,
}

/// The tables and columns of a target that are hidden from every user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetPolicy {
    /// Tables that do not exist for people and models.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 1000)]
    pub hidden_tables: Vec<String>,
    /// Columns, by table.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, BTreeMap<String, ColumnVisibility>>,
}

/// The visible part of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnVisibility {
    /// It does not exist for people and models.
    Hidden,
    /// Its name; every value is `***`.
    Masked,
}

/// Changes of a target. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeTarget {
    /// A description of its contents. An empty one removes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub description: Option<String>,
    /// Another connection, with its password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<NewConnection>,
    /// Another password of the same role, for the connection as it is. It is tested first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 1024, format = Password)]
    pub password: Option<String>,
    /// PostgreSQL: the schemas to look in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub schemas: Option<Vec<String>>,
    /// Whether a role that may write is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_writing_role: Option<bool>,
    /// The tables and columns that are hidden from every user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<TargetPolicy>,
    /// Joins that hold, and proposed ones that do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 1000)]
    pub joins: Option<Vec<JoinDecision>>,
    /// Descriptions of tables (`table`) and columns (`table.column`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptions: Option<BTreeMap<String, String>>,
}

/// A person's decision on a join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JoinDecision {
    /// The table that holds the reference.
    pub from_table: String,
    /// The column that holds the reference.
    pub from_column: String,
    /// The referenced table.
    pub to_table: String,
    /// The referenced column.
    pub to_column: String,
    /// Whether the join holds.
    pub holds: bool,
}

/// The targets of a tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TargetList {
    /// The targets, those of the configuration first.
    pub targets: Vec<TargetInfo>,
}

/// A target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TargetInfo {
    /// The name.
    pub name: String,
    /// The kind.
    pub kind: TargetKind,
    /// How it writes SQL.
    pub dialect: SqlDialect,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is in a configuration file: it cannot be changed here.
    pub fixed: bool,
    /// Whether a target of the configuration with the same name is used in its place.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced_by_fixed: bool,
    /// Why it cannot be asked now; absent if it can. Only the list looks at each target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Its connection, for those who may change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<TargetConnection>,
    /// The uploaded file of a spreadsheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<TargetFile>,
    /// The job that reads it. Absent for targets of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<TargetJob>,
    /// When it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<DateTime<Utc>>,
    /// When it was changed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<DateTime<Utc>>,
}

/// A connection without its password.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetConnection {
    /// The server.
    pub engine: Engine,
    /// The name or address of the host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The name of the database.
    pub database: String,
    /// The role.
    pub username: String,
    /// Encryption.
    pub tls: TargetTls,
    /// Whether there are own certificates to check the server's with.
    pub has_ca_certificate: bool,
    /// PostgreSQL: the schemas to look in.
    #[serde(default)]
    pub schemas: Vec<String>,
    /// Whether a role that may write is accepted.
    pub allow_writing_role: bool,
}

/// An uploaded file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetFile {
    /// The name.
    pub filename: String,
    /// The format: `csv`, `xlsx`, `parquet` or `sqlite`.
    pub format: String,
    /// The size.
    pub size_bytes: u64,
    /// Number of rows.
    pub rows: u64,
    /// When it was loaded.
    pub loaded_at: DateTime<Utc>,
    /// Notes for the person on how the file was read, as in its preview.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The state of the job that reads a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetJobStatus {
    /// It waits.
    Queued,
    /// It runs.
    Running,
    /// The target is ready.
    Done,
    /// It failed. `POST /api/targets/{target}/refresh` tries again.
    Failed,
}

/// The job that reads a target: tables, joins, first questions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetJob {
    /// The state.
    pub status: TargetJobStatus,
    /// The step: `tables` or `questions`.
    pub step: String,
    /// The parts of the step that are done.
    pub done: u32,
    /// The parts of the step; 0 while not known.
    pub total: u32,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// A target with its semantic layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TargetDetails {
    /// The target.
    pub target: TargetInfo,
    /// The layer; absent while the target was not read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<SemanticLayer>,
}

/// The known contents of a target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SemanticLayer {
    /// The tables that can be asked.
    pub tables: Vec<LayerTable>,
    /// How they join; `guessed` ones can be confirmed or rejected.
    pub joins: Vec<JoinEdge>,
    /// Questions that work: each was run.
    pub questions: Vec<LayerQuestion>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct LayerTable {
    /// The name.
    pub name: String,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Number of rows, by the database's estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// The columns.
    pub columns: Vec<LayerColumn>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LayerColumn {
    /// The name.
    pub name: String,
    /// The type, as the database writes it.
    pub data_type: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether its values are unique.
    pub unique: bool,
    /// The description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A question that works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LayerQuestion {
    /// As a person asks it.
    pub question: String,
    /// The query that answers it.
    pub sql: String,
    /// Number of rows of the answer when it was tried.
    pub rows: u32,
}

/// The outcome of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetTest {
    /// Whether everything is well.
    pub ok: bool,
    /// The steps in order, up to the first that failed.
    pub steps: Vec<TargetTestStep>,
    /// The server, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Whether the connection is encrypted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encrypted: Option<bool>,
    /// Number of tables and views that the role may read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tables: Option<u32>,
}

/// A step of a test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TargetTestStep {
    /// `host`, `connection`, `encryption`, `database`, `role` or `tables`.
    pub step: String,
    /// Whether it went well.
    pub ok: bool,
    /// Why not, and what to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// How a file of tables is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ReadSpreadsheet {
    /// The name of the file: its format is found by its content, and a CSV's table is named after
    /// it.
    #[param(min_length = 1, max_length = 255)]
    pub filename: String,
    /// Other types than the guessed ones, `table.column:type`, separated by commas. The types are
    /// `text`, `integer`, `number`, `boolean`, `date` and `timestamp`; a form may follow, for cells
    /// of two meanings: `number/point`, `number/comma`, and `/ymd`, `/dmy`, `/mdy` of days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 10000)]
    pub types: Option<String>,
    /// Keep the rows that are sums or averages of others. Default: they are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_totals: bool,
    /// Whether the first row has the names of the columns. Default: by what is in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_names: Option<bool>,
    /// The description of the target, for people and models.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(max_length = 1000)]
    pub description: Option<String>,
}

/// The type of a column of a spreadsheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SheetType {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// A day.
    Date,
    /// A day and a time.
    Timestamp,
}

/// The tables that were found in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SpreadsheetPreview {
    /// The format: `csv`, `xlsx`, `parquet` or `sqlite`.
    pub format: String,
    /// The tables.
    pub tables: Vec<SheetTable>,
    /// Notes for the person: skipped sheets, renamed columns, cells that were cut.
    pub notes: Vec<String>,
}

/// A table of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SheetTable {
    /// The name in queries.
    pub name: String,
    /// The name of the sheet or table in the file.
    pub source: String,
    /// Number of rows below the header.
    pub rows: u64,
    /// The numbers of the rows, as the file shows them, that are left out because they are sums or
    /// averages of others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<u64>,
    /// The columns.
    pub columns: Vec<SheetColumn>,
    /// The first rows, as they are in the file.
    pub first_rows: Vec<Vec<String>>,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SheetColumn {
    /// The name in queries.
    pub name: String,
    /// The header in the file.
    pub header: String,
    /// The type: guessed, or as asked for.
    #[serde(rename = "type")]
    pub kind: SheetType,
    /// Number of empty cells.
    pub empty: u64,
    /// How its cells are read, by one that is written differently from its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<SheetReading>,
    /// Another form that fits every cell and gives one of them another value: `1.234` is 1.234 or
    /// 1234, `03/04/2026` is a day in April or in March. Ask for it by its `form`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<SheetReading>,
}

/// A form of the cells of a column, and the value that it gives one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SheetReading {
    /// The type and the form, as `types` takes them: `number/comma`, `date/mdy`.
    pub form: String,
    /// A cell, as it is in the file.
    pub cell: String,
    /// The value that is read from it.
    pub value: String,
}

/// The format of exported rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RowsFormat {
    /// CSV: UTF-8, commas, a header.
    #[default]
    Csv,
    /// An Excel workbook.
    Xlsx,
}

/// The rows to export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ExportRows {
    /// The query, as an answer shows it. It runs through the same checks as any other.
    #[param(min_length = 1, max_length = 20000)]
    pub sql: String,
    /// The format. Default: `csv`.
    #[serde(default)]
    #[param(inline)]
    pub format: RowsFormat,
}
