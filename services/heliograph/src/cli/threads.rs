//! Options of `threads`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};

/// Options of `threads`.
#[derive(Debug, Subcommand)]
pub enum ThreadsCommand {
    /// Lists the messages that contain some words, the newest first.
    Search {
        /// The words. A message must contain all of them; words in double quotes must be adjacent.
        words: String,
        /// Maximum number of messages.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// Writes a whole thread with its tables, cards and sources.
    Export {
        /// The id of the thread.
        thread: String,
        /// The output format.
        #[arg(long, value_enum, default_value_t = ExportFormat::Markdown)]
        format: ExportFormat,
        /// The file to write. Default: standard output.
        #[arg(short, long)]
        output: Option<PathBuf>,
    },
    /// Shows how long your tenant keeps conversations and the audit log. With an option, sets it,
    /// which needs an administrator of the tenant.
    Retention(RetentionOptions),
}

/// The format of an exported thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// All stored data.
    Json,
    /// Readable text.
    Markdown,
}

/// Options of `threads retention`. What is not given stays as it is.
#[derive(Debug, Clone, Default, Args)]
pub struct RetentionOptions {
    /// Days without activity after which a thread is deleted, or `default`: as the installation.
    #[arg(long, value_name = "DAYS")]
    pub threads_days: Option<Days>,
    /// Days for which the events of an answer can be replayed, or `default`.
    #[arg(long, value_name = "DAYS")]
    pub runs_days: Option<Days>,
    /// Days after which an entry of the audit log is deleted, or `default`.
    #[arg(long, value_name = "DAYS")]
    pub audit_days: Option<Days>,
}

/// A number of days, or the installation's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Days {
    /// The installation's number.
    Default,
    /// This many.
    Number(u32),
}

impl Days {
    /// As a request has them.
    pub fn own(self) -> Option<u32> {
        match self {
            Self::Default => None,
            Self::Number(days) => Some(days),
        }
    }
}

/// The reason for which a text is not a number of days.
#[derive(Debug, thiserror::Error)]
#[error("must be a number of days, or `default`")]
pub struct NoDays;

impl FromStr for Days {
    type Err = NoDays;

    fn from_str(text: &str) -> Result<Self, NoDays> {
        if text == "default" {
            return Ok(Self::Default);
        }
        text.parse()
            .map(Self::Number)
            .map_err(|_not_a_number| NoDays)
    }
}
