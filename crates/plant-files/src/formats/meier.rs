//! Meier: lines `key; value`, a line of names and one of units, both without a first cell, rows.
//! The head has an e-mail address, which is not kept.

use super::{bad, cells, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers::{self, Quantity, unit};
use crate::record::{Record, Role, Sink};
use crate::settings::{Settings, short_id};
use crate::stamps::{self, Order};
use crate::text::Lines;

/// Number of lines at the start of a file in which its head must end.
const HEAD_LINES: u64 = 100;

/// The reader of Meier files.
pub struct Meier;

/// A column of a device.
struct Column {
    /// The device; empty for the whole plant.
    device: String,
    quantity: String,
    unit: String,
}

impl Reader for Meier {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let serial = |line: &str| {
            let cells = cells(line, ';');
            let digits = cells.get(1).is_some_and(|cell| {
                !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())
            });
            cells[0].eq_ignore_ascii_case("serial") && digits
        };
        let mut lines = sample.lines();
        match lines.next() {
            Some(first) if serial(first) => 95,
            // Without its first line the names are still there.
            _ => {
                let named = sample
                    .lines()
                    .any(|line| line.starts_with(';') && line.contains("GENERAL."));
                if named { 60 } else { 0 }
            }
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let mut lines = Lines::new(input)?;
        let mut serial = settings.logger_id.clone();
        let mut columns: Vec<Column> = Vec::new();
        let mut counters = Counters::default();
        while let Some((number, line)) = lines.next()? {
            if line.trim().is_empty() {
                continue;
            }
            let cells = cells(&line, ';');
            if cells[0].is_empty() {
                read_head(&mut columns, &cells[1..]);
                continue;
            }
            if columns.is_empty() {
                if cells[0].eq_ignore_ascii_case("serial") && serial.is_none() {
                    serial = cells
                        .get(1)
                        .filter(|cell| !cell.is_empty())
                        .map(|cell| (*cell).to_owned());
                }
                if number > HEAD_LINES {
                    return Err(FileError::Damaged(
                        "the head has no line of column names, which begins with an empty cell"
                            .to_owned(),
                    ));
                }
                continue;
            }
            let Some(serial) = serial.as_deref() else {
                return Err(FileError::Needed(
                    "the head does not name the serial number; name the device with `logger_id`"
                        .to_owned(),
                ));
            };
            match rows(&cells, &columns, serial, settings, &mut counters, sink) {
                Ok(records) => {
                    for record in records {
                        good(sink, number, record)?;
                    }
                }
                Err(reason) => bad(sink, number, reason)?,
            }
        }
        if columns.is_empty() {
            return Err(FileError::Damaged(
                "the file has no line of column names; was it cut off?".to_owned(),
            ));
        }
        Ok(())
    }
}

/// The names, then the units.
fn read_head(columns: &mut Vec<Column>, cells: &[&str]) {
    if columns.is_empty() {
        for cell in cells {
            let (device, quantity) = match cell.rsplit_once('.') {
                Some((device, quantity)) if !device.eq_ignore_ascii_case("general") => {
                    (device, quantity)
                }
                Some((_, quantity)) => ("", quantity),
                None => ("", *cell),
            };
            columns.push(Column {
                device: device.to_owned(),
                quantity: quantity.to_owned(),
                unit: String::new(),
            });
        }
        while columns
            .last()
            .is_some_and(|column| column.quantity.is_empty())
        {
            columns.pop();
        }
    } else if columns.iter().all(|column| column.unit.is_empty()) {
        for (column, unit) in columns.iter_mut().zip(cells) {
            (*unit).clone_into(&mut column.unit);
        }
    }
}

/// Whether a device's yield is a register of the day: it then never falls, and does not follow the
/// power. Decided once it has shown enough.
#[derive(Default)]
struct Counters {
    devices: std::collections::HashMap<String, Shown>,
}

#[derive(Default)]
struct Shown {
    last: Option<(chrono::NaiveDateTime, f64)>,
    rises: u32,
    falls: u32,
}

