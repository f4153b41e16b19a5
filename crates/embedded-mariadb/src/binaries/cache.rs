//! The folder that packages are unpacked into, filled once by whoever comes first.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Provenance;
use crate::lock::Lock;
use crate::{Error, Options, Progress};

/// Written last, so that its presence says that all the rest is there.
const COMPLETE: &str = ".complete";
/// Begins the names of folders that are being filled.
const SCRATCH: &str = "mariadb-scratch-";
/// How often we look whether another process is done.
const POLL: Duration = Duration::from_millis(100);

/// Where the server is kept below `cache`.
pub(super) fn home(cache: &Path) -> PathBuf {
    cache.join(format!(
        "mariadb-server-{}-{}",
        std::env::consts::OS,
        std::env::consts::ARCH
    ))
}

pub(super) fn is_complete(home: &Path) -> bool {
    home.join(COMPLETE).is_file()
}

/// The server's folder, which `fetch` fills when it is not complete yet: it is given a folder for its own use, and the one to
/// fill. One process at a time fetches, and nobody ever sees half of what it fetched.
pub(super) async fn filled<F, Fut>(
    options: &Options,
    fetch: F,
) -> Result<(PathBuf, Provenance), Error>
where
    F: FnOnce(PathBuf, PathBuf) -> Fut,
    Fut: Future<Output = Result<(), Error>>,
{
    let cache = &options.cache_dir;
    fs::create_dir_all(cache).map_err(Error::io(cache))?;
    // The server runs in another folder.
    let cache = cache.canonicalize().map_err(Error::io(cache))?;
    let home = home(&cache);
    let _lock = lock(&cache.join("mariadb.lock"), options).await?;
    if is_complete(&home) {
        return Ok((home, Provenance::Cache));
    }
    remove_left_over_scratch(&cache);
    let scratch = Scratch::below(&cache)?;
    let contents = scratch.0.join("contents");
    fs::create_dir(&contents).map_err(Error::io(&contents))?;
    fetch(scratch.0.clone(), contents.clone()).await?;
    let marker = contents.join(COMPLETE);
    fs::write(&marker, "").map_err(Error::io(&marker))?;
    if home.exists() {
        // An incomplete one: a complete one would have been used.
        fs::remove_dir_all(&home).map_err(Error::io(&home))?;
    }
    fs::rename(&contents, &home).map_err(Error::io(&home))?;
    Ok((home, Provenance::Package))
}

/// Waits for whoever is filling the cache.
async fn lock(path: &Path, options: &Options) -> Result<Lock, Error> {
    let mut told = false;
    loop {
        if let Some(lock) = Lock::try_take(path)? {
            return Ok(lock);
        }
        if !told {
            told = true;
            let reason = format!("process {} fetches MariaDB", Lock::owner(path)?);
            options.report(Progress::Waiting { reason });
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Removes what a killed process has left. Only for the holder of the lock.
fn remove_left_over_scratch(cache: &Path) {
    for entry in fs::read_dir(cache).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(SCRATCH) {
            drop(Scratch(entry.path()));
        }
    }
}

/// A folder that is removed when it is no longer needed.
struct Scratch(PathBuf);

impl Scratch {
    fn below(folder: &Path) -> Result<Self, Error> {
        let name = format!(
            "{SCRATCH}{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        let path = folder.join(name);
        fs::create_dir(&path).map_err(Error::io(&path))?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "could not be removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn fault() -> Error {
        Error::io(Path::new("the network"))(std::io::Error::other("away"))
    }

    fn names(cache: &Path) -> Vec<String> {
        let entries = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[tokio::test]
    async fn many_at_once_fetch_once_and_see_all_of_it() {
        let cache = tempfile::tempdir().unwrap();
        let options = Options::durable("/nonexistent", cache.path());
        let fetched = AtomicUsize::new(0);
        let fetch = |_: PathBuf, target: PathBuf| async {
            fetched.fetch_add(1, Ordering::SeqCst);
            fs::write(target.join("one"), "1").unwrap();
            tokio::time::sleep(POLL / 2).await;
            let target = target;
            fs::write(target.join("two"), "2").unwrap();
            Ok(())
        };
        let found = tokio::join!(
            filled(&options, fetch),
            filled(&options, fetch),
            filled(&options, fetch)
        );
        for (home, _) in [found.0.unwrap(), found.1.unwrap(), found.2.unwrap()] {
            assert_eq!(fs::read_to_string(home.join("one")).unwrap(), "1");
            assert_eq!(fs::read_to_string(home.join("two")).unwrap(), "2");
        }
        assert_eq!(fetched.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_fetch_that_broke_off_leaves_nothing_and_is_done_again() {
        let cache = tempfile::tempdir().unwrap();
        let options = Options::durable("/nonexistent", cache.path());
        let broken = |_, target: PathBuf| async move {
            fs::write(target.join("half"), "").unwrap();
            Err(fault())
        };
        filled(&options, broken).await.unwrap_err();
        assert_eq!(names(cache.path()), ["mariadb.lock"]);

        // What a killed process leaves: its scratch folder.
        fs::create_dir_all(cache.path().join("mariadb-scratch-1-2/contents")).unwrap();
        let whole = |_, target: PathBuf| async move {
            fs::write(target.join("whole"), "").unwrap();
            Ok(())
        };
        let (home, provenance) = filled(&options, whole).await.unwrap();
        assert_eq!(provenance, Provenance::Package);
        assert!(home.join("whole").exists() && !home.join("half").exists());
        assert_eq!(names(cache.path()).len(), 2);
    }
}
