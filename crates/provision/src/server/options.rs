//! Options and progress of a start.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::Durability;

/// The options of a private server.
#[derive(Clone)]
pub struct Options {
    /// The folder of the data, with the server's log and the administrator's password. It is
    /// created if missing.
    pub data_dir: PathBuf,
    /// The folder of downloaded server binaries, shared by all servers.
    pub cache_dir: PathBuf,
    /// Whether the data outlive the server.
    pub durability: Durability,
    /// The port to listen on; `None` uses a free one.
    pub port: Option<u16>,
    /// The configured folder with the server's programs.
    pub bin: Option<PathBuf>,
    /// Called with every step that can take a while.
    pub progress: ProgressFn,
}

/// A callback for progress.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// A step of a start that can take a while. `Display` formats it for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A step that the server needs, such as a download.
    Step(&'static str),
    /// Another process holds the cache, or the server of an earlier process is still shutting down.
    Waiting {
        /// The reason for waiting.
        reason: String,
    },
    /// A requested folder was replaced by another one.
    Moved {
        /// The requested folder.
        wanted: PathBuf,
        /// The folder in use.
        used: PathBuf,
        /// The error of the operating system.
        reason: String,
    },
    /// A source of servers failed; the next one is tried.
    Skipped {
        /// The source and its error.
        reason: String,
    },
}

impl Options {
    /// Data that survive restarts, for development.
    pub fn durable(data_dir: impl Into<PathBuf>, cache_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            cache_dir: cache_dir.into(),
            durability: Durability::Durable,
            port: None,
            bin: None,
            progress: Arc::new(|_| {}),
        }
    }

    /// Data for one test run, in its own folder below the system's temporary folder.
    pub fn throw_away(cache_dir: impl Into<PathBuf>) -> Self {
        let name = format!(
            "heliograph-database-{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        Self {
            durability: Durability::ThrowAway,
            ..Self::durable(std::env::temp_dir().join(name), cache_dir)
        }
    }

    /// Reports a step.
    pub fn report(&self, progress: Progress) {
        tracing::debug!(%progress, "private server");
        (self.progress)(progress);
    }

    /// Reports a source of servers that failed, and remembers it in `tried`.
    pub fn skip(&self, tried: &mut Vec<String>, error: &(dyn std::error::Error + 'static)) {
        let reason = crate::on_one_line(error);
        tried.push(reason.clone());
        self.report(Progress::Skipped { reason });
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("data_dir", &self.data_dir)
            .field("durability", &self.durability)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(step) => f.write_str(step),
            Self::Waiting { reason } => write!(f, "waiting: {reason}"),
            Self::Moved {
                wanted,
                used,
                reason,
            } => {
                let (used, wanted) = (used.display(), wanted.display());
                write!(f, "using {used} instead of {wanted}: {reason}")
            }
            Self::Skipped { reason } => write!(f, "not used: {reason}"),
        }
    }
}
