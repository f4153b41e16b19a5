//! The data folder: one user at a time, made by the server's own bootstrap, with the password beside it.
//!
//! ```text
//! <data_dir>/data          what MariaDB calls the data directory
//!            files         the only folder that statements may read from and write to
//!            tmp           for what the server sorts on disk
//!            password      of the administrator, readable by us alone
//!            server.log    of the newest start
//!            server.pid    while the server runs
//!            lock          held as long as a process uses the folder; holds its process id
//! ```

mod bootstrap;
mod predecessor;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use provision::Lock;
use rand::distr::{Alphanumeric, SampleString};

use crate::binaries::Binaries;
use crate::{Durability, Error, Options, Progress};

/// The administrator of every private server.
pub(crate) const ADMINISTRATOR: &str = "heliograph";

/// A data folder that this process alone uses.
#[derive(Debug)]
pub(crate) struct Folder {
    pub root: PathBuf,
    pub durability: Durability,
    pub password: Password,
    _lock: Lock,
}

/// Kept out of `Debug`.
pub(crate) struct Password(pub String);

impl Folder {
    /// Takes possession of the data folder, which is made when missing.
    pub(crate) fn open(options: &Options) -> Result<Self, Error> {
        let root = &options.data_dir;
        if options.durability == Durability::ThrowAway && root.exists() {
            return Err(Error::NotFresh {
                data_dir: root.clone(),
            });
        }
        create_private(root)?;
        let root = root.canonicalize().map_err(Error::io(root))?;
        let lock = lock(&root)?;
        for name in ["files", "tmp"] {
            create_private(&root.join(name))?;
        }
        let password = Password::load_or_make(&root)?;
        Ok(Self {
            root,
            durability: options.durability,
            password,
            _lock: lock,
        })
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.root.join("data")
    }

    pub(crate) fn files(&self) -> PathBuf {
        self.root.join("files")
    }

    /// Not the system's: servers that start in it at once take each other's files for their own left-overs.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("server.log")
    }

    pub(crate) fn pid_file(&self) -> PathBuf {
        self.root.join("server.pid")
    }

    /// Makes the data ready to be served: new, or those that are there with nobody on them.
    pub(crate) async fn prepare(
        &self,
        binaries: &Binaries,
        options: &Options,
    ) -> Result<(), Error> {
        if self.data().exists() {
            return predecessor::retire(self, options).await;
        }
        options.report(Progress::Initialising);
        bootstrap::run(self, binaries).await
    }
}

/// Makes a folder that only its owner may enter. One that is there is let be.
fn create_private(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::io(path))
}

/// Takes the folder for this process, or names the one that has it.
fn lock(root: &Path) -> Result<Lock, Error> {
    let path = root.join("lock");
    match Lock::try_take(&path)? {
        Some(lock) => Ok(lock),
        None => Err(Error::InUse {
            data_dir: root.to_path_buf(),
            owner: Lock::owner(&path)?,
        }),
    }
}

impl Password {
    /// The password of the data in `root`; a new one when there are no data yet.
    fn load_or_make(root: &Path) -> Result<Self, Error> {
        let path = root.join("password");
        match fs::read_to_string(&path) {
            Ok(password) if !password.trim().is_empty() => {
                return Ok(Self(password.trim().to_owned()));
            }
            _ if root.join("data").exists() => {
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
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(…)")
    }
}

/// Writes a new file that only its owner can read.
fn write_private(path: &Path, text: &str) -> Result<(), Error> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| writeln!(file, "{text}"))
        .map_err(Error::io(path))
}

fn remove_file(path: &Path) -> Result<(), Error> {
    gone(fs::remove_file(path)).map_err(Error::io(path))
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(path: &Path) -> Result<(), Error> {
    gone(fs::remove_dir_all(path)).map_err(Error::io(path))
}

/// What is not there need not be removed.
fn gone(result: std::io::Result<()>) -> std::io::Result<()> {
    match result {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}
