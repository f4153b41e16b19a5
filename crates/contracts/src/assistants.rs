//! The assistants that a person can ask, and for what: `GET /v1/assistants`, `GET /api/assistants`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Every assistant, in the order in which a page offers them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssistantList {
    /// The assistants.
    pub assistants: Vec<AssistantDescription>,
}

/// An assistant, as the caller's tenant can use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssistantDescription {
    /// The id by which a message names it.
    #[schema(example = "site")]
    pub id: String,
    /// A short name for people.
    #[schema(example = "Solar site")]
    pub title: String,
    /// A sentence about the questions that it answers.
    pub description: String,
    /// Whether there is something it can answer from. It can be asked nevertheless.
    pub available: bool,
    /// A sentence about missing parts when it is not available, and how they are added; or that
    /// this is not known at the moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The way to the missing data. Absent when there are data, when it is not known whether there
    /// are, and when the caller lacks the scope for it: then `missing` names who may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connect: Option<Connect>,
    /// Messages to begin with, made from the tenant's own data.
    #[schema(max_items = 6)]
    pub starters: Vec<Starter>,
}

/// The way to data that an assistant lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Connect {
    /// The label of the button.
    #[schema(example = "Connect your plant")]
    pub label: String,
    /// The kind of data.
    pub kind: ConnectKind,
    /// The command that does it.
    #[schema(example = "heliograph import FOLDER")]
    pub command: String,
}

/// A kind of data that can be connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectKind {
    /// Files of data loggers, at `/api/imports`.
    Imports,
    /// Documents, at `/api/documents`.
    Documents,
    /// Business databases.
    Targets,
    /// Search sources.
    Sources,
}

/// A message to begin with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Starter {
    /// The label of the button.
    #[schema(example = "Health of INV-001")]
    pub label: String,
    /// The message that is sent.
    #[schema(example = "Check the health of INV-001")]
    pub message: String,
}
