//! The pages of a Parquet file, within limits.
//!
//! The crate `parquet` unpacks as much as a page says, or as there is, and makes room for as many
//! values as a header claims. A file may claim anything. So the crate hands out pages as they are
//! stored, and this unpacks them and checks their claims before the crate decodes them.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, Type as Stored};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;

use crate::added_targets::sheets::read::SheetError;

/// Bytes that unpack from one of LZ4, at most.
const LZ4_RATIO: usize = 255;
/// Bytes that are unpacked at a time.
const PART: usize = 1024 * 1024;
/// Length of the sizes before a frame of LZ4 as Hadoop writes it.
const LZ4_SIZES: usize = 8;

/// The limits of the pages of a file, over all columns, and how much of them is used.
#[derive(Debug)]
pub(super) struct Room {
    bytes: AtomicU64,
    most_bytes: u64,
    values: AtomicU64,
    most_values: u64,
}

impl Room {
    pub(super) fn new(most_bytes: u64, most_values: u64) -> Arc<Self> {
        Arc::new(Self {
            bytes: AtomicU64::new(0),
            most_bytes,
            values: AtomicU64::new(0),
            most_values,
        })
    }

    /// The claims of the footer about chunks: their bytes when they are unpacked, and their values.
    pub(super) fn claimed<'c>(chunks: impl Iterator<Item = &'c ColumnChunkMetaData>) -> (u64, u64) {
        let size = |size: i64| u64::try_from(size).unwrap_or(u64::MAX);
        chunks.fold((0, 0), |(bytes, values), chunk| {
            (
                u64::saturating_add(bytes, size(chunk.uncompressed_size())),
                u64::saturating_add(values, size(chunk.num_values())),
            )
        })
    }

    /// Refuses what the footer says before anything is unpacked.
    pub(super) fn check_claim(&self, (bytes, values): (u64, u64)) -> Result<()> {
        if bytes > self.most_bytes {
            return Err(self.too_large());
        }
        if values > self.most_values {
            return Err(self.too_many());
        }
        Ok(())
    }

    fn too_many(&self) -> ParquetError {
        refused(format!(
            "The file has more than {} cells. Load a part of it, or connect the database that it comes from.",
            self.most_values
        ))
    }

    fn left(&self) -> usize {
        let taken = self.bytes.load(Ordering::Relaxed);
        usize::try_from(self.most_bytes.saturating_sub(taken)).unwrap_or(usize::MAX)
    }

    fn take_bytes(&self, bytes: usize) -> Result<()> {
        let bytes = bytes as u64;
        if self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes > self.most_bytes {
            return Err(self.too_large());
        }
        Ok(())
    }

    fn take_values(&self, values: u32) -> Result<()> {
        let values = u64::from(values);
        if self.values.fetch_add(values, Ordering::Relaxed) + values > self.most_values {
            return Err(self.too_many());
        }
        Ok(())
    }

    fn too_large(&self) -> ParquetError {
        let megabytes = self.most_bytes / (1024 * 1024);
        refused(format!(
            "The file unpacks to more than {megabytes} MiB. Load a part of it."
        ))
    }
}

/// A reason that is for the person as it is.
fn refused(why: String) -> ParquetError {
    ParquetError::External(Box::new(SheetError::Invalid(why)))
}

