//! Options and progress of a start.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use provision::server::Durability;

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
    /// The configured folder with `mariadbd` (`HELIOGRAPH_MARIADB_BIN`).
    pub bin: Option<PathBuf>,
    /// Called with every step that can take a while.
    pub progress: ProgressFn,
}

/// A callback for progress.
pub type ProgressFn = Arc<dyn Fn(Progress) + Send + Sync>;

/// A step of a start that can take a while. `Display` formats it for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The distribution's packages are being downloaded.
    Downloading,
    /// The list of packages is missing or out of date, and is downloaded for this download only.
    Listing,
    /// A new data directory is being created.
    Initialising,
    /// The server is starting.
    Starting,
    /// Another process holds the cache, or the server of an earlier process is still shutting down.
    Waiting {
        /// The reason for waiting.
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
                f.write_str("downloading apt's list of packages (for this download only)")
            }
            Self::Initialising => f.write_str("creating a new MariaDB data directory"),
            Self::Starting => f.write_str("starting MariaDB"),
            Self::Waiting { reason } => write!(f, "waiting: {reason}"),
            Self::Skipped { reason } => write!(f, "not used: {reason}"),
        }
    }
}
