//! Every operation, declared once, and the OpenAPI 3.1 document of each service.
//!
//! A service mounts its handler by the operation's type (`operations::ListTools`), so that path and
//! method cannot disagree with the document.

pub mod bff;
pub mod bff_kept;
pub mod choices;
pub mod collections;
mod common;
mod finish;
pub mod imports;
pub mod kept;
pub mod orchestrator;
pub mod passed_on;
pub mod questions;
pub mod schedules;
pub mod sites;
pub mod sources;
pub mod targets;
pub mod tools;
pub mod upstreams;
mod version_3_0;
pub mod weather;

use serde_json::{Value, json};
use utoipa::OpenApi;

pub use version_3_0::to_3_0;

/// The three documents by service name, as they are committed.
pub fn documents() -> Vec<(&'static str, String)> {
    let documents = [
        ("tools", tools_document()),
        ("orchestrator", orchestrator_document()),
        ("bff", bff_document()),
    ];
    documents
        .map(|(name, document)| (name, format!("{document:#}\n")))
        .into()
}

/// The document of the tools service.
pub fn tools_document() -> Value {
    finish::finish(tools::ToolsApi::openapi(), None)
}

/// The document of the orchestrator.
pub fn orchestrator_document() -> Value {
    finish::finish(orchestrator::OrchestratorApi::openapi(), None)
}

/// The document of the bff. The operations of the tools are in it, each with its types, as calls of
/// them are passed on.
pub fn bff_document() -> Value {
    finish::finish(bff::BffApi::openapi(), Some(tools::ToolsApi::openapi()))
}

/// A schema of the documents with all that it refers to, as a JSON Schema of its own; `None` when
/// no document has it.
pub fn schema(name: &str) -> Option<Value> {
    let documents = [bff_document(), orchestrator_document()];
    let document = documents
        .into_iter()
        .find(|document| document["components"]["schemas"].get(name).is_some())?;
    Some(
        json!({ "$ref": format!("#/components/schemas/{name}"), "components": document["components"] }),
    )
}