impl Counters {
    fn show(&mut self, device: &str, at: chrono::NaiveDateTime, kwh: f64) -> bool {
        let shown = self.devices.entry(device.to_owned()).or_default();
        if let Some((before, last)) = shown.last
            && before.date() == at.date()
        {
            shown.rises += u32::from(kwh > last);
            shown.falls += u32::from(kwh < last);
        }
        shown.last = Some((at, kwh));
        shown.falls == 0 && shown.rises > 36
    }
}

fn rows(
    cells: &[&str],
    columns: &[Column],
    serial: &str,
    settings: &Settings,
    counters: &mut Counters,
    sink: &mut dyn Sink,
) -> Result<Vec<Record>, String> {
    let values = cells[1..]
        .strip_suffix(&[""])
        .filter(|rest| rest.len() == columns.len())
        .unwrap_or(&cells[1..]);
    if values.len() != columns.len() {
        return Err(format!(
            "the line has {} values, the header {}",
            values.len(),
            columns.len()
        ));
    }
    let stamp = stamps::parse(cells[0], Order::DayFirst)?;
    let has_devices = columns.iter().any(|column| !column.device.is_empty());
    let mut records: Vec<(String, Record)> = Vec::new();
    for (column, cell) in columns.iter().zip(values) {
        if numbers::is_missing(cell) {
            continue;
        }
        let known = records
            .iter()
            .position(|(device, _)| *device == column.device);
        let place = known.unwrap_or_else(|| {
            let id = if column.device.is_empty() {
                serial.to_owned()
            } else {
                short_id(&format!("{serial}-{}", column.device))
            };
            let mut record = Record::new(stamp, id);
            // The plant's total beside its devices would count twice.
            if column.device.is_empty() && has_devices {
                record.role = Role::Meter;
            }
            records.push((column.device.clone(), record));
            records.len() - 1
        });
        column.value(&mut records[place].1, cell)?;
    }
    for (device, record) in &mut records {
        let Some(kwh) = record
            .metadata
            .get("energyIntervalKwh")
            .and_then(serde_json::Value::as_f64)
        else {
            continue;
        };
        let at = stamp.local(settings.zone);
        if counters.show(device, at, kwh) {
            sink.note("the yield only rises over the day; if it is a register of the day and not the energy of an interval, read the file as a table".to_owned());
        }
        record.sum_of_intervals();
    }
    Ok(records.into_iter().map(|(_, record)| record).collect())
}

impl Column {
    fn value(&self, record: &mut Record, cell: &str) -> Result<(), String> {
        let name = format!(
            "{}{}{}",
            self.device,
            if self.device.is_empty() { "" } else { "." },
            self.quantity
        );
        let number = |wanted: Quantity, default: f64| {
            let factor = match (self.unit.is_empty(), unit(&self.unit)) {
                (true, _) => default,
                (false, Some((quantity, factor))) if quantity == wanted => factor,
                _ => return Err(format!("the unit of {name} is {:?}", self.unit)),
            };
            let value =
                numbers::value(cell).ok_or_else(|| format!("{name} is {cell:?}, not a number"))?;
            Ok(value * factor)
        };
        let quantity = plain(&self.quantity);
        match quantity.as_str() {
            "feedinpower" => record.power_w = Some(number(Quantity::Power, 1.0)?),
            "yield" => record.put("energyIntervalKwh", number(Quantity::Energy, 1e-3)?.into()),
            "tumgebung" => record.keep("temperatureAmbientC", cell),
            "tzelle" => record.keep("temperatureCellC", cell),
            name if name.ends_with("error") => record.fault(cell),
            name if name.ends_with("status") || name.ends_with("state") => record.status(cell),
            _ if unit(&self.unit).is_some_and(|(quantity, _)| quantity == Quantity::Irradiance) => {
                record.irradiance = record
                    .irradiance
                    .or(Some(number(Quantity::Irradiance, 1.0)?));
            }
            _ => record.keep(&super::camel(&self.quantity), cell),
        }
        Ok(())
    }
}
