//! Sentences about a result, beside the answer.

use contracts::tools::sql::SqlRun;

use super::QUOTED;
use crate::{
    answer::values::cut,
    language::{
        contradicted::Contradiction,
        names::{spoken_plural, words},
    },
    state::Work,
};

/// The remark below an answer with a list that the database cut.
pub(crate) const CUT_LIST: &str =
    "A list in this answer is not complete: it was longer than a list may be, and was cut.";

/// The query has no condition for these words of the question.
pub(crate) fn untested(words: &[String]) -> String {
    let quoted = words.iter().map(|word| format!("\u{201c}{word}\u{201d}"));
    let mut quoted: Vec<String> = quoted.collect();
    let last = quoted.pop().unwrap_or_default();
    let all = if quoted.is_empty() {
        last
    } else {
        format!("{} or {last}", quoted.join(", "))
    };
    format!("The query has no condition for {all}: the result is not limited to that.")
}

/// The contradictions between the query and the question.
pub(crate) fn contradicted(found: &[Contradiction]) -> String {
    let said = found.iter().filter_map(Contradiction::said);
    let quoted: Vec<String> = said.map(|said| format!("\u{201c}{said}\u{201d}")).collect();
    let mut told = Vec::new();
    if let Some((last, others)) = quoted.split_last() {
        let all = if others.is_empty() {
            last.clone()
        } else {
            format!("{} and {last}", others.join(", "))
        };
        told.push(format!(
            "The query contradicts {all}: the result is not what you asked for."
        ));
    }
    for one in found {
        match one {
            Contradiction::Words { .. } => {}
            Contradiction::PartOfKey { from, to, .. } => told.push(format!(
                "The query joins {} and {} by a part of their key only: rows may be counted several times.",
                spoken_plural(from),
                spoken_plural(to)
            )),
            Contradiction::Doubled { of, by } => told.push(format!(
                "The query counts or adds {} once for each of their {}: the result is too large.",
                spoken_plural(of),
                spoken_plural(by)
            )),
            Contradiction::Currencies { amount, .. } => told.push(format!(
                "The query does not separate currencies: it may add values of {} in different ones.",
                words(amount).join(" ")
            )),
        }
    }
    told.join(" ")
}

/// The query ran and found nothing.
pub(crate) fn empty(work: &Work, run: &SqlRun) -> String {
    let tables = if run.tables.is_empty() {
        &work.plan.tables
    } else {
        &run.tables
    };
    let tables: Vec<_> = tables.iter().map(|table| spoken_plural(table)).collect();
    let place = if tables.is_empty() {
        String::new()
    } else {
        format!(" I looked at {}.", tables.join(", "))
    };
    let twice = if work.repair.empty_once {
        " A second look brought nothing either."
    } else {
        ""
    };
    format!(
        "Nothing was found for \u{201c}{}\u{201d}.{place}{twice} If you expected something, check how names are spelled and whether the period is right.",
        cut(&work.asked.question, QUOTED)
    )
}
