//! Installs the distribution's server, as the last resort and only as root.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::unistd::geteuid;
use provision::command;

use crate::{Error, Options, Progress};

const APT_GET: &str = "/usr/bin/apt-get";

/// Disables the automatic cluster of Debian's packages. The file exists only during the
/// installation.
const NO_MAIN_CLUSTER: &str = "/etc/postgresql-common/createcluster.d/heliograph.conf";

/// Installs the package `postgresql`.
pub(super) async fn install(options: &Options) -> Result<(), Error> {
    let unusable = |reason: &str| Error::Unusable {
        folder: APT_GET.into(),
        reason: reason.to_owned(),
    };
    if !geteuid().is_root() {
        return Err(unusable("only root can install packages"));
    }
    if !Path::new(APT_GET).exists() {
        return Err(unusable("not present"));
    }
    options.report(Progress::Step(
        "installing PostgreSQL with apt-get (about 72 MB)",
    ));
    command::run(apt_get(&["update"]), Duration::from_mins(5)).await?;
    let switch = MainClusterSwitch::off()?;
    let installed = command::run(
        apt_get(&["install", "-y", "--no-install-recommends", "postgresql"]),
        Duration::from_mins(15),
    )
    .await;
    drop(switch);
    installed?;
    Ok(())
}

fn apt_get(arguments: &[&str]) -> Command {
    let mut command = Command::new(APT_GET);
    command
        .args(["-q", "-o", "DPkg::Lock::Timeout=120"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// While this value exists, installing a server creates no cluster.
struct MainClusterSwitch;

impl MainClusterSwitch {
    fn off() -> Result<Self, Error> {
        let file = Path::new(NO_MAIN_CLUSTER);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(Error::io(folder))?;
        }
        fs::write(file, "create_main_cluster = false\n").map_err(Error::io(file))?;
        Ok(Self)
    }
}

impl Drop for MainClusterSwitch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_file(NO_MAIN_CLUSTER) {
            tracing::warn!(%error, file = NO_MAIN_CLUSTER, "could not be removed");
        }
    }
}
