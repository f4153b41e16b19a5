//! A lock between processes, on a file that names its holder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use crate::Error;

/// Interval at which a waiting process checks the lock.
const INTERVAL: Duration = Duration::from_millis(100);

/// A lock that this process holds. The kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock(File);

impl Lock {
    /// Takes the lock and waits as long as necessary. Passes the holder to `waiting`, once.
    pub async fn take(path: &Path, waiting: impl FnOnce(&str)) -> Result<Self, Error> {
        let mut waiting = Some(waiting);
        loop {
            if let Some(lock) = Self::try_take(path)? {
                return Ok(lock);
            }
            if let Some(waiting) = waiting.take() {
                waiting(&Self::owner(path)?);
            }
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Takes the lock and writes the id of this process into the file. Returns `None` if another
    /// process holds it.
    pub fn try_take(path: &Path) -> Result<Option<Self>, Error> {
        let mut options = OpenOptions::new();
        let mut file = options
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Error::io(path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(Error::io(path)(error)),
        }
        let owner = file
            .set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        owner.map_err(Error::io(path))?;
        Ok(Some(Self(file)))
    }

    /// The process id of the holder, or of the last one.
    pub fn owner(path: &Path) -> Result<String, Error> {
        Ok(fs::read_to_string(path)
            .map_err(Error::io(path))?
            .trim()
            .to_owned())
    }
}

impl Drop for Lock {
    /// Unlocks explicitly. Closing the file is not enough, because children that another thread is
    /// forking can have copies of it for a moment.
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "a lock was not released");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_comes_second_waits_and_hears_for_whom() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (told, hears) = tokio::sync::oneshot::channel();
        let tell = |owner: &str| told.send(owner.to_owned()).unwrap();
        let first = Lock::take(&path, |_| panic!("the lock is free"))
            .await
            .unwrap();
        assert!(Lock::try_take(&path).unwrap().is_none());
        let (second, ()) = tokio::join!(Lock::take(&path, tell), async {
            assert_eq!(hears.await.unwrap(), std::process::id().to_string());
            drop(first);
        });
        second.unwrap();
    }
}
