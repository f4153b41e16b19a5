//! Files of every format, read as a plant's owner has them.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod broken;
mod loggers;
mod plexlog;
mod sqlite;
mod tables;

use std::io::Cursor;

use chrono_tz::Europe::Berlin;
use plant_files::{FileError, Format, Record, Rows, Sample, Settings, read, recognise};

/// A plant in Berlin.
fn settings(name: &str) -> Settings {
    Settings::new("roof", name).in_zone(Berlin)
}

/// Finds the format of a file and reads it.
fn import(name: &str, bytes: &[u8]) -> Result<(Format, Rows), FileError> {
    import_with(&settings(name), bytes)
}

fn import_with(settings: &Settings, bytes: &[u8]) -> Result<(Format, Rows), FileError> {
    let format = recognise(&Sample::new(&settings.name, bytes))?;
    let mut rows = Rows::default();
    read(format, &mut Cursor::new(bytes), settings, &mut rows)?;
    Ok((format, rows))
}

/// The records of a file that must be of this format.
fn records(format: Format, name: &str, text: &str) -> Vec<Record> {
    let (found, rows) = import(name, text.as_bytes()).unwrap();
    assert_eq!(found, format, "{name}");
    rows.records().cloned().collect()
}

/// Device, time, power, register of the day, irradiance.
type Brief = (String, String, Option<f64>, Option<f64>, Option<f64>);

fn brief(records: &[Record]) -> Vec<Brief> {
    let one = |record: &Record| {
        let time = record.stamp.text();
        let time = time.trim_end_matches(".000000").replace(".000000Z", "Z");
        (
            record.logger_id.clone(),
            time,
            record.power_w,
            record.energy_day_kwh,
            record.irradiance,
        )
    };
    records.iter().map(one).collect()
}

fn row(
    id: &str,
    time: &str,
    power: Option<f64>,
    energy: Option<f64>,
    irradiance: Option<f64>,
) -> Brief {
    (id.to_owned(), time.to_owned(), power, energy, irradiance)
}

/// A value of the metadata.
fn meta<'a>(record: &'a Record, name: &str) -> &'a serde_json::Value {
    record
        .metadata
        .get(name)
        .unwrap_or(&serde_json::Value::Null)
}
