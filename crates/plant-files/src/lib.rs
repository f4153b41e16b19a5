//! Reads the files of PV data loggers, and tables of any shape, without a database.
//!
//! [`recognise`] finds the format of a file by its content; [`read`] streams its rows to a
//! [`Sink`]: each is a [`Record`] or the reason why the line is refused. Each format has one
//! [`Reader`] in [`formats`]; [`table`] reads CSV and XLSX files of any other shape by a
//! [`Mapping`](table::Mapping), which it can guess.
//!
//! Readers keep a few rows in memory, whatever the size of the file. Local times stay local: the
//! caller knows the plant's zone and resolves the hour that happens twice. A reader adds
//! nothing up: the rows of a day come in any order and in several files, so the database does.
//!
//! ```
//! use std::io::Cursor;
//! use plant_files::{Format, Rows, Settings, read, recognise, Sample};
//!
//! let file = b"20240601T120000,AB12CD34EF56GH78,pac,2400\n";
//! let format = recognise(&Sample::new("a.csv", file)).unwrap();
//! assert_eq!(format, Format::Goodwe);
//! let mut rows = Rows::default();
//! read(format, &mut Cursor::new(file), &Settings::new("roof", "a.csv"), &mut rows).unwrap();
//! assert_eq!(rows.records().next().unwrap().power_w, Some(2400.0));
//! ```

mod error;
mod format;
mod record;
mod settings;

pub mod archive;
pub mod formats;
mod merge;
pub mod numbers;
pub mod stamps;
pub mod table;
pub mod text;

use std::io::SeekFrom;

pub use error::FileError;
pub use format::{Format, Input, Reader, Sample, recognise};
pub use record::{Record, Role, Row, Rows, Sink};
pub use settings::Settings;
pub use stamps::Stamp;

/// Reads a file of a known format from its first byte. Two rows of the same device and time are
/// merged: of each value the later one counts. A file without a good row is an error.
pub fn read(
    format: Format,
    input: &mut dyn Input,
    settings: &Settings,
    sink: &mut dyn Sink,
) -> Result<(), FileError> {
    input.seek(SeekFrom::Start(0))?;
    let mut merge = merge::Merge::new(sink, settings.zone, format::window(format));
    format::reader(format).read(input, settings, &mut merge)?;
    merge.finish()
}
