//! Records from the rows of a table.

use std::ops::ControlFlow;

use crate::error::FileError;
use crate::format::{Format, Input};
use crate::numbers::{self, Separators, unit};
use crate::record::{Record, Role, Row, Sink};
use crate::settings::{Settings, short_id};
use crate::stamps::{self, Order, Stamp};

use super::mapping::{Column, Field, Mapping, check, find, quantity};
use super::{guess, source};

pub(super) fn read(
    format: Format,
    input: &mut dyn Input,
    settings: &Settings,
    sink: &mut dyn Sink,
) -> Result<(), FileError> {
    let mapping = match &settings.mapping {
        Some(mapping) => mapping.clone(),
        None => guess(format, input, None)?,
    };
    check(&mapping).map_err(FileError::Needed)?;
    let mut table = Table::new(&mapping, settings);
    if table.default_device_is_used() {
        sink.note(format!(
            "the file does not name its device; its rows are those of {:?}",
            table.default_device
        ));
    }
    let place = (mapping.delimiter.as_deref(), mapping.sheet.as_deref());
    let mut read = |(line, cells): source::Line| {
        if line == mapping.header_line {
            table.check_header(line, &cells)?;
            return Ok(true);
        }
        let is_head =
            line < mapping.header_line || (mapping.units_line && line == mapping.header_line + 1);
        if is_head || cells.iter().all(String::is_empty) {
            return Ok(true);
        }
        let rows = match table.records(&cells) {
            Ok(records) => records.into_iter().map(Ok).collect(),
            Err(reason) => vec![Err(reason)],
        };
        for record in rows {
            if let ControlFlow::Break(()) = sink.row(Row { line, record }) {
                return Err(FileError::Stopped);
            }
        }
        Ok(true)
    };
    let without_result = source::rows(format, input, place, &mut read)?;
    for (column, count, first) in without_result.columns() {
        let named = mapping.columns.get(column);
        let name = named.map_or_else(|| source::letters(column), |known| known.name.clone());
        sink.note(format!(
            "{name:?} has {count} formulas without a stored result, the first in row {first}: they are empty; open \
             the file in a program that calculates it, and save it"
        ));
    }
    for note in table.notes() {
        sink.note(note);
    }
    Ok(())
}

/// Whether a file has the header that a mapping is for.
pub fn fits(format: Format, input: &mut dyn Input, mapping: &Mapping) -> Result<bool, FileError> {
    let settings = Settings::new("", "");
    let table = Table::new(mapping, &settings);
    let place = (mapping.delimiter.as_deref(), mapping.sheet.as_deref());
    let mut fits = false;
    input.rewind()?;
    let read = source::rows(format, input, place, &mut |(line, cells)| {
        if mapping.header_line == 0 {
            fits = cells.len() == mapping.columns.len() && table.stamp(&cells).is_ok();
            return Ok(false);
        }
        if line == mapping.header_line {
            fits = cells.len() == mapping.columns.len() && table.check_header(line, &cells).is_ok();
        }
        Ok(line < mapping.header_line)
    });
    input.rewind()?;
    match read {
        Ok(_) => Ok(fits),
        // Another delimiter or sheet: another table.
        Err(FileError::Io(error)) if error.kind() != std::io::ErrorKind::InvalidData => {
            Err(error.into())
        }
        Err(_) => Ok(false),
    }
}

struct Table<'a> {
    mapping: &'a Mapping,
    settings: &'a Settings,
    logger: Option<usize>,
    /// The device of columns without one.
    default_device: String,
    /// Whether a register of the day is the sum of the energy of intervals.
    has_sums: bool,
    /// A number whose mark may group thousands, until another shows that it does not.
    doubtful: Option<(String, String)>,
    is_settled: bool,
}

