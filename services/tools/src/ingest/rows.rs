//! Bytes in, rows out: one parser per format, fed chunk by chunk, holding no more than one row.

use contracts::measurements::CsvDialect;

use super::csv::CsvParser;
use super::json::{ArrayParser, LineParser};
use super::options::{Format, IngestOptions};
use super::reading::{Checked, Checks};

/// The longest row. Beyond it something is wrong with the file, and memory must stay bounded.
pub(super) const MAX_ROW_BYTES: usize = 1024 * 1024;

/// One row of the upload.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    /// Counted from 1, a header not counted.
    pub(super) number: u64,
    /// The reading, or the reason why the row is refused.
    pub(super) reading: Result<Checked, String>,
}

/// From here on the upload cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// The bytes are not what they should be. The row is the one at fault, 0 when it is the head.
    Body {
        /// The row, counted from 1.
        row: u64,
        /// The fault.
        reason: String,
    },
    /// A column that the options name is not in the header.
    Columns(String),
}

impl Broken {
    pub(super) fn at(row: u64, reason: impl Into<String>) -> Self {
        Self::Body {
            row,
            reason: reason.into(),
        }
    }
}

/// The parser of a format, with a byte order mark before it taken away.
pub(super) struct RowParser {
    mark: ByteOrderMark,
    inner: Inner,
}

enum Inner {
    Array(ArrayParser),
    Lines(LineParser),
    Csv(Box<CsvParser>),
}

impl RowParser {
    pub(super) fn new(options: &IngestOptions) -> Self {
        let checks = Checks::new(options);
        let inner = match options.format {
            Format::JsonArray => Inner::Array(ArrayParser::new(checks)),
            Format::JsonLines => Inner::Lines(LineParser::new(checks)),
            Format::Csv => Inner::Csv(Box::new(CsvParser::new(options, checks))),
        };
        Self {
            mark: ByteOrderMark::default(),
            inner,
        }
    }

    /// Reads on; the rows that end in this chunk are added to `rows`, also those before a fault.
    pub(super) fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) -> Result<(), Broken> {
        let (held, rest) = self.mark.strip(chunk);
        self.inner.feed(held, rows)?;
        self.inner.feed(rest, rows)
    }

    /// Ends the reading: adds the last row, if it ended with the file.
    pub(super) fn finish(&mut self, rows: &mut Vec<Row>) -> Result<(), Broken> {
        let held = self.mark.held();
        self.inner.feed(held, rows)?;
        match &mut self.inner {
            Inner::Array(parser) => parser.finish(),
            Inner::Lines(parser) => {
                parser.finish(rows);
                Ok(())
            }
            Inner::Csv(parser) => parser.finish(rows),
        }
    }
}

impl RowParser {
    /// How a CSV is read, once its header is known.
    pub(super) fn read_as(&self) -> Option<CsvDialect> {
        match &self.inner {
            Inner::Csv(parser) => parser.read_as(),
            Inner::Array(_) | Inner::Lines(_) => None,
        }
    }
}

impl Inner {
    fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) -> Result<(), Broken> {
        match self {
            Self::Array(parser) => parser.feed(chunk, rows),
            Self::Lines(parser) => {
                parser.feed(chunk, rows);
                Ok(())
            }
            Self::Csv(parser) => parser.feed(chunk, rows),
        }
    }
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Takes a UTF-8 byte order mark off the first bytes, however they are cut.
#[derive(Default)]
struct ByteOrderMark {
    /// Number of bytes of the mark that were seen and held back.
    seen: usize,
    done: bool,
}

