//! `confirm_question`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `confirm_question`.
#[derive(Debug, Clone, Copy)]
pub struct ConfirmQuestion;

impl Tool for ConfirmQuestion {
    const NAME: &'static str = "confirm_question";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Keeps a question with the query that answered it.";
    const DESCRIPTION: &'static str = "Keeps a question with the query that answers it, for the caller until someone releases it for the tenant.";
    const SCOPES: &'static [&'static str] = &["tools:read", "questions:write"];

    type Arguments = ConfirmQuestionArguments;
    type Result = ConfirmedQuestion;
}

/// Arguments of `confirm_question`. Needs the scope `questions:write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmQuestionArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The question.
    #[schema(min_length = 1, max_length = 2000)]
    pub question: String,
    /// The query that answers it, with logical table names. It has to pass `check_sql` and to read
    /// a table. Where the question names a period by its distance from today ("last week"), the
    /// query's days have to be bounds of it: they follow the calendar from then on.
    #[schema(min_length = 1, max_length = 50000)]
    pub sql: String,
    /// When the query was written: what "last week" meant then. Default: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub written_at: Option<DateTime<Utc>>,
}

/// Result of `confirm_question`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfirmedQuestion {
    /// The id of the thing.
    pub id: String,
    /// False when the caller had confirmed the same question before; it has the new query now.
    pub created: bool,
    /// The words for periods in the question that the query follows from now on.
    #[serde(default)]
    pub periods: Vec<String>,
    /// The question of these words that is released for the tenant, which stays as it is; `null`
    /// when there is none.
    #[serde(default)]
    pub standing: Option<StandingQuestion>,
}

/// A question that is released for the tenant, beside the caller's own of the same words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandingQuestion {
    /// The id of the thing.
    pub id: String,
    /// Whether the caller confirmed it.
    pub own: bool,
    /// Who confirmed it; `null` when the name is not known.
    pub confirmed_by: Option<String>,
}
