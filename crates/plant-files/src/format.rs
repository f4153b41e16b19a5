//! The formats, and how a file's format is found.

use std::borrow::Cow;
use std::io::{Read, Seek};

pub use contracts::imports::FileFormat as Format;

use crate::error::FileError;
use crate::formats::{goodwe, integra, lti, mbmet, meier, meteocontrol, plexlog, smartdog};
use crate::record::Sink;
use crate::settings::Settings;
use crate::{table, text};

/// Number of bytes at the start of a file that decide its format.
pub(crate) const SAMPLE_BYTES: usize = 64 * 1024;

/// A file that can be read from anywhere.
pub trait Input: Read + Seek {}

impl<T: Read + Seek> Input for T {}

/// The name and the first bytes of a file.
#[derive(Debug)]
pub struct Sample<'a> {
    /// The name without folders.
    pub name: &'a str,
    /// The first bytes.
    pub bytes: &'a [u8],
    /// The same as text.
    pub text: Cow<'a, str>,
}

/// The reader of a format.
pub trait Reader: Sync {
    /// The certainty that a file is of this format, from 0 to 100.
    fn confidence(&self, sample: &Sample<'_>) -> u8;

    /// Streams the rows of a file.
    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError>;
}

/// The reader of a format.
pub(crate) fn reader(format: Format) -> &'static dyn Reader {
    match format {
        Format::Goodwe => &goodwe::GoodWe,
        Format::Lti => &lti::Lti,
        Format::Integra => &integra::Integra,
        Format::Plexlog => &plexlog::Plexlog,
        Format::Meteocontrol => &meteocontrol::Meteocontrol,
        Format::Mbmet => &mbmet::Mbmet,
        Format::Meier => &meier::Meier,
        Format::Smartdog => &smartdog::Smartdog,
        Format::Csv => &table::CsvFile,
        Format::Xlsx => &table::XlsxFile,
    }
}

/// Number of records that wait for a later row of the same device and time. GoodWe writes a line
/// per value, perhaps all lines of a key before those of the next.
pub(crate) fn window(format: Format) -> usize {
    if format == Format::Goodwe {
        100_000
    } else {
        5_000
    }
}

impl<'a> Sample<'a> {
    /// The sample of a file.
    pub fn new(name: &'a str, start: &'a [u8]) -> Self {
        let bytes = &start[..start.len().min(SAMPLE_BYTES)];
        Self {
            name: name.rsplit(['/', '\\']).next().unwrap_or(name),
            bytes,
            text: text::decode(bytes),
        }
    }

    /// The lines that are not blank.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
    }
}

/// The format of a file: the one whose reader is the most certain.
pub fn recognise(sample: &Sample<'_>) -> Result<Format, FileError> {
    if sample.bytes.is_empty() || sample.text.trim().is_empty() {
        return Err(FileError::Empty);
    }
    if sample.bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(FileError::Unknown(
            "the file is compressed; unpack it first".to_owned(),
        ));
    }
    let best = Format::ALL
        .into_iter()
        .map(|format| (reader(format).confidence(sample), format))
        // Of equal ones the first, which is the more particular one.
        .rev()
        .max_by_key(|(confidence, _)| *confidence);
    match best {
        Some((confidence, format)) if confidence > 0 => Ok(format),
        _ => Err(FileError::Unknown(unknown(sample))),
    }
}

fn unknown(sample: &Sample<'_>) -> String {
    let kind = match sample.bytes {
        [b'S', b'Q', b'L', ..] => "an SQLite file without the table tbl_inverterdata",
        [b'P', b'K', 3, 4, ..] => "a zip file that is not an Excel workbook",
        [b'%', b'P', b'D', b'F', ..] => "a PDF document",
        [0xd0, 0xcf, 0x11, 0xe0, ..] => "an old Excel workbook (.xls); save it as .xlsx or CSV",
        [b'<', ..] => "XML or HTML without the elements system, md and dp of a logger",
        [b'{' | b'[', b'"' | b'{' | b'\n' | b'\r' | b' ', ..] => {
            "JSON; send it to POST /api/measurements, or use `heliograph ingest`"
        }
        bytes if bytes.contains(&0) && !text::is_utf16(bytes) => "a binary file",
        _ => "text without a row that begins with a date, and without a table's header",
    };
    format!("the format is not known: this looks like {kind}")
}
