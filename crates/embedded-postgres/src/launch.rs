//! Starts the server's process, waits until it is ready, ends it.
//!
//! The server must not outlive us, even if we are killed. So it is started through a shell that first puts a guard beside it:
//! a process that reads from a pipe whose other end we hold. Whatever ends us closes the pipe, and the guard then ends
//! the server. (A parent-death signal would need unsafe code, and follows a thread rather than the process.) Both live in a
//! process group of their own, so that Ctrl-C in the terminal reaches us alone, and we decide when the server stops.

use std::fs::{self, File};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use provision::command;

use crate::binaries::Binaries;
use crate::cluster::Folder;
use crate::{Durability, Error, Options};

/// How long a start may take. Recovery after a crash is part of it.
const START_LIMIT: Duration = Duration::from_mins(1);
/// How long each, asking and demanding, may take to end a server.
const STOP_LIMITS: [(Signal, Duration); 3] = [
    // "Fast": ends sessions, writes a checkpoint.
    (Signal::SIGINT, Duration::from_secs(30)),
    // "Immediate": recovery at the next start.
    (Signal::SIGQUIT, Duration::from_secs(5)),
    (Signal::SIGKILL, Duration::from_secs(5)),
];
const POLL: Duration = Duration::from_millis(10);
/// How often a start is tried anew, when the free port we saw was taken meanwhile or remains of a killed server linger.
const ATTEMPTS: usize = 8;

/// Written to the guard when the server is gone and there is nothing left for it to do.
const RELEASE: &[u8] = b"released\n";

/// Arguments: the server's `postmaster.pid`, the folder to remove at the end or nothing, the server's command line.
/// The guard is a grandchild: a server does not expect to have children which it did not start.
const SCRIPT: &str = r#"
server=$$ pid_file=$1 remove=$2
shift 2
exec 3<&0
(
  trap '' HUP INT TERM
  {
    read -r word <&3
    [ "$word" = released ] && exit 0
    kill -INT "$server"
    seconds=0
    while [ -e "$pid_file" ] && kill -0 "$server" && [ "$seconds" -lt 300 ]; do
      sleep 0.1 || sleep 1
      seconds=$((seconds + 1))
    done
    kill -QUIT "$server"
    [ -z "$remove" ] || rm -rf -- "$remove"
  } &
) >/dev/null 2>&1
exec "$@" 3<&- </dev/null
"#;

/// A running server. Dropping it closes the guard's pipe, which ends the server.
#[derive(Debug)]
pub(crate) struct Process {
    /// The server and the pipe to its guard; `None` once it has ended.
    running: Option<(Child, ChildStdin)>,
    pub port: u16,
}

/// Starts the server and waits until it takes connections.
pub(crate) async fn launch(
    binaries: &Binaries,
    folder: &Folder,
    options: &Options,
) -> Result<Process, Error> {
    let mut attempt = 1;
    loop {
        let port = options.port.map_or_else(free_port, Ok)?;
        let mut process = Process::spawn(binaries, folder, port)?;
        let error = match process.wait_until_ready(folder).await {
            Ok(()) => return Ok(process),
            Err(error) => error,
        };
        let Error::NotStarted { log, .. } = &error else {
            return Err(error);
        };
        let taken = log.contains("Address already in use");
        if let (true, Some(port)) = (taken, options.port) {
            return Err(Error::PortTaken { port });
        }
        // Sessions of a server that was killed notice it within moments.
        let lingering = log.contains("pre-existing shared memory block");
        if attempt == ATTEMPTS || !(taken || lingering) {
            return Err(error);
        }
        attempt += 1;
        tokio::time::sleep(POLL * 20).await;
    }
}

impl Process {
    fn spawn(binaries: &Binaries, folder: &Folder, port: u16) -> Result<Self, Error> {
        let log = folder.log();
        let log = File::create(&log).map_err(Error::io(&log))?;
        let error_log = log.try_clone().map_err(Error::io(&folder.log()))?;
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", SCRIPT, "heliograph-postgres"])
            .arg(folder.pid_file());
        match folder.durability {
            Durability::Durable => shell.arg(""),
            Durability::ThrowAway => shell.arg(&folder.root),
        };
        shell
            .arg(binaries.bin.join("postgres"))
            .arg("-D")
            .arg(folder.cluster());
        for setting in settings(port, folder.durability) {
            shell.args(["-c", &setting]);
        }
        folder.account.apply(&mut shell);
        shell
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(error_log);
        let mut child = shell.spawn().map_err(Error::io("/bin/sh".as_ref()))?;
        let running = child.stdin.take().map(|pipe| (child, pipe));
        Ok(Self { running, port })
    }

