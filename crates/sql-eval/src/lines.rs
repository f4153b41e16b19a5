//! Files of JSON lines, read in batches and processed on all cores.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use serde::de::DeserializeOwned;

use crate::Error;

/// A line that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    /// The name of the file.
    pub file: String,
    /// The line number, from 1.
    pub line: usize,
    /// Why the line could not be used.
    pub reason: String,
}

/// The counts of one worker. The counts of all workers are added up.
pub(crate) trait Tally: Default + Send {
    /// Adds the counts of another worker.
    fn add(&mut self, other: Self);

    /// Records a line that could not be used.
    fn skipped(&mut self, skipped: SkippedLine);
}

/// Number of lines that a worker takes at once.
const BATCH: usize = 64;

/// Parses every line of `path` that is not blank and passes it to `work`, on all cores. `work`
/// returns the reason if it cannot use a parsed line. The order of lines is not kept.
pub(crate) fn on_all_cores<T: Tally, L: DeserializeOwned>(
    path: &Path,
    work: impl Fn(&mut T, usize, L) -> Result<(), String> + Sync,
) -> Result<T, Error> {
    let lines = Mutex::new(Lines::open(path)?);
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let tallies: Vec<Result<T, Error>> = thread::scope(|scope| {
        let worker = || {
            let mut tally = T::default();
            loop {
                let batch = lines
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .batch()?;
                if batch.is_empty() {
                    return Ok(tally);
                }
                for (number, bytes) in batch {
                    let done = parse(&bytes).and_then(|line| work(&mut tally, number, line));
                    if let Err(reason) = done {
                        tally.skipped(skipped(path, number, reason));
                    }
                }
            }
        };
        let running: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        running
            .into_iter()
            .map(|worker| match worker.join() {
                Ok(tally) => tally,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    });
    let mut sum = T::default();
    for tally in tallies {
        sum.add(tally?);
    }
    Ok(sum)
}

fn parse<L: DeserializeOwned>(bytes: &[u8]) -> Result<L, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

pub(crate) fn skipped(path: &Path, line: usize, reason: String) -> SkippedLine {
    let file = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned();
    SkippedLine { file, line, reason }
}

struct Lines<'p> {
    path: &'p Path,
    reader: BufReader<File>,
    number: usize,
}

impl<'p> Lines<'p> {
    fn open(path: &'p Path) -> Result<Lines<'p>, Error> {
        let file = File::open(path).map_err(|source| Error {
            path: path.to_owned(),
            source,
        })?;
        Ok(Lines {
            path,
            reader: BufReader::with_capacity(1 << 16, file),
            number: 0,
        })
    }

    /// The next lines that are not blank, with their numbers; empty at the end.
    fn batch(&mut self) -> Result<Vec<(usize, Vec<u8>)>, Error> {
        let mut batch = Vec::with_capacity(BATCH);
        while batch.len() < BATCH {
            let mut line = Vec::new();
            let read = self.reader.read_until(b'\n', &mut line);
            if read.map_err(|source| Error {
                path: self.path.to_owned(),
                source,
            })? == 0
            {
                break;
            }
            self.number += 1;
            let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line);
            if !text.trim_ascii().is_empty() {
                batch.push((self.number, text.to_vec()));
            }
        }
        Ok(batch)
    }
}
