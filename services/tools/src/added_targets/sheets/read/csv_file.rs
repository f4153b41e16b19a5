//! The table of a CSV.

use std::io::Read;

use plant_files::text::Utf8;

use super::{Reading, Rows, SheetError, invalid, stem};

/// Lines that decide the delimiter of a CSV.
const SAMPLE_LINES: usize = 50;

impl Reading<'_> {
    pub(super) fn csv(&mut self, filename: &str, bytes: &[u8]) -> Result<(), SheetError> {
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
        self.table(
            &stem(filename),
            Rows {
                lines,
                ..Rows::from(1, rows)
            },
        )
    }
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

/// The line of a record of a CSV, from 1. Its place is before the empty lines above it.
fn line_of(text: &str, place: &csv::Position) -> u64 {
    let start = usize::try_from(place.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    place.line() + blank.filter(|byte| **byte == b'\n').count() as u64
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
