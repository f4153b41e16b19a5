//! `GET /api/tools`, `GET` and `POST /api/tools/{name}`.

mod rendering;

use std::collections::BTreeSet;

use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use contracts::tools::{ToolDefinition, ToolFormat, ToolList};
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Map, Value};
use service_kit::identity::{Caller, Identity};
use service_kit::problem::{ApiError, chain};
use service_kit::telemetry;
use service_kit::web::{Json, Path, Query, parse_json};

use crate::credentials::Owner;
use crate::metrics::observed;
use crate::state;

/// The scope that reading needs.
const SCOPE: &str = "tools:read";

/// The query of `GET /api/tools`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    format: Option<ToolFormat>,
}

pub(super) async fn list(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Query(query): Query<ListQuery>,
) -> Result<Response, ApiError> {
    caller.require_scope(SCOPE)?;
    let tools = offered(&state, &caller).await;
    Ok(match query.format {
        None => Json(ToolList { tools }).into_response(),
        Some(format) => Json(rendering::render(format, &tools)).into_response(),
    })
}

/// The tools that a caller can use: those of upstreams where he has connected them.
async fn offered(state: &state::State, caller: &Identity) -> Vec<ToolDefinition> {
    let mut all = state.toolbox.definitions(&caller.tenant).await;
    let connected = if all.iter().any(|tool| tool.upstream.is_some()) {
        let connected = state.credentials.connected(&Owner::of(caller)).await;
        connected.unwrap_or_else(|error| {
            tracing::warn!(error = %chain(&error), "credentials cannot be read; the tools of upstreams are left out");
            BTreeSet::new()
        })
    } else {
        BTreeSet::new()
    };
    let is_offered = |tool: &ToolDefinition| {
        let upstream = tool.upstream.as_ref();
        upstream.is_none_or(|upstream| connected.contains(upstream))
    };
    all.retain(is_offered);
    all
}

pub(super) async fn get(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
) -> Result<Json<ToolDefinition>, ApiError> {
    caller.require_scope(SCOPE)?;
    let found = state.toolbox.definition(&caller.tenant, &name).await?;
    Ok(Json(found))
}

pub(super) async fn call(
    State(state): State<state::State>,
    Caller(caller): Caller,
    Path(name): Path<String>,
    body: Bytes,
) -> Result<Response, ApiError> {
    caller.require_scope(SCOPE)?;
    state.toolbox.definition(&caller.tenant, &name).await?;
    let arguments = arguments(&body)?;
    telemetry::calls_tool(&name);
    let call = state.toolbox.call(&caller, &name, arguments);
    // Tenants choose the names of their tools: as labels of metrics there would be too many.
    let label = if state.toolbox.has(&name) {
        name.as_str()
    } else {
        "added"
    };
    let envelope = observed(label, call).await?;
    Ok((
        [(CONTENT_TYPE, HeaderValue::from_static("application/json"))],
        envelope,
    )
        .into_response())
}

/// The body as JSON; no body represents no arguments.
fn arguments(body: &[u8]) -> Result<Value, ApiError> {
    if body.is_empty() {
        return Ok(Value::Object(Map::new()));
    }
    parse_json(body)
}
