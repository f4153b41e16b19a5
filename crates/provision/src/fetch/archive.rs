//! Verifies a wheel, which is a zip archive, and reads its contents.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::ZipArchive;
use zip::read::ZipFile;

/// Why an archive was rejected.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The archive has an unexpected digest.
    #[error("{} is not the expected archive: sha256 is {found}, expected {expected}", file.display())]
    Wrong {
        /// The path of the archive.
        file: PathBuf,
        /// The digest of the archive.
        found: String,
        /// The pinned digest.
        expected: String,
    },
    /// Unpacking the archive failed.
    #[error("{} cannot be unpacked: {reason}", file.display())]
    Bad {
        /// The path of the archive.
        file: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Using a file failed.
    #[error(transparent)]
    File(#[from] crate::Error),
}

/// A file, a folder or a link in an archive.
pub type Entry<'a> = ZipFile<'a, BufReader<File>>;

/// Rejects an archive with an unexpected digest.
pub fn check(archive: &Path, sha256: &str) -> Result<(), Error> {
    let found = digest(archive).map_err(crate::Error::io(archive))?;
    if found == sha256 {
        return Ok(());
    }
    Err(Error::Wrong {
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

/// Passes the entries of `archive` to `visit`, in the archive's order, until it returns an error.
pub fn for_each<E: From<Error>>(
    archive: &Path,
    mut visit: impl FnMut(&mut Entry<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let broken = |error: zip::result::ZipError| bad(archive, error.to_string());
    let file =
        File::open(archive).map_err(|error| Error::from(crate::Error::io(archive)(error)))?;
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    for index in 0..zip.len() {
        visit(&mut zip.by_index(index).map_err(broken)?)?;
    }
    Ok(())
}

/// Writes the file `entry` to the new file `path`, whose folder exists.
pub fn write(entry: &mut Entry<'_>, path: &Path) -> Result<(), Error> {
    let written = File::create_new(path).and_then(|mut file| io::copy(entry, &mut file));
    Ok(written.map(drop).map_err(crate::Error::io(path))?)
}

/// The error of a damaged archive.
pub fn bad(archive: &Path, reason: impl Into<String>) -> Error {
    Error::Bad {
        file: archive.to_path_buf(),
        reason: reason.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    /// An archive with files of these names.
    fn archive(folder: &Path, names: &[&str]) -> PathBuf {
        let path = folder.join("package.whl");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for name in names {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(name.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        path
    }

    #[test]
    fn only_the_archive_with_the_digest_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abc");
        std::fs::write(&file, "abc").unwrap();
        let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        check(&file, sha256).unwrap();
        let error = check(&file, &"0".repeat(64)).unwrap_err();
        assert!(
            matches!(&error, Error::Wrong { found, .. } if found == sha256),
            "{error}"
        );
    }

    #[test]
    fn entries_come_in_order_and_a_refusal_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let archive = archive(folder.path(), &["one", "two", "three"]);
        let mut seen = Vec::new();
        let error = for_each(&archive, |entry| {
            let name = entry.name().unwrap().into_owned();
            write(entry, &folder.path().join(&name))?;
            seen.push(name);
            if seen.len() == 2 {
                return Err(bad(&archive, "enough"));
            }
            Ok(())
        })
        .unwrap_err();
        assert!(error.to_string().ends_with("enough"), "{error}");
        assert_eq!(seen, ["one", "two"]);
        let written = std::fs::read_to_string(folder.path().join("two"));
        assert_eq!(written.unwrap(), "two");
    }

    #[test]
    fn what_is_no_archive_is_said_to_be_bad() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("package.whl");
        std::fs::write(&file, "not even a zip archive").unwrap();
        let error = for_each(&file, |_| Ok::<_, Error>(())).unwrap_err();
        assert!(matches!(error, Error::Bad { .. }), "{error}");
    }
}
