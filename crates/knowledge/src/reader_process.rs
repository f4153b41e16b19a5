//! Reading documents in a process of their own, within limits.
//!
//! Every kind of document goes this way ([`limited_process`] says how): a reader added to `readers`
//! is limited without doing anything for it. The child reads and cuts one document; the parent
//! decides whose turn it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use limited_process::{Job, Limits, ParentChannel, Process};
use serde::{Deserialize, Serialize};
use tokio::sync::{AcquireError, Semaphore};

use crate::chunk::Chunk;
use crate::document::MediaType;
use crate::settings::{ChunkSettings, Settings};
use crate::{Error, readers};

/// Reading a document: programs that take documents in list it among their jobs.
pub const JOB: Job = Job {
    name: "document",
    run: work,
};

/// The child's task; the document's bytes follow.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Task {
    kind: MediaType,
    /// Bytes of the document.
    length: u64,
    chunks: ChunkSettings,
    max_chunks: usize,
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
        let task = Task {
            kind,
            length: bytes.len() as u64,
            chunks: settings.chunks,
            max_chunks: settings.max_chunks,
        };
        let reply = read(&task, bytes, settings).await;
        let document = document(reply.map_err(refused)?, settings)?;
        if document.unreadable_pages > 0 {
            tracing::warn!(
                pages = document.unreadable_pages,
                "pages of a document cannot be read"
            );
        }
        Ok(document)
    }
}

async fn read(
    task: &Task,
    bytes: &[u8],
    settings: &Settings,
) -> Result<ReaderReply, limited_process::Error> {
    let limits = Limits {
        memory_bytes: settings.reader_memory_bytes,
        cpu: settings.read_timeout,
        silence: settings.read_timeout,
        whole: Some(settings.read_timeout),
        output_bytes: settings.max_text_bytes,
    };
    let mut process = Process::start(&JOB, task, limits).await?;
    process.send_bytes(bytes).await?;
    let reply = process.value().await?;
    process.finish().await?;
    Ok(reply)
}

fn refused(error: limited_process::Error) -> Error {
    match error {
        limited_process::Error::TimeLimit => Error::TooSlow,
        limited_process::Error::MemoryLimit { limit } => Error::TooDemanding { limit },
        limited_process::Error::OutputLimit { limit } => Error::TooMuchText { limit },
        limited_process::Error::Unreadable => {
            Error::Broken("its structure makes no sense".to_owned())
        }
        limited_process::Error::Failed(error) => Error::Reader(error),
    }
}

fn document(reply: ReaderReply, settings: &Settings) -> Result<ReadDocument, Error> {
    match reply {
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

/// Creates a test program able to read documents; see
/// [`limited_process::limited_process_for_tests`].
#[macro_export]
macro_rules! document_reader_for_tests {
    () => {
        #[test]
        fn limited_process_child() {
            $crate::reader_process::run_in_test();
        }
    };
}

/// The work of the test that [`document_reader_for_tests`] adds.
pub fn run_in_test() {
    limited_process::run_in_test(&[JOB]);
}

/// Reads a document, if this process was started for that, and ends it. For programs that read
/// only documents; see [`limited_process::run_if_asked`].
pub fn run_if_asked() {
    limited_process::run_if_asked(&[JOB]);
}

fn work(channel: &mut ParentChannel) -> std::io::Result<()> {
    let task: Task = channel.task()?;
    let bytes = channel.whole_input(task.length)?;
    channel.send(&read_and_cut(&task, &bytes))
}

/// The child's work on the document.
fn read_and_cut(task: &Task, bytes: &[u8]) -> ReaderReply {
    let (document, unreadable_pages) = match readers::read(task.kind, bytes) {
        Ok(read) => read,
        Err(Error::Encrypted) => return ReaderReply::Encrypted,
        Err(Error::NoText(why)) => return ReaderReply::NoText(why),
        Err(Error::Broken(why)) => return ReaderReply::Broken(why),
        Err(error) => return ReaderReply::Broken(error.to_string()),
    };
    let chunks = crate::chunk::chunks(&document, task.chunks);
    if chunks.len() > task.max_chunks {
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
