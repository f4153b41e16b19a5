//! The data folder: used by one process at a time, created by the server's bootstrap, with the
//! password next to it.
//!
//! ```text
//! <data_dir>/data          what MariaDB calls the data directory
//!            files         the only folder that statements may read from and write to
//!            tmp           for what the server sorts on disk
//!            password      of the administrator, readable only by its owner
//!            server.log    of the newest start
//!            server.pid    while the server runs
//!            port          of the newest start, once the server answers
//!            lock          held as long as a process uses the folder; holds its process id
//! ```

mod bootstrap;
mod predecessor;

use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use provision::Lock;
use provision::server::data_dir::{self, Password};
use provision::server::{self, DataFolder};

use crate::binaries::Binaries;
use crate::{Durability, Error, Options, Progress};

/// The name of the file with the port.
pub(crate) const PORT_FILE: &str = "port";

/// A data folder that is locked by this process.
#[derive(Debug)]
pub struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) durability: Durability,
    pub(crate) password: Password,
    _lock: Lock,
}

impl DataFolder for Folder {
    fn root(&self) -> &Path {
        &self.root
    }

    fn durability(&self) -> Durability {
        self.durability
    }

    fn password(&self) -> &Password {
        &self.password
    }
}

impl Folder {
    /// Locks the data folder, which is created if missing.
    pub(crate) fn open(options: &Options) -> Result<Self, Error> {
        let root = &options.data_dir;
        if options.durability == Durability::ThrowAway && root.exists() {
            return Err(server::Error::NotFresh {
                data_dir: root.clone(),
            }
            .into());
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

    /// Not the system's temporary folder: servers that start there at the same time would remove
    /// each other's files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.root.join("tmp")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("server.log")
    }

    pub(crate) fn port_file(&self) -> PathBuf {
        self.root.join(PORT_FILE)
    }

    pub(crate) fn pid_file(&self) -> PathBuf {
        self.root.join("server.pid")
    }

    /// Prepares the data: creates new ones, or stops an earlier server on existing ones.
    pub(crate) async fn prepare(
        &self,
        binaries: &Binaries,
        options: &Options,
    ) -> Result<(), Error> {
        if self.data().exists() {
            return predecessor::retire(self, options).await;
        }
        options.report(Progress::Step("creating a new MariaDB data directory"));
        bootstrap::run(self, binaries).await
    }
}

/// Creates a folder that only its owner can enter. An existing folder is not changed.
fn create_private(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(Error::io(path))
}
