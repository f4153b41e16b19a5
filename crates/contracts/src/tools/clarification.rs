//! A question that a tool puts to the person before it can continue, and the answers to it.
//!
//! A tool that cannot decide is not a tool that failed: its envelope has status `ok`, its result a
//! [`Clarification`]. The call is made again with the [`ClarificationAnswer`]s, which decide: what
//! was answered is never asked again.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A question with its options. Several things that are unclear at once are one question with
/// several parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Clarification {
    /// In words for people.
    pub question: String,
    /// The unclear parts, each with its options; at least one.
    pub parts: Vec<ClarificationPart>,
}

/// One thing that is unclear.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationPart {
    /// The subject, the same whenever the same is asked: `entity:Miami`, `field:delay`,
    /// `time_range`.
    pub about: String,
    /// The words of the person that are unclear.
    pub mention: String,
    /// What can be meant, the likeliest first; at most five.
    pub options: Vec<ClarificationOption>,
}

/// One thing that can be meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClarificationOption {
    /// Unique among the options of the part.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// A description that distinguishes it from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Other words for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
}

/// A person's answer to one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ClarificationAnswer {
    /// The part.
    #[schema(max_length = 512)]
    pub about: String,
    /// The option chosen; absent when the person said something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 512)]
    pub option_id: Option<String>,
    /// The person's own words.
    #[schema(max_length = 2048)]
    pub text: String,
}
