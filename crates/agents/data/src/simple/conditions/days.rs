//! Days in conditions: of a date, or of a column of years: "instruments built last year", where the
//! table has `built_year`.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDate};
use contracts::tools::sql::{ColumnDescription, TableDescription};
use regex::Regex;
use serde_json::Value;

use super::{own, pattern};
use crate::{
    answer::units::is_number,
    language::names::{singular, words},
    simple::{
        catalogue::{is_ahead, is_date, named_date, usual_date},
        periods::{self, Clock, Span},
        query::{Condition, Part, Query},
    },
};

/// Days: of the date that the words before them name ("issued in 2021", "with a due date before
/// May"), or of the usual date of the table.
pub(super) fn dated(query: &Query<'_>, text: &str) -> Option<Condition> {
    let today = query.known.today?;
    let said: Vec<&str> = text.split_whitespace().collect();
    (0..said.len()).find_map(|at| {
        let before = said[..at].join(" ");
        let named = NAMED_DATE.as_ref()?.replace_all(&before, " ");
        let named = named.trim();
        let date = if at == 0 {
            usual_date(query.table)
        } else {
            let dates = query.table.columns.iter();
            named_date(named, dates.filter(|column| is_date(column)))
        };
        let clock = match date {
            Some(date) if !is_past(&before) => clock(query, date, today),
            _ => Clock::of(today),
        };
        let span = periods::read(&said[at..].join(" "), clock)?;
        match date {
            Some(date) => within(date, span),
            None if at > 0 => of_years(query.table, named, span),
            None => None,
        }
    })
}

/// The clock of the days of a column.
pub(super) fn clock(query: &Query<'_>, date: &ColumnDescription, today: NaiveDate) -> Clock {
    let mut values = query.known.values.iter();
    let range = values.find(|one| one.table == query.table.name && one.column == date.name);
    let day = |value: Option<&Value>| -> Option<NaiveDate> {
        let text = value?.as_str()?;
        NaiveDate::parse_from_str(text.get(..10)?, "%Y-%m-%d").ok()
    };
    let first = range.and_then(|range| day(range.values.first()));
    Clock {
        today,
        is_ahead: is_ahead(date) || first.is_some_and(|first| first >= today),
        last: range.and_then(|range| day(range.values.last())),
    }
}

/// "Were due": not what is due.
fn is_past(said: &str) -> bool {
    let mut words = said.split_whitespace();
    words.any(|word| ["was", "were", "had"].contains(&&*word.to_lowercase()))
}

/// Words around the name of a date that say no more of it.
static NAMED_DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"(?i)\b(?:with|having|have|has|had|been|are|is|were|was|an?|the|whose|their)\b")
});

/// The date of a column within days.
pub(super) fn within(date: &ColumnDescription, span: Span) -> Option<Condition> {
    let sql = |text: String| Part::Sql(text);
    let from = span.from.map(|day| format!(" >= '{day}'"));
    let until = span.until.map(|day| format!(" < '{day}'"));
    Some(match (from, until) {
        (Some(from), Some(until)) => {
            vec![
                own(date),
                sql(format!("{from} AND ")),
                own(date),
                sql(until),
            ]
        }
        (Some(one), None) | (None, Some(one)) => vec![own(date), sql(one)],
        (None, None) => return None,
    })
}

/// The years of a column within days; `None` where the days are not whole years, or the words name
/// no column of years, or several.
fn of_years(table: &TableDescription, said: &str, span: Span) -> Option<Condition> {
    let said: Vec<String> = words(said).iter().map(|word| singular(word)).collect();
    let is_it = |name: &str| {
        let mut words = words(name);
        let at = words.iter().position(|word| word == "year");
        at.is_some_and(|at| {
            words.remove(at);
            let words: Vec<String> = words.iter().map(|word| singular(word)).collect();
            !words.is_empty() && words == said
        })
    };
    let mut columns = table
        .columns
        .iter()
        .filter(|column| is_number(column) && is_it(&column.name));
    let column = columns.next()?;
    if columns.next().is_some() {
        return None;
    }
    let days = [span.from, span.until];
    if days.iter().flatten().any(|day| day.ordinal() != 1) {
        return None;
    }
    let [from, until] = days.map(|day| day.map(|day| day.year()));
    let test = match (from, until) {
        (Some(from), Some(until)) if from + 1 == until => format!(" = {from}"),
        (Some(from), Some(until)) => format!(" BETWEEN {from} AND {}", until - 1),
        (Some(from), None) => format!(" >= {from}"),
        (None, Some(until)) => format!(" < {until}"),
        (None, None) => return None,
    };
    Some(vec![own(column), Part::Sql(test)])
}
