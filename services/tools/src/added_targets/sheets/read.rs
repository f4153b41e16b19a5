//! Tables out of the bytes of a file: CSV, an Excel workbook, an SQLite file, a Parquet file. Every
//! cell is text here.

use std::collections::HashSet;
use std::io::{Cursor, Read};
use std::path::Path;

use calamine::{DataRef, Reader as _, SheetType, Xlsx, open_workbook_from_rs};
use contracts::targets::JoinDecision;
use plant_files::archive::check_unpacked;
use plant_files::formats::sqlite::{Database, ForeignKey, MAGIC, Value};
use plant_files::text::Utf8;

use super::heading;
use super::parquet_file::{self, ParquetFile};
use super::types::Guess;
use crate::added_targets::config::AddedTargetsConfig;

/// Maximum size of an unpacked workbook, as a multiple of that of a file.
const UNPACKED: u64 = 8;
/// Maximum size of an unpacked Parquet file, and of its cells, as a multiple of its own.
const MOST_RATIO: u64 = 1_000;
/// Cells that a small Parquet file may have, however small it is.
const SMALL_CELLS: u64 = 250_000;
/// Bytes to which a small file may unpack, however small it is.
const SMALL_UNPACKED: u64 = 32 * 1024 * 1024;
/// Longest name of a table or column, in bytes: PostgreSQL's limit.
const LONGEST_NAME: usize = 60;
/// Merged cells of a sheet that are looked at.
const MOST_MERGED: usize = 10_000;
/// Columns without a header that a note names.
const MOST_NAMED: usize = 5;
/// Lines that decide the delimiter of a CSV.
const SAMPLE_LINES: usize = 50;

/// Why a file cannot be a target.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SheetError {
    /// The file, or what a person said of it. The words are for the person.
    #[error("{0}")]
    Invalid(String),
    #[error(transparent)]
    Process(limited_process::Error),
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// The tables of a file.
pub(super) struct Found {
    pub(super) format: &'static str,
    pub(super) tables: Vec<Raw>,
    pub(super) notes: Vec<String>,
    /// The foreign keys that the file declares, by names in queries.
    pub(super) joins: Vec<JoinDecision>,
}

/// A table.
pub(super) struct Raw {
    pub(super) name: String,
    pub(super) source: String,
    /// Names in queries, and headers.
    pub(super) columns: Vec<(String, String)>,
    pub(super) rows: Vec<Vec<String>>,
    /// The numbers of the rows, as the file shows them. Empty: from 1 on.
    pub(super) lines: Vec<u64>,
    /// The types that the file itself says, in the order of the columns. Empty: it says none.
    pub(super) types: Vec<Guess>,
}

impl Raw {
    /// The number of a row, as the file shows it.
    pub(super) fn line(&self, at: usize) -> u64 {
        line(&self.lines, at)
    }
}

/// The number of a row, as the file shows it.
pub(super) fn line(lines: &[u64], at: usize) -> u64 {
    lines.get(at).copied().unwrap_or(at as u64 + 1)
}

/// A cell over several rows or columns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merged {
    pub(super) first_row: usize,
    pub(super) last_row: usize,
    pub(super) first_column: usize,
    pub(super) last_column: usize,
}

/// The rows of a sheet with its heading.
struct Rows {
    cells: Vec<Vec<String>>,
    /// The number of each, as the file shows it.
    lines: Vec<u64>,
    merged: Vec<Merged>,
}

impl Rows {
    /// Rows that are numbered from a number on.
    fn from(first: u64, rows: Vec<Vec<String>>) -> Self {
        Self {
            lines: (first..).take(rows.len()).collect(),
            cells: rows,
            merged: Vec::new(),
        }
    }
}

fn invalid<T>(why: impl Into<String>) -> Result<T, SheetError> {
    Err(SheetError::Invalid(why.into()))
}

