//! The tools in the forms of model providers' interfaces and of MCP.

use contracts::tools::{ToolDefinition, ToolFormat};
use serde_json::{Map, Value, json};

/// What Gemini's schemas may hold.
const GEMINI_KEYWORDS: [&str; 13] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minItems",
    "maxItems",
    "properties",
    "required",
    "minimum",
    "maximum",
];

/// The tools in a provider's form, under `tools`.
pub(super) fn render(format: ToolFormat, tools: &[ToolDefinition]) -> Value {
    let each =
        |render: fn(&ToolDefinition) -> Value| tools.iter().map(render).collect::<Vec<Value>>();
    match format {
        ToolFormat::OpenAi => json!({ "tools": each(|tool| json!({
            "type": "function",
            "function": { "name": tool.name, "description": tool.description, "parameters": tool.input_schema },
        })) }),
        ToolFormat::Anthropic => json!({ "tools": each(|tool| json!({
            "name": tool.name, "description": tool.description, "input_schema": tool.input_schema,
        })) }),
        ToolFormat::Gemini => json!({ "tools": [{ "functionDeclarations": each(gemini) }] }),
        ToolFormat::Mcp => json!({ "tools": each(|tool| json!({
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": { "readOnlyHint": true },
        })) }),
    }
}

/// Gemini refuses schemas with references, `additionalProperties` and objects without properties.
fn gemini(tool: &ToolDefinition) -> Value {
    let parameters = gemini_schema(&tool.input_schema, &tool.input_schema["$defs"]);
    let mut declaration = json!({ "name": tool.name, "description": tool.description });
    if parameters["properties"]
        .as_object()
        .is_some_and(|properties| !properties.is_empty())
    {
        declaration["parameters"] = parameters;
    }
    declaration
}

fn gemini_schema(schema: &Value, definitions: &Value) -> Value {
    let Some(object) = schema.as_object() else {
        return schema.clone();
    };
    if let Some(name) = object
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next())
    {
        return gemini_schema(&definitions[name], definitions);
    }
    if let Some(only) = object
        .get("allOf")
        .or_else(|| object.get("oneOf"))
        .and_then(Value::as_array)
        && let Some(first) = only.iter().find(|schema| schema["type"] != "null")
    {
        return gemini_schema(first, definitions);
    }
    let mut clean = Map::new();
    for (keyword, value) in object
        .iter()
        .filter(|(keyword, _)| GEMINI_KEYWORDS.contains(&keyword.as_str()))
    {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, schema)| (name.clone(), gemini_schema(schema, definitions)))
                .collect::<Map<String, Value>>()
                .into(),
            ("items", items) => gemini_schema(items, definitions),
            // A type or null is written as the type, nullable.
            ("type", Value::Array(types)) => {
                clean.insert(
                    "nullable".to_owned(),
                    types.iter().any(|of| of == "null").into(),
                );
                types
                    .iter()
                    .find(|of| *of != "null")
                    .cloned()
                    .unwrap_or_default()
            }
            // Of the formats of strings it knows two.
            ("format", format)
                if !["enum", "date-time", "int32", "int64", "float", "double"]
                    .contains(&format.as_str().unwrap_or_default()) =>
            {
                continue;
            }
            (_, value) => value.clone(),
        };
        clean.insert(keyword.clone(), value);
    }
    Value::Object(clean)
}

#[cfg(test)]
mod tests {
    use contracts::tools::solar_definitions;

    use super::*;

    #[test]
    fn every_form_has_every_tool() {
        let tools = solar_definitions();
        for (format, pointer) in [
            (ToolFormat::OpenAi, "/tools"),
            (ToolFormat::Anthropic, "/tools"),
            (ToolFormat::Gemini, "/tools/0/functionDeclarations"),
            (ToolFormat::Mcp, "/tools"),
        ] {
            let rendered = render(format, &tools);
            assert_eq!(
                rendered.pointer(pointer).unwrap().as_array().unwrap().len(),
                tools.len()
            );
        }
    }

    #[test]
    fn gemini_gets_nothing_that_it_refuses() {
        let rendered = render(ToolFormat::Gemini, &solar_definitions());
        let text = rendered.to_string();
        for keyword in [
            "$ref",
            "$defs",
            "additionalProperties",
            "default",
            "minLength",
            "\"date\"}",
        ] {
            assert!(
                !text.contains(&format!("\"{keyword}\":")),
                "{keyword}: {text}"
            );
        }
        let declarations = rendered
            .pointer("/tools/0/functionDeclarations")
            .unwrap()
            .as_array()
            .unwrap();
        let compare = declarations
            .iter()
            .find(|tool| tool["name"] == "compare_loggers")
            .unwrap();
        assert_eq!(
            compare["parameters"]["properties"]["metric"]["enum"][0],
            "power"
        );
        let health = declarations
            .iter()
            .find(|tool| tool["name"] == "health_check")
            .unwrap();
        assert!(health.get("parameters").is_none());
    }
}
