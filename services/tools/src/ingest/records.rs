//! Finds the beginning and end of a CSV's records.
//!
//! A quoted field may hold line ends. A quote that is opened and never closed looks the same at
//! first, and would swallow the rows after it. So a line that is read inside a quoted field, and
//! that reads as a row of its own, shows that the quote before it was never closed: then only the
//! line with that quote is given up, and reading continues with the next one.

use super::rows::MAX_ROW_BYTES;

/// Maximum number of lines in one record. More are due to a quote that is not closed.
const MAX_LINES: usize = 200;

/// Cuts the bytes of a file into records.
pub(super) struct Records {
    delimiter: u8,
    buffer: Vec<u8>,
    /// The beginning of the record that is being read.
    start: usize,
    /// The beginning of its current line, and the end of the part that was looked at.
    line: usize,
    seen: usize,
    /// The end of the record's first line, when it has several.
    first_line_end: Option<usize>,
    lines: usize,
    quotes: Quotes,
    /// The rest of a line that is too long is passed over.
    skipping: bool,
}

/// The next item.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    /// A record, its line end taken off.
    Record(&'a [u8]),
    /// A line with a quote that is not closed.
    Unclosed,
    /// A line that is too long.
    TooLong,
}

/// The state of quoting at the next byte of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quotes {
    FieldStart,
    Plain,
    Quoted,
    /// After a quote in a quoted field: its end, or the first of two that represent one.
    Closing,
}

impl Quotes {
    fn step(self, byte: u8, delimiter: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Closing,
            (Self::Quoted, _) | (Self::FieldStart | Self::Closing, b'"') => Self::Quoted,
            (_, byte) if byte == delimiter => Self::FieldStart,
            _ => Self::Plain,
        }
    }

    fn after(self, line: &[u8], delimiter: u8) -> Self {
        if self != Self::Quoted && !line.contains(&b'"') {
            return Self::Plain;
        }
        line.iter().fold(self, |at, byte| at.step(*byte, delimiter))
    }
}

