//! Starts a server's process, waits until it is ready, and stops it.

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

/// Time limit of a start, including recovery after a crash.
const START_LIMIT: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(10);
/// Maximum number of attempts to start.
const ATTEMPTS: usize = 8;
/// The log message of a server whose port another process has taken.
const TAKEN: &str = "Address already in use";

/// The properties of a server's program.
#[derive(Debug)]
pub struct Program {
    /// The name for messages.
    pub name: &'static str,
    /// The log file, which is created again for each start.
    pub log: PathBuf,
    /// The log message of a failed start that can be repeated, other than for a taken port.
    pub passing: &'static [&'static str],
    /// The signals that stop it in order, with the time limit of each.
    pub stop: Vec<(Signal, Duration)>,
    /// The folder with temporary data, which is removed after the stop.
    pub remove: Option<PathBuf>,
}

/// A running server. Dropping it closes the guard's pipe, which stops the server.
#[derive(Debug)]
pub struct ServerProcess {
    /// The server and the pipe to its guard; `None` once it has ended.
    running: Option<(Child, ChildStdin)>,
    program: Arc<Program>,
    port: u16,
}

/// Starts a server and waits until it accepts connections on `port`, or on a free one. `command` is
/// the guarded command for a port ([`Guard::command`](super::Guard::command)), `is_ready` checks
/// whether the server has reported that it is ready.
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
            program: self.program.name,
            reason,
            log: command::tail(&String::from_utf8_lossy(&log)).to_owned(),
        }
    }

    /// Stops the server and removes temporary data.
    pub async fn stop(mut self) -> Result<(), Error> {
        self.end().await?;
        if let Some(folder) = &self.program.remove {
            remove_folder(folder)?;
        }
        Ok(())
    }

    /// Stops the server with the signals in order. Its data stay.
    pub async fn end(&mut self) -> Result<(), Error> {
        let Some(pid) = self.pid() else { return Ok(()) };
        let program = Arc::clone(&self.program);
        for &(signal, limit) in &program.stop {
            // This cannot be another process: a child keeps its id until its parent has waited for
            // it.
            if let Err(error) = kill(pid, signal) {
                tracing::warn!(%pid, %signal, %error, "{} cannot be signalled", program.name);
            }
            let start = Instant::now();
            while start.elapsed() < limit {
                if self.exited()?.is_some() {
                    return Ok(());
                }
                tokio::time::sleep(POLL).await;
            }
        }
        Err(Error::NotStopped {
            program: program.name,
            pid: pid.as_raw(),
        })
    }

    /// Whether the server has ended, for any reason. This also removes the zombie process.
    pub fn has_ended(&mut self) -> Result<bool, Error> {
        self.exited()?;
        Ok(self.running.is_none())
    }

    /// The exit status if the server has ended. The guard is notified.
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

    /// The process id of the server; `None` if it has ended.
    pub fn pid(&self) -> Option<Pid> {
        let (child, _) = self.running.as_ref()?;
        i32::try_from(child.id()).ok().map(Pid::from_raw)
    }

    /// The port of the server.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if let Some((mut child, pipe)) = self.running.take() {
            drop(pipe);
            // The caller does not wait for the server any more. Waiting here prevents a zombie
            // process.
            std::thread::spawn(move || child.wait());
        }
    }
}

/// A port that was free a moment ago. Another process can take it before the server binds it.
fn free_port() -> Result<u16, FileError> {
    let listener =
        TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| listener.local_addr());
    listener
        .map(|address| address.port())
        .map_err(FileError::io(Path::new("127.0.0.1")))
}

#[cfg(test)]
mod tests;
