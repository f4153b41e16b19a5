//! Rows chosen by the rows of another table that belong to them: "customers without invoices",
//! "customers with more than 3 open rentals".

use contracts::tools::sql::JoinEdge;

use super::{add, linked, number, subject};
use crate::{
    language::names::{bare, in_plural, stems, words},
    simple::{
        catalogue::{edges, only_edge, pairs},
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
/// read only where there is one way from those rows to these, by a key or over one linking table.
pub(super) fn related(query: &Query<'_>, what: &str, quantity: Quantity<'_>) -> Option<Condition> {
    let known = query.known;
    let others = known
        .schemas
        .iter()
        .filter(|one| one.name != query.table.name);
    let names: Vec<&str> = others.map(|one| &*one.name).collect();
    let (name, limits) = subject(what, &names)?;
    let other = known.schemas.iter().find(|one| one.name == name)?;
    let Some(edge) = only_edge(known, other, query.table) else {
        return linked::related(query, other, &limits, quantity);
    };
    let mut rows = Query::new(other, known, query.dialect);
    add(&mut rows, &limits)?;
    let noun = words(bare(&name)).join(" ");
    let mut said = rows.conditions_in_words();
    if edges(known, other, query.table).count() > 1 {
        let and = if said.is_empty() { "" } else { ", " };
        said = format!("{said}{and}by {}", edge.from_column);
    }
    among(edge, &rows, quantity, "COUNT(*)", (&noun, &said))
}

/// The condition that a row's key is among those of other rows, or is not. `noun` and `said` call
/// the other rows and their conditions.
pub(super) fn among(
    edge: &JoinEdge,
    rows: &Query<'_>,
    quantity: Quantity<'_>,
    counted: &str,
    (noun, said): (&str, &str),
) -> Option<Condition> {
    // "No more than 3" are those that are not among the rows with more; rows without any are.
    let (is_in, having) = match quantity {
        Quantity::None | Quantity::Compared("=", 0) => (false, None),
        Quantity::Any => (true, None),
        Quantity::Compared(">" | ">=", 0) => return None,
        Quantity::Compared("<", count) => (false, Some(format!("{counted} >= {count}"))),
        Quantity::Compared("<=", count) => (false, Some(format!("{counted} > {count}"))),
        Quantity::Compared(sign, count) => (true, Some(format!("{counted} {sign} {count}"))),
    };
    // A key of several columns is one condition: all of them are the same.
    let (from, to): (Vec<&str>, Vec<&str>) = pairs(edge).unzip();
    let keys = rows.keys(&from, having.as_deref());
    let test = if is_in { "IN" } else { "NOT IN" };
    let mut parts = row_of(&to);
    parts.push(Part::Sql(format!(" {test} ({keys})")));
    let beside = if said.is_empty() {
        String::new()
    } else {
        format!(" ({said})")
    };
    let said = match quantity {
        Quantity::None | Quantity::Compared("=", 0) => format!("no {noun}{beside}"),
        Quantity::Any => format!("at least 1 {noun}{beside}"),
        Quantity::Compared(sign, count) => {
            format!("number of {}{beside} {sign} {count}", in_plural(noun))
        }
    };
    Some(vec![Part::Worded(parts, said)])
}

/// Columns of the table itself that are compared together: one alone, several in brackets.
pub(super) fn row_of(columns: &[&str]) -> Vec<Part> {
    let field = |column: &&str| Part::Field(Field::Own((*column).to_owned()));
    if let [only] = columns {
        return vec![field(only)];
    }
    let mut parts = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let sign = if at == 0 { "(" } else { ", " };
        parts.push(Part::Sql(sign.to_owned()));
        parts.push(field(column));
    }
    parts.push(Part::Sql(")".to_owned()));
    parts
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
