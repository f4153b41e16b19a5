//! Integra: XML with root, system, md, dp, inverter and mv. Read element by element; document types
//! and entities of their own are refused.

use std::io::BufReader;

use chrono::TimeDelta;
use quick_xml::events::{BytesStart, Event};

use super::{bad, camel, good};
use crate::error::FileError;
use crate::format::{Input, Reader, Sample};
use crate::numbers::{self, Quantity, unit};
use crate::record::{Record, Role, Sink};
use crate::settings::Settings;
use crate::stamps::{self, Order, Stamp};
use crate::text::Utf8;

/// Columns of irradiance, the better ones first.
const IRRADIANCE: [&str; 4] = ["G_POA", "G_M", "irradiance", "G_HOR"];
/// Maximum depth of elements.
const DEEPEST: usize = 64;

/// The reader of Integra files.
pub struct Integra;

impl Reader for Integra {
    fn confidence(&self, sample: &Sample<'_>) -> u8 {
        if !sample.text.trim_start().starts_with('<') {
            return 0;
        }
        // The elements in their order, with or without a prefix.
        let mut wanted = ["system", "md", "dp"].into_iter().peekable();
        for tag in sample.text.split('<').skip(1) {
            let name = tag
                .split([' ', '>', '/', '\t', '\r', '\n'])
                .next()
                .unwrap_or_default();
            let local = name.rsplit(':').next().unwrap_or_default();
            if wanted.peek().is_some_and(|next| *next == local) {
                wanted.next();
            }
        }
        match wanted.count() {
            0 => 95,
            // A plant without readings, or one that is cut off.
            1 if sample.text.contains("system") => 60,
            _ => 0,
        }
    }

    fn read(
        &self,
        input: &mut dyn Input,
        settings: &Settings,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        let mut reader =
            quick_xml::Reader::from_reader(BufReader::new(Utf8::with_long_lines(input)?));
        let mut state = State::new(settings);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let event = reader.read_event_into(&mut buffer);
            match event.map_err(|error| {
                FileError::Damaged(format!("the XML is broken: {error}; was the file cut off?"))
            })? {
                Event::Start(tag) => state.open(&tag, sink)?,
                Event::Empty(tag) => {
                    state.open(&tag, sink)?;
                    state.close(sink)?;
                }
                Event::End(_) => state.close(sink)?,
                Event::Text(text) => state.text.push_str(&text.xml10_content()),
                Event::CData(text) => state.text.push_str(&text.xml10_content()),
                Event::GeneralRef(entity) => state.entity(&entity)?,
                Event::DocType(_) => {
                    return Err(FileError::Damaged(
                        "the XML declares a document type, which is refused".to_owned(),
                    ));
                }
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
                Event::Eof => break,
            }
        }
        if !state.path.is_empty() {
            return Err(FileError::Damaged(format!(
                "the XML ends inside the element {}; the file was cut off",
                state.path.join("/")
            )));
        }
        if state.points == 0 {
            return Err(FileError::NoRows(
                "the file has no element dp with readings".to_owned(),
            ));
        }
        Ok(())
    }
}

struct State<'a> {
    settings: &'a Settings,
    path: Vec<String>,
    text: String,
    plant: String,
    offset: Option<i64>,
    stamp: Option<Result<Stamp, String>>,
    record: Option<Record>,
    irradiance: usize,
    refused: Option<String>,
    metric: (String, Option<String>),
    /// The values of the plant's power management at this time.
    plant_values: Vec<(String, String)>,
    points: u64,
    devices: u64,
}

impl<'a> State<'a> {
    fn new(settings: &'a Settings) -> Self {
        Self {
            settings,
            path: Vec::new(),
            text: String::new(),
            plant: String::new(),
            offset: None,
            stamp: None,
            record: None,
            irradiance: usize::MAX,
            refused: None,
            metric: (String::new(), None),
            plant_values: Vec::new(),
            points: 0,
            devices: 0,
        }
    }

    fn open(&mut self, tag: &BytesStart<'_>, sink: &mut dyn Sink) -> Result<(), FileError> {
        let name = tag.local_name().as_ref().to_owned();
        if self.path.len() >= DEEPEST {
            return Err(FileError::Damaged(
                "the XML is nested too deeply".to_owned(),
            ));
        }
        self.text.clear();
        match name.as_str() {
            "system" => {
                self.plant = attribute(tag, "serial")?.unwrap_or_default();
                let text = attribute(tag, "utcOffset")?.filter(|text| !text.trim().is_empty());
                self.offset = match text {
                    Some(text) if !self.settings.ignore_offset => {
                        let minutes = offset_minutes(&text).ok_or_else(|| {
                            FileError::Damaged(format!(
                                "the utcOffset {text:?} is not an offset such as +1 or +01:00"
                            ))
                        })?;
                        sink.note(format!(
                            "the times are read with the file's offset to UTC, {text}"
                        ));
                        Some(minutes)
                    }
                    _ => None,
                };
            }
            "dp" => {
                let text = attribute(tag, "timestamp")?.unwrap_or_default();
                self.points += 1;
                self.plant_values.clear();
                self.stamp = Some(self.stamp_of(&text));
                if let Some(Err(reason)) = &self.stamp {
                    bad(sink, self.points, format!("dp {}: {reason}", self.points))?;
                }
            }
            "inverter" | "sensor" | "meter" => self.device(&name, tag, sink)?,
            "mv" => {
                self.metric = (
                    attribute(tag, "type")?.unwrap_or_default(),
                    attribute(tag, "unit")?,
                );
            }
            _ => {}
        }
        self.path.push(name);
        Ok(())
    }

