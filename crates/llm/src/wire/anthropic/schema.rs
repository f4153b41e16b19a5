//! Converts JSON Schema to the subset of structured outputs: objects are closed, bounds become part
//! of the description.

use serde_json::{Map, Value};

/// Keywords that are sent as they are.
const KEPT: [&str; 8] = [
    "type",
    "title",
    "description",
    "enum",
    "const",
    "default",
    "required",
    "$ref",
];

/// The known formats; the API rejects others.
const FORMATS: [&str; 10] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
];

/// Bounds that the API rejects; they become part of the description.
const TOLD: [&str; 15] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contains",
    "not",
    "propertyNames",
];

/// A schema in the subset.
pub(super) fn closed(schema: &Value) -> Value {
    let Value::Object(members) = schema else {
        // `true` allows every value; the subset expresses that as an empty schema.
        return Value::Object(Map::new());
    };
    let mut closed = Map::new();
    let mut told = Vec::new();
    for (keyword, value) in members {
        match keyword.as_str() {
            "properties" | "$defs" | "definitions" => {
                closed.insert(keyword.clone(), each(value));
            }
            "items" => {
                closed.insert(keyword.clone(), self::closed(value));
            }
            "anyOf" | "oneOf" | "allOf" => {
                let name = if keyword == "oneOf" { "anyOf" } else { keyword };
                closed.insert(name.to_owned(), list(value));
            }
            "format" if value.as_str().is_some_and(|name| FORMATS.contains(&name)) => {
                closed.insert(keyword.clone(), value.clone());
            }
            "minItems" if matches!(value.as_u64(), Some(0 | 1)) => {
                closed.insert(keyword.clone(), value.clone());
            }
            name if KEPT.contains(&name) => {
                closed.insert(keyword.clone(), value.clone());
            }
            name if TOLD.contains(&name) || matches!(name, "format" | "minItems") => {
                told.push(format!("{name}: {value}"));
            }
            _ => {}
        }
    }
    if is_object(&closed) {
        closed.insert("additionalProperties".to_owned(), false.into());
    }
    tell(&mut closed, &told);
    Value::Object(closed)
}

fn each(schemas: &Value) -> Value {
    let members = schemas.as_object().into_iter().flatten();
    Value::Object(
        members
            .map(|(name, schema)| (name.clone(), closed(schema)))
            .collect(),
    )
}

fn list(schemas: &Value) -> Value {
    let schemas = schemas.as_array().into_iter().flatten();
    Value::Array(schemas.map(closed).collect())
}

fn is_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.iter().any(|name| name == "object"),
        _ => schema.contains_key("properties"),
    }
}

fn tell(schema: &mut Map<String, Value>, told: &[String]) {
    if told.is_empty() {
        return;
    }
    let bounds = format!("({})", told.join(", "));
    let description = match schema.get("description").and_then(Value::as_str) {
        Some(words) => format!("{words} {bounds}"),
        None => bounds,
    };
    schema.insert("description".to_owned(), description.into());
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_closed_and_bounds_become_words() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "share": {"type": "number", "minimum": 0, "maximum": 1, "description": "How sure."},
                "day": {"type": ["string", "null"], "format": "date"},
                "size": {"type": "integer", "format": "uint8"},
                "who": {"$ref": "#/$defs/Who"},
                "kind": {"oneOf": [{"const": "a"}, {"type": "object", "additionalProperties": {"type": "string"}}]},
                "tags": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 2}
            },
            "required": ["share"],
            "$defs": {"Who": {"type": "object", "properties": {"name": true}}}
        });
        assert_eq!(
            closed(&schema),
            json!({
                "type": "object",
                "properties": {
                    "share": {"type": "number", "description": "How sure. (minimum: 0, maximum: 1)"},
                    "day": {"type": ["string", "null"], "format": "date"},
                    "size": {"type": "integer", "description": "(format: \"uint8\")"},
                    "who": {"$ref": "#/$defs/Who"},
                    "kind": {"anyOf": [{"const": "a"}, {"type": "object", "additionalProperties": false}]},
                    "tags": {"type": "array", "items": {"type": "string", "description": "(minLength: 1)"}, "description": "(minItems: 2)"}
                },
                "required": ["share"],
                "$defs": {"Who": {"type": "object", "properties": {"name": {}}, "additionalProperties": false}},
                "additionalProperties": false
            })
        );
    }

    #[test]
    fn properties_may_be_named_like_keywords() {
        let schema = json!({"type": "object", "properties": {"minimum": {"type": "number"}}});
        assert_eq!(
            closed(&schema)["properties"],
            json!({"minimum": {"type": "number"}})
        );
    }
}
