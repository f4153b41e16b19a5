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

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use provision::Lock;
use provision::server::data_dir::{self, Password};

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
        let lock = data_dir::lock(&root)?;
        for name in ["files", "tmp"] {
            create_private(&root.join(name))?;
        }
        let password = Password::load_or_make(&root, &root.join("data"))?;
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
