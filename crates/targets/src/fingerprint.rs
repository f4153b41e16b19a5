//! The definitions that a query relies on, as one text: the columns of its tables, and the policy's
//! rules for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use figment::Figment;
use figment::providers::{Format, Toml};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::{Catalogue, TargetError};

/// The policy file as it is written. Whatever rules a policy may have in time to come, a change of
/// them shows here.
pub(crate) fn rules(path: &Path) -> Result<Value, TargetError> {
    let refused = |error: String| TargetError::Policy {
        message: format!(
            "The policy file {} cannot be read: {error}.",
            path.display()
        ),
    };
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    let is_json = path
        .extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("json"));
    if is_json {
        return serde_json::from_str(&text).map_err(|error| refused(error.to_string()));
    }
    let file = Figment::from(Toml::string(&text));
    file.extract().map_err(|error| refused(error.to_string()))
}

impl Catalogue {
    /// A digest of the columns of these tables, with their types, and of what the policy says of
    /// the tables: the same as long as nothing changed that a query over them relies on.
    pub fn fingerprint(&self, tables: &[String]) -> String {
        let names: BTreeSet<&str> = tables.iter().map(String::as_str).collect();
        let columns: BTreeMap<&str, Value> = names
            .iter()
            .map(|name| {
                let table = self.table(name).map(|table| {
                    let columns: BTreeMap<&str, &str> = table
                        .columns
                        .iter()
                        .map(|column| (column.name.as_str(), column.data_type.as_str()))
                        .collect();
                    json!({ "columns": columns, "view": self.views.get(&table.name) })
                });
                (*name, table.unwrap_or(Value::Null))
            })
            .collect();
        let concerned = with_parents(&self.rules, &names);
        let text = sorted(&json!({ "tables": columns, "rules": of(&self.rules, &concerned) }));
        let digest = Sha256::digest(text.to_string());
        digest.iter().fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }
}

/// The tables, and the parents whose rows decide which of their rows are visible.
fn with_parents(rules: &Value, tables: &BTreeSet<&str>) -> BTreeSet<String> {
    // A rule may name a table of another schema without that.
    let bare = tables.iter().filter_map(|table| table.split_once('.'));
    let bare = bare.map(|(_, table)| table.to_lowercase());
    let mut concerned: BTreeSet<String> = tables.iter().map(|table| table.to_lowercase()).collect();
    concerned.extend(bare);
    let filters = rules.get("row_filters").and_then(Value::as_object);
    loop {
        let parents = filters.into_iter().flatten().filter_map(|(table, filter)| {
            let parent = filter.get("parent")?.as_str()?.to_lowercase();
            (concerned.contains(&table.to_lowercase()) && !concerned.contains(&parent))
                .then_some(parent)
        });
        let parents: Vec<String> = parents.collect();
        if parents.is_empty() {
            return concerned;
        }
        concerned.extend(parents);
    }
}

/// The rules as far as they are about these tables. A rule is about a table when it is listed under
/// the table's name, or names it; what is neither a list nor a table of names is about all.
fn of(rules: &Value, tables: &BTreeSet<String>) -> Value {
    let is_about = |name: &str| {
        let name = name.to_lowercase();
        tables.contains(&name)
            || name
                .split_once('.')
                .is_some_and(|(before, after)| tables.contains(before) || tables.contains(after))
    };
    let Some(members) = rules.as_object() else {
        return rules.clone();
    };
    let kept = members.iter().map(|(key, rule)| {
        let rule = match rule {
            Value::Object(by_table) => by_table
                .iter()
                .filter(|(table, _)| is_about(table))
                .map(|(table, rule)| (table.clone(), rule.clone()))
                .collect(),
            Value::Array(list) if key != "functions" => list
                .iter()
                .filter(|item| item.as_str().is_none_or(is_about))
                .cloned()
                .collect(),
            Value::Array(_) => Value::Null,
            whole => whole.clone(),
        };
        (key.clone(), rule)
    });
    kept.collect()
}

/// The same with every object's members in order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<&String, Value> = members
                .iter()
                .map(|(key, value)| (key, sorted(value)))
                .collect();
            members
                .into_iter()
                .map(|(key, value)| (key.clone(), value))
                .collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(rules: &Value, table: &str) -> Value {
        of(rules, &with_parents(rules, &BTreeSet::from([table])))
    }

    #[test]
    fn only_rules_about_the_tables_count() {
        let rules = json!({
            "secure_views": "discover",
            "hidden_tables": ["migration"],
            "shared_tables": ["question"],
            "functions": ["soundex"],
            "hidden_columns": { "employee": ["wage"], "crew": ["note"] },
            "masked_columns": ["employee.email", "crew.code"],
            "row_filters": {
                "employee": "company_id",
                "work_time": { "column": "order_id", "parent": "work_order", "parent_column": "id" },
                "work_order": "company_id",
            },
        });
        let employee = about(&rules, "employee");
        assert_eq!(employee["hidden_columns"], json!({ "employee": ["wage"] }));
        assert_eq!(employee["masked_columns"], json!(["employee.email"]));
        assert_eq!(employee["row_filters"], json!({ "employee": "company_id" }));
        assert_eq!(employee["secure_views"], "discover");
        let mut changed = rules.clone();
        changed["hidden_columns"]["crew"] = json!([]);
        changed["functions"] = json!([]);
        assert_eq!(about(&changed, "employee"), employee);
        changed["row_filters"]["work_order"] = json!("tenant");
        assert_ne!(
            about(&changed, "work_time"),
            about(&rules, "work_time"),
            "by its parent"
        );
    }

    #[test]
    fn the_order_of_members_does_not_count() {
        let one = sorted(&json!({ "b": 1, "a": { "d": 1, "c": 2 } }));
        let other = sorted(&json!({ "a": { "c": 2, "d": 1 }, "b": 1 }));
        assert_eq!(one.to_string(), other.to_string());
    }
}