    /// The server says so itself, in the eighth line of its `postmaster.pid`.
    async fn wait_until_ready(&mut self, folder: &Folder) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.exited()? {
                return Err(not_started(format!("it ended ({status})"), &folder.log()));
            }
            if self
                .pid()
                .is_some_and(|pid| is_ready(&folder.pid_file(), pid))
            {
                return Ok(());
            }
            if start.elapsed() > START_LIMIT {
                let error = not_started(
                    format!("it was not ready within {START_LIMIT:?}"),
                    &folder.log(),
                );
                self.stop().await?;
                return Err(error);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Ends the server: asks, then demands.
    pub(crate) async fn stop(&mut self) -> Result<(), Error> {
        let Some(pid) = self.pid() else { return Ok(()) };
        for (signal, limit) in STOP_LIMITS {
            // It can not be another process: a child keeps its number until we have waited for it.
            if let Err(error) = kill(pid, signal) {
                tracing::warn!(%pid, %signal, %error, "PostgreSQL can not be signalled");
            }
            let start = Instant::now();
            while start.elapsed() < limit {
                if self.exited()?.is_some() {
                    return Ok(());
                }
                tokio::time::sleep(POLL).await;
            }
        }
        Err(Error::NotStopped { pid: pid.as_raw() })
    }

    /// The exit status if the server has ended; the guard is told.
    fn exited(&mut self) -> Result<Option<ExitStatus>, Error> {
        let Some((child, pipe)) = &mut self.running else {
            return Ok(None);
        };
        let status = child.try_wait().map_err(Error::io("postgres".as_ref()))?;
        if status.is_some() {
            if let Err(error) = pipe.write_all(RELEASE) {
                tracing::debug!(%error, "the guard of PostgreSQL was gone");
            }
            self.running = None;
        }
        Ok(status)
    }

    pub(crate) fn pid(&self) -> Option<Pid> {
        let (child, _) = self.running.as_ref()?;
        i32::try_from(child.id()).ok().map(Pid::from_raw)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some((mut child, pipe)) = self.running.take() {
            drop(pipe);
            // Nobody waits for the server any more; this keeps it from staying behind as a zombie.
            std::thread::spawn(move || child.wait());
        }
    }
}

/// All of the server's configuration that differs from its defaults; nothing is written into the cluster.
fn settings(port: u16, durability: Durability) -> Vec<String> {
    let mut settings: Vec<String> = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "synchronous_commit=off",
        "jit=off",
        "timezone=UTC",
        "log_timezone=UTC",
        "lc_messages=C",
    ]
    .map(str::to_owned)
    .into();
    settings.push(format!("port={port}"));
    settings.extend(
        match durability {
            Durability::Durable => ["max_connections=100"].as_slice(),
            // Tests run side by side, as many as there are cores, each with a pool.
            Durability::ThrowAway => &["max_connections=300", "fsync=off", "full_page_writes=off"],
        }
        .iter()
        .map(|setting| (*setting).to_owned()),
    );
    settings
}

/// A port that was free a moment ago. The server binds it itself, so another process may come between.
fn free_port() -> Result<u16, Error> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(Error::io("127.0.0.1".as_ref()))
}

fn is_ready(pid_file: &Path, pid: Pid) -> bool {
    let text = fs::read_to_string(pid_file).unwrap_or_default();
    let mut lines = text.lines().map(str::trim);
    lines.next() == Some(&pid.to_string()) && lines.nth(6) == Some("ready")
}

fn not_started(reason: String, log: &Path) -> Error {
    let log = fs::read(log).unwrap_or_default();
    Error::NotStarted {
        reason,
        log: command::tail(&String::from_utf8_lossy(&log)).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_is_the_eighth_line_of_this_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("postmaster.pid");
        let pid = Pid::from_raw(42);
        assert!(!is_ready(&file, pid));
        fs::write(&file, "42\n/data\n1\n5432\n\n127.0.0.1\n  1 2\nstarting\n").unwrap();
        assert!(!is_ready(&file, pid));
        fs::write(&file, "42\n/data\n1\n5432\n\n127.0.0.1\n  1 2\nready   \n").unwrap();
        assert!(is_ready(&file, pid));
        assert!(!is_ready(&file, Pid::from_raw(43)));
    }
}
