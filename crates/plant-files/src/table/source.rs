//! Rows of cells, from a CSV or a sheet.

use std::collections::BTreeMap;
use std::io::BufReader;

use calamine::{DataRef, Reader as _, Xlsx, open_workbook_from_rs};

use crate::archive::check_unpacked;
use crate::error::FileError;
use crate::format::{Format, Input, Sample};
use crate::text::Utf8;

/// Maximum size of an unpacked workbook, in bytes.
const MOST_UNPACKED: u64 = 256 * 1024 * 1024;
/// Maximum numbers of columns and rows of a sheet; a broken one can claim any.
const MOST_COLUMNS: u32 = 5_000;
const MOST_ROWS: u32 = 2_000_000;
/// Number of lines that decide the delimiter.
const SAMPLE_LINES: usize = 40;

/// A row with its line.
pub(super) type Line = (u64, Vec<String>);

/// Takes a row; `false` ends the reading.
pub(super) type Take<'a> = dyn FnMut(Line) -> Result<bool, FileError> + 'a;

/// The cells of a sheet whose formula has no stored result: the rows of each column, from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WithoutResult(BTreeMap<usize, Vec<u32>>);

impl WithoutResult {
    /// Adds the cell at a row and a column, from 0. Cells come in the order of their rows.
    pub fn add(&mut self, (row, column): (u32, u32)) {
        self.0.entry(column as usize).or_default().push(row);
    }

    /// Each column, with the number of its cells and the row of the first, from 1.
    pub fn columns(&self) -> impl Iterator<Item = (usize, u64, u64)> {
        let columns = self.0.iter();
        columns.filter_map(|(column, rows)| {
            let first = u64::from(*rows.first()?) + 1;
            Some((*column, rows.len() as u64, first))
        })
    }

    /// The rows of a column, from 1.
    pub fn lines(&self, column: usize) -> impl Iterator<Item = u64> {
        let rows = self.0.get(&column).into_iter().flatten();
        rows.map(|row| u64::from(*row) + 1)
    }
}

/// The letters of a column, as spreadsheets name it: A to Z, then AA.
pub fn letters(column: usize) -> String {
    let mut text = Vec::new();
    let mut left = column + 1;
    while left > 0 {
        left -= 1;
        text.push(char::from(
            b'A' + u8::try_from(left % 26).unwrap_or_default(),
        ));
        left /= 26;
    }
    text.iter().rev().collect()
}

/// Gives the rows of a file.
pub(super) fn rows(
    format: Format,
    input: &mut dyn Input,
    (delimiter, sheet): (Option<&str>, Option<&str>),
    take: &mut Take<'_>,
) -> Result<WithoutResult, FileError> {
    if format == Format::Xlsx {
        return sheet_rows(input, sheet, take);
    }
    let delimiter = match delimiter {
        Some("tab" | "\\t") => b'\t',
        Some(text) if text.len() == 1 => text.as_bytes()[0],
        Some(text) => {
            return Err(FileError::Needed(format!(
                "{text:?} is not a delimiter of one character"
            )));
        }
        None => b',',
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(Utf8::new(input)?);
    let mut row = csv::StringRecord::new();
    while reader.read_record(&mut row).map_err(csv_error)? {
        let line = row.position().map_or(0, csv::Position::line);
        let cells = row.iter().map(|cell| cell.trim().to_owned()).collect();
        if !take((line, cells))? {
            break;
        }
    }
    Ok(WithoutResult::default())
}

/// A fault of the CSV reader, in the words of this crate.
pub fn csv_error(error: csv::Error) -> FileError {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        csv::ErrorKind::Io(error) => FileError::Io(error),
        _ => FileError::at(line, "the line cannot be read as CSV"),
    }
}

