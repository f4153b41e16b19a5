//! Excel workbooks: a heading per sheet, a table per block of rows, its first row the header.

use std::io::Cursor;

use calamine::{DataRef, Reader as _, Xlsx, XlsxError, open_workbook_from_rs};

use super::Package;
use crate::Error;
use crate::document::{Block, Content, Document, MediaType, row};

/// Maximum numbers of columns and rows of a sheet; a broken one can claim any.
const MOST_COLUMNS: u32 = 2_000;
const MOST_ROWS: u32 = 1_048_576;

pub(in super::super) fn read(bytes: &[u8]) -> Result<Document, Error> {
    let mut package = Package::open(bytes, MediaType::Workbook, "xl/workbook.xml")?;
    let title = package.title()?;
    let broken = |error: XlsxError| Error::damaged(error);
    let mut book: Xlsx<_> = open_workbook_from_rs(Cursor::new(bytes)).map_err(broken)?;
    let mut blocks = Vec::new();
    for name in book.sheet_names() {
        let mut cells = match book.worksheet_cells_reader(&name) {
            Ok(cells) => cells,
            // A sheet that is a diagram has no cells.
            Err(XlsxError::NotAWorksheet(_) | XlsxError::WorksheetNotFound(_)) => continue,
            Err(error) => return Err(broken(error)),
        };
        let mut sheet = Sheet::default();
        while let Some(cell) = cells.next_cell().map_err(broken)? {
            let (row, column) = cell.get_position();
            if row >= MOST_ROWS || column >= MOST_COLUMNS {
                return Err(Error::Broken(format!(
                    "the sheet {name:?} has a cell in row {} and column {}, which is too far away",
                    u64::from(row) + 1,
                    u64::from(column) + 1
                )));
            }
            sheet.put(row, column as usize, text(cell.get_value()));
        }
        sheet.end_table();
        if sheet.tables.is_empty() {
            continue;
        }
        blocks.push(Block::new(Content::Heading {
            level: 1,
            text: name,
        }));
        blocks.extend(sheet.tables.into_iter().map(Block::new));
    }
    Ok(Document {
        title,
        pages: None,
        blocks,
    })
}

/// A sheet being read. A row without cells ends a table.
#[derive(Default)]
struct Sheet {
    tables: Vec<Content>,
    rows: Vec<Vec<String>>,
    current: Option<u32>,
}

impl Sheet {
    fn put(&mut self, row: u32, column: usize, text: String) {
        if text.is_empty() {
            return;
        }
        match self.current {
            Some(known) if known == row => {}
            Some(known) if known + 1 == row => self.rows.push(Vec::new()),
            _ => {
                self.end_table();
                self.rows.push(Vec::new());
            }
        }
        self.current = Some(row);
        if let Some(cells) = self.rows.last_mut() {
            if cells.len() <= column {
                cells.resize(column + 1, String::new());
            }
            cells[column] = text;
        }
    }

    fn end_table(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        // Columns to the left of the table are not columns of it.
        let filled = |cells: &Vec<String>| cells.iter().position(|cell| !cell.is_empty());
        let left = rows.iter().filter_map(filled).min().unwrap_or(0);
        for cells in &mut rows {
            cells.drain(..left.min(cells.len()));
        }
        let content = match rows.as_slice() {
            [] => return,
            // A single cell is a title or a remark.
            [only] if only.len() == 1 => Content::Paragraph(only[0].clone()),
            [only] => Content::Table {
                header: String::new(),
                rows: vec![row(only)],
            },
            [header, rest @ ..] => Content::Table {
                header: row(header),
                rows: rest.iter().map(|cells| row(cells)).collect(),
            },
        };
        self.tables.push(content);
    }
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
            let (year, month, day, hour, minute, second, _) = stamp.to_ymd_hms_milli();
            let whole = stamp.as_f64();
            if whole < 1.0 {
                format!("{hour:02}:{minute:02}:{second:02}")
            } else if whole.fract() == 0.0 {
                format!("{year:04}-{month:02}-{day:02}")
            } else {
                format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
            }
        }
        DataRef::Error(_) | DataRef::Empty => String::new(),
    }
}
