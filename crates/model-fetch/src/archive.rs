//! Checks a wheel, which is a zip archive, and unpacks one folder of it.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::Error;

/// Refuses an archive that is not the one we know.
pub(crate) fn check(archive: &Path, sha256: &str) -> Result<(), Error> {
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

/// Unpacks the files whose names begin with `folder` into the new folder `target`, without that beginning.
pub(crate) fn unpack(archive: &Path, folder: &str, target: &Path) -> Result<(), Error> {
    let bad = |reason: String| Error::BadArchive {
        file: archive.to_path_buf(),
        reason,
    };
    let file = File::open(archive).map_err(Error::io(archive))?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(|error| bad(error.to_string()))?;
    for index in 0..zip.len() {
        let mut entry = zip
            .by_index(index)
            .map_err(|error| bad(error.to_string()))?;
        let name = entry.enclosed_name();
        let name = name.ok_or_else(|| bad("a name leads outside".to_owned()))?;
        let Ok(name) = name.strip_prefix(folder) else {
            continue;
        };
        if !entry.is_file() {
            continue;
        }
        let path = target.join(name);
        let parent = path.parent().unwrap_or(target);
        fs::create_dir_all(parent).map_err(Error::io(parent))?;
        let mut file = File::create_new(&path).map_err(Error::io(&path))?;
        io::copy(&mut entry, &mut file).map_err(Error::io(&path))?;
    }
    if target.is_dir() {
        return Ok(());
    }
    Err(bad(format!("there is no {folder} in it")))
}
