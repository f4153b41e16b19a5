//! Whether a folder takes files: a disk may be full, or read-only.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::Unready;

/// Writing is tried this often, however often readiness is asked for.
const INTERVAL: Duration = Duration::from_secs(10);

/// More than what one answer stores.
const BALLAST: usize = 64 * 1024;

/// A folder that a service keeps files in. Cheap to clone.
#[derive(Debug, Clone)]
pub struct WritableFolder {
    path: Arc<Path>,
    interval: Duration,
    tried: Arc<tokio::sync::Mutex<Option<Tried>>>,
}

#[derive(Debug)]
struct Tried {
    at: Instant,
    result: Result<(), Unready>,
}

impl WritableFolder {
    /// The folder.
    pub fn new(path: PathBuf) -> Self {
        Self {
            path: path.into(),
            interval: INTERVAL,
            tried: Arc::default(),
        }
    }

    /// Sets how often writing is tried.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Writes a file and removes it, unless that was tried a moment ago.
    pub async fn check(&self) -> Result<(), Unready> {
        let mut tried = self.tried.lock().await;
        if let Some(tried) = tried.as_ref()
            && tried.at.elapsed() < self.interval
        {
            return tried.result.clone();
        }
        let path = Arc::clone(&self.path);
        let written = tokio::task::spawn_blocking(move || write(&path)).await;
        let result = match written {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::warn!(%error, folder = %self.path.display(), "a folder cannot be written to");
                Err(Unready(words(&error).to_owned()))
            }
            Err(_stopping) => Err(Unready("writing was not tried".to_owned())),
        };
        *tried = Some(Tried {
            at: Instant::now(),
            result: result.clone(),
        });
        result
    }
}

fn write(folder: &Path) -> io::Result<()> {
    let file = folder.join(format!(".heliograph-probe-{}", std::process::id()));
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&file)
        .and_then(|mut open| open.write_all(&vec![0; BALLAST]));
    // Where it could not be made there is nothing to remove.
    let removed = std::fs::remove_file(&file);
    written.and(removed)
}

fn words(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "the disk is full",
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only",
        ErrorKind::NotFound => "the folder does not exist",
        ErrorKind::PermissionDenied => "the folder may not be written to",
        _ => "the folder cannot be written to",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_that_is_there_is_written_to_and_left_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let always = WritableFolder::new(folder.path().to_owned()).interval(Duration::ZERO);
        assert_eq!(always.check().await, Ok(()));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        let gone = WritableFolder::new(folder.path().join("gone"));
        let told = gone.check().await.unwrap_err();
        assert_eq!(told.to_string(), "the folder does not exist");
        std::fs::create_dir(folder.path().join("gone")).unwrap();
        assert_eq!(gone.check().await, Err(told), "not tried again at once");
    }
}
