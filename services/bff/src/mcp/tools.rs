//! The tenant's tools.

use std::sync::Arc;

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
    let input = Arc::new(object(tool.input_schema));
    Tool::new(tool.name, tool.description, input)
        .with_annotations(annotations)
        .with_raw_output_schema(Arc::new(object(tool.output_schema)))
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
