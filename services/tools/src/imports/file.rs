//! The chunks of a file, and reading them as a file.

use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::runtime::Handle;
use uuid::Uuid;

use super::hex;

/// The size of a chunk.
pub const CHUNK_BYTES: usize = 1024 * 1024;

/// Stores the bytes of an upload; returns their number and their hash.
pub(super) async fn store(
    pool: &PgPool,
    import: Uuid,
    reader: &mut (impl AsyncRead + Send + Unpin),
) -> Result<(u64, String), StoreError> {
    let mut hash = Sha256::new();
    let mut size = 0;
    for number in 0.. {
        let mut chunk = Vec::with_capacity(CHUNK_BYTES);
        while chunk.len() < CHUNK_BYTES {
            let room = (CHUNK_BYTES - chunk.len()) as u64;
            if (&mut *reader)
                .take(room)
                .read_buf(&mut chunk)
                .await
                .map_err(StoreError::Body)?
                == 0
            {
                break;
            }
        }
        if chunk.is_empty() {
            break;
        }
        hash.update(&chunk);
        size += chunk.len() as u64;
        sqlx::query!(
            "INSERT INTO tools.import_chunks (import_id, number, bytes) VALUES ($1, $2, $3)",
            import,
            number,
            chunk,
        )
        .execute(pool)
        .await?;
    }
    Ok((size, hex(&hash.finalize())))
}

/// Why a file is not stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("the body cannot be read to its end")]
    Body(#[source] io::Error),
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// A stored file, for a thread that may block. It keeps one chunk in memory.
pub(crate) struct StoredFile {
    pool: PgPool,
    handle: Handle,
    import: Uuid,
    size: u64,
    at: u64,
    chunk: Option<(u64, Vec<u8>)>,
}

impl StoredFile {
    /// The file of an import. Call it within the runtime, and read it in a blocking thread.
    pub(super) fn new(pool: PgPool, import: Uuid, size: u64) -> Self {
        Self {
            pool,
            handle: Handle::current(),
            import,
            size,
            at: 0,
            chunk: None,
        }
    }

    fn load(&mut self, number: u64) -> io::Result<()> {
        if self
            .chunk
            .as_ref()
            .is_some_and(|(known, _)| *known == number)
        {
            return Ok(());
        }
        let wanted = i32::try_from(number).unwrap_or(i32::MAX);
        let query = sqlx::query_scalar!(
            "SELECT bytes FROM tools.import_chunks WHERE import_id = $1 AND number = $2",
            self.import,
            wanted,
        );
        let bytes = self
            .handle
            .block_on(query.fetch_optional(&self.pool))
            .map_err(io::Error::other)?;
        let bytes = bytes.ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, "the file is not stored any more")
        })?;
        self.chunk = Some((number, bytes));
        Ok(())
    }
}

impl Read for StoredFile {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.size || target.is_empty() {
            return Ok(0);
        }
        self.load(self.at / CHUNK_BYTES as u64)?;
        let Some((_, bytes)) = &self.chunk else {
            return Ok(0);
        };
        let start = usize::try_from(self.at % CHUNK_BYTES as u64).unwrap_or_default();
        let rest = bytes.get(start..).unwrap_or_default();
        let count = rest.len().min(target.len());
        target[..count].copy_from_slice(&rest[..count]);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for StoredFile {
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
