//! A read operation of an upstream as a tool: from arguments to a request, from an answer to a
//! result.

use std::time::Duration;

use contracts::tools::{ToolCategory, ToolDefinition, ToolEnvelope, ToolVisibility, json_schema};
use http::HeaderMap;
use reqwest::Url;
use serde_json::{Map, Value, json};

use super::config::{Method, OperationConfig, ParameterConfig, Place, placeholder};
use super::directory::{BrokenUpstream, Upstream};
use super::{Content, Failure, Outgoing, picking};

/// A read operation.
pub(super) struct Operation {
    /// The name of the upstream.
    upstream: String,
    config: OperationConfig,
    /// The path's segments, placeholders among them.
    segments: Vec<String>,
    base: Url,
    timeout: Duration,
    limit: usize,
}

impl Operation {
    pub(super) fn new(
        upstream: &Upstream,
        config: &OperationConfig,
    ) -> Result<Self, BrokenUpstream> {
        if upstream.base().cannot_be_a_base() {
            return Err(BrokenUpstream::Settings {
                upstream: upstream.name().to_owned(),
                reason: "base_url has no place for a path".to_owned(),
            });
        }
        let segments = config.path.trim_start_matches('/').split('/');
        Ok(Self {
            upstream: upstream.name().to_owned(),
            segments: segments.map(str::to_owned).collect(),
            base: upstream.base().clone(),
            timeout: config
                .timeout_ms
                .map_or(upstream.timeout(), Duration::from_millis),
            limit: config
                .max_response_bytes
                .unwrap_or(upstream.max_response_bytes()),
            config: config.clone(),
        })
    }

    /// Time that a call may take.
    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Whether it can be asked without arguments, for no person in particular.
    pub(super) fn needs_nothing(&self) -> bool {
        let needed = |p: &ParameterConfig| p.required || p.place == Place::Path;
        self.config.caller_field.is_none() && !self.config.parameters.iter().any(needed)
    }

    /// The definition of the tool for models.
    pub(super) fn definition(&self) -> ToolDefinition {
        let config = &self.config;
        let properties = config.parameters.iter();
        let properties = properties.map(|p| (p.name.clone(), Value::Object(p.schema.clone())));
        let required = config
            .parameters
            .iter()
            .filter(|p| p.required || p.place == Place::Path);
        let required: Vec<&str> = required.map(|p| p.name.as_str()).collect();
        ToolDefinition {
            name: config.name.clone(),
            description: config.description.clone(),
            category: ToolCategory::Upstream,
            visibility: ToolVisibility::Hidden,
            input_schema: json!({
                "type": "object",
                "properties": properties.collect::<Map<_, _>>(),
                "required": required,
                "additionalProperties": false,
            }),
            output_schema: json_schema::<ToolEnvelope>(),
            upstream: Some(self.upstream.clone()),
        }
    }

    /// The request that these arguments, checked against the schema, ask for.
    pub(super) fn request(&self, caller: &str, arguments: &Value) -> Result<Outgoing, Failure> {
        Ok(Outgoing {
            method: match self.config.method {
                Method::Get => http::Method::GET,
                Method::Post => http::Method::POST,
            },
            url: self.url(arguments)?,
            headers: HeaderMap::new(),
            content: self.content(caller, arguments),
            timeout: self.timeout,
            limit: self.limit,
        })
    }

    /// The result that is picked from an answer.
    pub(super) fn pick(&self, answer: Value, arguments: &Value) -> Value {
        picking::pick(&self.config.response, answer, arguments)
    }

