//! Tables out of the bytes of a file: CSV, an Excel workbook, an SQLite file, a Parquet file. Every
//! cell is text here.

mod csv_file;
mod names;
mod parquet;
mod percents;
mod sqlite_file;
mod workbook;

use std::collections::HashSet;
use std::path::Path;

use contracts::targets::JoinDecision;
use plant_files::formats::sqlite::MAGIC;
use plant_files::table::{WithoutResult, letters};
use serde::{Deserialize, Serialize};

use super::heading;
use super::parquet_file;
use super::types::Guess;
use crate::added_targets::config::AddedTargetsConfig;
use names::{free, identifier, names};

/// Maximum size of an unpacked workbook, as a multiple of that of a file.
const UNPACKED: u64 = 8;
/// Columns without a header that a note names.
const MOST_NAMED: usize = 5;

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
    /// The other keys that it declares.
    pub(super) keys: Keys,
}

/// Columns of a table, by names in queries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Columns {
    pub(super) table: String,
    pub(super) columns: Vec<String>,
}

/// Keys that a file declares.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Keys {
    /// Columns whose values together name one row.
    pub(super) unique: Vec<Columns>,
    /// Foreign keys of several columns, and the columns that they refer to.
    pub(super) foreign: Vec<(Columns, Columns)>,
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
    /// The numbers of the rows, as the file shows them, in which the formula of a column has no
    /// result. Empty: in none.
    pub(super) without_result: Vec<Vec<u64>>,
    /// Whether the numbers of a column are values of the file, which no person has written with
    /// marks. Empty: of none.
    pub(super) stored_numbers: Vec<bool>,
}

impl Raw {
    /// The number of a row, as the file shows it.
    pub(super) fn line(&self, at: usize) -> u64 {
        line(&self.lines, at)
    }

    /// A column as a person names it.
    pub(super) fn full_name(&self, at: usize) -> String {
        format!("{}.{}", self.name, self.columns[at].0)
    }

    /// Whether a column is named so.
    pub(super) fn has_column(&self, full: &str) -> bool {
        (0..self.columns.len()).any(|at| self.full_name(at) == full)
    }

    /// The cells of a column.
    pub(super) fn cells(&self, at: usize) -> impl Iterator<Item = &str> + Clone {
        let rows = self.rows.iter();
        rows.map(move |row| row.get(at).map_or("", String::as_str))
    }

    /// The remark for answers about a column, on its formulas without a result, save those in these
    /// rows.
    pub(super) fn remark_without_result(&self, at: usize, left_out: &[u64]) -> Option<String> {
        let lines = self.without_result.get(at)?.iter();
        let (name, header) = &self.columns[at];
        let header = if header.is_empty() { name } else { header };
        match lines
            .filter(|line| left_out.binary_search(line).is_err())
            .count()
        {
            0 => None,
            1 => Some(format!(
                "1 cell of {header} is a formula without a result and is not counted."
            )),
            some => Some(format!(
                "{some} cells of {header} are formulas without a result and are not counted."
            )),
        }
    }

