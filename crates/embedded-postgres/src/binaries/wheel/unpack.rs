//! Checks and unpacks a wheel, which is a zip archive.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::read::ZipFile;

use crate::Error;
use crate::account::create_folder;

/// Refuses an archive that is not the one we know.
pub(super) fn check(archive: &Path, sha256: &str) -> Result<(), Error> {
    let found = digest(archive).map_err(Error::io(archive))?;
    if found == sha256 {
        return Ok(());
    }
    Err(Error::WrongArchive {
        file: archive.to_path_buf(),
        found,
        expected: sha256.to_owned(),
    })
}

fn digest(file: &Path) -> io::Result<String> {
    let mut file = File::open(file)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(&buffer[..read]);
    }
    let hex = |text: String, byte: &u8| text + &format!("{byte:02x}");
    Ok(hasher.finalize().iter().fold(String::new(), hex))
}

/// Unpacks `archive` into the new folder `target`, readable for everyone, whatever our umask says.
pub(super) fn unpack(archive: &Path, target: &Path) -> Result<(), Error> {
    let bad = |reason: String| Error::BadArchive {
        file: archive.to_path_buf(),
        reason,
    };
    let file = File::open(archive).map_err(Error::io(archive))?;
    let mut zip =
        ZipArchive::new(io::BufReader::new(file)).map_err(|error| bad(error.to_string()))?;
    create_folder(target)?;
    for index in 0..zip.len() {
        let mut entry = zip
            .by_index(index)
            .map_err(|error| bad(error.to_string()))?;
        unpack_entry(&mut entry, target)?.map_err(bad)?;
    }
    Ok(())
}

/// The outer error is about the disk, the inner one about the archive.
fn unpack_entry<R: Read + Seek>(
    entry: &mut ZipFile<'_, R>,
    target: &Path,
) -> Result<Result<(), String>, Error> {
    let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
    let Some(path) = entry.enclosed_name().map(|name| target.join(name)) else {
        return Ok(Err(format!("{name} would land outside")));
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
    let mut file = File::create_new(&path).map_err(Error::io(&path))?;
    io::copy(entry, &mut file).map_err(Error::io(&path))?;
    // Programs keep their bit; those in a bin folder get it even when the archive has none.
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
