//! What an earlier process has left on the data: its `postmaster.pid`, perhaps its server.
//!
//! We hold the folder's lock, so whoever started that server is gone. The server is, too, or is about to be.

use nix::sys::signal::{Signal, kill};
use provision::server::data_dir::remove_file;
use provision::server::predecessor::{end, recorded_pid, serves};

use super::Folder;
use crate::{Error, Options, Progress};

/// Ends a server that still runs on this cluster, and takes a stale `postmaster.pid` out of the way.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    if kill(pid, None) == Err(nix::errno::Errno::ESRCH) {
        // PostgreSQL sees this itself, and checks more than we do before it goes on.
        return Ok(());
    }
    let cluster = folder.cluster();
    let cluster = cluster.to_string_lossy();
    if !serves(pid, &cluster).await {
        // The number went to another process meanwhile. PostgreSQL would take that one for its predecessor and refuse.
        tracing::info!(%pid, "removing a stale postmaster.pid");
        return Ok(remove_file(&folder.pid_file())?);
    }
    let reason = format!("the server of an earlier start (process {pid}) shuts down");
    options.report(Progress::Waiting { reason });
    Ok(end(pid, Signal::SIGINT, &cluster).await?)
}
