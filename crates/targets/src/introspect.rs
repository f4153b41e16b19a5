//! Introspection of a database: tables, views, columns, keys, and what joins them.
//!
//! A few queries of the catalogue for the whole schema, however many tables it has.

mod heuristic;
#[cfg(feature = "mariadb")]
mod mysql;
mod postgres;

use std::collections::{BTreeMap, HashMap, HashSet};

use indexmap::IndexMap;
use join_graph::{Cardinality, Document, Relationship, RelationshipType, Table};
use secrecy::SecretString;
use sql_guard::{Dialect, Server};

use crate::connection::Pool;
use crate::policy::SecureViews;
use crate::{TargetConfig, TargetError};

/// The parts of a database that the target's role finds.
#[derive(Debug, Clone)]
pub struct Introspection {
    /// How the database writes SQL.
    pub dialect: Dialect,
    /// What server it is.
    pub server: Option<Server>,
    /// The database (`MySQL`), or the first of the schemas (PostgreSQL), that was looked at.
    pub schema: String,
    /// The other schemas that were looked at; their tables are named `schema.table`.
    pub other_schemas: Vec<String>,
    /// The requested schemas that do not exist, or that the target's role may not use.
    pub(crate) missing_schemas: Vec<String>,
    /// Tables and views, by name.
    pub tables: Vec<FoundTable>,
    /// One entry per pair of columns of a foreign key.
    pub(crate) foreign_keys: Vec<ForeignKey>,
}

/// A table or view.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundTable {
    /// Its name: `table` in the first schema, `schema.table` in another.
    pub name: String,
    /// The schema that it is in, where that is not the first.
    pub schema: Option<String>,
    /// The database's comment on it.
    pub comment: Option<String>,
    /// Whether it is a view.
    pub is_view: bool,
    /// Number of rows that the database thinks it has.
    pub rows: Option<u64>,
    /// Its columns, in the database's order.
    pub columns: Vec<FoundColumn>,
    /// The columns of the primary key.
    pub primary_key: Vec<String>,
    /// Columns that are unique by themselves, the primary key of one column among them.
    pub unique_columns: Vec<String>,
    /// Whether it represents a table that is read through a secure view.
    pub(crate) secure_view: Option<String>,
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundColumn {
    /// The name in the database.
    pub name: String,
    /// Its type, as the database writes it.
    pub data_type: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// The database's comment on it.
    pub comment: Option<String>,
    /// Whether the target's role may read it.
    pub readable: bool,
    /// The source of its values.
    pub values: ValueSource,
}

/// The source of a column's values, as far as it decides which expressions can fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueSource {
    /// They are stored.
    #[default]
    Stored,
    /// They are stored, with a collation of the column's own: comparing them with those of another
    /// column may fail.
    Collated,
    /// They are computed when they are read, which may fail.
    Computed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ForeignKey {
    pub(crate) name: String,
    pub(crate) from: (String, String),
    pub(crate) to: (String, String),
}

/// Looks at the database behind a URL.
pub async fn introspect(url: SecretString) -> Result<Introspection, TargetError> {
    let pool = Pool::new(&TargetConfig::new("database", url))?;
    let found = pool.introspect().await;
    pool.close().await;
    found
}

pub(crate) use heuristic::same_family;
#[cfg(feature = "mariadb")]
pub(crate) use mysql::introspect as introspect_mysql;
pub(crate) use postgres::introspect as introspect_postgres;

impl Introspection {
    /// The raw join graph: foreign keys with confidence 1, and what the names suggest with less. A
    /// view named `secure_<table in lower case>` represents its table.
    pub fn document(&self) -> Document {
        let views = self.secure_views(&SecureViews::default(), &[]);
        self.logical(&views).graph()
    }

    /// The existing secure views, by the table each represents. `names` are those by which tables
    /// are known elsewhere: if the target's role does not see the table, they show its spelling.
    pub(crate) fn secure_views(
        &self,
        wanted: &SecureViews,
        names: &[&str],
    ) -> BTreeMap<String, String> {
        let views = self.tables.iter().filter(|table| table.is_view);
        match wanted {
            SecureViews::Map(map) => map.clone(),
            SecureViews::Word(_) => views
                .filter_map(|view| {
                    let folded = view.bare_name().to_lowercase();
                    let stem = folded
                        .strip_prefix("secure_")
                        .filter(|stem| !stem.is_empty())?;
                    let stem = match &view.schema {
                        Some(schema) => format!("{}.{stem}", schema.to_lowercase()),
                        None => stem.to_owned(),
                    };
                    let tables = self
                        .tables
                        .iter()
                        .filter(|table| !table.is_view)
                        .map(|table| table.name.as_str());
                    let table = tables
                        .chain(names.iter().copied())
                        .find(|name| name.to_lowercase() == stem)
                        .unwrap_or(&stem);
                    Some((table.to_owned(), view.name.clone()))
                })
                .collect(),
        }
    }

