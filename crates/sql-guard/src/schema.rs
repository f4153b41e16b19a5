//! What exists in the target database.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sqlparser::ast::Ident;

use crate::fold;
use crate::guard::Dialect;
use crate::kind::ColumnKind;
use crate::policy::PolicyError;

/// Tables and their columns. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Schema(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tables: Vec<Table>,
    by_name: HashMap<String, Vec<usize>>,
    /// By the name within a schema.
    by_bare: HashMap<String, Vec<usize>>,
    by_column: HashMap<String, Vec<usize>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) name: String,
    /// The schema and name, if the table is not in the first schema.
    pub(crate) place: Option<Place>,
    pub(crate) columns: Vec<String>,
    /// The kinds of the columns, where they are known.
    pub(crate) kinds: Vec<Option<ColumnKind>>,
    /// The columns that hold texts, also where reading one may fail.
    texts: HashSet<String>,
    /// The columns of the primary key.
    pub(crate) key: Vec<String>,
    folded: HashMap<String, usize>,
}

/// A table or view of another schema than the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) schema: String,
    pub(crate) name: String,
}

impl Place {
    /// The place that a name means, if it begins with one of these schemas.
    pub(crate) fn of(name: &str, schemas: &[String]) -> Option<Place> {
        schemas.iter().find_map(|schema| {
            let own = name.strip_prefix(schema.as_str())?.strip_prefix('.')?;
            (!own.is_empty()).then(|| Place {
                schema: schema.clone(),
                name: own.to_owned(),
            })
        })
    }
}

/// The meaning of a table's name in a statement.
pub(crate) enum Meant {
    Table(usize),
    /// Tables of several schemas, none of them the first.
    Several(Vec<usize>),
    Nothing,
}

impl Schema {
    /// A schema of tables with their columns, spelt as the database spells them. Fails with
    /// [`PolicyError::SameTable`] for a name that occurs twice.
    pub fn new<T, C, N>(tables: impl IntoIterator<Item = (T, C)>) -> Result<Schema, PolicyError>
    where
        T: Into<String>,
        C: IntoIterator<Item = N>,
        N: Into<String>,
    {
        let mut inner = Inner {
            tables: Vec::new(),
            by_name: HashMap::new(),
            by_bare: HashMap::new(),
            by_column: HashMap::new(),
        };
        for (name, columns) in tables {
            let (name, id) = (name.into(), inner.tables.len());
            let columns: Vec<String> = columns.into_iter().map(Into::into).collect();
            let ids = inner.by_name.entry(fold(&name)).or_default();
            if ids.iter().any(|&other| inner.tables[other].name == name) {
                return Err(PolicyError::SameTable(name));
            }
            ids.push(id);
            inner.by_bare.entry(fold(&name)).or_default().push(id);
            let mut folded = HashMap::new();
            for (at, column) in columns.iter().enumerate() {
                folded.entry(fold(column)).or_insert(at);
                let having = inner.by_column.entry(fold(column)).or_default();
                if having.last() != Some(&id) {
                    having.push(id);
                }
            }
            inner.tables.push(Table {
                name,
                place: None,
                kinds: vec![None; columns.len()],
                texts: HashSet::new(),
                key: Vec::new(),
                columns,
                folded,
            });
        }
        Ok(Schema(Arc::new(inner)))
    }

    /// The same with what columns hold, by table and column. Of a column without a kind the guard
    /// takes almost every use for one that can fail.
    #[must_use]
    pub fn with_kinds(self, kind: impl Fn(&str, &str) -> Option<ColumnKind>) -> Schema {
        self.with_tables(|table| Table {
            kinds: table
                .columns
                .iter()
                .map(|column| kind(&table.name, column))
                .collect(),
            ..table.clone()
        })
    }

    /// The same with the columns that hold texts, by table and column, beside those whose kind says
    /// so: a comparison of one with the number 0 is reported.
    #[must_use]
    pub fn with_texts(self, is_text: impl Fn(&str, &str) -> bool) -> Schema {
        self.with_tables(|table| {
            let texts = table.columns.iter().cloned();
            Table {
                texts: texts
                    .filter(|column| is_text(&table.name, column))
                    .collect(),
                ..table.clone()
            }
        })
    }

    /// The same with the columns of each table's primary key, by table. What a key decides may be
    /// selected beside a group of it.
    #[must_use]
    pub fn with_keys(self, key: impl Fn(&str) -> Vec<String>) -> Schema {
        self.with_tables(|table| Table {
            key: key(&table.name),
            ..table.clone()
        })
    }

    /// The same with more known of each table; names and columns stay as they are.
    fn with_tables(&self, known: impl Fn(&Table) -> Table) -> Schema {
        Schema(Arc::new(Inner {
            tables: self.0.tables.iter().map(known).collect(),
            by_name: self.0.by_name.clone(),
            by_bare: self.0.by_bare.clone(),
            by_column: self.0.by_column.clone(),
        }))
    }

    /// The same with tables in these schemas, beside the first: those whose names begin so.
    pub(crate) fn placed(&self, schemas: &[String]) -> Schema {
        if schemas.is_empty() {
            return self.clone();
        }
        let tables: Vec<Table> = self
            .0
            .tables
            .iter()
            .map(|table| Table {
                place: Place::of(&table.name, schemas),
                ..table.clone()
            })
            .collect();
        let mut by_bare: HashMap<String, Vec<usize>> = HashMap::new();
        for (id, table) in tables.iter().enumerate() {
            by_bare.entry(fold(table.bare())).or_default().push(id);
        }
        Schema(Arc::new(Inner {
            tables,
            by_bare,
            by_name: self.0.by_name.clone(),
            by_column: self.0.by_column.clone(),
        }))
    }

