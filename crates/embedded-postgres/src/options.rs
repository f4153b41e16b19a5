//! Options and progress of a start.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use provision::server::Durability;

/// The options of a private server.
#[derive(Clone)]
pub struct Options {
    /// The folder of the cluster, with its log and its password. It is created if missing.
    pub data_dir: PathBuf,
    /// The folder of downloaded server binaries, shared by all clusters.
    pub cache_dir: PathBuf,
    /// Whether the data outlive the server.
    pub durability: Durability,
    /// The port to listen on; `None` uses a free one.
    pub port: Option<u16>,
    /// The configured folder with `postgres` and `initdb` (`HELIOGRAPH_PG_BIN`).
    pub pg_bin: Option<PathBuf>,
    /// Called with every step that can take a while.
    pub progress: ProgressFn,
}

/// A callback for progress.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// A step of a start that can take a while. `Display` formats it for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The pinned server binaries are being downloaded.
    Downloading,
    /// The downloaded archive is being unpacked.
    Unpacking,
    /// The system's package manager installs a server.
    Installing,
    /// A new cluster is being created.
    Initialising,
    /// The server is starting.
    Starting,
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
    /// A cluster that survives restarts, for development.
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

    /// A cluster for one test run, in its own folder below the system's temporary folder.
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
            Self::Initialising => f.write_str("creating a new database cluster"),
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
