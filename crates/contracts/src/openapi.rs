//! Every operation, declared once, and the OpenAPI 3.1 document of each service.
//!
//! A service mounts its handler by the operation's type (`operations::ListTools`), so that path and method can not disagree
//! with the document.

pub mod bff;
pub mod bff_kept;
mod common;
pub mod kept;
pub mod orchestrator;
pub mod questions;
pub mod tools;

use utoipa::OpenApi;

/// The three documents by service name, as they are committed.
pub fn documents() -> Vec<(&'static str, String)> {
    let documents = [
        ("tools", tools::ToolsApi::openapi()),
        ("orchestrator", orchestrator::OrchestratorApi::openapi()),
        ("bff", bff::BffApi::openapi()),
    ];
    documents
        .into_iter()
        .filter_map(|(name, document)| Some((name, document.to_pretty_json().ok()? + "\n")))
        .collect()
}
