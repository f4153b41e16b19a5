//! The child: limits itself, then does the work of one job.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Read, Stdin, Write};
use std::os::fd::AsFd;
use std::process::exit;

use nix::sys::resource::{Resource, setrlimit};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{ARGUMENT, BROKEN, Header, Job, MAIN_READS, MARKER, PANICKED, VARIABLE};

/// Maximum length of the first line, which the parent writes.
const LONGEST_HEADER: u64 = 64 << 20;
/// Files may be nested deeply, and some readers recurse.
const STACK: usize = 32 << 20;
/// Bytes that are collected before they are written.
const BUFFER: usize = 64 << 10;

/// A child's channel to its parent: the task, the bytes that it receives, the frames that it sends.
pub struct ParentChannel {
    task: Value,
    input: Stdin,
    output: BufWriter<File>,
}

/// Does the work that this process was started for, and ends it; does nothing if it was started
/// for something else. `main` calls it before anything else.
pub fn run_if_asked(jobs: &[Job]) {
    let _ = MAIN_READS.set(());
    let mut arguments = std::env::args_os().skip(1);
    let asked = arguments.next().is_some_and(|first| first == ARGUMENT)
        && std::env::var_os(VARIABLE).is_some();
    if asked {
        run(jobs);
    }
}

/// The same for the programs that cargo makes of tests; see
/// [`limited_process_for_tests`](crate::limited_process_for_tests).
pub fn run_in_test(jobs: &[Job]) {
    if std::env::var_os(VARIABLE).is_some() {
        run(jobs);
    }
}

fn run(jobs: &[Job]) -> ! {
    // The message of a panic would have parts of the file.
    std::panic::set_hook(Box::new(|_| {}));
    let Some((job, mut channel)) = begin(jobs) else {
        exit(BROKEN)
    };
    let work = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || (job.run)(&mut channel).and_then(|()| channel.flush()));
    exit(match work.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(()))) => 0,
        Ok(Err(_)) => PANICKED,
        Ok(Ok(Err(_))) | Err(_) => BROKEN,
    })
}

/// Limits this process as the first line says.
fn begin(jobs: &[Job]) -> Option<(Job, ParentChannel)> {
    let input = io::stdin();
    let mut line = Vec::new();
    input
        .lock()
        .take(LONGEST_HEADER)
        .read_until(b'\n', &mut line)
        .ok()?;
    let header: Header = serde_json::from_slice(&line).ok()?;
    drop(line);
    let job = jobs.iter().find(|job| job.name == header.job)?;
    limit(&header)?;
    let mut stdout = io::stdout();
    stdout.flush().ok()?;
    let output = File::from(stdout.as_fd().try_clone_to_owned().ok()?);
    let mut output = BufWriter::with_capacity(BUFFER, output);
    output.write_all(MARKER).ok()?;
    let channel = ParentChannel {
        task: header.task,
        input,
        output,
    };
    Some((*job, channel))
}

/// Memory, processor time, files: `None` if one of the limits cannot be set.
fn limit(header: &Header) -> Option<()> {
    // Should the machine run out of memory nevertheless, this process goes first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let memory = own_memory()?
        .saturating_add(STACK as u64)
        .saturating_add(header.memory_bytes);
    // It opens no file any more, writes none and leaves no image of its memory.
    for (resource, most) in [
        (Resource::RLIMIT_AS, memory),
        (Resource::RLIMIT_FSIZE, 0),
        (Resource::RLIMIT_CORE, 0),
    ] {
        setrlimit(resource, most, most).ok()?;
    }
    // Beyond the soft limit a process may continue; beyond the hard one it may not.
    setrlimit(
        Resource::RLIMIT_CPU,
        header.cpu_seconds,
        header.cpu_seconds.saturating_add(1),
    )
    .ok()
}

/// The address space of the program itself, most of which is the mapped program file.
fn own_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmSize:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

impl ParentChannel {
    /// The task.
    pub fn task<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        Ok(serde_json::from_value(self.task.take())?)
    }

    /// The whole file, where the parent gives it at once. From then on this process ends when the
    /// parent closes the input: the frames are no longer needed.
    pub fn whole_input(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let length = usize::try_from(length).map_err(io::Error::other)?;
        let mut bytes = vec![0; length];
        self.read_exact(&mut bytes)?;
        std::thread::spawn(|| {
            let _ = io::stdin().lock().read(&mut [0]);
            exit(BROKEN)
        });
        Ok(bytes)
    }

    /// Fills a buffer with what the parent gives next.
    pub fn read_exact(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.input.read_exact(bytes)
    }

    /// Sends a frame.
    pub fn send_bytes(&mut self, frame: &[u8]) -> io::Result<()> {
        let length = u32::try_from(frame.len()).map_err(io::Error::other)?;
        self.output.write_all(&length.to_be_bytes())?;
        self.output.write_all(frame)
    }

    /// Sends a value as a frame of JSON.
    pub fn send(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.send_bytes(&serde_json::to_vec(value)?)
    }

    /// Writes what was sent.
    pub fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