impl<'a> Table<'a> {
    fn new(mapping: &'a Mapping, settings: &'a Settings) -> Self {
        let mut devices = mapping
            .columns
            .iter()
            .filter_map(|column| column.logger.as_ref());
        let measures =
            |column: &Column| column.logger.is_none() && quantity(column.field).is_some();
        let default_device = match (&settings.logger_id, devices.next()) {
            (Some(id), _) => id.clone(),
            (None, Some(_)) if mapping.columns.iter().any(measures) => {
                settings.id_in_plant("weather")
            }
            // Remarks and states of the row are with its first device.
            (None, Some(first)) => first.clone(),
            (None, None) => short_id(&settings.plant),
        };
        Self {
            mapping,
            settings,
            logger: find(mapping, Field::LoggerId),
            default_device,
            has_sums: false,
            doubtful: None,
            is_settled: false,
        }
    }

    /// Remarks on the rows that were read.
    fn notes(self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.has_sums {
            notes
                .push("the register of the day is derived from the energy of intervals".to_owned());
        }
        if let Some((column, cell)) = self.doubtful.filter(|_| !self.is_settled) {
            let mark = self.mapping.decimal;
            notes.push(format!(
                "{column:?} has numbers like {cell}, where {mark:?} was read as the decimal mark; if it separates \
                 thousands, correct the decimal mark of the mapping"
            ));
        }
        notes
    }

    /// Looks at the decimal mark of a number.
    fn see_mark(&mut self, column: &Column, cell: &str) {
        if self.is_settled {
            return;
        }
        match numbers::separators(cell, self.mapping.decimal) {
            Separators::None { .. } => {}
            Separators::Other => self.is_settled = true,
            Separators::Groups => {
                let doubtful = || (column.name.clone(), cell.trim().to_owned());
                self.doubtful.get_or_insert_with(doubtful);
            }
        }
    }

    fn default_device_is_used(&self) -> bool {
        self.logger.is_none()
            && self.settings.logger_id.is_none()
            && self
                .mapping
                .columns
                .iter()
                .any(|column| column.logger.is_none() && quantity(column.field).is_some())
    }

    /// The file must have the names that the mapping is for.
    fn check_header(&self, line: u64, cells: &[String]) -> Result<(), FileError> {
        for (index, column) in self.mapping.columns.iter().enumerate() {
            let cell = cells.get(index).map(String::as_str).unwrap_or_default();
            let unnamed = cell.is_empty() && column.name == format!("column {}", index + 1);
            if !unnamed && !cell.trim().eq_ignore_ascii_case(column.name.trim()) {
                return Err(FileError::at(
                    line,
                    format!(
                        "column {} is {cell:?}, the mapping expects {:?}",
                        index + 1,
                        column.name
                    ),
                ));
            }
        }
        Ok(())
    }

    fn records(&mut self, cells: &[String]) -> Result<Vec<Record>, String> {
        let mapping = self.mapping;
        if cells.len() > mapping.columns.len()
            && cells[mapping.columns.len()..]
                .iter()
                .any(|cell| !cell.is_empty())
        {
            return Err(format!(
                "the line has {} fields, the header {}",
                cells.len(),
                mapping.columns.len()
            ));
        }
        let stamp = self.stamp(cells)?;
        let row_device = match self.logger {
            None => None,
            Some(index) => Some(
                cells
                    .get(index)
                    .filter(|cell| !cell.is_empty())
                    .ok_or("the row does not name its device")?,
            ),
        };
        let mut records: Vec<Record> = Vec::new();
        for (column, cell) in mapping.columns.iter().zip(cells) {
            let skipped = matches!(
                column.field,
                Field::Timestamp | Field::Date | Field::Time | Field::LoggerId | Field::Ignore
            );
            if skipped || numbers::is_missing(cell) {
                continue;
            }
            if quantity(column.field).is_some() {
                self.see_mark(column, cell);
            }
            let device = column
                .logger
                .as_ref()
                .or(row_device)
                .unwrap_or(&self.default_device);
            let device = short_id(device);
            let known = records.iter().position(|record| record.logger_id == device);
            let place = known.unwrap_or_else(|| {
                let mut record = Record::new(stamp, device);
                record.role = self.role(column, &record.logger_id);
                records.push(record);
                records.len() - 1
            });
            put(&mut records[place], column, cell, mapping.decimal)?;
        }
        for record in &mut records {
            let has_interval = record.metadata.contains_key("energyIntervalKwh");
            if record.energy_day_kwh.is_none() && has_interval {
                record.sum_of_intervals();
                self.has_sums = true;
            }
        }
        Ok(records)
    }

