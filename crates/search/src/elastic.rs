//! The query DSL of Elasticsearch. OpenSearch has the same syntax for the part used here.
//!
//! [`render`] writes it, [`parse`] reads it strictly, and [`read_response`] reads the response to a
//! search.

mod parse;
mod render;
mod respond;

pub use parse::{Parsed, parse};
pub use render::{Tenant, filter_of, render};
pub use respond::{Response, read_response};

/// The name of the aggregation that limits a date histogram.
const LIMIT: &str = "limit";

/// The name of an aggregation. Dots are replaced, because an order by an aggregation reads a dot as
/// a path.
fn aggregation_name(name: &str) -> String {
    name.replace(['.', '>', '[', ']'], "_")
}

/// The aggregation names of a query's measures, in order. The number of records has none, because
/// every bucket contains it.
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

/// The name of the aggregation that groups by a field.
fn group_name(grouping: &contracts::tools::search::Grouping) -> String {
    format!("by_{}", aggregation_name(&grouping.field))
}
