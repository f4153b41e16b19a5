//! Facts of the catalogue about tables: how they join, and the kinds of their columns.

use contracts::tools::sql::{ColumnDescription, JoinEdge, TableDescription};

use super::Known;
use crate::{
    answer::units::{is_number, is_text, is_unit},
    language::names::{bare, named, words},
};

/// The joins between two tables, whichever way they lead.
pub(super) fn edges<'k>(
    known: &'k Known<'_>,
    one: &'k TableDescription,
    other: &'k TableDescription,
) -> impl Iterator<Item = &'k JoinEdge> {
    known.edges.iter().filter(move |edge| {
        edge.from_table == one.name && edge.to_table == other.name
            || edge.from_table == other.name && edge.to_table == one.name
    })
}

/// The pairs of columns of a join.
pub(super) fn pairs(edge: &JoinEdge) -> impl Iterator<Item = (&str, &str)> {
    let more = edge.and.iter();
    let more = more.map(|pair| (&*pair.from_column, &*pair.to_column));
    std::iter::once((&*edge.from_column, &*edge.to_column)).chain(more)
}

/// Whether each row of a table belongs to at most one of another by a join.
pub(super) fn belongs(edge: &JoinEdge, table: &TableDescription, owner: &TableDescription) -> bool {
    edge.from_table == table.name
        && edge.to_table == owner.name
        && matches!(&*edge.cardinality, "N:1" | "1:1")
}

/// The only join between two tables, if the rows of the first belong to those of the second.
pub(super) fn only_edge<'k>(
    known: &'k Known<'_>,
    table: &'k TableDescription,
    owner: &'k TableDescription,
) -> Option<&'k JoinEdge> {
    if table.name == owner.name {
        return None;
    }
    let all: Vec<&JoinEdge> = edges(known, table, owner).collect();
    if let [edge] = all.as_slice() {
        return belongs(edge, table, owner).then_some(*edge);
    }
    // Of `driver_id` and `backup_driver_id`, the driver is that of the first.
    let own = words(bare(&owner.name));
    let mut plain = all.iter().filter(|edge| {
        let mut key = words(&edge.from_column);
        if key.last().is_some_and(|last| last == "id") {
            key.pop();
        }
        key == own
    });
    let edge = plain.next()?;
    let is_settled = plain.next().is_none() && all.iter().all(|edge| belongs(edge, table, owner));
    is_settled.then_some(*edge)
}

/// Joins of the longest way from rows to those that they belong to.
const WAY: usize = 3;

/// The joins over which each row of a table belongs to one of another: the only shortest way.
pub(super) fn way<'k>(
    known: &'k Known<'_>,
    table: &'k TableDescription,
    owner: &'k TableDescription,
) -> Option<Vec<&'k JoinEdge>> {
    if edges(known, table, owner).next().is_some() {
        return only_edge(known, table, owner).map(|edge| vec![edge]);
    }
    let mut ways: Vec<(Vec<&JoinEdge>, &TableDescription)> = vec![(Vec::new(), table)];
    for _ in 0..WAY {
        let longer = ways.iter().flat_map(|(way, last)| {
            let nexts = known.schemas.iter().filter_map(move |next| {
                let is_new =
                    next.name != table.name && way.iter().all(|edge| edge.to_table != next.name);
                let edge = only_edge(known, last, next).filter(|_| is_new)?;
                let mut way = way.clone();
                way.push(edge);
                Some((way, next))
            });
            nexts.collect::<Vec<_>>()
        });
        ways = longer.collect();
        let mut found = ways.iter().filter(|(_, last)| last.name == owner.name);
        if let Some((way, _)) = found.next() {
            return found.next().is_none().then(|| way.clone());
        }
    }
    None
}

/// Names of the amount of a row.
const AMOUNTS: [&str; 6] = [
    "amount",
    "grandtotal",
    "sum",
    "sumtotal",
    "total",
    "totalamount",
];

/// The column with figures that the words name; without words, the table's only amount.
pub(super) fn amount<'t>(
    table: &'t TableDescription,
    measure: &str,
) -> Option<&'t ColumnDescription> {
    let figures = || table.columns.iter().filter(|column| is_number(column));
    let column = if measure.is_empty() {
        let mut amounts = figures().filter(|column| {
            let words = words(&column.name);
            AMOUNTS.contains(&&*words.concat())
        });
        amounts.next().filter(|_| amounts.next().is_none())?
    } else {
        let name = named(measure, figures().map(|column| &*column.name))?;
        figures().find(|column| column.name == name)?
    };
    let is_key = words(&column.name).last().is_some_and(|last| last == "id");
    (!column.unique && !is_key).then_some(column)
}