    /// The same without columns that `hidden` names; tables keep their ids.
    pub(crate) fn without(&self, hidden: impl Fn(usize, &str) -> bool) -> Schema {
        let mut by_column: HashMap<String, Vec<usize>> = HashMap::new();
        let mut tables = Vec::new();
        for (id, table) in self.0.tables.iter().enumerate() {
            let (columns, kinds): (Vec<String>, Vec<_>) = table
                .columns
                .iter()
                .cloned()
                .zip(table.kinds.iter().copied())
                .filter(|(column, _)| !hidden(id, column))
                .unzip();
            let mut folded = HashMap::new();
            for (at, column) in columns.iter().enumerate() {
                folded.entry(fold(column)).or_insert(at);
                let having = by_column.entry(fold(column)).or_default();
                if having.last() != Some(&id) {
                    having.push(id);
                }
            }
            tables.push(Table {
                name: table.name.clone(),
                place: table.place.clone(),
                key: table.key.clone(),
                texts: table.texts.clone(),
                columns,
                kinds,
                folded,
            });
        }
        Schema(Arc::new(Inner {
            tables,
            by_name: self.0.by_name.clone(),
            by_bare: self.0.by_bare.clone(),
            by_column,
        }))
    }

    /// The names of all tables.
    pub fn tables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.tables.iter().map(|table| table.name.as_str())
    }

    /// The columns of a table, whose case does not matter; `None` if there is no such table.
    pub fn columns(&self, table: &str) -> Option<&[String]> {
        self.id(table).map(|id| self.table(id).columns.as_slice())
    }

    pub(crate) fn id(&self, table: &str) -> Option<usize> {
        let ids = self.0.by_name.get(&fold(table))?;
        ids.iter()
            .copied()
            .find(|&id| self.table(id).name == table)
            .or_else(|| ids.first().copied())
    }

    pub(crate) fn table(&self, id: usize) -> &Table {
        &self.0.tables[id]
    }

    /// The table that a name in a statement means, in this schema or, without one, in the first and
    /// then in the others.
    pub(crate) fn find(&self, schema: Option<&str>, name: &Ident, dialect: Dialect) -> Meant {
        let Some(ids) = self.0.by_bare.get(&fold(&name.value)) else {
            return Meant::Nothing;
        };
        let place = |id: usize| self.table(id).place.as_ref();
        let within = |schema: Option<&str>| -> Vec<usize> {
            let of = |id: &usize| place(*id).map(|place| place.schema.as_str()) == schema;
            ids.iter().copied().filter(of).collect()
        };
        let of = |ids: &[usize]| {
            let exactly = |wanted: &str| {
                ids.iter()
                    .copied()
                    .find(|&id| self.table(id).bare() == wanted)
            };
            match (dialect, name.quote_style) {
                (Dialect::PostgreSql, Some(_)) => exactly(&name.value),
                (Dialect::PostgreSql, None) => {
                    exactly(&fold(&name.value)).or_else(|| ids.first().copied())
                }
                (Dialect::MySql, _) => exactly(&name.value).or_else(|| ids.first().copied()),
            }
        };
        if let Some(id) = of(&within(schema)) {
            return Meant::Table(id);
        }
        if schema.is_some() {
            return Meant::Nothing;
        }
        let mut elsewhere: Vec<usize> = Vec::new();
        for id in ids.iter().copied().filter(|&id| place(id).is_some()) {
            let schema = place(id).map(|place| place.schema.as_str());
            if of(&within(schema)) == Some(id) {
                elsewhere.push(id);
            }
        }
        match elsewhere.as_slice() {
            [] => Meant::Nothing,
            [only] => Meant::Table(*only),
            _ => Meant::Several(elsewhere),
        }
    }

    pub(crate) fn having(&self, column: &str) -> &[usize] {
        self.0
            .by_column
            .get(&fold(column))
            .map_or(&[], Vec::as_slice)
    }
}

impl Table {
    /// Whether a column of this name, as it is spelt here, holds texts.
    pub(crate) fn holds_texts(&self, column: &str) -> bool {
        let at = self.columns.iter().position(|name| name == column);
        let kind = at.and_then(|at| self.kinds[at]);
        kind == Some(ColumnKind::Text) || self.texts.contains(column)
    }

    /// Its name within its schema.
    pub(crate) fn bare(&self) -> &str {
        self.place
            .as_ref()
            .map_or(self.name.as_str(), |place| place.name.as_str())
    }

    /// Which of the columns a name in a statement means.
    pub(crate) fn position(&self, column: &Ident, dialect: Dialect) -> Option<usize> {
        let found = self.find(column, dialect)?;
        self.columns.iter().position(|name| name == found)
    }

    /// The column a name in a statement means, as the database spells it.
    pub(crate) fn find(&self, column: &Ident, dialect: Dialect) -> Option<&str> {
        if dialect == Dialect::PostgreSql {
            let wanted = if column.quote_style.is_some() {
                column.value.clone()
            } else {
                fold(&column.value)
            };
            if let Some(found) = self.columns.iter().find(|name| **name == wanted) {
                return Some(found);
            }
            if column.quote_style.is_some() {
                return None;
            }
        }
        self.folded
            .get(&fold(&column.value))
            .map(|&at| self.columns[at].as_str())
    }
}
