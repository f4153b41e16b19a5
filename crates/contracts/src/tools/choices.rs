//! A person's choices for ambiguous words, kept so that they are not asked again.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Something that a person chose for some words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RememberedChoice {
    /// The words, without case, accents and punctuation.
    pub mention: String,
    /// The source that the thing is of.
    pub source: String,
    /// What kind of thing it is: `port`, `vessel`.
    pub entity_type: String,
    /// The thing.
    pub id: String,
    /// The name of the thing, where its source knows it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// When it was chosen.
    pub chosen_at: DateTime<Utc>,
}

/// The caller's choices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChoiceList {
    /// The newest first, at most 1,000.
    pub choices: Vec<RememberedChoice>,
}

/// Which choices are forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ForgetChoices {
    /// The words, written as in any request: `Miami`. Without them every choice of the caller is
    /// forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false, min_length = 1, max_length = 512)]
    #[schema(nullable = false, min_length = 1, max_length = 512)]
    pub mention: Option<String>,
}

/// The result of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ForgottenChoices {
    /// Number of choices that were deleted.
    pub forgotten: u64,
}
