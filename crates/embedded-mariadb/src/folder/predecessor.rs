//! What an earlier process has left on the data: its `server.pid`, perhaps its server.
//!
//! We hold the folder's lock, so whoever started that server is gone. The server is, too, or is about to be.

use nix::sys::signal::Signal;
use provision::server::data_dir::remove_file;
use provision::server::predecessor::{end, recorded_pid, serves};

use super::Folder;
use crate::{Error, Options, Progress};

/// Ends a server that still runs on these data, and takes a stale `server.pid` out of the way.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    let data = format!("--datadir={}", folder.data().display());
    if serves(pid, &data).await {
        let reason = format!("the server of an earlier start (process {pid}) shuts down");
        options.report(Progress::Waiting { reason });
        end(pid, Signal::SIGTERM, &data).await?;
    }
    Ok(remove_file(&folder.pid_file())?)
}
