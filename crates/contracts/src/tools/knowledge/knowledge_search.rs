//! `knowledge_search`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `knowledge_search`.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeSearch;

impl Tool for KnowledgeSearch {
    const NAME: &'static str = "knowledge_search";
    const CATEGORY: ToolCategory = ToolCategory::Documents;
    const SUMMARY: &'static str = "Finds passages in the tenant's documents.";
    const DESCRIPTION: &'static str = "Searches the ingested documents (manuals, guides, standards) and answers with the best passages, each with its source.";
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[("question", "query")];

    type Arguments = KnowledgeSearchArguments;
    type Result = KnowledgeResults;
}

/// The tool `climate_vector_search`, the same under another name.
#[derive(Debug, Clone, Copy)]
pub struct ClimateVectorSearch;

impl Tool for ClimateVectorSearch {
    const NAME: &'static str = "climate_vector_search";
    const CATEGORY: ToolCategory = ToolCategory::Documents;
    const SUMMARY: &'static str = "`knowledge_search` under the climate advisor's name.";
    const DESCRIPTION: &'static str = "Searches the ingested documents (manuals, guides, standards) and answers with the best passages, each with its source.";
    const SYNONYMS: &'static [(&'static str, &'static str)] = &[("question", "query")];

    type Arguments = KnowledgeSearchArguments;
    type Result = KnowledgeResults;
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
