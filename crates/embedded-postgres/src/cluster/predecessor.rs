//! What an earlier process has left on the data: its `postmaster.pid`, perhaps its server.
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

/// How long a shutdown may take: it writes a checkpoint.
const SHUTDOWN_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// Ends a server that still runs on this cluster, and takes a stale `postmaster.pid` out of the way.
pub(super) async fn retire(folder: &Folder, options: &Options) -> Result<(), Error> {
    let Some(pid) = recorded_pid(&folder.pid_file()) else {
        return Ok(());
    };
    if kill(pid, None) == Err(nix::errno::Errno::ESRCH) {
        // PostgreSQL sees this itself, and checks more than we do before it goes on.
        return Ok(());
    }
    if !serves(pid, &folder.cluster()).await {
        // The number went to another process meanwhile. PostgreSQL would take that one for its predecessor and refuse.
        tracing::info!(%pid, "removing a stale postmaster.pid");
        return remove_file(&folder.pid_file());
    }
    let reason = format!("the server of an earlier start (process {pid}) shuts down");
    options.report(Progress::Waiting { reason });
    end(pid, &folder.cluster()).await
}

fn recorded_pid(file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(file).ok()?;
    text.lines()
        .next()?
        .trim()
        .parse()
        .ok()
        .filter(|pid| *pid > 0)
        .map(Pid::from_raw)
}

async fn end(pid: Pid, cluster: &Path) -> Result<(), Error> {
    // A second SIGINT to a server that is shutting down does no harm.
    if let Err(error) = kill(pid, Signal::SIGINT) {
        tracing::warn!(%pid, %error, "an earlier server can not be asked to stop");
    }
    let start = Instant::now();
    while serves(pid, cluster).await {
        if start.elapsed() > SHUTDOWN_LIMIT {
            return Err(Error::NotStopped { pid: pid.as_raw() });
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Whether `pid` is a server on `cluster`, by its command line, which we wrote. A zombie has none.
async fn serves(pid: Pid, cluster: &Path) -> bool {
    let cluster = cluster.to_string_lossy();
    if Path::new("/proc/self/cmdline").exists() {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        return line
            .split(|byte| *byte == 0)
            .any(|word| word == cluster.as_bytes());
    }
    let mut ps = Command::new("ps");
    ps.args(["-o", "command=", "-p"]).arg(pid.to_string());
    command::run(ps, Duration::from_secs(10))
        .await
        .is_ok_and(|line| line.contains(&*cluster))
}