    /// With each protected table shown as its secure view shows it, and without those views. A
    /// table whose view is not there is left out.
    pub(crate) fn logical(&self, views: &BTreeMap<String, String>) -> Introspection {
        let by_name: HashMap<String, &FoundTable> = self
            .tables
            .iter()
            .map(|table| (table.name.to_lowercase(), table))
            .collect();
        let hidden: HashSet<String> = views
            .iter()
            .flat_map(|(table, view)| [table.to_lowercase(), view.to_lowercase()])
            .collect();
        let mut tables: Vec<FoundTable> = self
            .tables
            .iter()
            .filter(|table| !hidden.contains(&table.name.to_lowercase()))
            .cloned()
            .collect();
        for (table, view) in views {
            let Some(shown) = by_name.get(&view.to_lowercase()) else {
                continue;
            };
            let base = by_name.get(&table.to_lowercase());
            tables.push(seen_through(shown, base.copied(), table));
        }
        tables.sort_by(|one, other| one.name.cmp(&other.name));
        Introspection {
            tables,
            ..self.clone()
        }
    }

    /// The join graph of the tables as they are.
    pub(crate) fn graph(&self) -> Document {
        let tables: IndexMap<String, Table> = self
            .tables
            .iter()
            .map(|table| (table.name.clone(), table.entry()))
            .collect();
        let unique = self.unique();
        let mut relationships: Vec<Relationship> = self
            .foreign_keys
            .iter()
            .map(|key| Relationship {
                from_table: key.from.0.clone(),
                from_column: key.from.1.clone(),
                to_table: key.to.0.clone(),
                to_column: key.to.1.clone(),
                kind: RelationshipType::ForeignKey,
                confidence: 1.0,
                cardinality: unique.cardinality(&key.from, &key.to),
                evidence: vec![key.name.clone()],
                sources: vec!["database".to_owned()],
                key: Some(key.name.clone()),
            })
            .collect();
        relationships.extend(heuristic::guess(self));
        Document {
            version: 1,
            tables,
            relationships,
        }
    }

    /// The columns that are unique by themselves.
    pub(crate) fn unique(&self) -> Unique<'_> {
        let mut unique = HashSet::new();
        for table in &self.tables {
            let columns = table.unique_columns.iter();
            unique.extend(columns.map(|column| (table.name.as_str(), column.as_str())));
        }
        Unique(unique)
    }
}

/// Columns that are unique by themselves, by table.
pub(crate) struct Unique<'f>(HashSet<(&'f str, &'f str)>);

impl Unique<'_> {
    pub(crate) fn cardinality(
        &self,
        from: &(String, String),
        to: &(String, String),
    ) -> Cardinality {
        let unique = |end: &(String, String)| self.0.contains(&(end.0.as_str(), end.1.as_str()));
        match (unique(from), unique(to)) {
            (true, true) => Cardinality::OneToOne,
            (false, true) => Cardinality::ManyToOne,
            (true, false) => Cardinality::OneToMany,
            (false, false) => Cardinality::Unknown,
        }
    }
}

impl FoundTable {
    /// Its name within its schema.
    pub fn bare_name(&self) -> &str {
        bare_name(&self.name, self.schema.as_deref())
    }

    fn entry(&self) -> Table {
        Table {
            columns: self
                .columns
                .iter()
                .map(|column| column.name.clone())
                .collect(),
            unique_columns: self.unique_columns.clone(),
            primary_key: self.primary_key.clone(),
            comment: self.comment.clone(),
        }
    }

    pub(crate) fn column(&self, name: &str) -> Option<&FoundColumn> {
        self.columns
            .iter()
            .find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// A table's name without this schema before it.
pub(crate) fn bare_name<'n>(name: &'n str, schema: Option<&str>) -> &'n str {
    let qualified = schema.and_then(|schema| name.strip_prefix(schema)?.strip_prefix('.'));
    qualified.unwrap_or(name)
}

