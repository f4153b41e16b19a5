//! Reading a stored file in a process of its own: the child asks for the parts of the file that it
//! needs, and sends rows as it reads them.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::rc::Rc;
use std::time::Duration;

use contracts::imports::ColumnMapping;
use limited_process::{Error, Job, Limits, ParentChannel, Process};
use plant_files::{FileError, Format, Row, Sample, Sink};
use serde::{Deserialize, Serialize};

use super::Options;
use super::file::{CHUNK_BYTES, StoredFile};
use super::sent::{Batch, Fault};
use crate::ingest::config::IngestConfig;

/// Reading a file of a logger, or a table of readings.
pub(crate) const JOB: Job = Job {
    name: "readings",
    run: work,
};

/// Rows that are sent at once.
const SENT_ROWS: usize = 500;
/// Chunks of the file that the child keeps: an SQLite file is read here and there.
const KEPT_CHUNKS: usize = 8;
/// Bytes that rows may have beyond a multiple of those of their file.
const OUTPUT: (u64, u64) = (1 << 30, 128);

/// The child's task; it asks for the bytes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) filename: String,
    pub(super) size: u64,
    pub(super) options: Options,
    pub(super) shape: Shape,
}

/// The format and the mapping of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Shape {
    /// To be found: the mapping is that of the options, one of these, or a guess.
    Open(Vec<ColumnMapping>),
    /// As a preview found it.
    Found(Found),
}

/// The format of a file, and the mapping if it is a table.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Found {
    pub(super) format: Format,
    pub(super) mapping: Option<ColumnMapping>,
    /// Whether the mapping is one of those that were remembered.
    pub(super) is_remembered: bool,
}

/// A frame of the child.
#[derive(Serialize, Deserialize)]
enum Frame {
    /// It needs this chunk of the file.
    Chunk(u64),
    Found(Found),
    Rows(Batch),
    /// The file cannot be read, or not to its end.
    Fault(Fault),
}

/// A file that is being read.
pub(super) struct Reading {
    process: Process,
    file: StoredFile,
    limits: Limits,
}

impl Reading {
    /// Begins to read; the format and mapping of the file.
    pub(super) async fn start(
        file: StoredFile,
        task: &Task,
        config: &IngestConfig,
    ) -> Result<(Self, Found), FileError> {
        let limits = limits(config, task.size);
        let process = Process::start(&JOB, task, limits).await;
        let mut reading = Self {
            process: process.map_err(|error| refused(error, &limits))?,
            file,
            limits,
        };
        match reading.receive().await? {
            Some(Frame::Found(found)) => Ok((reading, found)),
            _ => Err(unexpected()),
        }
    }

    /// The next rows. `None` after the last one.
    pub(super) async fn batch(&mut self) -> Result<Option<Batch>, FileError> {
        match self.receive().await? {
            None => Ok(None),
            Some(Frame::Rows(batch)) => Ok(Some(batch)),
            Some(_) => Err(unexpected()),
        }
    }

    /// The next frame, after the child has the chunks that it asks for.
    async fn receive(&mut self) -> Result<Option<Frame>, FileError> {
        loop {
            let frame = self.process.frame().await;
            let frame = frame.map_err(|error| refused(error, &self.limits))?;
            let Some(frame) = frame else {
                return Ok(None);
            };
            match serde_json::from_slice(&frame).map_err(io::Error::other)? {
                Frame::Chunk(number) => {
                    let bytes = self.file.chunk(number).await?;
                    let given = self.process.send_bytes(&bytes).await;
                    given.map_err(|error| refused(error, &self.limits))?;
                }
                Frame::Fault(fault) => return Err(fault.into()),
                frame => return Ok(Some(frame)),
            }
        }
    }
}

/// A large file may take longer than a small one.
fn limits(config: &IngestConfig, size: u64) -> Limits {
    let time = Duration::from_millis(config.file_timeout_ms);
    let time = time.saturating_add(Duration::from_secs(size / (1024 * 1024)));
    let (least, ratio) = OUTPUT;
    Limits {
        memory_bytes: config.file_memory_bytes,
        cpu: time,
        silence: time,
        whole: None,
        output_bytes: size.saturating_mul(ratio).saturating_add(least),
    }
}

fn refused(error: Error, limits: &Limits) -> FileError {
    FileError::Damaged(match error {
        Error::TimeLimit => format!(
            "the file takes longer to read than the {} seconds that it may",
            limits.cpu.as_secs()
        ),
        Error::Failed(error) => return FileError::Io(error),
        error => error.to_string(),
    })
}

fn unexpected() -> FileError {
    FileError::Io(io::Error::other(
        "the process that reads the file did not say what it was asked for",
    ))
}

type SharedChannel<'d> = Rc<RefCell<&'d mut ParentChannel>>;

fn work(channel: &mut ParentChannel) -> io::Result<()> {
    let task: Task = channel.task()?;
    let channel = Rc::new(RefCell::new(channel));
    match read(&channel, task) {
        Ok(()) => Ok(()),
        Err(fault) => channel.borrow_mut().send(&Frame::Fault(fault.into())),
    }
}

fn read(channel: &SharedChannel<'_>, task: Task) -> Result<(), FileError> {
    let mut file = RemoteFile::new(Rc::clone(channel), task.size);
    let found = match task.shape {
        Shape::Found(found) => found,
        Shape::Open(known) => find(&mut file, &task.filename, &task.options, &known)?,
    };
    channel.borrow_mut().send(&Frame::Found(found.clone()))?;
    let settings = task.options.settings(&task.filename, found.mapping);
    let mut sender = Sender {
        channel: Rc::clone(channel),
        batch: Batch::default(),
        broken: None,
    };
    plant_files::read(found.format, &mut file, &settings, &mut sender)?;
    sender.send()?;
    Ok(())
}

