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
    /// Messages to begin with, made from the tenant's own data.
    #[schema(max_items = 6)]
    pub starters: Vec<Starter>,
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
