//! The parent: starts a child, gives it bytes, takes its frames, and ends it.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::Instant;

use crate::{ARGUMENT, ENVIRONMENT, Header, Job, MAIN_READS, MARKER, PANICKED, TEST, VARIABLE};

/// Maximum number of bytes that a child writes before the marker.
const NOISE: usize = 64 * 1024;
/// Time that a child that closed its output may take to end.
const EXIT: Duration = Duration::from_secs(10);

/// The limits of a child.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Memory beyond what the program itself takes.
    pub memory_bytes: u64,
    /// Processor time.
    pub cpu: Duration,
    /// Time without a frame while the parent waits for one.
    pub silence: Duration,
    /// Time for everything, if that is limited.
    pub whole: Option<Duration>,
    /// Bytes of all frames.
    pub output_bytes: u64,
}

/// Why a child gave no more frames.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It took too long.
    #[error("the file takes longer to read than it may")]
    TimeLimit,
    /// It needed more memory than it may use, or its stack was too deep.
    #[error(
        "the file takes more memory to read than the {} MiB that it may, or its parts are nested too deeply",
        .limit / (1024 * 1024)
    )]
    MemoryLimit {
        /// The limit, bytes.
        limit: u64,
    },
    /// It gave more than is taken.
    #[error("the file has more content than the {limit} bytes that it may have")]
    OutputLimit {
        /// The limit, bytes.
        limit: u64,
    },
    /// The reader panicked.
    #[error("the file cannot be read: its structure makes no sense")]
    Unreadable,
    /// There is no child, or it broke a rule.
    #[error("the process that reads the file failed")]
    Failed(#[source] io::Error),
}

/// A child at work. Dropped, it is killed.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Open until the end: the child ends when it closes.
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    limits: Limits,
    deadline: Option<Instant>,
    /// Bytes of frames that the child may still give.
    left: u64,
    has_begun: bool,
}

impl Process {
    /// Starts a child with a task.
    pub async fn start(job: &Job, task: &impl Serialize, limits: Limits) -> Result<Self, Error> {
        let mut child = command()?.spawn().map_err(Error::Failed)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes"));
        };
        let mut process = Self {
            child,
            input,
            output: BufReader::new(output),
            limits,
            deadline: limits.whole.map(|whole| Instant::now() + whole),
            left: limits.output_bytes,
            has_begun: false,
        };
        let header = Header {
            job: job.name.to_owned(),
            memory_bytes: limits.memory_bytes,
            cpu_seconds: limits.cpu.as_secs().max(1),
            task: serde_json::to_value(task).map_err(|error| Error::Failed(error.into()))?,
        };
        let mut line = serde_json::to_vec(&header).map_err(|error| Error::Failed(error.into()))?;
        line.push(b'\n');
        process.send_bytes(&line).await?;
        Ok(process)
    }

    /// Gives the child bytes. One that has ended, or met its limits, takes none; the next
    /// [`frame`](Self::frame) says why.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let until = self.until();
        let input = &mut self.input;
        let sending = async {
            input.write_all(bytes).await?;
            input.flush().await
        };
        match tokio::time::timeout_at(until, sending).await {
            Ok(_) => Ok(()),
            Err(_) => Err(self.kill(Error::TimeLimit).await),
        }
    }

    /// The next frame. `None` after the last one of a child that ended as it should.
    pub async fn frame(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let received = match tokio::time::timeout_at(self.until(), self.receive()).await {
            Ok(received) => received,
            Err(_) => Err(NotReceived::Refused(Error::TimeLimit)),
        };
        match received {
            Ok(frame) => Ok(Some(frame)),
            Err(NotReceived::End) => self.ended().await,
            Err(NotReceived::Refused(error)) => Err(self.kill(error).await),
        }
    }

    /// The next frame as the value that the child sent.
    pub async fn value<T: DeserializeOwned>(&mut self) -> Result<T, Error> {
        let frame = self.frame().await?;
        let frame = frame.ok_or_else(|| failed("it ended without an answer"))?;
        serde_json::from_slice(&frame).map_err(|error| Error::Failed(error.into()))
    }

    /// Waits until the child has ended after its last frame.
    pub async fn finish(mut self) -> Result<(), Error> {
        match self.frame().await? {
            None => Ok(()),
            Some(_) => Err(self.kill(failed("it says more than it should")).await),
        }
    }

    fn until(&self) -> Instant {
        let until = Instant::now() + self.limits.silence;
        self.deadline.map_or(until, |deadline| deadline.min(until))
    }

    async fn receive(&mut self) -> Result<Vec<u8>, NotReceived> {
        if !self.has_begun {
            skip_noise(&mut self.output).await?;
            self.has_begun = true;
        }
        let length = u64::from(self.output.read_u32().await?);
        if length > self.left {
            let limit = self.limits.output_bytes;
            return Err(NotReceived::Refused(Error::OutputLimit { limit }));
        }
        self.left -= length;
        let mut frame = Vec::new();
        let taken = (&mut self.output)
            .take(length)
            .read_to_end(&mut frame)
            .await?;
        if taken as u64 == length {
            Ok(frame)
        } else {
            Err(NotReceived::End)
        }
    }

    /// The end of a child that closed its output.
    async fn ended(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let Ok(status) = tokio::time::timeout(EXIT, self.child.wait()).await else {
            return Err(self.kill(Error::TimeLimit).await);
        };
        let status = status.map_err(Error::Failed)?;
        if status.success() {
            return Ok(None);
        }
        Err(self.died(status))
    }

    /// Kills the child and waits until it has ended.
    async fn kill(&mut self, error: Error) -> Error {
        if let Err(error) = self.child.kill().await {
            tracing::warn!(%error, "the process that reads a file could not be killed");
        }
        error
    }

    /// Why a child gave no answer.
    fn died(&self, status: ExitStatus) -> Error {
        use std::os::unix::process::ExitStatusExt;
        if status.code() == Some(PANICKED) {
            return Error::Unreadable;
        }
        match status.signal() {
            // Its processor time is used up: a warning, then the end.
            Some(signal)
                if signal == Signal::SIGXCPU as i32 || signal == Signal::SIGKILL as i32 =>
            {
                Error::TimeLimit
            }
            // Memory that is refused ends a Rust program with SIGABRT, as a stack that is too deep
            // does.
            Some(_) => Error::MemoryLimit {
                limit: self.limits.memory_bytes,
            },
            None => Error::Failed(io::Error::other(format!(
                "it ended without an answer ({status}); does this program's main call limited_process::run_if_asked with this job?"
            ))),
        }
    }
}

