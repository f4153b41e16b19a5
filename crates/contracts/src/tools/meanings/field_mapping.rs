//! `field_mapping`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::ResolvedEntity;
use crate::tools::clarification::{Clarification, ClarificationAnswer};
use crate::tools::search::{FieldType, FilterOp, QueryType};
use crate::tools::{Tool, ToolCategory};

/// The tool `field_mapping`.
#[derive(Debug, Clone, Copy)]
pub struct FieldMappingTool;

impl Tool for FieldMappingTool {
    const NAME: &'static str = "field_mapping";
    const CATEGORY: ToolCategory = ToolCategory::Search;
    const SUMMARY: &'static str =
        "Which fields a request means, or the question that has to be asked first.";
    const DESCRIPTION: &'static str = "Finds which fields of an index hold what a request names, or the question that has to be asked first.";

    type Arguments = FieldMappingArguments;
    type Result = FieldMapping;
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
    /// The name of the target.
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
