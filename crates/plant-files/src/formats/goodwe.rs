//! GoodWe: `20240601T120000,AB12CD34EF56GH78,pac,2400`, a line per device, time and key.

use super::{bad, camel, cells, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers::{self, Quantity, name_and_unit, unit, value_and_unit};
use crate::record::{Record, Sink};
use crate::settings::Settings;
use crate::stamps::{self, Order, Stamp};
use crate::text::Lines;

/// The keys of power and of the day's register, the better ones first.
const POWER: [&str; 5] = ["pac", "activepower", "outputpower", "acpower", "power"];
const ENERGY: [&str; 4] = ["eday", "todayenergy", "dailygeneration", "dailyenergy"];
const TOTAL: [&str; 5] = [
    "etotal",
    "totalenergy",
    "energytotal",
    "totalgeneration",
    "lifetimeenergy",
];
const FAULTS: [&str; 4] = ["errorcode", "error", "faultcode", "fault"];
const STATES: [&str; 3] = ["status", "state", "workmode"];

/// The reader of GoodWe files.
pub struct GoodWe;

/// A record whose values still come, with the rank of the key that gave each.
struct Open {
    line: u64,
    record: Record,
    power: usize,
    energy: usize,
    keys: Vec<String>,
}

impl Reader for GoodWe {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let looks = |line: &str| {
            let cells = cells(line, ',');
            let [time, id, key, _] = cells[..] else {
                return 0;
            };
            let is_key = key.starts_with(|c: char| c.is_alphabetic());
            if id.is_empty() || !is_key || time_of(time).is_err() {
                return 0;
            }
            if time.len() == 15 { 95 } else { 70 }
        };
        // The first line may be broken.
        sample.lines().take(3).map(looks).max().unwrap_or(0)
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let _ = settings;
        let mut lines = Lines::new(input)?;
        let mut open: Option<Open> = None;
        while let Some((number, line)) = lines.next()? {
            if line.trim().is_empty() {
                continue;
            }
            let (stamp, id, key, value) = match parts(&line) {
                Ok(parts) => parts,
                Err(reason) => {
                    bad(sink, number, reason)?;
                    continue;
                }
            };
            if id.len() < 10 {
                sink.note(format!(
                    "the id {id:?} is shorter than GoodWe's ids; it is kept as it is"
                ));
            }
            let folded = plain(&key);
            let same = open.as_ref().is_some_and(|open| {
                open.record.stamp == stamp
                    && open.record.logger_id == id
                    && !open.keys.contains(&folded)
            });
            if !same {
                if let Some(done) = open.take() {
                    good(sink, done.line, done.record)?;
                }
                open = Some(Open {
                    line: number,
                    record: Record::new(stamp, id),
                    power: usize::MAX,
                    energy: usize::MAX,
                    keys: Vec::new(),
                });
            }
            if let Some(open) = &mut open {
                open.keys.push(folded);
                if let Err(reason) = open.take(&key, &value) {
                    bad(sink, number, reason)?;
                }
            }
        }
        match open {
            Some(done) => good(sink, done.line, done.record),
            None => Ok(()),
        }
    }
}

impl Open {
    fn take(&mut self, key: &str, value: &str) -> Result<(), String> {
        if numbers::is_missing(value) {
            return Ok(());
        }
        let (name, key_unit) = name_and_unit(key);
        let name = plain(&name);
        let rank = |names: &[&str]| names.iter().position(|known| *known == name);
        let quantity = |wanted: Quantity, default: f64| {
            let (number, own) = value_and_unit(value)
                .ok_or_else(|| format!("{value:?} is not a number, for {key}"))?;
            let factor = match own.or(key_unit.as_deref()) {
                None => default,
                Some(text) => match unit(text) {
                    Some((found, factor)) if found == wanted => factor,
                    _ => return Err(format!("{text:?} is not a unit of {key}")),
                },
            };
            Ok(number * factor)
        };
        if let Some(rank) = rank(&POWER) {
            let watts = quantity(Quantity::Power, 1.0)?;
            if rank < self.power {
                self.power = rank;
                self.record.power_w = Some(watts);
            }
        } else if let Some(rank) = rank(&ENERGY) {
            let kwh = quantity(Quantity::Energy, 1.0)?;
            if rank < self.energy {
                self.energy = rank;
                self.record.energy_day_kwh = Some(kwh);
            }
        } else if TOTAL.contains(&name.as_str()) {
            let kwh = quantity(Quantity::Energy, 1.0)?;
            self.record.put("energyLifetimeKwh", kwh.into());
        } else if name.contains("irradiance") {
            let watts = quantity(Quantity::Irradiance, 1.0)?;
            self.record.irradiance = self.record.irradiance.or(Some(watts));
        } else if FAULTS.contains(&name.as_str()) {
            self.record.fault(value);
        } else if STATES.contains(&name.as_str()) {
            self.record.status(value);
        } else {
            self.record.keep(&camel(key), value);
        }
        Ok(())
    }
}

fn parts(line: &str) -> Result<(Stamp, String, String, String), String> {
    let cells = cells(line, ',');
    let [time, id, key, value] = cells[..] else {
        // A decimal comma without quotes makes one field two.
        return Err(format!(
            "the line has {} fields, not the four of time, device, key and value",
            cells.len()
        ));
    };
    if id.is_empty() || key.is_empty() {
        return Err("the device or the key is empty".to_owned());
    }
    Ok((
        time_of(time)?,
        id.to_owned(),
        key.to_owned(),
        value.to_owned(),
    ))
}

/// The compact form, ISO, or the day first: never the month first, which looks the same.
fn time_of(text: &str) -> Result<Stamp, String> {
    stamps::parse(text, Order::YearFirst)
        .or_else(|why| stamps::parse(text, Order::DayFirst).map_err(|_| why))
}
