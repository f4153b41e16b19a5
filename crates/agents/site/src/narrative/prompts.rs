//! The questions of the pickers.

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
    /// The label and the message of the way around the choice; absent when there is none.
    pub skip: Option<(String, String)>,
}

/// The subject of a picker.
#[derive(Debug, Clone, Copy)]
pub struct Picker<'a> {
    /// The missing argument.
    pub argument: Argument,
    /// For which flow.
    pub flow: Flow,
    /// Number of devices that can be chosen.
    pub count: usize,
    /// The values that are chosen already.
    pub pre_selected: &'a [String],
    /// The days that can be chosen.
    pub range: Option<AvailableRange>,
    /// Whether all devices may be chosen at once.
    pub all: bool,
}

/// The words of a picker that a flow opens for a missing argument.
pub fn picker(picker: &Picker<'_>) -> PickerText {
    let words = |prompt: &str, expected_next: &str| PickerText {
        prompt: prompt.to_owned(),
        context: context(picker),
        expected_next: expected_next.to_owned(),
        skip: skip(picker),
    };
    match (picker.argument, picker.flow) {
        (Argument::LoggerId, Flow::HealthCheck) => {
            words("Which device should I check?", "I'll check its health.")
        }
        (Argument::LoggerId, Flow::FinancialReport) => words(
            "Which device's savings should I work out?",
            "I'll work out its savings.",
        ),
        (Argument::LoggerId, _) => words(
            "Which device do you mean?",
            "I'll answer your question about it.",
        ),
        (Argument::LoggerIds, _) => words(
            "Which devices should I compare?",
            "I'll compare the devices you choose.",
        ),
        (Argument::Date, _) => words(
            "Which day should I look at?",
            "I'll look at the day you choose.",
        ),
        (Argument::DateRange, _) => words(
            "Which days should I look at?",
            "I'll look at the days you choose.",
        ),
    }
}

fn context(picker: &Picker<'_>) -> String {
    let range = picker
        .range
        .map(|range| format!("Your data run {}.", format::from_to(range.start, range.end)));
    match (picker.argument, picker.pre_selected) {
        (Argument::Date | Argument::DateRange, _) => range.unwrap_or_default(),
        (_, [one]) => format!("I've already picked {one} for you."),
        (_, [_, _, ..]) => format!(
            "I've already picked {} for you.",
            format::list_most(picker.pre_selected, 5)
        ),
        (Argument::LoggerIds, []) => format!(
            "You have {}; choose two to five of them.",
            devices(picker.count)
        ),
        (Argument::LoggerId, []) => format!("You have {} to choose from.", devices(picker.count)),
    }
}

fn devices(count: usize) -> String {
    format::count(count as u64, "device")
}

/// A way around the choice that [`crate::language::parse_answer`] understands.
fn skip(picker: &Picker<'_>) -> Option<(String, String)> {
    let same = |text: &str| (text.to_owned(), text.to_owned());
    match (picker.argument, picker.range) {
        (Argument::LoggerId, _) if picker.all && picker.count > 1 => Some(same("All devices")),
        (Argument::LoggerIds, _) if picker.count > 3 => Some(same("Compare the top 3")),
        (Argument::LoggerIds, _) if picker.count > 1 => Some(same("Compare all of them")),
        (Argument::Date, Some(range)) => {
            Some(("Use the latest".to_owned(), format!("Use {}", range.end)))
        }
        (Argument::DateRange, Some(_)) => Some(same("Use the last 7 days")),
        _ => None,
    }
}

/// The words of the picker of days that recovery opens, for one day or for a range of them.
pub fn recovery_dates(
    argument: Argument,
    asked: Option<&str>,
    range: &AvailableRange,
) -> PickerText {
    let several = argument == Argument::DateRange;
    let instead = asked
        .map(|asked| format!(" instead of {asked}"))
        .unwrap_or_default();
    let what = if several { "days" } else { "day" };
    PickerText {
        prompt: format!("Which {what} should I use{instead}?"),
        context: format!(
            "There are data {}.",
            format::from_to(range.start, range.end)
        ),
        expected_next: format!("I'll try again with the {what} you choose."),
        skip: Some(if several {
            (
                "Use the last 7 days".to_owned(),
                "Use the last 7 days".to_owned(),
            )
        } else {
            (
                "Use latest available".to_owned(),
                format!("Use {}", range.end),
            )
        }),
    }
}

/// The words of the device picker that recovery opens when a device has no data.
pub fn recovery_logger(subject: &str, count: usize) -> PickerText {
    PickerText {
        prompt: format!("Which device should I look at instead of {subject}?"),
        context: format!(
            "There are data from {}.",
            format::count(count as u64, "other device")
        ),
        expected_next: "I'll try again with the device you choose.".to_owned(),
        skip: None,
    }
}
