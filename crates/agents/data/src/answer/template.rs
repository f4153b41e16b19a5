//! Rows in words, without a model.

use std::sync::LazyLock;

use contracts::tools::sql::{SqlRun, ValueKind};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::values::{capital, is_identifying, is_no_date, is_time, label, number, spoken};
use crate::language::names::{plural, singular};

/// Columns of a row that fit into a sentence; a row with more becomes a list.
const SENTENCE: usize = 6;
/// Columns of a row that are shown at all.
const COLUMNS: usize = 30;

/// The answer to a question in words: the value, the row, or how many rows there are and between
/// what their figures lie. Several rows are beside the text, as a table or a picture, and are not
/// repeated in it.
pub(crate) fn tell(question: &str, run: &SqlRun, max_rows: u32) -> String {
    let whole = !run.truncated && run.row_count < max_rows;
    match run.rows.as_slice() {
        [] => String::new(),
        [row] if run.columns.len() == 1 => single(question, run, row),
        [row] if run.columns.len() <= SENTENCE => format!("{}.", capital(&labelled(run, row))),
        [row] => listed(run, row),
        rows => {
            let count = number(&Value::from(rows.len())).unwrap_or_default();
            let begin = if whole {
                format!("There are {count} results.")
            } else {
                format!(
                    "There may be more than these {count} results, which is as many as I may show."
                )
            };
            format!("{begin}{}{}", undated(run), extremes(run))
        }
    }
}

/// The number of results without a date, and the figure of the only one: they have no place in a
/// picture by month. Nothing where all have one, or none has.
fn undated(run: &SqlRun) -> String {
    let mut times = run.columns.iter().filter(|column| is_time(column));
    let (Some(time), None) = (times.next(), times.next()) else {
        return String::new();
    };
    let without = run
        .rows
        .iter()
        .filter(|row| is_no_date(row.get(&time.name)));
    let without: Vec<_> = without.collect();
    let figures: Vec<_> = run
        .columns
        .iter()
        .filter(|column| column.kind == ValueKind::Number && !is_time(column))
        .collect();
    let what = label(&time.name);
    match (without.as_slice(), figures.as_slice()) {
        ([], _) => String::new(),
        (all, _) if all.len() == run.rows.len() => String::new(),
        ([row], [figure]) => {
            let value = value(run, row, &figure.name);
            format!(" One has no {what} ({}: {value}).", label(&figure.name))
        }
        ([_], _) => format!(" One has no {what}."),
        (several, _) => {
            let count = number(&Value::from(several.len())).unwrap_or_default();
            format!(" {count} of them have no {what}.")
        }
    }
}

/// Which of several named rows has the highest figure and which the lowest; nothing where there is
/// not one name and one figure, or no such row.
fn extremes(run: &SqlRun) -> String {
    let [name, figure] = run.columns.as_slice() else {
        return String::new();
    };
    if figure.kind != ValueKind::Number
        || is_identifying(&figure.name)
        || !matches!(name.kind, ValueKind::Text)
    {
        return String::new();
    }
    let of = |row: &Map<String, Value>| match row.get(&figure.name)? {
        Value::String(text) => text.parse::<f64>().ok(),
        value => value.as_f64(),
    };
    // A row without a name is the sum of the others (`WITH ROLLUP`), or of what has none.
    let is_named = |row: &&Map<String, Value>| {
        let it = row.get(&name.name);
        it.is_some_and(|it| !it.is_null()) && !(is_time(name) && is_no_date(it))
    };
    let rows = run.rows.iter().filter(is_named);
    let mut ranked: Vec<_> = rows.filter_map(|row| Some((of(row)?, row))).collect();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let stands_out = |place: usize, neighbour: Option<usize>| {
        let pair = ranked
            .get(place)
            .zip(neighbour.and_then(|at| ranked.get(at)));
        pair.is_some_and(|((a, _), (b, _))| a.total_cmp(b).is_ne())
    };
    let last = ranked.len().saturating_sub(1);
    if !stands_out(0, Some(1)) || !stands_out(last, last.checked_sub(1)) {
        return String::new();
    }
    let said = |place: usize| {
        let row = ranked.get(place).map(|(_, row)| *row);
        row.map_or_else(String::new, |row| {
            format!(
                "{} ({})",
                value(run, row, &name.name),
                value(run, row, &figure.name)
            )
        })
    };
    format!(
        " {}: {} is highest, {} lowest.",
        capital(&label(&figure.name)),
        said(0),
        said(last)
    )
}

