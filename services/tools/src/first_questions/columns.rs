//! The columns that a table is asked for: a category, a measure, a label, a date.

use contracts::tools::sql::Measure;
use targets::join_graph::Relationship;
use targets::{ColumnInfo, TableInfo};

use super::maker::Maker;
use super::units::is_unit;
use crate::sql_tools::identifier_words;

impl Maker<'_> {
    /// A column of few values: by its name, or of a short text.
    pub(super) fn category<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        const NAMES: [&str; 15] = [
            "status",
            "state",
            "type",
            "kind",
            "category",
            "region",
            "country",
            "city",
            "gender",
            "department",
            "priority",
            "group",
            "channel",
            "brand",
            "product",
        ];
        let mut texts = table
            .columns
            .iter()
            .filter(|column| is_text(column) && !column.unique && !self.is_joined(table, column));
        let named = texts.clone().find(|column| {
            let words = identifier_words(&column.name);
            words.iter().any(|word| NAMES.contains(&word.as_str()))
        });
        let other = texts
            .clone()
            .find(|column| !is_of_one_row(column) && !is_unit(column));
        named
            .or(other)
            .or_else(|| texts.find(|column| is_unit(column)))
    }

    /// A column with figures: those that add up before others, and of these decimals before whole
    /// numbers. Numbers that name something are none.
    pub(super) fn measure<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        let columns = table.columns.iter().filter(|column| {
            is_number(column)
                && !column.unique
                && measure_of(column) != Measure::Label
                && !self.is_joined(table, column)
        });
        let rank = |column: &&ColumnInfo| {
            let adds = match measure_of(column) {
                Measure::Amount => 0,
                Measure::Rate => 1,
                Measure::Unknown | Measure::Label => 2,
            };
            (adds, column.data_type.to_lowercase().contains("int"))
        };
        // Of equal ones the first.
        columns.min_by_key(rank)
    }

    /// The column by which a row is called.
    pub(super) fn label<'t>(&self, table: &'t TableInfo) -> Option<&'t ColumnInfo> {
        let columns = table.columns.iter();
        let texts = columns.filter(|column| is_text(column) && !self.is_joined(table, column));
        let texts: Vec<&ColumnInfo> = texts.collect();
        let named = texts.iter().find(|column| {
            let words = identifier_words(&column.name);
            words
                .iter()
                .any(|word| ["name", "title", "label"].contains(&word.as_str()))
        });
        named.or_else(|| texts.first()).copied()
    }

    fn is_joined(&self, table: &TableInfo, column: &ColumnInfo) -> bool {
        let ends = |edge: &Relationship| {
            (edge.from_table == table.name && edge.from_column == column.name)
                || (edge.to_table == table.name && edge.to_column == column.name)
        };
        self.catalogue.graph.relationships().iter().any(ends)
    }
}

/// Whether the texts of a column are a row's own: its name, its number, its address.
fn is_of_one_row(column: &ColumnInfo) -> bool {
    const NAMES: [&str; 26] = [
        "name",
        "title",
        "label",
        "isbn",
        "ean",
        "sku",
        "imo",
        "vin",
        "serial",
        "no",
        "nr",
        "number",
        "code",
        "id",
        "uuid",
        "email",
        "mail",
        "phone",
        "fax",
        "url",
        "address",
        "street",
        "description",
        "comment",
        "notes",
        "note",
    ];
    let words = identifier_words(&column.name);
    words
        .last()
        .is_some_and(|word| NAMES.contains(&word.as_str()))
}

/// The kind of the figures of a column.
pub(super) fn measure_of(column: &ColumnInfo) -> Measure {
    Measure::of(&column.name, column.comment.as_deref())
}

pub(super) fn is_text(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.contains("char") || kind.contains("text") || kind.starts_with("enum")
}

fn is_number(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    let is = |part: &str| kind.contains(part);
    (is("int") && !is("interval") && !is("point") && kind != "tinyint(1)")
        || is("numeric")
        || is("decimal")
        || is("double")
        || is("float")
        || is("real")
}

pub(super) fn is_date(column: &ColumnInfo) -> bool {
    let kind = column.data_type.to_lowercase();
    kind.contains("date") || kind.contains("timestamp")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn column(name: &str, kind: &str) -> ColumnInfo {
        ColumnInfo {
            name: name.to_owned(),
            data_type: kind.to_owned(),
            nullable: true,
            unique: false,
            comment: None,
            remark: None,
        }
    }

    #[test]
    fn a_name_is_no_category() {
        for (name, is) in [
            ("isbn", true),
            ("name", true),
            ("firstName", true),
            ("email", true),
            ("status", false),
            ("species", false),
        ] {
            assert_eq!(is_of_one_row(&column(name, "text")), is, "{name}");
        }
    }
}