    fn url(&self, arguments: &Value) -> Result<Url, Failure> {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty();
            for segment in &self.segments {
                match placeholder(segment) {
                    Some(name) => path.push(&path_value(name, &arguments[name])?),
                    None => path.push(segment),
                };
            }
        }
        for (parameter, value) in self.given(Place::Query, arguments) {
            let values = match value {
                Value::Array(values) => values.as_slice(),
                single => std::slice::from_ref(single),
            };
            let mut query = url.query_pairs_mut();
            for value in values {
                query.append_pair(name_there(parameter), &text(value));
            }
        }
        Ok(url)
    }

    fn content(&self, caller: &str, arguments: &Value) -> Option<Content> {
        if self.config.method == Method::Get {
            return None;
        }
        let given = self.given(Place::Body, arguments);
        let mut body: Map<String, Value> = given
            .map(|(parameter, value)| (name_there(parameter).to_owned(), value.clone()))
            .collect();
        // Last, so that a caller cannot claim to be another user.
        if let Some(field) = &self.config.caller_field {
            body.insert(field.clone(), caller.into());
        }
        Some(Content {
            media_type: "application/json",
            bytes: Value::Object(body).to_string().into_bytes(),
        })
    }

    /// The arguments that go to one place.
    fn given<'a>(
        &'a self,
        place: Place,
        arguments: &'a Value,
    ) -> impl Iterator<Item = (&'a ParameterConfig, &'a Value)> {
        let parameters = self
            .config
            .parameters
            .iter()
            .filter(move |p| p.place == place);
        parameters
            .filter_map(move |p| Some((p, arguments.get(&p.name)?)))
            .filter(|(_, value)| !value.is_null())
    }
}

fn name_there(parameter: &ParameterConfig) -> &str {
    parameter
        .upstream_name
        .as_deref()
        .unwrap_or(&parameter.name)
}

/// A value as one segment of a path. It is percent-encoded when it is put there; what would still
/// change the path for a server that decodes first is refused.
fn path_value(name: &str, value: &Value) -> Result<String, Failure> {
    let text = text(value);
    let steps = |text: &str| {
        text.split(['/', '\\'])
            .any(|part| matches!(part.trim(), "." | ".."))
    };
    if text.trim().is_empty() || steps(&text) || text.chars().any(char::is_control) {
        let message = format!("`{name}` cannot be that.");
        return Err(Failure::invalid_arguments(message));
    }
    Ok(text)
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::upstreams::Directory;
    use crate::upstreams::config::UpstreamConfig;

    fn operation(operation: Value) -> Operation {
        let upstream = UpstreamConfig::at("there", "http://127.0.0.1:1/demo/");
        let directory = Directory::new(&[upstream]).unwrap();
        let config: OperationConfig = serde_json::from_value(operation).unwrap();
        Operation::new(&directory.get("there", "any").unwrap(), &config).unwrap()
    }

    fn of_inventory() -> Operation {
        operation(json!({
            "name": "n", "description": "d", "path": "/api/{id}/parts/",
            "parameters": [
                { "name": "id", "in": "path", "schema": { "type": "string" } },
                { "name": "year", "in": "query", "upstream_name": "y", "schema": { "type": "integer" } },
            ],
        }))
    }

    #[test]
    fn arguments_become_segments_and_a_query_and_nothing_else() {
        let url = |arguments: Value| of_inventory().url(&arguments).unwrap().to_string();
        assert_eq!(
            url(json!({ "id": "a/b?c#d%", "year": 2022 })),
            "http://127.0.0.1:1/demo/api/a%2Fb%3Fc%23d%25/parts/?y=2022"
        );
        assert_eq!(
            url(json!({ "id": "http://evil/", "year": null })),
            "http://127.0.0.1:1/demo/api/http:%2F%2Fevil%2F/parts/"
        );
        assert_eq!(
            url(json!({ "id": "@x:1", "year": "1&z=2" })),
            "http://127.0.0.1:1/demo/api/@x:1/parts/?y=1%26z%3D2"
        );
    }

    #[test]
    fn a_value_that_is_a_step_in_the_path_is_refused() {
        for id in [
            "..", ".", "", " ", "../admin", "a/../b", "a\\..\\b", " .. ", "a\nb",
        ] {
            let refused = of_inventory().url(&json!({ "id": id })).unwrap_err();
            assert_eq!(refused.code(), "invalid_arguments", "{id:?}");
        }
    }

    #[test]
    fn nobody_can_ask_as_somebody_else() {
        let operation = operation(json!({
            "name": "n", "description": "d", "method": "POST", "path": "/find", "caller_field": "user_id",
            "parameters": [{ "name": "user_id", "in": "body", "schema": { "type": "string" } }],
        }));
        let request = operation
            .request("ada", &json!({ "user_id": "eve" }))
            .unwrap();
        assert_eq!(request.content.unwrap().bytes, br#"{"user_id":"ada"}"#);
    }
}
