//! CSV uploads: a header, then one reading per record.
//!
//! Columns that no field claims go into the metadata under their own name, numbers as numbers; empty cells are left out.

use contracts::measurements::CsvDialect;
use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Number, Value};
use service_kit::web::parse_json;

use super::dialect::{Dialect, Known, SAMPLE_BYTES};
use super::json::reason;
use super::options::{Field, IngestOptions};
use super::reading::{Checked, Checks, RawReading};
use super::records::{Found, Records};
use super::rows::{Broken, MAX_ROW_BYTES, Row};

/// The most columns of a file. A header beyond it is no header.
const MAX_COLUMNS: usize = 1024;

/// A CSV file that is fed in pieces.
pub(super) struct CsvParser {
    /// The first bytes, until there are enough to tell the dialect.
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
    /// How many columns there are up to the last one with a name: a row need not have the others.
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
        let mut parser = Self {
            sample: Vec::new(),
            file: None,
            delimiter: options.delimiter,
            decimal_comma: options.decimal_comma,
            mapping: options.columns.clone(),
            needs_logger: options.logger_id.is_none(),
            checks,
            rows: 0,
        };
        parser.file = parser.known().complete().map(File::new);
        parser
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
            decimal: if dialect.decimal_comma { "," } else { "." }.to_owned(),
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
                    .read(record, file.dialect.decimal_comma, checks)?
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