/// Reads a file by its content.
pub(super) fn read(
    filename: &str,
    bytes: Vec<u8>,
    config: &AddedTargetsConfig,
) -> Result<Found, SheetError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return invalid("The file is empty.");
    }
    let mut reading = Reading {
        config,
        cells: 0,
        text: 0,
        cut: 0,
        notes: Vec::new(),
        tables: Vec::new(),
        joins: Vec::new(),
    };
    let format = if bytes.starts_with(b"PK") {
        reading.workbook(bytes)?;
        "xlsx"
    } else if bytes.starts_with(MAGIC) {
        reading.sqlite(bytes)?;
        "sqlite"
    } else if bytes.starts_with(parquet_file::MAGIC) {
        reading.parquet(filename, bytes)?;
        "parquet"
    } else if bytes.starts_with(parquet_file::ENCRYPTED) {
        return invalid("The Parquet file is encrypted. Write it without encryption.");
    } else if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
        return invalid(
            "This is a workbook of Excel 97-2003, or one with a password. Save it as .xlsx without a password.",
        );
    } else {
        reading.csv(filename, &bytes)?;
        "csv"
    };
    if reading.tables.is_empty() {
        return invalid(
            "The file has no table: a header and at least one row below it are needed.",
        );
    }
    if reading.cut > 0 {
        reading.notes.push(format!(
            "{} cells were longer than {} characters, and were cut.",
            reading.cut, config.cell_chars
        ));
    }
    Ok(Found {
        format,
        tables: reading.tables,
        notes: reading.notes,
        joins: reading.joins,
    })
}

/// Maximum size of a file when it is unpacked.
pub(super) fn unpacked(config: &AddedTargetsConfig) -> u64 {
    config.file_bytes.saturating_mul(UNPACKED)
}

/// An error as a sentence of its own.
fn sentence(error: &plant_files::FileError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    let first: String = letters
        .by_ref()
        .take(1)
        .flat_map(char::to_uppercase)
        .collect();
    let end = if text.ends_with(['.', '?']) { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// The line, from 1, of a quotation mark that begins a cell and is never closed.
fn never_closed(text: &str, delimiter: u8) -> Option<usize> {
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\n' {
            line += 1;
        }
        match opened {
            // Two of them are one in the cell.
            Some(_) if byte == b'"' => {
                if bytes.next_if_eq(&b'"').is_none() {
                    (opened, begins) = (None, false);
                }
            }
            Some(_) => {}
            None if byte == b'"' && begins => opened = Some(line),
            None => begins = byte == delimiter || matches!(byte, b'\n' | b'\r'),
        }
    }
    opened
}

struct Reading<'c> {
    config: &'c AddedTargetsConfig,
    cells: u64,
    /// Bytes of all cells. A file can name one long text in many cells.
    text: u64,
    cut: u64,
    notes: Vec<String>,
    tables: Vec<Raw>,
    joins: Vec<JoinDecision>,
}

