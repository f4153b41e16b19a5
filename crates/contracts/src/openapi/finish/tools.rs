//! The tools' own operations in the document of the bff, which passes calls on as they are.

use serde_json::{Map, Value, json};

use super::references;

/// The path of tool calls.
const CALLS: &str = "/api/tools/";

/// A call of a tool that needs no arguments needs no body.
pub(super) fn free_bodies(document: &mut Value) {
    let free: Vec<String> = super::schemas(document)
        .into_iter()
        .flatten()
        .filter(|(_, schema)| {
            schema.get("required").is_none() && schema.get("properties").is_some()
                || schema["properties"] == json!({})
        })
        .map(|(name, _)| name.clone())
        .collect();
    for (path, operation) in super::operations(document) {
        let Some(body) = operation.get_mut("requestBody") else {
            continue;
        };
        let arguments = super::referred(&body["content"]["application/json"]["schema"]);
        if path.starts_with(CALLS)
            && arguments.is_some_and(|name| free.iter().any(|free| free == name))
        {
            body["required"] = Value::from(false);
        }
    }
}

/// Adds the operation of each tool with its types.
pub(super) fn adopt(document: &mut Value, tools: Value) {
    let Value::Object(mut tools) = tools else {
        return;
    };
    let Some(Value::Object(paths)) = tools.remove("paths") else {
        return;
    };
    let mut schemas = tools
        .get_mut("components")
        .and_then(|components| components.get_mut("schemas"))
        .and_then(Value::as_object_mut)
        .map(std::mem::take)
        .unwrap_or_default();
    let mut adopted = Map::new();
    let mut needed = Vec::new();
    for (path, mut item) in paths {
        let is_call = path
            .strip_prefix(CALLS)
            .is_some_and(|name| !name.contains('{'));
        if !is_call {
            continue;
        }
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if let Some(ways) = operation["security"].as_array_mut() {
                ways.push(json!({ "session": [] }));
            }
        }
        references::collect(&item, &mut needed);
        adopted.insert(path, item);
    }
    let Some(known) = super::schemas(document) else {
        return;
    };
    while let Some(name) = needed.pop() {
        if known.contains_key(&name) {
            continue;
        }
        if let Some(schema) = schemas.shift_remove(&name) {
            references::collect(&schema, &mut needed);
            known.insert(name, schema);
        }
    }
    if let Some(own) = document.get_mut("paths").and_then(Value::as_object_mut) {
        own.extend(adopted);
    }
}
