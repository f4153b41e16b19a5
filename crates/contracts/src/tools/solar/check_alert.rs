//! `check_alert`.

use chrono::{DateTime, FixedOffset};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `check_alert`.
#[derive(Debug, Clone, Copy)]
pub struct CheckAlert;

impl Tool for CheckAlert {
    const NAME: &'static str = "check_alert";
    const CATEGORY: ToolCategory = ToolCategory::Diagnostics;
    const SUMMARY: &'static str = "Whether the condition of an alert holds now, and for what.";
    const DESCRIPTION: &'static str = "Checks the condition of an alert at the present time: devices that have been out for some minutes of daylight, devices \
         whose newest complete day delivered less than a percentage of the forecast for it, or devices that have sent nothing for some hours. Lists each \
         device that the condition holds for. For the state of a fleet at its newest reading use get_fleet_overview.";

    type Arguments = AlertCondition;
    type Result = AlertCheck;

    fn facts(check: &AlertCheck) -> Vec<String> {
        let mut facts = vec![check.summary.clone()];
        facts.extend(check.events.iter().map(|event| event.text.clone()));
        facts
    }
}

/// The condition that an alert watches for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertCondition {
    /// The kind.
    pub kind: AlertKind,
    /// For `device_out`: minutes of daylight without power. 60 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 5, maximum = 10080)]
    pub minutes: Option<u32>,
    /// For `low_energy`: percentage of the forecast for the day below which it counts. 80 when
    /// absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub percent: Option<u32>,
    /// For `no_data`: hours without a reading. 24 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 720)]
    pub hours: Option<u32>,
    /// Only this device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub logger_id: Option<String>,
    /// Only devices of this site.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 64)]
    pub site_id: Option<String>,
}

/// Kinds of alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertKind {
    /// A device delivers nothing in daylight, whether it sends readings or not.
    DeviceOut,
    /// A device delivered less than it was expected to on its newest complete day.
    LowEnergy,
    /// A device sends nothing, day or night.
    NoData,
}

impl AlertCondition {
    /// A condition of this kind, for every device, with the usual limit.
    pub fn of(kind: AlertKind) -> Self {
        Self {
            kind,
            minutes: None,
            percent: None,
            hours: None,
            logger_id: None,
            site_id: None,
        }
    }

    /// `minutes`, or its default.
    pub fn minutes(&self) -> u32 {
        self.minutes.unwrap_or(60)
    }

    /// `percent`, or its default.
    pub fn percent(&self) -> u32 {
        self.percent.unwrap_or(80)
    }

    /// `hours`, or its default.
    pub fn hours(&self) -> u32 {
        self.hours.unwrap_or(24)
    }

    /// The condition in words, to follow "when".
    pub fn words(&self) -> String {
        let subject = match (&self.logger_id, &self.site_id) {
            (Some(logger), _) => format!("the device {logger}"),
            (None, Some(site)) => format!("a device of the site {site}"),
            (None, None) => "a device".to_owned(),
        };
        match self.kind {
            AlertKind::DeviceOut => format!("{subject} is out for {}", length(self.minutes())),
            AlertKind::LowEnergy => format!(
                "{subject} delivers less than {} % of the forecast on a day",
                self.percent()
            ),
            AlertKind::NoData => {
                format!("{subject} sends no data for {}", length(self.hours() * 60))
            }
        }
    }
}

/// A number of minutes in words.
fn length(minutes: u32) -> String {
    let counted = |count: u32, unit: &str| {
        let end = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{end}")
    };
    if minutes.is_multiple_of(60) {
        counted(minutes / 60, "hour")
    } else {
        counted(minutes, "minute")
    }
}

/// The result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertCheck {
    /// Always `alert_check`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When it was checked.
    pub checked_at: DateTime<FixedOffset>,
    /// The devices that the condition holds for.
    pub events: Vec<AlertEvent>,
    /// Keys of devices that cannot be judged at the moment, such as those without a forecast for
    /// the day. What was the case for them is neither over nor new.
    pub undecided: Vec<String>,
    /// Number of devices that were looked at.
    pub devices: u32,
    /// The result in a sentence.
    pub summary: String,
}

/// A device that the condition holds for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertEvent {
    /// The same as long as it is the same event: the site and the device.
    pub key: String,
    /// The device.
    pub logger_id: String,
    /// The site of the device.
    pub site_id: String,
    /// Since when, as far as it is known.
    pub since: Option<DateTime<FixedOffset>>,
    /// The event in a sentence.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_worded_with_its_limit() {
        let mut out = AlertCondition::of(AlertKind::DeviceOut);
        assert_eq!(out.words(), "a device is out for 1 hour");
        out.minutes = Some(90);
        out.site_id = Some("north".to_owned());
        assert_eq!(
            out.words(),
            "a device of the site north is out for 90 minutes"
        );
        let silent = AlertCondition {
            hours: Some(3),
            logger_id: Some("inv-1".to_owned()),
            ..AlertCondition::of(AlertKind::NoData)
        };
        assert_eq!(silent.words(), "the device inv-1 sends no data for 3 hours");
    }
}
