//! `heliograph ingest`.

use std::path::PathBuf;

use clap::Args;

use super::BffAddress;

/// Options of `ingest`.
#[derive(Debug, Args)]
pub struct Ingest {
    /// The files to load.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The tenant of the readings, while no services run. Default: demo. Otherwise, the tenant is
    /// that of your account.
    #[arg(long)]
    pub tenant: Option<String>,
    /// The site of new loggers.
    #[arg(long)]
    pub site: Option<String>,
    /// The logger of every row, for files without a logger column.
    #[arg(long)]
    pub logger_id: Option<String>,
    /// The type of loggers, for rows without one.
    #[arg(long)]
    pub logger_type: Option<String>,
    /// IANA zone of time stamps without an offset.
    #[arg(long)]
    pub timezone: Option<String>,
    /// CSV columns by field: `timestamp=Time,activePowerWatts=P_AC`.
    #[arg(long)]
    pub columns: Option<String>,
    /// CSV delimiter. Default: detected.
    #[arg(long)]
    pub delimiter: Option<String>,
    /// CSV decimal mark, `.` or `,`. Default: detected.
    #[arg(long)]
    pub decimal: Option<String>,
    /// Texts that mean "no value", separated by commas. Default: `NaN,n/a,-,--,null,#N/A`.
    #[arg(long, allow_hyphen_values = true)]
    pub missing: Option<String>,
    /// The earliest day of a reading. Earlier readings are rejected. Default: 1985-01-01.
    #[arg(long)]
    pub earliest: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
}
