//! Reading documents in a process of their own, within limits.
//!
//! A document may come from any source, and the libraries that read one were not written to resist
//! an attacker: a PDF of a kilobyte may inflate to gigabytes, and a thread that has begun cannot be
//! stopped. So the program starts itself once more for each document ([`run_if_asked`] is what it
//! then does, and nothing else): the child limits its own memory, processor time and open files,
//! reads the document from its standard input, cuts it, and writes the chunks to its standard
//! output. It has no environment and writes no file. The parent limits how long it waits and how
//! much it reads, then kills the child. Whatever happens to the child, only one document is
//! refused.
//!
//! Every kind of document goes this way; a reader added to `readers` is limited without doing
//! anything for it.

mod child;

use std::collections::HashMap;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{AcquireError, Semaphore};

use crate::chunk::Chunk;
use crate::document::MediaType;
use crate::settings::{ChunkSettings, Settings};
use crate::{Error, readers};

pub use child::{run_if_asked, run_in_test};

/// The argument that makes a reader of a program.
const ARGUMENT: &str = "document-reader";
/// The name, or part of it, of the test that makes a reader of a test program.
const TEST: &str = "document_reader_child";
/// Set for the child alone: it keeps a test from reading when it is only run as a test.
const VARIABLE: &str = "HELIOGRAPH_DOCUMENT_READER";
/// The whole environment of a child. An allocator that reserves address space ahead (mimalloc: a
/// GiB) would give the child that much beyond its limit.
pub const ENVIRONMENT: [(&str, &str); 2] = [(VARIABLE, "1"), ("MIMALLOC_ARENA_RESERVE", "0")];
/// Stands before the answer: a test program writes lines of its own first.
const MARKER: &[u8] = b"\n\x01heliograph document\x01\n";
/// Maximum number of bytes that a child writes before the marker.
const NOISE: u64 = 64 * 1024;

/// Whether `main` calls [`run_if_asked`].
static MAIN_READS: OnceLock<()> = OnceLock::new();

/// The child's task; the document's bytes follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Job {
    kind: MediaType,
    /// Bytes of the document.
    length: u64,
    chunks: ChunkSettings,
    max_chunks: usize,
    /// Memory beyond what the program itself takes.
    memory_bytes: u64,
    /// Processor time.
    cpu_seconds: u64,
}

/// The child's reply.
#[derive(Debug, Serialize, Deserialize)]
enum ReaderReply {
    Read(ReadDocument),
    Broken(String),
    Encrypted,
    NoText(Option<String>),
    TooManyChunks(usize),
}

/// A document that was read and cut.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadDocument {
    /// The title that the document has itself.
    pub(crate) title: Option<String>,
    /// Number of pages that it has, for kinds that have pages.
    pub(crate) pages: Option<u32>,
    /// Pages that could not be read.
    pub(crate) unreadable_pages: u32,
    pub(crate) chunks: Vec<Chunk>,
}

/// The readers of documents. Their number is limited; where there are several, one tenant may use
/// all but one, so that a tenant that sends many documents leaves a reader for the others.
#[derive(Debug)]
pub(crate) struct Readers {
    free: Semaphore,
    per_tenant: usize,
    /// Tenants with documents that are being read or waiting.
    tenants: Mutex<HashMap<String, Weak<Semaphore>>>,
}

impl Readers {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            free: Semaphore::new(settings.readers.max(1)),
            per_tenant: settings.readers.saturating_sub(1).max(1),
            tenants: Mutex::default(),
        }
    }

    /// The turns of a tenant.
    fn of_tenant(&self, tenant: &str) -> Arc<Semaphore> {
        // What it guards is whole at any moment.
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        tenants.retain(|_, turns| turns.strong_count() > 0);
        if let Some(turns) = tenants.get(tenant).and_then(Weak::upgrade) {
            return turns;
        }
        let turns = Arc::new(Semaphore::new(self.per_tenant));
        tenants.insert(tenant.to_owned(), Arc::downgrade(&turns));
        turns
    }

    /// Reads a tenant's document and cuts it.
    pub(crate) async fn read(
        &self,
        tenant: &str,
        kind: MediaType,
        bytes: &[u8],
        settings: &Settings,
    ) -> Result<ReadDocument, Error> {
        let own = self.of_tenant(tenant);
        let turn =
            async { Ok::<_, AcquireError>((own.acquire().await?, self.free.acquire().await?)) };
        // Neither is ever closed.
        let Ok(Ok(_turn)) = tokio::time::timeout(settings.reader_wait, turn).await else {
            return Err(Error::Busy {
                readers: settings.readers,
            });
        };
        let job = Job {
            kind,
            length: bytes.len() as u64,
            chunks: settings.chunks,
            max_chunks: settings.max_chunks,
            memory_bytes: settings.reader_memory_bytes,
            cpu_seconds: settings.read_timeout.as_secs().max(1),
        };
        let document = read(&job, bytes, settings).await?;
        if document.unreadable_pages > 0 {
            tracing::warn!(
                pages = document.unreadable_pages,
                "pages of a document cannot be read"
            );
        }
        Ok(document)
    }
}

