//! Converts JSON Schema to the subset of OpenAPI that older Gemini servers know: references are
//! replaced, unknown keywords dropped.

use serde_json::{Map, Value, json};

/// Keywords that are sent as they are.
const KEPT: [&str; 10] = [
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "required",
];

/// The known formats; servers reject others.
const FORMATS: [&str; 6] = ["date-time", "enum", "int32", "int64", "float", "double"];

/// The depth to which references are followed; a schema that contains itself ends there.
const MAX_DEPTH: usize = 12;

/// A schema in the subset.
pub(super) fn open_api(schema: &Value) -> Value {
    let converter = Converter { root: schema };
    Value::Object(converter.convert(schema, 0))
}

struct Converter<'a> {
    root: &'a Value,
}

impl Converter<'_> {
    fn convert(&self, schema: &Value, depth: usize) -> Map<String, Value> {
        let mut out = Map::new();
        let (Some(members), true) = (schema.as_object(), depth < MAX_DEPTH) else {
            // Any value is allowed. The subset cannot express that; text can represent every value.
            return out;
        };
        if let Some(target) = members.get("$ref").and_then(Value::as_str) {
            // Only references within the schema can be followed; others are dropped.
            if let Some(target) = target
                .strip_prefix('#')
                .and_then(|at| self.root.pointer(at))
            {
                out = self.convert(target, depth + 1);
            }
        }
        for (keyword, value) in members {
            match keyword.as_str() {
                "type" => set_type(&mut out, value),
                "properties" => self.properties(&mut out, value, depth),
                "items" => {
                    out.insert("items".to_owned(), self.convert(value, depth + 1).into());
                }
                "anyOf" | "oneOf" => self.choices(&mut out, value, depth),
                "allOf" => self.all(&mut out, value, depth),
                "enum" => set_enum(&mut out, value),
                "const" => set_enum(&mut out, &json!([value])),
                "format" if value.as_str().is_some_and(|name| FORMATS.contains(&name)) => {
                    out.insert("format".to_owned(), value.clone());
                }
                name if KEPT.contains(&name) => {
                    out.insert(keyword.clone(), value.clone());
                }
                _ => {}
            }
        }
        tidy(&mut out);
        out
    }

    fn properties(&self, out: &mut Map<String, Value>, properties: &Value, depth: usize) {
        let mut converted: Map<String, Value> = match out.remove("properties") {
            Some(Value::Object(already)) => already,
            _ => Map::new(),
        };
        for (name, schema) in properties.as_object().into_iter().flatten() {
            converted.insert(name.clone(), self.convert(schema, depth + 1).into());
        }
        // Older servers reject an object without members.
        if !converted.is_empty() {
            out.insert("properties".to_owned(), converted.into());
        }
    }

    fn choices(&self, out: &mut Map<String, Value>, choices: &Value, depth: usize) {
        let choices = choices.as_array().into_iter().flatten();
        let (nulls, others): (Vec<_>, Vec<_>) =
            choices.partition(|choice| choice.get("type").is_some_and(|name| name == "null"));
        if !nulls.is_empty() {
            out.insert("nullable".to_owned(), true.into());
        }
        let mut others: Vec<_> = others
            .into_iter()
            .map(|choice| self.convert(choice, depth + 1))
            .collect();
        if others.len() == 1 {
            out.extend(others.remove(0));
        } else if !others.is_empty() {
            out.insert("anyOf".to_owned(), others.into());
        }
    }

    fn all(&self, out: &mut Map<String, Value>, parts: &Value, depth: usize) {
        for part in parts.as_array().into_iter().flatten() {
            for (keyword, value) in self.convert(part, depth + 1) {
                match (out.get_mut(&keyword), value) {
                    (Some(Value::Object(already)), Value::Object(more)) => already.extend(more),
                    (Some(Value::Array(already)), Value::Array(more)) => already.extend(more),
                    (_, value) => {
                        out.insert(keyword, value);
                    }
                }
            }
        }
    }
}

