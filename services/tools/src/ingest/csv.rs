//! CSV uploads: a header, then one reading per record.
//!
//! Columns that no field claims go into the metadata under their own name, numbers as numbers;
//! empty cells are left out.

use contracts::measurements::CsvDialect;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Number, Value};
use service_kit::web::parse_json;

use super::dialect::{Dialect, Known, SAMPLE_BYTES};
use super::json::reason;
use super::numbers::Numbers;
use super::options::{Field, IngestOptions};
use super::reading::{Checked, Checks, RawReading};
use super::records::{Found, Records};
use super::rows::{Broken, MAX_ROW_BYTES, Row};

/// Maximum number of columns in a file. A longer first line is not a header.
const MAX_COLUMNS: usize = 1024;

/// A CSV file that is fed in pieces.
pub(super) struct CsvParser {
    /// The first bytes, until there are enough to determine the dialect.
    sample: Vec<u8>,
    file: Option<File>,
    delimiter: Option<u8>,
    decimal_comma: Option<bool>,
    mapping: Vec<(Field, String)>,
    needs_logger: bool,
    checks: Checks,
    rows: u64,
}

/// A file whose dialect is known.
struct File {
    dialect: Dialect,
    records: Records,
    splitter: Splitter,
    /// `None` until the header was read.
    layout: Option<Layout>,
}

/// Takes a record apart: its text without quotes and delimiters, and where each field ends in it.
struct Splitter {
    reader: Reader,
    record: Record,
}

struct Record {
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
}

/// What each column holds.
struct Layout {
    columns: Vec<Column>,
    /// Number of columns  up to the last one with a name: a row need not have the others.
    named: usize,
    /// `field=column` for each column that holds a field.
    taken: Vec<String>,
}

enum Column {
    Field(Field),
    Extra(String),
}

impl CsvParser {
    pub(super) fn new(options: &IngestOptions, checks: Checks) -> Self {
        Self {
            sample: Vec::new(),
            file: None,
            delimiter: options.delimiter,
            decimal_comma: options.decimal_comma,
            mapping: options.columns.clone(),
            needs_logger: options.logger_id.is_none(),
            checks,
            rows: 0,
        }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) -> Result<(), Broken> {
        if self.file.is_some() {
            return self.read(chunk, false, rows);
        }
        self.sample.extend_from_slice(chunk);
        if self.sample.len() < SAMPLE_BYTES {
            return Ok(());
        }
        self.look(false);
        let sample = std::mem::take(&mut self.sample);
        self.read(&sample, false, rows)
    }

    pub(super) fn finish(&mut self, rows: &mut Vec<Row>) -> Result<(), Broken> {
        if self.file.is_none() {
            self.look(true);
        }
        let sample = std::mem::take(&mut self.sample);
        self.read(&sample, true, rows)?;
        match self.file.as_ref().and_then(|file| file.layout.as_ref()) {
            Some(_) => Ok(()),
            None => Err(Broken::at(0, "the file is empty; a CSV header is needed")),
        }
    }

    /// How the file is read, once its header is known.
    pub(super) fn read_as(&self) -> Option<CsvDialect> {
        let file = self.file.as_ref()?;
        let dialect = file.dialect;
        let found = [
            (self.delimiter.is_none(), "delimiter"),
            (self.decimal_comma.is_none(), "decimal"),
        ];
        Some(CsvDialect {
            delimiter: match dialect.delimiter {
                b'\t' => "tab".to_owned(),
                delimiter => char::from(delimiter).to_string(),
            },
            decimal: dialect.numbers.decimal().to_string(),
            columns: file.layout.as_ref()?.taken.clone(),
            found: found
                .iter()
                .filter(|(found, _)| *found)
                .map(|(_, what)| (*what).to_owned())
                .collect(),
        })
    }

