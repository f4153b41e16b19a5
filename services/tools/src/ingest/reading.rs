//! One reading, checked: what every format comes down to and what the database stores.

use chrono::{DateTime, Utc};
use contracts::names;
use serde_json::{Map, Value};

use super::options::IngestOptions;
use super::stamp::{StampRules, When};

/// The longest id of a logger, in characters.
const MAX_LOGGER_ID: usize = 64;
/// The longest type of a logger, in characters.
const MAX_LOGGER_TYPE: usize = 20;
/// The largest power, in W. All plants of a country have less; what is larger was read with another
/// unit or from another column.
const MAX_POWER_WATTS: f64 = 1e10;
/// The largest metadata of one reading, as JSON text. A reading is a row, not a document.
const MAX_METADATA_BYTES: usize = 64 * 1024;

/// A reading that can be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The instant of the reading.
    pub at: DateTime<Utc>,
    /// Which logger.
    pub logger_id: String,
    /// The logger's type, where the row names one.
    pub logger_type: Option<String>,
    /// Active AC power, W.
    pub active_power_watts: Option<f64>,
    /// The device's energy register of the day, kWh.
    pub energy_daily_kwh: Option<f64>,
    /// Irradiance, W/m².
    pub irradiance: Option<f64>,
    /// The JSON object of everything else, as text.
    pub metadata: Option<String>,
}

#[cfg(test)]
impl Checked {
    /// The reading, if there is one.
    pub(super) fn reading(self) -> Option<Reading> {
        match self {
            Self::Reading(reading) | Self::Twice { reading, .. } => Some(reading),
            Self::Empty => None,
        }
    }
}

/// A row as its format gave it, before the checks that all formats share.
#[derive(Debug, Default)]
pub(super) struct RawReading {
    pub(super) timestamp: String,
    pub(super) logger_id: Option<String>,
    pub(super) logger_type: Option<String>,
    pub(super) active_power_watts: Option<f64>,
    pub(super) energy_daily_kwh: Option<f64>,
    pub(super) irradiance: Option<f64>,
    pub(super) metadata: Option<Map<String, Value>>,
}

/// A row that may be stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Checked {
    /// A reading.
    Reading(Reading),
    /// A reading whose local time happens twice. It is at the earlier instant.
    Twice {
        /// The reading.
        reading: Reading,
        /// The later instant.
        later: DateTime<Utc>,
    },
    /// There is no value in it.
    Empty,
}

/// The checks that all formats share.
#[derive(Debug, Clone)]
pub(super) struct Checks {
    stamps: StampRules,
    logger_id: Option<String>,
    logger_type: Option<String>,
    /// Texts for "no value".
    missing: Vec<String>,
}

impl Checks {
    pub(super) fn new(options: &IngestOptions) -> Self {
        Self {
            stamps: StampRules {
                zone: options.timezone,
                earliest: options.earliest,
                latest: options.latest,
            },
            logger_id: options.logger_id.clone(),
            logger_type: options.logger_type.clone(),
            missing: options.missing.clone(),
        }
    }

    /// Whether a text represents "no value": it is blank, or one of those that say so.
    pub(super) fn is_missing(&self, text: &str) -> bool {
        let text = text.trim();
        text.is_empty()
            || self
                .missing
                .iter()
                .any(|missing| missing.eq_ignore_ascii_case(text))
    }

    /// Whether a text is a time stamp.
    pub(super) fn is_stamp(&self, text: &str) -> bool {
        self.stamps.instant(text).is_ok()
    }

