//! States of rows: "active", "retired", "overdue", "returned late".

use std::sync::LazyLock;

use contracts::tools::sql::{ColumnDescription, SqlDialect};
use regex::Regex;
use serde_json::Value;

use super::{captures, column_of, own, pattern};
use crate::{
    language::names::words,
    simple::{
        catalogue::{is_category, is_date, named_date},
        listing,
        query::{Condition, Field, Part, Query},
    },
};

/// Beginnings that turn a word round.
const TURNING: [&str; 4] = ["non-", "un", "in", "non"];

/// Values of a status by which a row does not count as open, whatever its dates say.
const VOID: [&str; 9] = [
    "cancelled",
    "canceled",
    "void",
    "voided",
    "draft",
    "deleted",
    "rejected",
    "refunded",
    "credited",
];

/// Words of dates on which a row was done.
const DONE: [&str; 9] = [
    "paid",
    "returned",
    "closed",
    "completed",
    "finished",
    "delivered",
    "resolved",
    "settled",
    "shipped",
];

/// States of the future, whose dates say nothing of the present.
const PLANNED: [&str; 6] = [
    "planned",
    "scheduled",
    "expected",
    "estimated",
    "promised",
    "needed",
];

static SAID: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:are|is|were|was|have been|has been|have|has)\s+)?(?:(?:currently|still|already|now)\s+)?(?P<not>not (?:yet |currently )?|never )?(?:been )?(?P<state>[\w -]+)$",
    )
});
static PUNCTUAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:are|is|were|was|have been|has been)\s+)?(?P<verb>\w+)\s+(?:(?P<late>(?:too )?late|after (?:(?:the|their|its) )?due(?: date)?)|(?P<early>early|before (?:(?:the|their|its) )?due(?: date)?)|(?P<timely>on time|in time))$",
    )
});

fn sql(text: impl Into<String>) -> Part {
    Part::Sql(text.into())
}

/// "Are retired", "not returned".
pub(super) fn said(query: &mut Query<'_>, text: &str) -> Option<Condition> {
    let found = captures(&SAID, text)?;
    let word = &found["state"];
    match found.name("not").map(|not| not.as_str().to_lowercase()) {
        // A row that is not delivered yet is one to be delivered: a cancelled one is not.
        Some(not) if not.contains("yet") => turned(query, word),
        Some(_) => negated(query, word),
        None => state(query, word),
    }
}

static NEITHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:are|is|were|was)\s+)?neither\s+(?P<one>[\w -]+?)\s+nor\s+(?P<other>[\w -]+)$",
    )
});

/// "Neither planned nor cancelled".
pub(super) fn neither(query: &mut Query<'_>, text: &str) -> Option<Condition> {
    let found = captures(&NEITHER, text)?;
    let words = format!("{} or {}", &found["one"], &found["other"]);
    excluded(query, &words)
}

/// "Not delivered": of a value all rows that have another one or none, otherwise the contrary of a
/// state.
fn negated(query: &mut Query<'_>, word: &str) -> Option<Condition> {
    match (excluded(query, word), flagged(query, word, false)) {
        (Some(_), Some(_)) => None,
        (Some(condition), None) => Some(condition),
        (None, _) => turned(query, word),
    }
}

/// The rows whose only column with a value has another one, or none.
pub(super) fn excluded(query: &mut Query<'_>, word: &str) -> Option<Condition> {
    let Found::One(condition) = by_value(query, word) else {
        return None;
    };
    let [Part::Field(field), Part::Sql(test)] = condition.as_slice() else {
        return None;
    };
    let test = match test.strip_prefix(" = ") {
        Some(value) => format!(" <> {value}"),
        None => format!(" NOT{test}"),
    };
    let may_lack = match field {
        Field::Own(name) => values(query, &query.table.name, name)?
            .iter()
            .any(Value::is_null),
        Field::Joined(..) => true,
    };
    let field = || Part::Field(field.clone());
    Some(if may_lack {
        vec![
            sql("("),
            field(),
            sql(" IS NULL OR "),
            field(),
            sql(format!("{test})")),
        ]
    } else {
        vec![field(), sql(test)]
    })
}

