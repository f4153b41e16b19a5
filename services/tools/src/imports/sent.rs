//! Rows and faults of a file, as the process that reads it sends them. Numbers are sent by their
//! bits: as decimals, the last digit of some would change.

use chrono::{DateTime, NaiveDateTime, Utc};
use plant_files::{FileError, Record, Role, Row, Stamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum size of a row.
const MOST_ROW_BYTES: usize = 1024 * 1024;
/// Size of a batch that is sent.
const BATCH_BYTES: usize = 1024 * 1024;
/// Number of different notes that are sent.
const NOTES: usize = 200;

/// Rows of a file.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Batch {
    pub(super) rows: Vec<SentRow>,
    pub(super) notes: Vec<String>,
    pub(super) merged: u64,
    #[serde(skip)]
    bytes: usize,
}

/// The line, and the record or the reason of the refusal.
#[derive(Serialize, Deserialize)]
pub(super) struct SentRow(u64, Result<SentRecord, String>);

#[derive(Serialize, Deserialize)]
struct SentRecord {
    #[serde(rename = "t")]
    stamp: SentStamp,
    #[serde(rename = "l")]
    logger_id: String,
    #[serde(rename = "r")]
    role: SentRole,
    #[serde(rename = "v")]
    values: [Option<Bits>; 3],
    #[serde(rename = "m")]
    metadata: Vec<(String, SentValue)>,
}

#[derive(Serialize, Deserialize)]
enum SentStamp {
    #[serde(rename = "l")]
    Local(NaiveDateTime),
    #[serde(rename = "i")]
    Instant(DateTime<Utc>),
}

#[derive(Serialize, Deserialize)]
enum SentRole {
    #[serde(rename = "i")]
    Inverter,
    #[serde(rename = "m")]
    Meter,
    #[serde(rename = "w")]
    Weather,
}

/// The bits of a number.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Bits(u64);

#[derive(Serialize, Deserialize)]
enum SentValue {
    #[serde(rename = "f")]
    Float(Bits),
    #[serde(rename = "o")]
    Other(Value),
}

impl Batch {
    /// Adds a row. One that is too long is refused.
    pub(super) fn add(&mut self, row: Row) {
        let size = row.record.as_ref().map_or_else(String::len, size_of);
        let record = match row.record {
            Ok(_) if size > MOST_ROW_BYTES => {
                Err(format!("the row is longer than {MOST_ROW_BYTES} bytes"))
            }
            record => record.map(SentRecord::from),
        };
        self.bytes += size.min(MOST_ROW_BYTES);
        self.rows.push(SentRow(row.line, record));
    }

    /// Adds a note, once.
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < NOTES && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Whether it is large enough to be sent.
    pub(super) fn is_large(&self) -> bool {
        self.bytes >= BATCH_BYTES
    }
}

/// About as many bytes as a record takes.
fn size_of(record: &Record) -> usize {
    let text = |value: &Value| value.as_str().map_or(16, str::len);
    let metadata = record.metadata.iter();
    let metadata = metadata.map(|(name, value)| name.len() + text(value));
    record.logger_id.len() + metadata.sum::<usize>()
}

impl SentRow {
    pub(super) fn row(self) -> Row {
        Row {
            line: self.0,
            record: self.1.map(Record::from),
        }
    }
}

impl From<Record> for SentRecord {
    fn from(record: Record) -> Self {
        let values = [record.power_w, record.energy_day_kwh, record.irradiance];
        let metadata = record.metadata.into_iter();
        Self {
            stamp: match record.stamp {
                Stamp::Local(at) => SentStamp::Local(at),
                Stamp::Instant(at) => SentStamp::Instant(at),
            },
            logger_id: record.logger_id,
            role: match record.role {
                Role::Inverter => SentRole::Inverter,
                Role::Meter => SentRole::Meter,
                Role::Weather => SentRole::Weather,
            },
            values: values.map(|value| value.map(|value| Bits(value.to_bits()))),
            metadata: metadata
                .map(|(name, value)| (name, SentValue::from(value)))
                .collect(),
        }
    }
}

