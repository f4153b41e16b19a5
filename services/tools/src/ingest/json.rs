//! JSON uploads: an array that is cut into its elements while it streams, and newline-delimited
//! objects.
//!
//! Only the ends of elements are looked for here (brackets and quotes); what is between them goes
//! to `serde_json`. So a faulty element costs one row, and only a fault between elements makes the
//! rest unreadable.

use serde::Deserialize;
use serde_json::{Map, Value};
use service_kit::problem::ApiError;
use service_kit::web::parse_json;

use super::reading::{Checked, Checks, RawReading};
use super::rows::{Broken, MAX_ROW_BYTES, Row};

/// An array of measurements.
pub(super) struct ArrayParser {
    checks: Checks,
    place: Place,
    element: Vec<u8>,
    scan: Scan,
    oversize: bool,
    rows: u64,
}

/// The place of the next byte in the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before `[`.
    Start,
    /// After `[`: an element or `]`.
    First,
    /// Inside an element.
    Element,
    /// After an element: `,` or `]`.
    Between,
    /// After `,`: an element.
    Next,
    /// After `]`.
    End,
}

/// How deep inside an element the next byte is.
#[derive(Debug, Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

/// The relation of a byte to the element before it.
#[derive(PartialEq, Eq)]
enum Step {
    Inside,
    /// The byte is the element's last.
    Last,
    /// The element, a bare number or word, ended before the byte.
    Past,
}

impl ArrayParser {
    pub(super) fn new(checks: Checks) -> Self {
        Self {
            checks,
            place: Place::Start,
            element: Vec::new(),
            scan: Scan::default(),
            oversize: false,
            rows: 0,
        }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) -> Result<(), Broken> {
        let mut rest = chunk;
        while let [byte, after @ ..] = rest {
            if self.place == Place::Element {
                rest = self.read_element(rest, rows);
                continue;
            }
            rest = after;
            if byte.is_ascii_whitespace() {
                continue;
            }
            self.place = match (self.place, byte) {
                (Place::Start, b'[') => Place::First,
                (Place::First | Place::Between, b']') => Place::End,
                (Place::Between, b',') => Place::Next,
                (Place::First | Place::Next, byte)
                    if !matches!(byte, b',' | b']' | b'}' | b':') =>
                {
                    self.begin_element(*byte)
                }
                (place, byte) => return Err(self.unexpected(place, *byte)),
            };
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), Broken> {
        match self.place {
            Place::End => Ok(()),
            Place::Start => Err(Broken::at(
                0,
                "the body is empty; a JSON array of measurements is needed",
            )),
            Place::Element => Err(Broken::at(
                self.rows + 1,
                "the JSON array ends in the middle of this row",
            )),
            Place::First | Place::Between | Place::Next => Err(Broken::at(
                self.rows + 1,
                "the JSON array ends before its closing bracket",
            )),
        }
    }

    fn begin_element(&mut self, byte: u8) -> Place {
        self.element.clear();
        self.oversize = false;
        self.scan = Scan::default();
        self.scan.step(byte);
        self.element.push(byte);
        Place::Element
    }

    /// Reads to the end of the element or of the bytes; gives what follows.
    fn read_element<'a>(&mut self, bytes: &'a [u8], rows: &mut Vec<Row>) -> &'a [u8] {
        let end = bytes
            .iter()
            .enumerate()
            .find_map(|(at, byte)| match self.scan.step(*byte) {
                Step::Inside => None,
                Step::Last => Some(at + 1),
                Step::Past => Some(at),
            });
        let (own, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        if self.element.len() + own.len() > MAX_ROW_BYTES {
            self.oversize = true;
            self.element.clear();
        } else if !self.oversize {
            self.element.extend_from_slice(own);
        }
        if end.is_some() {
            self.place = Place::Between;
            self.rows += 1;
            let reading = if self.oversize {
                Err(too_long())
            } else {
                read_measurement(&self.element, &self.checks)
            };
            rows.push(Row {
                number: self.rows,
                reading,
            });
        }
        rest
    }

    fn unexpected(&self, place: Place, byte: u8) -> Broken {
        let wanted = match place {
            Place::Start => "a JSON array of measurements",
            Place::First | Place::Next => "a measurement",
            Place::Between => "a comma or the closing bracket",
            Place::Element | Place::End => "nothing more",
        };
        let row = if place == Place::Start {
            0
        } else {
            self.rows + 1
        };
        let found = char::from(byte).escape_default();
        Broken::at(row, format!("`{found}` where {wanted} was expected"))
    }
}