/// A word that says in which state a row is.
pub(super) fn state(query: &mut Query<'_>, word: &str) -> Option<Condition> {
    if let Some(rest) = word.strip_prefix("not ") {
        return match rest.strip_prefix("yet ") {
            Some(rest) => turned(query, rest),
            None => negated(query, rest),
        };
    }
    let of_value = by_value(query, word);
    let of_flag = flagged(query, word, true);
    match (of_value, of_flag) {
        (Found::One(condition), None) | (Found::Unknown, Some(condition)) => {
            return Some(condition);
        }
        (Found::Unknown, None) => {}
        _ => return None,
    }
    if word.eq_ignore_ascii_case("overdue") {
        return overdue(query);
    }
    if let Some(date) = date_of(query, word) {
        let column = own(date);
        return Some(vec![column, sql(format!(" < '{}'", tomorrow(query)?))]);
    }
    let lower = word.to_lowercase();
    let mut turned_words = TURNING
        .iter()
        .filter_map(|prefix| lower.strip_prefix(prefix));
    turned_words.find_map(|rest| turned(query, rest))
}

/// The contrary of a state: only of what a column says on its own, since one that has another value
/// may be neither.
fn turned(query: &mut Query<'_>, word: &str) -> Option<Condition> {
    if let Some(condition) = flagged(query, word, false) {
        return Some(condition);
    }
    let date = date_of(query, word)?;
    let mut condition = vec![
        sql("("),
        own(date),
        sql(" IS NULL OR "),
        own(date),
        sql(format!(" >= '{}')", tomorrow(query)?)),
    ];
    condition.extend(without_void(query)?);
    Some(condition)
}

/// The values of a column that were looked up.
fn values<'q>(query: &Query<'q>, table: &str, column: &str) -> Option<&'q [Value]> {
    let mut values = query.known.values.iter();
    let found = values.find(|one| one.table == table && one.column == column)?;
    Some(&found.values)
}

/// The test of a column for the values that are the word, whatever their letters; or for those of
/// several words, each of which is a value: "Bonn or Kiel".
pub(super) fn equal(query: &Query<'_>, table: &str, column: &str, word: &str) -> Option<String> {
    let values = values(query, table, column)?;
    let word = word.strip_prefix("either ").unwrap_or(word);
    let mut found = literals(values, word);
    if found.is_empty() {
        let words = ALTERNATIVES.as_ref()?.split(word);
        let each: Vec<Vec<String>> = words.map(|word| literals(values, word)).collect();
        if each.len() < 2 || each.iter().any(Vec::is_empty) {
            return None;
        }
        found = each.concat();
        found.dedup();
    }
    match found.as_slice() {
        [one] => Some(format!(" = {one}")),
        several => Some(format!(" IN ({})", several.join(", "))),
    }
}

/// The joints between words for values of one column. A row has one of them, so that "and" joins
/// the rows of both.
static ALTERNATIVES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)(?:\s*,\s*(?:(?:or|and)\s+)?|\s+(?:or|and)\s+)(?:(?:in|from|at|the)\s+)*")
});

/// The values that are a word, as the query writes them.
fn literals(values: &[Value], word: &str) -> Vec<String> {
    let wanted = words(word);
    let values = values.iter().filter_map(Value::as_str);
    let found = values
        .filter(|value| !wanted.is_empty() && words(value) == wanted && !value.contains('\\'));
    found
        .map(|value| format!("'{}'", value.replace('\'', "''")))
        .collect()
}

enum Found {
    One(Condition),
    Several,
    Unknown,
}

