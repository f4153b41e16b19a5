//! Finds the server's programs.

mod apt;
pub(crate) mod system;

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::unistd::geteuid;
use provision::command;
use provision::fetch::{Cached, Filled};

use crate::{Error, Options, Progress};

/// The oldest supported series. Older ones have other bootstrap files and settings.
const OLDEST: (u32, u32) = (10, 5);

/// Server programs that were checked.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// The path of `mariadbd`.
    pub(crate) program: PathBuf,
    /// The folder with the statements for the system tables, with messages and character sets.
    pub(crate) share: PathBuf,
    /// Folders with downloaded libraries.
    libraries: Vec<PathBuf>,
    pub(crate) version: Version,
    pub(crate) provenance: Provenance,
}

/// The version of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// `10` in `10.11.19`.
    pub(crate) major: u32,
    /// `11` in `10.11.19`.
    pub(crate) minor: u32,
    /// The version as printed by the server, `10.11.19`.
    pub(crate) text: String,
}

/// The origin of the server's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// The folder that the user configured.
    Folder,
    /// Downloaded by an earlier start.
    Cache,
    /// Found on the system.
    System,
    /// Downloaded by this start.
    Package,
}

/// Finds or downloads the server's programs.
pub(crate) async fn find(options: &Options) -> Result<Binaries, Error> {
    if let Some(folder) = &options.bin {
        // A configured folder has no fallback.
        return usable(&folder.join("mariadbd"), &[], Provenance::Folder).await;
    }
    let mut tried = Vec::new();
    let cached = cached(&options.cache_dir);
    if cached.is_complete() {
        match unpacked(&cached.home(), Provenance::Cache).await {
            Ok(binaries) => return Ok(binaries),
            Err(error) => options.skip(&mut tried, &error),
        }
    }
    for program in system::programs() {
        match usable(&program, &[], Provenance::System).await {
            Ok(binaries) => return Ok(binaries),
            Err(error) => options.skip(&mut tried, &error),
        }
    }
    match from_package(options).await {
        Ok(binaries) => Ok(binaries),
        Err(error) => {
            options.skip(&mut tried, &error);
            Err(Error::NoServer {
                tried: tried.join("; "),
            })
        }
    }
}

async fn from_package(options: &Options) -> Result<Binaries, Error> {
    apt::check()?;
    let cache = &options.cache_dir;
    fs::create_dir_all(cache).map_err(Error::io(cache))?;
    // The path must be absolute, because the server runs in another folder.
    let cached = cached(&cache.canonicalize().map_err(Error::io(cache))?);
    let waiting = |owner: &str| {
        let reason = format!("process {owner} fetches MariaDB");
        options.report(Progress::Waiting { reason });
    };
    let filled = cached.fill(waiting, |scratch| async move {
        apt::fetch(&scratch, options).await
    });
    let provenance = match filled.await? {
        Filled::Before => Provenance::Cache,
        Filled::Now => Provenance::Package,
    };
    unpacked(&cached.home(), provenance).await
}

/// The folder of unpacked packages below `cache`.
fn cached(cache: &Path) -> Cached {
    Cached {
        cache: cache.to_path_buf(),
        name: format!(
            "mariadb-server-{}-{}",
            std::env::consts::OS,
            std::env::consts::ARCH
        ),
        lock: "mariadb.lock",
        scratch: "mariadb-scratch-",
    }
}

/// The server in a folder with unpacked packages.
async fn unpacked(home: &Path, provenance: Provenance) -> Result<Binaries, Error> {
    usable(
        &home.join("usr/sbin/mariadbd"),
        &apt::library_folders(home),
        provenance,
    )
    .await
}

