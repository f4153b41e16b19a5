//! The questions of the pickers.

use chrono::NaiveDate;
use contracts::tools::AvailableRange;

use super::format;
use crate::language::{Argument, Flow};

/// A picker's question and the sentence before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickerText {
    /// The question.
    pub prompt: String,
    /// The sentence before it.
    pub context: String,
    /// What happens after the choice.
    pub expected_next: String,
    /// What the way around the choice is called and sends; absent when there is none.
    pub skip: Option<(String, String)>,
}

/// What a picker is about.
#[derive(Debug, Clone, Copy)]
pub struct Picker<'a> {
    /// What is missing.
    pub argument: Argument,
    /// For which flow.
    pub flow: Flow,
    /// How many devices can be chosen.
    pub count: usize,
    /// What is chosen already.
    pub pre_selected: &'a [String],
    /// The days that can be chosen.
    pub range: Option<AvailableRange>,
}

/// The words of a picker that a flow opens for a missing argument.
pub fn picker(picker: &Picker<'_>) -> PickerText {
    let _ = picker;
    PickerText {
        prompt: String::new(),
        context: String::new(),
        expected_next: String::new(),
        skip: None,
    }
}

/// The words of the date picker that recovery opens.
pub fn recovery_date(asked: Option<&str>, range: &AvailableRange) -> PickerText {
    let _ = format::date(range.end);
    let _: Option<NaiveDate> = asked.map(|_| range.end);
    PickerText {
        prompt: String::new(),
        context: String::new(),
        expected_next: String::new(),
        skip: None,
    }
}

/// The words of the device picker that recovery opens when a device has no data.
pub fn recovery_logger(subject: &str, count: usize) -> PickerText {
    let _ = (subject, count);
    PickerText {
        prompt: String::new(),
        context: String::new(),
        expected_next: String::new(),
        skip: None,
    }
}
