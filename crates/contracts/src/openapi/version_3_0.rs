//! A document of OpenAPI 3.1 in the words of 3.0.3, for generators that read no later version.
//!
//! Schemas of 3.1 are JSON Schema; schemas of 3.0 are an older dialect of it: `null` is a member
//! `nullable`, a constant is an `enum` of one, and a reference is alone. Keywords that 3.0 does not
//! have (`propertyNames`) are left out: this removes a restriction and changes no shape.

use serde_json::{Map, Value, json};

/// The members that hold schemas by name.
const BY_NAME: [&str; 1] = ["properties"];

/// The members that hold lists of schemas.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// The members that hold a schema.
const SINGLE: [&str; 3] = ["items", "additionalProperties", "not"];

/// The members that 3.0 does not have.
const UNKNOWN: [&str; 3] = ["propertyNames", "$schema", "contentMediaType"];

/// The same document as OpenAPI 3.0.3.
pub fn to_3_0(mut document: Value) -> Value {
    document["openapi"] = "3.0.3".into();
    if let Some(license) = document
        .pointer_mut("/info/license")
        .and_then(Value::as_object_mut)
    {
        license.remove("identifier");
    }
    if let Some(schemas) = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut)
    {
        schemas.values_mut().for_each(schema);
    }
    content(&mut document);
    document
}

/// Converts the schemas of parameters, bodies and answers, wherever they are.
fn content(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                match name.as_str() {
                    "schema" => schema(member),
                    "application/octet-stream" => {
                        member["schema"] = json!({ "type": "string", "format": "binary" });
                    }
                    "schemas" | "example" | "examples" => {}
                    _ => content(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(content),
        _ => {}
    }
}

fn schema(value: &mut Value) {
    let Value::Object(members) = value else {
        return;
    };
    for name in BY_NAME {
        let named = members.get_mut(name).and_then(Value::as_object_mut);
        named.into_iter().flatten().for_each(|(_, one)| schema(one));
    }
    for name in LISTS {
        let list = members.get_mut(name).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(schema);
    }
    for name in SINGLE {
        members.get_mut(name).into_iter().for_each(schema);
    }
    for name in UNKNOWN {
        members.remove(name);
    }
    if let Some(only) = members.remove("const") {
        members.insert("enum".to_owned(), json!([only]));
    }
    if let Some(Value::Array(examples)) = members.remove("examples") {
        members
            .entry("example")
            .or_insert_with(|| examples.into_iter().next().unwrap_or_default());
    }
    limits(members);
    types(members);
    alternatives(members);
    lone_reference(members);
}

/// `exclusiveMinimum: 0` is `minimum: 0` and `exclusiveMinimum: true`.
fn limits(members: &mut Map<String, Value>) {
    for (exclusive, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        if let Some(number) = members.get(exclusive).filter(|it| it.is_number()).cloned() {
            members.insert(limit.to_owned(), number);
            members.insert(exclusive.to_owned(), true.into());
        }
    }
}

/// A list of types is one type that may be null, or alternatives.
fn types(members: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = members.get("type").cloned() else {
        return;
    };
    let (null, others): (Vec<_>, Vec<_>) = types.into_iter().partition(|one| one == "null");
    members.remove("type");
    match others.as_slice() {
        [] => {}
        [one] => {
            members.insert("type".to_owned(), one.clone());
        }
        several => {
            let several = several.iter().map(|one| json!({ "type": one }));
            members.insert("anyOf".to_owned(), several.collect());
        }
    }
    if !null.is_empty() {
        members.insert("nullable".to_owned(), true.into());
        // An enumeration of a nullable type has to name null itself.
        if let Some(Value::Array(values)) = members.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
    }
}

/// `null` among alternatives is `nullable`; an alternative that is left alone is all there is.
fn alternatives(members: &mut Map<String, Value>) {
    for name in ["anyOf", "oneOf"] {
        let Some(Value::Array(list)) = members.get_mut(name) else {
            continue;
        };
        let before = list.len();
        list.retain(|one| one["type"] != "null" && *one != json!({ "nullable": true }));
        if list.len() == before {
            continue;
        }
        let alone = list.len() == 1;
        if alone && let Some(list) = members.remove(name) {
            members.insert("allOf".to_owned(), list);
        }
        members.insert("nullable".to_owned(), true.into());
    }
}

/// Members next to a reference would be ignored, so the reference becomes one of the parts.
fn lone_reference(members: &mut Map<String, Value>) {
    if members.len() > 1
        && let Some(reference) = members.remove("$ref")
    {
        members.insert("allOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(mut value: Value) -> Value {
        schema(&mut value);
        value
    }

    #[test]
    fn null_constants_and_references_are_written_in_the_words_of_3_0() {
        let cases = [
            (
                json!({ "type": ["string", "null"], "format": "date" }),
                json!({ "type": "string", "nullable": true, "format": "date" }),
            ),
            (
                json!({ "type": ["null", "number", "string"] }),
                json!({ "anyOf": [{ "type": "number" }, { "type": "string" }], "nullable": true }),
            ),
            (
                json!({ "oneOf": [{ "type": "null" }, { "$ref": "#/a" }], "description": "d" }),
                json!({ "allOf": [{ "$ref": "#/a" }], "nullable": true, "description": "d" }),
            ),
            (
                json!({ "$ref": "#/a", "description": "d" }),
                json!({ "allOf": [{ "$ref": "#/a" }], "description": "d" }),
            ),
            (json!({ "$ref": "#/a" }), json!({ "$ref": "#/a" })),
            (
                json!({ "type": "string", "const": "x" }),
                json!({ "type": "string", "enum": ["x"] }),
            ),
            (
                json!({ "type": "number", "exclusiveMinimum": 0, "examples": [1, 2] }),
                json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true, "example": 1 }),
            ),
            (
                json!({ "properties": { "const": { "const": 1 }, "type": { "type": ["null", "object"] } } }),
                json!({ "properties": { "const": { "enum": [1] }, "type": { "type": "object", "nullable": true } } }),
            ),
        ];
        for (newer, older) in cases {
            assert_eq!(converted(newer), older);
        }
    }

    #[test]
    fn nothing_of_3_1_is_left_in_the_document_of_the_bff() {
        let document = to_3_0(crate::openapi::bff_document());
        let mut left = Vec::new();
        walk(&document, "", &mut left);
        assert!(left.is_empty(), "{left:#?}");
        let operations = |document: &Value| {
            let paths = document["paths"].as_object().unwrap();
            paths
                .values()
                .map(|item| item.as_object().unwrap().len())
                .sum::<usize>()
        };
        let newer = crate::openapi::bff_document();
        assert_eq!(operations(&document), operations(&newer));
    }

    fn walk(value: &Value, place: &str, left: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                let names_members = place.ends_with("/properties");
                for (name, member) in members {
                    let place = format!("{place}/{name}");
                    let newer = match name.as_str() {
                        "type" => member.is_array() || member == "null",
                        "const" | "propertyNames" => true,
                        "$ref" => members.len() > 1,
                        _ => false,
                    };
                    if newer && !names_members {
                        left.push(place.clone());
                    }
                    if !matches!(name.as_str(), "example" | "examples" | "default" | "enum") {
                        walk(member, &place, left);
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{place}/{index}"), left);
                }
            }
            _ => {}
        }
    }
}
