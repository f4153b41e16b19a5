//! A lock between processes, on a file that names its holder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;

use crate::Error;

/// A lock that is held. The kernel releases it when the process ends, however it ends.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes the lock and writes our process id into the file; `None` when somebody else holds it.
    pub(crate) fn try_take(path: &Path) -> Result<Option<Self>, Error> {
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
    pub(crate) fn owner(path: &Path) -> Result<String, Error> {
        Ok(fs::read_to_string(path)
            .map_err(Error::io(path))?
            .trim()
            .to_owned())
    }
}

impl Drop for Lock {
    /// Closing the file would do, were there not, for a moment, copies of it in children that another thread just forks.
    fn drop(&mut self) {
        if let Err(error) = self.0.unlock() {
            tracing::warn!(%error, "a lock was not released");
        }
    }
}
