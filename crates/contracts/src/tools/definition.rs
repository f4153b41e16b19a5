//! The definitions in `GET /api/tools`, derived from the same types as the HTTP operations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::{Tool, ToolEnvelope, tool};

/// `GET /api/tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolList {
    /// Every tool.
    pub tools: Vec<ToolDefinition>,
}

/// `GET /api/tools?format=…`: the tools in the form of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RenderedTools {
    /// Every tool, as the provider's own documentation describes tools.
    pub tools: Vec<serde_json::Map<String, serde_json::Value>>,
}

/// Answer of `GET /api/tools`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum ToolListing {
    /// Without `format`.
    Definitions(ToolList),
    /// With `format`.
    Rendered(RenderedTools),
}

/// The form of the definitions in `GET /api/tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolFormat {
    /// Function tools of `OpenAI` and what is compatible.
    OpenAi,
    /// Anthropic's Messages API.
    Anthropic,
    /// Gemini's function declarations, a subset of OpenAPI 3.0.
    Gemini,
    /// `tools/list` of the Model Context Protocol.
    Mcp,
}

/// One tool, as a model or a client needs to know it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// Its name, also the path segment.
    #[schema(example = "get_power_curve")]
    pub name: String,
    /// The purpose of the tool, in words for a model.
    pub description: String,
    /// The group of the tool.
    pub category: ToolCategory,
    /// Whether pages show its calls.
    pub visibility: ToolVisibility,
    /// JSON Schema of the arguments.
    #[schema(value_type = Object)]
    pub input_schema: Value,
    /// JSON Schema of the whole answer.
    #[schema(value_type = Object)]
    pub output_schema: Value,
    /// The upstream that it asks, with the caller's credential there; absent of all others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upstream: Option<String>,
}

/// The group of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ToolCategory {
    Discovery,
    Monitoring,
    Comparison,
    Financial,
    Performance,
    Forecasting,
    Diagnostics,
    Service,
    /// Target databases.
    Database,
    /// Ingested documents.
    Documents,
    /// Upstream APIs, with the user's own rights.
    Upstream,
    /// Search sources.
    Search,
    /// Statistics over what was found.
    Analysis,
}

/// Whether pages show a tool's calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolVisibility {
    /// Only in a debug panel.
    Hidden,
    /// Inline.
    Visible,
}

/// The definition of a tool.
pub(super) fn of<T: Tool>() -> ToolDefinition {
    ToolDefinition {
        name: T::NAME.to_owned(),
        description: T::DESCRIPTION.to_owned(),
        category: T::CATEGORY,
        visibility: ToolVisibility::Hidden,
        input_schema: json_schema::<T::Arguments>(),
        output_schema: complete(&ToolEnvelope::<T::Result>::schema(), &tool::schemas::<T>()),
        upstream: None,
    }
}

/// The JSON Schema (2020-12) of a contract type, complete in itself: what OpenAPI keeps under
/// `components` stands under `$defs`.
pub fn json_schema<T: ToSchema>() -> Value {
    // A recursive type refers to itself by its name.
    let mut known = vec![(T::name().into_owned(), T::schema())];
    T::schemas(&mut known);
    complete(&T::schema(), &known)
}

/// The schema with the definitions that it refers to, and those that they refer to.
fn complete(root: &RefOr<Schema>, known: &[(String, RefOr<Schema>)]) -> Value {
    let mut definitions = Map::new();
    let mut root = to_value(root);
    let mut wanted = Vec::new();
    link(&mut root, &mut wanted);
    while let Some(name) = wanted.pop() {
        let found = known.iter().find(|(known, _)| *known == name);
        if let Some((_, schema)) = found
            && !definitions.contains_key(&name)
        {
            let mut schema = to_value(schema);
            link(&mut schema, &mut wanted);
            definitions.insert(name, schema);
        }
    }
    if let Some(object) = root.as_object_mut()
        && !definitions.is_empty()
    {
        definitions.sort_keys();
        object.insert("$defs".to_owned(), Value::Object(definitions));
    }
    root
}

fn to_value(schema: &RefOr<Schema>) -> Value {
    serde_json::to_value(schema).unwrap_or_else(|_| json!({}))
}

/// Points references to `$defs`, and adds the names that they refer to.
fn link(value: &mut Value, names: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(reference)) = object.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/components/schemas/")
            {
                names.push(name.to_owned());
                *reference = format!("#/$defs/{name}");
            }
            object.values_mut().for_each(|value| link(value, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| link(value, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::registry;

    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(object) => {
                found.extend(object.get("$ref").and_then(Value::as_str));
                object.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }

    #[test]
    fn the_schemas_of_every_tool_hold_what_they_refer_to() {
        for tool in registry::descriptors() {
            let definition = tool.definition();
            for schema in [&definition.input_schema, &definition.output_schema] {
                let mut found = Vec::new();
                references(schema, &mut found);
                for reference in found {
                    let place = reference
                        .strip_prefix('#')
                        .and_then(|at| schema.pointer(at));
                    assert!(place.is_some(), "{}: {reference}", tool.name);
                }
            }
        }
    }
}
