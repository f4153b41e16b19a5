//! Cleans up after an earlier process: a file with a process id, and possibly its server.
//!
//! The caller holds the folder's lock, so the process that started that server has ended. The
//! server has ended, too, or is about to.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Error;
use crate::command;

/// Time limit of a shutdown, which writes changed data.
const SHUTDOWN_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

/// The process id in the first line of a file.
pub fn recorded_pid(file: &Path) -> Option<Pid> {
    let text = fs::read_to_string(file).ok()?;
    let pid: i32 = text.lines().next()?.trim().parse().ok()?;
    (pid > 0).then(|| Pid::from_raw(pid))
}

/// Stops the server `pid` of a `program` with a `signal` that can be sent twice, and waits until it
/// has ended.
/// `word` is as for [`serves`].
pub async fn end(program: &'static str, pid: Pid, signal: Signal, word: &str) -> Result<(), Error> {
    if let Err(error) = kill(pid, signal) {
        tracing::warn!(%pid, %error, "sending a stop signal to an earlier server failed");
    }
    let start = Instant::now();
    while serves(pid, word).await {
        if start.elapsed() > SHUTDOWN_LIMIT {
            let pid = pid.as_raw();
            return Err(Error::NotStopped { program, pid });
        }
        tokio::time::sleep(POLL).await;
    }
    Ok(())
}

/// Whether `pid` is a private server, identified by `word` in its command line. A zombie has no
/// command line.
pub async fn serves(pid: Pid, word: &str) -> bool {
    if Path::new("/proc/self/cmdline").exists() {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        return line
            .split(|byte| *byte == 0)
            .any(|found| found == word.as_bytes());
    }
    let mut ps = Command::new("ps");
    ps.args(["-o", "command=", "-p"]).arg(pid.to_string());
    command::run(ps, Duration::from_secs(10))
        .await
        .is_ok_and(|line| line.contains(word))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    use super::*;

    #[test]
    fn a_process_is_recorded_in_the_first_line() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("server.pid");
        assert_eq!(recorded_pid(&file), None);
        for (text, expected) in [
            ("42\n", Some(42)),
            ("42\n/data\n1\n", Some(42)),
            ("0\n", None),
            ("-1\n", None),
            ("", None),
            ("x\n42\n", None),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(recorded_pid(&file), expected.map(Pid::from_raw), "{text:?}");
        }
    }

    #[tokio::test]
    async fn a_server_is_known_by_its_command_line_until_it_ends() {
        let mut child = Command::new("/bin/sh")
            .args(["-c", "echo ready; read -r line", "--data=/one"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Until the child runs its program, its command line is empty or that of its parent.
        let mut ready = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut ready)
            .unwrap();
        let pid = Pid::from_raw(child.id().try_into().unwrap());
        assert!(!serves(pid, "--data=/other").await);
        assert!(serves(pid, "--data=/one").await);
        end("a server", pid, Signal::SIGTERM, "--data=/one")
            .await
            .unwrap();
        assert!(!child.wait().unwrap().success());
    }
}
