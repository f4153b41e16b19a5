//! Plexlog: the table `tbl_inverterdata` of an SQLite file.

use std::collections::HashMap;

use super::sqlite::{Database, MAGIC, Value};
use super::{bad, good};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers;
use crate::record::{Record, Role, Sink};
use crate::settings::Settings;
use crate::stamps::{self, Order};

const TABLE: &str = "tbl_inverterdata";

/// The reader of Plexlog files.
pub struct Plexlog;

impl Reader for Plexlog {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let has = |text: &[u8]| {
            sample
                .bytes
                .windows(text.len())
                .any(|window| window == text)
        };
        match sample.bytes.starts_with(MAGIC) {
            true if has(TABLE.as_bytes()) => 95,
            // Its configuration and protocol are SQLite, too: the reader says so.
            true => 30,
            false => 0,
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let mut database = Database::open(input)?;
        let tables = database.tables()?;
        let Some(table) = tables
            .iter()
            .find(|table| table.name.eq_ignore_ascii_case(TABLE))
        else {
            let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
            return Err(FileError::NotData(format!(
                "this SQLite file has no readings: it has no table {TABLE} (it has {})",
                if names.is_empty() {
                    "no table".to_owned()
                } else {
                    names.join(", ")
                }
            )));
        };
        let column = |name: &str| {
            let found = table
                .columns
                .iter()
                .position(|column| column.eq_ignore_ascii_case(name));
            found.ok_or_else(|| {
                FileError::Damaged(format!("the table {TABLE} has no column {name}"))
            })
        };
        let (id, power, options, time) = (
            column("id_inverter")?,
            column("acproduction")?,
            column("optionalvalue")?,
            column("timestamp")?,
        );
        let mut devices: HashMap<String, Kind> = HashMap::new();
        let table = table.clone();
        database.rows(&table, &mut |number, values| {
            let row = Columns {
                id: &values[id],
                power: &values[power],
                options: &values[options],
                time: &values[time],
            };
            match row.record(settings, &mut devices, sink) {
                Ok(record) => good(sink, number, record),
                Err(reason) => bad(sink, number, reason),
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Inverter,
    Sensor,
    Meter,
    Unknown,
}

struct Columns<'a> {
    id: &'a Value,
    power: &'a Value,
    options: &'a Value,
    time: &'a Value,
}

impl Columns<'_> {
    fn record(
        &self,
        settings: &Settings,
        devices: &mut HashMap<String, Kind>,
        sink: &mut dyn Sink,
    ) -> Result<Record, String> {
        let number = match self.id {
            Value::Integer(number) => number.to_string(),
            Value::Text(text) if !text.trim().is_empty() => text.trim().to_owned(),
            _ => return Err("id_inverter has no value".to_owned()),
        };
        let Value::Text(time) = self.time else {
            return Err("timestamp is not a text".to_owned());
        };
        let stamp = stamps::parse(time, Order::YearFirst)?;
        let pairs = match self.options {
            Value::Text(text) => pairs(text),
            _ => Vec::new(),
        };
        let known = devices.get(&number).copied();
        let kind = match (known, kind_of(&pairs)) {
            (None | Some(Kind::Unknown), found) => {
                devices.insert(number.clone(), found);
                found
            }
            (Some(known), _) => known,
        };
        if kind == Kind::Unknown {
            sink.note(format!("nothing says whether device {number} is an inverter, a meter or a sensor; it is read as an inverter"));
        }
        let value = match self.power {
            Value::Null => None,
            Value::Integer(value) => Some(*value as f64),
            Value::Real(value) if value.is_finite() => Some(*value + 0.0),
            Value::Text(text) if numbers::is_missing(text) => None,
            Value::Text(text) => Some(
                numbers::value(text)
                    .ok_or_else(|| format!("acproduction is {text:?}, not a number"))?,
            ),
            _ => return Err("acproduction is not a number".to_owned()),
        };
        let mut record = Record::new(stamp, settings.id_in_plant(&format!("plexlog-{number}")));
        match kind {
            Kind::Sensor => {
                record.role = Role::Weather;
                record.irradiance = value;
            }
            Kind::Meter => {
                record.role = Role::Meter;
                record.power_w = value;
            }
            Kind::Inverter | Kind::Unknown => record.power_w = value,
        }
        for (key, text) in &pairs {
            keep(&mut record, key, text);
        }
        Ok(record)
    }
}

/// `key:value` pairs, keys in lower case.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (key, value) = part.split_once(':')?;
        Some((key.trim().to_ascii_lowercase(), value.trim().to_owned()))
    };
    text.split(';').filter_map(pair).collect()
}

fn kind_of(pairs: &[(String, String)]) -> Kind {
    let has = |names: &[&str]| pairs.iter().any(|(key, _)| names.contains(&key.as_str()));
    let numbered = |letter: char| {
        pairs.iter().any(|(key, _)| {
            key.strip_prefix(letter).is_some_and(|rest| {
                rest.len() == 2 && rest.bytes().all(|byte| byte.is_ascii_digit())
            })
        })
    };
    if has(&["tot", "uac"]) || numbered('p') || numbered('u') {
        Kind::Inverter
    } else if has(&["exp", "imp", "frq", "cos", "ul1"]) {
        Kind::Meter
    } else if has(&["tce", "tex", "wds"]) {
        Kind::Sensor
    } else {
        Kind::Unknown
    }
}

fn keep(record: &mut Record, key: &str, text: &str) {
    let name = match key {
        "t00" => "temperatureModuleC",
        "tce" => "temperatureCellC",
        "tex" => "temperatureAmbientC",
        "tot" => "energyLifetimeKwh",
        "uac" => "voltageAcV",
        "rpw" => "reactivePowerVar",
        "exp" => "energyExportKwh",
        "imp" => "energyImportKwh",
        "frq" => "frequencyHz",
        "cos" => "powerFactor",
        "app" => "apparentPowerVa",
        "wds" => "windSpeed",
        "err" | "error" => return record.fault(text),
        "sta" | "status" => return record.status(text),
        key => {
            let number = key
                .get(1..)
                .filter(|rest| rest.len() == 2 && rest.bytes().all(|byte| byte.is_ascii_digit()));
            let name = match (key.chars().next(), number) {
                (Some('p'), Some(number)) => format!("powerDc{number}W"),
                (Some('u'), Some(number)) => format!("voltageDc{number}V"),
                _ => key.to_owned(),
            };
            return record.keep(&name, text);
        }
    };
    record.keep(name, text);
}
