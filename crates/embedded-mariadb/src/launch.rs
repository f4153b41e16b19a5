//! Starts the server's process, waits until it is ready, ends it.
//!
//! The server must not outlive us, even if we are killed. So it is started through a shell that first puts a guard beside it:
//! a process that reads from a pipe whose other end we hold. Whatever ends us closes the pipe, and the guard then ends
//! the server. Both live in a process group of their own, so that Ctrl-C in the terminal reaches us alone, and we decide when
//! the server stops.

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

use crate::binaries::{Binaries, flag};
use crate::folder::Folder;
use crate::{Durability, Error, Options};

/// How long a start may take. Recovery after a crash is part of it.
const START_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(10);
/// How often a start is tried anew, when the free port we saw was taken meanwhile.
const ATTEMPTS: usize = 8;

/// Written to the guard when the server is gone and there is nothing left for it to do.
const RELEASE: &[u8] = b"released\n";

/// Arguments: the server's pid file, the folder to remove at the end or nothing, the server's command line.
/// The guard is a grandchild: a server does not expect to have children which it did not start. Data that are thrown away
/// need no orderly shutdown.
const SCRIPT: &str = r#"
server=$$ pid_file=$1 remove=$2
shift 2
exec 3<&0
(
  trap '' HUP INT TERM
  {
    read -r word <&3
    [ "$word" = released ] && exit 0
    if [ -n "$remove" ]; then
      kill -KILL "$server"
      rm -rf -- "$remove" || { sleep 1; rm -rf -- "$remove"; }
      exit 0
    fi
    kill -TERM "$server"
    seconds=0
    while [ -e "$pid_file" ] && kill -0 "$server" && [ "$seconds" -lt 300 ]; do
      sleep 0.1 || sleep 1
      seconds=$((seconds + 1))
    done
    [ ! -e "$pid_file" ] || kill -KILL "$server"
  } &
) >/dev/null 2>&1
exec "$@" 3<&- </dev/null
"#;

/// A running server. Dropping it closes the guard's pipe, which ends the server.
#[derive(Debug)]
pub(crate) struct Process {
    /// The server and the pipe to its guard; `None` once it has ended.
    running: Option<(Child, ChildStdin)>,
    durability: Durability,
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
        if attempt == ATTEMPTS || !taken {
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
        let server = server(binaries, folder, port);
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", SCRIPT, "heliograph-mariadb"])
            .arg(folder.pid_file());
        match folder.durability {
            Durability::Durable => shell.arg(""),
            Durability::ThrowAway => shell.arg(&folder.root),
        };
        shell.arg(server.get_program()).args(server.get_args());
        binaries.apply(&mut shell);
        shell
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(error_log);
        let mut child = shell.spawn().map_err(Error::io("/bin/sh".as_ref()))?;
        let running = child.stdin.take().map(|pipe| (child, pipe));
        Ok(Self {
            running,
            durability: folder.durability,
            port,
        })
    }

    /// The server says so itself, in its log.
    async fn wait_until_ready(&mut self, folder: &Folder) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.exited()? {
                return Err(not_started(format!("it ended ({status})"), &folder.log()));
            }
            if is_ready(&folder.log()) {
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
        let ask = (Signal::SIGTERM, Duration::from_secs(30));
        // Recovery at the next start, if there is to be one.
        let demand = (Signal::SIGKILL, Duration::from_secs(5));
        let steps = match self.durability {
            Durability::Durable => [ask, demand].to_vec(),
            Durability::ThrowAway => [demand].to_vec(),
        };
        for (signal, limit) in steps {
            // It can not be another process: a child keeps its number until we have waited for it.
            if let Err(error) = kill(pid, signal) {
                tracing::warn!(%pid, %signal, %error, "MariaDB can not be signalled");
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
        let status = child.try_wait().map_err(Error::io("mariadbd".as_ref()))?;
        if status.is_some() {
            if let Err(error) = pipe.write_all(RELEASE) {
                tracing::debug!(%error, "the guard of MariaDB was gone");
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

/// The server's command line: all of its configuration that differs from its defaults.
fn server(binaries: &Binaries, folder: &Folder, port: u16) -> Command {
    let mut server = binaries.command(&folder.data());
    server.arg(flag("--pid-file=", &folder.pid_file()));
    server.arg(flag("--secure-file-priv=", &folder.files()));
    server.arg(flag("--tmpdir=", &folder.temporary()));
    server.arg(format!("--port={port}"));
    server.args([
        "--bind-address=127.0.0.1",
        "--socket=",
        "--skip-name-resolve",
        "--skip-log-bin",
        "--local-infile=0",
        "--performance-schema=OFF",
        "--character-set-server=utf8mb4",
        "--collation-server=utf8mb4_unicode_ci",
        "--default-time-zone=+00:00",
        "--innodb-log-file-size=16M",
        "--innodb-temp-data-file-path=ibtmp1:1M:autoextend",
        "--aria-pagecache-buffer-size=8M",
        "--key-buffer-size=1M",
        "--log-warnings=1",
    ]);
    server.args(match folder.durability {
        Durability::Durable => [
            "--max-connections=100",
            "--innodb-buffer-pool-size=64M",
            "--innodb-flush-log-at-trx-commit=2",
        ]
        .as_slice(),
        // Tests run side by side, as many as there are cores, each with a pool.
        Durability::ThrowAway => &[
            "--max-connections=300",
            "--innodb-buffer-pool-size=48M",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-flush-method=nosync",
            "--innodb-doublewrite=0",
            "--debug-no-sync",
        ],
    });
    server
}

/// A port that was free a moment ago. The server binds it itself, so another process may come between.
fn free_port() -> Result<u16, Error> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(Error::io("127.0.0.1".as_ref()))
}

fn is_ready(log: &Path) -> bool {
    let text = fs::read(log).unwrap_or_default();
    String::from_utf8_lossy(&text).contains("ready for connections")
}

fn not_started(reason: String, log: &Path) -> Error {
    let log = fs::read(log).unwrap_or_default();
    Error::NotStarted {
        reason,
        log: command::tail(&String::from_utf8_lossy(&log)).to_owned(),
    }
}
