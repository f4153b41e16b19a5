//! What a person's message means: which flow it asks for, which devices, days and figures it names, and whether it answers the
//! question that a picker put.
//!
//! Everything here is a pure function over text: no model, no clock, no I/O. "Now" is the newest day of data (the anchor), which the
//! caller passes in a [`Horizon`]. Messages are read up to 4,000 characters; what a person asks for stands at the beginning.
//!
//! Reading order: [`Flow`] and [`classify`] (which workflow), [`question`] (which single tool answers, when free chat has no model),
//! [`extract`] (devices, dates, rates), [`parse_answer`] (answers to a picker).

mod answer;
mod cancel;
mod classify;
mod dates;
mod extraction;
mod figures;
mod greeting;
mod keywords;
mod loggers;
mod question;
mod text;

#[cfg(test)]
pub(crate) mod tests;

pub use answer::{Answer, Argument, Choice, Offered, parse_answer};
pub use cancel::is_cancel;
pub use classify::{Classification, Flow, MIN_CONFIDENCE, classify};
pub use dates::When;
pub use extraction::{Extraction, Horizon, MAX_DAYS_AHEAD, Note, extract};
pub use greeting::is_greeting;
pub use loggers::{LoggerMention, wants_all};
pub use question::{Question, question};
