//! The tool over ingested documents, and the results of ingestion.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The names of these tools.
pub mod names {
    /// Finds passages in the tenant's documents.
    pub const KNOWLEDGE_SEARCH: &str = "knowledge_search";
    /// The same under the climate advisor's name.
    pub const CLIMATE_VECTOR_SEARCH: &str = "climate_vector_search";
}

/// Arguments of `knowledge_search` and `climate_vector_search`. `question` is another name of
/// `query`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeSearchArguments {
    /// What to find, in a person's words. Nothing is found for blanks.
    #[schema(max_length = 16384)]
    pub query: String,
    /// Maximum number of passages. Default: the service's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 50)]
    pub top_k: Option<u32>,
    /// Only in these collections. Default: all of the tenant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 20)]
    pub collections: Vec<String>,
    /// Only in documents of these names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(max_items = 50)]
    pub filenames: Vec<String>,
    /// Passages whose score is below are left out before the limit counts, 0 to 1. Default: the
    /// service's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1)]
    pub min_score: Option<f64>,
    /// Which lists are searched. Default: both.
    #[serde(default)]
    pub mode: SearchMode,
}

/// Which lists a search is made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SearchMode {
    /// Full text and vectors, fused by reciprocal rank.
    #[default]
    Hybrid,
    /// Full text alone.
    Text,
    /// Vectors alone.
    Vector,
}

/// Result of `knowledge_search`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KnowledgeResults {
    /// The query.
    pub query: String,
    /// The passages, the best first.
    pub results: Vec<KnowledgeMatch>,
    /// Which lists were searched: `hybrid`, or `text` where no vectors could be had.
    pub mode: SearchMode,
    /// Who compared vectors.
    pub vectors: VectorService,
    /// The embedding model; absent where none took part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why there is nothing, or less than asked for: `empty_question`, `no_matches`,
    /// `no_documents`, `no_embedder`, `embedder_unavailable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Who compared vectors in a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum VectorService {
    /// pgvector's HNSW index over `halfvec`.
    PgvectorHnsw,
    /// pgvector, every vector of the tenant compared.
    PgvectorExact,
    /// This process, every vector of the tenant compared.
    InProcessExact,
    /// None: text alone was searched.
    None,
}

/// A passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct KnowledgeMatch {
    /// The document's name.
    pub filename: String,
    /// Which chunk of the document it is, from 0.
    pub chunk_index: u32,
    /// The relevance, 0 to 1: the cosine of the vectors where there are any, otherwise the share
    /// of the query's weight that its words cover.
    pub score: f64,
    /// The passage.
    pub content: String,
    /// The collection of the document.
    pub collection: String,
    /// The document.
    pub document_id: String,
    /// The headings above the passage, outermost first.
    pub headings: Vec<String>,
    /// The page of a PDF that it begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// Its place in the full-text list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_rank: Option<u32>,
    /// Its place in the vector list, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vector_rank: Option<u32>,
    /// The reciprocal rank fusion of both, by which passages are ordered.
    pub fused_score: f64,
}

/// The query of `POST /api/documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct IngestDocumentQuery {
    /// The document's name with its ending, unique in the collection; a path is kept as it is.
    #[param(
        min_length = 1,
        max_length = 1000,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    pub filename: String,
    /// The collection; made on first use. Default: `manuals`.
    #[serde(default = "manuals")]
    #[param(
        default = "manuals",
        min_length = 1,
        max_length = 100,
        pattern = "^[^\\x00-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]*$"
    )]
    pub collection: String,
}

fn manuals() -> String {
    "manuals".to_owned()
}

/// The result of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IngestedDocument {
    /// The document.
    pub document_id: String,
    /// The collection of the document.
    pub collection: String,
    /// The name of the document.
    pub filename: String,
    /// The result of it.
    pub outcome: IngestOutcome,
    /// Chunks that it has now.
    pub chunks: u32,
    /// Chunks that were made, or made again.
    pub chunks_written: u32,
    /// Chunks that were deleted.
    pub chunks_deleted: u32,
    /// Chunks without a vector: no embedder is configured, or it is unavailable. A later run embeds
    /// them.
    pub chunks_without_vector: u32,
}

/// The result of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IngestOutcome {
    /// It is new.
    Created,
    /// It was there and has changed.
    Updated,
    /// It was there and is the same.
    Unchanged,
}

/// A document that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentSummary {
    /// The document.
    pub document_id: String,
    /// The collection of the document.
    pub collection: String,
    /// The name of the document.
    pub filename: String,
    /// Its media type.
    pub media_type: String,
    /// Its size, bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, hexadecimal.
    pub content_hash: String,
    /// Number of chunks that it has.
    pub chunks: u32,
    /// Number of chunks without a vector.
    pub chunks_without_vector: u32,
    /// When it was ingested last.
    pub updated_at: DateTime<Utc>,
}

/// `GET /api/documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentList {
    /// The tenant's documents, by collection and name.
    pub documents: Vec<DocumentSummary>,
}
