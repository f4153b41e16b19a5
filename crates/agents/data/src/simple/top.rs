//! The rows with the largest or the smallest figure: "top 5 invoices by total", "top 5 customers by
//! total amount", where the amounts are those of the one table whose rows belong to customers.

use contracts::tools::sql::{ColumnDescription, TableDescription};

use super::{
    Adds, Query,
    catalogue::{amount, only_edge, way},
    listing,
    most::Ranking,
};
use crate::language::names::{bare, spoken_plural, stems};

/// The query; `None` unless the words name exactly one column.
pub(super) fn of(
    query: Query<'_>,
    adds: Option<Adds>,
    measure: &str,
    ranking: Ranking,
) -> Option<String> {
    if let Some(column) = own(query.table, adds, measure) {
        return listing::largest(query, column, ranking);
    }
    // Conditions on the rows of the owner are not those of the figures.
    if !query.conditions.is_empty() {
        return None;
    }
    let owner = query.table;
    let (table, _) = of_other(&query, measure)?;
    let rows = Query::new(table, query.known, query.dialect);
    let measure = rows.measure(adds != Some(Adds::Average), measure)?;
    rows.ranked(&owner.name, &measure, ranking)
}

/// The column of the rows themselves: a total is of several rows, unless a column is called so.
fn own<'t>(
    table: &'t TableDescription,
    adds: Option<Adds>,
    measure: &str,
) -> Option<&'t ColumnDescription> {
    match adds {
        None => amount(table, measure),
        Some(Adds::Sum) => amount(table, &format!("total {measure}")),
        Some(Adds::Average) => None,
    }
}

/// The table whose figure was taken where several have one, with the others, for the person.
pub(super) fn taken(query: &Query<'_>, adds: Option<Adds>, measure: &str) -> Option<String> {
    if own(query.table, adds, measure).is_some() {
        return None;
    }
    let (table, others) = of_other(query, measure)?;
    let names = others.iter().map(|other| spoken_plural(&other.name));
    let others: Vec<String> = names.take(NAMED).collect();
    (!others.is_empty()).then(|| {
        format!(
            "The figure is that of {}; {} have one, too.",
            spoken_plural(&table.name),
            others.join(" and ")
        )
    })
}

/// Maximum number of other tables that an answer names.
const NAMED: usize = 2;

/// What tables with the sums of business are called, the likeliest first.
const DOCUMENTS: [&[&str]; 3] = [
    &["invoice", "bill"],
    &["order", "sale", "purchase"],
    &["payment", "receipt"],
];

/// The table with the figure whose rows belong to those of the query: the only one, or of several
/// the one that is called like a document of sums; and the others.
fn of_other<'k>(
    query: &Query<'k>,
    measure: &str,
) -> Option<(&'k TableDescription, Vec<&'k TableDescription>)> {
    let (known, owner) = (query.known, query.table);
    let mut all: Vec<&TableDescription> = known
        .schemas
        .iter()
        .filter(|table| only_edge(known, table, owner).is_some() && has_figure(table, measure))
        .collect();
    // The lines of deliveries belong to pubs over these.
    if all.is_empty() {
        let belong = known.schemas.iter().filter(|table| {
            has_figure(table, measure)
                && table.name != owner.name
                && way(known, table, owner).is_some()
        });
        all = belong.collect();
    }
    let is_called = |table: &TableDescription, names: &[&str]| {
        let words = stems(bare(&table.name));
        words.last().is_some_and(|last| names.contains(&&**last))
    };
    let at = if all.len() == 1 {
        0
    } else {
        DOCUMENTS.iter().find_map(|names| {
            let mut found = all
                .iter()
                .enumerate()
                .filter(|(_, one)| is_called(one, names));
            let first = found.next().map(|(at, _)| at)?;
            // Two of one kind are equally near.
            Some(found.next().is_none().then_some(first))
        })??
    };
    let table = all.remove(at);
    Some((table, all))
}

fn has_figure(table: &TableDescription, measure: &str) -> bool {
    super::catalogue::figure(table, measure).is_some()
}
