//! Row filters, held against what the database has. A filter that cannot be kept leaves its table
//! without a rule, and what has no rule is hidden.

use std::collections::BTreeMap;

use sql_guard::{ColumnRule, RowFilter};

use crate::introspect::FoundTable;

/// Number of tables that a filter may lead through.
const DEPTH: usize = 8;

/// The filters that can be kept, spelt as the database does.
pub(super) fn filters(
    wanted: &BTreeMap<String, RowFilter>,
    tables: &BTreeMap<String, FoundTable>,
    notes: &mut Vec<String>,
) -> BTreeMap<String, RowFilter> {
    let mut kept = BTreeMap::new();
    for (name, filter) in wanted {
        let Some(table) = find(tables, name) else {
            notes.push(format!(
                "The row filter of '{name}' is for no table that our role may read."
            ));
            continue;
        };
        match spelt(table, filter, tables) {
            Some(filter) => {
                kept.insert(table.name.clone(), filter);
            }
            None => notes.push(format!(
                "Table '{}' is hidden: its row filter names a column that is not there.",
                table.name
            )),
        }
    }
    close(&mut kept, notes);
    kept
}

/// The rules of columns, spelt as the database does. A table with a rule for a column that is not
/// there is hidden: what the rule was to keep back may be there by another name.
pub(super) fn columns(
    wanted: &BTreeMap<String, BTreeMap<String, ColumnRule>>,
    tables: &mut BTreeMap<String, FoundTable>,
    notes: &mut Vec<String>,
) -> BTreeMap<String, BTreeMap<String, ColumnRule>> {
    let mut kept = BTreeMap::new();
    for (name, rules) in wanted {
        let Some(table) = find(tables, name).cloned() else {
            notes.push(format!(
                "The rules for columns of '{name}' are for no table that our role may read."
            ));
            continue;
        };
        let spelt = |(column, rule): (&String, &ColumnRule)| {
            let found = table.column(column).ok_or_else(|| column.clone())?;
            Ok((found.name.clone(), *rule))
        };
        match rules.iter().map(spelt).collect::<Result<_, String>>() {
            Ok(rules) => {
                kept.insert(table.name.clone(), rules);
            }
            Err(column) => {
                notes.push(format!(
                    "Table '{}' is hidden: a rule names its column '{column}', which does not exist.",
                    table.name
                ));
                tables.remove(&table.name);
            }
        }
    }
    kept
}

/// Whether tenants are numbers in this database. Filters over columns of the other kind are taken
/// out, with all that lead to them: a tenant has one id.
pub(super) fn same_kind(
    filters: &mut BTreeMap<String, RowFilter>,
    tables: &BTreeMap<String, FoundTable>,
    notes: &mut Vec<String>,
) -> bool {
    let is_number = |name: &String, filter: &RowFilter| match filter {
        RowFilter::Column(column) => find(tables, name)?
            .column(column)
            .map(|column| numeric(&column.data_type)),
        RowFilter::Through { .. } => None,
    };
    let votes: Vec<bool> = filters
        .iter()
        .filter_map(|(name, filter)| is_number(name, filter))
        .collect();
    let numbers = 2 * votes.iter().filter(|vote| **vote).count() > votes.len();
    filters.retain(|name, filter| {
        let fits = is_number(name, filter).is_none_or(|it| it == numbers);
        if !fits {
            notes.push(format!("Table '{name}' is hidden: its tenant column is of another type than that of most tables."));
        }
        fits
    });
    close(filters, notes);
    numbers
}

/// Takes out filters that do not lead to a tenant's column.
fn close(filters: &mut BTreeMap<String, RowFilter>, notes: &mut Vec<String>) {
    let open: Vec<String> = filters
        .keys()
        .filter(|name| !ends(name, filters))
        .cloned()
        .collect();
    for name in open {
        notes.push(format!(
            "Table '{name}' is hidden: its row filter does not lead to a tenant's column."
        ));
        filters.remove(&name);
    }
}

fn ends(name: &str, filters: &BTreeMap<String, RowFilter>) -> bool {
    let mut at = name;
    for _ in 0..DEPTH {
        match filters.get(at) {
            Some(RowFilter::Column(_)) => return true,
            Some(RowFilter::Through { parent, .. }) => at = parent,
            None => return false,
        }
    }
    false
}

