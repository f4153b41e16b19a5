//! The tool over ingested documents, and the results of ingestion.

mod knowledge_search;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

pub use knowledge_search::*;

/// The tool over ingested documents, under both of its names, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! knowledge_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            KNOWLEDGE_SEARCH knowledge_search $crate::tools::knowledge::KnowledgeSearch,
            CLIMATE_VECTOR_SEARCH climate_vector_search $crate::tools::knowledge::ClimateVectorSearch,
        }
    };
}

/// The names of these tools.
pub mod names {
    crate::knowledge_tools!(tool_names);
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

/// `GET /api/documents/{id}/text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentText {
    /// The document.
    pub document_id: String,
    /// The name of the document.
    #[serde(default)]
    pub filename: String,
    /// Its text as it was read, with its headings, as Markdown. Neighbouring parts can overlap.
    pub text: String,
    /// The passages of the text, as answers quote them, in order.
    #[serde(default)]
    pub passages: Vec<TextPassage>,
}

/// A passage of a document's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TextPassage {
    /// Which chunk of the document it is, from 0: `chunk_index` of a source.
    pub index: u32,
    /// The page of a PDF that it begins on, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// The headings above it, outermost first.
    pub headings: Vec<String>,
    /// The place in `text` at which it begins, in characters (Unicode scalar values), from 0.
    pub start: u32,
    /// The place after its last character.
    pub end: u32,
}

/// `GET /api/documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DocumentList {
    /// The tenant's documents, by collection and name.
    pub documents: Vec<DocumentSummary>,
}