impl Reading<'_> {
    fn csv(&mut self, filename: &str, bytes: &[u8]) -> Result<(), SheetError> {
        let mut text = String::new();
        let decoded =
            Utf8::with_long_lines(bytes).and_then(|mut utf8| utf8.read_to_string(&mut text));
        if let Err(error) = decoded {
            return invalid(format!("The file is not a text: {error}."));
        }
        let delimiter = delimiter(&text);
        if let Some(line) = never_closed(&text, delimiter) {
            return invalid(format!(
                "The quotation mark that begins a cell in line {line} is never closed: the rows below it would be one cell."
            ));
        }
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(text.as_bytes());
        let (mut rows, mut lines) = (Vec::new(), Vec::new());
        let mut record = csv::StringRecord::new();
        loop {
            match reader.read_record(&mut record) {
                Ok(true) => {
                    let place = record.position();
                    lines.push(place.map_or(rows.len() as u64 + 1, |at| line_of(&text, at)));
                    let row: Vec<String> = record.iter().map(str::to_owned).collect();
                    rows.push(self.row(&row)?);
                }
                Ok(false) => break,
                Err(error) => return invalid(format!("The file cannot be read as CSV: {error}.")),
            }
        }
        let merged = Vec::new();
        self.table(
            &stem(filename),
            Rows {
                cells: rows,
                lines,
                merged,
            },
        )
    }

    fn workbook(&mut self, bytes: Vec<u8>) -> Result<(), SheetError> {
        check_unpacked(&mut Cursor::new(&bytes), self.unpacked())
            .map_err(|error| SheetError::Invalid(sentence(&error)))?;
        let broken = |error: calamine::XlsxError| {
            SheetError::Invalid(format!("The workbook cannot be read: {error}."))
        };
        let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).map_err(broken)?;
        for sheet in book.sheets_metadata().to_vec() {
            let name = sheet.name;
            if sheet.typ != SheetType::WorkSheet {
                self.notes
                    .push(format!("The sheet “{name}” has no cells, and is left out."));
                continue;
            }
            // Of a damaged workbook no sheet can be trusted.
            let cells = book.worksheet_cells_reader(&name);
            let mut cells = cells.map_err(|error| {
                SheetError::Invalid(format!(
                    "The workbook is damaged: its sheet “{name}” cannot be read ({error})."
                ))
            })?;
            let mut rows: Vec<Vec<String>> = Vec::new();
            while let Some(cell) = cells.next_cell().map_err(broken)? {
                let (row, column) = cell.get_position();
                let text = text_of(cell.get_value());
                // A sheet can claim cells anywhere: only what has a value takes room.
                if text.is_empty() {
                    continue;
                }
                if column >= self.config.file_columns {
                    return self.too_wide(&name);
                }
                let (row, column) = (row as usize, column as usize);
                let known = rows.len();
                if row >= known {
                    self.count((row - known + 1) as u64)?;
                    rows.resize_with(row + 1, Vec::new);
                }
                if rows[row].len() <= column {
                    self.count((column + 1 - rows[row].len()) as u64)?;
                    rows[row].resize(column + 1, String::new());
                }
                rows[row][column] = self.cell(&text)?;
            }
            drop(cells);
            let mut rows = Rows::from(1, rows);
            // Cells that are merged only shape the heading: without them the sheet is read as well.
            let merged = book.merge_cells_by_sheet_name(&name).unwrap_or_default();
            let widest = self.config.file_columns;
            rows.merged = merged
                .into_iter()
                .filter(|one| one.end.1 < widest && one.start.1 <= one.end.1)
                .take(MOST_MERGED)
                .map(|one| Merged {
                    first_row: one.start.0 as usize,
                    last_row: one.end.0 as usize,
                    first_column: one.start.1 as usize,
                    last_column: one.end.1 as usize,
                })
                .collect();
            self.table(&name, rows)?;
        }
        Ok(())
    }

    fn sqlite(&mut self, bytes: Vec<u8>) -> Result<(), SheetError> {
        let broken = |error: plant_files::FileError| SheetError::Invalid(sentence(&error));
        let mut input = Cursor::new(bytes);
        let mut database = Database::open(&mut input).map_err(broken)?;
        if database.has_write_ahead_log() {
            self.notes.push(
                "The file has a write-ahead log: rows that are only in the file beside it, whose \
                 name ends in “-wal”, are not in it. `PRAGMA wal_checkpoint(TRUNCATE)` writes them \
                 to the file."
                    .to_owned(),
            );
        }
        let mut declared = Vec::new();
        for table in database.tables().map_err(broken)? {
            if table.name.starts_with("sqlite_") {
                continue;
            }
            if table.without_row_ids {
                self.notes.push(format!(
                    "The table “{}” is left out: it is WITHOUT ROWID. Copy it: CREATE TABLE copy AS SELECT * FROM \"{}\".",
                    table.name, table.name
                ));
                continue;
            }
            let mut rows = vec![table.columns.clone()];
            let mut failed = None;
            let read = database.rows(&table, &mut |_, values| {
                let row: Vec<String> = values
                    .iter()
                    .take(table.columns.len())
                    .map(value_of)
                    .collect();
                match self.row(&row) {
                    Ok(row) => {
                        rows.push(row);
                        Ok(())
                    }
                    Err(error) => {
                        failed = Some(error);
                        Err(plant_files::FileError::Stopped)
                    }
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            // Of a damaged file no table can be trusted.
            read.map_err(|error| {
                SheetError::Invalid(format!("{} (table “{}”)", sentence(&error), table.name))
            })?;
            // Its columns have no row.
            self.table(&table.name, Rows::from(0, rows))?;
            let keys = table.foreign_keys.into_iter();
            declared.extend(keys.map(|key| (table.name.clone(), key)));
        }
        database.check_pages().map_err(broken)?;
        self.joins = declared
            .iter()
            .filter_map(|(table, key)| joined(&self.tables, table, key))
            .collect();
        Ok(())
    }

    fn parquet(&mut self, filename: &str, bytes: Vec<u8>) -> Result<(), SheetError> {
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
        })
    }

    /// Maximum size of a file when it is unpacked.
    fn unpacked(&self) -> u64 {
        unpacked(self.config)
    }

    /// Maximum size of a file of this length when it is unpacked. A small one has no use for much.
    fn unpacked_of(&self, length: u64) -> u64 {
        let most = length.saturating_mul(MOST_RATIO).max(SMALL_UNPACKED);
        most.min(self.unpacked())
    }

    /// A row of cells within the limits.
    fn row(&mut self, row: &[String]) -> Result<Vec<String>, SheetError> {
        self.count(row.len() as u64)?;
        if row.len() > self.config.file_columns as usize {
            return self.too_wide("the file");
        }
        row.iter().map(|cell| self.cell(cell)).collect()
    }

    fn count(&mut self, cells: u64) -> Result<(), SheetError> {
        self.cells = self.cells.saturating_add(cells);
        if self.cells > self.config.file_cells {
            return invalid(format!(
                "The file has more than {} cells. Load a part of it, or connect the database that it comes from.",
                self.config.file_cells
            ));
        }
        Ok(())
    }

    fn too_wide<T>(&self, what: &str) -> Result<T, SheetError> {
        invalid(format!(
            "A row of {what} has more than {} columns.",
            self.config.file_columns
        ))
    }

    /// A cell without blanks around it, as PostgreSQL can keep it.
    fn cell(&mut self, text: &str) -> Result<String, SheetError> {
        let mut cell = text.trim().replace('\0', "");
        if let Some((at, _)) = cell.char_indices().nth(self.config.cell_chars as usize) {
            cell.truncate(at);
            self.cut += 1;
        }
        self.text += cell.len() as u64;
        if self.text > self.unpacked() {
            let megabytes = self.unpacked() / (1024 * 1024);
            return invalid(format!(
                "The cells of the file have more than {megabytes} MiB of text. Load a part of it."
            ));
        }
        Ok(cell)
    }

    /// A table of the rows of a sheet.
    fn table(&mut self, source: &str, sheet: Rows) -> Result<(), SheetError> {
        let Rows {
            cells: mut rows,
            lines,
            merged,
        } = sheet;
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.is_empty());
        let Some(heading) = heading::find(&rows, &merged) else {
            if !rows.is_empty() {
                self.notes
                    .push(format!("“{source}” is empty, and is left out."));
            }
            return Ok(());
        };
        let head = line(&lines, heading.first);
        let data = rows.split_off(heading.first + heading.rows);
        let below = data.into_iter().enumerate();
        let (lines, mut data): (Vec<u64>, Vec<Vec<String>>) = below
            .filter(|(_, row)| filled(row))
            .map(|(at, row)| (line(&lines, heading.first + heading.rows + at), row))
            .unzip();
        if rows[..heading.first].iter().any(filled) {
            self.notes.push(format!(
                "“{source}”: what stands above the header in row {head} is left out."
            ));
        }
        if heading.rows > 1 {
            self.notes.push(format!(
                "“{source}”: the header is in rows {head} and {}; their names are joined.",
                head + 1
            ));
        }
        if data.is_empty() {
            self.notes.push(format!(
                "“{source}” has no row below its header, and is left out."
            ));
            return Ok(());
        }
        let header = heading.names;
        let width = data.iter().map(Vec::len).max().unwrap_or_default();
        let width = width.max(header.len());
        let ragged = data.iter().filter(|row| row.len() > header.len()).count();
        let header = (0..width).map(|at| header.get(at).cloned().unwrap_or_default());
        let mut columns = names(header.collect());
        // Columns without a header and without a cell are left out.
        let used: Vec<bool> = (0..columns.len())
            .map(|at| {
                let has_cell = |row: &Vec<String>| row.get(at).is_some_and(|cell| !cell.is_empty());
                !columns[at].1.is_empty() || data.iter().any(has_cell)
            })
            .collect();
        for row in &mut data {
            row.resize(width, String::new());
            let mut at = 0;
            row.retain(|_| {
                at += 1;
                used[at - 1]
            });
        }
        let mut at = 0;
        columns.retain(|_| {
            at += 1;
            used[at - 1]
        });
        self.note_unnamed(source, ragged, &columns);
        self.add(Raw {
            name: String::new(),
            source: source.to_owned(),
            columns,
            rows: data,
            lines,
            types: Vec::new(),
        })
    }

    /// Notes the columns that have no header.
    fn note_unnamed(&mut self, source: &str, ragged: usize, columns: &[(String, String)]) {
        let unnamed = columns.iter().filter(|(_, header)| header.is_empty());
        let mut names: Vec<&str> = unnamed.map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            return;
        }
        let more = if names.len() > MOST_NAMED {
            " and so on"
        } else {
            ""
        };
        names.truncate(MOST_NAMED);
        let rows = match ragged {
            0 => String::new(),
            1 => "a row has more cells than the header; ".to_owned(),
            some => format!("{some} rows have more cells than the header; "),
        };
        self.notes.push(format!(
            "“{source}”: {rows}the columns without a header are named {}{more}.",
            names.join(", ")
        ));
    }

    /// Names a table, and adds it.
    fn add(&mut self, mut table: Raw) -> Result<(), SheetError> {
        if self.tables.len() >= self.config.file_tables as usize {
            return invalid(format!(
                "The file has more than {} tables.",
                self.config.file_tables
            ));
        }
        let columns = table.columns.iter();
        let twice: Vec<String> = columns
            .filter(|(name, header)| *name != identifier(header) && !header.is_empty())
            .map(|(name, header)| format!("“{header}” is {name}"))
            .collect();
        if !twice.is_empty() {
            self.notes.push(format!(
                "“{}”: headers that occur twice have a number: {}.",
                table.source,
                twice.join(", ")
            ));
        }
        let known: HashSet<String> = self.tables.iter().map(|table| table.name.clone()).collect();
        table.name = free(identifier(&table.source), "table", &known);
        self.tables.push(table);
        Ok(())
    }
}