impl From<SentRecord> for Record {
    fn from(sent: SentRecord) -> Self {
        let [power_w, energy_day_kwh, irradiance] = sent
            .values
            .map(|bits| bits.map(|bits| f64::from_bits(bits.0)));
        let metadata = sent.metadata.into_iter();
        Self {
            stamp: match sent.stamp {
                SentStamp::Local(at) => Stamp::Local(at),
                SentStamp::Instant(at) => Stamp::Instant(at),
            },
            logger_id: sent.logger_id,
            role: match sent.role {
                SentRole::Inverter => Role::Inverter,
                SentRole::Meter => Role::Meter,
                SentRole::Weather => Role::Weather,
            },
            power_w,
            energy_day_kwh,
            irradiance,
            metadata: metadata
                .map(|(name, value)| (name, Value::from(value)))
                .collect::<Map<_, _>>(),
        }
    }
}

impl From<Value> for SentValue {
    fn from(value: Value) -> Self {
        match &value {
            Value::Number(number) if number.is_f64() => match number.as_f64() {
                Some(number) => Self::Float(Bits(number.to_bits())),
                None => Self::Other(value),
            },
            _ => Self::Other(value),
        }
    }
}

impl From<SentValue> for Value {
    fn from(sent: SentValue) -> Self {
        match sent {
            SentValue::Float(bits) => f64::from_bits(bits.0).into(),
            SentValue::Other(value) => value,
        }
    }
}

/// Why a file cannot be read, or not to its end.
#[derive(Serialize, Deserialize)]
pub(super) enum Fault {
    Empty,
    Unknown(String),
    Broken { line: u64, reason: String },
    Damaged(String),
    Needed(String),
    NotData(String),
    NoRows(String),
    Io(String),
    Stopped,
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Empty => Self::Empty,
            FileError::Unknown(why) => Self::Unknown(why),
            FileError::Broken { line, reason } => Self::Broken { line, reason },
            FileError::Damaged(why) => Self::Damaged(why),
            FileError::Needed(what) => Self::Needed(what),
            FileError::NotData(why) => Self::NotData(why),
            FileError::NoRows(why) => Self::NoRows(why),
            FileError::Io(error) => Self::Io(error.to_string()),
            FileError::Stopped => Self::Stopped,
        }
    }
}

impl From<Fault> for FileError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Empty => Self::Empty,
            Fault::Unknown(why) => Self::Unknown(why),
            Fault::Broken { line, reason } => Self::Broken { line, reason },
            Fault::Damaged(why) => Self::Damaged(why),
            Fault::Needed(what) => Self::Needed(what),
            Fault::NotData(why) => Self::NotData(why),
            Fault::NoRows(why) => Self::NoRows(why),
            Fault::Io(why) => Self::Io(std::io::Error::other(why)),
            Fault::Stopped => Self::Stopped,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_arrives_as_it_was_sent() {
        let at: NaiveDateTime = "2026-03-29T01:30:00.123456".parse().unwrap();
        for stamp in [Stamp::Local(at), Stamp::Instant(at.and_utc())] {
            let mut record = Record::new(stamp, "INV-1");
            record.power_w = Some(0.1 + 0.2);
            record.irradiance = Some(f64::from_bits(0x3fe5_5555_5555_5555));
            record.role = Role::Meter;
            // A number whose decimals another reader of JSON rounds.
            record.put("yield", json!(5e-324));
            record.put("sum", json!(72_057_594_037_927_945.0_f64));
            record.put("count", json!(3));
            record.put("state", json!("on"));
            let row = Row {
                line: 7,
                record: Ok(record),
            };
            let mut batch = Batch::default();
            batch.add(row.clone());
            let sent = serde_json::to_vec(&batch).unwrap();
            let heard: Batch = serde_json::from_slice(&sent).unwrap();
            let rows: Vec<Row> = heard.rows.into_iter().map(SentRow::row).collect();
            assert_eq!(rows, [row]);
        }
    }

    #[test]
    fn a_row_that_is_too_long_is_refused() {
        let mut record = Record::new(Stamp::Instant(DateTime::UNIX_EPOCH), "INV-1");
        record.put("note", "x".repeat(MOST_ROW_BYTES + 1).into());
        let mut batch = Batch::default();
        batch.add(Row {
            line: 1,
            record: Ok(record),
        });
        assert!(batch.is_large());
        let row = batch.rows.pop().unwrap().row();
        assert_eq!(
            row.record.unwrap_err(),
            "the row is longer than 1048576 bytes"
        );
    }
}
