//! Answers to a picker.

use chrono::NaiveDate;
use contracts::tools::Period;
use contracts::ui::{RequestUserSelection, SelectionOption};
use serde::{Deserialize, Serialize};

use super::Horizon;

/// What a picker asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Argument {
    /// One device.
    LoggerId,
    /// Several.
    LoggerIds,
    /// One day.
    Date,
    /// A range of days.
    DateRange,
}

impl Argument {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LoggerId => "logger_id",
            Self::LoggerIds => "logger_ids",
            Self::Date => "date",
            Self::DateRange => "date_range",
        }
    }
}

/// What the open picker offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// What it asked for.
    pub argument: Argument,
    /// What could be chosen; empty for dates.
    pub options: Vec<SelectionOption>,
    /// The first day that could be chosen.
    pub min_date: Option<NaiveDate>,
    /// The last.
    pub max_date: Option<NaiveDate>,
    /// Fewest choices.
    pub min_count: Option<u32>,
    /// Most choices.
    pub max_count: Option<u32>,
    /// What the way around the choice sends.
    pub skip_action: Option<String>,
}

impl Offered {
    /// What `request` offers for `argument`.
    pub fn from_request(argument: Argument, request: &RequestUserSelection) -> Self {
        Self {
            argument,
            options: request.options.clone(),
            min_date: request.min_date,
            max_date: request.max_date,
            min_count: request.min_count,
            max_count: request.max_count,
            skip_action: request
                .flow_hint
                .as_ref()
                .and_then(|hint| hint.skip_option.as_ref())
                .map(|skip| skip.action.clone()),
        }
    }
}

/// What was chosen; always something that was offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// One device.
    Logger(String),
    /// Several, in the order of the message. Also for [`Argument::LoggerId`], when the answer is "all": each option.
    Loggers(Vec<String>),
    /// One day.
    Day(NaiveDate),
    /// A range of days.
    Range(Period),
}

/// What a message is to an open picker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An answer.
    Chosen(Choice),
    /// An answer that can not be taken.
    Invalid {
        /// Why, a sentence for the person.
        reason: String,
    },
    /// The person does not want to choose.
    Cancelled,
    /// Something else: treat it as a new message.
    NotAnAnswer,
}

/// What `message` is to the picker that offered `offered`.
pub fn parse_answer(message: &str, offered: &Offered, horizon: &Horizon<'_>) -> Answer {
    let _ = (message, offered, horizon);
    Answer::NotAnAnswer
}