/// A column that has the word as a value, of the table or of one that says the state of its rows.
fn by_value(query: &mut Query<'_>, word: &str) -> Found {
    let table = query.table;
    let columns = table.columns.iter().filter(|column| is_category(column));
    let mut found: Vec<Condition> = columns
        .filter_map(|column| {
            let test = equal(query, &table.name, &column.name, word)?;
            Some(vec![own(column), sql(test)])
        })
        .collect();
    let owners: Vec<_> = query.owners().collect();
    for (edge, owner) in owners {
        let called = listing::called(owner, SqlDialect::Postgresql, str::to_owned);
        let Some(column) = called.filter(|_| listing::is_state(&owner.name)) else {
            continue;
        };
        if let Some(test) = equal(query, &owner.name, &column, word)
            && let Some(at) = query.join(edge)
        {
            found.push(vec![Part::Field(Field::Joined(at, column)), sql(test)]);
        }
    }
    if found.is_empty() {
        found = by_name(query, word);
    }
    match (found.pop(), found.is_empty()) {
        (Some(one), true) => Found::One(one),
        (Some(_), false) => Found::Several,
        (None, _) => Found::Unknown,
    }
}

/// The tables that the rows belong to, one of whose rows is called so: "pubs in Kiel".
fn by_name(query: &mut Query<'_>, word: &str) -> Vec<Condition> {
    let owners: Vec<_> = query.owners().collect();
    let owners = owners.into_iter().filter_map(|(edge, owner)| {
        let column = listing::called(owner, SqlDialect::Postgresql, str::to_owned)?;
        let test = equal(query, &owner.name, &column, word)?;
        let at = query.join(edge)?;
        Some(vec![Part::Field(Field::Joined(at, column)), sql(test)])
    });
    owners.collect()
}

/// The only column that has a value.
pub(super) fn value(query: &mut Query<'_>, word: &str) -> Option<Condition> {
    match by_value(query, word) {
        Found::One(condition) => Some(condition),
        Found::Several | Found::Unknown => None,
    }
}

/// A named column that has a value.
pub(super) fn value_of(query: &mut Query<'_>, column: &str, word: &str) -> Option<Condition> {
    let table = query.table;
    if let Some(column) = column_of(table, column, crate::answer::units::is_text) {
        let test = equal(query, &table.name, &column.name, word)?;
        return Some(vec![own(column), sql(test)]);
    }
    let owners: Vec<_> = query.owners().collect();
    let named = |name: &str| crate::language::names::named(column, [name]).is_some();
    let (edge, owner) = owners.into_iter().find(|(_, owner)| named(&owner.name))?;
    let called = listing::called(owner, SqlDialect::Postgresql, str::to_owned)?;
    let test = equal(query, &owner.name, &called, word)?;
    let at = query.join(edge)?;
    Some(vec![Part::Field(Field::Joined(at, called)), sql(test)])
}

/// A column of truth values that the word names.
fn flagged(query: &Query<'_>, word: &str, is_true: bool) -> Option<Condition> {
    let said = words(word);
    let mut columns = query.table.columns.iter().filter(|column| {
        let name = words(&column.name);
        let name = match name.as_slice() {
            [first, rest @ ..] if (first == "is" || first == "has") && !rest.is_empty() => rest,
            [rest @ .., last] if last == "flag" && !rest.is_empty() => rest,
            all => all,
        };
        *name == said
    });
    let column = columns.next()?;
    columns.next().is_none().then_some(())?;
    flag(query, column, is_true)
}

/// The test of a column of truth values; `None` for another column.
pub(super) fn flag(
    query: &Query<'_>,
    column: &ColumnDescription,
    is_true: bool,
) -> Option<Condition> {
    let kind = column.data_type.to_lowercase();
    let test = if kind.starts_with("bool") {
        if is_true { " = TRUE" } else { " = FALSE" }
    } else {
        let is_truth = |value: &Value| value.is_null() || matches!(value.as_i64(), Some(0 | 1));
        let is_one = kind == "tinyint(1)"
            || values(query, &query.table.name, &column.name)
                .is_some_and(|values| !values.is_empty() && values.iter().all(is_truth));
        if !is_one {
            return None;
        }
        if is_true { " = 1" } else { " = 0" }
    };
    Some(vec![own(column), sql(test)])
}

