//! Every operation, declared once, and the OpenAPI 3.1 document of each service.
//!
//! A service mounts its handler by the operation's type (`operations::ListTools`), so that path and method can not disagree
//! with the document.

pub mod bff;
mod common;
pub mod orchestrator;
pub mod tools;
