//! The child: limits itself, then reads one document.

use std::io::{BufRead, BufReader, Read, Stdin, StdinLock, Write};
use std::process::exit;

use nix::sys::resource::{Resource, setrlimit};

use super::{ARGUMENT, Job, MAIN_READS, MARKER, ReaderReply, VARIABLE, read_and_cut};

/// Maximum length of the first line, which the parent writes.
const LONGEST_JOB: u64 = 4096;
/// Documents may be nested deeply, and some readers recurse.
const STACK: usize = 32 << 20;

/// The exit code of a child that cannot start to read.
const BROKEN: i32 = 70;

/// Reads one document, if this process was started for that, and ends it, otherwise does nothing.
/// `main` calls it before anything else, in every program that takes documents in.
pub fn run_if_asked() {
    let _ = MAIN_READS.set(());
    let mut arguments = std::env::args_os().skip(1);
    let asked = arguments.next().is_some_and(|first| first == ARGUMENT)
        && std::env::var_os(VARIABLE).is_some();
    if asked {
        run();
    }
}

/// The same for the programs that cargo makes of tests; see
/// [`document_reader_for_tests`](crate::document_reader_for_tests).
pub fn run_in_test() {
    if std::env::var_os(VARIABLE).is_some() {
        run();
    }
}

fn run() -> ! {
    // What a reader says when it panics would be of the document.
    std::panic::set_hook(Box::new(|_| {}));
    let stdin = std::io::stdin();
    let Some((job, bytes)) = begin(&stdin) else {
        exit(BROKEN)
    };
    // The parent holds the other end until it has its answer: when that closes, the answer is no
    // longer needed.
    std::thread::spawn(move || {
        let _ = stdin.lock().read(&mut [0]);
        exit(BROKEN)
    });
    let reading = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(move || read_and_cut(&job, &bytes));
    let answer = match reading.map(std::thread::JoinHandle::join) {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => ReaderReply::Broken("its structure makes no sense".to_owned()),
        Err(_) => exit(BROKEN),
    };
    let mut out = std::io::stdout().lock();
    let told = serde_json::to_vec(&answer)
        .map_err(std::io::Error::other)
        .and_then(|answer| {
            out.write_all(MARKER)?;
            out.write_all(&answer)?;
            out.flush()
        });
    exit(if told.is_ok() { 0 } else { BROKEN })
}

/// Limits this process as the first line says, then reads the document.
fn begin(stdin: &Stdin) -> Option<(Job, Vec<u8>)> {
    let mut input: BufReader<StdinLock<'_>> = BufReader::with_capacity(64, stdin.lock());
    let mut line = Vec::new();
    (&mut input)
        .take(LONGEST_JOB)
        .read_until(b'\n', &mut line)
        .ok()?;
    let job: Job = serde_json::from_slice(&line).ok()?;
    limit(&job)?;
    let length = usize::try_from(job.length).ok()?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    Some((job, bytes))
}

/// Memory, processor time, files: `None` if one of the limits cannot be set.
fn limit(job: &Job) -> Option<()> {
    // Should the machine run out of memory nevertheless, this process goes first.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    let memory = own_memory()?.saturating_add(job.memory_bytes);
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
        job.cpu_seconds,
        job.cpu_seconds.saturating_add(1),
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
