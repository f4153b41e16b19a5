//! Rows in words, without a model.

use std::sync::LazyLock;

use contracts::tools::sql::{ResultColumn, SqlCut, SqlRun, ValueKind};
use regex::{Captures, Regex};
use serde_json::{Map, Value};

use super::{
    query::Shape,
    ranked,
    units::is_unit,
    values::{capital, is_identifying, is_no_date, is_time, label, number, spoken},
};
use crate::language::names::{plural, singular};

/// Columns of a row that fit into a sentence; a row with more becomes a list.
const SENTENCE: usize = 6;
/// Columns of a row that are shown at all.
const COLUMNS: usize = 30;

/// The answer to a question in words: the value, the row, or how many rows there are and between
/// what their figures lie. Several rows are beside the text, as a table or a picture, and are not
/// repeated in it.
pub(crate) fn tell(question: &str, run: &SqlRun, sql: &str) -> String {
    let shape = Shape::of(sql);
    match run.rows.as_slice() {
        [] => String::new(),
        [row] if run.columns.len() == 1 => single(question, run, row),
        [row] if run.columns.len() <= SENTENCE => ranked::tell(question, run, &shape)
            .unwrap_or_else(|| format!("{}.", capital(&labelled(run, row)))),
        [row] => listed(run, row),
        rows => {
            if let Some(told) = ranked::tell(question, run, &shape) {
                return told;
            }
            let count = number(&Value::from(rows.len())).unwrap_or_default();
            let begin = match (run.truncated, run.truncated_by) {
                (false, _) => format!("There are {count} results."),
                (true, None | Some(SqlCut::Rows)) => format!(
                    "There are more than these {count} results, which is as many as I may show."
                ),
                (true, Some(_)) => format!(
                    "There may be more than these {count} results, which is as many as I may show."
                ),
            };
            let ends = extremes(run, &shape);
            format!("{begin}{}{ends}{}", undated(run), unnamed(run, &shape))
        }
    }
}

