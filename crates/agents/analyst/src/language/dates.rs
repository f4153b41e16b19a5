//! Time ranges in text, as absolute days.
//!
//! Days are inclusive at both ends. What is relative counts from the `today` that the caller gives.

use std::ops::Range;

use chrono::NaiveDate;

/// The first day of a range without a beginning ("before March").
pub const OPEN_START: NaiveDate = match NaiveDate::from_ymd_opt(1900, 1, 1) {
    Some(day) => day,
    None => NaiveDate::MIN,
};
/// The last day of a range without an end ("after March").
pub const OPEN_END: NaiveDate = match NaiveDate::from_ymd_opt(2199, 12, 31) {
    Some(day) => day,
    None => NaiveDate::MAX,
};

/// Words that name a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeMention {
    /// Where they stand, in bytes.
    pub span: Range<usize>,
    /// The words as they are written.
    pub words: String,
    /// The days that they mean, or why they mean none.
    pub meaning: Result<Days, NotADate>,
}

/// Days, inclusive at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first.
    pub start: NaiveDate,
    /// The last.
    pub end: NaiveDate,
    /// The words count from today.
    pub relative: bool,
    /// The words have no year, and the nearest that makes sense was taken.
    pub year_guessed: bool,
}

/// Words that look like a date and are none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct NotADate {
    /// Why, a sentence for the person.
    pub reason: String,
}

/// The times that `text` names, in order.
pub fn find(text: &str, today: NaiveDate) -> Vec<TimeMention> {
    let _ = (text, today);
    Vec::new()
}
