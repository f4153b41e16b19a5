//! `entity_resolution`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::choices::RememberedChoice;
use crate::tools::clarification::{Clarification, ClarificationAnswer};
use crate::tools::{Tool, ToolCategory};

/// The tool `entity_resolution`.
#[derive(Debug, Clone, Copy)]
pub struct EntityResolutionTool;

impl Tool for EntityResolutionTool {
    const NAME: &'static str = "entity_resolution";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str =
        "Which things a request names, or the question that has to be asked first.";
    const DESCRIPTION: &'static str = "Finds which ports, vessels and other things a request names, or the question that has to be asked first.";

    type Arguments = EntityResolutionArguments;
    type Result = EntityResolution;
}

/// Arguments of `entity_resolution`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntityResolutionArguments {
    /// The request; things are looked for in it.
    #[schema(min_length = 1, max_length = 16384)]
    pub text: String,
    /// Words of the request that are known to name something.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub mentions: Vec<EntityMention>,
    /// Only in this source. Default: every source of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// The person's answers to the questions of earlier calls. A choice is remembered for this
    /// person.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub answers: Vec<ClarificationAnswer>,
    /// Take the likeliest instead of asking.
    #[serde(default)]
    pub best_guess: bool,
    /// Words of which this person's remembered choice is forgotten before they are resolved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub forget: Vec<String>,
    /// Tell what this person chose before, for any words.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub remembered: bool,
}

/// Words that name something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EntityMention {
    /// The words, as the request has them.
    #[schema(min_length = 1, max_length = 256)]
    pub text: String,
    /// The type of the thing: `port`, `vessel`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64)]
    pub entity_type: Option<String>,
}

/// Result of `entity_resolution`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntityResolution {
    /// The certain things.
    pub resolved: Vec<ResolvedEntity>,
    /// What can be several things.
    pub ambiguous: Vec<AmbiguousEntity>,
    /// What names nothing that is known.
    pub unresolved: Vec<UnresolvedEntity>,
    /// The question about all unclear parts; absent when everything is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
    /// What this person chose before, the newest first, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remembered: Vec<RememberedChoice>,
}

/// A thing that is intended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolvedEntity {
    /// The words of the request.
    pub mention: String,
    /// The type of the thing: `port`.
    pub entity_type: String,
    /// Its id in the source.
    pub id: String,
    /// The name of the target.
    pub name: String,
    /// 0 to 1.
    pub confidence: f64,
    /// How it was found.
    pub matched_by: MatchedBy,
    /// The source.
    pub source: String,
    /// The index that has a record of it.
    pub index: String,
}

/// How a thing was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MatchedBy {
    /// The person chose it, just now.
    Answer,
    /// The words are its id.
    Id,
    /// The words are its name.
    Name,
    /// The words are another name of it.
    Alias,
    /// The person chose it before for the same words.
    Remembered,
    /// The same up to case, accents, punctuation and usual abbreviations.
    Normalised,
    /// Its name has all of the words.
    Words,
    /// Similar letters.
    Trigram,
    /// Similar meaning.
    Embedding,
    /// The words say what several things have in common, as the country of ports: it is one of all
    /// of them.
    Group,
}

/// Words that can mean several things.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AmbiguousEntity {
    /// The words.
    pub original_value: String,
    /// The type of the thing, if all candidates are of one type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entity_type: Option<String>,
    /// What can be meant, the likeliest first; at most five.
    pub candidates: Vec<EntityCandidate>,
    /// The question about it alone.
    pub message: String,
}

/// Words that name nothing that is known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnresolvedEntity {
    /// The words.
    pub original_value: String,
    /// The nearest names, at most five.
    pub nearest: Vec<EntityCandidate>,
}

/// A possible meaning. It exists: candidates are never invented.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct EntityCandidate {
    /// The type of the thing.
    pub entity_type: String,
    /// The id of the thing.
    pub id: String,
    /// The name of the target.
    pub name: String,
    /// A description that distinguishes it from the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// How it was found.
    pub matched_by: MatchedBy,
    /// The source.
    pub source: String,
}