    fn known(&self) -> Known<'_> {
        Known {
            delimiter: self.delimiter,
            decimal_comma: self.decimal_comma,
            columns: &self.mapping,
        }
    }

    fn look(&mut self, whole: bool) {
        let dialect = self.known().find(&self.sample, whole);
        self.file = Some(File::new(dialect));
    }

    fn read(&mut self, bytes: &[u8], last: bool, rows: &mut Vec<Row>) -> Result<(), Broken> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let checks = &self.checks;
        let delimiter = file.dialect.delimiter;
        file.records.push(bytes);
        loop {
            let layout = file.layout.as_ref();
            let is_row =
                |line: &[u8]| layout.is_some_and(|layout| layout.is_row(line, delimiter, checks));
            let Some(found) = file.records.next(last, is_row) else {
                return Ok(());
            };
            let Some(layout) = layout else {
                let header = match found {
                    Found::Record(bytes) => file.splitter.split(bytes),
                    Found::Unclosed => Err("the header has a quote that is not closed".to_owned()),
                    Found::TooLong => Err(too_long()),
                };
                let header = header.map_err(|reason| Broken::at(0, reason))?;
                let names = header_names(header, delimiter)?;
                file.layout = Some(Layout::of(&names, &self.mapping, self.needs_logger)?);
                continue;
            };
            self.rows += 1;
            let read = match found {
                Found::Record(bytes) => file.splitter.split(bytes).and_then(|record| match layout
                    .read(record, file.dialect.numbers, checks)?
                {
                    Some(raw) => checks.apply(raw),
                    None => Ok(Checked::Empty),
                }),
                Found::Unclosed => Err("a quote is opened in this row and not closed".to_owned()),
                Found::TooLong => Err(too_long()),
            };
            rows.push(Row {
                number: self.rows,
                reading: read,
            });
        }
    }
}

fn too_long() -> String {
    format!("the row is longer than {MAX_ROW_BYTES} bytes; is a quote not closed?")
}

impl File {
    fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            records: Records::new(dialect.delimiter),
            splitter: Splitter::new(dialect.delimiter),
            layout: None,
        }
    }
}

impl Splitter {
    fn new(delimiter: u8) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(delimiter).build(),
            record: Record {
                text: vec![0; 4096],
                text_len: 0,
                ends: vec![0; 64],
                ends_len: 0,
            },
        }
    }

    /// The fields of a record; the reason when it has too many.
    fn split(&mut self, bytes: &[u8]) -> Result<&Record, String> {
        self.reader.reset();
        let record = &mut self.record;
        (record.text_len, record.ends_len) = (0, 0);
        let mut input = bytes;
        loop {
            // An empty input, after the record, is its end.
            let (result, taken, text, ends) = self.reader.read_record(
                input,
                &mut record.text[record.text_len..],
                &mut record.ends[record.ends_len..],
            );
            input = &input[taken..];
            record.text_len += text;
            record.ends_len += ends;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::Record | ReadRecordResult::End => return Ok(record),
                ReadRecordResult::OutputFull => {
                    record.text.resize(record.text.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull if record.ends.len() < MAX_COLUMNS => {
                    record.ends.resize(record.ends.len() * 2, 0);
                }
                ReadRecordResult::OutputEndsFull => {
                    return Err(format!("the row has more than {MAX_COLUMNS} fields"));
                }
            }
        }
    }
}

impl Record {
    fn fields(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let ends = &self.ends[..self.ends_len];
        (0..ends.len()).map(move |at| {
            let start = if at == 0 { 0 } else { ends[at - 1] };
            &self.text[start..ends[at]]
        })
    }
}

