//! CSV uploads: a header, then one reading per record.
//!
//! Columns that no field claims go into the metadata under their own name, numbers as numbers; empty cells are left out.

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};
use serde_json::{Map, Number, Value};
use service_kit::web::parse_json;

use super::json::reason;
use super::options::{Field, IngestOptions};
use super::reading::{Checks, RawReading};
use super::rows::{Broken, MAX_ROW_BYTES, Row};

/// The most columns of a file. A header beyond it is no header.
const MAX_COLUMNS: usize = 1024;

/// A CSV file that is fed in pieces.
pub(super) struct CsvParser {
    reader: Reader,
    record: Record,
    /// `None` until the header was read.
    layout: Option<Layout>,
    mapping: Vec<(Field, String)>,
    needs_logger: bool,
    decimal_comma: bool,
    checks: Checks,
    rows: u64,
}

/// The record that is being read: its text without quotes and delimiters, and where each field ends in it.
struct Record {
    text: Vec<u8>,
    text_len: usize,
    ends: Vec<usize>,
    ends_len: usize,
}

/// What each column holds.
struct Layout(Vec<Column>);

enum Column {
    Field(Field),
    Extra(String),
}

impl CsvParser {
    pub(super) fn new(options: &IngestOptions, checks: Checks) -> Self {
        Self {
            reader: ReaderBuilder::new().delimiter(options.delimiter).build(),
            record: Record {
                text: vec![0; 4096],
                text_len: 0,
                ends: vec![0; 64],
                ends_len: 0,
            },
            layout: None,
            mapping: options.columns.clone(),
            needs_logger: options.logger_id.is_none(),
            decimal_comma: options.decimal_comma,
            checks,
            rows: 0,
        }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) -> Result<(), Broken> {
        let mut rest = chunk;
        while !rest.is_empty() {
            let (result, taken) = self.read_on(rest);
            rest = &rest[taken..];
            self.react(&result, rows)?;
        }
        Ok(())
    }

    pub(super) fn finish(&mut self, rows: &mut Vec<Row>) -> Result<(), Broken> {
        loop {
            // The parser takes an empty input for the end of the file.
            let (result, _) = self.read_on(&[]);
            if matches!(result, ReadRecordResult::End) {
                break;
            }
            self.react(&result, rows)?;
        }
        match self.layout {
            Some(_) => Ok(()),
            None => Err(Broken::at(0, "the file is empty; a CSV header is needed")),
        }
    }

    fn read_on(&mut self, input: &[u8]) -> (ReadRecordResult, usize) {
        let record = &mut self.record;
        let (result, taken, text, ends) = self.reader.read_record(
            input,
            &mut record.text[record.text_len..],
            &mut record.ends[record.ends_len..],
        );
        record.text_len += text;
        record.ends_len += ends;
        (result, taken)
    }

    fn react(&mut self, result: &ReadRecordResult, rows: &mut Vec<Row>) -> Result<(), Broken> {
        match result {
            ReadRecordResult::InputEmpty | ReadRecordResult::End => Ok(()),
            ReadRecordResult::OutputFull if self.record.text.len() < MAX_ROW_BYTES => {
                self.record.text.resize(self.record.text.len() * 2, 0);
                Ok(())
            }
            ReadRecordResult::OutputEndsFull if self.record.ends.len() < MAX_COLUMNS => {
                self.record.ends.resize(self.record.ends.len() * 2, 0);
                Ok(())
            }
            ReadRecordResult::OutputFull => Err(Broken::at(
                self.next_row(),
                format!("the row is longer than {MAX_ROW_BYTES} bytes; is a quote not closed?"),
            )),
            ReadRecordResult::OutputEndsFull => Err(Broken::at(
                self.next_row(),
                format!("the row has more than {MAX_COLUMNS} fields"),
            )),
            ReadRecordResult::Record => {
                let ended = self.end_record(rows);
                self.record.text_len = 0;
                self.record.ends_len = 0;
                ended
            }
        }
    }

    /// The row that is being read; 0 while that is the header.
    fn next_row(&self) -> u64 {
        if self.layout.is_some() {
            self.rows + 1
        } else {
            0
        }
    }

