//! Which of the names that were asked for are tables, and what was meant by the others.

use contracts::tools::sql::UnknownTable;
use targets::{Catalogue, TableInfo};

use super::ranking::nearest;

/// Names sorted out.
pub(super) struct Known<'c> {
    /// The tables, each once, in the order asked.
    pub(super) tables: Vec<&'c TableInfo>,
    pub(super) unknown: Vec<UnknownTable>,
}

/// Finds tables by their logical names, in any case.
pub(super) fn known_tables<'c>(catalogue: &'c Catalogue, names: &[String]) -> Known<'c> {
    let mut known = Known {
        tables: Vec::new(),
        unknown: Vec::new(),
    };
    for name in names {
        match catalogue.table(name) {
            Some(table) if known.tables.iter().any(|other| other.name == table.name) => {}
            Some(table) => known.tables.push(table),
            None if known.unknown.iter().any(|other| other.name == *name) => {}
            None => known.unknown.push(UnknownTable {
                name: name.clone(),
                suggestions: nearest(name, catalogue.tables.keys().map(String::as_str)),
            }),
        }
    }
    known
}
