//! Sentences around the answers: what is about to happen, what went wrong, what can be asked.

use chrono::NaiveDate;
use contracts::tools::{AvailableRange, Period};

use super::format;
use crate::language::{Flow, Note, Ranked};

/// The answer after three failed attempts, word for word as in the solar chat (see
/// docs/compatibility.md).
pub const GIVE_UP: &str = "I'm having trouble retrieving data. Please try a different query.";

/// The answer when a question is taken back.
pub const CANCELLED: &str =
    "No problem, I've dropped that. What would you like to look at instead?";

/// The answer when there is no device at all.
pub const NO_LOGGERS: &str = "I don't see any solar devices yet. Upload measurements from your inverters, and I'll take a look at them.";

/// The answer to a request for help.
pub const HELP: &str = "I can brief you on the whole site, work out what you've saved, compare your inverters and check their health. \
I can also show a device's power over a day, its performance ratio, its error codes and a forecast of up to 7 days. \
Try \"Morning briefing\", \"Any problems?\", \"How much did I save in the last 30 days?\" or \"Compare all inverters\".";

/// The reply to thanks.
pub const WELCOME: &str = "You're welcome. Ask whenever you'd like to look at something.";

/// The sentence when a conversation turns to `flow`; empty for a greeting.
pub const fn transition(flow: Flow) -> &'static str {
    match flow {
        Flow::Greeting => "",
        Flow::MorningBriefing => "I'll check how your solar fleet is doing.",
        Flow::FinancialReport => "I'll work out what your panels have saved you.",
        Flow::PerformanceAudit => "I'll put your systems side by side.",
        Flow::HealthCheck => "I'll check the health of your system.",
        Flow::FreeChat => "I'll look into that for you.",
    }
}

/// The sentence when a question about one device names several.
pub fn comparing_instead(count: usize) -> String {
    format!("That's for one device at a time, so I'll compare your {count} systems instead.")
}

/// The sentence when an answer to a picker was taken; `values` as they were chosen.
pub fn acknowledgement(values: &[String]) -> String {
    match values {
        [] => "Got it.".to_owned(),
        values => format!("Got it, {}.", format::list(values)),
    }
}

/// An end of a ranking in words: "the top 3".
pub fn ranked(ranked: Ranked) -> String {
    let end = if ranked.worst { "bottom" } else { "top" };
    format!("the {end} {}", ranked.count)
}

/// The sentence when days without data were given again and again.
pub fn no_such_days(reason: &str) -> String {
    format!(
        "{} So I've dropped that; ask again with a day from that time, or without one.",
        format::sentence(reason)
    )
}

/// The sentence when a chosen range was taken.
pub fn acknowledge_period(period: Period) -> String {
    format!("Got it, {}.", format::period(period))
}

/// The sentence when a chosen day was taken.
pub fn acknowledge_day(day: NaiveDate) -> String {
    format!("Got it, {}.", format::date(day))
}

/// Words for something understood that cannot be honoured as asked.
pub fn note(note: &Note) -> String {
    match note {
        Note::HorizonCapped { asked } => {
            format!(
                "I can look at most {} days ahead, not {asked}, so here are those.",
                crate::language::MAX_DAYS_AHEAD
            )
        }
        Note::NotAhead { day } => {
            format!(
                "{} already has readings, so I've looked at the day after the newest one instead.",
                format::date(*day)
            )
        }
        Note::ReadAs { phrase, period } => {
            format!("I've read \"{phrase}\" as {}.", format::period(*period))
        }
        Note::CountedFrom { day } => {
            format!(
                "Your data end on {}, so I counted from that day.",
                format::date(*day)
            )
        }
        Note::RateOutOfRange { asked } => {
            format!(
                "A rate of {} per kWh can't be right, so I've used your site's own.",
                format::decimal(*asked, 2)
            )
        }
    }
}

/// The device has data, but none when asked for.
pub fn no_data_in_window(subject: &str, asked: Option<&str>, range: &AvailableRange) -> String {
    let when = asked.map_or_else(
        || "for that time".to_owned(),
        |asked| format!("for {asked}"),
    );
    format!(
        "I don't have data from {subject} {when}. What I have runs {}.",
        format::from_to(range.start, range.end)
    )
}

/// The device has no data at all, or is not a known one.
pub fn no_data(subject: &str, others: bool) -> String {
    if others {
        format!(
            "I don't have any data from {subject}. You could look at one of your other devices."
        )
    } else {
        format!(
            "I don't have any data from {subject}, nor from another device. Upload some measurements, and I'll take a look."
        )
    }
}

/// A tool failed; `reason` is its message for people.
pub fn tool_failed(reason: Option<&str>) -> String {
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => format!(
            "Sorry, that didn't work: {} Please try again in a moment.",
            format::sentence(reason)
        ),
        None => "Sorry, that didn't work just now. Please try again in a moment.".to_owned(),
    }
}

/// The person named a device that is not a known one.
pub fn unknown_logger(phrase: &str, known: &[String]) -> String {
    match known {
        [] => format!("I don't know a device called \"{phrase}\"."),
        known if known.len() <= 6 => format!(
            "I don't know a device called \"{phrase}\". Your devices are {}.",
            format::list(known)
        ),
        known => format!(
            "I don't know a device called \"{phrase}\". You have {} devices; which one do you mean?",
            known.len()
        ),
    }
}

/// The person named a device in words that fit several.
pub fn ambiguous_logger(phrase: &str, candidates: &[String]) -> String {
    match candidates {
        [one] => format!("I don't know \"{phrase}\" exactly. Did you mean {one}?"),
        several if several.len() <= 6 => format!(
            "\"{phrase}\" could be {}. Which one do you mean?",
            format::alternatives(several)
        ),
        several => format!(
            "\"{phrase}\" fits {} of your devices. Which one do you mean?",
            several.len()
        ),
    }
}

/// The person named several periods with others between them.
pub fn several_periods(periods: &[Period]) -> String {
    let named: Vec<String> = periods
        .iter()
        .map(|period| format::period(*period))
        .collect();
    format!(
        "I answer for one period at a time, and you named {}. Which one do you mean?",
        format::list_most(&named, 4)
    )
}

/// The person named a day that does not exist.
pub fn not_a_date(phrase: &str) -> String {
    format!("\"{phrase}\" isn't a date I can find in the calendar. Which day do you mean?")
}
