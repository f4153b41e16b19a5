//! Columns that say what amounts are in, and the amounts beside them.

use contracts::tools::sql::{ColumnDescription, TableDescription, is_currency_word, is_unit_word};

use crate::language::names::words;

/// Words of columns whose names say the unit of their figures, so that no other column does.
const MEASURED: [&str; 30] = [
    "kg", "g", "km", "m", "cm", "mm", "l", "ml", "kwh", "hours", "hour", "minutes", "days", "day",
    "weight", "distance", "length", "height", "width", "quantity", "qty", "count", "stock",
    "level", "percent", "pct", "share", "age", "year", "rating",
];

/// Whether a column says what amounts are in, by its name.
pub(crate) fn is_unit(column: &str) -> bool {
    let words = words(column);
    words.iter().any(|word| is_unit_word(word)) || is_currency(column)
}

/// Whether a column says in which currency amounts are, by its name.
pub(crate) fn is_currency(column: &str) -> bool {
    words(column).iter().any(|word| is_currency_word(word))
}

/// The columns of a table that say what its amounts are in.
pub(crate) fn units(table: &TableDescription) -> impl Iterator<Item = &ColumnDescription> {
    table
        .columns
        .iter()
        .filter(|column| is_unit(&column.name) && is_text(column) && !column.unique)
}

/// Whether a column has amounts whose unit may be in a column beside them.
pub(crate) fn is_amount(column: &ColumnDescription) -> bool {
    let words = words(&column.name);
    let is_key = words.last().is_some_and(|last| last == "id");
    let is_measured = words.iter().any(|word| MEASURED.contains(&&**word));
    is_number(column) && !is_key && !is_measured && !column.unique
}

pub(crate) fn is_number(column: &ColumnDescription) -> bool {
    let kind = column.data_type.to_lowercase();
    let is = |part: &str| kind.contains(part);
    (is("int") && !is("interval") && !is("point") && kind != "tinyint(1)")
        || ["numeric", "decimal", "double", "float", "real", "money"]
            .iter()
            .any(|part| is(part))
}

pub(crate) fn is_text(column: &ColumnDescription) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.contains("char") || kind.contains("text") || kind.starts_with("enum")
}

/// Words of amounts of money, whose unit is a currency: a price is per kg, and not in kg.
const MONEY: [&str; 14] = [
    "cost", "fee", "gross", "net", "price", "revenue", "salary", "tax", "wage", "kosten", "preis",
    "precio", "prezzo", "prix",
];

/// Whether an amount is one of money, so that only a currency is its unit. A total is in the units
/// of its own table only.
fn is_of_money(amount: &str, table: &TableDescription) -> bool {
    let words = words(amount);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    let is_own = table.columns.iter().any(|column| column.name == amount);
    has(&MONEY) || has(&["total"]) && !is_own
}

/// Whether a unit is that of an amount: it has no words of its own, or shares them, or is the only
/// one of its table.
pub(crate) fn is_beside(amount: &str, unit: &str, table: &TableDescription) -> bool {
    let own: Vec<String> = words(unit)
        .into_iter()
        .filter(|word| !is_unit(word))
        .collect();
    if !is_currency(unit) && is_of_money(amount, table) {
        return false;
    }
    own.is_empty()
        || words(amount).iter().any(|word| own.contains(word))
        || units(table).count() == 1
}
