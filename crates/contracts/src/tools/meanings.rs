//! The tools that find out what a person means: which things are named, and which fields hold what
//! is asked for.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::choices::RememberedChoice;
use super::clarification::{Clarification, ClarificationAnswer};
use super::search::{FieldType, FilterOp, QueryType};

/// The names of these tools.
pub mod names {
    /// Which things are intended.
    pub const ENTITY_RESOLUTION: &str = "entity_resolution";
    /// Which fields are intended.
    pub const FIELD_MAPPING: &str = "field_mapping";
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
    /// The name of the thing.
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
    /// The name of the thing.
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

/// Arguments of `field_mapping`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldMappingArguments {
    /// The request.
    #[schema(min_length = 1, max_length = 16384)]
    pub text: String,
    /// The source. Default: the tenant's first that has the index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 64)]
    pub source: Option<String>,
    /// How it will be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub query_type: Option<QueryType>,
    /// The index. Default: the one whose records the request names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    pub index: Option<String>,
    /// The things in the request; each is given the field that holds it, by the words around it
    /// (`to Miami`, `from Shanghai`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub entities: Vec<ResolvedEntity>,
    /// Words of the request that mean fields or values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub terms: Vec<FieldTerm>,
    /// The request has a time range, with these words around it (`arrived last week`): a date field
    /// is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 256)]
    pub time_words: Option<String>,
    /// The person's answers to the questions of earlier calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 32)]
    pub answers: Vec<ClarificationAnswer>,
    /// Take the likeliest instead of asking.
    #[serde(default)]
    pub best_guess: bool,
}

/// Words that mean a field, or a value of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldTerm {
    /// The words: `arrival date`, `delay`, `delivered`.
    #[schema(min_length = 1, max_length = 256)]
    pub text: String,
    /// The role of the field.
    pub role: TermRole,
    /// Of a filter that compares: how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub op: Option<FilterOp>,
    /// Of a filter that compares: with what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Value)]
    pub value: Option<Value>,
}

/// The role of a field; it decides which types fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TermRole {
    /// To be shown: any type.
    Select,
    /// To be compared. Without a value the words are themselves a value (`delivered`) or say yes
    /// (`hazardous`).
    Filter,
    /// To be computed with: a number.
    Measure,
    /// To make groups by: a keyword, a date, a yes or no.
    GroupBy,
    /// To sort by: any but a text.
    Sort,
}

/// Result of `field_mapping`. Every field in it is one of the source's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FieldMapping {
    /// The source.
    pub source: String,
    /// The index.
    pub index: String,
    /// The field of each term.
    pub fields: Vec<MappedField>,
    /// The field of each entity, and the value to compare it with.
    pub entities: Vec<MappedEntity>,
    /// The field of the time range.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
    /// Terms that mean no field of the index.
    pub unmapped: Vec<UnmappedTerm>,
    /// The question about terms that several fields fit; absent when everything is certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clarification: Option<Clarification>,
}

/// The field of a term.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MappedField {
    /// The words.
    pub term: String,
    /// The role of the field.
    pub role: TermRole,
    /// The field; of a text field that is filtered, sorted or grouped by, its exact subfield.
    pub field: String,
    /// The type of its values.
    pub field_type: FieldType,
    /// 0 to 1.
    pub score: f64,
    /// Of a filter: how it is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub op: Option<FilterOp>,
    /// Of a filter: with what.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<Value>)]
    pub values: Vec<Value>,
}

/// The field of an entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MappedEntity {
    /// The words.
    pub mention: String,
    /// The type of the thing.
    pub entity_type: String,
    /// The name of the thing.
    pub name: String,
    /// The field.
    pub field: String,
    /// The value of the field for it: its id or its name.
    pub value: String,
}

/// A term that means no field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct UnmappedTerm {
    /// The words.
    pub term: String,
    /// The role of the field.
    pub role: TermRole,
    /// The nearest fields, at most five.
    pub nearest: Vec<String>,
}