    fn stamp_of(&self, text: &str) -> Result<Stamp, String> {
        let stamp = stamps::parse(text, Order::YearFirst)?;
        Ok(match (stamp, self.offset) {
            (Stamp::Local(local), Some(minutes)) => {
                Stamp::Instant((local - TimeDelta::minutes(minutes)).and_utc())
            }
            (stamp, _) => stamp,
        })
    }

    fn device(
        &mut self,
        name: &str,
        tag: &BytesStart<'_>,
        sink: &mut dyn Sink,
    ) -> Result<(), FileError> {
        self.devices += 1;
        let Some(Ok(stamp)) = self.stamp else {
            return Ok(());
        };
        match attribute(tag, "serial")?.filter(|serial| !serial.trim().is_empty()) {
            None => bad(
                sink,
                self.points,
                format!("dp {}: an element {name} has no serial number", self.points),
            ),
            Some(serial) => {
                let mut record = Record::new(stamp, serial.trim());
                record.role = match name {
                    "sensor" => Role::Weather,
                    "meter" => Role::Meter,
                    _ => Role::Inverter,
                };
                if let Some(kind) = attribute(tag, "type")? {
                    record.keep("inverterType", &kind);
                }
                self.irradiance = usize::MAX;
                self.record = Some(record);
                Ok(())
            }
        }
    }

    fn close(&mut self, sink: &mut dyn Sink) -> Result<(), FileError> {
        let name = self.path.pop().unwrap_or_default();
        match name.as_str() {
            "mv" => self.value(),
            "inverter" | "sensor" | "meter" => {
                let record = self.record.take();
                match (record, self.refused.take()) {
                    (_, Some(reason)) => {
                        bad(sink, self.points, format!("dp {}: {reason}", self.points))?;
                    }
                    (Some(mut record), None) => {
                        for (name, text) in &self.plant_values {
                            record.keep(&format!("plant{name}"), text);
                        }
                        good(sink, self.points, record)?;
                    }
                    (None, None) => {}
                }
            }
            "dp" => self.stamp = None,
            _ => {}
        }
        self.text.clear();
        Ok(())
    }

    fn value(&mut self) {
        let text = self.text.trim();
        // A decoration, also before the mark of a missing value.
        let text = text.strip_prefix(':').unwrap_or(text).trim().to_owned();
        if numbers::is_missing(&text) {
            return;
        }
        let (name, unit_name) = std::mem::take(&mut self.metric);
        let Some(record) = &mut self.record else {
            if self.path.iter().any(|element| element == "powermanagement") {
                self.plant_values.push((name, text));
            }
            return;
        };
        let of = |wanted: Quantity| match unit_name.as_deref().map(unit) {
            None => Some(1.0),
            Some(Some((quantity, factor))) if quantity == wanted => Some(factor),
            Some(_) => None,
        };
        let wanted = match name.as_str() {
            "P_AC" => Some(Quantity::Power),
            "E_DAY" | "E_TOTAL" => Some(Quantity::Energy),
            _ if IRRADIANCE.contains(&name.as_str()) => Some(Quantity::Irradiance),
            _ => None,
        };
        let Some(wanted) = wanted else {
            match name.as_str() {
                "ERROR" => record.fault(&text),
                "STATE" => record.status(&text),
                _ => record.keep(&camel(&name), &text),
            }
            return;
        };
        let (Some(number), Some(factor)) = (numbers::value(&text), of(wanted)) else {
            let unit = unit_name.unwrap_or_default();
            self.refused = Some(format!("{name} is {text:?} {unit}, which cannot be read"));
            return;
        };
        let number = number * factor;
        match name.as_str() {
            "P_AC" => record.power_w = Some(number),
            "E_DAY" => record.energy_day_kwh = Some(number),
            "E_TOTAL" => record.put("energyLifetimeKwh", number.into()),
            _ => {
                let rank = IRRADIANCE
                    .iter()
                    .position(|known| *known == name)
                    .unwrap_or(usize::MAX);
                if rank < self.irradiance {
                    self.irradiance = rank;
                    record.irradiance = Some(number);
                }
                record.put(&camel(&name), number.into());
            }
        }
    }

    fn entity(&mut self, entity: &quick_xml::events::BytesRef<'_>) -> Result<(), FileError> {
        let broken =
            || FileError::Damaged("the XML has an entity that it does not define".to_owned());
        if let Some(letter) = entity.resolve_char_ref().map_err(|_| broken())? {
            self.text.push(letter);
            return Ok(());
        }
        let letter = match entity.xml10_content().as_ref() {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return Err(broken()),
        };
        self.text.push(letter);
        Ok(())
    }
}

fn attribute(tag: &BytesStart<'_>, wanted: &str) -> Result<Option<String>, FileError> {
    let broken =
        |error: &dyn std::fmt::Display| FileError::Damaged(format!("the XML is broken: {error}"));
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| broken(&error))?;
        if attribute.key.local_name().as_ref() == wanted {
            let value = attribute
                .normalized_value(quick_xml::XmlVersion::Implicit1_0)
                .map_err(|error| broken(&error))?;
            return Ok(Some(value.into_owned()));
        }
    }
    Ok(None)
}

/// Minutes of `+1`, `-3`, `+01:00`, `+0530`.
fn offset_minutes(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some((hours, minutes)) => (hours, minutes),
        None if digits.len() == 4 => digits.split_at(2),
        None => (digits, "0"),
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}
