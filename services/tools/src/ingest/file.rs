//! Uploads from files: what a file is shows in its name and its first bytes.

use std::io;
use std::path::Path;

use contracts::measurements::IngestReport;
use sqlx::PgPool;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncSeekExt};

use super::{Format, IngestError, IngestFailure, IngestOptions, Progress, gunzip, ingest_watched};

/// Number of bytes of a file that determine its format.
const SNIFF_BYTES: u64 = 4096;

/// A file to be ingested.
pub struct Source {
    /// What its bytes are, once uncompressed.
    pub format: Format,
    /// Its size on disk.
    pub size: u64,
    /// It is compressed.
    pub compressed: bool,
    reader: Box<dyn AsyncRead + Send + Unpin>,
}

impl Source {
    /// Opens a file and finds out what it is: gzip by its first bytes, then the format by its first
    /// letter.
    pub async fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path).await?;
        let size = file.metadata().await?.len();
        let compressed = is_gzip(&mut file).await?;
        let mut start = Vec::new();
        open(file, compressed)
            .take(SNIFF_BYTES)
            .read_to_end(&mut start)
            .await?;
        let reader = open(File::open(path).await?, compressed);
        Ok(Self {
            format: format_of(&start),
            size,
            compressed,
            reader,
        })
    }
}

/// Stores the readings of a file; `options.format` is taken from the [`Source`].
pub async fn file(
    pool: &PgPool,
    tenant: &str,
    source: Source,
    options: &IngestOptions,
    progress: impl FnMut(Progress) + Send,
) -> Result<IngestReport, IngestFailure> {
    let options = IngestOptions {
        format: source.format,
        ..options.clone()
    };
    ingest_watched(pool, tenant, &options, source.reader, progress).await
}

impl From<io::Error> for IngestError {
    fn from(error: io::Error) -> Self {
        Self::Body(error)
    }
}

async fn is_gzip(file: &mut File) -> io::Result<bool> {
    let mut magic = Vec::new();
    file.take(2).read_to_end(&mut magic).await?;
    file.rewind().await?;
    Ok(magic == [0x1f, 0x8b])
}

fn open(file: File, compressed: bool) -> Box<dyn AsyncRead + Send + Unpin> {
    if compressed {
        gunzip(file)
    } else {
        Box::new(file)
    }
}

fn format_of(start: &[u8]) -> Format {
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    match text.trim_ascii_start().first() {
        Some(b'[') => Format::JsonArray,
        Some(b'{') => Format::JsonLines,
        _ => Format::Csv,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_tells_the_format() {
        for (start, format) in [
            ("\u{feff} [{", Format::JsonArray),
            ("\n{\"timestamp\"", Format::JsonLines),
            ("timestamp;loggerId", Format::Csv),
            ("", Format::Csv),
        ] {
            assert_eq!(format_of(start.as_bytes()), format, "{start:?}");
        }
    }
}
