//! Options of `sites`, `loggers` and `import`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::BffAddress;

/// Options of `sites`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Sites {
    /// A subcommand, instead of a file.
    #[command(subcommand)]
    pub command: Option<SitesCommand>,
    /// The TOML file with sites and loggers to create or update.
    #[arg(required = true)]
    pub file: Option<PathBuf>,
    /// The tenant of the sites, while no services run. Default: demo. Otherwise, the tenant is that
    /// of your account.
    #[arg(long)]
    pub tenant: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
}

/// Options of `sites`.
#[derive(Debug, Subcommand)]
pub enum SitesCommand {
    /// Lists the sites and their loggers.
    List,
    /// Creates or updates one site. Values of the site that are not named stay as they are.
    Add(Box<AddSite>),
    /// Deletes a site with its loggers and their readings. This cannot be undone.
    Delete {
        /// The id of the site.
        id: String,
        /// The id again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
    /// Deletes a logger with its readings, such as those of a file that was read in the wrong zone.
    /// This cannot be undone.
    DeleteLogger {
        /// The id of the logger.
        id: String,
        /// The id again, as a safeguard.
        #[arg(long)]
        confirm: String,
    },
}

/// Options of `sites add`.
#[derive(Debug, Args)]
pub struct AddSite {
    /// The id of the site.
    pub id: String,
    /// The IANA zone of the site, such as Europe/Berlin.
    #[arg(long)]
    pub timezone: String,
    /// The name. Default: the id.
    #[arg(long)]
    pub name: Option<String>,
    /// Degrees north. Together with the longitude, it makes imports check the time zone.
    #[arg(long, allow_hyphen_values = true, requires = "longitude")]
    pub latitude: Option<f64>,
    /// Degrees east.
    #[arg(long, allow_hyphen_values = true, requires = "latitude")]
    pub longitude: Option<f64>,
    /// Money per kWh.
    #[arg(long)]
    pub tariff: Option<f64>,
    /// ISO 4217 code of the money, such as EUR.
    #[arg(long)]
    pub currency: Option<String>,
}

/// Options of `import`.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub struct Import {
    /// Files, or folders with files.
    #[arg(required_unless_present_any = ["list", "cancel", "resume"])]
    pub paths: Vec<PathBuf>,
    /// The site of the readings. Default: your only site.
    #[arg(long)]
    pub site: Option<String>,
    /// The IANA zone of local times, such as Etc/GMT-1 for a logger that ignores summer time.
    /// Default: the zone of the site.
    #[arg(long)]
    pub timezone: Option<String>,
    /// The id of the device, for files that do not name it.
    #[arg(long)]
    pub logger_id: Option<String>,
    /// The sensor of irradiance, for files with several: a part of its name.
    #[arg(long)]
    pub sensor: Option<String>,
    /// The format, such as goodwe or csv. Default: recognised by the content.
    #[arg(long)]
    pub format: Option<String>,
    /// Ignores the offset to UTC in an Integra file.
    #[arg(long)]
    pub ignore_offset: bool,
    /// The meaning of a column of a table, `NAME=FIELD`, `NAME=FIELD:UNIT` or
    /// `NAME=FIELD:UNIT@LOGGER`; can be repeated. It is remembered for files with the same header.
    #[arg(long = "column", value_name = "NAME=FIELD[:UNIT][@LOGGER]")]
    pub columns: Vec<String>,
    /// The way in which a table writes times: `year_first`, `day_first`, `month_first`,
    /// `unix_seconds` or `unix_milliseconds`.
    #[arg(long)]
    pub times: Option<String>,
    /// The decimal mark of a table, `.` or `,`.
    #[arg(long)]
    pub decimal: Option<char>,
    /// Imports without asking.
    #[arg(long, short)]
    pub yes: bool,
    /// Shows the previews, and imports nothing.
    #[arg(long, conflicts_with_all = ["yes", "watch"])]
    pub preview: bool,
    /// Keeps watching the folders, and imports new files without asking.
    #[arg(long)]
    pub watch: bool,
    /// Lists the imports of your tenant.
    #[arg(long, conflicts_with = "paths")]
    pub list: bool,
    /// Cancels an import.
    #[arg(long, value_name = "ID", conflicts_with = "paths")]
    pub cancel: Option<String>,
    /// Continues an import that failed.
    #[arg(long, value_name = "ID", conflicts_with = "paths")]
    pub resume: Option<String>,
    /// The bff to use.
    #[command(flatten)]
    pub at: BffAddress,
}