/// A table as its view shows it, with the keys and comments that only the table has.
fn seen_through(view: &FoundTable, base: Option<&FoundTable>, name: &str) -> FoundTable {
    let mut seen = FoundTable {
        name: base.map_or_else(|| name.to_owned(), |base| base.name.clone()),
        schema: match base {
            Some(base) => base.schema.clone(),
            None => view
                .schema
                .clone()
                .filter(|schema| name.starts_with(&format!("{schema}."))),
        },
        is_view: false,
        secure_view: Some(view.name.clone()),
        ..view.clone()
    };
    let Some(base) = base else { return seen };
    let shown = |columns: &[String]| -> Vec<String> {
        let found = columns.iter().filter_map(|column| view.column(column));
        found.map(|column| column.name.clone()).collect()
    };
    seen.unique_columns = shown(&base.unique_columns);
    seen.primary_key = shown(&base.primary_key);
    if seen.primary_key.len() != base.primary_key.len() {
        seen.primary_key.clear();
    }
    seen.rows = base.rows;
    seen.comment = base.comment.clone().or(seen.comment);
    for column in &mut seen.columns {
        if let Some(original) = base.column(&column.name) {
            column.comment = column.comment.take().or_else(|| original.comment.clone());
            column.nullable &= original.nullable;
        }
    }
    seen
}

/// A comment, unless there is none.
fn comment(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
}

/// Adds rows of (table, index, is the primary key, column) to the tables they are about.
fn add_keys(
    tables: &mut IndexMap<String, FoundTable>,
    keys: impl IntoIterator<Item = (String, String, bool, String)>,
) {
    let mut indexes: IndexMap<(String, String), (bool, Vec<String>)> = IndexMap::new();
    for (table, index, primary, column) in keys {
        let (is_primary, columns) = indexes.entry((table, index)).or_default();
        *is_primary |= primary;
        columns.push(column);
    }
    for ((table, _), (primary, columns)) in indexes {
        let Some(table) = tables.get_mut(&table) else {
            continue;
        };
        if let [column] = &columns[..]
            && !table.unique_columns.contains(column)
        {
            table.unique_columns.push(column.clone());
        }
        if primary {
            table.primary_key = columns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn table(name: &str, columns: &[&str]) -> FoundTable {
        let column = |name: &&str| FoundColumn {
            name: (*name).to_owned(),
            data_type: "int".to_owned(),
            nullable: true,
            comment: None,
            readable: true,
            values: ValueSource::Stored,
        };
        FoundTable {
            name: name.to_owned(),
            columns: columns.iter().map(column).collect(),
            primary_key: columns
                .iter()
                .filter(|name| **name == "id")
                .map(|&name| name.to_owned())
                .collect(),
            unique_columns: columns
                .iter()
                .filter(|name| **name == "id")
                .map(|&name| name.to_owned())
                .collect(),
            ..FoundTable::default()
        }
    }

    pub(super) fn found(tables: Vec<FoundTable>) -> Introspection {
        Introspection {
            dialect: Dialect::MySql,
            server: None,
            schema: "d".to_owned(),
            other_schemas: Vec::new(),
            missing_schemas: Vec::new(),
            tables,
            foreign_keys: Vec::new(),
        }
    }

    #[test]
    fn a_secure_view_stands_for_its_table() {
        let view = FoundTable {
            is_view: true,
            ..table("secure_workorder", &["id", "title"])
        };
        let there = found(vec![
            table("workOrder", &["id", "title", "secret"]),
            view.clone(),
        ]);
        let views = there.secure_views(&SecureViews::default(), &[]);
        assert_eq!(views["workOrder"], "secure_workorder");
        let logical = there.logical(&views);
        assert_eq!(logical.tables.len(), 1);
        assert_eq!(logical.tables[0].columns.len(), 2);
        assert_eq!(logical.tables[0].unique_columns, ["id"]);

        let alone = found(vec![view]);
        assert_eq!(
            alone
                .secure_views(&SecureViews::default(), &["WorkOrder"])
                .keys()
                .collect::<Vec<_>>(),
            ["WorkOrder"]
        );
        let missing = BTreeMap::from([("workOrder".to_owned(), "gone".to_owned())]);
        assert!(
            there
                .logical(&missing)
                .tables
                .iter()
                .all(|table| table.name != "workOrder")
        );
    }
}