impl Scan {
    fn step(&mut self, byte: u8) -> Step {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_string = false;
                    return self.closed();
                }
                _ => {}
            }
            return Step::Inside;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                return self.closed();
            }
            b',' | b']' | b'}' if self.depth == 0 => return Step::Past,
            byte if self.depth == 0 && byte.is_ascii_whitespace() => return Step::Past,
            _ => {}
        }
        Step::Inside
    }

    fn closed(&self) -> Step {
        if self.depth == 0 {
            Step::Last
        } else {
            Step::Inside
        }
    }
}

/// Measurements, one per line. Blank lines do not count.
pub(super) struct LineParser {
    checks: Checks,
    line: Vec<u8>,
    oversize: bool,
    rows: u64,
}

impl LineParser {
    pub(super) fn new(checks: Checks) -> Self {
        Self {
            checks,
            line: Vec::new(),
            oversize: false,
            rows: 0,
        }
    }

    pub(super) fn feed(&mut self, chunk: &[u8], rows: &mut Vec<Row>) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > MAX_ROW_BYTES {
                self.oversize = true;
                self.line.clear();
            } else if !self.oversize {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.end_line(rows);
            }
        }
    }

    pub(super) fn finish(&mut self, rows: &mut Vec<Row>) {
        self.end_line(rows);
    }

    fn end_line(&mut self, rows: &mut Vec<Row>) {
        let line = self.line.trim_ascii();
        if line.is_empty() && !self.oversize {
            self.line.clear();
            return;
        }
        let reading = if self.oversize {
            Err(too_long())
        } else {
            read_measurement(line, &self.checks)
        };
        self.rows += 1;
        rows.push(Row {
            number: self.rows,
            reading,
        });
        self.line.clear();
        self.oversize = false;
    }
}

/// A measurement as the contract has it, save that the logger may be left to the query.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct JsonMeasurement {
    timestamp: String,
    #[serde(default)]
    logger_id: Option<String>,
    #[serde(default)]
    logger_type: Option<String>,
    #[serde(default)]
    active_power_watts: Option<f64>,
    #[serde(default)]
    energy_daily_kwh: Option<f64>,
    #[serde(default)]
    irradiance: Option<f64>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

fn read_measurement(text: &[u8], checks: &Checks) -> Result<Checked, String> {
    // Most rows are as they should be: what is wrong with one is found out when it is refused.
    let is_array = text.trim_ascii_start().starts_with(b"[");
    let row = match serde_json::from_slice::<JsonMeasurement>(text) {
        Ok(row) if !is_array => row,
        _ => match parse_json(text) {
            Ok(row) => row,
            Err(error) => without_missing(text, checks)
                .and_then(|plain| parse_json(&plain).ok())
                .ok_or_else(|| reason(&error))?,
        },
    };
    checks.apply(RawReading {
        timestamp: row.timestamp,
        logger_id: row.logger_id,
        logger_type: row.logger_type,
        active_power_watts: row.active_power_watts,
        energy_daily_kwh: row.energy_daily_kwh,
        irradiance: row.irradiance,
        metadata: row.metadata,
    })
}

/// The row with `null` for each number that is a text for "no value", or a bare `NaN`, which some
/// programs write. `None` when it has neither.
fn without_missing(text: &[u8], checks: &Checks) -> Option<Vec<u8>> {
    let plain = without_nan(text);
    let mut members: Map<String, Value> = serde_json::from_slice(&plain).ok()?;
    let mut changed = plain != text;
    for name in ["activePowerWatts", "energyDailyKwh", "irradiance"] {
        if let Some(value) = members.get_mut(name)
            && value.as_str().is_some_and(|text| checks.is_missing(text))
        {
            *value = Value::Null;
            changed = true;
        }
    }
    let text = changed.then(|| serde_json::to_vec(&members));
    text?.ok()
}

/// The JSON with `null` in place of `NaN`, texts left alone.
fn without_nan(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        if !in_string && let Some(after) = rest.strip_prefix(b"NaN") {
            plain.extend_from_slice(b"null");
            rest = after;
            continue;
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        plain.push(*byte);
        rest = after;
    }
    plain
}

