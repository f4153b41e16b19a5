//! What may be asked of a target: its tables by logical name, how they join, and the guard's view
//! of them.

mod build;
mod names;
mod rules;

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use join_graph::{Document, Graph};
use sql_guard::{Checked, Dialect, Finding, Guard, Policy, RowFilter, Schema, Tenant};

use crate::config::TenantId;
use crate::introspect::FoundTable;
use crate::standing::Nothing;
use crate::{Question, TargetConfig, TargetError};

pub(crate) use build::build;

/// The tables and joins of a target, under its policy. Names are logical: a protected table is
/// `employee`, whatever view represents it.
#[derive(Debug)]
pub struct Catalogue {
    /// How the target writes SQL.
    pub dialect: Dialect,
    /// The join graph that is in use: that of the graph file, or the introspected one; cleaned, and
    /// of usable tables only.
    pub document: Document,
    /// The same, for asking.
    pub graph: Graph,
    /// Usable tables, by name.
    pub tables: IndexMap<String, TableInfo>,
    /// Questions that come with the target.
    pub questions: Vec<Question>,
    /// Notes for the operator: tables hidden because no rule names them, rules that name nothing.
    pub notes: Vec<String>,
    /// Tables that are hidden because a rule of the policy names what is not there, as the policy
    /// spells them.
    pub withheld: Vec<String>,
    /// Why there is no table, where there is none.
    pub nothing: Option<Nothing>,
    /// The policy file as it is written, for [`Catalogue::fingerprint`].
    pub(crate) rules: serde_json::Value,
    /// The contents of the database, without estimates, for [`Catalogue::says_the_same_as`].
    pub(crate) found: Vec<FoundTable>,
    /// The first of the target's schemas, whose tables go by their own names; the database in
    /// `MySQL`.
    pub first_schema: String,
    /// The target's other schemas.
    pub other_schemas: Vec<String>,
    pub(crate) schema: Schema,
    pub(crate) policy: Policy,
    pub(crate) views: BTreeMap<String, String>,
    pub(crate) tenants: Tenants,
    guards: Mutex<HashMap<(String, u64), Arc<Guard>>>,
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub struct TableInfo {
    /// Its logical name: `table`, or `schema.table` in another than the target's first schema.
    pub name: String,
    /// The schema that it is in, where that is not the first.
    pub schema: Option<String>,
    /// The database's comment on it.
    pub comment: Option<String>,
    /// A remark that belongs into each answer about its rows.
    pub remark: Option<String>,
    /// Its columns, in the database's order.
    pub columns: Vec<ColumnInfo>,
    /// Number of rows that the database thinks it has, of all tenants.
    pub rows: Option<u64>,
    /// Whether it is read through a secure view.
    pub secure: bool,
}

impl TableInfo {
    /// Its name within its schema.
    pub fn bare_name(&self) -> &str {
        crate::introspect::bare_name(&self.name, self.schema.as_deref())
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The logical name.
    pub name: String,
    /// Its type, as the database writes it.
    pub data_type: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether its values are unique, by primary key or otherwise.
    pub unique: bool,
    /// The database's comment on it.
    pub comment: Option<String>,
    /// A remark that belongs into each answer about its values.
    pub remark: Option<String>,
}

/// How tenants are distinguished in the columns of the row filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tenants {
    /// Whether those columns are numbers.
    pub(crate) numbers: bool,
    pub(crate) ids: BTreeMap<String, TenantId>,
}

/// Number of guards that are kept; each is one tenant's, for one limit of rows.
const GUARDS: usize = 64;

impl Catalogue {
    /// A table by its logical name, in any case.
    pub fn table(&self, name: &str) -> Option<&TableInfo> {
        self.tables.get(name).or_else(|| {
            self.tables
                .values()
                .find(|table| table.name.to_lowercase() == name.to_lowercase())
        })
    }