fn senseless(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// The pages of a column in one group of rows.
pub(super) struct Pages {
    stored: SerializedPageReader<Bytes>,
    codec: Compression,
    /// Several values per row.
    is_repeated: bool,
    /// The number of kinds of levels at the start of a page.
    levels: usize,
    /// Whether the values are texts, each with its length before it.
    is_text: bool,
    /// Length of the longest text in the dictionary.
    longest: u64,
    /// Bytes that the pages which are still to come unpack to, as the footer says.
    claimed: usize,
    /// Values of those pages, as the footer says.
    claimed_values: u64,
    room: Arc<Room>,
}

impl Pages {
    pub(super) fn new(
        file: &Arc<Bytes>,
        column: &ColumnChunkMetaData,
        rows: usize,
        room: &Arc<Room>,
    ) -> Result<Self> {
        let as_stored = column.clone().into_builder();
        let as_stored = as_stored
            .set_compression(Compression::UNCOMPRESSED)
            .build()?;
        let descr = column.column_descr();
        let is_repeated = descr.max_rep_level() > 0;
        if !is_repeated && usize::try_from(column.num_values())? != rows {
            return Err(senseless("a column has another number of values than rows"));
        }
        Ok(Self {
            stored: SerializedPageReader::new(Arc::clone(file), &as_stored, rows, None)?,
            codec: column.compression(),
            is_repeated,
            levels: usize::from(is_repeated) + usize::from(descr.max_def_level() > 0),
            is_text: descr.physical_type() == Stored::BYTE_ARRAY,
            longest: 0,
            claimed: usize::try_from(column.uncompressed_size())?,
            claimed_values: u64::try_from(column.num_values())?,
            room: Arc::clone(room),
        })
    }

    /// Unpacks a page, as far as the footer says that there is something.
    fn unpack(&mut self, bytes: &[u8]) -> Result<Bytes> {
        let left = self.room.left();
        let unpacked = unpack(self.codec, bytes, left.min(self.claimed))?;
        let unpacked = unpacked.ok_or_else(|| {
            if left < self.claimed {
                self.room.too_large()
            } else {
                senseless("a column unpacks to more than it says")
            }
        })?;
        self.claimed -= unpacked.len();
        self.room.take_bytes(unpacked.len())?;
        Ok(unpacked)
    }

    /// Checks what a page of values claims. `start` is where its values begin.
    fn check(
        &mut self,
        values: u32,
        encoding: Encoding,
        buffer: &Bytes,
        start: usize,
    ) -> Result<()> {
        self.room.take_values(values)?;
        let left = self.claimed_values.checked_sub(values.into());
        self.claimed_values =
            left.ok_or_else(|| senseless("a column has more values than it says"))?;
        // A list may repeat the same long text as often as it likes.
        if self.is_repeated && u64::from(values) * self.longest > self.room.most_bytes {
            return Err(self.room.too_large());
        }
        let headers = match encoding {
            Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
            Encoding::DELTA_BYTE_ARRAY => 2,
            _ => return Ok(()),
        };
        let values_at = buffer.get(start..).unwrap_or_default();
        match delta_counts_fit(values_at, headers, values) {
            Some(true) => Ok(()),
            _ => Err(senseless(
                "a page has another number of values than it says",
            )),
        }
    }
}

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.stored.get_next_page()? else {
            return Ok(None);
        };
        match &mut page {
            Page::DictionaryPage {
                buf, num_values, ..
            } => {
                *buf = self.unpack(buf)?;
                if *num_values as usize > buf.len() {
                    return Err(senseless("a dictionary has fewer values than it says"));
                }
                if self.is_text {
                    self.longest = longest(buf, *num_values);
                }
            }
            Page::DataPage {
                buf,
                num_values,
                encoding,
                ..
            } => {
                *buf = self.unpack(buf)?;
                let start = (0..self.levels).try_fold(0, |at, _| behind_levels(buf, at));
                self.check(*num_values, *encoding, buf, start.unwrap_or(usize::MAX))?;
            }
            Page::DataPageV2 {
                buf,
                num_values,
                encoding,
                def_levels_byte_len,
                rep_levels_byte_len,
                is_compressed,
                ..
            } => {
                let levels = *def_levels_byte_len as usize + *rep_levels_byte_len as usize;
                if levels > buf.len() {
                    return Err(senseless("a page is shorter than it says"));
                }
                // The levels are never packed.
                if *is_compressed && self.codec != Compression::UNCOMPRESSED && levels < buf.len() {
                    let mut whole = buf[..levels].to_vec();
                    whole.extend_from_slice(&self.unpack(&buf[levels..])?);
                    *buf = whole.into();
                } else {
                    self.room.take_bytes(buf.len())?;
                }
                *is_compressed = false;
                self.check(*num_values, *encoding, buf, levels)?;
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.stored.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.stored.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// Unpacks at most `most` bytes; `None` if there are more.
pub(super) fn unpack(codec: Compression, bytes: &[u8], most: usize) -> Result<Option<Bytes>> {
    let unpacked = match codec {
        Compression::UNCOMPRESSED => bytes.to_vec(),
        Compression::SNAPPY => {
            let damaged = |_| senseless("a page is not what Snappy makes");
            if snap::raw::decompress_len(bytes).map_err(damaged)? > most {
                return Ok(None);
            }
            let mut decoder = snap::raw::Decoder::new();
            decoder.decompress_vec(bytes).map_err(damaged)?
        }
        Compression::GZIP(_) => drain(flate2::read::MultiGzDecoder::new(bytes), most)?,
        Compression::BROTLI(_) => drain(brotli_decompressor::Decompressor::new(bytes, 4096), most)?,
        Compression::ZSTD(_) => {
            let decoder = ruzstd::decoding::StreamingDecoder::new(bytes);
            drain(
                decoder.map_err(|_| senseless("a page is not what Zstandard makes"))?,
                most,
            )?
        }
        Compression::LZ4_RAW => lz4(bytes, most)?,
        Compression::LZ4 => match lz4_of_hadoop(bytes, most) {
            Some(unpacked) => unpacked,
            None => lz4(bytes, most)?,
        },
        Compression::LZO => {
            return Err(refused(
                "The file is packed with LZO, which is not read here. Write it with Snappy or Zstandard."
                    .to_owned(),
            ));
        }
    };
    Ok((unpacked.len() <= most).then(|| unpacked.into()))
}

/// Reads to the end, or one byte more than `most`. The room grows by parts and not by doubling: at
/// its end twice as much would be taken.
fn drain(mut reader: impl Read, most: usize) -> Result<Vec<u8>> {
    let mut unpacked = Vec::new();
    loop {
        let part = (most + 1 - unpacked.len()).min(PART);
        if part == 0 {
            return Ok(unpacked);
        }
        unpacked.reserve_exact(part);
        let read = reader.by_ref().take(part as u64).read_to_end(&mut unpacked);
        let read = read.map_err(|error| ParquetError::General(error.to_string()))?;
        if read == 0 {
            return Ok(unpacked);
        }
    }
}

fn lz4(bytes: &[u8], most: usize) -> Result<Vec<u8>> {
    // The system gives what is written to, not what is asked for.
    let mut unpacked = vec![0; bytes.len().saturating_mul(LZ4_RATIO).min(most)];
    let length = lz4_flex::block::decompress_into(bytes, &mut unpacked)
        .map_err(|_| senseless("a page is not what LZ4 makes, or too large"))?;
    unpacked.truncate(length);
    unpacked.shrink_to_fit();
    Ok(unpacked)
}

/// LZ4 as Hadoop writes it: each block behind its sizes, unpacked and packed.
fn lz4_of_hadoop(mut bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let sizes = bytes.get(..LZ4_SIZES)?;
        let size = |at: usize| {
            let size: [u8; 4] = sizes[at..at + 4].try_into().ok()?;
            usize::try_from(u32::from_be_bytes(size)).ok()
        };
        let (unpacked, packed) = (size(0)?, size(4)?);
        if all.len() + unpacked > most {
            return None;
        }
        let block = bytes.get(LZ4_SIZES..LZ4_SIZES + packed)?;
        let start = all.len();
        all.resize(start + unpacked, 0);
        let length = lz4_flex::block::decompress_into(block, &mut all[start..]).ok()?;
        if length != unpacked {
            return None;
        }
        bytes = &bytes[LZ4_SIZES + packed..];
    }
    Some(all)
}

/// Length of the longest text in a dictionary of texts.
fn longest(dictionary: &[u8], values: u32) -> u64 {
    let (mut at, mut longest) = (0_usize, 0);
    for _ in 0..values {
        let Some(length) = dictionary.get(at..).and_then(<[u8]>::first_chunk) else {
            break;
        };
        let length = u32::from_le_bytes(*length);
        longest = longest.max(length.into());
        at = at.saturating_add(4).saturating_add(length as usize);
    }
    longest
}

/// The place behind the levels at `at`, which have their length before them.
fn behind_levels(page: &[u8], at: usize) -> Option<usize> {
    let length = page.get(at..)?.first_chunk()?;
    at.checked_add(4)?
        .checked_add(u32::from_le_bytes(*length) as usize)
}

/// Whether deltas, and those that follow them, are as many as a page has values, or fewer.
fn delta_counts_fit(mut bytes: &[u8], headers: usize, most: u32) -> Option<bool> {
    for _ in 0..headers {
        let block = number(&mut bytes)?;
        let parts = number(&mut bytes)?;
        let values = number(&mut bytes)?;
        number(&mut bytes)?;
        if values > most.into() {
            return Some(false);
        }
        let part = block.checked_div(parts)?;
        let mut left = values.saturating_sub(1);
        while left > 0 && part > 0 {
            number(&mut bytes)?;
            let widths = bytes.split_off(..usize::try_from(parts).ok()?)?;
            for width in widths {
                if left == 0 {
                    break;
                }
                let length = u64::from(*width).checked_mul(part)?.div_ceil(8);
                bytes.split_off(..usize::try_from(length).ok()?)?;
                left = left.saturating_sub(part);
            }
        }
    }
    Some(true)
}

/// A number of seven bits per byte.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
