//! A folder that is filled once, by the first process that needs it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Error, Lock};

/// This file is written last, so that it marks a complete folder.
const COMPLETE: &str = ".complete";

/// A folder that the first process fills, and that all later ones use.
#[derive(Clone, Debug)]
pub struct Cached {
    /// The parent folder. It exists once the folder is filled.
    pub cache: PathBuf,
    /// The name of the folder.
    pub name: String,
    /// The name of the lock file in `cache`.
    pub lock: &'static str,
    /// The prefix of incomplete folders in `cache`. No other folder has it.
    pub scratch: &'static str,
}

/// When a folder was filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// Before this call, or by another process.
    Before,
    /// By this call.
    Now,
}

impl Cached {
    /// The folder.
    pub fn home(&self) -> PathBuf {
        self.cache.join(&self.name)
    }

    /// Whether the folder is complete.
    pub fn is_complete(&self) -> bool {
        self.home().join(COMPLETE).is_file()
    }

    /// Fills the folder with the output of `fetch` at [`Scratch::contents`], unless it is complete.
    /// Only one process at a time fetches, and an incomplete folder is never visible. A process
    /// that must wait passes the id of the other process to `waiting`.
    pub async fn fill<E, F, Fut>(&self, waiting: impl FnOnce(&str), fetch: F) -> Result<Filled, E>
    where
        E: From<Error>,
        F: FnOnce(Arc<Scratch>) -> Fut,
        Fut: Future<Output = Result<(), E>>,
    {
        let _lock = Lock::take(&self.cache.join(self.lock), waiting).await?;
        if self.is_complete() {
            return Ok(Filled::Before);
        }
        self.remove_left_over_scratch();
        // Shared, because work on a blocking thread continues if the caller is cancelled.
        let scratch = Arc::new(Scratch::below(&self.cache, self.scratch)?);
        fetch(Arc::clone(&scratch)).await?;
        self.put_in_place(&scratch.contents())?;
        Ok(Filled::Now)
    }

    /// Removes the remains of a killed process. Only the holder of the lock may call this.
    fn remove_left_over_scratch(&self) {
        for entry in fs::read_dir(&self.cache).into_iter().flatten().flatten() {
            if entry
                .file_name()
                .to_string_lossy()
                .starts_with(self.scratch)
            {
                drop(Scratch(entry.path()));
            }
        }
    }

    fn put_in_place(&self, contents: &Path) -> Result<(), Error> {
        let marker = contents.join(COMPLETE);
        fs::write(&marker, "").map_err(Error::io(&marker))?;
        let home = self.home();
        if home.exists() {
            // The folder is incomplete; a complete one would have been used.
            fs::remove_dir_all(&home).map_err(Error::io(&home))?;
        }
        fs::rename(contents, &home).map_err(Error::io(&home))
    }
}

/// A temporary folder, which is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    fn below(folder: &Path, prefix: &str) -> Result<Self, Error> {
        let name = format!(
            "{prefix}{}-{:08x}",
            std::process::id(),
            rand::random::<u32>()
        );
        let path = folder.join(name);
        fs::create_dir(&path).map_err(Error::io(&path))?;
        Ok(Self(path))
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The path of the result in the temporary folder. It does not exist at first, so that its
    /// creator sets its permissions.
    pub fn contents(&self) -> PathBuf {
        self.0.join("contents")
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
    use std::time::Duration;

    use super::*;

    fn cached(cache: &Path) -> Cached {
        Cached {
            cache: cache.to_path_buf(),
            name: "home".to_owned(),
            lock: "home.lock",
            scratch: "home-scratch-",
        }
    }

    fn put(scratch: &Scratch, name: &str) {
        fs::create_dir_all(scratch.contents()).unwrap();
        fs::write(scratch.contents().join(name), name).unwrap();
    }

    /// Fetches one file.
    async fn whole(scratch: Arc<Scratch>) -> Result<(), Error> {
        tokio::task::yield_now().await;
        put(&scratch, "whole");
        Ok(())
    }

    fn fault() -> Error {
        Error::io(Path::new("the network"))(std::io::Error::other("away"))
    }

    fn names(cache: &Path) -> Vec<String> {
        let entries = fs::read_dir(cache).unwrap().map(|entry| entry.unwrap());
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[tokio::test]
    async fn many_at_once_fetch_once_and_see_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let cached = cached(folder.path());
        let fetched = AtomicUsize::new(0);
        let fill = async || {
            let filled = cached.fill(
                |_| {},
                async |scratch| {
                    fetched.fetch_add(1, Ordering::SeqCst);
                    put(&scratch, "one");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    put(&scratch, "two");
                    Ok::<(), Error>(())
                },
            );
            filled.await.unwrap();
            assert!(cached.is_complete());
            for name in ["one", "two"] {
                assert_eq!(fs::read_to_string(cached.home().join(name)).unwrap(), name);
            }
        };
        tokio::join!(fill(), fill(), fill());
        assert_eq!(fetched.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_fetch_that_broke_off_leaves_nothing_and_is_done_again() {
        let folder = tempfile::tempdir().unwrap();
        let cached = cached(folder.path());
        let broken = async |scratch: Arc<Scratch>| {
            put(&scratch, "half");
            Err(fault())
        };
        cached.fill(|_| {}, broken).await.unwrap_err();
        assert_eq!(names(folder.path()), ["home.lock"]);

        let filled = cached.fill(|_| {}, whole).await.unwrap();
        assert_eq!(filled, Filled::Now);
        let home = cached.home();
        assert!(home.join("whole").exists() && !home.join("half").exists());
        assert_eq!(names(folder.path()), ["home", "home.lock"]);
        let again = cached.fill(|_| {}, async |_| Err(fault())).await.unwrap();
        assert_eq!(again, Filled::Before);
    }

    #[tokio::test]
    async fn half_a_folder_is_not_used_and_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cached = cached(folder.path());
        fs::create_dir(cached.home()).unwrap();
        fs::write(cached.home().join("left-over"), "").unwrap();
        assert!(!cached.is_complete());
        let filled = cached.fill(|_| {}, whole).await.unwrap();
        assert!(filled == Filled::Now && cached.is_complete());
        assert_eq!(names(&cached.home()), [COMPLETE, "whole"]);
    }

    #[tokio::test]
    async fn left_over_scratch_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        // The remains of a killed process.
        fs::create_dir_all(folder.path().join("home-scratch-1-2/contents")).unwrap();
        fs::create_dir(folder.path().join("other")).unwrap();
        cached(folder.path()).fill(|_| {}, whole).await.unwrap();
        assert_eq!(names(folder.path()), ["home", "home.lock", "other"]);
    }
}
