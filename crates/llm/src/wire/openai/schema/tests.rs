use serde_json::json;

use super::*;

#[test]
fn closed_and_required_schemas_are_strict() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "intent": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "at": {"type": ["string", "null"], "format": "date"},
            "page": {"type": "string", "format": "uri", "minLength": 1},
            "list": {
                "type": "array",
                "items": {"$ref": "#/$defs/Item", "description": "One of them."},
            },
        },
        "required": ["intent", "at", "page", "list"],
        "$defs": {
            "Item": {
                "type": "object",
                "description": "Any.",
                "properties": {"n": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
                "required": ["n"],
            },
        },
    });
    let expected = json!({
        "type": "object",
        "properties": {
            "intent": {"type": "string", "enum": ["a", "b"]},
            "at": {"type": ["string", "null"], "format": "date"},
            "page": {"type": "string"},
            "list": {
                "type": "array",
                "items": {
                    "type": "object",
                    "description": "One of them.",
                    "properties": {"n": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
                    "required": ["n"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["intent", "at", "page", "list"],
        "additionalProperties": false,
    });
    assert_eq!(response_schema(&schema), (expected, true));
}

#[test]
fn a_schema_that_strictness_would_change_is_sent_as_it_is() {
    let member =
        |schema: Value| json!({"type": "object", "properties": {"a": schema}, "required": ["a"]});
    let loose = [
        json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": true}),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"anyOf": [{"type": "object"}]}),
        member(json!({"type": "object"})),
        member(json!({"type": "object", "additionalProperties": {"type": "number"}})),
        member(json!({"oneOf": [{"type": "string"}]})),
        member(json!({"type": "array", "items": {}})),
        member(json!(true)),
        member(json!({"$ref": "#"})),
        member(json!({"$ref": "https://elsewhere.example/schema"})),
    ];
    for schema in loose {
        assert_eq!(response_schema(&schema), (schema.clone(), false));
    }
}

#[test]
fn parameters_are_always_an_object_with_members() {
    for nothing in [json!({}), json!(true), json!({"type": "object"})] {
        assert_eq!(
            parameters(&nothing),
            json!({"type": "object", "properties": {}})
        );
    }
}

#[test]
fn definitions_stand_in_the_place_of_references() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "from": {"$ref": "#/$defs/Day"},
            "$ref": {"type": "string"},
            "tree": {"$ref": "#/definitions/Tree"},
        },
        "$defs": {"Day": {"type": "string", "format": "date"}},
        "definitions": {
            "Tree": {"type": "object", "properties": {"child": {"$ref": "#/definitions/Tree"}}},
        },
    });
    assert_eq!(
        parameters(&schema),
        json!({
            "type": "object",
            "properties": {
                "from": {"type": "string", "format": "date"},
                "$ref": {"type": "string"},
                "tree": {"type": "object", "properties": {"child": {}}},
            },
        })
    );
}