/// Checks that the server can run and is recent enough.
async fn usable(
    program: &Path,
    libraries: &[PathBuf],
    provenance: Provenance,
) -> Result<Binaries, Error> {
    let unusable = |reason| Error::Unusable {
        folder: program.parent().unwrap_or(program).to_path_buf(),
        reason,
    };
    let program = program
        .canonicalize()
        .map_err(|error| unusable(format!("mariadbd: {error}")))?;
    let share = system::share(&program)
        .ok_or_else(|| unusable("the statements for its system tables are missing".to_owned()))?;
    let mut binaries = Binaries {
        program,
        share,
        libraries: libraries.to_vec(),
        version: Version {
            major: 0,
            minor: 0,
            text: String::new(),
        },
        provenance,
    };
    let mut version = Command::new(&binaries.program);
    version.args(["--no-defaults", "--version"]);
    binaries.apply(&mut version);
    let printed = command::run(version, Duration::from_secs(30))
        .await
        .map_err(|error| unusable(provision::on_one_line(&error)))?;
    binaries.version = Version::parse(&printed)
        .ok_or_else(|| unusable(format!("its version output is {}", printed.trim())))?;
    if (binaries.version.major, binaries.version.minor) < OLDEST {
        return Err(unusable(format!(
            "it has version {}; {}.{} is the oldest supported version",
            binaries.version, OLDEST.0, OLDEST.1
        )));
    }
    Ok(binaries)
}

impl Binaries {
    /// Runs `command` with an empty environment, apart from the path to downloaded libraries.
    pub(crate) fn apply(&self, command: &mut Command) {
        command::isolate(command);
        if !self.libraries.is_empty() {
            command.env("LD_LIBRARY_PATH", search_path(&self.libraries));
        }
    }

    /// The settings of every call of `mariadbd`: no option files, the matching messages, permission
    /// to run as root.
    pub(crate) fn command(&self, data_dir: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.arg("--no-defaults");
        command.arg(flag("--datadir=", data_dir));
        command.arg(flag("--lc-messages-dir=", &self.share));
        command.arg(flag("--character-sets-dir=", &self.share.join("charsets")));
        if geteuid().is_root() {
            command.arg("--user=root");
        }
        self.apply(&mut command);
        command
    }
}

/// An option with a path as its value.
pub(crate) fn flag(name: &str, path: &Path) -> OsString {
    let mut flag = OsString::from(name);
    flag.push(path);
    flag
}

/// The search path for the dynamic linker. The folders have no colon in their names unless the
/// user's path has one.
fn search_path(folders: &[PathBuf]) -> OsString {
    std::env::join_paths(folders).unwrap_or_default()
}

impl Version {
    /// Parses `mariadbd Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)`.
    fn parse(printed: &str) -> Option<Self> {
        let mut words = printed.split_whitespace().skip_while(|word| *word != "Ver");
        let (text, product) = words.nth(1)?.split_once('-')?;
        if !product.starts_with("MariaDB") {
            return None;
        }
        let mut parts = text.split('.').map(str::parse);
        let (Some(Ok(major)), Some(Ok(minor))) = (parts.next(), parts.next()) else {
            return None;
        };
        Some(Self {
            major,
            minor,
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Binaries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.version, self.provenance)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Folder => "HELIOGRAPH_MARIADB_BIN",
            Self::Cache => "cache",
            Self::System => "system",
            Self::Package => "fetched with apt-get",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_server_prints_them() {
        let version = |text: &str| Version::parse(text).map(|found| (found.major, found.minor));
        assert_eq!(
            version(
                "/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n"
            ),
            Some((10, 11))
        );
        assert_eq!(
            version("mariadbd  Ver 11.8.2-MariaDB for osx10.19 on arm64 (Homebrew)"),
            Some((11, 8))
        );
        assert_eq!(
            version("mysqld  Ver 8.0.40 for Linux on x86_64 (MySQL Community Server - GPL)"),
            None
        );
    }

    #[tokio::test]
    async fn a_folder_without_a_server_is_named() {
        let error = usable(Path::new("/usr/mariadbd"), &[], Provenance::Folder)
            .await
            .unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("no usable MariaDB in /usr: mariadbd"),
            "{error}"
        );
    }
}
