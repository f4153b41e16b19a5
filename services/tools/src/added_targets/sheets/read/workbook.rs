//! The sheets of an Excel workbook.

use std::collections::HashSet;
use std::io::Cursor;

use calamine::{DataRef, Reader as _, SheetType, Xlsx, open_workbook_from_rs};
use plant_files::archive::check_unpacked;
use plant_files::table::WithoutResult;

use super::{Merged, Reading, Rows, SheetError, percents, sentence};
use crate::added_targets::sheets::types::has_mark;

/// Merged cells of a sheet that are looked at.
const MOST_MERGED: usize = 10_000;

impl Reading<'_> {
    pub(super) fn workbook(&mut self, bytes: Vec<u8>) -> Result<(), SheetError> {
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
            let damaged = |error: calamine::XlsxError| {
                SheetError::Invalid(format!(
                    "The workbook is damaged: its sheet “{name}” cannot be read ({error})."
                ))
            };
            let percents = percents::of(&mut book, &name, self.config.file_cells);
            let percents = percents.map_err(damaged)?;
            let mut cells = book.worksheet_cells_reader(&name).map_err(damaged)?;
            let mut rows: Vec<Vec<String>> = Vec::new();
            let mut without_result = WithoutResult::default();
            let mut written = HashSet::new();
            while let Some(cell) = cells.next_cell_with_formula_metadata().map_err(broken)? {
                let (row, column) = cell.pos;
                if cell.value == DataRef::Empty && cell.formula.is_some() {
                    self.count(1)?;
                    without_result.add(cell.pos);
                }
                if is_written(&cell.value) {
                    written.insert(column as usize);
                }
                let text = match cell.value {
                    DataRef::Float(number) if percents.contains(&cell.pos) => {
                        percents::text(number)
                    }
                    _ => text_of(&cell.value),
                };
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
            let mut rows = Rows {
                without_result,
                written: Some(written),
                ..Rows::from(1, rows)
            };
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
}

/// Whether a cell is a number that a person has written as a text, with a mark.
fn is_written(value: &DataRef<'_>) -> bool {
    match value {
        DataRef::String(text) => has_mark(text.trim()),
        DataRef::SharedString(text) => has_mark(text.trim()),
        _ => false,
    }
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
pub(super) fn duration(days: f64) -> String {
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
