//! Cleans up after an earlier process: its `postmaster.pid`, and possibly its server.
//!
//! This process holds the folder's lock, so the process that started that server has ended. The
//! server has ended, too, or is about to.

use nix::sys::signal::{Signal, kill};
use provision::server::data_dir::remove_file;
use provision::server::predecessor::{end, recorded_pid, serves};

use super::Folder;
use crate::{Error, Options, Progress};

/// Stops a server that still runs on this cluster, and removes a stale `postmaster.pid`.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    if kill(pid, None) == Err(nix::errno::Errno::ESRCH) {
        // PostgreSQL handles this case itself, with more checks.
        return Ok(());
    }
    let cluster = folder.cluster();
    let cluster = cluster.to_string_lossy();
    if !serves(pid, &cluster).await {
        // The process id belongs to another process now. PostgreSQL would treat it as its
        // predecessor and refuse to start.
        tracing::info!(%pid, "removing a stale postmaster.pid");
        return Ok(remove_file(&folder.pid_file())?);
    }
    let reason = format!("the server of an earlier start (process {pid}) is shutting down");
    options.report(Progress::Waiting { reason });
    Ok(end("PostgreSQL", pid, Signal::SIGINT, &cluster).await?)
}
