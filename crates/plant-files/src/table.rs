//! Tables of any shape: CSV files and Excel sheets, read by a mapping of their columns.
//!
//! A mapping is guessed from the first rows ([`guess()`]): the contents of the cells decide which
//! columns hold times, the names and units which hold power, energy and irradiance. Where they say
//! nothing of these, the mapping has the columns and reads nothing yet ([`check`]). A person
//! corrects it once, and it fits all files of the same header ([`shape`]).

mod guess;
mod mapping;
mod rows;
mod source;

pub use guess::{guess, names_power};
pub use mapping::{Column, Field, Mapping, check, shape};
pub use rows::fits;
pub use source::{WithoutResult, csv_error, letters};

use crate::error::FileError;
use crate::format::{Format, Input, Reader, Sample};
use crate::record::Sink;
use crate::settings::Settings;

/// The reader of CSV files.
pub struct CsvFile;

/// The reader of Excel sheets.
pub struct XlsxFile;

impl Reader for CsvFile {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let binary = sample.text.contains('\0') || sample.text.trim_start().starts_with(['<', '{']);
        if binary {
            return 0;
        }
        let rows = source::sample_rows(sample);
        match guess::from_rows(&rows, source::delimiter(&sample.text)) {
            Ok(mapping) if check(&mapping).is_ok() => 20,
            // It has times, and a person says what else it has.
            Ok(_) => 10,
            Err(_) => 0,
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        rows::read(Format::Csv, input, settings, sink)
    }
}

impl Reader for XlsxFile {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let has = |text: &[u8]| {
            sample
                .bytes
                .windows(text.len())
                .any(|window| window == text)
        };
        let workbook = has(b"xl/") || has(b"[Content_Types].xml");
        if sample.bytes.starts_with(b"PK\x03\x04") && workbook {
            90
        } else {
            0
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        rows::read(Format::Xlsx, input, settings, sink)
    }
}
