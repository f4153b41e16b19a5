//! The folder of a program with a private server.

use std::fs::{self, Permissions};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

use nix::unistd::geteuid;

use crate::Error;

/// Only the owner can enter.
const PRIVATE: u32 = 0o700;

/// Other users can pass through but not list the folder. Servers started by root run as another
/// user.
const PASSABLE: u32 = 0o711;

/// Creates a folder with its parents, accessible only to its owner. An existing folder is not
/// changed.
pub fn make_private_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
    }
    let mode = if geteuid().is_root() {
        PASSABLE
    } else {
        PRIVATE
    };
    let made = fs::DirBuilder::new().mode(mode).create(path);
    match made {
        // Set explicitly, because the umask applies to new folders.
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(mode)).map_err(Error::io(path)),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io(path)(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_made_for_its_owner_and_one_that_is_there_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        make_private_folder(&path).unwrap();
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let made = mode();
        assert_eq!(made & 0o066, 0, "{made:o}");
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        make_private_folder(&path).unwrap();
        assert_eq!(mode(), 0o755);
    }
}
