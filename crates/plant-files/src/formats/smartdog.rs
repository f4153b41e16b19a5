//! SmartDog: a device's values of a local day with Unix seconds; the device is in the file's name.

use super::{bad, cells, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers;
use crate::record::{Record, Role, Sink};
use crate::settings::Settings;
use crate::stamps::{self, Order, Stamp};
use crate::text::Lines;

/// Maximum number of rows: one per second of the longest day.
const MOST_ROWS: usize = 25 * 3600;
/// Irradiance that a sensor can measure, W/m².
const PLAUSIBLE: std::ops::RangeInclusive<f64> = -20.0..=1800.0;

/// The reader of SmartDog files.
pub struct Smartdog;

/// The device of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Device {
    Inverter {
        bus: String,
        address: String,
        string: String,
    },
    Irradiance(String),
    Temperature(String),
}

impl Reader for Smartdog {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let mut lines = sample.lines();
        let (Some(header), first) = (lines.next(), lines.next()) else {
            return 0;
        };
        let names: Vec<String> = cells(header, ';').iter().map(|cell| plain(cell)).collect();
        let seconds =
            first.is_none_or(|line| stamps::parse(cells(line, ';')[0], Order::UnixSeconds).is_ok());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let certain = if seconds { 95 } else { 60 };
        match names[..] {
            ["timestamp", "address", "bus", ..] => certain,
            ["timestamp", "value"] if device_of(sample.name).is_some() || seconds => certain,
            _ => 0,
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        if let Some(kind) = ["avg_day", "avg_month", "avg_year", "events_"]
            .iter()
            .find(|kind| settings.name.to_lowercase().contains(*kind))
        {
            return Err(FileError::NotData(format!(
                "{:?} is a summary ({kind}) and has no readings",
                settings.name
            )));
        }
        let mut lines = Lines::new(input)?;
        let header = loop {
            match lines.next()? {
                Some((_, line)) if line.trim().is_empty() => {}
                Some((_, line)) => break line,
                None => return Err(FileError::Empty),
            }
        };
        let names: Vec<String> = cells(header.trim_end_matches(';'), ';')
            .iter()
            .map(|cell| plain(cell))
            .collect();
        let named = device_of(&settings.name);
        let is_inverter = names.iter().any(|name| name == "pac");
        if !is_inverter && named.is_none() && settings.logger_id.is_none() {
            return Err(FileError::Needed(format!(
                "the name {:?} does not say which sensor this is (modbustcpsensor_<n>_global_… or onewire_<n>_global_…); name it with `logger_id`",
                settings.name
            )));
        }
        let mut rows: Vec<(u64, i64, Record)> = Vec::new();
        while let Some((number, line)) = lines.next()? {
            if line.trim().is_empty() {
                continue;
            }
            let read = if is_inverter {
                inverter(&line, &names, named.as_ref(), settings, sink)
            } else {
                sensor(&line, named.as_ref(), settings, sink)
            };
            match read {
                Ok((at, record)) if rows.len() < MOST_ROWS => rows.push((number, at, record)),
                Ok(_) => bad(
                    sink,
                    number,
                    "the file has more rows than a day has seconds",
                )?,
                Err(reason) => bad(sink, number, reason)?,
            }
        }
        // The sort is stable, so that a later duplicate stays later.
        rows.sort_by_key(|(_, at, _)| *at);
        if is_inverter {
            sink.note(
                "the file has no register; the energy of a day comes from the power".to_owned(),
            );
        }
        for (number, _, record) in rows {
            good(sink, number, record)?;
        }
        Ok(())
    }
}

fn time(cell: &str) -> Result<(i64, Stamp), String> {
    let stamp = stamps::parse(cell, Order::UnixSeconds)?;
    match stamp {
        Stamp::Instant(at) => Ok((at.timestamp(), stamp)),
        Stamp::Local(_) => Err("the time is not in Unix seconds".to_owned()),
    }
}

