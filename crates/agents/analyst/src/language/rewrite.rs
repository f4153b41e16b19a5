//! A request that is complete in itself: relative dates as days, what was left out taken from the request before.

use chrono::NaiveDate;
use contracts::tools::clarification::{Clarification, ClarificationAnswer};

/// The request before, for what a message leaves out.
#[derive(Debug, Clone, Copy)]
pub struct Previous<'p> {
    /// The request, complete in itself.
    pub request: &'p str,
    /// The words in it that turned out to be names.
    pub mentions: &'p [String],
}

/// `text` complete in itself; the text itself where nothing is to be done.
pub fn rewrite(text: &str, previous: Option<Previous<'_>>, today: NaiveDate) -> String {
    let _ = (previous, today);
    text.to_owned()
}

/// The `request` with `answers` to the open question in the place of what was unclear, and with the `addition`.
pub fn rewrite_modification(
    request: &str,
    open: &Clarification,
    answers: &[ClarificationAnswer],
    addition: &str,
    today: NaiveDate,
) -> String {
    let _ = (open, answers, today);
    format!("{request}, {addition}")
}

/// Why a model's rewrite is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is nothing in it.
    #[error("it is empty")]
    Empty,
    /// It is much longer than the request.
    #[error("it is too long")]
    TooLong,
    /// A name of the request is not in it.
    #[error("{0} is missing")]
    Lost(String),
    /// It has a number or a day that the request does not have and that does not follow from it.
    #[error("{0} was not asked for")]
    Invented(String),
}

/// Whether a model's `rewritten` may take the place of `original`: no name of `mentions` is lost, and no number or day is new.
pub fn check_rewrite(
    original: &str,
    rewritten: &str,
    mentions: &[&str],
    today: NaiveDate,
) -> Result<(), Refused> {
    let _ = (original, mentions, today);
    if rewritten.trim().is_empty() {
        return Err(Refused::Empty);
    }
    Ok(())
}
