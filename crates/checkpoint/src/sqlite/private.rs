//! The file for its owner alone: what users asked is in it.

use std::fs::{self, OpenOptions, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

const PRIVATE: u32 = 0o600;

/// What SQLite puts beside the file. It gives new ones the rights of the file itself.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Creates the file when there is none, and removes the rights of others. A failure that matters is
/// reported by SQLite.
pub(super) fn keep(path: &Path) {
    // SQLite's own names, `:memory:` and `file:…`, are not paths.
    if path
        .to_str()
        .is_some_and(|name| name.starts_with(':') || name.starts_with("file:"))
    {
        return;
    }
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(PRIVATE)
        .open(path);
    match made {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        _ => return,
    }
    let beside = BESIDE.iter().map(|end| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    });
    for file in beside.chain([path.to_owned()]) {
        restrict(&file);
    }
}

fn restrict(file: &Path) {
    let Ok(data) = fs::metadata(file) else { return };
    let open_to_others = data.permissions().mode() & 0o077 != 0;
    if open_to_others && let Err(error) = fs::set_permissions(file, Permissions::from_mode(PRIVATE))
    {
        tracing::warn!(%error, file = %file.display(), "others can read the checkpoint file");
    }
}
