//! The delimiter and decimal mark of a CSV, found by looking at its first lines.
//!
//! The delimiter is the one under which the header names what is needed and the rows have as many
//! fields as the header. The decimal mark is a comma where numbers are written with one that can be
//! nothing else: `12,5` is a decimal, `1,234` could as well be a thousand ([`super::numbers`]).

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};

use super::numbers::{Evidence, Numbers};
use super::options::Field;

/// How much of a file is looked at.
pub(super) const SAMPLE_BYTES: usize = 256 * 1024;
/// Number of its lines that the delimiter is found in. Decimals may first appear at noon, so their
/// mark is found in all lines.
const SAMPLE_LINES: usize = 200;
/// In the order in which they are taken when nothing speaks for one.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How a CSV is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) delimiter: u8,
    pub(super) numbers: Numbers,
}

/// The request's settings, and the column that it names for the time stamp.
pub(super) struct Known<'a> {
    pub(super) delimiter: Option<u8>,
    pub(super) decimal_comma: Option<bool>,
    pub(super) columns: &'a [(Field, String)],
}

impl Known<'_> {
    /// The dialect of a file that starts with `sample`. `whole` says that nothing follows.
    pub(super) fn find(&self, sample: &[u8], whole: bool) -> Dialect {
        let lines = lines(sample, whole);
        let first = &lines[..lines.len().min(SAMPLE_LINES)];
        let delimiter = self.delimiter.unwrap_or_else(|| self.find_delimiter(first));
        let numbers = self.evidence(&lines, delimiter).numbers(self.decimal_comma);
        Dialect { delimiter, numbers }
    }

    fn find_delimiter(&self, lines: &[&[u8]]) -> u8 {
        let mut best = (DELIMITERS[0], (false, 0, 0));
        for delimiter in DELIMITERS {
            let score = self.score(lines, delimiter);
            if score > best.1 {
                best = (delimiter, score);
            }
        }
        best.0
    }

    /// Whether the time stamp is found, how many of a thousand rows have the header's fields, and
    /// how many fields these are.
    fn score(&self, lines: &[&[u8]], delimiter: u8) -> (bool, usize, usize) {
        let Some((header, rows)) = lines.split_first() else {
            return (false, 0, 0);
        };
        let names = split(header, delimiter);
        if names.len() < 2 {
            return (false, 0, 0);
        }
        let fitting = rows
            .iter()
            .filter(|row| split(row, delimiter).len() == names.len())
            .count();
        let share = 1000 * fitting / rows.len().max(1);
        let stamp = names
            .iter()
            .any(|name| self.field(name) == Some(Field::Timestamp));
        (stamp, share, names.len())
    }

    /// What the numbers show about their marks.
    fn evidence(&self, lines: &[&[u8]], delimiter: u8) -> Evidence {
        let (mut described, mut others) = (Evidence::default(), Evidence::default());
        let Some((header, rows)) = lines.split_first() else {
            return described;
        };
        let fields: Vec<Option<Field>> = split(header, delimiter)
            .iter()
            .map(|name| self.field(name))
            .collect();
        for row in rows {
            for (cell, field) in split(row, delimiter).iter().zip(&fields) {
                if is_number(*field) {
                    described.add(cell.trim());
                } else if field.is_none() {
                    others.add(cell.trim());
                }
            }
        }
        // The columns without a description count only where the others do not, and not where a
        // quoted comma may as well stand in a list.
        if described.is_empty() && delimiter != b',' {
            others
        } else {
            described
        }
    }

    fn field(&self, name: &str) -> Option<Field> {
        let name = name.trim().trim_start_matches('\u{feff}');
        let mapped = self.columns.iter().find(|(_, column)| column == name);
        mapped
            .map(|(field, _)| *field)
            .or_else(|| Field::named(name))
    }
}

fn is_number(field: Option<Field>) -> bool {
    matches!(
        field,
        Some(Field::ActivePowerWatts | Field::EnergyDailyKwh | Field::Irradiance)
    )
}

