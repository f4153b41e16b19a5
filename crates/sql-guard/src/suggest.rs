//! Suggestions for names that do not exist.

use std::fmt::Write as _;

use crate::finding::{Finding, Kind};
use crate::fold;
use crate::schema::Schema;
use crate::scope::Relation;

/// Suggestions named in one finding.
const NAMED: usize = 20;
/// Columns listed in one finding.
const LISTED: usize = 100;

pub(crate) fn unknown_table(schema: &Schema, name: &str) -> Finding {
    let nearest = nearest(name, schema.tables(), 3);
    let mut message = format!("Table '{name}' does NOT exist.");
    if let Some((first, others)) = nearest.split_first() {
        _ = write!(message, " Did you mean '{first}'?");
        if !others.is_empty() {
            _ = write!(message, " Similar: {}.", others.join(", "));
        }
    }
    Finding {
        kind: Kind::UnknownTable,
        message,
        suggestions: nearest,
    }
}

/// `ids` are tables of that name in several schemas.
pub(crate) fn several_tables(schema: &Schema, name: &str, ids: &[usize]) -> Finding {
    let suggestions: Vec<String> = ids
        .iter()
        .take(NAMED)
        .map(|&id| schema.table(id).name.clone())
        .collect();
    Finding {
        kind: Kind::UnknownTable,
        message: format!(
            "There are several tables '{name}'. Say which: {}.",
            suggestions.join(", ")
        ),
        suggestions,
    }
}

/// `seen` are the relations in which the column was sought, with their columns and, for a table,
/// its name.
pub(crate) fn unknown_column(
    schema: &Schema,
    qualifier: Option<&str>,
    column: &str,
    seen: &[Seen],
) -> Finding {
    let written = qualifier.map_or_else(
        || column.to_owned(),
        |qualifier| format!("{qualifier}.{column}"),
    );
    let names: Vec<String> = seen.iter().map(|seen| format!("'{}'", seen.name)).collect();
    let mut message = match names.as_slice() {
        [] => format!("Column '{written}' does NOT exist: there is no table to take it from."),
        [name] => format!("Column '{written}' does NOT exist in table {name}."),
        _ => format!(
            "Column '{written}' does NOT exist in tables {}.",
            names.join(", ")
        ),
    };
    let in_statement = |name: &str| seen.iter().any(|seen| seen.name == name);
    let mut found: Vec<String> = schema
        .having(column)
        .iter()
        .map(|&id| schema.table(id).name.clone())
        .collect();
    found.sort_by_key(|name| !in_statement(name));
    found.truncate(NAMED);
    let suggestions = if found.is_empty() {
        let near = nearest(
            column,
            seen.iter()
                .flat_map(|seen| &seen.columns)
                .map(String::as_str),
            3,
        );
        if let Some(first) = near.first() {
            _ = write!(message, " Did you mean '{first}'?");
        }
        near
    } else {
        _ = write!(message, " Found in: {}.", found.join(", "));
        found
    };
    for seen in seen.iter().filter(|seen| !seen.columns.is_empty()) {
        let columns: Vec<&str> = seen
            .columns
            .iter()
            .take(LISTED)
            .map(String::as_str)
            .collect();
        _ = write!(
            message,
            " Available columns in {}: {}.",
            seen.name,
            columns.join(", ")
        );
    }
    Finding {
        kind: Kind::UnknownColumn,
        message,
        suggestions,
    }
}

/// `having` are the relations that each have the column.
pub(crate) fn ambiguous(column: &str, having: &[&Relation]) -> Finding {
    let suggestions: Vec<String> = having
        .iter()
        .filter_map(|relation| relation.name.as_ref())
        .map(|name| format!("{}.{column}", name.ident.value))
        .take(NAMED)
        .collect();
    Finding {
        kind: Kind::AmbiguousColumn,
        message: format!(
            "Column '{column}' is ambiguous. Say whose it is: {}.",
            suggestions.join(", ")
        ),
        suggestions,
    }
}

/// A relation a column was sought in.
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
}

fn nearest<'n>(wanted: &str, names: impl Iterator<Item = &'n str>, most: usize) -> Vec<String> {
    let folded = fold(wanted);
    let plain = folded.strip_prefix("secure_").unwrap_or(&folded);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let other = fold(name);
            let distance = strsim::damerau_levenshtein(plain, &other);
            let contained = other.len() >= 4 && plain.contains(&other)
                || plain.len() >= 4 && other.contains(plain);
            let near = distance <= 2.max(plain.chars().count() / 3);
            (near || contained).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter()
        .take(most)
        .map(|(_, name)| name.to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_is_the_documents() {
        let schema = Schema::new([
            ("crew", vec!["id", "workOrderId"]),
            ("employeeCrew", vec!["isLead"]),
        ])
        .unwrap();
        let seen = Seen {
            name: "crew".to_owned(),
            columns: vec!["id".to_owned(), "workOrderId".to_owned()],
        };
        let finding = unknown_column(&schema, Some("crew"), "isLead", &[seen]);
        assert_eq!(
            finding.message,
            "Column 'crew.isLead' does NOT exist in table 'crew'. Found in: employeeCrew. Available columns in crew: id, workOrderId."
        );
        assert_eq!(finding.suggestions, ["employeeCrew"]);
        assert_eq!(
            unknown_table(&schema, "secure_crew").suggestions,
            ["crew", "employeeCrew"]
        );
        assert_eq!(
            unknown_table(&schema, "xyz").message,
            "Table 'xyz' does NOT exist."
        );
    }
}
