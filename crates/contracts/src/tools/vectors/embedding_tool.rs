//! `embedding_tool`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::tools::{Tool, ToolCategory};

/// The tool `embedding_tool`.
#[derive(Debug, Clone, Copy)]
pub struct EmbeddingTool;

impl Tool for EmbeddingTool {
    const NAME: &'static str = "embedding_tool";
    const CATEGORY: ToolCategory = ToolCategory::Analysis;
    const SUMMARY: &'static str = "Vectors of texts.";
    const DESCRIPTION: &'static str =
        "Makes vectors of texts, whose cosine tells how alike they are.";

    type Arguments = EmbeddingArguments;
    type Result = Embeddings;
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
