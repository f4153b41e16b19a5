//! `find_past_questions`.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::questions::QuestionPeriod;
use crate::tools::{Tool, ToolCategory};

/// The tool `find_past_questions`.
#[derive(Debug, Clone, Copy)]
pub struct FindPastQuestions;

impl Tool for FindPastQuestions {
    const NAME: &'static str = "find_past_questions";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Confirmed questions that resemble one.";
    const DESCRIPTION: &'static str =
        "Questions like this one whose queries a person has confirmed.";

    type Arguments = FindPastQuestionsArguments;
    type Result = PastQuestions;
}

/// Arguments of `find_past_questions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FindPastQuestionsArguments {
    /// The target database. Default: the first that the tenant may use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub target: Option<String>,
    /// The question.
    #[schema(min_length = 1, max_length = 16384)]
    pub question: String,
    /// Maximum number of answers. Default: 5.
    #[serde(default = "five")]
    #[schema(minimum = 1, maximum = 20, default = 5)]
    pub limit: u32,
}

fn five() -> u32 {
    5
}

/// Result of `find_past_questions`, the best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastQuestions {
    /// The target asked.
    pub target: String,
    /// Whether meaning was compared (an embedding model) or words only.
    pub by_meaning: bool,
    /// The questions that resemble it.
    pub matches: Vec<PastQuestion>,
}

/// A question that was answered by a query which a person confirmed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PastQuestion {
    /// The id of the thing.
    pub id: String,
    /// As it was asked.
    pub question: String,
    /// The query, with logical table names.
    pub sql: String,
    /// The tables it reads.
    pub tables: Vec<String>,
    /// How alike, 0 to 1.
    pub score: f64,
    /// Whether it is the same question but for case, punctuation and filler: its query answers
    /// both.
    pub same: bool,
    /// When it was confirmed.
    pub confirmed_at: DateTime<Utc>,
    /// The owner of the question.
    #[serde(default)]
    pub source: QuestionSource,
    /// Who confirmed it; absent when the name is not known, and for those that come with the
    /// database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed_by: Option<String>,
    /// Who released it for the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_by: Option<String>,
    /// When it was released; absent for one that only its owner uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_at: Option<DateTime<Utc>>,
    /// Who changed it after it was confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_by: Option<String>,
    /// When it was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
    /// The periods that it names, with the days that its query reads for them today.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub periods: Vec<QuestionPeriod>,
}

/// The owner of a confirmed question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionSource {
    /// It comes with the database: its operator put it there.
    #[default]
    Operator,
    /// The caller's own.
    Own,
    /// A colleague's, released for the tenant.
    Colleague,
}
