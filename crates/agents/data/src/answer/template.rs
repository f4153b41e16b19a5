//! Rows in words, without a model.

use std::sync::LazyLock;

use contracts::tools::sql::SqlRun;
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::values::{capital, label, number, spoken};
use crate::language::names::singular;

/// Up to here every row is told.
const ALL: usize = 8;
/// Of more rows these are.
const FIRST: usize = 5;
/// Columns of a row that are told.
const COLUMNS: usize = 6;

/// The answer to a question in words: the value, the rows, or the first of them.
pub(crate) fn tell(question: &str, run: &SqlRun, max_rows: u32) -> String {
    let whole = !run.truncated && run.row_count < max_rows;
    match run.rows.as_slice() {
        [] => String::new(),
        [row] if run.columns.len() == 1 => single(question, run, row),
        [row] => format!("{}.", capital(&labelled(run, row))),
        rows => {
            let shown = if rows.len() <= ALL { rows.len() } else { FIRST };
            let count = number(&Value::from(rows.len())).unwrap_or_default();
            let begin = match (whole, shown == rows.len()) {
                (true, true) => format!("There are {count} results:"),
                (true, false) => format!("There are {count} results. The first {shown}:"),
                (false, _) => {
                    format!(
                        "There may be more than these {count} results, which is as many as I may show. The first {shown}:"
                    )
                }
            };
            let lines: Vec<String> = rows[..shown]
                .iter()
                .map(|row| format!("\n- {}", line(run, row)))
                .collect();
            format!("{begin}{}", lines.concat())
        }
    }
}

/// A row of a list: "Bonn: 3", or all its values with their labels.
fn line(run: &SqlRun, row: &Map<String, Value>) -> String {
    match run.columns.as_slice() {
        [one] => value(run, row, &one.name),
        [first, second] => format!(
            "{}: {}",
            value(run, row, &first.name),
            value(run, row, &second.name)
        ),
        _ => labelled(run, row),
    }
}

fn labelled(run: &SqlRun, row: &Map<String, Value>) -> String {
    let parts: Vec<_> = run
        .columns
        .iter()
        .take(COLUMNS)
        .map(|column| format!("{}: {}", label(&column.name), value(run, row, &column.name)))
        .collect();
    parts.join(", ")
}

fn value(run: &SqlRun, row: &Map<String, Value>, column: &str) -> String {
    let kind = run
        .columns
        .iter()
        .find(|one| one.name == column)
        .map_or(contracts::tools::sql::ValueKind::Other, |one| one.kind);
    spoken(row.get(column).unwrap_or(&Value::Null), kind)
}

fn single(question: &str, run: &SqlRun, row: &Map<String, Value>) -> String {
    let Some(column) = run.columns.first() else {
        return String::new();
    };
    let raw = row.get(&column.name).unwrap_or(&Value::Null);
    let said = value(run, row, &column.name);
    number(raw)
        .and_then(|count| counted(question, &count))
        .unwrap_or_else(|| format!("{}: {said}.", capital(&label(&column.name))))
}

/// "How many … are there?"
static THERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^how many (?P<what>[\w -]+?) (?:are there|there are|do we have|do you have|exist|are in the (?:system|database))$").ok()
});
/// "How many … are active?"
static STATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^how many (?P<what>[\w -]+?) (?P<be>are|were) (?:currently )?(?P<state>[\w-]+)$",
    )
    .ok()
});
/// "How many technicians worked last week?"
static DID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^how many (?P<rest>[\w' -]+)$").ok());

/// A count in a sentence made of the question, if that has a form which can be turned round.
fn counted(question: &str, count: &str) -> Option<String> {
    let question = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let part = |found: &Captures<'_>, name: &str| found[name].to_lowercase();
    let (many, none) = (count != "1", count == "0");
    let shown = if none { "no" } else { count };
    if let Some(found) = THERE.as_ref()?.captures(question) {
        let what = in_number(&found["what"], many);
        let be = if many { "are" } else { "is" };
        return Some(format!("There {be} {shown} {what}."));
    }
    if let Some(found) = STATE.as_ref()?.captures(question)
        && !["there", "in", "on", "at", "by", "our", "we", "not"].contains(&&*part(&found, "state"))
    {
        let be = match (&*part(&found, "be"), many) {
            ("were", true) => "were",
            ("were", false) => "was",
            (_, true) => "are",
            (_, false) => "is",
        };
        let (state, what) = (part(&found, "state"), in_number(&found["what"], many));
        return Some(format!("There {be} {shown} {state} {what}."));
    }
    let rest = DID.as_ref()?.captures(question)?["rest"].to_owned();
    let asks_otherwise = rest.split_whitespace().any(|word| {
        let word = word.to_lowercase();
        [
            "do", "does", "did", "i", "we", "my", "our", "me", "you", "your", "us", "and", "or",
            "can", "should", "will", "has",
        ]
        .contains(&&*word)
    });
    (many && !asks_otherwise).then(|| format!("{} {rest}.", capital(shown)))
}

/// A noun as it was written, or in the singular for one.
fn in_number(noun: &str, many: bool) -> String {
    let mut words: Vec<String> = noun.split_whitespace().map(str::to_owned).collect();
    if let Some(last) = words.last_mut().filter(|_| !many) {
        *last = singular(last);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests;
