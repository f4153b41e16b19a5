//! `forget_question`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `forget_question`.
#[derive(Debug, Clone, Copy)]
pub struct ForgetQuestion;

impl Tool for ForgetQuestion {
    const NAME: &'static str = "forget_question";
    const CATEGORY: ToolCategory = ToolCategory::Database;
    const SUMMARY: &'static str = "Withdraws a confirmed question.";
    const DESCRIPTION: &'static str = "Withdraws a confirmed question: the caller's own, or, with the scope questions:approve, anyone's.";
    const SCOPES: &'static [&'static str] = &["tools:read", "questions:write"];

    type Arguments = ForgetQuestionArguments;
    type Result = ForgottenQuestion;
}

/// Arguments of `forget_question`. Needs the scope `questions:write`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ForgetQuestionArguments {
    /// The question's id.
    #[schema(min_length = 1, max_length = 64)]
    pub id: String,
}

/// Result of `forget_question`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgottenQuestion {
    /// The id of the thing.
    pub id: String,
    /// The question.
    pub question: String,
    /// Whether it answered the whole tenant.
    pub was_released: bool,
    /// Whether it was the caller's own.
    pub was_own: bool,
}
