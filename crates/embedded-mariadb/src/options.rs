//! What a caller may choose, and what it hears while a start takes its time.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use provision::server::Durability;

/// How to start a private server.
#[derive(Clone)]
pub struct Options {
    /// Where the data live, with the server's log and the administrator's password. Made when missing.
    pub data_dir: PathBuf,
    /// Where fetched server binaries are kept, to be shared by all servers.
    pub cache_dir: PathBuf,
    /// Whether the data are meant to outlive the server.
    pub durability: Durability,
    /// The port to listen on; a free one when `None`.
    pub port: Option<u16>,
    /// The folder with `mariadbd` that the user insists on (`HELIOGRAPH_MARIADB_BIN`).
    pub bin: Option<PathBuf>,
    /// Called with every step that may take more than a moment.
    pub progress: ProgressFn,
}

/// Hears of progress.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// A step of a start that may take more than a moment. Its `Display` is a line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The distribution's packages are being downloaded.
    Downloading,
    /// The list of packages is missing or out of date, and is fetched for this download alone.
    Listing,
    /// A new data directory is being made.
    Initialising,
    /// The server is starting.
    Starting,
    /// Another process holds the cache, or a server of a process that is gone still shuts down.
    Waiting {
        /// What is waited for.
        reason: String,
    },
    /// A way to get a server did not work; the next one is tried.
    Skipped {
        /// What was tried and why it failed.
        reason: String,
    },
}

impl Options {
    /// Data that survive restarts, as development wants it.
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

    /// Data for one test run, in a folder of its own below the system's temporary folder.
    pub fn throw_away(cache_dir: impl Into<PathBuf>) -> Self {
        let name = format!(
            "heliograph-mariadb-{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        Self {
            durability: Durability::ThrowAway,
            ..Self::durable(std::env::temp_dir().join(name), cache_dir)
        }
    }

    pub(crate) fn report(&self, progress: Progress) {
        tracing::debug!(%progress, "embedded MariaDB");
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
            Self::Downloading => f.write_str(
                "downloading MariaDB with apt-get (about 8 MB, unpacked into the cache only)",
            ),
            Self::Listing => {
                f.write_str("fetching apt's list of packages, for this download alone")
            }
            Self::Initialising => f.write_str("making a new MariaDB data directory"),
            Self::Starting => f.write_str("starting MariaDB"),
            Self::Waiting { reason } => write!(f, "waiting: {reason}"),
            Self::Skipped { reason } => write!(f, "not used: {reason}"),
        }
    }
}
