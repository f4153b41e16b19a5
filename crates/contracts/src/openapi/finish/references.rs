//! One copy of each schema, and none that nothing refers to.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

use super::{reference, referred, schemas, visit};

/// Refers to a schema wherever a copy of it stands: the macros write the argument of a generic type
/// out in full.
pub(super) fn link(document: &mut Value) {
    let Some(known) = schemas(document) else {
        return;
    };
    let names: HashMap<String, String> = known
        .iter()
        .filter(|(_, schema)| schema.get("properties").is_some())
        .map(|(name, schema)| (content(schema), name.clone()))
        .collect();
    let replace = &mut |value: &mut Value| {
        if value.get("properties").is_none() {
            return;
        }
        if let Some(name) = names.get(&content(value)) {
            *value = json!({ "$ref": reference(name) });
        }
    };
    for schema in known.values_mut() {
        let Value::Object(members) = schema else {
            continue;
        };
        for member in members.values_mut() {
            visit(member, replace);
        }
    }
    if let Some(paths) = document.get_mut("paths") {
        visit(paths, replace);
    }
}

/// Drops schemas that no operation leads to.
pub(super) fn prune(document: &mut Value) {
    let mut used = BTreeSet::new();
    let mut found = Vec::new();
    if let Some(paths) = document.get("paths") {
        collect(paths, &mut found);
    }
    while let Some(name) = found.pop() {
        if let Some(schema) = document.pointer(&format!("/components/schemas/{name}"))
            && used.insert(name)
        {
            collect(schema, &mut found);
        }
    }
    if let Some(known) = schemas(document) {
        let all = std::mem::take(known);
        let kept = all.into_iter().filter(|(name, _)| used.contains(name));
        *known = kept.collect::<Map<_, _>>();
    }
}

/// Adds the names of the schemas that a value refers to.
pub(super) fn collect(value: &Value, names: &mut Vec<String>) {
    names.extend(referred(value).map(str::to_owned));
    match value {
        Value::Object(members) => members.values().for_each(|member| collect(member, names)),
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}

/// A schema without its words.
fn content(schema: &Value) -> String {
    let mut schema = schema.clone();
    if let Some(members) = schema.as_object_mut() {
        members.shift_remove("description");
        members.shift_remove("title");
    }
    schema.to_string()
}
