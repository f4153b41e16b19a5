//! The data folder: used by one process at a time, created by `initdb`, with the password next to
//! it.
//!
//! ```text
//! <data_dir>/cluster       what PostgreSQL calls the data directory
//!            password      of the superuser, readable only by its owner
//!            server.log    of the newest start
//!            lock          held as long as a process uses the folder; holds its process id
//! ```

mod predecessor;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use provision::server::data_dir::{self, Password, remove_file, remove_folder, write_private};
use provision::server::{self, ADMINISTRATOR, DataFolder};
use provision::{Lock, command};

use crate::account::{Account, create_folder};
use crate::binaries::Binaries;
use crate::{Durability, Error, Options, Progress};

/// Fallback folders for root, if the server's user cannot reach the requested folder.
const DATA_FALLBACKS: [&str; 1] = ["/var/lib"];

/// A data folder that is locked by this process.
#[derive(Debug)]
pub struct Folder {
    pub(crate) root: PathBuf,
    pub(crate) account: Account,
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
        let account = Account::choose(&options.data_dir.join("cluster"))?;
        let temporary = std::env::temp_dir();
        let fallbacks = DATA_FALLBACKS
            .iter()
            .map(Path::new)
            .chain([temporary.as_path()]);
        let root = account.reachable(&options.data_dir, &fallbacks.collect::<Vec<_>>(), options)?;
        if options.durability == Durability::ThrowAway && root.exists() {
            return Err(server::Error::NotFresh { data_dir: root }.into());
        }
        create_folder(&root)?;
        let root = root.canonicalize().map_err(Error::io(&root))?;
        let lock = data_dir::lock(&root)?;
        if options.durability == Durability::ThrowAway {
            // So that the guard, which runs as the server's user, can remove it.
            account.own(&root)?;
        }
        let password = Password::load_or_make(&root, &root.join("cluster"))?;
        Ok(Self {
            root,
            account,
            durability: options.durability,
            password,
            _lock: lock,
        })
    }

    pub(crate) fn cluster(&self) -> PathBuf {
        self.root.join("cluster")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.root.join("server.log")
    }

    pub(crate) fn pid_file(&self) -> PathBuf {
        self.cluster().join("postmaster.pid")
    }

    /// Prepares the cluster: creates a new one, or stops an earlier server on the existing one.
    pub(crate) async fn prepare(
        &self,
        binaries: &Binaries,
        options: &Options,
    ) -> Result<(), Error> {
        let cluster = self.cluster();
        if !cluster.exists() {
            options.report(Progress::Step("creating a new database cluster"));
            return self.initialise(binaries).await;
        }
        let owner = fs::metadata(&cluster).map_err(Error::io(&cluster))?.uid();
        let user = self.account.uid();
        if owner != user {
            return Err(Error::OtherOwner {
                data_dir: self.root.clone(),
                owner,
                user,
            });
        }
        let version = cluster.join("PG_VERSION");
        let data = fs::read_to_string(&version)
            .map_err(Error::io(&version))?
            .trim()
            .to_owned();
        let server = binaries.version.major;
        if data != server.to_string() {
            return Err(Error::OtherMajor {
                data_dir: self.root.clone(),
                data,
                server,
            });
        }
        predecessor::retire(self, options).await
    }

    /// Runs `initdb` next to the final place and moves the result, so that an incomplete cluster is
    /// never used.
    async fn initialise(&self, binaries: &Binaries) -> Result<(), Error> {
        let cluster = self.root.join("cluster.new");
        // The user of `initdb` cannot read the password file, and must not keep a copy.
        let password = self.root.join("password.initdb");
        let made = self.run_initdb(binaries, &cluster, &password).await;
        remove_file(&password)?;
        made?;
        fs::rename(&cluster, self.cluster()).map_err(Error::io(&cluster))
    }

    async fn run_initdb(
        &self,
        binaries: &Binaries,
        cluster: &Path,
        password: &Path,
    ) -> Result<(), Error> {
        remove_file(password)?;
        write_private(password, self.password.as_str())?;
        self.account.own(password)?;
        let locales = locales(binaries.version.major);
        for (attempt, locale) in locales.iter().enumerate() {
            remove_folder(cluster)?;
            fs::create_dir(cluster).map_err(Error::io(cluster))?;
            self.account.own(cluster)?;
            let initdb = self.initdb(binaries, cluster, password, locale);
            match command::run(initdb, Duration::from_mins(2)).await {
                Ok(_) => break,
                Err(provision::Error::Failed { output, .. })
                    if output.contains("locale") && attempt + 1 < locales.len() =>
                {
                    tracing::debug!(?locale, output, "initdb rejects this locale");
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn initdb(
        &self,
        binaries: &Binaries,
        cluster: &Path,
        password: &Path,
        locale: &[&str],
    ) -> Command {
        let mut initdb = Command::new(binaries.bin.join("initdb"));
        initdb.arg("-D").arg(cluster).arg("--pwfile").arg(password);
        initdb.args([
            "--username",
            ADMINISTRATOR,
            "--auth=scram-sha-256",
            "--encoding=UTF8",
            "--no-instructions",
        ]);
        initdb.args(locale);
        if self.durability == Durability::ThrowAway {
            initdb.arg("--no-sync");
        }
        self.account.apply(&mut initdb);
        initdb
    }
}

/// Locales that sort by code point and support all letters, best first. The last one always exists.
fn locales(major: u32) -> Vec<&'static [&'static str]> {
    const SYSTEM: &[&str] = &["--locale=C.UTF-8"];
    const BUILT_IN: &[&str] = &[
        "--locale=C",
        "--locale-provider=builtin",
        "--builtin-locale=C.UTF-8",
    ];
    const PLAIN: &[&str] = &["--locale=C"];
    if major >= 17 {
        vec![SYSTEM, BUILT_IN, PLAIN]
    } else {
        vec![SYSTEM, PLAIN]
    }
}
