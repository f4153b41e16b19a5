//! Finds the server's programs.

mod apt;
mod system;
mod wheel;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use provision::command;

use crate::account::Account;
use crate::{Error, Options};

/// The oldest major version that the migrations support.
pub(crate) const OLDEST_MAJOR: u32 = 14;

/// Fallback folders for root, if the server's user cannot reach the requested folder.
const CACHE_FALLBACKS: [&str; 1] = ["/var/cache"];

/// Server programs that were checked.
#[derive(Clone, Debug)]
pub struct Binaries {
    /// The folder with `postgres` and `initdb`.
    pub(crate) bin: PathBuf,
    pub(crate) version: Version,
    pub(crate) provenance: Provenance,
}

/// The version of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    /// `18` in `18.4`. It determines which data the server can read.
    pub(crate) major: u32,
    /// The version as printed by the server, `18.4`.
    pub(crate) text: String,
}

/// The origin of the server's programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provenance {
    /// The folder that the user configured.
    Folder,
    /// Downloaded by an earlier start.
    Cache,
    /// Downloaded by this start.
    Wheel,
    /// Found on the system.
    System,
    /// Installed on the system by this start.
    Apt,
}

/// Finds or downloads the server's programs.
pub(crate) async fn find(options: &Options, account: &Account) -> Result<Binaries, Error> {
    if let Some(folder) = &options.bin {
        // A configured folder has no fallback.
        return usable(folder, Provenance::Folder, account).await;
    }
    let mut tried = Vec::new();
    match from_wheel(options, account).await {
        Ok(binaries) => return Ok(binaries),
        Err(error) => options.skip(&mut tried, &error),
    }
    match from_system(account).await {
        Ok(binaries) => return Ok(binaries),
        Err(error) => options.skip(&mut tried, &error),
    }
    match from_apt(options, account).await {
        Ok(binaries) => Ok(binaries),
        Err(error) => {
            options.skip(&mut tried, &error);
            Err(Error::NoServer {
                tried: tried.join("; "),
            })
        }
    }
}

/// The cache, which is filled if it is empty.
async fn from_wheel(options: &Options, account: &Account) -> Result<Binaries, Error> {
    let fallbacks = CACHE_FALLBACKS.map(Path::new);
    let cache = account.reachable(&options.cache_dir, &fallbacks, options)?;
    let (bin, provenance) = wheel::cached_or_fetched(&cache, options).await?;
    usable(&bin, provenance, account).await
}

/// The newest usable server on the system.
async fn from_system(account: &Account) -> Result<Binaries, Error> {
    let mut newest: Option<Binaries> = None;
    for folder in system::folders().await {
        match usable(&folder, Provenance::System, account).await {
            Ok(found)
                if newest
                    .as_ref()
                    .is_none_or(|best| found.version.major > best.version.major) =>
            {
                newest = Some(found);
            }
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "a PostgreSQL on the system cannot be used"),
        }
    }
    newest.ok_or_else(|| Error::Unusable {
        folder: PathBuf::from("the system"),
        reason: format!("no server programs of version {OLDEST_MAJOR} or later"),
    })
}

async fn from_apt(options: &Options, account: &Account) -> Result<Binaries, Error> {
    apt::install(options).await?;
    let installed = from_system(account).await?;
    Ok(Binaries {
        provenance: Provenance::Apt,
        ..installed
    })
}

/// Checks that `account` can run the server in `folder`, and that it is recent enough.
async fn usable(
    folder: &Path,
    provenance: Provenance,
    account: &Account,
) -> Result<Binaries, Error> {
    let unusable = |reason| Error::Unusable {
        folder: folder.to_path_buf(),
        reason,
    };
    let bin = folder
        .canonicalize()
        .map_err(|error| unusable(error.to_string()))?;
    if let Some(obstacle) = account.obstacle(&bin) {
        return Err(unusable(format!(
            "user {} cannot enter {}",
            account.uid(),
            obstacle.display()
        )));
    }
    if !bin.join("initdb").is_file() {
        return Err(unusable("it has no initdb".to_owned()));
    }
    let mut postgres = Command::new(bin.join("postgres"));
    postgres.arg("--version");
    account.apply(&mut postgres);
    let printed = command::run(postgres, Duration::from_secs(30))
        .await
        .map_err(|error| unusable(error.to_string()))?;
    let version = Version::parse(&printed)
        .ok_or_else(|| unusable(format!("its version output is {}", printed.trim())))?;
    if version.major < OLDEST_MAJOR {
        return Err(unusable(format!(
            "it has version {version}; {OLDEST_MAJOR} is the oldest supported version"
        )));
    }
    Ok(Binaries {
        bin,
        version,
        provenance,
    })
}

impl Version {
    /// Parses `postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)`. Development versions look
    /// like `19devel`.
    fn parse(printed: &str) -> Option<Self> {
        let text = printed
            .split_whitespace()
            .skip_while(|word| *word != "(PostgreSQL)")
            .nth(1)?;
        let digits: &str = text.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Self {
            major: digits.parse().ok()?,
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
            Self::Folder => "HELIOGRAPH_PG_BIN",
            Self::Cache => "cache",
            Self::Wheel => "fetched from PyPI",
            Self::System => "system",
            Self::Apt => "installed with apt-get",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_the_server_prints_them() {
        let version =
            |text: &str| Version::parse(text).map(|version| (version.major, version.text));
        assert_eq!(
            version("postgres (PostgreSQL) 18.4\n"),
            Some((18, "18.4".to_owned()))
        );
        assert_eq!(
            version("postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n"),
            Some((15, "15.20".to_owned()))
        );
        assert_eq!(
            version("postgres (PostgreSQL) 19devel"),
            Some((19, "19devel".to_owned()))
        );
        assert_eq!(version("something else 18.4"), None);
    }

    #[tokio::test]
    async fn a_folder_without_a_server_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let account = Account::choose(folder.path()).unwrap();
        let error = usable(Path::new("/usr"), Provenance::Folder, &account)
            .await
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "no usable PostgreSQL in /usr: it has no initdb"
        );
    }
}