impl Layout {
    fn of(names: &[Name], mapping: &[(Field, String)], needs_logger: bool) -> Result<Self, Broken> {
        let named = names.iter().rposition(|name| !name.made_up);
        let names: Vec<String> = names.iter().map(|name| name.text.clone()).collect();
        for (field, column) in mapping {
            if !names.contains(column) {
                return Err(Broken::Columns(format!(
                    "there is no column {column:?} for {}; the header has {}",
                    field.name(),
                    names.join(", ")
                )));
            }
        }
        let mapped = |name: &str| {
            mapping
                .iter()
                .find(|(_, column)| column == name)
                .map(|(field, _)| *field)
        };
        let claimed = |field: Field| mapping.iter().any(|(known, _)| *known == field);
        let columns: Vec<Column> = names
            .iter()
            .map(|name| match (mapped(name), Field::named(name)) {
                (Some(field), _) => Column::Field(field),
                (None, Some(field)) if !claimed(field) => Column::Field(field),
                _ => Column::Extra(name.clone()),
            })
            .collect();
        let taken = columns
            .iter()
            .zip(&names)
            .filter_map(|(column, name)| match column {
                Column::Field(field) => Some(format!("{}={name}", field.name())),
                Column::Extra(_) => None,
            })
            .collect();
        let layout = Self {
            columns,
            named: named.map_or(0, |last| last + 1),
            taken,
        };
        layout.check(&names, needs_logger)?;
        Ok(layout)
    }

    fn check(&self, names: &[String], needs_logger: bool) -> Result<(), Broken> {
        let holds = |field: Field| {
            self.columns
                .iter()
                .filter(|column| column.is(field))
                .count()
        };
        if let Some(field) = Field::ALL.into_iter().find(|field| holds(*field) > 1) {
            return Err(Broken::at(
                0,
                format!("the header has {} twice", field.name()),
            ));
        }
        let missing = |field: Field| {
            let name = field.name();
            let header = names.join(", ");
            Broken::at(
                0,
                format!(
                    "the header has no column {name} (it has {header}); say which one it is with `columns={name}=…`"
                ),
            )
        };
        if holds(Field::Timestamp) == 0 {
            return Err(missing(Field::Timestamp));
        }
        if needs_logger && holds(Field::LoggerId) == 0 {
            return Err(missing(Field::LoggerId));
        }
        Ok(())
    }

    /// Whether the row has as many fields as the header. Delimiters that a table program adds at
    /// the end do not count.
    fn fits(&self, record: &Record) -> bool {
        let count = record.fields().len();
        let blank = |cell: &[u8]| cell.trim_ascii().is_empty();
        count >= self.named && record.fields().skip(self.columns.len()).all(blank)
    }

    /// Whether a line is a row of its own: it has the header's fields, and a time stamp.
    fn is_row(&self, line: &[u8], delimiter: u8, checks: &Checks) -> bool {
        let mut splitter = Splitter::new(delimiter);
        let Ok(record) = splitter.split(line) else {
            return false;
        };
        let stamp = self
            .columns
            .iter()
            .zip(record.fields())
            .find(|(column, _)| column.is(Field::Timestamp))
            .and_then(|(_, cell)| std::str::from_utf8(cell).ok());
        self.fits(record) && stamp.is_some_and(|stamp| checks.is_stamp(stamp))
    }

    /// The row's values; `None` when there is nothing in it at all.
    fn read(
        &self,
        record: &Record,
        numbers: Numbers,
        checks: &Checks,
    ) -> Result<Option<RawReading>, String> {
        if record.fields().all(|cell| cell.trim_ascii().is_empty()) {
            return Ok(None);
        }
        if !self.fits(record) {
            return Err(format!(
                "the row has {} fields, the header {}",
                record.fields().len(),
                self.columns.len()
            ));
        }
        let mut raw = RawReading::default();
        let mut extra = Map::new();
        for (column, cell) in self.columns.iter().zip(record.fields()) {
            let cell = std::str::from_utf8(cell)
                .map_err(|_| format!("the field {} is not UTF-8", column.name()))?
                .trim();
            if checks.is_missing(cell) {
                continue;
            }
            match column {
                Column::Extra(name) => {
                    extra.insert(name.clone(), loose_value(cell, numbers));
                }
                Column::Field(field) => raw.set(*field, cell, numbers)?,
            }
        }
        if !extra.is_empty() {
            raw.metadata.get_or_insert_default().extend(extra);
        }
        Ok(Some(raw))
    }
}

