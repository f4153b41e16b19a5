//! meteocontrol: `[info]` with the date, `[messung]` with names and units, `[Start]` with rows; an
//! analog file has the plant's sensors, an inverter file its inverters.

use chrono::{NaiveDate, TimeDelta};

use super::{bad, camel, cells, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers::{self, Quantity, unit};
use crate::record::{Record, Role, Sink};
use crate::settings::{Settings, short_id};
use crate::stamps::{self, Stamp};
use crate::text::Lines;

/// The reader of meteocontrol files.
pub struct Meteocontrol;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Before,
    Info,
    Names,
    Rows,
}

#[derive(Default)]
struct State {
    plant: Option<String>,
    day: Option<NaiveDate>,
    names: Vec<String>,
    units: Vec<String>,
    last: Option<chrono::NaiveTime>,
}

impl Reader for Meteocontrol {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let has = |wanted: &str| {
            sample
                .lines()
                .any(|line| line.trim_matches(';').eq_ignore_ascii_case(wanted))
        };
        let dated = sample.lines().any(|line| {
            line.get(..6)
                .is_some_and(|start| start.eq_ignore_ascii_case("datum="))
        });
        match (has("[info]"), has("[messung]"), dated) {
            (true, true, true) => 95,
            (true, true, false) | (true, false, true) => 60,
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
        let mut state = State::default();
        while let Some((number, line)) = lines.next()? {
            let text = line.trim();
            let lower = text.trim_end_matches(';').to_ascii_lowercase();
            match (lower.as_str(), part) {
                ("", _) => {}
                ("[info]", _) => {
                    part = Part::Info;
                    state.last = None;
                }
                ("[messung]", _) => {
                    part = Part::Names;
                    (state.names, state.units) = (Vec::new(), Vec::new());
                }
                ("[start]", _) => {
                    state.check(number)?;
                    part = Part::Rows;
                }
                (section, _) if section.starts_with('[') && section.ends_with(']') => {
                    part = Part::Before;
                }
                (_, Part::Info) => state.info(number, text)?,
                (_, Part::Names) if text.starts_with(';') || !state.names.is_empty() => {
                    state.units = cells(text, ';').into_iter().map(str::to_owned).collect();
                }
                (_, Part::Names) => {
                    state.names = cells(text.trim_end_matches(';'), ';')
                        .into_iter()
                        .map(str::to_owned)
                        .collect();
                }
                (info, Part::Rows) if info.starts_with("info;") => {}
                (_, Part::Rows) => match state.row(text, settings, sink) {
                    Ok(record) => good(sink, number, record)?,
                    Err(reason) => bad(sink, number, reason)?,
                },
                (_, Part::Before) => {}
            }
        }
        if part == Part::Rows {
            Ok(())
        } else {
            Err(FileError::Damaged(
                "the file has no section [Start] with rows; was it cut off?".to_owned(),
            ))
        }
    }
}

impl State {
    fn info(&mut self, number: u64, text: &str) -> Result<(), FileError> {
        let Some((key, value)) = text.split_once('=') else {
            return Ok(());
        };
        let value = value.trim().trim_end_matches(';').trim();
        if key.trim().eq_ignore_ascii_case("anlage") {
            self.plant = Some(plant_id(value)).filter(|id| !id.is_empty());
        } else if key.trim().eq_ignore_ascii_case("datum") {
            let six = value.len() == 6 && value.bytes().all(|byte| byte.is_ascii_digit());
            let part = |at: usize| {
                value
                    .get(at..at + 2)
                    .and_then(|digits| digits.parse::<u32>().ok())
            };
            let day = match (part(0), part(2), part(4)) {
                (Some(year), Some(month), Some(day)) if six => NaiveDate::from_ymd_opt(
                    2000 + i32::try_from(year).unwrap_or_default(),
                    month,
                    day,
                ),
                _ => None,
            };
            let fault = || {
                FileError::at(
                    number,
                    format!("Datum is {value:?}, not a date of six digits such as 240601"),
                )
            };
            self.day = Some(day.ok_or_else(fault)?);
        }
        Ok(())
    }

    fn check(&self, number: u64) -> Result<(), FileError> {
        if self.day.is_none() {
            return Err(FileError::at(
                number,
                "[info] has no line Datum= before the rows, so their day is not known",
            ));
        }
        if self.names.is_empty() {
            return Err(FileError::at(
                number,
                "[messung] has no row of column names before the rows",
            ));
        }
        Ok(())
    }

