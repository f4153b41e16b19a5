//! Starts a server's process, waits until it is ready, ends it.

use std::fs::{self, File};
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::Error;
use super::data_dir::remove_folder;
use super::guard::RELEASE;
use crate::{Error as FileError, command};

/// How long a start may take. Recovery after a crash is part of it.
const START_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(10);
/// How often a start is tried anew.
const ATTEMPTS: usize = 8;
/// What a server logs when the free port that we saw was taken meanwhile.
const TAKEN: &str = "Address already in use";

/// A server's program, as far as its process is concerned.
#[derive(Debug)]
pub struct Program {
    /// What a person calls it.
    pub name: &'static str,
    /// Where it writes its log. Made anew for each start.
    pub log: PathBuf,
    /// What it logs when it does not start now and may start in a moment, a taken port aside.
    pub passing: &'static [&'static str],
    /// What ends it, each signal with the time that it may take: first asks, then demands.
    pub stop: Vec<(Signal, Duration)>,
    /// The folder of data that are thrown away when it has stopped.
    pub remove: Option<PathBuf>,
}

/// A running server. Dropping it closes the guard's pipe, which ends the server.
#[derive(Debug)]
pub struct ServerProcess {
    /// The server and the pipe to its guard; `None` once it has ended.
    running: Option<(Child, ChildStdin)>,
    program: Arc<Program>,
    port: u16,
}

/// Starts a server and waits until it takes connections on `port`, or on a free one. `command` is its guarded call for a port
/// ([`Guard::command`](super::Guard::command)), `is_ready` sees whether a server has said that it is.
pub async fn launch(
    program: Program,
    port: Option<u16>,
    command: impl Fn(u16) -> Command,
    is_ready: impl Fn(Pid) -> bool,
) -> Result<ServerProcess, Error> {
    let program = Arc::new(program);
    let mut attempt = 1;
    loop {
        let chosen = port.map_or_else(free_port, Ok)?;
        let mut process = ServerProcess::spawn(Arc::clone(&program), command(chosen), chosen)?;
        let error = match process.wait_until_ready(&is_ready).await {
            Ok(()) => return Ok(process),
            Err(error) => error,
        };
        let Error::NotStarted { log, .. } = &error else {
            return Err(error);
        };
        let taken = log.contains(TAKEN);
        if let (true, Some(port)) = (taken, port) {
            return Err(Error::PortTaken { port });
        }
        let passes = taken || program.passing.iter().any(|words| log.contains(words));
        if attempt == ATTEMPTS || !passes {
            return Err(error);
        }
        attempt += 1;
        tokio::time::sleep(POLL * 20).await;
    }
}

impl ServerProcess {
    fn spawn(program: Arc<Program>, mut command: Command, port: u16) -> Result<Self, FileError> {
        let log = File::create(&program.log).map_err(FileError::io(&program.log))?;
        let error_log = log.try_clone().map_err(FileError::io(&program.log))?;
        command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(error_log);
        let mut child = command
            .spawn()
            .map_err(FileError::io(command.get_program().as_ref()))?;
        let running = child.stdin.take().map(|pipe| (child, pipe));
        Ok(Self {
            running,
            program,
            port,
        })
    }

    async fn wait_until_ready(&mut self, is_ready: impl Fn(Pid) -> bool) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.exited()? {
                return Err(self.not_started(format!("it ended ({status})")));
            }
            if self.pid().is_some_and(&is_ready) {
                return Ok(());
            }
            if start.elapsed() > START_LIMIT {
                let error = self.not_started(format!("it was not ready within {START_LIMIT:?}"));
                self.end().await?;
                return Err(error);
            }
            tokio::time::sleep(POLL).await;
        }
    }

    fn not_started(&self, reason: String) -> Error {
        let log = fs::read(&self.program.log).unwrap_or_default();
        Error::NotStarted {
            reason,
            log: command::tail(&String::from_utf8_lossy(&log)).to_owned(),
        }
    }

    /// Ends the server, and removes data that are thrown away.
    pub async fn stop(mut self) -> Result<(), Error> {
        self.end().await?;
        if let Some(folder) = &self.program.remove {
            remove_folder(folder)?;
        }
        Ok(())
    }

    /// Ends the server, whose data stay: asks, then demands.
    pub async fn end(&mut self) -> Result<(), Error> {
        let Some(pid) = self.pid() else { return Ok(()) };
        let program = Arc::clone(&self.program);
        for &(signal, limit) in &program.stop {
            // It can not be another process: a child keeps its number until we have waited for it.
            if let Err(error) = kill(pid, signal) {
                tracing::warn!(%pid, %signal, %error, "{} can not be signalled", program.name);
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

    /// Whether the server has ended, by itself or because something ended it. It then leaves nothing behind in the list of processes.
    pub fn has_ended(&mut self) -> Result<bool, Error> {
        self.exited()?;
        Ok(self.running.is_none())
    }

    /// The exit status if the server has ended; the guard is told.
    fn exited(&mut self) -> Result<Option<ExitStatus>, FileError> {
        let Some((child, pipe)) = &mut self.running else {
            return Ok(None);
        };
        let name = self.program.name;
        let status = child.try_wait().map_err(FileError::io(name.as_ref()))?;
        if status.is_some() {
            if let Err(error) = pipe.write_all(RELEASE) {
                tracing::debug!(%error, "the guard of {name} was gone");
            }
            self.running = None;
        }
        Ok(status)
    }

    /// The process id of the server, `None` when it has ended.
    pub fn pid(&self) -> Option<Pid> {
        let (child, _) = self.running.as_ref()?;
        i32::try_from(child.id()).ok().map(Pid::from_raw)
    }

    /// The port that it was started for.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if let Some((mut child, pipe)) = self.running.take() {
            drop(pipe);
            // Nobody waits for the server any more; this keeps it from staying behind as a zombie.
            std::thread::spawn(move || child.wait());
        }
    }
}

/// A port that was free a moment ago. The server binds it itself, so another process may come between.
fn free_port() -> Result<u16, FileError> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(FileError::io(Path::new("127.0.0.1")))
}

#[cfg(test)]
mod tests;
