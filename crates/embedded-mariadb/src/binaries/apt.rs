//! The distribution's package, unpacked into the cache. Nothing is installed, and no permissions
//! are needed.
//!
//! Missing libraries are downloaded in the same way. If the system's list of packages is missing or
//! out of date, a separate list is downloaded.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use provision::command;
use provision::fetch::Scratch;

use super::{flag, search_path};
use crate::{Error, Options, Progress};

const APT_GET: &str = "/usr/bin/apt-get";
const PACKAGE: &str = "mariadb-server-core";
/// The server in the package.
const PROGRAM: &str = "usr/sbin/mariadbd";
/// Maximum depth of dependencies between libraries.
const ROUNDS: usize = 5;
const DOWNLOAD_LIMIT: Duration = Duration::from_mins(10);

/// Whether apt-get is available.
pub(super) fn check() -> Result<(), Error> {
    if Path::new(APT_GET).exists() {
        return Ok(());
    }
    Err(Error::Unusable {
        folder: APT_GET.into(),
        reason: "missing; MariaDB cannot be downloaded without it".to_owned(),
    })
}

/// Downloads the server and its missing libraries into `scratch`.
pub(super) async fn fetch(scratch: &Scratch, options: &Options) -> Result<(), Error> {
    let target = scratch.contents();
    fs::create_dir(&target).map_err(Error::io(&target))?;
    options.report(Progress::Step(
        "downloading MariaDB with apt-get (about 8 MB, unpacked into the cache only)",
    ));
    let mut apt = Apt {
        scratch: scratch.path().to_path_buf(),
        settings: Vec::new(),
    };
    if let Err(error) = apt.unpack(PACKAGE, &target).await {
        tracing::debug!(%error, "apt-get does not find the package in the system's list");
        options.report(Progress::Step(
            "downloading apt's list of packages (for this download only)",
        ));
        apt.take_own_list().await?;
        apt.unpack(PACKAGE, &target).await?;
    }
    for _ in 0..ROUNDS {
        let missing = missing_libraries(&target).await?;
        if missing.is_empty() {
            return Ok(());
        }
        for library in missing {
            apt.unpack_library(&library, &target).await?;
        }
    }
    Err(lacking(&target, &missing_libraries(&target).await?))
}

struct Apt {
    scratch: PathBuf,
    /// Settings for lists and archives outside the system's folders.
    settings: Vec<OsString>,
}

impl Apt {
    /// Downloads the list of packages into the scratch folder. This needs no permissions and does
    /// not change the system.
    async fn take_own_list(&mut self) -> Result<(), Error> {
        let (lists, archives) = (self.scratch.join("lists"), self.scratch.join("archives"));
        for folder in [&lists, &archives] {
            let partial = folder.join("partial");
            fs::create_dir_all(&partial).map_err(Error::io(&partial))?;
        }
        let settings = [
            flag("Dir::State::Lists=", &lists),
            flag("Dir::Cache=", &self.scratch),
            flag("Dir::Cache::Archives=", &archives),
            // Root's apt downloads as another user, which cannot enter the scratch folder.
            OsString::from("APT::Sandbox::User=root"),
        ];
        self.settings = settings
            .into_iter()
            .flat_map(|setting| [OsString::from("-o"), setting])
            .collect();
        command::run(self.command(&["update"]), DOWNLOAD_LIMIT).await?;
        Ok(())
    }

    /// Downloads a package, which apt verifies as for an installation, and unpacks it.
    async fn unpack(&self, package: &str, target: &Path) -> Result<(), Error> {
        let folder = self.scratch.join(package);
        fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
        let mut download = self.command(&["download", package]);
        download.current_dir(&folder);
        command::run(download, DOWNLOAD_LIMIT).await?;
        let files = fs::read_dir(&folder).map_err(Error::io(&folder))?.flatten();
        let archive = files
            .map(|entry| entry.path())
            .find(|path| is_package(path));
        let archive = archive.ok_or_else(|| Error::Unusable {
            folder,
            reason: "apt-get downloaded no package".to_owned(),
        })?;
        let mut dpkg = Command::new("dpkg");
        dpkg.arg("-x").arg(archive).arg(target);
        command::run(dpkg, Duration::from_mins(2)).await?;
        Ok(())
    }

    async fn unpack_library(&self, library: &str, target: &Path) -> Result<(), Error> {
        for package in packages_of(library) {
            match self.unpack(&package, target).await {
                Ok(()) => return Ok(()),
                Err(error) => tracing::debug!(%error, package, "not fetched"),
            }
        }
        Err(lacking(target, &[library.to_owned()]))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(APT_GET);
        command
            .arg("-q")
            .args(&self.settings)
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("LC_ALL", "C");
        command
    }
}

fn is_package(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "deb")
}

/// The library folders below a folder with unpacked packages.
pub(super) fn library_folders(home: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for parent in [home.join("usr/lib"), home.join("lib")] {
        let entries = fs::read_dir(&parent).into_iter().flatten().flatten();
        folders.extend(
            entries
                .map(|entry| entry.path())
                .filter(|path| path.is_dir()),
        );
    }
    folders.sort();
    folders
}

/// The names of missing libraries of the server in `home`.
async fn missing_libraries(home: &Path) -> Result<Vec<String>, Error> {
    let mut ldd = Command::new("ldd");
    ldd.arg(home.join(PROGRAM))
        .env("LC_ALL", "C")
        .env("LD_LIBRARY_PATH", search_path(&library_folders(home)));
    Ok(not_found(&command::run(ldd, Duration::from_mins(1)).await?))
}

/// Reads `libaio.so.1 => not found`.
fn not_found(printed: &str) -> Vec<String> {
    let mut names: Vec<String> = printed
        .lines()
        .filter_map(|line| line.trim().strip_suffix("=> not found"))
        .map(|name| name.trim().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

/// The packages that can contain a library, by the distribution's naming rule: `libaio.so.1` is in
/// `libaio1`, or in `libaio1t64` since the transition to 64-bit time stamps.
fn packages_of(library: &str) -> Vec<String> {
    let Some((stem, version)) = library.split_once(".so.") else {
        return Vec::new();
    };
    let stem = match stem {
        // Both libraries are in one package.
        "libcrypto" => "libssl",
        other => other,
    };
    let hyphen = if stem.ends_with(|last: char| last.is_ascii_digit()) {
        "-"
    } else {
        ""
    };
    let name = format!("{stem}{hyphen}{version}").to_lowercase();
    vec![name.clone(), format!("{name}t64")]
}

fn lacking(home: &Path, libraries: &[String]) -> Error {
    Error::Unusable {
        folder: home.join(PROGRAM),
        reason: format!("the libraries {} are missing", libraries.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_lead_to_packages() {
        assert_eq!(packages_of("libaio.so.1"), ["libaio1", "libaio1t64"]);
        assert_eq!(packages_of("libpcre2-8.so.0")[0], "libpcre2-8-0");
        assert_eq!(packages_of("libcrypto.so.3")[0], "libssl3");
        assert_eq!(packages_of("liburing.so.2")[0], "liburing2");
        assert!(packages_of("libplain.so").is_empty());
    }

    #[test]
    fn missing_libraries_are_parsed_from_the_output_of_ldd() {
        let printed = "\tlinux-vdso.so.1 (0x0000)\n\tlibnuma.so.1 => not found\n\tlibaio.so.1 => not found\n\
                       \tlibc.so.6 => /lib/libc.so.6 (0x0001)\n\tlibaio.so.1 => not found\n";
        assert_eq!(not_found(printed), ["libaio.so.1", "libnuma.so.1"]);
    }
}
