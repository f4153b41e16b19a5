//! The part of JSON Schema that OpenAI's strict mode takes.

use serde_json::Value;

use crate::provider::checks::{items, members};

/// What strict mode refuses in this schema, in its words. `place` is the path so far.
pub(super) fn strict_violation(schema: &Value, place: &str) -> Option<String> {
    // Structured Outputs guide, "Some type-specific keywords are not yet supported" and "For
    // composition".
    const NOT_PERMITTED: [&str; 14] = [
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentRequired",
        "dependentSchemas",
        "patternProperties",
        "default",
        "minLength",
        "maxLength",
        "uniqueItems",
        "unevaluatedProperties",
    ];
    if let Some(keyword) = NOT_PERMITTED
        .iter()
        .find(|keyword| schema.get(**keyword).is_some())
    {
        return Some(format!(
            "In context=({place}), '{keyword}' is not permitted."
        ));
    }
    if schema.get("$ref").is_some() && members(schema).len() > 1 {
        let other = members(schema)
            .keys()
            .find(|name| *name != "$ref")
            .cloned()
            .unwrap_or_default();
        return Some(format!(
            "In context=({place}), $ref cannot have keywords {{'{other}'}}."
        ));
    }
    object_violation(schema, place).or_else(|| nested(schema, place))
}

/// protocols d.1: strict schemas need `additionalProperties: false` and every property in
/// `required`.
fn object_violation(schema: &Value, place: &str) -> Option<String> {
    let is_object = schema["type"] == "object" || items(&schema["type"]).contains(&"object".into());
    if !is_object && schema.get("properties").is_none() {
        return None;
    }
    if schema["additionalProperties"] != Value::Bool(false) {
        return Some(format!(
            "In context=({place}), 'additionalProperties' is required to be supplied and to be false."
        ));
    }
    let required = items(&schema["required"]);
    let missing = members(&schema["properties"])
        .keys()
        .find(|name| !required.contains(&name.as_str().into()))?;
    Some(format!(
        "In context=({place}), 'required' is required to be supplied and to be an array including every key in properties. Missing '{missing}'."
    ))
}

fn nested(schema: &Value, place: &str) -> Option<String> {
    let within = |step: &str| {
        if place.is_empty() {
            format!("'{step}'")
        } else {
            format!("{place}, '{step}'")
        }
    };
    for group in ["properties", "$defs", "definitions"] {
        for (name, inner) in members(&schema[group]) {
            let place = format!("{}, '{name}'", within(group));
            if let Some(violation) = strict_violation(inner, &place) {
                return Some(violation);
            }
        }
    }
    if schema["items"].is_object()
        && let Some(violation) = strict_violation(&schema["items"], &within("items"))
    {
        return Some(violation);
    }
    let mut variants = items(&schema["anyOf"]).iter().enumerate();
    variants.find_map(|(index, inner)| {
        strict_violation(inner, &format!("{}, '{index}'", within("anyOf")))
    })
}
