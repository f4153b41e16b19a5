//! LTI: sections `[header]` with `key=value` and `[data]` with a table, `;` between cells. A file
//! can have several of each.

use super::{bad, camel, cells, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers::{self, name_and_unit, unit};
use crate::record::{Record, Sink};
use crate::settings::{Settings, short_id};
use crate::stamps::{self, Order};
use crate::text::Lines;

const TIMES: [&str; 4] = ["timestamp", "datetime", "time", "date"];
const SERIALS: [&str; 3] = ["serial", "serialnumber", "deviceid"];

/// The reader of LTI files.
pub struct Lti;

#[derive(PartialEq, Eq)]
enum Part {
    Before,
    Header,
    Names,
    Rows,
}

#[derive(Default)]
struct Columns {
    names: Vec<(String, String, f64)>,
    time: usize,
    serial: Option<usize>,
    address: Option<usize>,
}

impl Reader for Lti {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let mut lines = sample.lines().skip_while(|line| !is(line, "[data]"));
        let has_time = |line: &str| {
            line.contains(';')
                && cells(line, ';')
                    .iter()
                    .any(|cell| TIMES.contains(&plain(cell).as_str()))
        };
        match (lines.next(), lines.next()) {
            (Some(_), Some(names)) if has_time(names) => 95,
            (Some(_), _)
                if sample
                    .lines()
                    .next()
                    .is_some_and(|line| is(line, "[header]")) =>
            {
                60
            }
            _ => 0,
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let mut lines = Lines::new(input)?;
        let mut part = Part::Before;
        let mut serial: Option<String> = None;
        let mut columns = Columns::default();
        let mut seen_data = false;
        while let Some((number, line)) = lines.next()? {
            let text = line.trim();
            if text.is_empty() {
                continue;
            }
            if is(text, "[header]") {
                part = Part::Header;
                serial = None;
            } else if is(text, "[data]") {
                part = Part::Names;
                seen_data = true;
            } else if text.starts_with('[') && text.ends_with(']') {
                part = Part::Before;
            } else {
                match part {
                    Part::Before => {}
                    Part::Header => {
                        let pair = text.split_once(['=', ':', ';']);
                        if let Some((key, value)) = pair
                            && SERIALS.contains(&plain(key).as_str())
                        {
                            serial = Some(value.trim().trim_matches('"').to_owned());
                        }
                    }
                    Part::Names => {
                        columns = Columns::of(text).map_err(|why| FileError::at(number, why))?;
                        part = Part::Rows;
                    }
                    Part::Rows => match columns.row(text, serial.as_deref(), settings) {
                        Ok(record) => good(sink, number, record)?,
                        Err(reason) => bad(sink, number, reason)?,
                    },
                }
            }
        }
        if !seen_data {
            return Err(FileError::Damaged(
                "the file has no section [data]; was it cut off?".to_owned(),
            ));
        }
        Ok(())
    }
}

impl Columns {
    fn of(line: &str) -> Result<Self, String> {
        let mut columns = Self::default();
        for cell in cells(line.trim_end_matches(';'), ';') {
            let (name, with_unit) = name_and_unit(cell);
            let factor = with_unit
                .as_deref()
                .and_then(unit)
                .map_or(1.0, |(_, factor)| factor);
            columns.names.push((plain(&name), cell.to_owned(), factor));
        }
        let find = |wanted: &[&str]| {
            wanted
                .iter()
                .find_map(|name| columns.names.iter().position(|(plain, ..)| plain == name))
        };
        let Some(time) = find(&TIMES) else {
            return Err("the header of [data] has no column timestamp".to_owned());
        };
        let (serial, address) = (find(&SERIALS), find(&["address"]));
        Ok(Self {
            time,
            serial,
            address,
            ..columns
        })
    }

    fn row(&self, line: &str, serial: Option<&str>, settings: &Settings) -> Result<Record, String> {
        let mut cells = cells(line, ';');
        if cells.len() == self.names.len() + 1 && cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        if cells.len() != self.names.len() {
            return Err(format!(
                "the line has {} fields, the header {}",
                cells.len(),
                self.names.len()
            ));
        }
        let stamp = stamps::parse(cells[self.time], Order::YearFirst)?;
        let id = self.id(&cells, serial, settings)?;
        let mut record = Record::new(stamp, id);
        for (index, ((name, original, factor), cell)) in self.names.iter().zip(&cells).enumerate() {
            if index == self.time || Some(index) == self.serial || numbers::is_missing(cell) {
                continue;
            }
            let number = || {
                numbers::value(cell)
                    .map(|value| value * factor)
                    .ok_or_else(|| format!("{original} is {cell:?}, not a number"))
            };
            match name.as_str() {
                "pac" | "activepower" => record.power_w = Some(number()?),
                "eday" | "dailyyield" => record.energy_day_kwh = Some(number()?),
                "irradiance" => record.irradiance = Some(number()?),
                "errorcode" | "error" | "fault" | "err" => record.fault(cell),
                "status" | "state" => record.status(cell),
                "eint" => record.put("energyIntervalKwh", number()?.into()),
                "etotal" => record.put("energyLifetimeKwh", number()?.into()),
                _ => record.keep(&camel(original), cell),
            }
        }
        if record.energy_day_kwh.is_none() && record.metadata.contains_key("energyIntervalKwh") {
            record.sum_of_intervals();
        }
        Ok(record)
    }

    /// The serial number of the row, or that of the header, with the address on its bus.
    fn id(
        &self,
        cells: &[&str],
        serial: Option<&str>,
        settings: &Settings,
    ) -> Result<String, String> {
        let own = self
            .serial
            .map(|index| cells[index])
            .filter(|cell| !numbers::is_missing(cell));
        if let Some(own) = own {
            return Ok(own.to_owned());
        }
        let base = settings
            .logger_id
            .as_deref()
            .or(serial)
            .filter(|text| !text.is_empty());
        let Some(base) = base else {
            return Err("neither the row nor [header] names a serial number; name the device with `logger_id`".to_owned());
        };
        match self
            .address
            .map(|index| cells[index])
            .filter(|cell| !cell.is_empty())
        {
            Some(address) => Ok(short_id(&format!("{base}-{address}"))),
            None => Ok(base.to_owned()),
        }
    }
}

fn is(line: &str, section: &str) -> bool {
    line.trim().trim_matches(';').eq_ignore_ascii_case(section)
}