impl Records {
    pub(super) fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            buffer: Vec::new(),
            start: 0,
            line: 0,
            seen: 0,
            first_line_end: None,
            lines: 0,
            quotes: Quotes::FieldStart,
            skipping: false,
        }
    }

    /// Adds bytes; what was read before is let go.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.line -= self.start;
        self.seen -= self.start;
        self.first_line_end = self.first_line_end.map(|end| end - self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next record; `None` until more bytes come. `last` says that none will. `is_row` says
    /// whether a line reads as a row of its own.
    pub(super) fn next(&mut self, last: bool, is_row: impl Fn(&[u8]) -> bool) -> Option<Found<'_>> {
        loop {
            let ahead = self.buffer[self.seen..]
                .iter()
                .position(|byte| matches!(byte, b'\n' | b'\r'));
            let (end, next) = match ahead {
                Some(ahead) => (self.seen + ahead, self.seen + ahead + 1),
                None if last && self.line < self.buffer.len() => {
                    (self.buffer.len(), self.buffer.len())
                }
                None => {
                    self.seen = self.buffer.len();
                    if self.skipping {
                        self.begin(self.seen);
                    } else if self.seen - self.line > MAX_ROW_BYTES {
                        return Some(self.too_long());
                    } else if last && self.quotes == Quotes::Quoted {
                        return Some(self.give_up());
                    }
                    return None;
                }
            };
            if self.skipping {
                self.skipping = false;
                self.begin(next);
                continue;
            }
            let line = &self.buffer[self.line..end];
            let is_first = self.first_line_end.is_none();
            if line.len() > MAX_ROW_BYTES {
                if !is_first {
                    return Some(self.give_up());
                }
                self.begin(next);
                return Some(Found::TooLong);
            }
            self.quotes = self.quotes.after(line, self.delimiter);
            let open = self.quotes == Quotes::Quoted;
            if !is_first && is_row(line) {
                return Some(self.give_up());
            }
            if !open {
                let record = self.start..end;
                let empty = record.is_empty();
                self.begin(next);
                if empty {
                    continue;
                }
                return Some(Found::Record(&self.buffer[record]));
            }
            self.first_line_end.get_or_insert(next);
            self.lines += 1;
            let too_much = self.lines >= MAX_LINES || end - self.start > MAX_ROW_BYTES;
            if too_much || (last && next == self.buffer.len()) {
                return Some(self.give_up());
            }
            (self.line, self.seen) = (next, next);
        }
    }

    fn begin(&mut self, at: usize) {
        (self.start, self.line, self.seen) = (at, at, at);
        self.first_line_end = None;
        self.lines = 0;
        self.quotes = Quotes::FieldStart;
    }

    fn give_up(&mut self) -> Found<'_> {
        let next = self.first_line_end.unwrap_or(self.buffer.len());
        self.begin(next);
        Found::Unclosed
    }

    fn too_long(&mut self) -> Found<'_> {
        // A quote that was opened on an earlier line is to blame, otherwise this line.
        if self.first_line_end.is_some() {
            return self.give_up();
        }
        self.skipping = true;
        Found::TooLong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items when the bytes come in pieces of this size. A row of its own is a line with
    /// two commas.
    fn found(text: &str, piece: usize) -> Vec<String> {
        let mut records = Records::new(b',');
        let mut found = Vec::new();
        let is_row = |line: &[u8]| line.split(|byte| *byte == b',').count() == 3;
        let mut pieces: Vec<&[u8]> = text.as_bytes().chunks(piece).collect();
        pieces.push(b"");
        for (index, piece) in pieces.iter().enumerate() {
            records.push(piece);
            while let Some(next) = records.next(index + 1 == pieces.len(), is_row) {
                found.push(match next {
                    Found::Record(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    Found::Unclosed => "unclosed".to_owned(),
                    Found::TooLong => "too long".to_owned(),
                });
            }
        }
        found
    }

    fn check(text: &str, expected: &[&str]) {
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(found(text, piece), expected, "{piece}");
        }
    }

    #[test]
    fn lines_are_records() {
        check(
            "a,b,c\n1,2,3\r\n\r\n4,5,6\r7,8,9",
            &["a,b,c", "1,2,3", "4,5,6", "7,8,9"],
        );
        check("", &[]);
        check("\n\r\n", &[]);
    }

    #[test]
    fn quoted_fields_hold_line_ends_quotes_and_commas() {
        check(
            "1,\"two\r\nlines and \"\"more\"\"\",3\n4,5,6\n",
            &["1,\"two\r\nlines and \"\"more\"\"\",3", "4,5,6"],
        );
        check("1,5\" pipe,3\n4,5,6\n", &["1,5\" pipe,3", "4,5,6"]);
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_its_own_line() {
        check("1,\"2,3\n4,5,6\n7,8,9\n", &["unclosed", "4,5,6", "7,8,9"]);
        check(
            "1,\"2,3\n4,\"5\",6\n7,8,9\n",
            &["unclosed", "4,\"5\",6", "7,8,9"],
        );
        check("1,2,3\n4,\"5,6", &["1,2,3", "unclosed"]);
        check("1,2,3\n4,\"5,6\n", &["1,2,3", "unclosed"]);
        check("4,\"5,6\nx\n\n", &["unclosed", "x"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over() {
        let long = "x".repeat(MAX_ROW_BYTES + 70_000);
        assert_eq!(
            found(&format!("1,2,3\n{long}\n4,5,6\n"), 65_536),
            ["1,2,3", "too long", "4,5,6"]
        );
        assert_eq!(found(&long, 65_536), ["too long"]);
    }

    #[test]
    fn a_quote_that_is_not_closed_before_a_great_deal_of_text_is_given_up() {
        let text = format!("1,\"2,3\n{}4,5,6\n", "x\n".repeat(3 * MAX_LINES));
        let found = found(&text, 1000);
        assert_eq!(found[0], "unclosed");
        assert_eq!(found.len(), 3 * MAX_LINES + 2);
        assert_eq!(found.last().map(String::as_str), Some("4,5,6"));
    }
}
