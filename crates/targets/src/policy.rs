//! The policy file of a target: who sees what of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use figment::Figment;
use figment::providers::{Format, Toml};
use serde::Deserialize;
use serde_json::{Map, Value};
use sql_guard::{ColumnRule, RowFilter};

use crate::TargetError;

/// A policy file, TOML or JSON by its ending.
///
/// ```toml
/// # Views that represent tables: "discover" takes the views named secure_<table in lower case>;
/// # or a table of names.
/// secure_views = "discover"
/// # Tables that no user may query.
/// hidden_tables = ["migration"]
/// # Tables without a tenant's column, the same for all.
/// shared_tables = ["inspectionQuestion"]
/// # Functions beyond those known to be harmless.
/// functions = []
///
/// # The column that is the tenant, or the way to a table that has one.
/// [row_filters]
/// employee = "company_id"
/// note = { column = "workOrderId", parent = "workOrder", parent_column = "id" }
///
/// # Columns without visible values: a hidden one does not exist, and every value of a masked one
/// # is "***".
/// [columns.employee]
/// hourlyRate = "hidden"
/// email = "masked"
/// ```
///
/// With `row_filters` or `shared_tables` given, a table that is in neither is hidden.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyFile {
    /// Protected tables and the views that represent them.
    pub secure_views: SecureViews,
    /// Tables of which every tenant sees its own rows.
    pub row_filters: BTreeMap<String, RowFilter>,
    /// Tables that all tenants see whole.
    pub shared_tables: Option<BTreeSet<String>>,
    /// Tables that no tenant sees.
    pub hidden_tables: BTreeSet<String>,
    /// Columns whose values no tenant sees, by table.
    pub columns: BTreeMap<String, BTreeMap<String, ColumnRule>>,
    /// Functions allowed beside the known harmless ones.
    pub functions: BTreeSet<String>,
}

/// Which views represent tables.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum SecureViews {
    /// `"discover"`: those named `secure_<table in lower case>`.
    Word(Discover),
    /// These, by table.
    Map(BTreeMap<String, String>),
}

/// The only word that [`SecureViews`] accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discover {
    /// Look for them.
    Discover,
}

impl Default for SecureViews {
    fn default() -> SecureViews {
        SecureViews::Word(Discover::Discover)
    }
}

impl PolicyFile {
    /// Reads a policy file.
    pub fn load(path: &Path) -> Result<PolicyFile, TargetError> {
        let policy = |message: String| TargetError::Policy { message };
        let text = std::fs::read_to_string(path).map_err(|error| {
            policy(format!(
                "The policy file {} cannot be read: {error}.",
                path.display()
            ))
        })?;
        let parsed = if path
            .extension()
            .is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
        {
            // By way of a map: a list would do for a struct whose members may all be missing.
            serde_json::from_str::<Map<String, Value>>(&text)
                .and_then(|members| serde_json::from_value(members.into()))
                .map_err(|error| error.to_string())
        } else {
            Figment::from(Toml::string(&text))
                .extract()
                .map_err(|error| error.to_string())
        };
        parsed.map_err(|error| {
            policy(format!(
                "The policy file {} is no policy: {error}",
                path.display()
            ))
        })
    }

    /// A policy out of JSON.
    pub(crate) fn from_json(rules: &Value) -> Result<PolicyFile, String> {
        match rules {
            Value::Object(_) => {
                serde_json::from_value(rules.clone()).map_err(|error| error.to_string())
            }
            _ => Err("it is not an object".to_owned()),
        }
    }

    /// Whether tables without a rule are hidden.
    pub(crate) fn is_closed(&self) -> bool {
        !self.row_filters.is_empty() || self.shared_tables.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(ending: &str, text: &str) -> Result<PolicyFile, TargetError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("policy.{ending}"));
        std::fs::write(&path, text).unwrap();
        PolicyFile::load(&path)
    }

    #[test]
    fn both_formats_say_the_same() {
        let toml = parsed(
            "toml",
            "secure_views = { workOrder = \"secure_workorder\" }\nshared_tables = [\"question\"]\n[row_filters]\nemployee = \"company_id\"\n\
             note = { column = \"workOrderId\", parent = \"workOrder\", parent_column = \"id\" }\n",
        )
        .unwrap();
        let json = parsed(
            "json",
            r#"{"secure_views": {"workOrder": "secure_workorder"}, "shared_tables": ["question"], "row_filters": {"employee": "company_id",
                "note": {"column": "workOrderId", "parent": "workOrder", "parent_column": "id"}}}"#,
        )
        .unwrap();
        assert_eq!(toml.row_filters, json.row_filters);
        assert_eq!(toml.secure_views, json.secure_views);
        assert!(toml.is_closed() && json.is_closed());
        let discovered = parsed("toml", "secure_views = \"discover\"").unwrap();
        assert_eq!(discovered.secure_views, SecureViews::default());
        assert!(!discovered.is_closed());
    }

    #[test]
    fn columns_are_hidden_or_masked() {
        let text = "[columns.employee]\nwage = \"hidden\"\nemail = \"masked\"\n";
        let rules = &parsed("toml", text).unwrap().columns["employee"];
        assert_eq!(rules["wage"], ColumnRule::Hidden);
        assert_eq!(rules["email"], ColumnRule::Masked);
        assert!(parsed("toml", "[columns.employee]\nwage = \"shown\"\n").is_err());
    }

    #[test]
    fn a_mistyped_key_is_refused() {
        let error = parsed("toml", "row_filter = {}").unwrap_err().to_string();
        assert!(error.contains("row_filter"), "{error}");
        assert!(parsed("json", "[]").is_err());
    }
}
