//! The rows with the largest or the smallest figure: "top 5 invoices by total", "top 5 customers by
//! total amount", where the amounts are those of the one table whose rows belong to customers.

use contracts::tools::sql::TableDescription;

use super::{
    Adds, Query,
    catalogue::{amount, only_edge},
    listing,
    most::Ranking,
};

/// The query; `None` unless the words name exactly one column.
pub(super) fn of(
    query: Query<'_>,
    adds: Option<Adds>,
    measure: &str,
    ranking: Ranking,
) -> Option<String> {
    // A total is of several rows.
    if adds.is_none()
        && let Some(column) = amount(query.table, measure)
    {
        return listing::largest(query, column, ranking);
    }
    // Conditions on the rows of the owner are not those of the figures.
    if !query.conditions.is_empty() {
        return None;
    }
    let (known, owner) = (query.known, query.table);
    let mut others = known
        .schemas
        .iter()
        .filter(|table| only_edge(known, table, owner).is_some() && has_figure(table, measure));
    let (Some(table), None) = (others.next(), others.next()) else {
        return None;
    };
    let rows = Query::new(table, known, query.dialect);
    let measure = rows.measure(adds != Some(Adds::Average), measure)?;
    rows.ranked(&owner.name, &measure, ranking)
}

fn has_figure(table: &TableDescription, measure: &str) -> bool {
    super::catalogue::figure(table, measure).is_some()
}