/// The date on which rows came into a state, by the participle that names it.
fn date_of<'q>(query: &Query<'q>, word: &str) -> Option<&'q ColumnDescription> {
    let word = word.to_lowercase();
    let is_participle = word.ends_with("ed") || ["paid", "sent", "sold", "left"].contains(&&*word);
    if !is_participle || PLANNED.contains(&&*word) {
        return None;
    }
    let dates = || query.table.columns.iter().filter(|column| is_date(column));
    // A `return_date` may be the day that was agreed.
    named_date(&word, dates())
}

fn tomorrow(query: &Query<'_>) -> Option<chrono::NaiveDate> {
    query.known.today?.succ_opt()
}

/// The date by which a row is due.
fn due<'q>(query: &Query<'q>) -> Option<&'q ColumnDescription> {
    let dates = query.table.columns.iter().filter(|column| is_date(column));
    let mut due = dates.filter(|column| words(&column.name).iter().any(|word| word == "due"));
    let first = due.next()?;
    due.next().is_none().then_some(first)
}

/// Due before today, and not done.
fn overdue(query: &Query<'_>) -> Option<Condition> {
    let due = due(query)?;
    let mut done = query.table.columns.iter().filter(|column| {
        let words = words(&column.name);
        is_date(column) && words.iter().any(|word| DONE.contains(&&**word))
    });
    let (Some(done), None) = (done.next(), done.next()) else {
        return None;
    };
    let today = query.known.today?;
    let mut condition = vec![
        own(due),
        sql(format!(" < '{today}' AND ")),
        own(done),
        sql(" IS NULL"),
    ];
    condition.extend(without_void(query)?);
    Some(condition)
}

/// Rows whose status says that they count no more are not open; `None` where the values of a status
/// are not known.
fn without_void(query: &Query<'_>) -> Option<Condition> {
    let mut condition = Vec::new();
    let table = query.table;
    let columns = table.columns.iter().filter(|column| {
        let last = words(&column.name).pop();
        is_category(column) && last.is_some_and(|last| last == "status" || last == "state")
    });
    for column in columns {
        let void = values(query, &table.name, &column.name)?
            .iter()
            .filter_map(Value::as_str)
            .filter(|value| VOID.contains(&&*value.to_lowercase()));
        let void: Vec<String> = void.map(|value| format!("'{value}'")).collect();
        if !void.is_empty() {
            condition.extend([
                sql(" AND ("),
                own(column),
                sql(" IS NULL OR "),
                own(column),
                sql(format!(" NOT IN ({}))", void.join(", "))),
            ]);
        }
    }
    Some(condition)
}

/// "Returned late": after the day by which it was due.
pub(super) fn punctual(query: &Query<'_>, text: &str) -> Option<Condition> {
    let found = captures(&PUNCTUAL, text)?;
    let done = date_of(query, &found["verb"])?;
    let due = due(query)?;
    if done.name == due.name {
        return None;
    }
    let sign = match (found.name("late"), found.name("early")) {
        (Some(_), _) => " > ",
        (None, Some(_)) => " < ",
        (None, None) => " <= ",
    };
    // What is due on a day may be done at any time of it.
    let is_day = |column: &ColumnDescription| column.data_type.to_lowercase() == "date";
    Some(if is_day(due) && !is_day(done) {
        vec![
            sql("CAST("),
            own(done),
            sql(format!(" AS DATE){sign}")),
            own(due),
        ]
    } else {
        vec![own(done), sql(sign), own(due)]
    })
}
