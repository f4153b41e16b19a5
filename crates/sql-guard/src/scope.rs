//! What can be named where.

use sqlparser::ast::Ident;

use crate::guard::Dialect;
use crate::schema::Schema;
use crate::suggest::Seen;
use crate::{fold, literal};

/// A name something was given, kept as the database keeps it.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) ident: Ident,
    pub(crate) kept: String,
    /// Whether it names a masked column in the select list.
    pub(crate) masked: bool,
}

impl Name {
    pub(crate) fn new(ident: &Ident, dialect: Dialect) -> Name {
        let keeps_case = dialect == Dialect::MySql || ident.quote_style.is_some();
        let kept = if keeps_case {
            ident.value.clone()
        } else {
            fold(&ident.value)
        };
        Name {
            ident: ident.clone(),
            kept,
            masked: false,
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.kept
    }

    /// Whether `ident` means this name. In PostgreSQL an unquoted one that differs in case only is
    /// taken for it, too; it is respelt, so that the database takes it the same way.
    pub(crate) fn is(&self, ident: &Ident, dialect: Dialect) -> bool {
        same(&self.kept, ident, dialect)
    }
}

fn same(kept: &str, ident: &Ident, dialect: Dialect) -> bool {
    match (dialect, ident.quote_style) {
        (Dialect::PostgreSql, Some(_)) => kept == ident.value,
        _ => kept.eq_ignore_ascii_case(&ident.value) || fold(kept) == fold(&ident.value),
    }
}

/// The columns something has.
#[derive(Debug, Clone)]
pub(crate) enum Columns {
    /// Not known; a finding says so already, or a recursion has not got there.
    Any,
    /// The columns of a table of the schema.
    Table(usize),
    /// These.
    List(Vec<Output>),
}

/// A column that a query gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) name: String,
    /// Whether a mask is in the place of its values.
    pub(crate) masked: bool,
    /// Whether it is known to hold texts.
    pub(crate) text: bool,
}

impl Output {
    pub(crate) fn plain(name: impl Into<String>) -> Output {
        Output {
            name: name.into(),
            masked: false,
            text: false,
        }
    }
}

impl Columns {
    /// The column `ident` means, spelt so that the database takes it the same way.
    pub(crate) fn find(&self, ident: &Ident, schema: &Schema, dialect: Dialect) -> Option<Ident> {
        let respelt = |kept: &str| {
            let reads_so = match (dialect, ident.quote_style) {
                (Dialect::MySql, _) => true,
                (Dialect::PostgreSql, Some(_)) => ident.value == kept,
                (Dialect::PostgreSql, None) => fold(&ident.value) == kept,
            };
            if reads_so {
                ident.clone()
            } else {
                literal::spelt(kept, dialect)
            }
        };
        match self {
            Columns::Any => Some(ident.clone()),
            Columns::Table(id) => schema.table(*id).find(ident, dialect).map(respelt),
            Columns::List(_) => self
                .output(ident, dialect)
                .map(|output| respelt(&output.name)),
        }
    }

    /// The column of a list that `ident` means.
    pub(crate) fn output(&self, ident: &Ident, dialect: Dialect) -> Option<&Output> {
        let Columns::List(outputs) = self else {
            return None;
        };
        let exact = outputs.iter().find(|output| output.name == ident.value);
        exact.or_else(|| {
            let mut outputs = outputs.iter();
            outputs.find(|output| same(&output.name, ident, dialect))
        })
    }

    pub(crate) fn names(&self, schema: &Schema) -> Option<Vec<String>> {
        match self {
            Columns::Any => None,
            Columns::Table(id) => Some(schema.table(*id).columns.clone()),
            Columns::List(outputs) => {
                let names = outputs.iter().map(|output| output.name.clone());
                Some(names.collect())
            }
        }
    }

    /// Whether one of a list is masked.
    pub(crate) fn masked(&self) -> Option<&Output> {
        match self {
            Columns::List(outputs) => outputs.iter().find(|output| output.masked),
            _ => None,
        }
    }

    /// Masks the columns whose places are masked in another list; whether that masks any again.
    pub(crate) fn mask_like(&mut self, other: &Columns) -> bool {
        let mut anew = false;
        if let (Columns::List(own), Columns::List(other)) = (self, other) {
            for (own, other) in own.iter_mut().zip(other) {
                anew |= other.masked && !own.masked;
                own.masked |= other.masked;
            }
        }
        anew
    }
}

/// Something in a FROM clause.
#[derive(Debug, Clone)]
pub(crate) struct Relation {
    /// What its columns can be qualified with; a derived table may have no name.
    pub(crate) name: Option<Name>,
    pub(crate) columns: Columns,
    /// Whether it is a table of the schema, which may have columns that the schema does not list.
    pub(crate) base: bool,
    /// Columns that USING or NATURAL made one with those of relations before it.
    pub(crate) merged: Merged,
    /// Whether its name alone represents its value: a function in FROM that gives one column.
    pub(crate) is_value: bool,
}

/// Columns of a relation that are one with those before it.
#[derive(Debug, Clone)]
pub(crate) enum Merged {
    /// These, folded.
    Names(Vec<String>),
    /// It is not known which.
    Unknown,
}

impl Relation {
    /// A relation that is not a table of the schema.
    pub(crate) fn new(name: Option<Name>, columns: Columns) -> Relation {
        Relation {
            name,
            columns,
            base: false,
            merged: Merged::Names(Vec::new()),
            is_value: false,
        }
    }

    /// Whether a column it is known to have is beside others of that name.
    pub(crate) fn counts(&self, column: &str) -> bool {
        let merged = match &self.merged {
            Merged::Names(names) => names.contains(&fold(column)),
            Merged::Unknown => true,
        };
        !merged && !matches!(self.columns, Columns::Any)
    }

    pub(crate) fn seen(&self, schema: &Schema) -> Seen {
        let name = match &self.columns {
            Columns::Table(id) => schema.table(*id).name.clone(),
            _ => self
                .name
                .as_ref()
                .map_or_else(|| "(subquery)".to_owned(), |name| name.ident.value.clone()),
        };
        Seen {
            name,
            columns: self.columns.names(schema).unwrap_or_default(),
        }
    }
}

/// The names that an expression can use: those of the relations in its FROM clause, names of the
/// select list where they count, and then those of the query around it.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'s> {
    pub(crate) relations: &'s [Relation],
    pub(crate) aliases: Aliases<'s>,
    pub(crate) parent: Option<&'s Scope<'s>>,
}

/// Names of the select list, and when they are looked at.
#[derive(Clone, Copy)]
pub(crate) enum Aliases<'s> {
    /// They do not count here.
    None,
    /// Before columns of the relations.
    First(&'s [Name]),
    /// Only if no relation has such a column; `MySQL` also takes them if several have one.
    Last(&'s [Name]),
}

impl<'s> Aliases<'s> {
    pub(crate) fn first(self) -> &'s [Name] {
        match self {
            Aliases::First(names) => names,
            _ => &[],
        }
    }

    pub(crate) fn last(self) -> &'s [Name] {
        match self {
            Aliases::Last(names) => names,
            _ => &[],
        }
    }
}

impl<'s> Scope<'s> {
    pub(crate) fn of(relations: &'s [Relation], parent: Option<&'s Scope<'s>>) -> Scope<'s> {
        Scope {
            relations,
            aliases: Aliases::None,
            parent,
        }
    }

    /// This scope and those around it, the nearest first.
    pub(crate) fn outwards(&self) -> impl Iterator<Item = &Scope<'s>> {
        std::iter::successors(Some(self), |scope| scope.parent)
    }
}
