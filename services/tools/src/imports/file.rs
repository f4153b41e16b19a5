//! The chunks of a file.

use std::io;

use sha2::{Digest, Sha256};
use sqlx::PgPool;
use tokio::io::{AsyncRead, AsyncReadExt};
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

/// A stored file.
pub(crate) struct StoredFile {
    pool: PgPool,
    import: Uuid,
    pub(super) size: u64,
}

impl StoredFile {
    /// The file of an import.
    pub(super) fn new(pool: PgPool, import: Uuid, size: u64) -> Self {
        Self { pool, import, size }
    }

    /// The bytes of a chunk, which is whole unless it is the last one.
    pub(super) async fn chunk(&self, number: u64) -> io::Result<Vec<u8>> {
        let start = number.saturating_mul(CHUNK_BYTES as u64);
        let expected = self.size.saturating_sub(start).min(CHUNK_BYTES as u64);
        let number = i32::try_from(number).unwrap_or(i32::MAX);
        let found = sqlx::query_scalar!(
            "SELECT bytes FROM tools.import_chunks WHERE import_id = $1 AND number = $2",
            self.import,
            number,
        )
        .fetch_optional(&self.pool)
        .await
        .map_err(io::Error::other)?;
        found
            .filter(|bytes| bytes.len() as u64 == expected)
            .ok_or_else(|| {
                io::Error::new(io::ErrorKind::NotFound, "the file is not stored any more")
            })
    }
}
