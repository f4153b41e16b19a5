//! The tools over vectors: making them of texts, and finding what is like a text.

mod embedding_tool;
mod vectordb_tool;

pub use embedding_tool::*;
pub use vectordb_tool::*;

/// The tools over vectors, in the order in which
/// they are listed: the constant of the name, the module in the tools service, the type.
#[macro_export]
macro_rules! vector_tools {
    ($with:ident $($extra:tt)?) => {
        $with! {
            $($extra)?
            EMBEDDING_TOOL embedding_tool $crate::tools::vectors::EmbeddingTool,
            VECTORDB_TOOL vectordb_tool $crate::tools::vectors::VectordbTool,
        }
    };
}

/// The names of these tools.
pub mod names {
    crate::vector_tools!(tool_names);
}
