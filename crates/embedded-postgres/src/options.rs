//! What a caller may choose, and what it hears while a start takes its time.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use provision::server::Durability;

/// How to start a private server.
#[derive(Clone)]
pub struct Options {
    /// Where the cluster lives, with its log and its password. Made when missing.
    pub data_dir: PathBuf,
    /// Where fetched server binaries are kept, to be shared by all clusters.
    pub cache_dir: PathBuf,
    /// Whether the data are meant to outlive the server.
    pub durability: Durability,
    /// The port to listen on; a free one when `None`.
    pub port: Option<u16>,
    /// The folder with `postgres` and `initdb` that the user insists on (`HELIOGRAPH_PG_BIN`).
    pub pg_bin: Option<PathBuf>,
    /// Called with every step that may take more than a moment.
    pub progress: ProgressFn,
}

/// Hears of progress.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// A step of a start that may take more than a moment. Its `Display` is a line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The pinned server binaries are being downloaded.
    Downloading,
    /// The downloaded archive is being unpacked.
    Unpacking,
    /// The system's package manager installs a server.
    Installing,
    /// A new cluster is being made.
    Initialising,
    /// The server is starting.
    Starting,
    /// Another process holds the cache, or a server of a process that is gone still shuts down.
    Waiting {
        /// What is waited for.
        reason: String,
    },
    /// A folder could not be used where it was wanted.
    Moved {
        /// The folder asked for.
        wanted: PathBuf,
        /// The folder taken.
        used: PathBuf,
        /// Why.
        reason: String,
    },
    /// A way to get a server did not work; the next one is tried.
    Skipped {
        /// What was tried and why it failed.
        reason: String,
    },
}

impl Options {
    /// A cluster that survives restarts, as development wants it.
    pub fn durable(data_dir: impl Into<PathBuf>, cache_dir: impl Into<PathBuf>) -> Self {
        Self {
            data_dir: data_dir.into(),
            cache_dir: cache_dir.into(),
            durability: Durability::Durable,
            port: None,
            pg_bin: None,
            progress: Arc::new(|_| {}),
        }
    }

    /// A cluster for one test run, in a folder of its own below the system's temporary folder.
    pub fn throw_away(cache_dir: impl Into<PathBuf>) -> Self {
        let name = format!(
            "heliograph-postgres-{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        Self {
            durability: Durability::ThrowAway,
            ..Self::durable(std::env::temp_dir().join(name), cache_dir)
        }
    }

    pub(crate) fn report(&self, progress: Progress) {
        tracing::debug!(%progress, "embedded PostgreSQL");
        (self.progress)(progress);
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
            Self::Downloading => f.write_str("downloading PostgreSQL 18 with pgvector (25 MB)"),
            Self::Unpacking => f.write_str("unpacking PostgreSQL"),
            Self::Installing => f.write_str("installing PostgreSQL with apt-get (about 72 MB)"),
            Self::Initialising => f.write_str("making a new database cluster"),
            Self::Starting => f.write_str("starting PostgreSQL"),
            Self::Waiting { reason } => write!(f, "waiting: {reason}"),
            Self::Moved {
                wanted,
                used,
                reason,
            } => {
                write!(
                    f,
                    "using {} instead of {}: {reason}",
                    used.display(),
                    wanted.display()
                )
            }
            Self::Skipped { reason } => write!(f, "not used: {reason}"),
        }
    }
}
