//! The subject of the current task.

use std::borrow::Cow;

use chrono::NaiveDate;
use chrono_tz::Tz;
use contracts::tools::{ComparisonMetric, Period};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    language::{Argument, Choice, Ranked},
    narrative::{FleetSnapshot, Preferences},
};

/// The subject of the current task. The first block is the task's and goes with it; the second
/// stays with the thread.
///
/// `selected_*` hold what the person chose in a picker. What their words name is read from
/// `request` whenever it is needed, because what "yesterday" is depends on the device that was
/// chosen in the meantime.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FlowContext {
    /// The person's words that began the task.
    pub request: String,
    /// Devices and days that the words mean and do not name, as a model read them, spelt out as a
    /// person would.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub slots: String,
    /// The device chosen.
    pub selected_logger_id: Option<String>,
    /// The devices chosen.
    pub selected_logger_ids: Vec<String>,
    /// The day chosen.
    pub selected_date: Option<NaiveDate>,
    /// The days chosen.
    pub date_range: Option<Period>,
    /// What to compare, when the task came from another workflow.
    pub metric: Option<ComparisonMetric>,
    /// The end of a ranking that was chosen: "the top 3".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ranked: Option<Ranked>,
    /// The task before, as long as the one available only explains or refuses: what a later message
    /// leans on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leans_on: Option<Box<LeantOn>>,

    /// How the person likes to be spoken to.
    pub narrative_preferences: Preferences,
    /// The fleet at the previous briefing.
    pub previous_fleet_status: Option<FleetSnapshot>,
    /// IANA zone of the person.
    pub user_timezone: Option<String>,
    /// Money per kWh, when the person named it.
    pub electricity_rate: Option<f64>,
}

/// A call that failed, kept so that it can be tried again with another argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RememberedCall {
    /// The tool.
    pub tool: String,
    /// The arguments it failed with.
    pub arguments: Map<String, Value>,
    /// The argument that the answer replaces.
    pub argument: Argument,
}

/// A task that a later message may lean on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeantOn {
    /// The person's words.
    pub request: String,
    /// The devices chosen in a picker.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loggers: Vec<String>,
    /// The days chosen in a picker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<Period>,
}

impl FlowContext {
    /// The task that a message leans on: the current one, or the one before it when that only
    /// explained or refused.
    pub fn leant_on(&self) -> LeantOn {
        match &self.leans_on {
            Some(before) => (**before).clone(),
            None => LeantOn {
                request: self.words().into_owned(),
                loggers: self.chosen_loggers(),
                period: self.chosen_period(),
            },
        }
    }

    /// The context of a new task: of the old one only what belongs to the thread.
    #[must_use]
    pub fn clean(self, request: String) -> Self {
        Self {
            request,
            narrative_preferences: self.narrative_preferences,
            previous_fleet_status: self.previous_fleet_status,
            user_timezone: self.user_timezone,
            electricity_rate: self.electricity_rate,
            ..Self::default()
        }
    }

    /// Takes over what was chosen in a picker. A choice of devices replaces an earlier one, and so
    /// does a choice of days.
    #[must_use]
    pub fn choose(mut self, choice: Choice) -> Self {
        match choice {
            Choice::Ranked(ids, ranked) => {
                self.selected_logger_id = None;
                self.selected_logger_ids = ids;
                self.ranked = Some(ranked);
            }
            Choice::Logger(id) => {
                self.selected_logger_ids = Vec::new();
                self.selected_logger_id = Some(id);
            }
            Choice::Loggers(ids) => {
                self.selected_logger_id = None;
                self.selected_logger_ids = ids;
            }
            Choice::Day(day) => {
                self.date_range = None;
                self.selected_date = Some(day);
            }
            Choice::Range(period) => {
                self.selected_date = None;
                self.date_range = Some(period);
            }
        }
        self
    }

    /// The words that began the task, with what they mean.
    pub fn words(&self) -> Cow<'_, str> {
        if self.slots.is_empty() {
            Cow::Borrowed(&self.request)
        } else {
            Cow::Owned(format!("{} ({})", self.request, self.slots))
        }
    }

    /// The person's clock; UTC when it is unknown.
    pub fn zone(&self) -> Tz {
        self.user_timezone
            .as_deref()
            .and_then(|zone| zone.parse().ok())
            .unwrap_or(Tz::UTC)
    }

    /// The devices chosen, one or several.
    pub fn chosen_loggers(&self) -> Vec<String> {
        match &self.selected_logger_id {
            Some(id) => vec![id.clone()],
            None => self.selected_logger_ids.clone(),
        }
    }

    /// The days chosen, a single day being a range of one.
    pub fn chosen_period(&self) -> Option<Period> {
        self.date_range.or_else(|| {
            self.selected_date.map(|day| Period {
                start: day,
                end: day,
            })
        })
    }
}