/// A type, and whether it may be null.
fn set_type(out: &mut Map<String, Value>, types: &Value) {
    let Some(types) = types.as_array() else {
        out.insert("type".to_owned(), types.clone());
        return;
    };
    let (nulls, others): (Vec<_>, Vec<_>) = types.iter().partition(|name| *name == "null");
    if !nulls.is_empty() {
        out.insert("nullable".to_owned(), true.into());
    }
    match others.as_slice() {
        [] => {}
        [only] => {
            out.insert("type".to_owned(), (*only).clone());
        }
        several => {
            let choices: Vec<_> = several.iter().map(|name| json!({"type": name})).collect();
            out.insert("anyOf".to_owned(), choices.into());
        }
    }
}

/// Only strings can be enumerated.
fn set_enum(out: &mut Map<String, Value>, values: &Value) {
    let values = values.as_array().into_iter().flatten();
    let (nulls, others): (Vec<_>, Vec<_>) = values.partition(|value| value.is_null());
    if !nulls.is_empty() {
        out.insert("nullable".to_owned(), true.into());
    }
    if !others.is_empty() && others.iter().all(|value| value.is_string()) {
        let others: Vec<Value> = others.into_iter().cloned().collect();
        out.insert("type".to_owned(), "string".into());
        out.insert("enum".to_owned(), others.into());
    }
}

/// `required` may name only existing members, and a format must fit its type.
fn tidy(out: &mut Map<String, Value>) {
    let known = |name: &Value| {
        let properties = out.get("properties").and_then(Value::as_object);
        properties
            .zip(name.as_str())
            .is_some_and(|(properties, name)| properties.contains_key(name))
    };
    if let Some(Value::Array(names)) = out.get("required") {
        let names: Vec<Value> = names.iter().filter(|name| known(name)).cloned().collect();
        if names.is_empty() {
            out.remove("required");
        } else {
            out.insert("required".to_owned(), names.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_put_in_place_and_the_unknown_is_left_out() {
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Args",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "window": {"$ref": "#/$defs/Window", "description": "When."},
                "kind": {"const": "day"},
                "level": {"enum": ["low", "high", null]},
                "size": {"type": ["integer", "null"], "format": "uint32", "minimum": 1, "default": 3},
                "rate": {"anyOf": [{"type": "number", "format": "double"}, {"type": "null"}]},
                "either": {"oneOf": [{"type": "string"}, {"type": "number"}]},
                "mixed": {"type": ["string", "number"]},
                "both": {"allOf": [{"$ref": "#/$defs/Window"}, {"type": "object", "properties": {"c": {"type": "string"}}}]},
                "bare": {"type": "object", "properties": {}}
            },
            "required": ["window", "gone"],
            "$defs": {
                "Window": {
                    "type": "object",
                    "properties": {"from": {"type": "string", "format": "date"}},
                    "required": ["from"]
                }
            }
        });
        let window = json!({
            "type": "object",
            "properties": {"from": {"type": "string"}},
            "required": ["from"]
        });
        let mut described = window.clone();
        described["description"] = json!("When.");
        assert_eq!(
            open_api(&schema),
            json!({
                "type": "object",
                "properties": {
                    "window": described,
                    "kind": {"type": "string", "enum": ["day"]},
                    "level": {"nullable": true, "type": "string", "enum": ["low", "high"]},
                    "size": {"type": "integer", "nullable": true, "minimum": 1},
                    "rate": {"nullable": true, "type": "number", "format": "double"},
                    "either": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                    "mixed": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                    "both": {
                        "type": "object",
                        "properties": {"from": {"type": "string"}, "c": {"type": "string"}},
                        "required": ["from"]
                    },
                    "bare": {"type": "object"}
                },
                "required": ["window"]
            })
        );
    }

    #[test]
    fn a_schema_that_contains_itself_comes_to_an_end() {
        let schema = json!({
            "$ref": "#/$defs/Node",
            "$defs": {"Node": {
                "type": "object",
                "properties": {"next": {"$ref": "#/$defs/Node"}, "name": {"type": "string"}}
            }}
        });
        let text = open_api(&schema).to_string();
        assert!(text.contains("\"name\""));
        assert!(!text.contains("$ref"));
        assert!(text.len() < 2_000, "{}", text.len());
    }

    #[test]
    fn a_reference_to_itself_comes_to_an_end() {
        let schema = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}});
        assert_eq!(open_api(&schema), json!({}));
    }
}