async fn read(job: &Job, bytes: &[u8], settings: &Settings) -> Result<ReadDocument, Error> {
    let mut child = command()?.spawn().map_err(Error::Reader)?;
    let outcome = tokio::time::timeout(
        settings.read_timeout,
        talk(&mut child, job, bytes, settings),
    )
    .await;
    let heard = match outcome {
        Ok(Ok(heard)) => heard,
        // The child ends before its slot is free again.
        Ok(Err(error)) => {
            end(&mut child).await;
            return Err(error);
        }
        Err(_) => {
            end(&mut child).await;
            return Err(Error::TooSlow);
        }
    };
    let Ok(status) = tokio::time::timeout(EXIT, child.wait()).await else {
        end(&mut child).await;
        return Err(Error::TooSlow);
    };
    let status = status.map_err(Error::Reader)?;
    match answer(&heard) {
        Some(answer) => document(answer, settings),
        None => Err(died(status, settings)),
    }
}

/// Time that a child that has answered, or closed its output, may take to end.
const EXIT: Duration = Duration::from_secs(10);

/// Gives the child its work and hears what it says. Its input stays open until then: the child ends
/// when it closes.
async fn talk(
    child: &mut Child,
    job: &Job,
    bytes: &[u8],
    settings: &Settings,
) -> Result<Vec<u8>, Error> {
    let (input, output) = (child.stdin.take(), child.stdout.take());
    let (Some(mut input), Some(output)) = (input, output) else {
        return Err(Error::Reader(std::io::Error::other("it has no pipes")));
    };
    // A child that has ended, or met its limits, reads no more; what it said says why.
    let _ = give(&mut input, job, bytes).await;
    let heard = hear(output, settings.max_text_bytes).await;
    drop(input);
    heard
}

async fn give(input: &mut ChildStdin, job: &Job, bytes: &[u8]) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(job)?;
    line.push(b'\n');
    input.write_all(&line).await?;
    input.write_all(bytes).await?;
    input.flush().await
}

async fn hear(output: ChildStdout, most: u64) -> Result<Vec<u8>, Error> {
    let most = most.saturating_add(NOISE);
    let mut heard = Vec::new();
    output
        .take(most + 1)
        .read_to_end(&mut heard)
        .await
        .map_err(Error::Reader)?;
    if heard.len() as u64 > most {
        return Err(Error::TooMuchText {
            limit: most - NOISE,
        });
    }
    Ok(heard)
}

/// Kills the child and waits until it has ended.
async fn end(child: &mut Child) {
    if let Err(error) = child.kill().await {
        tracing::warn!(%error, "a document's reader could not be killed");
    }
}

fn answer(heard: &[u8]) -> Option<ReaderReply> {
    let at = heard
        .windows(MARKER.len())
        .position(|window| window == MARKER)?;
    serde_json::from_slice(&heard[at + MARKER.len()..]).ok()
}

fn document(answer: ReaderReply, settings: &Settings) -> Result<ReadDocument, Error> {
    match answer {
        ReaderReply::Read(document) => Ok(document),
        ReaderReply::Broken(why) => Err(Error::Broken(why)),
        ReaderReply::Encrypted => Err(Error::Encrypted),
        ReaderReply::NoText(why) => Err(Error::NoText(why)),
        ReaderReply::TooManyChunks(chunks) => Err(Error::TooManyChunks {
            chunks,
            limit: settings.max_chunks,
        }),
    }
}

/// Why a child gave no answer.
fn died(status: ExitStatus, settings: &Settings) -> Error {
    use std::os::unix::process::ExitStatusExt;
    match status.signal() {
        // Its processor time is used up: a warning, then the end.
        Some(signal) if signal == Signal::SIGXCPU as i32 || signal == Signal::SIGKILL as i32 => {
            Error::TooSlow
        }
        // Memory that is refused ends a Rust program with SIGABRT, as a stack that is too deep
        // does.
        Some(_) => Error::TooDemanding {
            limit: settings.reader_memory_bytes,
        },
        None => Error::Reader(std::io::Error::other(format!(
            "it ended without an answer ({status}); does this program's main call knowledge::reader_process::run_if_asked?"
        ))),
    }
}

/// This program once more, as a reader.
fn command() -> Result<Command, Error> {
    if std::env::var_os(VARIABLE).is_some() {
        return Err(Error::Reader(std::io::Error::other(
            "a document's reader reads no other document",
        )));
    }
    let own = std::env::current_exe().map_err(Error::Reader)?;
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
        return Err(Error::Reader(std::io::Error::other(
            "this program's main does not call knowledge::reader_process::run_if_asked",
        )));
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

/// Creates a test program able to read documents: the test that it adds does so when the program is
/// started as a reader, and nothing when it is run as a test.
#[macro_export]
macro_rules! document_reader_for_tests {
    () => {
        #[test]
        fn document_reader_child() {
            $crate::reader_process::run_in_test();
        }
    };
}

/// The child's work on the document.
fn read_and_cut(job: &Job, bytes: &[u8]) -> ReaderReply {
    let (document, unreadable_pages) = match readers::read(job.kind, bytes) {
        Ok(read) => read,
        Err(Error::Encrypted) => return ReaderReply::Encrypted,
        Err(Error::NoText(why)) => return ReaderReply::NoText(why),
        Err(Error::Broken(why)) => return ReaderReply::Broken(why),
        Err(error) => return ReaderReply::Broken(error.to_string()),
    };
    let chunks = crate::chunk::chunks(&document, job.chunks);
    if chunks.len() > job.max_chunks {
        return ReaderReply::TooManyChunks(chunks.len());
    }
    ReaderReply::Read(ReadDocument {
        title: document.title,
        pages: document.pages,
        unreadable_pages,
        chunks,
    })
}

#[cfg(test)]
mod tests;