impl ByteOrderMark {
    /// The bytes held back that turn out not to be a mark, and what remains of the chunk.
    fn strip<'a>(&mut self, chunk: &'a [u8]) -> (&'static [u8], &'a [u8]) {
        if self.done {
            return (&[], chunk);
        }
        let wanted = &MARK[self.seen..];
        let same = wanted
            .iter()
            .zip(chunk)
            .take_while(|(mark, byte)| mark == byte)
            .count();
        let complete = same == wanted.len();
        if same == chunk.len() && !complete {
            self.seen += same;
            return (&[], &[]);
        }
        self.done = true;
        if complete {
            (&[], &chunk[same..])
        } else {
            (&MARK[..self.seen], chunk)
        }
    }

    /// At the end of the file: bytes that were held back and turned out not to be a mark.
    fn held(&mut self) -> &'static [u8] {
        let held = if self.done { 0 } else { self.seen };
        self.done = true;
        &MARK[..held]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// All rows of a text, and the fault that ended it, if any.
    pub(in crate::ingest) fn read(
        options: &IngestOptions,
        body: &[u8],
    ) -> (Vec<Row>, Option<Broken>) {
        read_chunks(options, &[body])
    }

    pub(in crate::ingest) fn read_chunks(
        options: &IngestOptions,
        chunks: &[&[u8]],
    ) -> (Vec<Row>, Option<Broken>) {
        let mut parser = RowParser::new(options);
        let mut rows = Vec::new();
        for chunk in chunks {
            if let Err(broken) = parser.feed(chunk, &mut rows) {
                return (rows, Some(broken));
            }
        }
        let end = parser.finish(&mut rows).err();
        (rows, end)
    }

    fn options(format: Format) -> IngestOptions {
        let mut options = IngestOptions::new(format);
        options.logger_id = Some("A".to_owned());
        options.timezone = Some(chrono_tz::UTC);
        options
    }

    /// Bodies with most of what can be in one, good and bad.
    fn bodies() -> [(Format, &'static [u8]); 5] {
        [
            (
                Format::JsonArray,
                br#" [ {"timestamp":"2025-12-04T12:00:00Z","loggerId":"a\"]},{","irradiance":1.5e2},
                {"timestamp":"2025-12-04T12:05:00Z","bogus":1},{"timestamp":"x","metadata":{"a":[{}]}} , 7,"s",
                {"timestamp":"2025-12-04T12:10:00Z","metadata":{"k":"\u00e9\\"}}] "#,
            ),
            (Format::JsonArray, br#"[{"timestamp":"2025-12-04T12:00:00Z","irradiance":1} {"timestamp":1}]"#),
            (
                Format::JsonLines,
                b"{\"timestamp\":\"2025-12-04T12:00:00Z\",\"irradiance\":1}\r\n\n nonsense \n{\"timestamp\":\"2025-12-04 12:05\",\"irradiance\":2}",
            ),
            (
                Format::Csv,
                "timestamp,irradiance,\"Status \"\"x\"\"\",metadata\r\n2025-12-04 12:00,1,\"two\r\nlines\",\"{\"\"a\"\":1}\"\r\n\r\nbad\n2025-12-04 12:05,,\u{e9},".as_bytes(),
            ),
            (Format::Csv, b"time,irradiance\n2025-12-04 12:00,1\n"),
        ]
    }

    #[test]
    fn a_byte_order_mark_is_taken_off() {
        for (format, body) in bodies() {
            let options = options(format);
            let marked = [MARK, body].concat();
            assert_eq!(read(&options, &marked), read(&options, body));
        }
    }

    #[test]
    fn a_cut_byte_order_mark_is_no_mark() {
        let (rows, end) = read(&options(Format::JsonLines), b"\xEF\xBB");
        assert_eq!((rows.len(), end), (1, None));
        assert!(rows[0].reading.is_err());
    }

    proptest::proptest! {
        #[test]
        fn a_body_split_anywhere_gives_the_same_rows(
            which in 0usize..5,
            mark in proptest::bool::ANY,
            cuts in proptest::collection::vec(0usize..600, 0..12),
        ) {
            let (format, body) = bodies()[which];
            let body = if mark { [MARK, body].concat() } else { body.to_vec() };
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(body.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&body[from..cut]);
                from = cut;
            }
            chunks.push(&body[from..]);
            let options = options(format);
            proptest::prop_assert_eq!(read_chunks(&options, &chunks), read(&options, &body));
        }

        #[test]
        fn any_bytes_are_read_or_refused_without_a_panic(body in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            for format in [Format::JsonArray, Format::JsonLines, Format::Csv] {
                let _ = read(&options(format), &body);
            }
        }
    }
}