fn spelt(
    table: &FoundTable,
    filter: &RowFilter,
    tables: &BTreeMap<String, FoundTable>,
) -> Option<RowFilter> {
    Some(match filter {
        RowFilter::Column(column) => RowFilter::Column(table.column(column)?.name.clone()),
        RowFilter::Through {
            column,
            parent,
            parent_column,
        } => {
            let parent = find(tables, parent)?;
            RowFilter::Through {
                column: table.column(column)?.name.clone(),
                parent: parent.name.clone(),
                parent_column: parent.column(parent_column)?.name.clone(),
            }
        }
    })
}

fn find<'t>(tables: &'t BTreeMap<String, FoundTable>, name: &str) -> Option<&'t FoundTable> {
    tables.get(name).or_else(|| {
        tables
            .values()
            .find(|table| table.name.to_lowercase() == name.to_lowercase())
    })
}

fn numeric(data_type: &str) -> bool {
    let folded = data_type.to_lowercase();
    [
        "int",
        "bigint",
        "smallint",
        "mediumint",
        "tinyint",
        "numeric",
        "decimal",
    ]
    .iter()
    .any(|name| folded.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FoundColumn;

    fn tables(given: &[(&str, &[(&str, &str)])]) -> BTreeMap<String, FoundTable> {
        let column = |(name, data_type): &(&str, &str)| FoundColumn {
            name: (*name).to_owned(),
            data_type: (*data_type).to_owned(),
            readable: true,
            ..FoundColumn::default()
        };
        let table = |(name, columns): &(&str, &[(&str, &str)])| {
            let name = (*name).to_owned();
            let columns = columns.iter().map(column).collect();
            (
                name.clone(),
                FoundTable {
                    name,
                    columns,
                    ..FoundTable::default()
                },
            )
        };
        given.iter().map(table).collect()
    }

    fn through(column: &str, parent: &str) -> RowFilter {
        RowFilter::Through {
            column: column.to_owned(),
            parent: parent.to_owned(),
            parent_column: "id".to_owned(),
        }
    }

    #[test]
    fn filters_that_can_not_be_kept_leave_no_rule() {
        let tables = tables(&[
            ("crew", &[("id", "int"), ("companyId", "int")]),
            ("note", &[("id", "int"), ("crewId", "int")]),
            ("log", &[("id", "int"), ("noteId", "int")]),
            ("tag", &[("id", "int")]),
        ]);
        let wanted = BTreeMap::from([
            ("CREW".to_owned(), RowFilter::from("companyid")),
            ("note".to_owned(), through("crewId", "Crew")),
            ("log".to_owned(), through("noteId", "tag")),
            ("tag".to_owned(), RowFilter::from("gone")),
            ("ghost".to_owned(), RowFilter::from("x")),
        ]);
        let mut notes = Vec::new();
        let kept = filters(&wanted, &tables, &mut notes);
        assert_eq!(kept.keys().collect::<Vec<_>>(), ["crew", "note"]);
        assert_eq!(kept["crew"], RowFilter::from("companyId"));
        assert_eq!(kept["note"], through("crewId", "crew"));
        assert_eq!(notes.len(), 3, "{notes:?}");
    }

    #[test]
    fn a_table_with_a_rule_for_no_column_is_hidden() {
        let mut tables = tables(&[
            ("crew", &[("id", "int"), ("Wage", "int")]),
            ("note", &[("id", "int")]),
        ]);
        let rules = |column: &str| BTreeMap::from([(column.to_owned(), ColumnRule::Hidden)]);
        let wanted = BTreeMap::from([
            ("CREW".to_owned(), rules("wage")),
            ("note".to_owned(), rules("txet")),
            ("ghost".to_owned(), rules("x")),
        ]);
        let mut notes = Vec::new();
        let kept = columns(&wanted, &mut tables, &mut notes);
        assert_eq!(kept, BTreeMap::from([("crew".to_owned(), rules("Wage"))]));
        assert_eq!(tables.keys().collect::<Vec<_>>(), ["crew"]);
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn tenants_are_of_one_kind() {
        let tables = tables(&[
            ("a", &[("t", "int(11)")]),
            ("b", &[("t", "bigint")]),
            ("c", &[("id", "int"), ("t", "varchar(9)")]),
            ("d", &[("c_id", "int")]),
        ]);
        let mut filters: BTreeMap<String, RowFilter> = ["a", "b", "c"]
            .map(|name| (name.to_owned(), RowFilter::from("t")))
            .into();
        filters.insert("d".to_owned(), through("c_id", "c"));
        let mut notes = Vec::new();
        assert!(same_kind(&mut filters, &tables, &mut notes));
        assert_eq!(filters.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(notes.len(), 2);
    }
}