fn find(
    file: &mut dyn plant_files::Input,
    filename: &str,
    options: &Options,
    known: &[ColumnMapping],
) -> Result<Found, FileError> {
    let format = format_of(file, filename, options, known)?;
    let (mapping, is_remembered) = match &options.mapping {
        _ if !format.is_table() => (None, false),
        Some(mapping) => (Some(mapping.clone()), false),
        None => mapping_of(file, format, known)?,
    };
    Ok(Found {
        format,
        mapping,
        is_remembered,
    })
}

/// Recognises a file by its content.
fn format_of(
    file: &mut dyn plant_files::Input,
    filename: &str,
    options: &Options,
    known: &[ColumnMapping],
) -> Result<Format, FileError> {
    let mut start = Vec::new();
    file.rewind()?;
    (&mut *file).take(64 * 1024).read_to_end(&mut start)?;
    file.rewind()?;
    let found = plant_files::recognise(&Sample::new(filename, &start));
    let Some(chosen) = options.format else {
        return match found {
            // Nothing shows that it is a table, but a person has said what its columns are.
            Err(FileError::Unknown(_))
                if options.mapping.is_some() || remembered(file, Format::Csv, known)?.is_some() =>
            {
                Ok(Format::Csv)
            }
            found => found,
        };
    };
    match found {
        Err(FileError::Empty) => Err(FileError::Empty),
        Ok(found) if found != chosen && !chosen.is_table() => Err(FileError::Needed(format!(
            "the file is named as {}, but its content is that of {}; leave the format out, or read it as a table",
            chosen.name(),
            found.name()
        ))),
        _ => Ok(chosen),
    }
}

/// The mapping of a table: a remembered one, or a guess.
fn mapping_of(
    file: &mut dyn plant_files::Input,
    format: Format,
    known: &[ColumnMapping],
) -> Result<(Option<ColumnMapping>, bool), FileError> {
    if let Some(known) = remembered(file, format, known)? {
        return Ok((Some(known), true));
    }
    let guess = plant_files::table::guess(format, file, None)?;
    Ok((Some(guess), false))
}

/// The remembered mapping that fits a table.
fn remembered(
    file: &mut dyn plant_files::Input,
    format: Format,
    known: &[ColumnMapping],
) -> Result<Option<ColumnMapping>, FileError> {
    for known in known {
        if plant_files::table::fits(format, file, known)? {
            return Ok(Some(known.clone()));
        }
    }
    Ok(None)
}

/// Sends rows to the parent.
struct Sender<'d> {
    channel: SharedChannel<'d>,
    batch: Batch,
    /// Why the parent takes no more.
    broken: Option<io::Error>,
}

impl Sender<'_> {
    fn send(&mut self) -> io::Result<()> {
        if let Some(broken) = self.broken.take() {
            return Err(broken);
        }
        let batch = std::mem::take(&mut self.batch);
        let mut channel = self.channel.borrow_mut();
        channel.send(&Frame::Rows(batch))?;
        channel.flush()
    }
}

impl Sink for Sender<'_> {
    fn row(&mut self, row: Row) -> ControlFlow<()> {
        self.batch.add(row);
        let is_full = self.batch.rows.len() >= SENT_ROWS || self.batch.is_large();
        if is_full && let Err(error) = self.send() {
            self.broken = Some(error);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn note(&mut self, note: String) {
        self.batch.note(note);
    }

    fn merged(&mut self) {
        self.batch.merged += 1;
    }
}

/// The file, whose chunks the parent has.
struct RemoteFile<'d> {
    channel: SharedChannel<'d>,
    size: u64,
    at: u64,
    /// The newest last.
    chunks: VecDeque<(u64, Vec<u8>)>,
}

impl<'d> RemoteFile<'d> {
    fn new(channel: SharedChannel<'d>, size: u64) -> Self {
        Self {
            channel,
            size,
            at: 0,
            chunks: VecDeque::new(),
        }
    }

    fn chunk(&mut self, number: u64) -> io::Result<&[u8]> {
        let known = self.chunks.iter().position(|(known, _)| *known == number);
        let chunk = match known.and_then(|place| self.chunks.remove(place)) {
            Some(chunk) => chunk,
            None => (number, self.fetch(number)?),
        };
        if self.chunks.len() >= KEPT_CHUNKS {
            self.chunks.pop_front();
        }
        self.chunks.push_back(chunk);
        let newest = self.chunks.back();
        Ok(newest.map_or(&[], |(_, bytes)| bytes.as_slice()))
    }

    fn fetch(&self, number: u64) -> io::Result<Vec<u8>> {
        let left = self.size - number * CHUNK_BYTES as u64;
        let length = usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES));
        let mut bytes = vec![0; length];
        let mut channel = self.channel.borrow_mut();
        channel.send(&Frame::Chunk(number))?;
        channel.flush()?;
        channel.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Read for RemoteFile<'_> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size || target.is_empty() {
            return Ok(0);
        }
        let start = usize::try_from(self.at % CHUNK_BYTES as u64).map_err(io::Error::other)?;
        let chunk = self.chunk(self.at / CHUNK_BYTES as u64)?;
        let rest = chunk.get(start..).unwrap_or_default();
        let count = rest.len().min(target.len());
        target[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for RemoteFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(offset) => self.size.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.at.checked_add_signed(offset),
        };
        self.at = at.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "a place before the file")
        })?;
        Ok(self.at)
    }
}
