//! Cleans up after an earlier process: its `server.pid`, and possibly its server.
//!
//! This process holds the folder's lock, so the process that started that server has ended. The
//! server has ended, too, or is about to.

use nix::sys::signal::Signal;
use provision::server::data_dir::remove_file;
use provision::server::predecessor::{end, recorded_pid, serves};

use super::Folder;
use crate::{Error, Options, Progress};

/// Stops a server that still runs on these data, and removes a stale `server.pid`.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    let data = format!("--datadir={}", folder.data().display());
    if serves(pid, &data).await {
        let reason = format!("the server of an earlier start (process {pid}) is shutting down");
        options.report(Progress::Waiting { reason });
        end("MariaDB", pid, Signal::SIGTERM, &data).await?;
    }
    Ok(remove_file(&folder.pid_file())?)
}
