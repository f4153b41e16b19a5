//! The user that the server runs as.
//!
//! PostgreSQL refuses to run as root. A root process, common in containers, starts the server as
//! `nobody`. That user must be able to reach the folders of the server.

use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::unistd::{Uid, User, geteuid};
use provision::command;

use crate::{Error, Options, Progress};

/// The users that a root process can start the server as. PostgreSQL requires an entry in the user
/// database.
const SUBSTITUTES: [&str; 2] = ["nobody", "daemon"];

/// The user that runs `initdb` and the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    uid: u32,
    gid: u32,
    /// Whether this is another user than that of this process.
    switched: bool,
}

impl Account {
    /// The current user. For root: the owner of existing data, otherwise a substitute.
    pub(crate) fn choose(cluster: &Path) -> Result<Self, Error> {
        if !geteuid().is_root() {
            return Ok(Self::ourselves());
        }
        let owner = fs::metadata(cluster)
            .ok()
            .map(|data| data.uid())
            .filter(|uid| *uid != 0);
        let owner = owner.and_then(|uid| User::from_uid(Uid::from_raw(uid)).ok().flatten());
        let substitutes = SUBSTITUTES
            .iter()
            .filter_map(|name| User::from_name(name).ok().flatten());
        let user = owner
            .into_iter()
            .chain(substitutes)
            .next()
            .ok_or(Error::NoAccount)?;
        Ok(Self {
            uid: user.uid.as_raw(),
            gid: user.gid.as_raw(),
            switched: true,
        })
    }

    fn ourselves() -> Self {
        Self {
            uid: geteuid().as_raw(),
            gid: nix::unistd::getegid().as_raw(),
            switched: false,
        }
    }

    pub(crate) fn uid(&self) -> u32 {
        self.uid
    }

    /// Runs `command` as this user, with an empty environment.
    pub(crate) fn apply(&self, command: &mut Command) {
        command::isolate(command);
        if self.switched {
            // The standard library also drops the supplementary groups.
            command.uid(self.uid).gid(self.gid);
        }
    }

    /// Changes the owner of a file or folder to this user.
    pub(crate) fn own(&self, path: &Path) -> Result<(), Error> {
        if self.switched {
            chown(path, Some(self.uid), Some(self.gid)).map_err(Error::io(path))?;
        }
        Ok(())
    }

    /// The first folder on the way to `path` that this user cannot enter.
    ///
    /// Missing folders are ignored, because they will be created.
    pub(crate) fn obstacle(&self, path: &Path) -> Option<PathBuf> {
        if !self.switched {
            return None;
        }
        let existing = path
            .ancestors()
            .find_map(|ancestor| ancestor.canonicalize().ok())?;
        let folders: Vec<&Path> = existing.ancestors().collect();
        folders
            .into_iter()
            .rev()
            .find(|folder| !self.may_enter(folder))
            .map(Path::to_path_buf)
    }

    fn may_enter(&self, folder: &Path) -> bool {
        let Ok(data) = fs::metadata(folder) else {
            return false;
        };
        let class = match data {
            _ if data.uid() == self.uid => 0o100,
            _ if data.gid() == self.gid => 0o010,
            _ => 0o001,
        };
        data.mode() & class != 0
    }

    /// The folder `wanted` if this user can reach it; otherwise a folder below `fallbacks`, which
    /// is reported.
    pub(crate) fn reachable(
        &self,
        wanted: &Path,
        fallbacks: &[&Path],
        options: &Options,
    ) -> Result<PathBuf, Error> {
        let wanted = std::path::absolute(wanted).map_err(Error::io(wanted))?;
        let Some(obstacle) = self.obstacle(&wanted) else {
            return Ok(wanted);
        };
        let reason = format!("user {} cannot enter {}", self.uid, obstacle.display());
        for fallback in fallbacks {
            let parent = fallback.join("heliograph");
            if self.obstacle(&parent).is_some() || make_private_parent(&parent).is_err() {
                continue;
            }
            let used = parent.join(flat_name(&wanted));
            options.report(Progress::Moved {
                wanted,
                used: used.clone(),
                reason,
            });
            return Ok(used);
        }
        Err(Error::Unreachable {
            folder: wanted,
            user: self.uid,
            reason,
        })
    }
}

/// Creates `path` with its parents. All users can enter them, whatever the umask is.
pub(crate) fn create_folder(path: &Path) -> Result<(), Error> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.exists())
        .collect();
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .map_err(Error::io(path))?;
    for folder in missing {
        fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(Error::io(folder))?;
    }
    Ok(())
}

/// Creates the folder in which root stores the files of this crate. Rejects a folder of another
/// owner.
fn make_private_parent(parent: &Path) -> Result<(), Error> {
    create_folder(parent)?;
    let data = fs::symlink_metadata(parent).map_err(Error::io(parent))?;
    if data.is_dir() && data.uid() == geteuid().as_raw() && data.mode() & 0o022 == 0 {
        return Ok(());
    }
    let reason = "another user owns it".to_owned();
    Err(Error::Unreachable {
        folder: parent.to_path_buf(),
        user: geteuid().as_raw(),
        reason,
    })
}

/// Converts a path to one name, which is the same on every start.
fn flat_name(path: &Path) -> String {
    path.to_string_lossy().trim_matches('/').replace('/', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that only its owner can enter, with reachable and unreachable contents for root's
    /// substitute.
    fn closed_folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        (folder, closed)
    }

    #[test]
    fn only_root_switches_the_user() {
        let account = Account::choose(Path::new("/nonexistent")).unwrap();
        assert_eq!(account.switched, geteuid().is_root());
        assert_ne!(account.uid(), 0);
    }

    #[test]
    fn root_uses_the_owner_of_the_data() {
        let (_folder, cluster) = closed_folder();
        let daemon = User::from_name("daemon").unwrap().unwrap().uid.as_raw();
        let expected = if geteuid().is_root() {
            chown(&cluster, Some(daemon), None).unwrap();
            daemon
        } else {
            geteuid().as_raw()
        };
        assert_eq!(Account::choose(&cluster).unwrap().uid(), expected);
    }

    #[test]
    fn a_folder_behind_a_closed_one_is_replaced_for_root_alone() {
        let (folder, closed) = closed_folder();
        let account = Account::choose(Path::new("/nonexistent")).unwrap();
        let wanted = closed.join("not/there/yet");
        let (told, hears) = std::sync::mpsc::channel();
        let mut options = Options::durable(&wanted, &closed);
        options.progress = std::sync::Arc::new(move |progress| told.send(progress).unwrap());
        let used = account
            .reachable(&wanted, &[&closed, folder.path()], &options)
            .unwrap();
        drop(options);
        if geteuid().is_root() {
            assert_eq!(
                account.obstacle(&wanted),
                Some(closed.canonicalize().unwrap())
            );
            assert_eq!(
                used.parent(),
                Some(folder.path().join("heliograph").as_path())
            );
            assert!(matches!(hears.recv().unwrap(), Progress::Moved { .. }));
        } else {
            assert_eq!(used, wanted);
            assert!(hears.recv().is_err());
        }
    }

    #[test]
    fn a_fallback_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let parent = folder.path().join("heliograph");
        make_private_parent(&parent).unwrap();
        fs::set_permissions(&parent, Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(
            make_private_parent(&parent),
            Err(Error::Unreachable { .. })
        ));
    }
}
