//! The rows of a query as a workbook of Excel.
//!
//! Excel's numbers have 15 digits, and its times are days since 1900 without a zone, to the
//! millisecond. What does not fit is not changed: it is text, and a second sheet says so.

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, NaiveTime, Timelike as _};
use contracts::tools::sql::{ResultColumn, ValueKind};
use rust_xlsxwriter::{ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use serde_json::{Map, Value};

/// Longest text in a cell of Excel.
const CELL_CHARS: usize = 32_767;
/// Digits that a number of Excel has.
const DIGITS: usize = 15;
/// The years of Excel's calendar. Its days of 1900 are counted wrongly up to February.
const YEARS: std::ops::RangeInclusive<i32> = 1901..=9999;

/// Rows of a sheet below its header.
const SHEET_ROWS: u32 = 1_048_575;
/// Cells of a workbook, which is in memory until it is sent.
const MOST_CELLS: usize = 2_000_000;

/// Why rows cannot be a workbook.
#[derive(Debug, thiserror::Error)]
pub(super) enum BookError {
    #[error("The rows have more than {0} cells, too many for a workbook. Take them as CSV.")]
    TooLarge(usize),
    #[error("the workbook was not written")]
    Written(#[from] XlsxError),
}

/// A workbook of rows as they come in. Rows that a sheet has no place for are on another one.
pub(super) struct Book {
    workbook: Workbook,
    columns: Vec<ResultColumn>,
    told: Vec<Told>,
    formats: Formats,
    rows: usize,
    /// The rows of the last sheet.
    last: u32,
}

impl Book {
    pub(super) fn new(columns: Vec<ResultColumn>) -> Result<Self, BookError> {
        let mut book = Self {
            workbook: Workbook::new(),
            told: columns.iter().map(|_| Told::default()).collect(),
            columns,
            formats: Formats::new(),
            rows: 0,
            last: 0,
        };
        book.begin_sheet()?;
        Ok(book)
    }

    fn begin_sheet(&mut self) -> Result<(), XlsxError> {
        let sheet = self.workbook.add_worksheet();
        let bold = Format::new().set_bold();
        for (at, column) in (0_u16..).zip(&self.columns) {
            sheet.write_string_with_format(0, at, short(&column.name), &bold)?;
        }
        sheet.set_freeze_panes(1, 0)?;
        self.last = 0;
        Ok(())
    }

    pub(super) fn add(&mut self, rows: &[Map<String, Value>]) -> Result<(), BookError> {
        for row in rows {
            self.rows += 1;
            if self.rows * self.columns.len() > MOST_CELLS {
                return Err(BookError::TooLarge(MOST_CELLS));
            }
            if self.last == SHEET_ROWS {
                self.begin_sheet()?;
            }
            self.last += 1;
            let place = self.workbook.worksheets().len() - 1;
            let sheet = self.workbook.worksheet_from_index(place)?;
            let columns = self.columns.iter().zip(&mut self.told);
            for (at, (column, told)) in (0_u16..).zip(columns) {
                let value = row.get(&column.name).unwrap_or(&Value::Null);
                self.formats
                    .write(sheet, (self.last, at), column, value, told)?;
            }
        }
        Ok(())
    }

    /// The bytes of the file.
    pub(super) fn finish(mut self, is_cut: bool) -> Result<Vec<u8>, BookError> {
        let mut notes = Vec::new();
        for (at, (column, told)) in (0_u16..).zip(self.columns.iter().zip(&self.told)) {
            if told.is_date {
                let width = if told.is_time { 25 } else { 11 };
                for sheet in self.workbook.worksheets_mut() {
                    sheet.set_column_width(at, width)?;
                }
            }
            notes.extend(told.notes(&column.name));
        }
        if is_cut {
            notes.push(format!(
                "A limit of the target cut the result after {} rows.",
                self.rows
            ));
        }
        if !notes.is_empty() {
            let sheet = self.workbook.add_worksheet().set_name("Notes")?;
            sheet.set_column_width(0, 100)?;
            for (row, note) in (0_u32..).zip(notes) {
                sheet.write_string(row, 0, short(&note))?;
            }
        }
        Ok(self.workbook.save_to_buffer()?)
    }
}

/// How cells are shown.
struct Formats {
    day: Format,
    local: Format,
    utc: Format,
    time: Format,
}

/// The values of a column that Excel cannot show as they are.
#[derive(Default)]
struct Told {
    is_date: bool,
    is_time: bool,
    long_numbers: u32,
    odd_dates: u32,
    rounded_times: u32,
    cut_texts: u32,
}

impl Told {
    fn notes(&self, column: &str) -> Vec<String> {
        let told = [
            (
                self.long_numbers,
                "numbers have more than 15 digits, which Excel would round: they are text.",
            ),
            (
                self.odd_dates,
                "dates are not in Excel's calendar, from 1901 to 9999: they are text.",
            ),
            (
                self.rounded_times,
                "times have more than three digits behind the second: the others are left out.",
            ),
            (
                self.cut_texts,
                "texts have more than 32767 characters, and are cut.",
            ),
        ];
        let told = told.into_iter().filter(|(count, _)| *count > 0);
        told.map(|(count, what)| format!("{column}: {count} {what}"))
            .collect()
    }
}

impl Formats {
    fn new() -> Self {
        let format = |code: &str| Format::new().set_num_format(code);
        Self {
            day: format("yyyy-mm-dd"),
            local: format("yyyy-mm-dd hh:mm:ss.000"),
            // A cell has no zone: its format states it.
            utc: format("yyyy-mm-dd hh:mm:ss.000 \"UTC\""),
            time: format("hh:mm:ss.000"),
        }
    }

    fn write(
        &self,
        sheet: &mut Worksheet,
        (row, at): (u32, u16),
        column: &ResultColumn,
        value: &Value,
        told: &mut Told,
    ) -> Result<(), XlsxError> {
        let text = match value {
            Value::Null => return Ok(()),
            Value::Bool(value) => return sheet.write_boolean(row, at, *value).map(drop),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        match column.kind {
            ValueKind::Number => {
                // A binary number of the database is the same one in Excel.
                let is_binary = value.as_number().is_some_and(serde_json::Number::is_f64);
                let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
                if let Some(number) = number.filter(|_| is_binary || digits(&text) <= DIGITS) {
                    return sheet.write_number(row, at, number).map(drop);
                }
                told.long_numbers += u32::from(number.is_some());
            }
            ValueKind::Date | ValueKind::DateTime | ValueKind::Time => {
                if let Some((moment, is_utc)) = Moment::read(column.kind, &text) {
                    let format = match (&moment, is_utc) {
                        (Moment::Day(_), _) => &self.day,
                        (Moment::Time(_), _) => &self.time,
                        (Moment::At(_), true) => &self.utc,
                        (Moment::At(_), false) => &self.local,
                    };
                    if let Some(cell) = moment.cell() {
                        told.is_date = true;
                        told.is_time |= !matches!(moment, Moment::Day(_));
                        told.rounded_times += u32::from(moment.is_finer());
                        return sheet
                            .write_datetime_with_format(row, at, cell, format)
                            .map(drop);
                    }
                }
                // A time with a zone, or of more than a day, is not one of Excel.
                told.odd_dates += u32::from(column.kind != ValueKind::Time);
            }
            _ => {}
        }
        let cut = short(&text);
        told.cut_texts += u32::from(cut.len() < text.len());
        sheet.write_string(row, at, cut).map(drop)
    }
}

/// A point in time, as a database has it.
enum Moment {
    Day(NaiveDate),
    Time(NaiveTime),
    At(NaiveDateTime),
}

impl Moment {
    /// Reads a value, and whether it is in UTC.
    fn read(kind: ValueKind, text: &str) -> Option<(Self, bool)> {
        match kind {
            ValueKind::Date => text.parse().ok().map(|day| (Self::Day(day), false)),
            ValueKind::Time => text.parse().ok().map(|time| (Self::Time(time), false)),
            _ => match DateTime::parse_from_rfc3339(text) {
                Ok(at) => Some((Self::At(at.naive_utc()), true)),
                Err(_) => text.parse().ok().map(|at| (Self::At(at), false)),
            },
        }
    }

    fn cell(&self) -> Option<ExcelDateTime> {
        let (day, time) = match self {
            Self::Day(day) => (*day, None),
            Self::At(at) => (at.date(), Some(at.time())),
            Self::Time(time) => {
                let (hour, minute, second, milliseconds) = parts(*time)?;
                return ExcelDateTime::from_hms_milli(hour, minute, second, milliseconds).ok();
            }
        };
        if !YEARS.contains(&day.year()) {
            return None;
        }
        let year = u16::try_from(day.year()).ok()?;
        let (month, date) = (
            u8::try_from(day.month()).ok()?,
            u8::try_from(day.day()).ok()?,
        );
        let cell = ExcelDateTime::from_ymd(year, month, date).ok()?;
        let Some(time) = time else {
            return Some(cell);
        };
        let (hour, minute, second, milliseconds) = parts(time)?;
        cell.and_hms_milli(hour, minute, second, milliseconds).ok()
    }

    fn is_finer(&self) -> bool {
        let nanoseconds = match self {
            Self::Day(_) => 0,
            Self::Time(time) => time.nanosecond(),
            Self::At(at) => at.nanosecond(),
        };
        !nanoseconds.is_multiple_of(1_000_000)
    }
}

/// Hour, minute, second, and milliseconds of a time.
fn parts(time: NaiveTime) -> Option<(u16, u8, u8, u16)> {
    Some((
        u16::try_from(time.hour()).ok()?,
        u8::try_from(time.minute()).ok()?,
        u8::try_from(time.second()).ok()?,
        u16::try_from(time.nanosecond() / 1_000_000 % 1_000).ok()?,
    ))
}

/// Digits of a number that decide its value.
fn digits(number: &str) -> usize {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    // Zeros at the end are exact in any case.
    digits.trim_end_matches('0').len()
}

fn short(text: &str) -> String {
    text.chars().take(CELL_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_counted_from_the_first_to_the_last_that_is_no_zero() {
        for (number, expected) in [
            ("0.00", 0),
            ("-12.50", 3),
            ("0.001234567890123456", 16),
            ("100000000000000000000", 1),
            ("1.5e300", 2),
            ("123456789012345", 15),
        ] {
            assert_eq!(digits(number), expected, "{number}");
        }
    }
}