    /// The reading in the row, or the reason why it is refused.
    pub(super) fn apply(&self, raw: RawReading) -> Result<Checked, String> {
        let when = self.stamps.instant(&raw.timestamp)?;
        let logger_id = self.logger_id(raw.logger_id)?;
        let logger_type = match raw.logger_type.filter(|text| !self.is_missing(text)) {
            Some(text) => Some(trimmed(text)),
            None => self.logger_type.clone(),
        };
        if let Some(text) = &logger_type {
            check_name("the logger's type", text, MAX_LOGGER_TYPE)?;
        }
        for (name, value) in [
            ("activePowerWatts", raw.active_power_watts),
            ("energyDailyKwh", raw.energy_daily_kwh),
            ("irradiance", raw.irradiance),
        ] {
            check_finite(name, value)?;
        }
        if let Some(power) = raw.active_power_watts
            && power.abs() > MAX_POWER_WATTS
        {
            return Err(format!(
                "activePowerWatts is {power:e} W, more than any plant has"
            ));
        }
        let metadata = raw.metadata.filter(|members| !members.is_empty());
        let metadata = metadata.as_ref().map(metadata_text).transpose()?;
        let values = [raw.active_power_watts, raw.energy_daily_kwh, raw.irradiance];
        if metadata.is_none() && values.iter().all(Option::is_none) {
            return Ok(Checked::Empty);
        }
        let reading = |at| Reading {
            at,
            logger_id,
            logger_type,
            active_power_watts: raw.active_power_watts,
            energy_daily_kwh: raw.energy_daily_kwh,
            irradiance: raw.irradiance,
            metadata,
        };
        Ok(match when {
            When::Once(at) => Checked::Reading(reading(at)),
            When::Twice(earlier, later) => Checked::Twice {
                reading: reading(earlier),
                later,
            },
        })
    }

    fn logger_id(&self, own: Option<String>) -> Result<String, String> {
        let id = own.filter(|text| !self.is_missing(text)).map(trimmed);
        let Some(id) = id.or_else(|| self.logger_id.clone()) else {
            return Err("the row names no logger; name it with `logger_id`".to_owned());
        };
        check_name("the logger's id", &id, MAX_LOGGER_ID)?;
        Ok(id)
    }
}

/// Whether a text can be a logger's id, and why not.
pub(crate) fn check_logger_id(id: &str) -> Result<(), String> {
    check_name("the logger's id", id, MAX_LOGGER_ID)
}

/// Whether a text can be a site's id, and why not.
pub(super) fn check_site_id(id: &str) -> Result<(), String> {
    check_name("the site's id", id, MAX_LOGGER_ID)
}

/// Whether a text can be a logger's type, and why not.
pub(super) fn check_logger_type(name: &str) -> Result<(), String> {
    check_name("the logger's type", name, MAX_LOGGER_TYPE)
}

fn check_name(what: &str, text: &str, longest: usize) -> Result<(), String> {
    let length = text.chars().count();
    if length == 0 {
        return Err(format!("{what} is empty"));
    }
    if length > longest {
        return Err(format!(
            "{what} has {length} characters, more than {longest}"
        ));
    }
    if text.chars().any(char::is_control) {
        return Err(format!("{what} holds control characters"));
    }
    if text.chars().any(names::is_hidden) {
        return Err(format!(
            "{what} holds characters that cannot be seen, such as U+200B or marks of direction"
        ));
    }
    Ok(())
}

fn check_finite(name: &str, value: Option<f64>) -> Result<(), String> {
    match value {
        Some(value) if !value.is_finite() => Err(format!("{name} is not a finite number")),
        _ => Ok(()),
    }
}

fn metadata_text(members: &Map<String, Value>) -> Result<String, String> {
    if members
        .iter()
        .any(|(name, value)| name.contains('\0') || holds_nul(value))
    {
        return Err("the metadata hold a NUL character".to_owned());
    }
    let text = serde_json::to_string(members)
        .map_err(|error| format!("the metadata cannot be kept: {error}"))?;
    if text.len() > MAX_METADATA_BYTES {
        return Err(format!(
            "the metadata take {} bytes, more than {MAX_METADATA_BYTES}",
            text.len()
        ));
    }
    Ok(text)
}