/// The column that is added up: the named one, or the table's only amount where no more is said
/// than that it is one.
pub(super) fn figure<'t>(
    table: &'t TableDescription,
    measure: &str,
) -> Option<&'t ColumnDescription> {
    let says_little = ["total", "amount", "sum", "value"].contains(&&*measure.to_lowercase());
    let only = || amount(table, "").filter(|_| says_little);
    amount(table, measure).or_else(only)
}

pub(crate) fn is_date(column: &ColumnDescription) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.starts_with("date") || kind.starts_with("timestamp")
}

/// Whether a column says when a row was stored, rather than when something happened.
pub(super) fn is_bookkeeping(column: &ColumnDescription) -> bool {
    let words = words(&column.name);
    let first = words.first().map(String::as_str);
    matches!(first, Some("created" | "updated" | "deleted" | "modified"))
}

/// Words of dates that lie ahead as a rule.
const AHEAD: [&str; 18] = [
    "deadline",
    "due",
    "end",
    "ends",
    "expected",
    "expiration",
    "expires",
    "expiry",
    "next",
    "planned",
    "promised",
    "renewal",
    "renews",
    "scheduled",
    "target",
    "until",
    "upcoming",
    "valid",
];

/// Whether a date is one of something to come: what is due, scheduled, or next.
pub(super) fn is_ahead(column: &ColumnDescription) -> bool {
    is_date(column)
        && words(&column.name)
            .iter()
            .any(|word| AHEAD.contains(&&**word))
}

/// The date column that the words name, with or without what says that it is one: "due" is `due_on`
/// or `due_date`.
pub(super) fn named_date<'t>(
    said: &str,
    dates: impl Iterator<Item = &'t ColumnDescription>,
) -> Option<&'t ColumnDescription> {
    let dates: Vec<&ColumnDescription> = dates.collect();
    let stem = |words: Vec<String>| -> Vec<String> {
        let ends = ["on", "at", "date", "day", "time", "timestamp"];
        let kept = words.iter().rposition(|word| !ends.contains(&&**word));
        words[..kept.map_or(words.len(), |at| at + 1)].to_vec()
    };
    if let Some(name) = named(said, dates.iter().map(|column| &*column.name)) {
        return dates.into_iter().find(|column| column.name == name);
    }
    let wanted = stem(words(said));
    let mut found = dates
        .into_iter()
        .filter(|column| stem(words(&column.name)) == wanted);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Whether a column has texts that name things of which there are few, by its name.
pub(super) fn is_category(column: &ColumnDescription) -> bool {
    const FREE: [&str; 20] = [
        "email",
        "mail",
        "phone",
        "description",
        "note",
        "notes",
        "remark",
        "remarks",
        "comment",
        "comments",
        "address",
        "street",
        "url",
        "text",
        "body",
        "message",
        "title",
        "name",
        "surname",
        "password",
    ];
    let words = words(&column.name);
    is_text(column)
        && !column.unique
        && words.last().is_none_or(|last| last != "id")
        && !words.iter().any(|word| FREE.contains(&&**word))
        && !is_unit(&column.name)
}

/// Words of columns that say when a row began to be.
const BEGINNINGS: [&str; 20] = [
    "issued",
    "ordered",
    "order",
    "invoice",
    "created",
    "opened",
    "started",
    "start",
    "booked",
    "rented",
    "loaned",
    "placed",
    "received",
    "occurred",
    "reported",
    "requested",
    "submitted",
    "registered",
    "extended",
    "published",
];

/// The date of a table where none is named: the table's only one, or the only one that says when
/// its rows began to be.
pub(super) fn usual_date(table: &TableDescription) -> Option<&ColumnDescription> {
    let dates = table.columns.iter().filter(|column| is_date(column));
    let all: Vec<_> = dates.filter(|column| !is_bookkeeping(column)).collect();
    let own = words(bare(&table.name));
    let begins = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let rest = words.strip_prefix(&*own).unwrap_or(&words);
        matches!(rest, [one] if one == "date" || one == "day")
            || words.iter().any(|word| BEGINNINGS.contains(&&**word))
    };
    let begun: Vec<_> = all.iter().copied().filter(begins).collect();
    // A delivery is what was delivered.
    let named_so = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let stem = words.first().and_then(|first| first.strip_suffix("ed"));
        let stem = stem.map(|stem| match stem.as_bytes() {
            [.., one, other] if one == other => &stem[..stem.len() - 1],
            _ => stem,
        });
        let thing = own.last();
        stem.zip(thing)
            .is_some_and(|(stem, thing)| stem.len() > 3 && thing.starts_with(stem))
    };
    let done: Vec<_> = all.iter().copied().filter(named_so).collect();
    match (&*all, &*begun, &*done) {
        ([only], ..) | (_, [only], _) | (_, [], [only]) => Some(only),
        _ => None,
    }
}
