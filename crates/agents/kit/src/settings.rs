//! The settings of an assistant: one type per assistant, which is also its section of the
//! configuration.
//!
//! A service reads the section (with figment, from a file and the environment) straight into the
//! type, over the type's default, and has it check itself. Fields keep the names that the section
//! has; times are [`milliseconds`].

use std::{fmt::Debug, ops::RangeInclusive};

use serde::{Serialize, de::DeserializeOwned};

/// The settings of an assistant.
pub trait Settings:
    Debug + Clone + PartialEq + Default + Serialize + DeserializeOwned + Send + Sync + 'static
{
    /// Refuses values that cannot work.
    fn validate(&self) -> Result<(), InvalidSetting>;
}

/// A value that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct InvalidSetting {
    /// The key within the section.
    pub key: String,
    /// The fault in the value.
    pub reason: String,
}

impl InvalidSetting {
    /// An error about this key.
    pub fn new(key: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            reason: reason.into(),
        }
    }
}

/// Refuses zero.
pub fn positive(key: &str, value: u64) -> Result<(), InvalidSetting> {
    if value == 0 {
        return Err(InvalidSetting::new(key, "must be more than 0"));
    }
    Ok(())
}

/// Refuses a time of less than a millisecond.
pub fn lasting(key: &str, value: std::time::Duration) -> Result<(), InvalidSetting> {
    positive(key, u64::try_from(value.as_millis()).unwrap_or(u64::MAX))
}

/// Refuses a number outside of the range.
pub fn within(key: &str, value: u64, range: RangeInclusive<u64>) -> Result<(), InvalidSetting> {
    if range.contains(&value) {
        return Ok(());
    }
    let bounds = format!("must be {} to {}", range.start(), range.end());
    Err(InvalidSetting::new(key, bounds))
}

/// Refuses a number that is not a part of one.
pub fn share(key: &str, value: f64) -> Result<(), InvalidSetting> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(InvalidSetting::new(key, "must be 0 to 1"))
}

/// A [`Duration`](std::time::Duration) as a whole number of milliseconds, for `#[serde(with =
/// "milliseconds")]`.
pub mod milliseconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the number.
    pub fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        let number = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        number.serialize(serializer)
    }

    /// Reads the number.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Section {
        #[serde(rename = "patience_ms", with = "milliseconds")]
        patience: Duration,
    }

    #[test]
    fn times_are_written_and_read_in_milliseconds() {
        let section = Section {
            patience: Duration::from_secs(2),
        };
        let written = json!({ "patience_ms": 2_000 });
        assert_eq!(serde_json::to_value(&section).unwrap(), written);
        assert_eq!(serde_json::from_value::<Section>(written).unwrap(), section);
    }

    #[test]
    fn values_that_cannot_work_are_refused_with_their_key() {
        let refused = within("max_steps", 0, 1..=100).unwrap_err();
        assert_eq!(refused.to_string(), "max_steps: must be 1 to 100");
        assert!(within("max_steps", 100, 1..=100).is_ok());
        assert!(positive("calls", 0).is_err() && positive("calls", 1).is_ok());
        assert!(share("part", 1.1).is_err() && share("part", 0.5).is_ok());
        assert!(lasting("patience_ms", Duration::ZERO).is_err());
    }
}
