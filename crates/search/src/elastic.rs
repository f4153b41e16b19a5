//! Elasticsearch's query DSL, and OpenSearch's, which is the same in the part used here.
//!
//! [`render`] writes it, [`parse`] reads it back strictly, [`read_response`] reads what a search brings.

mod parse;
mod render;
mod respond;

pub use parse::{Parsed, parse};
pub use render::{Tenant, filter_of, render};
pub use respond::{Response, read_response};

/// The name of the aggregation that limits a date histogram.
const LIMIT: &str = "limit";

/// The names of aggregations: a dot would be read as a path where groups are ordered by one.
fn aggregation_name(name: &str) -> String {
    name.replace(['.', '>', '[', ']'], "_")
}

/// The names of a query's measures as aggregations, in order; none for the number of records, which every bucket has.
fn measure_names(structure: &contracts::tools::search::QueryStructure) -> Vec<Option<String>> {
    let mut names: Vec<Option<String>> = Vec::new();
    for (position, measure) in structure.measures.iter().enumerate() {
        let name = measure.field.is_some().then(|| {
            let name = aggregation_name(&measure.name());
            let taken = names.iter().flatten().any(|before| *before == name);
            if taken {
                format!("{name}_{position}")
            } else {
                name
            }
        });
        names.push(name);
    }
    names
}

/// The name of the aggregation that makes groups by a field.
fn group_name(grouping: &contracts::tools::search::Grouping) -> String {
    format!("by_{}", aggregation_name(&grouping.field))
}