/// A declared key of one column, by names in queries. Without a referenced column, the
/// key refers to a column of its own name, or to `id`.
fn joined(tables: &[Raw], from: &str, key: &ForeignKey) -> Option<JoinDecision> {
    let [column] = key.columns.as_slice() else {
        return None;
    };
    let table = |name: &str| {
        let mut tables = tables.iter();
        tables.find(|table| table.source.eq_ignore_ascii_case(name))
    };
    let named = |table: &Raw, header: &str| {
        let mut columns = table.columns.iter();
        columns
            .find(|(_, known)| known.eq_ignore_ascii_case(header))
            .map(|(name, _)| name.clone())
    };
    let (from, to) = (table(from)?, table(&key.table)?);
    let referenced = match key.referenced.as_slice() {
        [referenced] => named(to, referenced)?,
        _ => named(to, column).or_else(|| named(to, "id"))?,
    };
    Some(JoinDecision {
        from_table: from.name.clone(),
        from_column: named(from, column)?,
        to_table: to.name.clone(),
        to_column: referenced,
        holds: true,
    })
}

/// The line of a record of a CSV, from 1. Its place is before the empty lines above it.
fn line_of(text: &str, place: &csv::Position) -> u64 {
    let start = usize::try_from(place.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    place.line() + blank.filter(|byte| **byte == b'\n').count() as u64
}

/// The name of a file without its ending.
fn stem(filename: &str) -> String {
    let stem = Path::new(filename).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn text_of(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::DateTime(stamp) if stamp.is_duration() => duration(stamp.as_f64()),
        DataRef::DateTime(stamp) => {
            let (year, month, day, hour, minute, second, milli) = stamp.to_ymd_hms_milli();
            let days = stamp.as_f64();
            let milli = match milli {
                0 => String::new(),
                milli => format!(".{milli:03}"),
            };
            if days < 1.0 {
                format!("{hour:02}:{minute:02}:{second:02}{milli}")
            } else if days.fract() == 0.0 {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{milli}")
            }
        }
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}

/// A length of time that Excel counts in days, as it shows it: `36:00:00`, with the fractions of a
/// second that there are.
fn duration(days: f64) -> String {
    let millis = (days.abs() * 86_400_000.0).round();
    if !millis.is_finite() || millis > 1e15 {
        return days.to_string();
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is whole, and within the range"
    )]
    let millis = millis as u64;
    let sign = if days < 0.0 && millis > 0 { "-" } else { "" };
    let (seconds, rest) = (millis / 1_000, millis % 1_000);
    let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    match rest {
        0 => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
        rest => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}.{rest:03}"),
    }
}

