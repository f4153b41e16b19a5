//! Walks a statement's tree: everything in it is either understood and permitted, or a finding.
//! Names are resolved on the way, and table references replaced by what may be read in their place.

mod aggregates;
mod behind;
mod call;
mod column;
mod dependents;
mod expression;
mod joins;
mod products;
mod query;
mod select;
mod sets;
mod sorted;
mod table;
mod total;
mod types;

use sqlparser::ast::{Ident, ObjectName, ObjectNamePart, Query};

use crate::fence::WordSet;
use crate::finding::{Finding, Kind};
use crate::guard::{Counted, Dialect, Guard};
use crate::scope::{Columns, Name};
use crate::{fold, literal};

/// The state of one walk.
pub(crate) struct Binder<'g> {
    guard: &'g Guard,
    dialect: Dialect,
    findings: Vec<Finding>,
    /// Tables read, in order of appearance.
    tables: Vec<usize>,
    /// Common table expressions in scope, the nearest last.
    ctes: Vec<Cte>,
    /// Common table expressions that are declared further on, where RECURSIVE lets databases see
    /// them already.
    ahead: Vec<Name>,
    /// Whether tables about to be read must not show columns that the schema does not list.
    bounded: bool,
    /// Whether the query about to be walked is the statement itself rather than a part of it.
    outermost: bool,
    /// Whether a column is looked up that is shown as it is, which a masked one may be.
    shown: bool,
    /// The recursion whose first part is walked, which says what columns are masked in the rest.
    seeding: Option<usize>,
    needs: Needs,
    /// Given if the tenants' rows are behind fences.
    fencing: Option<&'g WordSet>,
    products: Vec<Vec<Vec<Counted>>>,
    depth: usize,
}

/// The parts of a statement that decide whether it needs fences.
#[derive(Debug, Default)]
struct Needs {
    /// Number of reads of tables with a row filter.
    filtered: usize,
    /// A row filter that leads through another table.
    through: bool,
    /// Number of reads of tables of the schema.
    reads: usize,
    /// A partial expression that may be evaluated before rows are filtered.
    early: bool,
    /// A partial expression elsewhere.
    late: bool,
}

impl Needs {
    /// A filter over a column of the table itself is evaluated when the table is read, before
    /// anything that is computed from what was read. One that leads through another table is a
    /// join, which may come after other joins.
    fn fence(&self) -> bool {
        self.filtered > 0 && (self.early || (self.through && (self.late || self.reads > 1)))
    }
}

/// The result of a walk.
pub(crate) struct Bound {
    pub(crate) findings: Vec<Finding>,
    /// The names of the tables read.
    pub(crate) tables: Vec<String>,
    pub(crate) filtered: bool,
    pub(crate) fenced: bool,
    pub(crate) products: Vec<Vec<Vec<Counted>>>,
}

/// A common table expression.
#[derive(Clone)]
struct Cte {
    name: Name,
    /// The name in the printed statement.
    printed: Ident,
    columns: Columns,
}

/// Findings beyond these add nothing.
const MOST_FINDINGS: usize = 25;
/// Nesting of expressions and queries; the parser gives up at a similar depth.
const DEEPEST: usize = 120;

impl<'g> Binder<'g> {
    pub(crate) fn new(
        guard: &'g Guard,
        dialect: Dialect,
        fencing: Option<&'g WordSet>,
    ) -> Binder<'g> {
        Binder {
            guard,
            dialect,
            findings: Vec::new(),
            tables: Vec::new(),
            ctes: Vec::new(),
            ahead: Vec::new(),
            bounded: false,
            outermost: true,
            shown: false,
            seeding: None,
            needs: Needs::default(),
            fencing,
            products: Vec::new(),
            depth: 0,
        }
    }

    /// Checks and rewrites a whole statement.
    pub(crate) fn statement(mut self, query: &mut Query) -> Bound {
        self.query(query, None);
        let name = |id: usize| self.guard.schema.table(id).name.clone();
        Bound {
            tables: self.tables.into_iter().map(name).collect(),
            filtered: self.needs.filtered > 0,
            fenced: self.needs.fence(),
            products: self.products,
            findings: self.findings,
        }
    }

    fn report(&mut self, finding: Finding) {
        if self.findings.len() < MOST_FINDINGS && !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    fn refuse(&mut self, kind: Kind, message: impl Into<String>) {
        self.report(Finding::new(kind, message));
    }

    fn unsupported(&mut self, what: &str) {
        self.refuse(Kind::Unsupported, format!("{what} is not supported."));
    }

    /// Goes one level down, unless that is too deep.
    fn deeper(&mut self, walk: impl FnOnce(&mut Self)) {
        if self.depth >= DEEPEST {
            self.refuse(Kind::TooLarge, "The statement is nested too deeply.");
            return;
        }
        self.depth += 1;
        walk(self);
        self.depth -= 1;
    }

    /// Whether a name can be printed as it was read.
    fn plain(&mut self, name: &Ident) -> bool {
        if name.quote_style.is_none() && name.value.contains('@') {
            self.refuse(
                Kind::Variable,
                format!("Variable '{}' is not allowed.", name.value),
            );
            false
        } else if literal::is_plain(name) {
            true
        } else {
            self.refuse(
                Kind::Unsupported,
                "Names with quotes, backslashes or control characters are not supported.",
            );
            false
        }
    }

    /// The last part of a name, if what is before it is at most the schema's own, otherwise reports
    /// why not.
    fn unqualified<'n>(&mut self, name: &'n ObjectName) -> Option<&'n Ident> {
        let parts: Option<Vec<&Ident>> = name
            .0
            .iter()
            .map(|part| match part {
                ObjectNamePart::Identifier(ident) => Some(ident),
                ObjectNamePart::Function(_) => None,
            })
            .collect();
        let Some(parts) = parts else {
            self.unsupported("A computed name");
            return None;
        };
        if !parts.iter().all(|part| self.plain(part)) {
            return None;
        }
        match parts.as_slice() {
            [name] => Some(name),
            [schema, name] => self.permitted_schema(schema).map(|_| *name),
            _ => {
                self.refuse(
                    Kind::OtherSchema,
                    format!("'{name}' is not a table of this database."),
                );
                None
            }
        }
    }

    /// Which of the schemas that may be named a name means: `None` within for the first, otherwise
    /// reports it.
    #[expect(
        clippy::option_option,
        reason = "no schema, and the first, which goes without a name"
    )]
    fn permitted_schema(&mut self, schema: &Ident) -> Option<Option<String>> {
        let policy = &self.guard.policy;
        let is = |own: &&String| match self.dialect {
            Dialect::MySql => **own == schema.value,
            Dialect::PostgreSql => Name::new(schema, self.dialect).text() == *own,
        };
        let meant = if policy.schema.as_ref().is_some_and(|own| is(&own)) {
            Some(None)
        } else {
            policy.schemas.iter().find(is).cloned().map(Some)
        };
        if meant.is_none() {
            if is_catalogue(&schema.value) {
                self.refuse(
                    Kind::Catalogue,
                    format!("Catalogue '{}' is not allowed.", schema.value),
                );
            } else {
                self.refuse(
                    Kind::OtherSchema,
                    format!(
                        "Schema '{}' is not allowed; only the tables of this database are.",
                        schema.value
                    ),
                );
            }
        }
        meant
    }
}

fn is_catalogue(schema: &str) -> bool {
    let schema = fold(schema);
    matches!(
        schema.as_str(),
        "information_schema" | "mysql" | "performance_schema" | "sys"
    ) || schema.starts_with("pg_")
}