    fn end_record(&mut self, rows: &mut Vec<Row>) -> Result<(), Broken> {
        let Some(layout) = &self.layout else {
            let layout = Layout::of(&self.record, &self.mapping, self.needs_logger)?;
            self.layout = Some(layout);
            return Ok(());
        };
        self.rows += 1;
        let reading = layout
            .read(&self.record, self.decimal_comma)
            .and_then(|raw| self.checks.apply(raw));
        rows.push(Row {
            number: self.rows,
            reading,
        });
        Ok(())
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
    fn of(
        header: &Record,
        mapping: &[(Field, String)],
        needs_logger: bool,
    ) -> Result<Self, Broken> {
        let names = header_names(header)?;
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
        let layout = Self(columns);
        layout.check(&names, needs_logger)?;
        Ok(layout)
    }

    fn check(&self, names: &[String], needs_logger: bool) -> Result<(), Broken> {
        let holds = |field: Field| self.0.iter().filter(|column| column.is(field)).count();
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

    fn read(&self, record: &Record, decimal_comma: bool) -> Result<RawReading, String> {
        let fields = record.fields();
        if fields.len() != self.0.len() {
            return Err(format!(
                "the row has {} fields, the header {}",
                fields.len(),
                self.0.len()
            ));
        }
        let mut raw = RawReading::default();
        let mut extra = Map::new();
        for (column, cell) in self.0.iter().zip(fields) {
            let cell = std::str::from_utf8(cell)
                .map_err(|_| format!("the field {} is not UTF-8", column.name()))?
                .trim();
            if cell.is_empty() {
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
        Ok(raw)
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
        let value = || {
            number(cell, decimal_comma)
                .ok_or_else(|| format!("{} is no number: {:?}", field.name(), shown(cell)))
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

fn header_names(header: &Record) -> Result<Vec<String>, Broken> {
    let mut names: Vec<String> = Vec::with_capacity(header.ends_len);
    for cell in header.fields() {
        if cell.contains(&0) {
            return Err(Broken::at(
                0,
                "the header holds NUL bytes; is the file UTF-16?",
            ));
        }
        let name = std::str::from_utf8(cell)
            .map_err(|_| Broken::at(0, "the header is not UTF-8"))?
            .trim();
        if name.is_empty() {
            // A table program's empty column. Its cells are kept under its number, should it have any.
            names.push(format!("column{}", names.len() + 1));
        } else if names.iter().any(|known| known == name) {
            return Err(Broken::at(0, format!("the header has {name:?} twice")));
        } else {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// A number as a measuring device writes it. Thousands separators are refused: what they mean depends on the country.
fn number(cell: &str, decimal_comma: bool) -> Option<f64> {
    let plain =
        |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E');
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
        rows.into_iter().map(|row| row.reading.unwrap()).collect()
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
        options.delimiter = b';';
        options.decimal_comma = true;
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
            2025-12-04 12:00,A,1,,\n\
            2025-12-04 12:00,A,one,\n\
            2025-12-04 12:00,A,NaN,\n\
            2025-12-04 12:00,A,\"1,5\",\n\
            2025-12-04 12:00,A,1,[]\n\
            2025-12-04 12:00,A,1,{\n\
            2025-12-04 12:00,A\0,1,\n\
            2025-12-04 12:00,\xff,1,\n\
            2025-12-04 12:00,A,1e999,\n\
            2025-12-04 12:00,A,1,\n";
        let (rows, end) = read(&options(), body);
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

    #[test]
    fn an_unclosed_quote_does_not_fill_the_memory() {
        let mut body =
            b"timestamp,loggerId,irradiance\n2025-12-04 12:00,A,1\n2025-12-04 12:05,\"A,1\n"
                .to_vec();
        body.extend(std::iter::repeat_n(*b"x,y\n", MAX_ROW_BYTES).flatten());
        let (rows, end) = read(&options(), &body);
        assert_eq!(rows.len(), 1);
        assert!(matches!(end, Some(Broken::Body { row: 2, reason }) if reason.contains("quote")));
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