    /// Whether a formula of a row has no result.
    pub(super) fn lacks_result(&self, at: usize) -> bool {
        let line = self.line(at);
        let mut columns = self.without_result.iter();
        columns.any(|lines| lines.binary_search(&line).is_ok())
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
    /// The cells whose formula has no result.
    without_result: WithoutResult,
    /// The file itself says that the first row has the names.
    is_named: bool,
    /// The columns with numbers that are texts. `None`: those of every column are.
    written: Option<HashSet<usize>>,
}

impl Rows {
    /// Rows that are numbered from a number on.
    fn from(first: u64, rows: Vec<Vec<String>>) -> Self {
        Self {
            lines: (first..).take(rows.len()).collect(),
            cells: rows,
            merged: Vec::new(),
            without_result: WithoutResult::default(),
            is_named: false,
            written: None,
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
    has_names: Option<bool>,
    config: &AddedTargetsConfig,
) -> Result<Found, SheetError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return invalid("The file is empty.");
    }
    let mut reading = Reading {
        config,
        has_names,
        cells: 0,
        text: 0,
        cut: 0,
        notes: Vec::new(),
        tables: Vec::new(),
        joins: Vec::new(),
        keys: Keys::default(),
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
        keys: reading.keys,
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

struct Reading<'c> {
    config: &'c AddedTargetsConfig,
    /// Whether the first row has the names, if a person said it.
    has_names: Option<bool>,
    cells: u64,
    /// Bytes of all cells. A file can name one long text in many cells.
    text: u64,
    cut: u64,
    notes: Vec<String>,
    tables: Vec<Raw>,
    joins: Vec<JoinDecision>,
    keys: Keys,
}

impl Reading<'_> {
    /// Maximum size of a file when it is unpacked.
    fn unpacked(&self) -> u64 {
        unpacked(self.config)
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
            without_result,
            is_named,
            written,
        } = sheet;
        let has_names = if is_named { Some(true) } else { self.has_names };
        let filled = |row: &Vec<String>| row.iter().any(|cell| !cell.is_empty());
        let Some(heading) = heading::find(&rows, &merged, has_names) else {
            if !rows.is_empty() {
                self.notes
                    .push(format!("“{source}” is empty, and is left out."));
            }
            return Ok(());
        };
        let head = line(&lines, heading.first);
        self.note_without_result(source, &without_result, &heading.names);
        let data = rows.split_off(heading.first + heading.rows);
        let below = data.into_iter().enumerate();
        let (lines, mut data): (Vec<u64>, Vec<Vec<String>>) = below
            .filter(|(_, row)| filled(row))
            .map(|(at, row)| (line(&lines, heading.first + heading.rows + at), row))
            .unzip();
        let is_preceded = rows[..heading.first].iter().any(filled);
        self.note_heading(source, &heading, head, is_preceded);
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
        let begin = line(&lines, 0);
        let without_result: Vec<Vec<u64>> = (0..width)
            .filter(|at| used[*at])
            .map(|at| {
                let lines = without_result.lines(at);
                lines.filter(|line| *line >= begin).collect()
            })
            .collect();
        let is_stored = |at: &usize| {
            let written = written.as_ref();
            written.is_some_and(|written| !written.contains(at))
        };
        let stored_numbers = (0..width).filter(|at| used[*at]).map(|at| is_stored(&at));
        let stored_numbers = stored_numbers.collect();
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
            without_result,
            stored_numbers,
        })
    }

    /// Notes how the header was read, which begins in row `head`, and what is left out above it.
    fn note_heading(
        &mut self,
        source: &str,
        heading: &heading::Heading,
        head: u64,
        is_preceded: bool,
    ) {
        if is_preceded {
            let header = if heading.rows == 0 {
                ""
            } else {
                "the header in "
            };
            self.notes.push(format!(
                "“{source}”: what stands above {header}row {head} is left out."
            ));
        }
        if heading.rows == 0 {
            let last = heading.names.last().map_or("", String::as_str);
            self.notes.push(format!(
                "“{source}”: row {head} is read as values, as the rows below it; the columns are named Column A to {last}."
            ));
        }
        if heading.rows > 1 {
            self.notes.push(format!(
                "“{source}”: the header is in rows {head} and {}; their names are joined.",
                head + 1
            ));
        }
    }

    /// Notes the formulas that no program has calculated, by column.
    fn note_without_result(
        &mut self,
        source: &str,
        without_result: &WithoutResult,
        names: &[String],
    ) {
        for (column, count, first) in without_result.columns() {
            let name = names.get(column).filter(|name| !name.is_empty());
            let name = name.map_or_else(|| letters(column), Clone::clone);
            let what = match count {
                1 => format!("the formula in row {first} has no stored result, and is empty"),
                some => format!(
                    "{some} formulas have no stored result, the first in row {first}, and are empty"
                ),
            };
            self.notes.push(format!(
                "“{source}”, column “{name}”: {what}. Open the file in a program that calculates it, and save it."
            ));
        }
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

/// The name of a file without its ending.
fn stem(filename: &str) -> String {
    let stem = Path::new(filename).file_stem();
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests;
