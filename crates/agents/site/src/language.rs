//! The meaning of a person's message: the flow that it asks for, the devices, days and figures that
//! it names, and whether it answers the question that a picker put.
//!
//! Everything here is a pure function over text: no model, no clock, no I/O. "Now" is the newest
//! day of data (the anchor), which the caller passes in a [`Horizon`]. Messages are read up to
//! 4,000 characters; the request of a person is at the beginning.
//!
//! Reading order: [`understand`] ([`Flow`]: which workflow; [`Question`]: which single tool
//! answers, when free chat has no model; [`Beyond`]: requests for unavailable things), [`extract`]
//! (devices, dates, rates), [`resume`] (messages that lean on the one before), [`parse_answer`]
//! (answers to a picker), [`asked_meaning`] (words of the field).

mod alone;
mod answer;
mod beyond;
mod cancel;
mod classify;
mod courtesy;
mod coverage;
mod dates;
mod extraction;
mod figures;
mod follow_up;
mod foreign;
mod glossary;
mod greeting;
mod instead;
mod keywords;
mod limits;
mod loggers;
mod pairs;
mod question;
pub mod schedules;
mod several;
mod text;
mod understanding;
mod vocabulary;

#[cfg(test)]
pub(crate) mod tests;

pub use alone::{may_stand_alone, stands_alone};
pub use answer::{Argument, Choice, Offered, PickerAnswer, parse_answer};
pub use beyond::{BestOf, Beyond, Tongue, is_of_another_subject, quantity};
pub use cancel::is_cancel;
pub use classify::{Classification, Flow, MIN_CONFIDENCE};
pub use dates::When;
pub use extraction::{
    Extraction, Horizon, MAX_DAYS_AHEAD, Note, current_start, extract, extract_for,
};
pub use figures::{NamedCurrency, Ranked};
pub use follow_up::{Before, may_lean, resume};
pub use glossary::{TERMS, Term, asked_meaning, further_meaning, rated_ratio};
pub use greeting::is_greeting;
pub use instead::{in_currency, instead, without_rate};
pub use limits::Limit;
pub use loggers::{LoggerMention, wants_all};
pub use pairs::Change;
pub use question::Question;
pub(crate) use question::Reporting;
pub(crate) use understanding::asked_reporting;
pub use understanding::{
    Understanding, asked_change, asked_code, asked_figure, asks_daily_average, asks_for_energy,
    asks_for_reports, asks_for_sites, asks_of_all_days, asks_specific_yield, best_interval,
    best_intervals, classify, compares_sites_by_size, may_ask_how_it_is, may_be_names,
    may_name_a_device, may_name_a_site, names_something, question, ranks_by_energy,
    sets_energy_beside, silent_for, understand,
};
