//! The columns of a listing.

use contracts::tools::sql::{ColumnDescription, SqlDialect, TableDescription};

use super::{
    catalogue::{is_bookkeeping, is_date},
    most::Ranking,
    query::{Field, Measure, Query, Shown},
};
use crate::{
    answer::units::{is_amount, is_beside, is_text, is_unit, units},
    language::names::{bare, words},
};

/// Maximum number of columns of a listing.
const LISTED: usize = 6;

/// Owners of all rows: their keys do not distinguish rows.
const OWNERS: [&str; 5] = [
    "company",
    "tenant",
    "organisation",
    "organization",
    "account",
];

/// Words of columns that say what a row amounts to.
const AMOUNTS: [&str; 10] = [
    "total", "amount", "price", "net", "gross", "sum", "salary", "fee", "cost", "value",
];

/// The column that identifies the rows of a table without a name.
pub(super) fn identity(table: &TableDescription) -> Option<&str> {
    let mut unique = table.columns.iter().filter(|column| column.unique);
    let text = unique.clone().find(|column| is_text(column));
    text.or_else(|| unique.next()).map(|column| &*column.name)
}

/// What names a row of a table; nothing where there is no row.
pub(super) fn label(
    table: &TableDescription,
    dialect: SqlDialect,
    column: impl Fn(&str) -> String,
) -> Option<String> {
    let of = |wanted: &str| {
        let mut columns = table.columns.iter();
        columns
            .find(|column| words(&column.name).concat() == wanted)
            .map(|found| &*found.name)
    };
    let own = words(bare(&table.name)).concat();
    let whole = ["name", "fullname", "displayname", "title", "label"]
        .into_iter()
        .find_map(of)
        .or_else(|| of(&format!("{own}name")));
    if let Some(name) = whole {
        return Some(column(name));
    }
    let (first, last) = (of("firstname")?, of("lastname")?);
    let (first, last) = (column(first), column(last));
    Some(match dialect {
        SqlDialect::Mysql => format!("CONCAT({first}, ' ', {last})"),
        SqlDialect::Postgresql => format!("{first} || ' ' || {last}"),
    })
}

/// The expression that names a row of a table that others belong to: its name, otherwise the only
/// text that may be one, otherwise its key.
pub(super) fn called(
    table: &TableDescription,
    dialect: SqlDialect,
    column: impl Fn(&str) -> String,
) -> Option<String> {
    if let Some(label) = label(table, dialect, &column) {
        return Some(label);
    }
    let texts = || table.columns.iter().filter(|column| is_text(column));
    let only = |ends: &[&str]| {
        let mut found = texts().filter(|column| {
            let words = words(&column.name);
            words.last().is_some_and(|last| ends.contains(&&**last))
        });
        let first = found.next()?;
        found.next().is_none().then_some(&*first.name)
    };
    let unique = texts().find(|column| column.unique);
    only(&["name"])
        .or_else(|| unique.map(|column| &*column.name))
        .or_else(|| only(&["number", "no", "plate", "reference", "serial", "sku", "vin"]))
        .or_else(|| only(&["description", "designation", "caption", "code"]))
        .or_else(|| identity(table))
        .map(column)
}

/// The query of a listing. A key of another table is shown as what its row is called.
pub(super) fn of(query: Query<'_>, first: Option<u32>) -> Option<String> {
    ordered(query, first, None)
}

/// The rows with the largest or the smallest figures of a column; `None` where the figures are in
/// several units.
pub(super) fn largest(
    mut query: Query<'_>,
    column: &ColumnDescription,
    ranking: Ranking,
) -> Option<String> {
    let units = query.units(&Measure::Sum(column.name.clone()));
    if !units.iter().all(|unit| query.is_one(unit)) {
        return None;
    }
    ordered(
        query,
        Some(ranking.most),
        Some((&column.name, !ranking.fewest)),
    )
}

fn ordered(mut query: Query<'_>, first: Option<u32>, by: Option<(&str, bool)>) -> Option<String> {
    let table = query.table;
    let owners: Vec<_> = query.owners().collect();
    let owners: Vec<_> = owners
        .into_iter()
        .filter(|(edge, owner)| {
            let named = called(owner, SqlDialect::Mysql, str::to_owned);
            let is_own = !words(&edge.from_column)
                .first()
                .is_some_and(|first| OWNERS.contains(&&**first));
            is_own && named.is_some_and(|named| Some(&*named) != identity_of_number(owner))
        })
        .collect();
    let chosen = if owners.is_empty() {
        shown(table)
    } else {
        let keys: Vec<&str> = owners.iter().map(|(edge, _)| &*edge.from_column).collect();
        shown_with(table, &keys)
    };
    let mut columns = Vec::new();
    for name in chosen {
        let owner = owners.iter().find(|(edge, _)| edge.from_column == name);
        columns.push(match owner {
            Some((edge, _)) => {
                let mut words = words(name);
                if words.len() > 1 && words.last().is_some_and(|last| last == "id") {
                    words.pop();
                }
                (Shown::Label(query.join(edge)?), Some(words.join("_")))
            }
            None => (Shown::Field(Field::Own(name.to_owned())), None),
        });
    }
    let is_shown = |name: &str| {
        let own = Field::Own(name.to_owned());
        let mut columns = columns.iter();
        columns.any(|(shown, _)| matches!(shown, Shown::Field(field) if *field == own))
    };
    if let Some((name, _)) = by.filter(|(name, _)| !is_shown(name)) {
        columns.push((Shown::Field(Field::Own(name.to_owned())), None));
    }
    (!columns.is_empty()).then(|| query.list(&columns, first, by))
}