/// The lines that have something in them; the last one only when it is whole.
fn lines(sample: &[u8], whole: bool) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = sample.split(|byte| matches!(byte, b'\n' | b'\r')).collect();
    if !whole {
        lines.pop();
    }
    lines.retain(|line| !line.trim_ascii().is_empty());
    lines
}

/// The fields of one line.
fn split(line: &[u8], delimiter: u8) -> Vec<String> {
    let mut reader: Reader = ReaderBuilder::new().delimiter(delimiter).build();
    let mut text = vec![0; line.len() + 1];
    let mut fields = Vec::new();
    let (mut input, mut at) = (line, 0);
    loop {
        // An empty input, after the line, is its end.
        let (result, taken, written) = reader.read_field(input, &mut text[at..]);
        input = &input[taken..];
        at += written;
        match result {
            ReadFieldResult::InputEmpty => {}
            ReadFieldResult::Field { record_end } => {
                fields.push(String::from_utf8_lossy(&text[..at]).into_owned());
                at = 0;
                if record_end {
                    return fields;
                }
            }
            ReadFieldResult::OutputFull | csv_core::ReadFieldResult::End => {
                return fields;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> (char, bool) {
        let known = Known {
            delimiter: None,
            decimal_comma: None,
            columns: &[(Field::ActivePowerWatts, "P AC".to_owned())],
        };
        let dialect = known.find(text.as_bytes(), true);
        (char::from(dialect.delimiter), dialect.numbers.decimal_comma)
    }

    #[test]
    fn the_delimiter_is_found_by_looking() {
        for delimiter in [',', ';', '\t', '|'] {
            let text = "timestamp;loggerId;P AC\n2025-12-04 12:00;A;12\n2025-12-04 12:05;A;13\n"
                .replace(';', &delimiter.to_string());
            assert_eq!(found(&text), (delimiter, false), "{delimiter:?}");
        }
    }

    #[test]
    fn commas_in_numbers_and_names_are_no_delimiters() {
        let text =
            "timestamp;P AC;Temp, in C\n04.12.2025 12:00;12,5;-3,25\n04.12.2025 12:05;13;-3\n";
        assert_eq!(found(text), (';', true));
        assert_eq!(
            found("timestamp,P AC\n2025-12-04 12:00,\"12,5\"\n"),
            (',', true)
        );
        assert_eq!(
            found("timestamp,note\n2025-12-04 12:00,\"a;b;c\"\n"),
            (',', false)
        );
    }

    #[test]
    fn a_group_of_thousands_is_no_decimal() {
        for (cell, comma) in [
            ("1,234", false),
            ("12,345", false),
            ("0,125", true),
            ("1234,567", true),
            ("12,5", true),
            ("1.234,5", true),
            ("1,234.5", false),
            ("12.5", false),
            ("-0,5", true),
        ] {
            let text = format!("timestamp;P AC\n2025-12-04 12:00;{cell}\n");
            assert_eq!(found(&text), (';', comma), "{cell}");
        }
    }

    #[test]
    fn a_point_somewhere_speaks_against_commas() {
        let text = "timestamp;P AC\n2025-12-04 12:00;12,5\n2025-12-04 12:05;12.5\n";
        assert_eq!(found(text), (';', false));
    }

    #[test]
    fn columns_that_are_not_described_speak_when_the_others_do_not() {
        assert_eq!(
            found("timestamp;P AC;T\n2025-12-04 12:00;12;3,5\n"),
            (';', true)
        );
        assert_eq!(
            found("timestamp;P AC;T\n2025-12-04 12:00;1.5;3,5\n"),
            (';', false)
        );
        assert_eq!(
            found("timestamp,P AC,list\n2025-12-04 12:00,12,\"3,4\"\n"),
            (',', false)
        );
    }

    #[test]
    fn nothing_to_look_at_is_read_as_usual() {
        for text in ["", "\n\n", "timestamp", "timestamp\n2025-12-04 12:00\n"] {
            assert_eq!(found(text), (',', false), "{text:?}");
        }
    }
}