fn inverter(
    line: &str,
    names: &[String],
    named: Option<&Device>,
    settings: &Settings,
    sink: &mut dyn Sink,
) -> Result<(i64, Record), String> {
    let mut cells = cells(line, ';');
    if cells.len() == names.len() + 1 && cells.last().is_some_and(|cell| cell.is_empty()) {
        cells.pop();
    }
    if cells.len() != names.len() {
        return Err(format!(
            "the line has {} fields, the header {}",
            cells.len(),
            names.len()
        ));
    }
    let (at, stamp) = time(cells[0])?;
    let of = |name: &str| {
        names
            .iter()
            .position(|known| known == name)
            .map(|index| cells[index])
    };
    let columns = Device::Inverter {
        bus: of("bus").unwrap_or_default().to_owned(),
        address: of("address").unwrap_or_default().to_owned(),
        string: of("stringid").unwrap_or_default().to_owned(),
    };
    if named.is_some_and(|named| *named != columns) {
        sink.note(format!("the name {:?} and the columns bus, address and stringid disagree; the columns are used", settings.name));
    }
    let mut record = Record::new(stamp, columns.id(settings));
    for (name, cell) in names.iter().zip(&cells).skip(1) {
        let number = |what: &str| {
            numbers::value(cell).ok_or_else(|| format!("{what} is {cell:?}, not a number"))
        };
        match name.as_str() {
            _ if numbers::is_missing(cell) => {}
            "pac" => record.power_w = Some(number("pac")?),
            "pdc" => record.put("powerDcW", number("pdc")?.into()),
            "udc" => record.put("voltageDcV", number("udc")?.into()),
            "temp" => record.put("temperatureC", number("temp")?.into()),
            "status" => record.status(cell),
            name => record.keep(name, cell),
        }
    }
    Ok((at, record))
}

fn sensor(
    line: &str,
    named: Option<&Device>,
    settings: &Settings,
    sink: &mut dyn Sink,
) -> Result<(i64, Record), String> {
    let cells = cells(line, ';');
    if cells.len() < 2 {
        return Err("the line has no value".to_owned());
    }
    let (at, stamp) = time(cells[0])?;
    let id = match (&settings.logger_id, named) {
        (Some(id), _) => id.clone(),
        (None, Some(device)) => device.id(settings),
        (None, None) => return Err("the sensor is not known".to_owned()),
    };
    let mut record = Record::new(stamp, id);
    record.role = Role::Weather;
    let value = match numbers::cell(cells[1]) {
        numbers::Cell::Missing => None,
        numbers::Cell::Number(value) => Some(value),
        numbers::Cell::Text => return Err(format!("the value is {:?}, not a number", cells[1])),
    };
    match (named, value) {
        (_, None) => {}
        (Some(Device::Temperature(_)), Some(value)) => {
            record.put("temperatureAmbientC", value.into());
        }
        (_, Some(value)) if PLAUSIBLE.contains(&value) => record.irradiance = Some(value),
        (_, Some(value)) => {
            sink.note("irradiance outside -20 to 1800 W/m² is left out; the sensor may report another quantity".to_owned());
            record.put("irradianceRaw", value.into());
        }
    }
    if let Some(status) = cells.get(2) {
        record.status(status);
    }
    Ok((at, record))
}

impl Device {
    fn id(&self, settings: &Settings) -> String {
        settings.id_in_plant(&match self {
            Self::Inverter {
                bus,
                address,
                string,
            } => format!("smartdog-B{bus}-A{address}-S{string}"),
            Self::Irradiance(number) => format!("smartdog-sensor-{number}"),
            Self::Temperature(number) => format!("smartdog-temp-{number}"),
        })
    }
}

/// The device in a file's name, whatever is in front of it.
fn device_of(name: &str) -> Option<Device> {
    let lower = name.to_lowercase();
    let number = |after: &str| {
        let at = lower.find(after)? + after.len();
        let digits: String = lower[at..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        (!digits.is_empty()).then_some(digits)
    };
    if let Some(number) = number("modbustcpsensor_") {
        return Some(Device::Irradiance(number));
    }
    if let Some(number) = number("onewire_") {
        return Some(Device::Temperature(number));
    }
    let stem = &lower[..lower.find("_global")?];
    let mut parts = stem.rsplit('_');
    let (string, address, bus) = (parts.next()?, parts.next()?, parts.next()?);
    let of = |text: &str, letter: char| {
        let digits = text.strip_prefix(letter)?;
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| digits.to_owned())
    };
    Some(Device::Inverter {
        bus: of(bus, 'b')?,
        address: of(address, 'a')?,
        string: of(string, 's')?,
    })
}
