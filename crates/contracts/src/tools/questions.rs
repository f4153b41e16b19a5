//! Confirmed questions: questions to a target database with the queries that a person has
//! confirmed.
//!
//! A question is its owner's own until someone with the scope `questions:approve` releases it for
//! the tenant. Days of a period that it names follow the calendar: in its query `{{week-1}}` is the
//! first day of last week, on whatever day it is asked.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The query of `GET /api/questions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListQuestions {
    /// Only questions to this target database.
    #[serde(default)]
    pub target: Option<String>,
    /// Only the caller's own (`own`), those released for the tenant (`released`), or those of
    /// colleagues that wait for a release (`waiting`, with the scope `questions:approve`).
    #[serde(default)]
    pub show: Option<ShowQuestions>,
    /// 1 to 100; 50 when absent.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// From the page before.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Which confirmed questions are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShowQuestions {
    /// The caller's own.
    Own,
    /// Questions that are released for the tenant.
    Released,
    /// Questions of colleagues that are not released.
    Waiting,
}

/// A page of confirmed questions, the newest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct QuestionList {
    /// The questions.
    pub questions: Vec<KeptQuestion>,
    /// What `cursor` has to be for the next page; `null` on the last.
    pub next_cursor: Option<String>,
}

/// A confirmed question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KeptQuestion {
    /// The id of the question.
    pub id: String,
    /// The target database.
    pub target: String,
    /// As it was asked.
    pub question: String,
    /// The query, with logical table names. Days that follow the calendar are in double braces.
    pub sql: String,
    /// The query as it would run today; `null` while it is stale.
    pub sql_today: Option<String>,
    /// The tables it reads.
    pub tables: Vec<String>,
    /// The periods that the question names, with the days that they represent today.
    pub periods: Vec<QuestionPeriod>,
    /// Whether it is used.
    pub status: QuestionStatus,
    /// Why it is not used; `null` when it is.
    pub reason: Option<String>,
    /// Whether it is the caller's own.
    pub own: bool,
    /// Who confirmed it; `null` when the name is not known any more.
    pub confirmed_by: Option<String>,
    /// When it was confirmed.
    pub confirmed_at: DateTime<Utc>,
    /// The user who changed it after that.
    pub edited_by: Option<String>,
    /// When it was changed.
    pub edited_at: Option<DateTime<Utc>>,
    /// Whether it answers the whole tenant.
    pub released: bool,
    /// Who released it.
    pub released_by: Option<String>,
    /// When it was released.
    pub released_at: Option<DateTime<Utc>>,
}

/// A period that a question names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuestionPeriod {
    /// The words, as the question has them.
    pub words: String,
    /// Its first day as the query reads it; `null` where the query has no lower bound.
    pub from: Option<NaiveDate>,
    /// Its last day; `null` where the query has no upper bound.
    pub until: Option<NaiveDate>,
}

/// Whether a confirmed question is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuestionStatus {
    /// It is.
    Ready,
    /// It is not: a table, a column or the policy changed after it was confirmed. Confirming or
    /// editing it makes it ready again.
    Stale,
    /// It is not known at the moment: the target database is unavailable.
    Unknown,
}

/// The body of `PATCH /api/questions/{question_id}`. What is absent stays.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EditQuestion {
    /// Another question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 2000)]
    pub question: Option<String>,
    /// Another query, with logical table names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 50000)]
    pub sql: Option<String>,
}

/// The body of `POST /api/questions/{question_id}/approve`; may be absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveQuestion {
    /// Withdraws the question that is released for the same words. Without it, such a question is a
    /// conflict.
    #[serde(default)]
    pub replace: bool,
}
