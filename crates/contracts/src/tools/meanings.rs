//! The tools that find out what a person means: which things are named, and which fields hold what
//! is asked for.

mod entity_resolution;
mod field_mapping;

pub use entity_resolution::*;
pub use field_mapping::*;

/// The names of these tools.
pub use super::search::names;