/// Whether a time has digits beyond microseconds, which the database does not keep.
fn has_nanoseconds(cell: &str) -> bool {
    let fraction = cell.trim_end_matches('Z').rsplit_once('.');
    let beyond = fraction.and_then(|(_, digits)| digits.get(6..));
    beyond.is_some_and(|digits| digits.bytes().any(|digit| digit != b'0'))
}

fn value_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text.clone(),
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// The delimiter that divides the most lines into the same number of fields.
fn delimiter(text: &str) -> u8 {
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(SAMPLE_LINES)
        .collect();
    let count = |line: &str, mark: u8| {
        let mut quoted = false;
        line.bytes()
            .filter(|byte| {
                quoted ^= *byte == b'"';
                *byte == mark && !quoted
            })
            .count()
    };
    let score = |mark: u8| {
        let mut counts: Vec<usize> = lines.iter().map(|line| count(line, mark)).collect();
        counts.retain(|count| *count > 0);
        counts.sort_unstable();
        let groups = counts.chunk_by(|one, other| one == other);
        groups
            .map(|same| (same.len(), same[0]))
            .max()
            .unwrap_or_default()
    };
    // Of equal ones the last: a comma may as well be a decimal mark.
    let marks = [b',', b'|', b'\t', b';'];
    marks
        .into_iter()
        .max_by_key(|mark| score(*mark))
        .unwrap_or(b',')
}

