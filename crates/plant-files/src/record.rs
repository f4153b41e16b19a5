//! What readers produce.

use std::ops::ControlFlow;

use serde_json::{Map, Value};

use crate::stamps::Stamp;

/// The role of the device of a record in its plant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Role {
    /// It produces; plant figures add it up.
    #[default]
    Inverter,
    /// It measures what others produce or use; plant figures leave it out.
    Meter,
    /// It measures irradiance, temperature or wind.
    Weather,
}

/// The values of one device at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The time.
    pub stamp: Stamp,
    /// The device, as the tenant knows it.
    pub logger_id: String,
    /// The role of the device.
    pub role: Role,
    /// Active AC power, W.
    pub power_w: Option<f64>,
    /// Register of the day, kWh: it grows over the local day and starts again.
    pub energy_day_kwh: Option<f64>,
    /// Irradiance, W/m².
    pub irradiance: Option<f64>,
    /// Everything else.
    pub metadata: Map<String, Value>,
}

/// A record, or why a line has none.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The line of the file, counted from 1; the row in a database or a sheet.
    pub line: u64,
    /// The record, or the reason of the refusal.
    pub record: Result<Record, String>,
}

/// The receiver of rows.
pub trait Sink {
    /// Takes a row. `Break` stops the reading.
    fn row(&mut self, row: Row) -> ControlFlow<()>;

    /// Takes a remark about the file, such as a value that was derived. The same remark can come
    /// several times.
    fn note(&mut self, note: String);

    /// Two rows of the same device and time became one.
    fn merged(&mut self) {}
}

/// A sink that keeps everything.
#[derive(Debug, Default)]
pub struct Rows {
    /// The rows of the file.
    pub rows: Vec<Row>,
    /// The remarks, each once.
    pub notes: Vec<String>,
    /// Number of rows that were merged into others.
    pub merged: u64,
}

impl Rows {
    /// The good rows.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.rows.iter().filter_map(|row| row.record.as_ref().ok())
    }

    /// The refused lines with their reasons.
    pub fn refusals(&self) -> impl Iterator<Item = (u64, &str)> {
        self.rows
            .iter()
            .filter_map(|row| Some((row.line, row.record.as_ref().err()?.as_str())))
    }
}

impl Sink for Rows {
    fn row(&mut self, row: Row) -> ControlFlow<()> {
        self.rows.push(row);
        ControlFlow::Continue(())
    }

    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn merged(&mut self) {
        self.merged += 1;
    }
}

impl Record {
    /// A record without values.
    pub fn new(stamp: Stamp, logger_id: impl Into<String>) -> Self {
        Self {
            stamp,
            logger_id: logger_id.into(),
            role: Role::default(),
            power_w: None,
            energy_day_kwh: None,
            irradiance: None,
            metadata: Map::new(),
        }
    }

    /// Puts a cell into the metadata: a number if all of it is one, otherwise text. A missing value
    /// leaves no trace; a name that is used already gets a number.
    pub fn keep(&mut self, name: &str, cell: &str) {
        let value = match crate::numbers::cell(cell) {
            crate::numbers::Cell::Missing => return,
            crate::numbers::Cell::Number(number) => Value::from(number),
            crate::numbers::Cell::Text => Value::from(cell.trim().to_owned()),
        };
        self.put(name, value);
    }

    /// Puts a value into the metadata under this name, or the name with a number behind it.
    pub fn put(&mut self, name: &str, value: Value) {
        if name.is_empty() || self.metadata.len() >= 500 {
            return;
        }
        let mut unique = name.to_owned();
        let mut number = 2;
        while self.metadata.contains_key(&unique) {
            unique = format!("{name}{number}");
            number += 1;
        }
        self.metadata.insert(unique, value);
    }

    /// Puts a fault's code or text into the metadata, unless it says that there is none.
    pub fn fault(&mut self, cell: &str) {
        let text = cell.trim();
        let none = matches!(
            text.to_ascii_lowercase().as_str(),
            "0" | "ok" | "none" | "no error"
        );
        if !none && !crate::numbers::is_missing(text) {
            self.put("errorCode", Value::from(text.to_owned()));
        }
    }

    /// Puts a device's state into the metadata.
    pub fn status(&mut self, cell: &str) {
        let text = cell.trim();
        if !crate::numbers::is_missing(text) {
            self.put("status", Value::from(text.to_owned()));
        }
    }

    /// Marks the register of the day as the sum of `energyIntervalKwh`. The database
    /// adds these up: a day comes in any order, and in several files.
    pub fn sum_of_intervals(&mut self) {
        let from = Value::from("energyIntervalKwh".to_owned());
        self.put("energyDailyDerivedFrom", from);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.power_w.is_none()
            && self.energy_day_kwh.is_none()
            && self.irradiance.is_none()
            && self.metadata.is_empty()
    }

    /// Takes the values of a later row of the same device and time.
    pub(crate) fn absorb(&mut self, later: Self) {
        self.power_w = later.power_w.or(self.power_w);
        self.energy_day_kwh = later.energy_day_kwh.or(self.energy_day_kwh);
        self.irradiance = later.irradiance.or(self.irradiance);
        for (name, value) in later.metadata {
            if !value.is_null() {
                self.metadata.insert(name, value);
            }
        }
    }
}
