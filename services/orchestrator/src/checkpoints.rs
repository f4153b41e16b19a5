//! The store of assistants' memory of a thread between turns: one of three, by setting.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use checkpoint::{PostgresSaver, SqliteOptions, SqliteSaver};
use graph::{CheckpointError, Checkpointer, MemorySaver};
use sqlx::PgPool;

use crate::config::{CheckpointStore, CheckpointsConfig};

/// Why the store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder of the SQLite file cannot be made.
    #[error("checkpoints.path: the folder {} cannot be made", .folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The SQLite file cannot be made.
    #[error("checkpoints.path: the file {} cannot be made", .path.display())]
    NotMade {
        /// The path of the file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// The SQLite file cannot be opened.
    #[error("checkpoints.path: the file {} cannot be opened", .path.display())]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The store's error.
        source: CheckpointError,
    },
}

/// The folder whose disk takes the checkpoints, where they are in a file.
pub(crate) fn folder(config: &CheckpointsConfig) -> Option<PathBuf> {
    matches!(config.store, CheckpointStore::Sqlite).then(|| folder_of(config.path()).to_owned())
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Opens the store, whose folder is made when it is missing. The SQL agent: when that fails, the
/// application's start fails.
pub(crate) async fn open(
    config: &CheckpointsConfig,
    pool: &PgPool,
) -> Result<Arc<dyn Checkpointer>, OpenError> {
    Ok(match config.store {
        CheckpointStore::Sqlite => {
            let path = config.path();
            let folder = folder_of(path);
            tokio::fs::create_dir_all(folder)
                .await
                .map_err(|source| OpenError::Folder {
                    folder: folder.to_owned(),
                    source,
                })?;
            make_private(path).map_err(|source| OpenError::NotMade {
                path: path.to_owned(),
                source,
            })?;
            let options = SqliteOptions {
                retry_attempts: config.retry_attempts,
                retry_delay: config.retry_delay(),
                history: Some(config.kept_per_thread),
                ..SqliteOptions::new(path)
            };
            let saver =
                SqliteSaver::open_with(options)
                    .await
                    .map_err(|source| OpenError::File {
                        path: path.to_owned(),
                        source,
                    })?;
            Arc::new(saver)
        }
        CheckpointStore::Postgres => {
            Arc::new(PostgresSaver::new(pool.clone()).with_history(config.kept_per_thread))
        }
        CheckpointStore::Memory => Arc::new(MemorySaver::default()),
    })
}

/// Creates the file, readable for this user only, unless it exists. SQLite gives its further files
/// the same mode.
fn make_private(path: &Path) -> std::io::Result<()> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
