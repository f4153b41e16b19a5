//! `vectordb_tool`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `vectordb_tool`.
#[derive(Debug, Clone, Copy)]
pub struct VectordbTool;

impl Tool for VectordbTool {
    const NAME: &'static str = "vectordb_tool";
    const CATEGORY: ToolCategory = ToolCategory::Analysis;
    const SUMMARY: &'static str = "The nearest entries to a text.";
    const DESCRIPTION: &'static str = "Finds the passages of documents, or the fields of search sources, that are most like a text.";

    type Arguments = VectorSearchArguments;
    type Result = VectorMatches;
}

/// Arguments of `vectordb_tool`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorSearchArguments {
    /// The collection to search.
    #[serde(default)]
    pub collection: VectorCollection,
    /// What to find things like, in a person's words.
    #[schema(min_length = 1, max_length = 8192)]
    pub query: String,
    /// Maximum number of results. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 50)]
    pub top_k: Option<u32>,
    /// Conditions on the results.
    #[serde(default)]
    pub filters: VectorFilters,
}

/// The collection that is searched for similar texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorCollection {
    /// The tenant's documents.
    #[default]
    Documents,
    /// The fields of the tenant's search sources.
    Fields,
}

/// Conditions on the results, each for the collections that it applies to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VectorFilters {
    /// Of documents: only in these collections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub collections: Vec<String>,
    /// Of documents: only these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub filenames: Vec<String>,
    /// Of fields: only of this source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64)]
    pub source: Option<String>,
    /// Of fields: only of this index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 255)]
    pub index: Option<String>,
}

/// Result of `vectordb_tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VectorMatches {
    /// The collection that was searched.
    pub collection: VectorCollection,
    /// The model that compared.
    pub model: String,
    /// The results, the most alike first.
    pub matches: Vec<VectorMatch>,
}

/// Something that is like a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct VectorMatch {
    /// The id within its collection: `pump.md#3`, `shipping/shipments/delay_hours`.
    pub id: String,
    /// How alike they are: the cosine of the vectors, no less than 0.
    pub score: f64,
    /// The text that was compared.
    pub text: String,
    /// Of a document: its name. Of a field: its source.
    pub source: String,
    /// Of a field: its index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<String>,
    /// Of a field: its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
}
