//! Converts JSON Schema to the forms that OpenAI and compatible servers accept.

use serde_json::{Map, Value, json};

/// Keywords that strict schemas must not contain. They are dropped, because the answer is checked
/// against the whole schema anyway.
const LEFT_OUT: [&str; 7] = [
    "$schema",
    "default",
    "examples",
    "maxLength",
    "minLength",
    "uniqueItems",
    "$id",
];

/// Keywords that strict schemas must not contain, and without which the schema has another meaning.
const NOT_STRICT: [&str; 11] = [
    "$ref",
    "allOf",
    "oneOf",
    "not",
    "if",
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
    "prefixItems",
    "unevaluatedProperties",
];

/// The formats of strict schemas.
const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Keywords whose members are schemas by name.
const NAMED: [&str; 2] = ["properties", "patternProperties"];

/// Keywords with a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Keywords with a schema.
const SINGLE: [&str; 3] = ["items", "additionalProperties", "not"];

/// The depth of nested references after which one is left open.
const MAX_DEPTH: usize = 12;

/// The schema of a tool's arguments: an object with its members.
pub(super) fn parameters(schema: &Value) -> Value {
    let mut schema = inlined(schema);
    let Some(members) = schema.as_object_mut() else {
        return json!({"type": "object", "properties": {}});
    };
    members.remove("$schema");
    members.insert("type".to_owned(), json!("object"));
    members
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    schema
}

/// The schema of an answer, and whether it is strict. In a strict schema every object is closed;
/// another one is unchanged.
pub(super) fn response_schema(schema: &Value) -> (Value, bool) {
    let mut strict = inlined(schema);
    let is_object = strict["type"] == "object" && strict.get("anyOf").is_none();
    if is_object && tighten(&mut strict) {
        (strict, true)
    } else {
        (schema.clone(), false)
    }
}

/// Closes every object. `false` if a part of the schema cannot be strict.
fn tighten(schema: &mut Value) -> bool {
    let Some(members) = schema.as_object_mut() else {
        return false;
    };
    members.retain(|name, _| !LEFT_OUT.contains(&name.as_str()));
    let says_something = ["type", "anyOf", "enum", "const"]
        .iter()
        .any(|name| members.contains_key(*name));
    if !says_something || NOT_STRICT.iter().any(|name| members.contains_key(*name)) {
        return false;
    }
    if let Some(format) = members.get("format")
        && !FORMATS.iter().any(|known| format == known)
    {
        members.remove("format");
    }
    let is_object = match members.get("type") {
        Some(Value::Array(types)) => types.iter().any(|name| name == "object"),
        Some(name) => name == "object",
        None => members.contains_key("properties"),
    };
    if is_object && !close(members) {
        return false;
    }
    let is_named_ok = members
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .is_none_or(|properties| properties.values_mut().all(tighten));
    let is_list_ok = members
        .get_mut("anyOf")
        .and_then(Value::as_array_mut)
        .is_none_or(|choices| choices.iter_mut().all(tighten));
    is_named_ok && is_list_ok && members.get_mut("items").is_none_or(tighten)
}

/// Forbids members that are not named. All named members must be required.
fn close(object: &mut Map<String, Value>) -> bool {
    let names: Vec<String> = object
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default();
    let required = object.get("required").and_then(Value::as_array);
    let all_required = names
        .iter()
        .all(|name| required.is_some_and(|required| required.iter().any(|one| one == name)));
    let is_open = object
        .get("additionalProperties")
        .is_some_and(|more| *more != json!(false));
    // An object without named members may contain any.
    if !all_required || is_open || names.is_empty() {
        return false;
    }
    object.insert("additionalProperties".to_owned(), json!(false));
    true
}

/// Replaces references by their definitions, because many servers ignore definitions. One that
/// contains itself is left open.
fn inlined(schema: &Value) -> Value {
    let mut inlined = resolve(schema, schema, &mut Vec::new());
    if let Some(members) = inlined.as_object_mut() {
        members.remove("$defs");
        members.remove("definitions");
    }
    inlined
}

fn resolve(schema: &Value, root: &Value, within: &mut Vec<String>) -> Value {
    let Value::Object(members) = schema else {
        return schema.clone();
    };
    let Some(reference) = members.get("$ref").and_then(Value::as_str) else {
        return Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), resolve_keyword(name, value, root, within)))
                .collect(),
        );
    };
    let target = reference
        .strip_prefix('#')
        .and_then(|pointer| root.pointer(pointer));
    let is_within = within.iter().any(|one| one == reference);
    let mut resolved = match target {
        Some(target) if !is_within && within.len() < MAX_DEPTH => {
            within.push(reference.to_owned());
            let resolved = resolve(target, root, within);
            within.pop();
            match resolved {
                Value::Object(members) => members,
                _ => Map::new(),
            }
        }
        _ => Map::new(),
    };
    // Keywords beside the reference apply to this place.
    for (name, value) in members.iter().filter(|(name, _)| *name != "$ref") {
        let value = resolve_keyword(name, value, root, within);
        resolved.insert(name.clone(), value);
    }
    Value::Object(resolved)
}

fn resolve_keyword(name: &str, value: &Value, root: &Value, within: &mut Vec<String>) -> Value {
    match value {
        Value::Object(members) if NAMED.contains(&name) => Value::Object(
            members
                .iter()
                .map(|(name, schema)| (name.clone(), resolve(schema, root, within)))
                .collect(),
        ),
        Value::Array(schemas) if LISTS.contains(&name) => Value::Array(
            schemas
                .iter()
                .map(|schema| resolve(schema, root, within))
                .collect(),
        ),
        _ if SINGLE.contains(&name) => resolve(value, root, within),
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests;
