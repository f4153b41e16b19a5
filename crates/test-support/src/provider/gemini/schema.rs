//! The part of OpenAPI's schema that Gemini takes as `parameters` and `responseSchema`.

use serde_json::Value;

use crate::provider::checks::{items, members, text, unknown_member};

/// The first fault in this schema, as the provider words it. `place` is the path so far.
pub(super) fn violation(schema: &Value, place: &str) -> Option<String> {
    const KNOWN: [&str; 22] = [
        "type",
        "format",
        "title",
        "description",
        "nullable",
        "enum",
        "maxItems",
        "minItems",
        "properties",
        "required",
        "minProperties",
        "maxProperties",
        "minLength",
        "maxLength",
        "pattern",
        "example",
        "anyOf",
        "propertyOrdering",
        "default",
        "items",
        "minimum",
        "maximum",
    ];
    if let Some(name) = unknown_member(schema, &KNOWN) {
        // protocols d.4: `additionalProperties`, `$schema`, `$ref`, `const` and their like.
        return Some(format!(
            "Invalid JSON payload received. Unknown name \"{name}\" at '{place}': Cannot find field."
        ));
    }
    if schema["type"].is_array() {
        return Some(format!(
            "Invalid JSON payload received. Unknown name \"type\" at '{place}': Proto field is not repeating, cannot start list."
        ));
    }
    let kind = text(schema, "type").to_uppercase();
    by_type(schema, place, &kind).or_else(|| nested(schema, place))
}

fn by_type(schema: &Value, place: &str, kind: &str) -> Option<String> {
    let path = place
        .split_once(".parameters")
        .map_or(place, |(_, rest)| rest)
        .trim_start_matches('.');
    if ![
        "", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL",
    ]
    .contains(&kind)
    {
        return Some(format!(
            "Invalid value at '{place}.type' (type.googleapis.com/google.ai.generativelanguage.v1beta.Type), \"{kind}\""
        ));
    }
    if let Some(value) = items(&schema["enum"])
        .iter()
        .find(|value| !value.is_string())
    {
        return Some(format!(
            "Invalid value at '{place}.enum[0]' (TYPE_STRING), {value}"
        ));
    }
    if schema.get("enum").is_some() && kind != "STRING" {
        return Some(format!(
            "* GenerateContentRequest.{path}.enum: only allowed for STRING type"
        ));
    }
    let format = text(schema, "format");
    if kind == "STRING" && !["", "enum", "date-time"].contains(&format) {
        return Some(format!(
            "* GenerateContentRequest.{path}.format: only 'enum' and 'date-time' are supported for STRING type"
        ));
    }
    if kind == "ARRAY" && schema.get("items").is_none() {
        return Some(format!(
            "* GenerateContentRequest.{path}.items: missing field."
        ));
    }
    let properties = members(&schema["properties"]);
    let undefined = items(&schema["required"])
        .iter()
        .filter_map(Value::as_str)
        .find(|name| !properties.contains_key(*name))?;
    Some(format!(
        "* GenerateContentRequest.{path}.required[0]: property is not defined: {undefined}"
    ))
}

fn nested(schema: &Value, place: &str) -> Option<String> {
    for (name, inner) in members(&schema["properties"]) {
        // It writes a map's members as a list of keys and values.
        if let Some(words) = violation(inner, &format!("{place}.properties[{name}].value")) {
            return Some(words);
        }
    }
    if let Some(inner) = schema.get("items")
        && let Some(words) = violation(inner, &format!("{place}.items"))
    {
        return Some(words);
    }
    let mut variants = items(&schema["anyOf"]).iter().enumerate();
    variants.find_map(|(index, inner)| violation(inner, &format!("{place}.any_of[{index}]")))
}