/// PostgreSQL's JSON cannot hold U+0000.
fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => members
            .iter()
            .any(|(name, value)| name.contains('\0') || holds_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn trimmed(text: String) -> String {
    if text.len() == text.trim().len() {
        text
    } else {
        text.trim().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::Format;
    use serde_json::json;

    fn raw() -> RawReading {
        RawReading {
            timestamp: "2025-12-04T12:00:00Z".to_owned(),
            logger_id: Some("INV-1".to_owned()),
            active_power_watts: Some(1.0),
            ..RawReading::default()
        }
    }

    fn checked(raw: RawReading) -> Result<Checked, String> {
        Checks::new(&IngestOptions::new(Format::JsonArray)).apply(raw)
    }

    fn check(raw: RawReading) -> Result<Reading, String> {
        checked(raw).map(|row| row.reading().unwrap())
    }

    fn refusal(raw: RawReading) -> String {
        check(raw).unwrap_err()
    }

    #[test]
    fn a_good_row_becomes_a_reading() {
        let reading = check(raw()).unwrap();
        assert_eq!(reading.logger_id, "INV-1");
        assert_eq!(reading.at.timestamp(), 1_764_849_600);
        assert_eq!(reading.metadata, None);
    }

    #[test]
    fn ids_and_types_are_bounded() {
        let id = |id: &str| RawReading {
            logger_id: Some(id.to_owned()),
            ..raw()
        };
        assert!(refusal(id(&"x".repeat(65))).contains("65 characters"));
        assert!(refusal(id("a\0b")).contains("control"));
        for hidden in ["INV\u{200b}1", "\u{202e}1-VNI", "INV\u{ad}1", "\u{feff}INV"] {
            assert!(refusal(id(hidden)).contains("cannot be seen"), "{hidden:?}");
        }
        assert!(refusal(id("  ")).contains("`logger_id`"));
        assert_eq!(check(id(" INV 1 ")).unwrap().logger_id, "INV 1");
        assert_eq!(
            check(id(&"é".repeat(64)))
                .unwrap()
                .logger_id
                .chars()
                .count(),
            64
        );
        let long = RawReading {
            logger_type: Some("t".repeat(21)),
            ..raw()
        };
        assert!(refusal(long).contains("type"));
    }

    #[test]
    fn a_power_that_no_plant_has_is_refused() {
        let power = |watts| RawReading {
            active_power_watts: Some(watts),
            ..raw()
        };
        for watts in [1e12, -1e12] {
            let why = refusal(power(watts));
            assert!(why.contains("e12 W, more than any plant"), "{why}");
        }
        // A park, and the marks of loggers for "no value".
        for watts in [5e9, f64::from(u32::MAX), -9999.0] {
            assert_eq!(check(power(watts)).unwrap().active_power_watts, Some(watts));
        }
    }

    #[test]
    fn numbers_must_be_finite_but_sentinels_stay() {
        for value in [f64::NAN, f64::INFINITY] {
            let row = RawReading {
                irradiance: Some(value),
                ..raw()
            };
            assert!(refusal(row).contains("irradiance"));
        }
        let sentinel = RawReading {
            active_power_watts: Some(-1e9),
            ..raw()
        };
        assert_eq!(check(sentinel).unwrap().active_power_watts, Some(-1e9));
    }

    #[test]
    fn metadata_are_kept_as_they_are_or_refused() {
        let with = |value: Value| RawReading {
            metadata: value.as_object().cloned(),
            ..raw()
        };
        let kept = check(with(json!({"errorCode": null, "a": [1, {"b": "x"}]}))).unwrap();
        assert_eq!(
            kept.metadata.as_deref(),
            Some(r#"{"errorCode":null,"a":[1,{"b":"x"}]}"#)
        );
        assert!(refusal(with(json!({"a": {"b": ["x\0"]}}))).contains("NUL"));
        assert!(refusal(with(json!({"a\0": 1}))).contains("NUL"));
        assert!(refusal(with(json!({"a": "x".repeat(70_000)}))).contains("bytes"));
    }

    #[test]
    fn a_row_without_any_value_is_empty_and_not_refused() {
        let empty = RawReading {
            active_power_watts: None,
            metadata: Some(Map::new()),
            ..raw()
        };
        assert_eq!(checked(empty), Ok(Checked::Empty));
    }

    #[test]
    fn what_a_row_leaves_out_comes_from_the_options() {
        let mut options = IngestOptions::new(Format::Csv);
        options.logger_id = Some("FILE-1".to_owned());
        options.logger_type = Some("lti".to_owned());
        let checks = Checks::new(&options);
        let own = checks.apply(raw()).unwrap().reading().unwrap();
        assert_eq!(
            (own.logger_id.as_str(), own.logger_type.as_deref()),
            ("INV-1", Some("lti"))
        );
        let none = RawReading {
            logger_id: None,
            logger_type: Some("goodwe".to_owned()),
            ..raw()
        };
        let filled = checks.apply(none).unwrap().reading().unwrap();
        assert_eq!(
            (filled.logger_id.as_str(), filled.logger_type.as_deref()),
            ("FILE-1", Some("goodwe"))
        );
    }
}