/// A row with many columns: a line for each that has a value.
fn listed(run: &SqlRun, row: &Map<String, Value>) -> String {
    let told = run.columns.iter().filter(|column| {
        let value = row.get(&column.name);
        value.is_some_and(|value| !value.is_null())
    });
    let lines: Vec<_> = told
        .take(COLUMNS)
        .map(|column| {
            format!(
                "- {}: {}",
                capital(&label(&column.name)),
                value(run, row, &column.name)
            )
        })
        .collect();
    lines.join("\n")
}

fn labelled(run: &SqlRun, row: &Map<String, Value>) -> String {
    let parts: Vec<_> = run
        .columns
        .iter()
        .map(|column| format!("{}: {}", label(&column.name), value(run, row, &column.name)))
        .collect();
    parts.join(", ")
}

fn value(run: &SqlRun, row: &Map<String, Value>, column: &str) -> String {
    let kind = run
        .columns
        .iter()
        .find(|one| one.name == column)
        .map_or(ValueKind::Other, |one| one.kind);
    spoken(row.get(column).unwrap_or(&Value::Null), kind, column)
}

fn single(question: &str, run: &SqlRun, row: &Map<String, Value>) -> String {
    let Some(column) = run.columns.first() else {
        return String::new();
    };
    let raw = row.get(&column.name).unwrap_or(&Value::Null);
    let said = value(run, row, &column.name);
    let is_count = label(&column.name).split(' ').any(|word| word == "count");
    if let Some(count) = number(raw).filter(|_| is_count)
        && let Some(told) = exists(question, &count)
    {
        return told;
    }
    number(raw)
        .filter(|_| !is_identifying(&column.name) || counts(question))
        .and_then(|count| counted(question, &count))
        .unwrap_or_else(|| format!("{}: {said}.", capital(&label(&column.name))))
}

/// A number that answers "how many" counts, whatever its column is called.
fn counts(question: &str) -> bool {
    question.to_lowercase().starts_with("how many")
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

/// "Are there any customers?"
static EXISTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:please )?(?:are there|is there|do we have|do you have|have we got) (?:(?:any|some|an?) )?(?P<what>[\w -]+?)(?: at all| in there| there)*$").ok()
});
/// "The customers, how many?"
static LAST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:and|the|our|all) )*(?P<what>[\w -]+?) ?[,:–]? how many(?: (?:are there|there are|do we have|exist))?$").ok()
});

/// Whether there is something of which this is the count.
fn exists(question: &str, count: &str) -> Option<String> {
    let question = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let noun = |found: &Captures<'_>| {
        let mut words: Vec<String> = found["what"]
            .split_whitespace()
            .map(str::to_owned)
            .collect();
        if let Some(last) = words.last_mut() {
            let one = singular(last);
            *last = if count == "1" { one } else { plural(&one) };
        }
        words.join(" ")
    };
    let said = |what: &str| match count {
        "0" => format!("there are no {what}."),
        "1" => format!("there is 1 {what}."),
        count => format!("there are {count} {what}."),
    };
    if let Some(found) = EXISTS.as_ref()?.captures(question) {
        let begin = if count == "0" { "No" } else { "Yes" };
        return Some(format!("{begin}, {}", said(&noun(&found))));
    }
    let found = LAST.as_ref()?.captures(question)?;
    Some(capital(&said(&noun(&found))))
}

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
