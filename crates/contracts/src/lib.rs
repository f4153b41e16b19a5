//! Every type on the wire of Heliograph's three services, and the OpenAPI documents made from them.
//!
//! The crate knows serde and utoipa and nothing of servers, databases or clients, because all of
//! them build it. Serializable here means promised: a field that is renamed or removed breaks a
//! client. Each operation is declared once, in [`openapi`], and a service mounts its handler by
//! that declaration.
//!
//! ```
//! use contracts::tools::{ToolEnvelope, ToolStatus};
//!
//! let body = r#"{"status":"no_data","message":"Logger X is not known."}"#;
//! let envelope: ToolEnvelope = serde_json::from_str(body)?;
//! assert_eq!(envelope.status, ToolStatus::NoData);
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod problem;

pub mod tools;

pub mod measurements;

pub mod weather;

pub mod sites;
pub mod sources;

pub mod imports;

pub mod collections;

pub mod targets;
pub mod upstreams;

pub mod ui;

pub mod run;

pub mod todo;

pub mod chat;

pub mod agent_events;

pub mod named_events;

pub mod threads;

pub mod issuers;
pub mod kept;
pub mod names;

pub mod person;

pub mod schedules;

pub mod assistants;

pub mod data_overview;

pub mod figures;

pub mod ui_history;

pub mod bff;

pub mod access;

pub mod accounts;

pub mod audit;

pub mod health;

pub mod openapi;
