//! What amounts are in: amounts in two currencies are not added.

use std::collections::HashSet;

use contracts::tools::sql::{is_currency_word, is_unit_word};
use targets::join_graph::Cardinality;
use targets::{ColumnInfo, TableInfo};

use super::columns::is_text;
use super::maker::Maker;
use super::words::spoken;
use crate::sql_tools::identifier_words;

/// A column that says what amounts are in, as a query writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) table: String,
    pub(super) name: String,
}

impl Maker<'_> {
    /// The ways to add the amounts of a table, by the units that group them: without any where all
    /// amounts have the same units, and otherwise by those that are next to the amounts. `group`
    /// is a table whose rows are the groups, so that its units are the same in each of them.
    pub(super) fn added_by<'t>(
        &self,
        table: &'t TableInfo,
        measure: &ColumnInfo,
        group: Option<&TableInfo>,
    ) -> Vec<(Vec<&'t ColumnInfo>, Vec<Unit>)> {
        let units = units_of(table, measure);
        let plain = (Vec::new(), self.one_valued(table, measure, &units, group));
        if units.is_empty() {
            return vec![plain];
        }
        vec![plain, (units, self.one_valued(table, measure, &[], group))]
    }

    /// These columns of a table, and the units of the tables that its rows belong to: an invoice's
    /// currency is that of its lines.
    pub(super) fn one_valued(
        &self,
        table: &TableInfo,
        measure: &ColumnInfo,
        units: &[&ColumnInfo],
        group: Option<&TableInfo>,
    ) -> Vec<Unit> {
        let joins = self.catalogue.graph.relationships().iter();
        let parents: HashSet<&str> = joins
            .filter_map(|edge| match edge.cardinality {
                Cardinality::OneToMany if edge.to_table == table.name => Some(&*edge.from_table),
                Cardinality::OneToMany => None,
                _ if edge.from_table == table.name => Some(&*edge.to_table),
                _ => None,
            })
            .collect();
        let parents = self.catalogue.tables.values().filter(|parent| {
            let is_group = group.is_some_and(|group| group.name == parent.name);
            parents.contains(&*parent.name) && parent.name != table.name && !is_group
        });
        let column = |table: &TableInfo, unit: &ColumnInfo| Unit {
            table: self.table(table),
            name: self.quoted(&unit.name),
        };
        let own = units.iter().map(|unit| column(table, unit));
        let theirs = parents.flat_map(|parent| {
            let units = units_of(parent, measure).into_iter();
            units.map(move |unit| column(parent, unit))
        });
        own.chain(theirs).collect()
    }
}

/// The columns that say what the amounts of a row are in. Nothing for what says it itself:
/// kilograms have no currency.
pub(super) fn units_of<'t>(table: &'t TableInfo, measure: &ColumnInfo) -> Vec<&'t ColumnInfo> {
    let units = table.columns.iter().filter(|column| is_unit(column));
    units.filter(|_| is_amount(measure)).collect()
}

/// Whether a column says what amounts are in.
pub(super) fn is_unit(column: &ColumnInfo) -> bool {
    let is = |word: &String| is_unit_word(word) || is_currency_word(word);
    let is_named = identifier_words(&column.name).iter().any(is);
    is_named && is_text(column) && !column.unique
}

/// Whether the unit of a column's figures is not in its own name.
pub(super) fn is_amount(column: &ColumnInfo) -> bool {
    const MEASURED: [&str; 21] = [
        "kg", "km", "kwh", "cm", "mm", "ml", "hours", "hour", "minutes", "days", "weight",
        "distance", "length", "height", "width", "percent", "pct", "age", "year", "rating",
        "stock",
    ];
    let words = identifier_words(&column.name);
    !words.iter().any(|word| MEASURED.contains(&word.as_str()))
}

/// Units as further groups of a question.
pub(super) fn and_units<'c>(units: impl Iterator<Item = &'c ColumnInfo>) -> String {
    let said: Vec<String> = units
        .map(|unit| format!(" and {}", spoken(&unit.name)))
        .collect();
    said.concat()
}

#[cfg(test)]
mod tests {
    use super::super::columns::tests::column;
    use super::*;

    #[test]
    fn what_says_its_own_unit_has_no_other() {
        for (name, is) in [
            ("cost", true),
            ("amount", true),
            ("food_kg", false),
            ("distanceKm", false),
            ("labour_hours", false),
        ] {
            assert_eq!(is_amount(&column(name, "numeric")), is, "{name}");
        }
        assert!(is_unit(&column("cost_unit", "text")) && !is_unit(&column("cost_unit", "int")));
        for currency in ["currency", "waehrung", "Belegwährung", "devise"] {
            assert!(is_unit(&column(currency, "text")), "{currency}");
        }
    }
}
