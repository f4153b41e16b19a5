//! The tools over vectors: making them of texts, and finding what is like a text.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The names of these tools.
pub mod names {
    /// Computes vectors of texts.
    pub const EMBEDDING_TOOL: &str = "embedding_tool";
    /// Finds what is like a text.
    pub const VECTORDB_TOOL: &str = "vectordb_tool";
}

/// Arguments of `embedding_tool`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingArguments {
    /// The texts, each of 1 to 8,192 characters.
    #[schema(min_items = 1, max_items = 64)]
    pub texts: Vec<String>,
    /// The purpose of the texts, for models that distinguish it.
    #[serde(default)]
    pub purpose: EmbeddingPurpose,
}

/// What texts are embedded for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingPurpose {
    /// To be found.
    #[default]
    Document,
    /// To find with.
    Query,
}

/// Result of `embedding_tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Embeddings {
    /// The model: `openai/text-embedding-3-large`.
    pub model: String,
    /// The length of each vector.
    pub dimensions: u32,
    /// A vector per text, in order.
    pub vectors: Vec<Vec<f32>>,
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