impl Column {
    fn is(&self, field: Field) -> bool {
        matches!(self, Self::Field(own) if *own == field)
    }

    fn name(&self) -> &str {
        match self {
            Self::Field(field) => field.name(),
            Self::Extra(name) => name,
        }
    }
}

impl RawReading {
    fn set(&mut self, field: Field, cell: &str, numbers: Numbers) -> Result<(), String> {
        let value = || {
            numbers
                .read(cell)
                .ok_or_else(|| not_a_number(field, cell, numbers))
        };
        match field {
            Field::Timestamp => cell.clone_into(&mut self.timestamp),
            Field::LoggerId => self.logger_id = Some(cell.to_owned()),
            Field::LoggerType => self.logger_type = Some(cell.to_owned()),
            Field::ActivePowerWatts => self.active_power_watts = Some(value()?),
            Field::EnergyDailyKwh => self.energy_daily_kwh = Some(value()?),
            Field::Irradiance => self.irradiance = Some(value()?),
            Field::Metadata => {
                let members: Map<String, Value> = parse_json(cell.as_bytes())
                    .map_err(|error| format!("metadata is no JSON object: {}", reason(&error)))?;
                self.metadata = Some(members);
            }
        }
        Ok(())
    }
}

/// A column's name.
struct Name {
    text: String,
    /// The header has none: a table program's empty column. Its cells are kept under its number,
    /// should it have any.
    made_up: bool,
}

fn header_names(header: &Record, delimiter: u8) -> Result<Vec<Name>, Broken> {
    let mut names: Vec<Name> = Vec::with_capacity(header.ends_len);
    for cell in header.fields() {
        if cell.contains(&0) {
            return Err(Broken::at(
                0,
                "the header holds NUL bytes; is the file UTF-16?",
            ));
        }
        let text = std::str::from_utf8(cell)
            .map_err(|_| Broken::at(0, "the header is not UTF-8"))?
            .trim();
        if text.is_empty() {
            names.push(Name {
                text: format!("column{}", names.len() + 1),
                made_up: true,
            });
        } else if names.iter().any(|known| known.text == text) {
            return Err(Broken::at(
                0,
                format!(
                    "the header, read with the delimiter {:?}, has {text:?} twice; give each column a name of its own",
                    char::from(delimiter)
                ),
            ));
        } else {
            names.push(Name {
                text: text.to_owned(),
                made_up: false,
            });
        }
    }
    Ok(names)
}

fn not_a_number(field: Field, cell: &str, numbers: Numbers) -> String {
    let (name, shown) = (field.name(), shown(cell));
    let written = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.,' ".contains(&byte));
    if written && cell.bytes().any(|byte| byte.is_ascii_digit()) {
        let mark = numbers.decimal();
        format!(
            "{name} is not a number with the decimal mark `{mark}`: {shown:?}. Set `decimal`, and write thousands without a separator"
        )
    } else {
        format!("{name} is not a number: {shown:?}")
    }
}

/// The cell of a column without a declared type: a number where JSON would write it the same way,
/// otherwise text, so that a code such as `007` stays what it was.
fn loose_value(cell: &str, numbers: Numbers) -> Value {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let padded =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if !digits.starts_with(|first: char| first.is_ascii_digit()) || padded {
        return Value::String(cell.to_owned());
    }
    if let Ok(whole) = cell.parse::<i64>() {
        return Value::from(whole);
    }
    numbers
        .read(cell)
        .filter(|value| value.abs() < 1e15)
        .and_then(Number::from_f64)
        .map_or_else(|| Value::String(cell.to_owned()), Value::Number)
}

fn shown(cell: &str) -> String {
    cell.chars().take(40).collect()
}

#[cfg(test)]
mod tests;