    /// Checks a statement as `tenant`, for at most `max_rows` rows. One more is let through, so
    /// that the caller notices that there are more.
    pub(crate) fn check(
        &self,
        sql: &str,
        tenant: &str,
        max_rows: u64,
    ) -> Result<Result<Checked, Vec<Finding>>, TargetError> {
        let guard = self.guard(tenant, max_rows.saturating_add(1))?;
        Ok(guard.check(sql, self.dialect))
    }

    /// Whether nothing differs from another catalogue that a question, a check or an answer depends
    /// on. How many rows a table has is an estimate that never stands still.
    pub(crate) fn says_the_same_as(&self, other: &Catalogue) -> bool {
        self.found == other.found
            && self.rules == other.rules
            && self.document == other.document
            && self.questions == other.questions
    }

    /// The views that represent tables with the tables' names, with and without their schemas: a
    /// database names the view alone.
    pub(crate) fn told_views(&self) -> Vec<(String, String)> {
        let bare = |name: &str| {
            let place = self.other_schemas.iter().find_map(|schema| {
                let own = name.strip_prefix(schema.as_str())?;
                own.strip_prefix('.').map(ToOwned::to_owned)
            });
            place.unwrap_or_else(|| name.to_owned())
        };
        let mut told = Vec::new();
        for (table, view) in &self.views {
            told.push((table.clone(), view.clone()));
            told.push((bare(table), bare(view)));
        }
        told.dedup();
        told
    }

    /// The columns that distinguish tenants, and those that lead to them.
    pub(crate) fn tenant_columns(&self) -> Vec<String> {
        let filters = self.policy.row_filters.values();
        let mut names: Vec<String> = filters
            .map(|filter| match filter {
                RowFilter::Column(column) | RowFilter::Through { column, .. } => column.clone(),
            })
            .collect();
        names.sort();
        names.dedup();
        names
    }

    fn guard(&self, tenant: &str, rows: u64) -> Result<Arc<Guard>, TargetError> {
        let key = (tenant.to_owned(), rows);
        let kept = || self.guards.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(guard) = kept().get(&key) {
            return Ok(Arc::clone(guard));
        }
        let refused = |message: String| TargetError::Policy { message };
        let mut policy = Policy {
            max_rows: rows,
            ..self.policy.clone()
        };
        if !policy.row_filters.is_empty() {
            policy = policy.for_tenant(self.tenants.id(tenant)?);
        }
        let guard = Guard::new(&self.schema, policy)
            .map_err(|error| refused(format!("The policy does not fit: {error}.")))?;
        let guard = Arc::new(guard);
        let mut guards = kept();
        if guards.len() >= GUARDS {
            guards.clear();
        }
        guards.insert(key, Arc::clone(&guard));
        Ok(guard)
    }
}

impl Tenants {
    /// The tenant as the filters' columns know it. A number is compared with numbers and a text
    /// with texts: where the two meet, `MySQL` takes `1x` for 1.
    fn id(&self, tenant: &str) -> Result<Tenant, TargetError> {
        let refused = |why: &str| TargetError::Policy {
            message: format!("The tenant '{tenant}' {why}."),
        };
        let own = TenantId::Text(tenant.to_owned());
        let id = match self.ids.get(tenant) {
            Some(id) => id,
            None if self.ids.is_empty() => &own,
            None => return Err(refused("may not ask this database")),
        };
        match (id, self.numbers) {
            (TenantId::Integer(id), true) => Ok(Tenant::integer(*id)),
            (TenantId::Text(id), true) => {
                let number = id.parse().map_err(|_| {
                    refused("has no number, which is how this database tells tenants apart")
                })?;
                Ok(Tenant::integer(number))
            }
            (TenantId::Integer(id), false) => {
                Tenant::text(id.to_string()).map_err(|error| refused(&error.to_string()))
            }
            (TenantId::Text(id), false) => {
                Tenant::text(id.clone()).map_err(|error| refused(&error.to_string()))
            }
        }
    }
}

/// A target's policy and graph file, as [`build`] needs them.
pub(crate) struct Given<'c> {
    pub(crate) config: &'c TargetConfig,
    pub(crate) policy: crate::PolicyFile,
    pub(crate) graph: Option<Document>,
}