/// The number that identifies the rows of a table: it says nothing of a row.
fn identity_of_number(table: &TableDescription) -> Option<&str> {
    let name = identity(table)?;
    let mut columns = table.columns.iter();
    let column = columns.find(|column| column.name == name)?;
    (!is_text(column)).then_some(name)
}

/// Whether the rows of a table are states of others.
pub(super) fn is_state(table: &str) -> bool {
    const STATES: [&str; 7] = [
        "status", "state", "type", "kind", "category", "stage", "priority",
    ];
    words(bare(table))
        .last()
        .is_some_and(|last| STATES.contains(&&**last))
}

/// Maximum number of columns of a listing that shows what its rows belong to.
const LISTED_WITH: usize = 8;

/// The columns of a listing with keys to rows that are called something: what names a row, its
/// state, what it amounts to, what it belongs to and its dates come before other columns.
fn shown_with<'t>(table: &'t TableDescription, keys: &[&str]) -> Vec<&'t str> {
    let is_key = |name: &str| keys.contains(&name);
    let rank = |column: &ColumnDescription| -> Option<u8> {
        let words = words(&column.name);
        let is = |word: &str| words.iter().any(|one| one == word);
        let kind = column.data_type.to_lowercase();
        let is_opaque = ["blob", "binary", "bytea", "json", "geometry"]
            .iter()
            .any(|opaque| kind.contains(opaque));
        let is_number_key = words
            .last()
            .is_some_and(|last| last == "id" || last == "uuid");
        if is_key(&column.name) {
            Some(2)
        } else if is_opaque || is_number_key || is_bookkeeping(column) {
            None
        } else if is_text(column) && (column.unique || is("name") || is("title") || is("no")) {
            Some(0)
        } else if is("status") || is("state") {
            Some(1)
        } else if is_amount(column) && AMOUNTS.iter().any(|word| is(word)) || is_unit(&column.name)
        {
            Some(2)
        } else if is_date(column) {
            Some(3)
        } else {
            Some(4)
        }
    };
    let columns = table.columns.iter();
    let mut ranked: Vec<(u8, usize, &str)> = columns
        .enumerate()
        .filter_map(|(at, column)| Some((rank(column)?, at, &*column.name)))
        .collect();
    ranked.sort_unstable();
    ranked.truncate(LISTED_WITH);
    ranked.sort_unstable_by_key(|(_, at, _)| *at);
    ranked.into_iter().map(|(_, _, name)| name).collect()
}

/// The columns of a listing: no keys, no bookkeeping, nothing that is not text. Rows that have no
/// name of their own are shown with the keys of what they belong to, amounts with their units, and
/// an amount takes the place of what says the least.
pub(super) fn shown(table: &TableDescription) -> Vec<&str> {
    let has_name = label(table, SqlDialect::Mysql, str::to_owned).is_some();
    let names_itself = has_name
        || table
            .columns
            .iter()
            .any(|column| column.unique && is_text(column));
    let is_key = |column: &ColumnDescription| {
        let words = words(&column.name);
        words
            .last()
            .is_some_and(|last| last == "id" || last == "uuid")
    };
    let tells = |column: &&ColumnDescription| {
        let words = words(&column.name);
        let kind = column.data_type.to_lowercase();
        let is_bookkeeping = matches!(
            words.first().map(String::as_str),
            Some("created" | "updated" | "deleted" | "modified")
        );
        let is_opaque = ["blob", "binary", "bytea", "json", "geometry"]
            .iter()
            .any(|opaque| kind.contains(opaque));
        let is_parent =
            !names_itself && !column.unique && words.len() > 1 && !OWNERS.contains(&&*words[0]);
        (!is_key(column) || is_parent) && !is_bookkeeping && !is_opaque
    };
    let told: Vec<&ColumnDescription> = table.columns.iter().filter(tells).collect();
    let mut chosen: Vec<&ColumnDescription> = told.iter().take(LISTED).copied().collect();
    // What the rows amount to, and in what.
    let is_money = |column: &&&ColumnDescription| {
        let words = words(&column.name);
        let is = |word: &String| AMOUNTS.contains(&&**word);
        is_amount(column) && words.iter().any(is)
    };
    let mut wanted: Vec<&ColumnDescription> = Vec::new();
    if !chosen.iter().any(|column| is_money(&column)) {
        wanted.extend(told.iter().find(is_money).copied());
    }
    let amounts: Vec<&ColumnDescription> = chosen
        .iter()
        .chain(&wanted)
        .filter(|column| is_amount(column))
        .copied()
        .collect();
    let beside = |unit: &&ColumnDescription| {
        let mut amounts = amounts.iter();
        amounts.any(|amount| is_beside(&amount.name, &unit.name, table))
    };
    wanted.extend(units(table).filter(beside));
    wanted.retain(|column| chosen.iter().all(|one| one.name != column.name));
    for column in wanted {
        if chosen.len() >= LISTED
            && let Some(at) = chosen
                .iter()
                .rposition(|one| !is_amount(one) && !is_unit(&one.name))
        {
            chosen.remove(at);
        }
        chosen.push(column);
    }
    // In the table's order.
    let columns = table.columns.iter();
    let chosen = columns.filter(|column| chosen.iter().any(|one| one.name == column.name));
    let chosen: Vec<&str> = chosen.map(|column| &*column.name).collect();
    if chosen.is_empty() {
        let all = table.columns.iter().take(LISTED);
        all.map(|column| &*column.name).collect()
    } else {
        chosen
    }
}
