//! Sentences about questions that are remembered and forgotten.

use std::fmt::Write;

use contracts::tools::sql::{ConfirmedQuestion, ForgottenQuestion};

use super::QUOTED;
use crate::answer::values::cut;

/// Nothing to remember.
pub(crate) const NOTHING_TO_REMEMBER: &str = "There is no answer from the data right before this that I could remember. Ask the question first, and tell me when its answer is right.";

/// The person's own query answers no question yet.
pub(crate) const WHICH_QUESTION: &str = "I can remember your query together with the question that it answers. Which one is it? Say, for example: remember it as \u{201c}How many customers have no email?\u{201d}";

/// Nothing to forget.
pub(crate) const NOTHING_TO_FORGET: &str = "There is no answer from the data right before this, so nothing is forgotten. Say \u{201c}forget that\u{201d} below the answer whose query you want withdrawn.";

/// The answer's query was written for the question alone.
pub(crate) fn nothing_remembered_for(question: &str) -> String {
    format!(
        "The query for \u{201c}{}\u{201d} was written for that question and is not remembered, so there is nothing to forget. Tell me what is \
         wrong with the answer, and I will try again.",
        cut(question, QUOTED)
    )
}

/// The confirmation that a question is remembered, for whom, and until when.
pub(crate) fn remembered(question: &str, kept: &ConfirmedQuestion) -> String {
    let how = if kept.created {
        "I will remember"
    } else {
        "I have replaced what I remembered for"
    };
    let mut text =
        format!("{how} \u{201c}{question}\u{201d} for you. Asked again, it gets the same query");
    match kept.periods.as_slice() {
        [] => text.push('.'),
        periods => {
            let quoted: Vec<_> = periods
                .iter()
                .map(|words| format!("\u{201c}{words}\u{201d}"))
                .collect();
            let _ = write!(
                text,
                ", with {} counted from the day on which you ask.",
                quoted.join(" and ")
            );
        }
    }
    match &kept.standing {
        None => text.push_str(
            " It answers your colleagues once someone with the scope questions:approve has released it.",
        ),
        Some(standing) => {
            let whose = match (standing.own, &standing.confirmed_by) {
                (true, _) => "the query that you confirmed before".to_owned(),
                (false, Some(name)) => format!("the query that {name} confirmed"),
                (false, None) => "the query that a colleague confirmed".to_owned(),
            };
            let _ = write!(text, " Your colleagues keep {whose}, which is released for everyone.");
        }
    }
    text
}

/// The confirmation that a question was forgotten, and for whom.
pub(crate) fn forgotten(forgotten: &ForgottenQuestion) -> String {
    let question = cut(&forgotten.question, QUOTED);
    let whom = match (forgotten.was_released, forgotten.was_own) {
        (true, true) => {
            "The query that you confirmed for it was released for everyone and answers no one any more."
        }
        (true, false) => {
            "The query that a colleague confirmed for it was released for everyone and answers no one any more."
        }
        (false, true) => "The query that you confirmed for it is withdrawn.",
        (false, false) => "The query that a colleague confirmed for it is withdrawn.",
    };
    format!(
        "I have forgotten \u{201c}{question}\u{201d}. {whom} Asked again, the question is worked out anew."
    )
}
