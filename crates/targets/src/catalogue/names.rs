//! Names of tables in the policy file and the graph file, as the catalogue has them.
//!
//! A table of the target's first schema is `table` in the catalogue, one of another schema
//! `schema.table`. Files may say `schema.table` of the first schema too, and `table` of another
//! schema where the first has no such table.

use std::collections::{BTreeMap, BTreeSet};

use join_graph::Document;
use sql_guard::{ColumnRule, RowFilter};

use crate::introspect::{FoundTable, Introspection};
use crate::policy::SecureViews;
use crate::{PolicyFile, TargetError};

/// The tables of a database, by their names.
pub(super) struct Names<'f>(&'f Introspection);

impl<'f> Names<'f> {
    pub(super) fn of(found: &'f Introspection) -> Names<'f> {
        Names(found)
    }

    /// Notes for the operator about schemas that do not exist.
    pub(super) fn missing(&self) -> impl Iterator<Item = String> {
        self.0.missing_schemas.iter().map(|schema| {
            format!(
                "The schema '{schema}' has no tables here: it does not exist, or the role may not use it."
            )
        })
    }

    /// A table's name with its schema.
    pub(super) fn qualified(&self, table: &FoundTable) -> String {
        match &table.schema {
            Some(_) => table.name.clone(),
            None => format!("{}.{}", self.0.schema, table.name),
        }
    }

    /// The policy with names as the catalogue has them. Fails where two names of one table have a
    /// rule each.
    pub(super) fn policy(&self, file: PolicyFile) -> Result<PolicyFile, TargetError> {
        let mut columns: BTreeMap<String, BTreeMap<String, ColumnRule>> = BTreeMap::new();
        for (written, rules) in file.columns {
            let meant = self.all(&written);
            for table in meant {
                if columns.insert(table.clone(), rules.clone()).is_some() {
                    return Err(twice("columns", &table));
                }
            }
        }
        let mut row_filters = BTreeMap::new();
        for (written, filter) in file.row_filters {
            let filter = match filter {
                RowFilter::Through {
                    column,
                    parent,
                    parent_column,
                } => RowFilter::Through {
                    parent: self.one(&parent),
                    column,
                    parent_column,
                },
                own @ RowFilter::Column(_) => own,
            };
            let table = self.one(&written);
            if row_filters.insert(table.clone(), filter).is_some() {
                return Err(twice("row_filters", &table));
            }
        }
        let secure_views = match file.secure_views {
            SecureViews::Map(views) => {
                let mut named = BTreeMap::new();
                for (table, view) in views {
                    let (table, view) = (self.one(&table), self.one(&view));
                    if named.insert(table.clone(), view).is_some() {
                        return Err(twice("secure_views", &table));
                    }
                }
                SecureViews::Map(named)
            }
            word @ SecureViews::Word(_) => word,
        };
        Ok(PolicyFile {
            secure_views,
            row_filters,
            columns,
            shared_tables: file.shared_tables.map(|names| {
                let names = names.iter();
                names.map(|name| self.one(name)).collect::<BTreeSet<_>>()
            }),
            ..file
        })
    }

    /// A join graph with names as the catalogue has them.
    pub(super) fn graph(&self, mut graph: Document) -> Document {
        graph.tables = std::mem::take(&mut graph.tables)
            .into_iter()
            .map(|(name, table)| (self.one(&name), table))
            .collect();
        for edge in &mut graph.relationships {
            edge.from_table = self.one(&edge.from_table);
            edge.to_table = self.one(&edge.to_table);
        }
        graph
    }

    /// The only table that a name means; the name itself if there is none, or more than one.
    fn one(&self, name: &str) -> String {
        match <[String; 1]>::try_from(self.all(name)) {
            Ok([only]) => only,
            Err(_) => name.to_owned(),
        }
    }

    /// The tables that a name means: a bare one that the first schema does not have means those of
    /// all others.
    fn all(&self, written: &str) -> Vec<String> {
        let name = self.without_first(written);
        let same = |one: &str| one.to_lowercase() == name.to_lowercase();
        let tables = &self.0.tables;
        if tables.iter().any(|table| same(&table.name)) {
            return vec![name.to_owned()];
        }
        let elsewhere: Vec<String> = tables
            .iter()
            .filter(|table| table.schema.is_some() && same(table.bare_name()))
            .map(|table| table.name.clone())
            .collect();
        if elsewhere.is_empty() {
            vec![name.to_owned()]
        } else {
            elsewhere
        }
    }

    fn without_first<'n>(&self, name: &'n str) -> &'n str {
        let own = name.split_once('.').and_then(|(schema, table)| {
            let first = schema.to_lowercase() == self.0.schema.to_lowercase();
            (first && !table.is_empty()).then_some(table)
        });
        own.unwrap_or(name)
    }
}

fn twice(member: &str, table: &str) -> TargetError {
    TargetError::Policy {
        message: format!(
            "The policy file has two rules for the table '{table}' in `{member}`, under two of its names. Keep one of them."
        ),
    }
}

#[cfg(test)]
mod tests {
    use sql_guard::Dialect;

    use super::*;

    fn found() -> Introspection {
        let table = |schema: Option<&str>, name: &str| FoundTable {
            name: schema.map_or_else(|| name.to_owned(), |schema| format!("{schema}.{name}")),
            schema: schema.map(ToOwned::to_owned),
            ..FoundTable::default()
        };
        Introspection {
            dialect: Dialect::PostgreSql,
            server: None,
            schema: "sales".to_owned(),
            other_schemas: vec!["hr".to_owned(), "ops".to_owned()],
            missing_schemas: Vec::new(),
            tables: vec![
                table(None, "customer"),
                table(Some("hr"), "employee"),
                table(Some("hr"), "customer"),
                table(Some("hr"), "shift"),
                table(Some("ops"), "shift"),
            ],
            foreign_keys: Vec::new(),
        }
    }

    #[test]
    fn files_name_tables_with_and_without_their_schema() {
        let found = found();
        let names = Names::of(&found);
        assert_eq!(names.one("sales.customer"), "customer");
        assert_eq!(names.one("customer"), "customer");
        assert_eq!(names.one("hr.customer"), "hr.customer");
        assert_eq!(names.one("employee"), "hr.employee");
        assert_eq!(names.one("shift"), "shift", "there are two of it");
        assert_eq!(names.all("shift"), ["hr.shift", "ops.shift"]);
    }

    #[test]
    fn two_rules_for_one_table_are_refused() {
        let found = found();
        let mut file = PolicyFile::default();
        for name in ["sales.customer", "customer"] {
            file.row_filters
                .insert(name.to_owned(), "company_id".into());
        }
        let error = Names::of(&found).policy(file).unwrap_err();
        assert!(error.to_string().contains("'customer'"), "{error}");
    }
}
