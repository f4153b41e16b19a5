//! Rows chosen by the rows of another table that belong to them: "customers without invoices",
//! "customers with more than 3 open rentals".

use super::{add, number, subject};
use crate::{
    language::names::{stems, words},
    simple::{
        catalogue::only_edge,
        query::{Condition, Field, Part, Query},
    },
};

/// The number of other rows that there have to be.
#[derive(Debug, Clone, Copy)]
pub(super) enum Quantity<'a> {
    None,
    Any,
    /// The sign of a comparison, and the number.
    Compared(&'a str, u32),
}

/// The condition that rows of the table that the words name belong to a row, or none do. It is
/// read only where there is one way from those rows to these, by one column.
pub(super) fn related(query: &Query<'_>, what: &str, quantity: Quantity<'_>) -> Option<Condition> {
    let known = query.known;
    let others = known
        .schemas
        .iter()
        .filter(|one| one.name != query.table.name);
    let names: Vec<&str> = others.map(|one| &*one.name).collect();
    let (name, limits) = subject(what, &names)?;
    let other = known.schemas.iter().find(|one| one.name == name)?;
    let edge = only_edge(known, other, query.table).filter(|edge| edge.and.is_empty())?;
    let mut rows = Query::new(other, known, query.dialect);
    add(&mut rows, &limits)?;
    // "No more than 3" are those that are not among the rows with more; rows without any are.
    let (is_in, having) = match quantity {
        Quantity::None | Quantity::Compared("=", 0) => (false, None),
        Quantity::Any => (true, None),
        Quantity::Compared(">" | ">=", 0) => return None,
        Quantity::Compared("<", count) => (false, Some(format!(">= {count}"))),
        Quantity::Compared("<=", count) => (false, Some(format!("> {count}"))),
        Quantity::Compared(sign, count) => (true, Some(format!("{sign} {count}"))),
    };
    let keys = rows.keys(&edge.from_column, having.as_deref());
    let test = if is_in { "IN" } else { "NOT IN" };
    let parts = vec![
        Part::Field(Field::Own(edge.to_column.clone())),
        Part::Sql(format!(" {test} ({keys})")),
    ];
    let conditions = rows.conditions_in_words();
    let beside = if conditions.is_empty() {
        conditions
    } else {
        format!(" ({conditions})")
    };
    let noun = words(crate::language::names::bare(&name)).join(" ");
    let said = match quantity {
        Quantity::None | Quantity::Compared("=", 0) => format!("no {noun}{beside}"),
        Quantity::Any => format!("at least 1 {noun}{beside}"),
        Quantity::Compared(sign, count) => format!("number of {noun}{beside} {sign} {count}"),
    };
    Some(vec![Part::Worded(parts, said)])
}

/// "3 invoices": the number, and the words behind it.
pub(super) fn counted(text: &str) -> Option<(u32, &str)> {
    let (first, rest) = text.trim().split_once(' ')?;
    let value = agent_kit::number_words::value(&first.to_lowercase());
    let value = value.or_else(|| match number(first)? {
        (value, None) => value.parse().ok(),
        _ => None,
    })?;
    Some((value, rest))
}

/// Whether the words of conditions name a table.
pub(super) fn is_named(said: &str, table: &str) -> bool {
    crate::language::names::mentions(&stems(said), table)
}