/// Names for headers: each once, in the form of identifiers.
fn names(headers: Vec<String>) -> Vec<(String, String)> {
    let mut known = HashSet::new();
    let mut names = Vec::new();
    for (at, header) in headers.into_iter().enumerate() {
        let name = free(identifier(&header), &format!("column_{}", at + 1), &known);
        known.insert(name.clone());
        names.push((name, header));
    }
    names
}

/// A name that is not known yet.
fn free(name: String, otherwise: &str, known: &HashSet<String>) -> String {
    let name = if name.is_empty() {
        otherwise.to_owned()
    } else {
        name
    };
    let mut candidate = name.clone();
    let mut number = 2;
    while known.contains(&candidate) {
        candidate = format!("{name}_{number}");
        number += 1;
    }
    candidate
}

/// A text as an identifier: letters and digits in lower case, `_` between words.
fn identifier(text: &str) -> String {
    let mut name = String::new();
    for letter in text.trim().chars() {
        if letter.is_alphanumeric() {
            name.extend(letter.to_lowercase());
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let mut name = name.trim_end_matches('_').to_owned();
    while name.len() > LONGEST_NAME {
        name.pop();
    }
    // The catalogue leaves out what PostgreSQL may call its own.
    match name.chars().next() {
        Some(first) if first.is_numeric() => format!("n{name}"),
        _ if name.starts_with("pg_") => format!("t_{name}"),
        _ => name,
    }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
