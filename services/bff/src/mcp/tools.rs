//! The tenant's tools.

use std::sync::{Arc, LazyLock};

use contracts::tools::{READ, ToolDefinition, ToolEnvelope, ToolList, ToolStatus, registry};
use http::Method;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ErrorData, JsonObject, Tool, ToolAnnotations,
};
use serde_json::{Value, json};
use service_kit::problem::ApiError;

use super::{failed, failed_call, words};
use crate::orchestrator::{OnBehalf, segment};
use crate::proxy::Tier;

/// Every schema of the public API.
static SCHEMAS: LazyLock<Value> =
    LazyLock::new(|| contracts::openapi::bff_document()["components"]["schemas"].take());

/// The tools that the account may call.
pub(super) async fn list(on_behalf: &OnBehalf) -> Result<Vec<Tool>, ApiError> {
    if !on_behalf.may(READ) {
        return Ok(Vec::new());
    }
    let list: ToolList = on_behalf.get(Tier::Tools, "/api/tools").await?;
    let allowed =
        |tool: &ToolDefinition| scopes(&tool.name).iter().all(|scope| on_behalf.may(scope));
    Ok(list
        .tools
        .into_iter()
        .filter(allowed)
        .map(described)
        .collect())
}

/// Calls a tool.
pub(super) async fn call(
    on_behalf: &OnBehalf,
    request: CallToolRequestParams,
) -> Result<CallToolResult, ErrorData> {
    let name = segment(&request.name, "tool").map_err(failed)?;
    let arguments = Value::Object(request.arguments.unwrap_or_default());
    let path = format!("/api/tools/{name}");
    let called = on_behalf.call(Tier::Tools, Method::POST, &path, Some(&arguments));
    let envelope: ToolEnvelope = match called.await {
        Ok(envelope) => envelope,
        // There is no such tool: the request cannot be routed.
        Err(error) if error.problem().status == 404 => return Err(failed(error)),
        Err(error) => return Ok(failed_call(words(&error))),
    };
    let value = serde_json::to_value(&envelope);
    let value = value.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    // A window without data is an answer, not a failure.
    Ok(if envelope.status == ToolStatus::Error {
        CallToolResult::structured_error(value)
    } else {
        CallToolResult::structured(value)
    })
}

fn described(tool: ToolDefinition) -> Tool {
    let reads = scopes(&tool.name).iter().all(|scope| *scope == READ);
    let annotations = ToolAnnotations::new()
        .read_only(reads)
        .destructive(false)
        .idempotent(reads)
        .open_world(tool.upstream.is_some());
    let input = object(tool.input_schema);
    let input = complete(input.clone()).unwrap_or(input);
    let described = Tool::new(tool.name, tool.description, Arc::new(input));
    let described = described.with_annotations(annotations);
    match complete(object(tool.output_schema)) {
        Some(output) => described.with_raw_output_schema(Arc::new(output)),
        None => described,
    }
}

/// The scopes that a call needs. Operations of upstreams, which are read from their documents, only
/// read.
fn scopes(tool: &str) -> &'static [&'static str] {
    registry::descriptor(tool).map_or(&[READ], |descriptor| descriptor.scopes)
}

/// A schema whose root is an object, as the protocol asks.
fn object(schema: Value) -> JsonObject {
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    schema.entry("type").or_insert_with(|| json!("object"));
    schema
}

/// The schema with the definitions that it refers to and does not hold: clients of the protocol
/// refuse a list of tools in which one reference leads nowhere. `None` when there is one.
fn complete(mut schema: JsonObject) -> Option<JsonObject> {
    loop {
        let mut names = Vec::new();
        schema
            .values()
            .for_each(|value| references(value, &mut names));
        let definitions = schema.get("$defs").and_then(Value::as_object);
        names.retain(|name| definitions.is_none_or(|definitions| !definitions.contains_key(name)));
        if names.is_empty() {
            return Some(schema);
        }
        let mut found = JsonObject::new();
        for name in names {
            let definition = SCHEMAS.get(&name)?.to_string();
            let definition = definition.replace("#/components/schemas/", "#/$defs/");
            found.insert(name, serde_json::from_str(&definition).ok()?);
        }
        let definitions = schema.entry("$defs").or_insert_with(|| json!({}));
        definitions.as_object_mut()?.extend(found);
    }
}

/// The names of the definitions that a schema refers to.
fn references(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            let name = members.get("$ref").and_then(Value::as_str);
            names.extend(
                name.and_then(|link| link.strip_prefix("#/$defs/"))
                    .map(str::to_owned),
            );
            members
                .values()
                .for_each(|member| references(member, names));
        }
        Value::Array(items) => items.iter().for_each(|item| references(item, names)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemas_of_every_tool_hold_what_they_refer_to() {
        for descriptor in registry::descriptors() {
            let definition = descriptor.definition();
            for schema in [definition.input_schema, definition.output_schema] {
                let schema = complete(object(schema)).expect(descriptor.name);
                let mut names = Vec::new();
                schema
                    .values()
                    .for_each(|value| references(value, &mut names));
                for name in names {
                    assert!(
                        schema["$defs"][&name].is_object(),
                        "{}: {name}",
                        descriptor.name
                    );
                }
            }
        }
    }
}
