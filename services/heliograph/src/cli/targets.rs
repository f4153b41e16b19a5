//! Options of `targets`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Options of `targets`.
#[derive(Debug, Subcommand)]
pub enum TargetsCommand {
    /// Lists the targets of your tenant.
    List,
    /// Adds a database: tests it, reads its tables, and tries the first questions. Requires the
    /// scope `targets:write`, as do the other changes.
    Add(Box<AddTarget>),
    /// Loads a CSV, Excel, Parquet or SQLite file as a target: shows the tables and types that were
    /// found, then loads them. A file that was loaded before under this name is replaced.
    Load(Box<LoadTarget>),
    /// Tests a target step by step: host, connection, encryption, role, tables.
    Test {
        /// The name of the target.
        name: String,
    },
    /// Shows a target with its tables, joins and first questions.
    Show {
        /// The name of the target.
        name: String,
        /// Also shows the columns.
        #[arg(long)]
        columns: bool,
    },
    /// Stores another password of the role of a database, after a test. It is asked for.
    Password {
        /// The name of the target.
        name: String,
    },
    /// Removes a target that was added, with the tables of its file.
    Remove {
        /// The name of the target.
        name: String,
        /// The name again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
    /// Reads a target again: tables, joins, first questions.
    Refresh {
        /// The name of the target.
        name: String,
    },
    /// Writes the rows of a query to a file: those of a file that was loaded whole, those of a
    /// database as many as its limits allow.
    Export(ExportTarget),
}

/// Options of `targets add`.
#[derive(Debug, Args)]
pub struct AddTarget {
    /// The name of the target: a-z, 0-9, _ and -.
    pub name: String,
    /// The address without the password, which is asked for:
    /// `postgres://reader@host:5432/database`, or `mysql://…` (also `mariadb://…`).
    pub address: String,
    /// A description of the contents, for people and models.
    #[arg(long)]
    pub description: Option<String>,
    /// PostgreSQL: a schema to look in; can be repeated. Default: the search path of the role.
    #[arg(long = "schema", value_name = "SCHEMA")]
    pub schemas: Vec<String>,
    /// Encryption of the connection.
    #[arg(long, value_enum, default_value_t = Tls::Preferred)]
    pub tls: Tls,
    /// A file with the certificates (PEM) that the server's certificate is checked with.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// A table that is hidden from every user; can be repeated.
    #[arg(long = "hide", value_name = "TABLE")]
    pub hidden: Vec<String>,
    /// Accepts a role that may write.
    #[arg(long)]
    pub allow_writing_role: bool,
    /// Only tests the database.
    #[arg(long)]
    pub test: bool,
}

/// Encryption of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Tls {
    /// None.
    Off,
    /// If the server can.
    Preferred,
    /// Always, without a check of the certificate.
    Required,
    /// Always, with a check of the certificate.
    Verified,
}

/// Options of `targets export`.
#[derive(Debug, Args)]
pub struct ExportTarget {
    /// The name of the target.
    pub name: String,
    /// The query.
    pub sql: String,
    /// The file, which ends in .csv or .xlsx; `-` for the standard output.
    #[arg(long, short)]
    pub output: PathBuf,
    /// The format. Default: by the name of the file; csv for the standard output.
    #[arg(long, value_enum)]
    pub format: Option<RowsFormat>,
}

/// The format of a file of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RowsFormat {
    /// UTF-8, commas, a header.
    Csv,
    /// A workbook of Excel.
    Xlsx,
}

impl RowsFormat {
    /// As the service calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Xlsx => "xlsx",
        }
    }
}

/// Options of `targets load`.
#[derive(Debug, Args)]
pub struct LoadTarget {
    /// The name of the target: a-z, 0-9, _ and -.
    pub name: String,
    /// The path of the file.
    pub file: PathBuf,
    /// A description of the contents, for people and models.
    #[arg(long)]
    pub description: Option<String>,
    /// Another type than the guessed one, `table.column:type`; can be repeated. The types are text,
    /// integer, number, boolean, date and timestamp, also with a form: number/point, number/comma,
    /// date/ymd, date/dmy, date/mdy.
    #[arg(long = "type", value_name = "TABLE.COLUMN:TYPE")]
    pub types: Vec<String>,
    /// Keeps the rows that are sums or averages of others. Without it they are left out.
    #[arg(long)]
    pub keep_totals: bool,
    /// Whether the first row has the names of the columns. Without it, what is in the row decides.
    #[arg(long, value_name = "true|false")]
    pub has_names: Option<bool>,
    /// Loads without asking.
    #[arg(long, short)]
    pub yes: bool,
    /// Shows the tables, and loads nothing.
    #[arg(long, conflicts_with = "yes")]
    pub preview: bool,
}
