//! What an earlier process has left on the data: its `server.pid`, perhaps its server.
//!
//! We hold the folder's lock, so whoever started that server is gone. The server is, too, or is about to be.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use provision::command;

use super::{Folder, remove_file};
use crate::{Error, Options, Progress};

/// How long a shutdown may take: it writes back what changed.
const SHUTDOWN_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// Ends a server that still runs on these data, and takes a stale `server.pid` out of the way.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    if serves(pid, folder).await {
        let reason = format!("the server of an earlier start (process {pid}) shuts down");
        options.report(Progress::Waiting { reason });
        end(pid, folder).await?;
    }
    remove_file(&folder.pid_file())
}

fn recorded_pid(file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(file).ok()?;
    let pid: i32 = text.trim().parse().ok()?;
    (pid > 0).then(|| Pid::from_raw(pid))
}

async fn end(pid: Pid, folder: &Folder) -> Result<(), Error> {
    // A second SIGTERM to a server that is shutting down does no harm.
    if let Err(error) = kill(pid, Signal::SIGTERM) {
        tracing::warn!(%pid, %error, "an earlier server can not be asked to stop");
    }
    let start = Instant::now();
    while serves(pid, folder).await {
        if start.elapsed() > SHUTDOWN_LIMIT {
            return Err(Error::NotStopped { pid: pid.as_raw() });
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Whether `pid` is a server on this folder's data, by its command line, which we wrote. A zombie has none.
async fn serves(pid: Pid, folder: &Folder) -> bool {
    let wanted = format!("--datadir={}", folder.data().display());
    if Path::new("/proc/self/cmdline").exists() {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        return line
            .split(|byte| *byte == 0)
            .any(|word| word == wanted.as_bytes());
    }
    let mut ps = Command::new("ps");
    ps.args(["-o", "command=", "-p"]).arg(pid.to_string());
    command::run(ps, Duration::from_secs(10))
        .await
        .is_ok_and(|line| line.contains(&wanted))
}
