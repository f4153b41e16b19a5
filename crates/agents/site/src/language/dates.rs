//! Days and ranges of days in a message.

use chrono::NaiveDate;
use contracts::tools::Period;
use serde::{Deserialize, Serialize};

/// When a message speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// One local day.
    Day(NaiveDate),
    /// Several, both ends included.
    Range(Period),
    /// It reads like a date and there is no such day ("Feb 30").
    NotADate {
        /// The person's words.
        phrase: String,
    },
}
