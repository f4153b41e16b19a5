//! Answers to a picker, read against what it offered.

mod days;
mod devices;

use chrono::NaiveDate;
use contracts::tools::Period;
use contracts::ui::{RequestUserSelection, SelectionOption};
use serde::{Deserialize, Serialize};

use super::{Horizon, Ranked};

/// The argument that a picker asks for.
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

/// The offer of the open picker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offered {
    /// The argument that it asked for.
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
    /// The message that the way around the choice sends.
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

/// The choice; always something that was offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// One device.
    Logger(String),
    /// Several, in the order of the message. Also for [`Argument::LoggerId`], when the answer is
    /// "all": each option.
    Loggers(Vec<String>),
    /// One day.
    Day(NaiveDate),
    /// A range of days.
    Range(Period),
    /// An end of the ranking of all that was offered: "the top 3".
    Ranked(Vec<String>, Ranked),
}

/// The relation of a message to an open picker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PickerAnswer {
    /// An answer.
    Chosen(Choice),
    /// An answer that cannot be taken.
    Invalid {
        /// Why, a sentence for the person.
        reason: String,
    },
    /// The person declines to choose.
    Cancelled,
    /// Something else: treat it as a new message.
    NotAnAnswer,
}

/// What `message` is to the picker that offered `offered`. Only what was offered is ever chosen.
pub fn parse_answer(message: &str, offered: &Offered, horizon: &Horizon<'_>) -> PickerAnswer {
    if super::is_cancel(message) {
        return PickerAnswer::Cancelled;
    }
    let reply = Reply::of(message);
    if reply.text.is_empty() {
        return PickerAnswer::NotAnAnswer;
    }
    match offered.argument {
        Argument::LoggerId | Argument::LoggerIds => devices::parse(&reply, offered, horizon),
        Argument::Date | Argument::DateRange => days::parse(&reply, offered, horizon),
    }
}

/// A message without the words that clients put before a choice.
#[derive(Debug, Clone, Copy)]
struct Reply<'m> {
    text: &'m str,
    /// A client wrote it, so that it is an answer whatever it says.
    labelled: bool,
}

impl<'m> Reply<'m> {
    /// "Selected: X", "User selected: X", "I selected: X".
    fn of(message: &'m str) -> Self {
        let text = message.trim();
        let label = text.split_once(':').filter(|(label, _)| {
            matches!(
                super::text::normalize(label).trim(),
                "selected" | "user selected" | "i selected" | "selection" | "my selection"
            )
        });
        match label {
            Some((_, rest)) => Self {
                text: rest.trim(),
                labelled: true,
            },
            None => Self {
                text,
                labelled: false,
            },
        }
    }

    /// The meaning of a reply that fits nothing offered.
    fn refused(&self, reason: impl FnOnce(&str) -> String) -> PickerAnswer {
        if self.labelled {
            PickerAnswer::Invalid {
                reason: reason(&shortened(self.text)),
            }
        } else {
            PickerAnswer::NotAnAnswer
        }
    }
}

/// The beginning of a long text, to quote it.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}

/// Words that may stand around an answer without changing it.
const FILLERS: &str = "please ok okay the a one ones this that it i i'd i'll i'm like would let's lets let us me \
     want use take choose pick go with for select selected try yes yeah sure then and just how \
     about to of on in from my inverter inverters device devices logger loggers meter meters \
     date day data available option number no thanks thank you both at is show give check \
     compare range period do instead maybe all them think only system systems";

/// Whether `text` holds only words around an answer.
fn only_fillers(text: &str) -> bool {
    super::text::tokens(text)
        .iter()
        .all(|token| match token.kind {
            super::text::Kind::Mark => true,
            super::text::Kind::Number => false,
            super::text::Kind::Word => FILLERS.split(' ').any(|filler| filler == token.text),
        })
}