/// Why a row's JSON is refused, in a few words.
pub(super) fn reason(error: &ApiError) -> String {
    let problem = error.problem();
    match problem.errors.first() {
        Some(fault) if fault.pointer.is_empty() => fault.detail.clone(),
        Some(fault) => format!("{}: {}", fault.pointer, fault.detail),
        None => problem.detail.clone().unwrap_or_default(),
    }
}

fn too_long() -> String {
    format!("the row is longer than {MAX_ROW_BYTES} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::rows::tests::read;
    use crate::ingest::{Format, IngestOptions};
    use contracts::measurements::Measurement;

    const GOOD: &str =
        r#"{"timestamp":"2025-12-04T12:00:00Z","loggerId":"A","activePowerWatts":1}"#;

    fn array(body: &str) -> (Vec<Row>, Option<Broken>) {
        read(&IngestOptions::new(Format::JsonArray), body.as_bytes())
    }

    fn lines(body: &str) -> Vec<Row> {
        let (rows, end) = read(&IngestOptions::new(Format::JsonLines), body.as_bytes());
        assert_eq!(end, None);
        rows
    }

    fn reasons(rows: &[Row]) -> Vec<(u64, &str)> {
        let refused = |row: &'_ Row| row.reading.is_err();
        rows.iter()
            .filter(|row| refused(row))
            .map(|row| (row.number, row.reading.as_ref().unwrap_err().as_str()))
            .collect()
    }

    #[test]
    fn elements_are_found_whatever_is_in_them() {
        let body = format!(
            r#"[{GOOD} ,{{"timestamp":"2025-12-04T12:00:00Z","loggerId":"]}}\",[","metadata":{{"a":[[],{{}}]}}}}]"#
        );
        let (rows, end) = array(&body);
        assert_eq!(end, None);
        assert_eq!(rows.len(), 2);
        let reading = rows[1].reading.clone().unwrap().reading().unwrap();
        assert_eq!(reading.logger_id, "]}\",[");
    }

    #[test]
    fn an_empty_array_has_no_rows() {
        assert_eq!(array(" [ ] \n"), (vec![], None));
    }

    #[test]
    fn a_faulty_element_costs_one_row() {
        let body = format!(
            r#"[{GOOD},{{"timestamp":"2025-12-04T12:00:00Z","loggerId":"A","power":1}},7,null,"x",{{"irradiance":NaN}},{{"loggerId":"A"}},{{"timestamp":"2025-12-04T12:00:00Z","loggerId":"A","irradiance":1e999}},[1],{GOOD}]"#
        );
        let (rows, end) = array(&body);
        assert_eq!(end, None);
        assert_eq!(rows.len(), 10);
        let reasons = reasons(&rows);
        assert_eq!(
            reasons.iter().map(|(row, _)| *row).collect::<Vec<_>>(),
            [2, 3, 4, 5, 6, 7, 8, 9]
        );
        assert!(
            reasons[0].1.contains("/power: is not known here"),
            "{}",
            reasons[0].1
        );
        assert!(
            reasons[5].1.contains("/timestamp: is required"),
            "{}",
            reasons[5].1
        );
        assert!(reasons[6].1.contains("out of range"), "{}", reasons[6].1);
    }

    #[test]
    fn a_fault_between_elements_ends_the_reading() {
        for (tail, row) in [
            (GOOD, 2),
            (",]", 2),
            (",,", 2),
            ("}", 2),
            ("", 2),
            (",", 2),
            ("] 1", 2),
            (",{\"a\":", 2),
        ] {
            let (rows, end) = array(&format!("[{GOOD}{tail}"));
            assert_eq!(rows.len(), 1, "{tail}");
            assert!(
                matches!(end, Some(Broken::Body { row: found, .. }) if found == row),
                "{tail}: {end:?}"
            );
        }
        for body in ["", "  ", "{}", "hello", "<xml/>"] {
            let (rows, end) = array(body);
            assert!(rows.is_empty());
            assert!(
                matches!(end, Some(Broken::Body { row: 0, .. })),
                "{body}: {end:?}"
            );
        }
    }

    #[test]
    fn a_row_without_end_does_not_fill_the_memory() {
        let long = format!(
            r#"[{{"timestamp":"{}"}},{GOOD}]"#,
            "x".repeat(MAX_ROW_BYTES)
        );
        let (rows, end) = array(&long);
        assert_eq!(end, None);
        assert!(reasons(&rows)[0].1.contains("longer than"));
        assert!(rows[1].reading.is_ok());
        let long = format!("{}\n{GOOD}", "x".repeat(MAX_ROW_BYTES));
        let rows = lines(&long);
        assert!(reasons(&rows)[0].1.contains("longer than"));
        assert!(rows[1].reading.is_ok());
    }

    #[test]
    fn texts_for_no_value_leave_their_field_out() {
        let row = |values: &str| {
            format!(r#"{{"timestamp":"2025-12-04T12:00:00Z","loggerId":"A",{values}}}"#)
        };
        let body = [
            row(r#""activePowerWatts":"n/a","irradiance":500"#),
            row(r#""activePowerWatts":NaN,"irradiance":501"#),
            row(r#""activePowerWatts":null,"irradiance":" -- ""#),
            row(r##""activePowerWatts":"#N/A","metadata":{"note":"NaN"}"##),
            row(r#""activePowerWatts":"12.5","irradiance":1"#),
            row(r#""activePowerWatts":"n/a","bogus":1"#),
        ];
        let (rows, end) = array(&format!("[{}]", body.join(",")));
        assert_eq!(end, None);
        let read: Vec<_> = rows
            .iter()
            .map(|row| row.reading.clone().map(Checked::reading))
            .collect();
        let irradiance = |index: usize| -> Option<f64> {
            let reading = read[index].clone().unwrap().unwrap();
            assert_eq!(reading.active_power_watts, None);
            reading.irradiance
        };
        assert_eq!((irradiance(0), irradiance(1)), (Some(500.0), Some(501.0)));
        assert_eq!(rows[2].reading, Ok(Checked::Empty));
        let noted = read[3].clone().unwrap().unwrap();
        assert_eq!(noted.metadata.as_deref(), Some(r#"{"note":"NaN"}"#));
        assert!(read[4].is_err() && read[5].is_err());
    }

    #[test]
    fn lines_are_rows_and_blank_ones_are_not() {
        let rows = lines(&format!("{GOOD}\n\n  \r\n{{}}\r\n{GOOD}"));
        assert_eq!(
            rows.iter().map(|row| row.number).collect::<Vec<_>>(),
            [1, 2, 3]
        );
        assert_eq!(reasons(&rows).len(), 1);
        assert_eq!(lines(""), vec![]);
    }

    proptest::proptest! {
        #[test]
        fn what_the_contract_writes_is_read(
            seconds in 500_000_000i64..4_000_000_000,
            // A text such as `-` or `NaN` is not an id: it means "no value".
            id in "[a-zA-Z0-9é\"\\\\,;{}\\[\\]-]{0,63}_",
            power in proptest::option::of(-1e9f64..1e9),
            energy in proptest::option::of(0f64..1e6),
            text in "\\PC{0,20}",
        ) {
            let at = chrono::DateTime::from_timestamp(seconds, 0).unwrap();
            let metadata = serde_json::json!({"text": text, "number": 1.5});
            let measurement = Measurement {
                timestamp: at.to_rfc3339(),
                logger_id: id.clone(),
                logger_type: Some("goodwe".to_owned()),
                active_power_watts: power,
                energy_daily_kwh: energy,
                irradiance: None,
                metadata: metadata.as_object().cloned(),
            };
            let body = serde_json::to_string(&[&measurement, &measurement]).unwrap();
            let (mut rows, end) = array(&body);
            proptest::prop_assert_eq!(end, None);
            proptest::prop_assert_eq!(rows.len(), 2);
            let reading = rows.remove(1).reading.unwrap().reading().unwrap();
            proptest::prop_assert_eq!(reading.at, at);
            proptest::prop_assert_eq!(&reading.logger_id, &id);
            proptest::prop_assert_eq!(reading.active_power_watts, power);
            proptest::prop_assert_eq!(reading.energy_daily_kwh, energy);
            let kept: Value = serde_json::from_str(reading.metadata.as_deref().unwrap()).unwrap();
            proptest::prop_assert_eq!(kept, metadata);
        }
    }
}
