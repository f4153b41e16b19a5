//! The data folder of a server: used by one process at a time, with the administrator's password
//! next to the data.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rand::distr::{Alphanumeric, SampleString};

use super::Error;
use crate::Lock;

/// The lifetime of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Data survive stops and crashes of the server.
    Durable,
    /// Nothing is synced to disk, and the data folder, which must not exist yet, is removed when
    /// the server stops.
    ThrowAway,
}

/// Locks the folder for this process, or returns the process that holds it.
pub fn lock(root: &Path) -> Result<Lock, Error> {
    let path = root.join("lock");
    match Lock::try_take(&path)? {
        Some(lock) => Ok(lock),
        None => Err(Error::InUse {
            data_dir: root.to_path_buf(),
            owner: Lock::owner(&path)?,
        }),
    }
}

/// The administrator's password. It consists of letters and digits, and `Debug` hides it.
pub struct Password(String);

impl Password {
    /// The password of `data`, stored in `root`. A new one if there are no data yet.
    pub fn load_or_make(root: &Path, data: &Path) -> Result<Self, Error> {
        let path = root.join("password");
        match fs::read_to_string(&path) {
            Ok(password) if !password.trim().is_empty() => {
                return Ok(Self(password.trim().to_owned()));
            }
            _ if data.exists() => {
                return Err(Error::PasswordLost {
                    data_dir: root.to_path_buf(),
                });
            }
            _ => {}
        }
        let password = Alphanumeric.sample_string(&mut rand::rng(), 32);
        remove_file(&path)?;
        write_private(&path, &password)?;
        Ok(Self(password))
    }

    /// The password as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Writes a new file that only its owner can read.
pub fn write_private(path: &Path, text: &str) -> Result<(), crate::Error> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| writeln!(file, "{text}"))
        .map_err(crate::Error::io(path))
}

/// Removes a file if it exists.
pub fn remove_file(path: &Path) -> Result<(), crate::Error> {
    gone(fs::remove_file(path)).map_err(crate::Error::io(path))
}

/// Removes a folder with its contents if it exists.
pub fn remove_folder(path: &Path) -> Result<(), crate::Error> {
    gone(fs::remove_dir_all(path)).map_err(crate::Error::io(path))
}

/// A missing file or folder is not an error.
fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_password_is_kept_and_private_and_missed_when_there_are_data() {
        let root = tempfile::tempdir().unwrap();
        let (root, data) = (root.path(), root.path().join("data"));
        let made = Password::load_or_make(root, &data).unwrap();
        fs::create_dir(&data).unwrap();
        let loaded = Password::load_or_make(root, &data).unwrap();
        assert_eq!(made.as_str(), loaded.as_str());
        assert!(made.as_str().len() == 32 && !format!("{made:?}").contains(made.as_str()));
        let file = root.join("password");
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        remove_file(&file).unwrap();
        remove_file(&file).unwrap();
        assert!(matches!(
            Password::load_or_make(root, &data),
            Err(Error::PasswordLost { .. })
        ));
        remove_folder(&data).unwrap();
        remove_folder(&data).unwrap();
        let other = Password::load_or_make(root, &data).unwrap();
        assert_ne!(made.as_str(), other.as_str());
    }

    #[test]
    fn a_folder_has_one_user() {
        let root = tempfile::tempdir().unwrap();
        let first = lock(root.path()).unwrap();
        let Err(Error::InUse { owner, .. }) = lock(root.path()) else {
            panic!("it is in use")
        };
        assert_eq!(owner, std::process::id().to_string());
        drop(first);
        lock(root.path()).unwrap();
    }
}