/// The answer where the figures add up amounts in several units: none is called a total, and none
/// is compared with another.
pub(crate) fn tell_mixed(run: &SqlRun) -> String {
    match run.rows.as_slice() {
        [row] if run.columns.len() <= SENTENCE => {
            let values = run.columns.iter();
            let values: Vec<String> = values.map(|one| value(run, row, &one.name)).collect();
            format!("The query returned: {}.", values.join(", "))
        }
        rows => {
            let count = number(&Value::from(rows.len())).unwrap_or_default();
            format!("There are {count} results.")
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

/// The name and the figure of rows that have one of each.
fn name_and_figure<'r>(
    run: &'r SqlRun,
    shape: &Shape,
) -> Option<(&'r ResultColumn, &'r ResultColumn)> {
    let [name, figure] = run.columns.as_slice() else {
        return None;
    };
    let is_period = is_time(name) && is_identifying(&name.name);
    let fits = is_figure(figure, shape) && (matches!(name.kind, ValueKind::Text) || is_period);
    fits.then_some((name, figure))
}

/// Whether a column has figures that can be compared. The "number" of groups is their size, and
/// that of a single row its name.
pub(super) fn is_figure(column: &ResultColumn, shape: &Shape) -> bool {
    let is_size = shape.groups.is_some() && label(&column.name) == "number";
    column.kind == ValueKind::Number && (is_size || !is_identifying(&column.name))
}

/// Which of several named rows has the highest figure and which the lowest; nothing where there is
/// not one name and one figure, or no such row. Of a list that is cut, only the end that it begins
/// with.
fn extremes(run: &SqlRun, shape: &Shape) -> String {
    let Some((name, figure)) = name_and_figure(run, shape) else {
        return String::new();
    };
    // 100 EUR are no more than 90 CHF.
    if is_unit(&name.name) && !is_count(&figure.name) {
        return String::new();
    }
    // A row without a name is the sum of the others (`WITH ROLLUP`), or of what has none.
    let is_named = |row: &&Map<String, Value>| {
        let it = row.get(&name.name);
        it.is_some_and(|it| !it.is_null()) && !(is_time(name) && is_no_date(it))
    };
    let rows = run.rows.iter().filter(is_named);
    let shown: Vec<_> = rows
        .filter_map(|row| Some((figure_of(row, &figure.name)?, row)))
        .collect();
    let mut ranked = shown.clone();
    ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let stands_out = |place: usize, neighbour: Option<usize>| {
        let pair = ranked
            .get(place)
            .zip(neighbour.and_then(|at| ranked.get(at)));
        pair.is_some_and(|((a, _), (b, _))| a.total_cmp(b).is_ne())
    };
    let last = ranked.len().saturating_sub(1);
    let (is_highest, is_lowest) = (
        stands_out(0, Some(1)),
        stands_out(last, last.checked_sub(1)),
    );
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
    let what = capital(&label(&figure.name));
    if run.truncated || shape.cuts(run.rows.len()) {
        let is_sorted = |falls: bool| {
            let mut pairs = shown.windows(2);
            shape.is_ordered
                && pairs.all(|pair| match pair {
                    [(a, _), (b, _)] => {
                        if falls {
                            a >= b
                        } else {
                            a <= b
                        }
                    }
                    _ => true,
                })
        };
        return match (is_sorted(true), is_sorted(false)) {
            (true, false) if is_highest => format!(" {what}: {} is highest.", said(0)),
            (false, true) if is_lowest => format!(" {what}: {} is lowest.", said(last)),
            _ => String::new(),
        };
    }
    if !is_highest || !is_lowest {
        return String::new();
    }
    let lowest = ranked.get(last);
    let names = |row: &&Map<String, Value>| row.get(&name.name).map(Value::to_string);
    // Groups without any row are in no result of an inner join.
    let are_joined = shape.groups.is_some_and(|groups| groups.are_joined);
    let of = match lowest {
        Some((figure, _)) if are_joined && *figure != 0.0 => " of those that have any",
        _ => "",
    };
    let partial = match lowest.filter(|_| is_time(name) || is_dated(run, &name.name)) {
        Some((_, row)) if ranked.iter().all(|(_, other)| names(row) <= names(other)) => {
            "; that is the first one, which may not be complete"
        }
        Some((_, row)) if ranked.iter().all(|(_, other)| names(row) >= names(other)) => {
            "; that is the last one, which may not be complete"
        }
        _ => "",
    };
    format!(
        " {what}: {} is highest, {} lowest{of}{partial}.",
        said(0),
        said(last)
    )
}

/// The figure of the group without a name.
fn unnamed(run: &SqlRun, shape: &Shape) -> String {
    let Some((name, figure)) = name_and_figure(run, shape) else {
        return String::new();
    };
    let rows = run.rows.iter();
    let without = rows.filter(|row| row.get(&name.name).is_none_or(Value::is_null));
    let without: Vec<_> = without.collect();
    // Dates have a sentence of their own, and a ROLLUP's row without a name is the sum.
    let are_named = shape.groups.is_some_and(|groups| !groups.roll_up);
    if is_time(name) || !are_named || without.len() == run.rows.len() {
        return String::new();
    }
    match without.as_slice() {
        [row] => format!(
            " Without {}: {}.",
            label(&name.name),
            value(run, row, &figure.name)
        ),
        _ => String::new(),
    }
}

/// A figure of a row.
pub(super) fn figure_of(row: &Map<String, Value>, column: &str) -> Option<f64> {
    match row.get(column)? {
        Value::String(text) => text.parse::<f64>().ok(),
        value => value.as_f64(),
    }
}

/// Whether all texts of a column are days, weeks, months or quarters with their year.
fn is_dated(run: &SqlRun, column: &str) -> bool {
    static DATED: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)^\d{4}(?:-?(?:w|q)?\d{1,2}){0,2}$").ok());
    let Some(dated) = DATED.as_ref() else {
        return false;
    };
    let mut texts = run.rows.iter().filter_map(|row| row.get(column)?.as_str());
    texts.all(|text| dated.is_match(text))
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

pub(super) fn value(run: &SqlRun, row: &Map<String, Value>, column: &str) -> String {
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
    if let Some(count) = number(raw).filter(|_| is_count(&column.name))
        && let Some(told) = exists(question, &count)
    {
        return told;
    }
    number(raw)
        .filter(|_| !is_identifying(&column.name) || counts(question))
        .and_then(|count| counted(question, &count))
        .unwrap_or_else(|| format!("{}: {said}.", capital(&label(&column.name))))
}

/// Whether a column has counts, by its name.
pub(super) fn is_count(column: &str) -> bool {
    let counts = ["count", "number", "n", "rows"];
    label(column).split(' ').any(|word| counts.contains(&word))
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