/// The delimiter of a text: the one that divides the most lines into the same number of fields.
pub(super) fn delimiter(text: &str) -> char {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(SAMPLE_LINES)
        .collect();
    let score = |mark: char| {
        let mut counts: Vec<usize> = lines
            .iter()
            .map(|line| outside_quotes(line, mark))
            .filter(|count| *count > 0)
            .collect();
        counts.sort_unstable();
        counts
            .chunk_by(|a, b| a == b)
            .map(|same| (same.len(), same[0]))
            .max()
            .unwrap_or_default()
    };
    // Of equal ones the first: a comma may as well be a decimal mark.
    [';', '\t', '|', ',']
        .into_iter()
        .rev()
        .max_by_key(|mark| score(*mark))
        .unwrap_or(',')
}

fn outside_quotes(line: &str, mark: char) -> usize {
    let mut quoted = false;
    let mut count = 0;
    for letter in line.chars() {
        if letter == '"' {
            quoted = !quoted;
        } else if letter == mark && !quoted {
            count += 1;
        }
    }
    count
}

/// The rows of a sample, without its last line, which may be cut.
pub(super) fn sample_rows(sample: &Sample<'_>) -> Vec<Line> {
    let delimiter = u8::try_from(delimiter(&sample.text)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(sample.text.as_bytes());
    let rows = reader.records().map_while(Result::ok).take(200);
    rows.map(|row| {
        let line = row.position().map_or(0, csv::Position::line);
        (
            line,
            row.iter().map(|cell| cell.trim().to_owned()).collect(),
        )
    })
    .collect()
}

fn sheet_rows(
    input: &mut dyn Input,
    wanted: Option<&str>,
    take: &mut Take<'_>,
) -> Result<WithoutResult, FileError> {
    let broken = |error: &dyn std::fmt::Display| {
        FileError::Damaged(format!("the workbook cannot be read: {error}"))
    };
    check_unpacked(input, MOST_UNPACKED)?;
    let mut book: Xlsx<_> = open_workbook_from_rs(BufReader::new(input))
        .map_err(|error: calamine::XlsxError| broken(&error))?;
    let names = book.sheet_names();
    let name = match wanted {
        Some(wanted) => names.iter().find(|name| *name == wanted).ok_or_else(|| {
            FileError::Needed(format!(
                "the workbook has no sheet {wanted:?}; it has {}",
                names.join(", ")
            ))
        })?,
        None => names
            .first()
            .ok_or_else(|| FileError::Damaged("the workbook has no sheet".to_owned()))?,
    };
    let mut cells = book
        .worksheet_cells_reader(name)
        .map_err(|error| broken(&error))?;
    let mut current: Option<(u32, Vec<String>)> = None;
    let mut without_result = WithoutResult::default();
    loop {
        let cell = cells.next_cell_with_formula_metadata();
        let cell = cell.map_err(|error| broken(&error))?;
        let Some(cell) = cell else { break };
        let (row, column) = cell.pos;
        if row > MOST_ROWS || column > MOST_COLUMNS {
            return Err(FileError::Damaged(format!(
                "the sheet has a cell in row {row} and column {column}, which is too far away"
            )));
        }
        if current.as_ref().is_some_and(|(known, _)| *known != row)
            && let Some((row, cells)) = current.take()
            && !take((u64::from(row) + 1, cells))?
        {
            return Ok(without_result);
        }
        if cell.value == DataRef::Empty && cell.formula.is_some() {
            without_result.add(cell.pos);
        }
        let (_, cells) = current.get_or_insert_with(|| (row, Vec::new()));
        let place = column as usize;
        if cells.len() <= place {
            cells.resize(place + 1, String::new());
        }
        cells[place] = text(&cell.value);
    }
    if let Some((row, cells)) = current {
        take((u64::from(row) + 1, cells))?;
    }
    Ok(without_result)
}

fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) => text.trim().to_owned(),
        DataRef::SharedString(text) => text.trim().to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::DateTime(stamp) => {
            let (year, month, day, hour, minute, second, milli) = stamp.to_ymd_hms_milli();
            let whole = stamp.as_f64();
            if whole < 1.0 {
                format!("{hour:02}:{minute:02}:{second:02}")
            } else if whole.fract() == 0.0 {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!(
                    "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}"
                )
            }
        }
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}