    fn row(
        &mut self,
        text: &str,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<Record, String> {
        let mut cells = cells(text, ';');
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
        let time_at = self.find("uhrzeit").unwrap_or(0);
        let Some((time, days)) = stamps::parse_time(cells[time_at]) else {
            return Err(format!("{:?} is not a time of day", cells[time_at]));
        };
        let day = self.day.ok_or("the day is not known")? + TimeDelta::days(days);
        let is_inverter = ["seriennummer", "pac", "etag"]
            .iter()
            .any(|name| self.find(name).is_some());
        if !is_inverter {
            if self
                .last
                .is_some_and(|last| last - time > TimeDelta::hours(2))
                && days == 0
            {
                sink.note(
                    "the times jump back without a new date; the rows behind may be another day's"
                        .to_owned(),
                );
            }
            self.last = Some(time);
        }
        let mut record = Record::new(
            Stamp::Local(day.and_time(time)),
            self.id(&cells, is_inverter, settings)?,
        );
        if !is_inverter {
            record.role = Role::Weather;
        }
        for (index, cell) in cells.iter().enumerate() {
            if index != time_at && !numbers::is_missing(cell) {
                self.value(&mut record, index, cell)?;
            }
        }
        if !is_inverter {
            record.irradiance = self.irradiance(&cells, settings);
        }
        Ok(record)
    }

    fn find(&self, wanted: &str) -> Option<usize> {
        self.names.iter().position(|name| plain(name) == wanted)
    }

    fn id(&self, cells: &[&str], is_inverter: bool, settings: &Settings) -> Result<String, String> {
        let serial = self
            .find("seriennummer")
            .map(|index| cells[index])
            .filter(|cell| !numbers::is_missing(cell));
        if let Some(serial) = serial {
            return Ok(serial.to_owned());
        }
        let base = settings.logger_id.as_deref().or(self.plant.as_deref());
        let base = base.ok_or(
            "neither the row nor the line Anlage= names the device; name it with `logger_id`",
        )?;
        let address = self
            .find("adresse")
            .map(|index| cells[index])
            .filter(|cell| !cell.is_empty());
        Ok(match address {
            Some(address) if is_inverter => short_id(&format!("{base}-{address}")),
            _ => short_id(base),
        })
    }

    /// The factor of a column, by its unit; `None` if the unit is one of another quantity.
    fn factor(&self, index: usize, wanted: Quantity, default: f64) -> Option<f64> {
        match self
            .units
            .get(index)
            .map(String::as_str)
            .filter(|text| !text.is_empty())
        {
            None => Some(default),
            Some(text) => unit(text)
                .filter(|(quantity, _)| *quantity == wanted)
                .map(|(_, factor)| factor),
        }
    }

    fn value(&self, record: &mut Record, index: usize, cell: &str) -> Result<(), String> {
        let name = self.names[index].as_str();
        let number = |wanted: Quantity, default: f64| {
            let factor = self.factor(index, wanted, default);
            let factor =
                factor.ok_or_else(|| format!("the unit of {name} is {:?}", self.units[index]))?;
            let value =
                numbers::value(cell).ok_or_else(|| format!("{name} is {cell:?}, not a number"))?;
            Ok::<f64, String>(value * factor)
        };
        match plain(name).as_str() {
            "pac" => record.power_w = Some(number(Quantity::Power, 1000.0)?),
            "etag" => record.energy_day_kwh = Some(number(Quantity::Energy, 1.0)?),
            "etotal" => record.put("energyLifetimeKwh", number(Quantity::Energy, 1.0)?.into()),
            "eint" => record.put("energyIntervalKwh", number(Quantity::Energy, 1.0)?.into()),
            "fehler" => record.fault(cell),
            "status" => record.status(cell),
            "seriennummer" => {}
            "intervall" => record.keep("intervalSeconds", cell),
            plain => {
                let sensor = |prefix: &str| {
                    plain
                        .strip_prefix(prefix)
                        .filter(|rest| rest.parse::<u32>().is_ok())
                };
                if let Some(number) = sensor("gm") {
                    record.keep(&format!("irradiancePoa{number}"), cell);
                } else if let Some(number) = sensor("gh") {
                    record.keep(&format!("irradianceGhi{number}"), cell);
                } else {
                    record.keep(&camel(name), cell);
                }
            }
        }
        Ok(())
    }

    /// The chosen sensor; without a choice the first in the plane of the modules that has a value,
    /// or the first horizontal one.
    fn irradiance(&self, cells: &[&str], settings: &Settings) -> Option<f64> {
        let number = |index: usize| {
            let value = numbers::value(cells[index])?;
            Some(value * self.factor(index, Quantity::Irradiance, 1.0)?)
        };
        if let Some(wanted) = &settings.sensor {
            let chosen = self
                .names
                .iter()
                .position(|name| plain(name) == plain(wanted));
            return chosen.and_then(number);
        }
        ["gm", "gh"].iter().find_map(|prefix| {
            let mut sensors: Vec<(u32, usize)> = self
                .names
                .iter()
                .enumerate()
                .filter_map(|(index, name)| {
                    Some((plain(name).strip_prefix(prefix)?.parse().ok()?, index))
                })
                .collect();
            sensors.sort_unstable();
            sensors.into_iter().find_map(|(_, index)| number(index))
        })
    }
}

/// Blanks, points and dashes become single underscores.
fn plant_id(name: &str) -> String {
    let words = name.split(|c: char| c.is_whitespace() || matches!(c, '.' | '-' | '_'));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("_")
}