    /// The device that a column is of, if its row does not name one.
    fn device_of<'c>(&'c self, column: &'c Column) -> &'c str {
        column.logger.as_ref().unwrap_or(&self.default_device)
    }

    /// A device that has neither power nor energy measures the weather. Of the others, one that is
    /// called a meter is one.
    fn role(&self, column: &Column, id: &str) -> Role {
        let device = self.device_of(column);
        let same = |other: &&Column| self.device_of(other) == device;
        let produces = self.mapping.columns.iter().filter(same).any(|other| {
            matches!(
                other.field,
                Field::Power | Field::EnergyDay | Field::EnergyInterval | Field::EnergyTotal
            )
        });
        if !produces {
            Role::Weather
        } else if is_called_a_meter(id) {
            Role::Meter
        } else {
            Role::Inverter
        }
    }

    fn stamp(&self, cells: &[String]) -> Result<Stamp, String> {
        let cell = |field: Field| {
            let cell = find(self.mapping, field).and_then(|index| cells.get(index));
            cell.map(String::as_str).unwrap_or_default()
        };
        if find(self.mapping, Field::Timestamp).is_some() {
            return stamps::parse(cell(Field::Timestamp), self.mapping.times);
        }
        // A sheet writes dates in one form, whatever the mapping of a CSV says.
        let date = stamps::parse_date(cell(Field::Date), self.mapping.times)
            .or_else(|| stamps::parse_date(cell(Field::Date), Order::YearFirst));
        let date = date.ok_or_else(|| format!("{:?} is not a date", cell(Field::Date)))?;
        let (time, days) = stamps::parse_time(cell(Field::Time))
            .ok_or_else(|| format!("{:?} is not a time of day", cell(Field::Time)))?;
        let day = date
            .checked_add_days(chrono::Days::new(u64::try_from(days).unwrap_or_default()))
            .ok_or("the date is too far away")?;
        Ok(Stamp::Local(day.and_time(time)))
    }
}

/// Whether a word of a device's name says that it is a meter: "MILL-METER", "Zähler 1".
fn is_called_a_meter(id: &str) -> bool {
    const METERS: &[&str] = &[
        "meter",
        "smartmeter",
        "zähler",
        "zaehler",
        "compteur",
        "contador",
        "contatore",
    ];
    let id = id.to_lowercase();
    let mut words = id.split(|letter: char| !letter.is_alphabetic());
    words.any(|word| METERS.contains(&word))
}

fn put(record: &mut Record, column: &Column, cell: &str, decimal: char) -> Result<(), String> {
    let number = || {
        let value = numbers::value_with(cell, decimal)
            .ok_or_else(|| format!("{} is {cell:?}, not a number", column.name))?;
        let factor = column
            .unit
            .as_deref()
            .and_then(unit)
            .map_or(1.0, |(_, factor)| factor);
        Ok::<f64, String>(value * factor)
    };
    match column.field {
        Field::Power => record.power_w = Some(number()?),
        Field::EnergyDay => record.energy_day_kwh = Some(number()?),
        Field::EnergyInterval => record.put("energyIntervalKwh", number()?.into()),
        Field::EnergyTotal => record.put("energyLifetimeKwh", number()?.into()),
        Field::Irradiance => record.irradiance = Some(number()?),
        Field::ErrorCode => record.fault(cell),
        Field::Status => record.status(cell),
        _ => match numbers::value_with(cell, decimal) {
            Some(value) => record.put(&column.name, value.into()),
            None => record.put(&column.name, cell.to_owned().into()),
        },
    }
    Ok(())
}
