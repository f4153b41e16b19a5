//! The data that an identity may see.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::fold;
use crate::schema::Schema;
use crate::server::Server;

/// What statements may do. The members of a policy file are those below; the tenant comes from the
/// identity.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// The name of the one schema (database) that statements may name before a table.
    #[serde(default)]
    pub schema: Option<String>,
    /// Other schemas that statements may name before a table. Their tables are called
    /// `schema.table` in the [`Schema`] and in this policy, as are views in them.
    #[serde(default)]
    pub schemas: Vec<String>,
    /// Protected tables and the views that represent them.
    #[serde(default)]
    pub secure_views: BTreeMap<String, String>,
    /// Tables of which every tenant sees its own rows.
    #[serde(default)]
    pub row_filters: BTreeMap<String, RowFilter>,
    /// When given, tables that are neither filtered nor listed here are refused.
    #[serde(default)]
    pub shared_tables: Option<BTreeSet<String>>,
    /// Columns that are not to be seen, by table.
    #[serde(default)]
    pub columns: BTreeMap<String, BTreeMap<String, ColumnRule>>,
    /// Functions allowed beside the known harmless ones.
    #[serde(default)]
    pub functions: BTreeSet<String>,
    /// Maximum number of rows that a statement may return.
    #[serde(default = "default_max_rows")]
    pub max_rows: u64,
    /// What server the statements are for; without it, functions of every server of their dialect
    /// are let through.
    #[serde(skip)]
    pub server: Option<Server>,
    #[serde(skip)]
    /// The tenant whose rows are visible; required where there are row filters.
    pub tenant: Option<Tenant>,
}

fn default_max_rows() -> u64 {
    100
}

/// The condition that selects a tenant's rows of a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum RowFilter {
    /// This column of the table is the tenant.
    Column(String),
    /// The row belongs to a row of another table, which has a filter itself.
    Through {
        /// The column that refers to the other table.
        column: String,
        /// The other table.
        parent: String,
        /// The column of the other table.
        parent_column: String,
    },
}

/// In what way a column is not to be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnRule {
    /// It does not exist for those who ask.
    Hidden,
    /// It is there by name. Its values are replaced where rows are read, so that nothing can be
    /// inferred from them.
    Masked,
}

impl From<&str> for RowFilter {
    fn from(column: &str) -> RowFilter {
        RowFilter::Column(column.to_owned())
    }
}

/// The tenant whose rows are visible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tenant(Value);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    Integer(i64),
}

impl Tenant {
    /// A tenant known by a text; for a column of numbers use [`Tenant::integer`], because `MySQL`
    /// takes the text `1x` for the number 1. Whether two ids that differ in case are two tenants is
    /// up to the column's collation. Fails with [`PolicyError::Tenant`] for a text with a backslash
    /// or a control character, which databases read in more than one way.
    pub fn text(id: impl Into<String>) -> Result<Tenant, PolicyError> {
        let id = id.into();
        if id.is_empty() || id.contains('\\') || id.contains(char::is_control) {
            return Err(PolicyError::Tenant);
        }
        Ok(Tenant(Value::Text(id)))
    }

    /// A tenant known by a number.
    pub fn integer(id: i64) -> Tenant {
        Tenant(Value::Integer(id))
    }

    pub(crate) fn literal(&self) -> String {
        match &self.0 {
            Value::Text(id) => format!("'{}'", id.replace('\'', "''")),
            Value::Integer(id) => id.to_string(),
        }
    }
}

/// The reason why a schema or a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A table is given twice.
    #[error("table '{0}' is given twice")]
    SameTable(String),
    /// The policy names a table that the schema does not have.
    #[error("the policy names table '{0}', which does not exist")]
    UnknownTable(String),
    /// The policy names a column that its table does not have.
    #[error("the policy names column '{column}', which table '{table}' does not have")]
    UnknownColumn {
        /// The table.
        table: String,
        /// The column.
        column: String,
    },
    /// A filter leads to a table that has none, or round in a circle.
    #[error("the row filter of table '{0}' does not end at a tenant's column")]
    OpenFilter(String),
    /// There are row filters and no tenant.
    #[error("the policy has row filters and the identity no tenant")]
    NoTenant,
    /// The tenant's id cannot be written into a statement.
    #[error("the tenant's id is empty or has a backslash or a control character")]
    Tenant,
    /// A name that cannot be quoted.
    #[error("the name '{0}' has a quote, a backslash or a control character")]
    Name(String),
}

impl Policy {
    /// A policy that limits rows and nothing else.
    pub fn new(max_rows: u64) -> Policy {
        Policy {
            schema: None,
            schemas: Vec::new(),
            secure_views: BTreeMap::new(),
            row_filters: BTreeMap::new(),
            shared_tables: None,
            columns: BTreeMap::new(),
            functions: BTreeSet::new(),
            max_rows,
            server: None,
            tenant: None,
        }
    }

    /// The policy as it applies to a tenant.
    #[must_use]
    pub fn for_tenant(mut self, tenant: Tenant) -> Policy {
        self.tenant = Some(tenant);
        self
    }

    /// Fails unless all tables and columns the policy names exist and there is a tenant to filter
    /// for.
    pub(crate) fn check(&self, schema: &Schema) -> Result<(), PolicyError> {
        let shared = self.shared_tables.iter().flatten();
        for table in self
            .secure_views
            .keys()
            .chain(self.row_filters.keys())
            .chain(self.columns.keys())
            .chain(shared)
        {
            schema
                .id(table)
                .ok_or_else(|| PolicyError::UnknownTable(table.clone()))?;
        }
        for (table, rules) in &self.columns {
            let known = schema.columns(table).unwrap_or_default();
            let unknown = rules
                .keys()
                .find(|column| known.iter().all(|name| fold(name) != fold(column)));
            if let Some(column) = unknown {
                return Err(PolicyError::UnknownColumn {
                    table: table.clone(),
                    column: column.clone(),
                });
            }
        }
        if !self.row_filters.is_empty() && self.tenant.is_none() {
            return Err(PolicyError::NoTenant);
        }
        let quotable = |name: &String| {
            !name.contains(['`', '"', '\'', '\\']) && !name.contains(char::is_control)
        };
        match self.secure_views.values().find(|name| !quotable(name)) {
            Some(name) => Err(PolicyError::Name(name.clone())),
            None => Ok(()),
        }
    }
}
