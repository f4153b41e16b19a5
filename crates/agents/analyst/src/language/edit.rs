//! Changes to a query that was executed: only what is asked changes.

use chrono::NaiveDate;
use contracts::tools::meanings::FieldMapping;
use contracts::tools::search::{IndexDescription, QueryStructure, SourceList};

use super::request::Request;

/// A change that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EditRequest {
    /// What is added or takes the place of something; its terms go to `field_mapping` for the index of the old query.
    pub request: Request,
    /// What is taken away.
    pub removals: Vec<Removal>,
    /// Values of a field that is already compared are added to the old ones ("also the cancelled ones"), instead of taking their place.
    pub widens: bool,
}

/// What is taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Removal {
    /// The days.
    Time,
    /// Every condition.
    Filters,
    /// The condition at this place of the old query.
    Filter(usize),
    /// The groups and what is computed of them.
    Groups,
    /// The order.
    Sort,
    /// The limit.
    Limit,
    /// A field that is shown.
    Field(String),
}

/// A query that was changed.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// The query now.
    pub structure: QueryStructure,
    /// What changed, each a phrase for a sentence: `status is delivered`; empty when nothing did.
    pub changes: Vec<String>,
}

/// Which change of `old` the `text` asks for.
pub fn read_edit(
    text: &str,
    old: &QueryStructure,
    sources: &SourceList,
    today: NaiveDate,
) -> EditRequest {
    let _ = (text, old, sources, today);
    EditRequest::default()
}

/// `old` with the change; `mapping` is of the change's terms and names.
pub fn apply(
    old: &QueryStructure,
    edit: &EditRequest,
    mapping: &FieldMapping,
    index: &IndexDescription,
) -> Edited {
    let _ = (edit, mapping, index);
    Edited {
        structure: old.clone(),
        changes: Vec::new(),
    }
}