/// Why a frame was not received.
enum NotReceived {
    /// The output was closed.
    End,
    Refused(Error),
}

impl From<io::Error> for NotReceived {
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return Self::End;
        }
        Self::Refused(Error::Failed(error))
    }
}

fn failed(why: &str) -> Error {
    Error::Failed(io::Error::other(why.to_owned()))
}

/// Reads up to the end of the marker.
async fn skip_noise(output: &mut BufReader<ChildStdout>) -> Result<(), NotReceived> {
    let mut seen = Vec::new();
    while !seen.ends_with(MARKER) {
        if seen.len() > NOISE {
            return Err(NotReceived::Refused(failed(
                "it writes something else first",
            )));
        }
        seen.push(output.read_u8().await?);
    }
    Ok(())
}

/// This program once more, as a child.
fn command() -> Result<Command, Error> {
    if std::env::var_os(VARIABLE).is_some() {
        return Err(failed("a process that reads a file starts no other one"));
    }
    let own = std::env::current_exe().map_err(Error::Failed)?;
    // The file may have been replaced since this process began; this is the one that runs.
    let itself = Path::new("/proc/self/exe");
    let mut command = if itself.exists() {
        Command::new(itself)
    } else {
        Command::new(&own)
    };
    if MAIN_READS.get().is_some() {
        command.arg(ARGUMENT);
    } else if is_test(&own) {
        command.args([TEST, "--nocapture", "--test-threads=1"]);
    } else {
        return Err(failed(
            "this program's main does not call limited_process::run_if_asked",
        ));
    }
    command
        .env_clear()
        .envs(ENVIRONMENT)
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    Ok(command)
}

/// Cargo puts the programs that it makes of tests here. No other program may be started once more
/// with arguments it does not know.
fn is_test(own: &Path) -> bool {
    own.parent().is_some_and(|folder| folder.ends_with("deps"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_program_is_started_with_arguments_it_does_not_know() {
        assert!(is_test(Path::new("/x/target/debug/deps/it-0123")));
        assert!(!is_test(Path::new("/usr/local/bin/heliograph")));
    }
}
