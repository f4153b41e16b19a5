//! The table of a Parquet file.

use super::names::names;
use super::{Raw, Reading, SheetError, invalid, stem};
use crate::added_targets::sheets::parquet_file::ParquetFile;

/// Maximum size of an unpacked Parquet file, and of its cells, as a multiple of its own.
const MOST_RATIO: u64 = 1_000;
/// Cells that a small Parquet file may have, however small it is.
const SMALL_CELLS: u64 = 250_000;
/// Bytes to which a small file may unpack, however small it is.
const SMALL_UNPACKED: u64 = 32 * 1024 * 1024;

impl Reading<'_> {
    pub(super) fn parquet(&mut self, filename: &str, bytes: Vec<u8>) -> Result<(), SheetError> {
        let length = bytes.len() as u64;
        let file = ParquetFile::open(bytes)?;
        let (headers, types): (Vec<_>, Vec<_>) = file.columns().unzip();
        if headers.len() > self.config.file_columns as usize {
            return self.too_wide("the file");
        }
        // Exactly as many are read as the file says.
        let cells = file.cells();
        self.count(cells)?;
        let fitting = length.saturating_mul(MOST_RATIO).max(SMALL_CELLS);
        if cells > fitting {
            return invalid(format!(
                "The file has {cells} cells in {length} bytes, which would take far more memory than its size. Load a part of it."
            ));
        }
        // Lists have more values than there are cells.
        let most = self.config.file_cells.min(fitting).saturating_mul(2);
        let mut rows = Vec::new();
        let mut unfit = vec![0_u64; types.len()];
        let mut finer = vec![0_u64; types.len()];
        file.rows((self.unpacked_of(length), most), &mut |cells| {
            let cells = cells.iter().map(|cell| self.cell(cell));
            let mut row = cells.collect::<Result<Vec<String>, _>>()?;
            for (at, (cell, guess)) in row.iter_mut().zip(&types).enumerate() {
                if guess.has_day() && !cell.is_empty() && guess.value(cell).is_none() {
                    unfit[at] += 1;
                    cell.clear();
                }
                finer[at] += u64::from(guess.has_day() && has_nanoseconds(cell));
            }
            rows.push(row);
            Ok(())
        })?;
        self.notes.extend(file.notes.iter().cloned());
        for (header, unfit) in headers.iter().zip(&unfit).filter(|(_, unfit)| **unfit > 0) {
            self.notes.push(format!(
                "“{header}”: {unfit} values are before the year 1000 or after 9999, and are empty."
            ));
        }
        for (header, finer) in headers.iter().zip(&finer).filter(|(_, finer)| **finer > 0) {
            self.notes.push(format!(
                "“{header}”: {finer} times have digits beyond microseconds, which are left out."
            ));
        }
        if rows.is_empty() || headers.is_empty() {
            return Ok(());
        }
        let columns = names(headers.into_iter().map(str::to_owned).collect());
        self.add(Raw {
            name: String::new(),
            source: stem(filename),
            columns,
            rows,
            lines: Vec::new(),
            types,
            without_result: Vec::new(),
            stored_numbers: Vec::new(),
        })
    }

    /// Maximum size of a file of this length when it is unpacked. A small one has no use for much.
    fn unpacked_of(&self, length: u64) -> u64 {
        let most = length.saturating_mul(MOST_RATIO).max(SMALL_UNPACKED);
        most.min(self.unpacked())
    }
}

/// Whether a time has digits beyond microseconds, which the database does not keep.
fn has_nanoseconds(cell: &str) -> bool {
    let fraction = cell.trim_end_matches('Z').rsplit_once('.');
    let beyond = fraction.and_then(|(_, digits)| digits.get(6..));
    beyond.is_some_and(|digits| digits.bytes().any(|digit| digit != b'0'))
}
