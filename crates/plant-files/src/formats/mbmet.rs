//! mb-met: a weather station's CSV with a header that begins with `Zeitstempel`.

use super::{bad, good, plain};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers;
use crate::record::{Record, Role, Sink};
use crate::settings::Settings;
use crate::stamps::{self, Order};
use crate::text::Utf8;

/// The reader of mb-met files.
pub struct Mbmet;

impl Reader for Mbmet {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        let Some(header) = sample.lines().next() else {
            return 0;
        };
        let header = header.replace('"', "");
        let mut cells = header.split(',');
        let starts = cells
            .next()
            .is_some_and(|cell| cell.trim().eq_ignore_ascii_case("zeitstempel"));
        let radiates = cells.any(|cell| cell.trim().to_lowercase().starts_with("einstrahlung"));
        if starts && radiates { 95 } else { 0 }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let Some(id) = settings
            .logger_id
            .clone()
            .or_else(|| station(&settings.name))
        else {
            return Err(FileError::Needed(format!(
                "the file's name {:?} does not end in the number of the station; name the station with `logger_id`",
                settings.name
            )));
        };
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(Utf8::new(input)?);
        let mut row = csv::StringRecord::new();
        let mut header: Vec<String> = Vec::new();
        let mut chosen = None;
        loop {
            match reader.read_record(&mut row) {
                Ok(true) => {}
                Ok(false) => return Ok(()),
                Err(error) => return Err(crate::table::csv_error(error)),
            }
            let line = row.position().map_or(0, csv::Position::line);
            if header.is_empty() {
                header = row.iter().map(|cell| cell.trim().to_owned()).collect();
                chosen = irradiance(&header, settings.sensor.as_deref())?;
                if let (Some(index), true) = (
                    chosen,
                    header.iter().filter(|name| is_irradiance(name)).count() > 1,
                ) {
                    sink.note(format!(
                        "of several sensors of irradiance, {:?} is used; another one can be chosen",
                        header[index]
                    ));
                }
                continue;
            }
            let first = row.get(0).unwrap_or_default().trim();
            // The units.
            if first.to_lowercase().starts_with("yyyy")
                || row.iter().all(|cell| cell.trim().is_empty())
            {
                continue;
            }
            match record(&row, &header, chosen, &id) {
                Ok(record) => good(sink, line, record)?,
                Err(reason) => bad(sink, line, reason)?,
            }
        }
    }
}

fn record(
    row: &csv::StringRecord,
    header: &[String],
    chosen: Option<usize>,
    id: &str,
) -> Result<Record, String> {
    if row.len() != header.len() {
        return Err(format!(
            "the line has {} fields, the header {}; are decimals written with a comma?",
            row.len(),
            header.len()
        ));
    }
    let stamp = stamps::parse(row.get(0).unwrap_or_default(), Order::YearFirst)?;
    let mut record = Record::new(stamp, id);
    record.role = Role::Weather;
    for (index, cell) in row.iter().enumerate().skip(1) {
        if numbers::is_missing(cell) {
            continue;
        }
        if Some(index) == chosen {
            let value = numbers::value(cell)
                .ok_or_else(|| format!("{} is {cell:?}, not a number", header[index]))?;
            record.irradiance = Some(value);
        }
        record.keep(&name_of(&header[index]), cell);
    }
    Ok(record)
}

fn is_irradiance(name: &str) -> bool {
    name.to_lowercase().starts_with("einstrahlung")
}

/// The chosen sensor; without a choice the one in the west, or the first.
fn irradiance(header: &[String], wanted: Option<&str>) -> Result<Option<usize>, FileError> {
    let find = |part: &str| {
        header
            .iter()
            .position(|name| is_irradiance(name) && name.to_lowercase().contains(part))
    };
    match wanted {
        Some(wanted) => match find(&wanted.to_lowercase()) {
            Some(index) => Ok(Some(index)),
            None => Err(FileError::Needed(format!(
                "the file has no sensor of irradiance whose name has {wanted:?}; it has {}",
                header.join(", ")
            ))),
        },
        None => Ok(find("west").or_else(|| find(""))),
    }
}

/// The quantity, with the sensor behind it.
fn name_of(header: &str) -> String {
    let (quantity, sensor) = header.split_once('(').unwrap_or((header, ""));
    let quantity = match plain(quantity).as_str() {
        "einstrahlung" => "irradiance".to_owned(),
        "tzelle" => "temperatureCellC".to_owned(),
        "tumgebung" => "temperatureAmbientC".to_owned(),
        other => other.to_owned(),
    };
    let sensor = sensor.trim_end_matches(')').trim();
    let mut name = quantity;
    for word in sensor
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        let word = if word.eq_ignore_ascii_case("ost") {
            "East"
        } else {
            word
        };
        let mut letters = word.chars();
        if let Some(first) = letters.next() {
            name.extend(first.to_uppercase());
            name.push_str(letters.as_str());
        }
    }
    name
}

/// The digits behind the last underscore of a name, before its ending and marks of a copy.
fn station(name: &str) -> Option<String> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let stem = stem
        .split(" (")
        .next()
        .unwrap_or(stem)
        .split(" - ")
        .next()
        .unwrap_or(stem)
        .trim();
    let last = stem.rsplit('_').next()?;
    let digits = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| last.to_owned())
}
