//! `[[upstreams.tools]]`: the tools of an MCP server that are tools here.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use service_kit::config::{Invalid, Validate, name, positive};

use super::ResponseConfig;

/// One of `[[upstreams.tools]]`. Name, description and schema are written here and not taken from
/// the server: what a model reads of a tool does not change when its server does.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpToolConfig {
    /// The tool's name here.
    pub name: String,
    /// Its name at the server, when that is another.
    #[serde(default)]
    pub tool: Option<String>,
    /// The purpose of the tool, in words for a model.
    pub description: String,
    /// The JSON Schema of its arguments.
    #[serde(default = "no_arguments")]
    pub schema: Map<String, Value>,
    /// The part of the answer that is returned. Filters name members of `schema`.
    #[serde(default)]
    pub response: ResponseConfig,
    /// In place of the upstream's.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
    /// In place of the upstream's.
    #[serde(default)]
    pub max_response_bytes: Option<usize>,
}

impl Validate for McpToolConfig {
    fn validate(&self) -> Result<(), Invalid> {
        name("name", &self.name, false)?;
        if self.description.trim().is_empty() {
            return Err(Invalid::new("description", "must not be empty"));
        }
        if let Some(timeout) = self.timeout_ms {
            positive("timeout_ms", timeout)?;
        }
        if self.schema.get("type").is_none_or(|kind| kind != "object") {
            return Err(Invalid::new("schema", "must have `type = \"object\"`"));
        }
        let properties = self.schema.get("properties");
        for filter in &self.response.filters {
            if properties.is_none_or(|all| all.get(&filter.parameter).is_none()) {
                return Err(Invalid::new(
                    "response.filters",
                    format!("`{}` is no argument of the schema", filter.parameter),
                ));
            }
        }
        Ok(())
    }
}

fn no_arguments() -> Map<String, Value> {
    let schema = [
        ("type", Value::from("object")),
        ("properties", Value::Object(Map::new())),
        ("additionalProperties", Value::from(false)),
    ];
    schema
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}