    /// Whether the row has as many fields as the header. Delimiters that a table program adds at the end do not count.
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
        decimal_comma: bool,
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
                    extra.insert(name.clone(), loose_value(cell, decimal_comma));
                }
                Column::Field(field) => raw.set(*field, cell, decimal_comma)?,
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
    fn set(&mut self, field: Field, cell: &str, decimal_comma: bool) -> Result<(), String> {
        let value =
            || number(cell, decimal_comma).ok_or_else(|| not_a_number(field, cell, decimal_comma));
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
    /// The header has none: a table program's empty column. Its cells are kept under its number, should it have any.
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

/// A number as a measuring device writes it. Thousands separators are refused: what they mean depends on the country.
fn number(cell: &str, decimal_comma: bool) -> Option<f64> {
    let plain =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
    if decimal_comma && is_grouped(cell, '.') {
        return None;
    }
    if decimal_comma && cell.contains(',') {
        let text = cell.replacen(',', ".", 1);
        let ok = !cell.contains('.') && text.bytes().all(plain);
        return ok.then(|| text.parse().ok()).flatten();
    }
    if !cell.bytes().all(plain) {
        return None;
    }
    cell.parse().ok()
}

/// `1.234` or `1.234.567`: with a decimal comma these are thousands, as a rule.
fn is_grouped(cell: &str, separator: char) -> bool {
    let unsigned = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    let mut groups = unsigned.split(separator);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let first = groups
        .next()
        .is_some_and(|group| (1..=3).contains(&group.len()) && digits(group) && group != "0");
    let mut others = groups.peekable();
    first && others.peek().is_some() && others.all(|group| group.len() == 3 && digits(group))
}

fn not_a_number(field: Field, cell: &str, decimal_comma: bool) -> String {
    let (name, shown) = (field.name(), shown(cell));
    let written = cell
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.,' ".contains(&byte));
    if written && cell.bytes().any(|byte| byte.is_ascii_digit()) {
        let mark = if decimal_comma { "," } else { "." };
        format!(
            "{name} is not a number with the decimal mark `{mark}`: {shown:?}. Set `decimal`, and write thousands without a separator"
        )
    } else {
        format!("{name} is not a number: {shown:?}")
    }
}

/// The cell of a column that nobody described: a number where JSON would write it the same way, else text, so that a code
/// such as `007` stays what it was.
fn loose_value(cell: &str, decimal_comma: bool) -> Value {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let padded =
        digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    if !digits.starts_with(|first: char| first.is_ascii_digit()) || padded {
        return Value::String(cell.to_owned());
    }
    if let Ok(whole) = cell.parse::<i64>() {
        return Value::from(whole);
    }
    number(cell, decimal_comma)
        .filter(|value| value.abs() < 1e15)
        .and_then(Number::from_f64)
        .map_or_else(|| Value::String(cell.to_owned()), Value::Number)
}

fn shown(cell: &str) -> String {
    cell.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::rows::tests::read;
    use crate::ingest::{Format, Reading};
    use serde_json::json;

    fn options() -> IngestOptions {
        let mut options = IngestOptions::new(Format::Csv);
        options.timezone = Some(chrono_tz::UTC);
        options
    }

    fn good(options: &IngestOptions, body: &str) -> Vec<Reading> {
        let (rows, end) = read(options, body.as_bytes());
        assert_eq!(end, None);
        rows.into_iter()
            .filter_map(|row| row.reading.unwrap().reading())
            .collect()
    }

    fn head_fault(options: &IngestOptions, body: &[u8]) -> String {
        match read(options, body).1 {
            Some(Broken::Body { row: 0, reason }) => reason,
            other => panic!("{other:?}"),
        }
    }

    fn metadata(reading: &Reading) -> Value {
        serde_json::from_str(reading.metadata.as_deref().unwrap()).unwrap()
    }

    #[test]
    fn the_layout_of_the_fixtures_is_read() {
        let body = "timestamp,loggerId,loggerType,activePowerWatts,energyDailyKwh,irradiance,metadata\n\
            2022-01-02T07:00:00Z,RSF2-INV2,pvdaq,0,,-1.5,\"{\"\"dcVoltage1\"\":3.6001}\"\n";
        let readings = good(&options(), body);
        assert_eq!(readings.len(), 1);
        assert_eq!(readings[0].active_power_watts, Some(0.0));
        assert_eq!(readings[0].energy_daily_kwh, None);
        assert_eq!(readings[0].irradiance, Some(-1.5));
        assert_eq!(readings[0].logger_type.as_deref(), Some("pvdaq"));
        assert_eq!(metadata(&readings[0]), json!({"dcVoltage1": 3.6001}));
    }

    #[test]
    fn a_table_programs_file_is_read() {
        let mut options = options();
        options.delimiter = Some(b';');
        options.decimal_comma = Some(true);
        options.logger_id = Some("INV-1".to_owned());
        options.columns = vec![
            (Field::Timestamp, "Zeit".to_owned()),
            (Field::ActivePowerWatts, "P AC".to_owned()),
        ];
        let body = "\u{feff}Zeit;P AC;Temp;Status;;Code\r\n04.12.2025 12:00;1234,5;-7,25;ok; ;007\r\n\r\n\
            04.12.2025 12:05:30; 12 ;;\"a;\r\nb\";x;5";
        let readings = good(&options, body);
        assert_eq!(readings[0].active_power_watts, Some(1234.5));
        assert_eq!(
            metadata(&readings[0]),
            json!({"Temp": -7.25, "Status": "ok", "Code": "007"})
        );
        assert_eq!(readings[1].active_power_watts, Some(12.0));
        assert_eq!(
            metadata(&readings[1]),
            json!({"Status": "a;\r\nb", "column5": "x", "Code": 5})
        );
        assert_eq!(readings[1].at.to_rfc3339(), "2025-12-04T12:05:30+00:00");
    }

    #[test]
    fn a_mapped_field_takes_the_place_of_the_column_of_its_name() {
        let mut options = options();
        options.columns = vec![(Field::Timestamp, "utc".to_owned())];
        let body = "timestamp,utc,loggerId,irradiance\n13:00,2025-12-04 12:00,A,1\n";
        let readings = good(&options, body);
        assert_eq!(metadata(&readings[0]), json!({"timestamp": "13:00"}));
    }

    #[test]
    fn bad_rows_are_refused_one_by_one() {
        let body = b"timestamp,loggerId,irradiance,metadata\n\
            2025-12-04 12:00,A,1\n\
            2025-12-04 12:00,A,1,,5\n\
            2025-12-04 12:00,A,one,\n\
            2025-12-04 12:00,A,\"1 234\",\n\
            2025-12-04 12:00,A,\"1,5\",\n\
            2025-12-04 12:00,A,1,[]\n\
            2025-12-04 12:00,A,1,{\n\
            2025-12-04 12:00,A\0,1,\n\
            2025-12-04 12:00,\xff,1,\n\
            2025-12-04 12:00,A,1e999,\n\
            2025-12-04 12:00,A,1,\n";
        let mut options = options();
        options.decimal_comma = Some(false);
        let (rows, end) = read(&options, body);
        assert_eq!(end, None);
        let refused: Vec<_> = rows
            .iter()
            .filter(|row| row.reading.is_err())
            .map(|row| row.number)
            .collect();
        assert_eq!(refused, (1..=10).collect::<Vec<_>>());
        assert!(rows[10].reading.is_ok());
        assert_eq!(
            rows[0].reading,
            Err("the row has 3 fields, the header 4".to_owned())
        );
    }

    #[test]
    fn a_file_without_a_usable_header_is_refused_whole() {
        let options = options();
        assert!(head_fault(&options, b"").contains("empty"));
        assert!(head_fault(&options, b"\n\n").contains("empty"));
        assert!(head_fault(&options, b"loggerId,irradiance\nA,1\n").contains("columns=timestamp="));
        assert!(head_fault(&options, b"timestamp,irradiance\n").contains("columns=loggerId="));
        assert!(head_fault(&options, b"timestamp,loggerId,a,a\n").contains("twice"));
        assert!(head_fault(&options, b"timestamp,loggerId,logger_id\n").contains("twice"));
        assert!(head_fault(&options, b"\xff\xfet\0i\0m\0e\0\n\0").contains("UTF-16"));
        assert!(head_fault(&options, b"timestamp,logg\xffrId\n").contains("UTF-8"));
    }

    #[test]
    fn a_mapped_column_must_be_there() {
        let mut options = options();
        options.columns = vec![(Field::ActivePowerWatts, "P_AC".to_owned())];
        let (_, end) = read(&options, b"timestamp,loggerId,Pac\n");
        assert!(
            matches!(end, Some(Broken::Columns(reason)) if reason.contains("\"P_AC\"") && reason.contains("Pac"))
        );
    }

    /// The numbers of the rows that are readings, and the reasons of the others.
    fn outcome(options: &IngestOptions, body: &str) -> (Vec<u64>, Vec<String>) {
        let (rows, end) = read(options, body.as_bytes());
        assert_eq!(end, None);
        let mut outcome = (Vec::new(), Vec::new());
        for row in rows {
            match row.reading {
                Ok(Checked::Empty) => {}
                Ok(_) => outcome.0.push(row.number),
                Err(reason) => outcome.1.push(reason),
            }
        }
        outcome
    }

    #[test]
    fn a_quote_that_is_not_closed_costs_its_own_row() {
        let body = "timestamp,loggerId,irradiance,note\n\
            2025-12-04 12:00,A,1,\n\
            2025-12-04 12:05,A,2,\"open\n\
            2025-12-04 12:10,A,3,\n\
            2025-12-04 12:15,A,4,\"two\nlines\"\n\
            2025-12-04 12:20,\"A,5,\n\
            2025-12-04 12:25,A,6,\n\
            2025-12-04 12:30,A,7,\"x";
        let (readings, reasons) = outcome(&options(), body);
        assert_eq!(readings, [1, 3, 4, 6]);
        assert_eq!(
            reasons,
            vec!["a quote is opened in this row and not closed"; 3]
        );
    }

    #[test]
    fn a_row_without_end_does_not_fill_the_memory() {
        let long = "x".repeat(3 * MAX_ROW_BYTES);
        let body = format!(
            "timestamp,loggerId,irradiance\n2025-12-04 12:00,A,\"{long}\n2025-12-04 12:05,A,1\n"
        );
        let (readings, reasons) = outcome(&options(), &body);
        assert_eq!(readings, [2]);
        assert!(reasons[0].contains("longer than"), "{}", reasons[0]);
    }

    #[test]
    fn texts_for_no_value_leave_their_field_out_and_nothing_else() {
        let body = "timestamp,loggerId,activePowerWatts,irradiance,T\n\
            2025-12-04 12:00,A,NaN,500,n/a\n\
            2025-12-04 12:05,A, -- ,501,-\n\
            2025-12-04 12:10,A,NULL,502,#n/a\n\
            2025-12-04 12:15,A,100,-,20.5\n\
            2025-12-04 12:20,A,#N/A,n/a,\n\
            2025-12-04 12:25,A,,,\n\
            ,,,,\n";
        let readings = good(&options(), body);
        let values: Vec<_> = readings
            .iter()
            .map(|reading| (reading.active_power_watts, reading.irradiance))
            .collect();
        assert_eq!(
            values,
            [
                (None, Some(500.0)),
                (None, Some(501.0)),
                (None, Some(502.0)),
                (Some(100.0), None)
            ]
        );
        assert_eq!(readings[0].metadata, None);
        assert_eq!(metadata(&readings[3]), json!({"T": 20.5}));
        let (rows, _) = read(&options(), body.as_bytes());
        let empty = rows.iter().filter(|row| row.reading == Ok(Checked::Empty));
        assert_eq!(empty.count(), 3);
    }

    #[test]
    fn the_texts_for_no_value_can_be_chosen() {
        let body = "timestamp,loggerId,activePowerWatts,note\n\
            2025-12-04 12:00,A,NaN,x\n2025-12-04 12:05,A,-9999,n/a\n";
        let mut options = options();
        options.missing = vec!["-9999".to_owned()];
        let (readings, reasons) = outcome(&options, body);
        assert_eq!(readings, [2]);
        assert!(
            reasons[0].contains("not a number: \"NaN\""),
            "{}",
            reasons[0]
        );
    }

    #[test]
    fn delimiter_and_decimal_mark_are_found_and_told() {
        let mut options = options();
        options.logger_id = Some("A".to_owned());
        for (delimiter, named) in [(";", ";"), ("\t", "tab"), ("|", "|")] {
            let body = "timestamp;activePowerWatts;T\n04.12.2025 12:00;1234,5;20,25\n"
                .replace(';', delimiter);
            let mut parser = CsvParser::new(&options, Checks::new(&options));
            let mut rows = Vec::new();
            parser.feed(body.as_bytes(), &mut rows).unwrap();
            parser.finish(&mut rows).unwrap();
            let reading = rows.remove(0).reading.unwrap().reading().unwrap();
            assert_eq!(reading.active_power_watts, Some(1234.5));
            assert_eq!(metadata(&reading), json!({"T": 20.25}));
            let read_as = parser.read_as().unwrap();
            assert_eq!(
                (read_as.delimiter.as_str(), read_as.decimal.as_str()),
                (named, ",")
            );
            assert_eq!(read_as.found, ["delimiter", "decimal"]);
            assert_eq!(
                read_as.columns,
                ["timestamp=timestamp", "activePowerWatts=activePowerWatts"]
            );
        }
    }

    #[test]
    fn thousands_are_not_guessed() {
        for (body, said) in [
            ("2025-12-04 12:00;1,234", "decimal mark `.`"),
            ("2025-12-04 12:00;1.234,5", "without a separator"),
            (
                "2025-12-04 12:00;12,5\n2025-12-04 12:05;1.234",
                "decimal mark `,`",
            ),
            ("2025-12-04 12:00;1'234", "without a separator"),
        ] {
            let mut options = options();
            options.logger_id = Some("A".to_owned());
            let (_, reasons) = outcome(&options, &format!("timestamp;activePowerWatts\n{body}\n"));
            assert_eq!(reasons.len(), 1, "{body}");
            assert!(reasons[0].contains(said), "{body}: {}", reasons[0]);
        }
    }

    #[test]
    fn what_table_programs_add_at_the_end_of_lines_does_not_matter() {
        let body = "\u{feff}timestamp,loggerId,irradiance,,\r\n\
            2025-12-04 12:00,A,1,,\r\n\
            2025-12-04 12:05,A,2\r\n\
            2025-12-04 12:10,A,3,,,,\r\n\
            ,,,,\r\n";
        let (readings, reasons) = outcome(&options(), body);
        assert_eq!((readings, reasons.len()), (vec![1, 2, 3], 0));
        let (rows, end) = read(&options(), b"timestamp,loggerId,irradiance\n");
        assert_eq!((rows.len(), end), (0, None));
    }

    #[test]
    fn loose_values_keep_their_meaning() {
        for (cell, value) in [
            ("5", json!(5)),
            ("-5", json!(-5)),
            ("0", json!(0)),
            ("0.5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("007", json!("007")),
            ("+5", json!("+5")),
            ("-", json!("-")),
            ("E-501", json!("E-501")),
            ("1.2.3", json!("1.2.3")),
            ("99999999999999999999", json!("99999999999999999999")),
            ("true", json!("true")),
            ("NaN", json!("NaN")),
            ("é", json!("é")),
        ] {
            assert_eq!(loose_value(cell, false), value, "{cell}");
        }
        assert_eq!(loose_value("12,5", true), json!(12.5));
        assert_eq!(loose_value("12,5", false), json!("12,5"));
    }

    proptest::proptest! {
        #[test]
        fn what_a_csv_writer_writes_is_read(
            id in "[a-zA-Z0-9é\";,\\\\-][a-zA-Z0-9é \";,\\\\]{0,20}[a-z]",
            note in "[a-zA-Zé\";,\n\\\\][a-zA-Z0-9é\";,\n\\\\]{0,20}[a-z]",
            power in proptest::option::of(-1e9f64..1e9),
            crlf in proptest::bool::ANY,
        ) {
            let terminator = if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') };
            let mut writer = csv::WriterBuilder::new().terminator(terminator).from_writer(Vec::new());
            let text = power.map(|value| value.to_string()).unwrap_or_default();
            writer.write_record(["timestamp", "loggerId", "note", "activePowerWatts"]).unwrap();
            writer.write_record(["2025-12-04 12:00", &id, &note, &text]).unwrap();
            let readings = good(&options(), &String::from_utf8(writer.into_inner().unwrap()).unwrap());
            proptest::prop_assert_eq!(&readings[0].logger_id, &id);
            proptest::prop_assert_eq!(readings[0].active_power_watts, power);
            proptest::prop_assert_eq!(metadata(&readings[0]), json!({"note": note.trim()}));
        }
    }
}
