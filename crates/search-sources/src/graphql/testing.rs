//! Schemas and indices for the tests of this module.

use contracts::tools::search::{GraphqlQuery, IndexDescription, QueryProblem};
use serde_json::{Map, Value};

use super::describe;
use super::limits::GraphqlLimits;
use super::schema::GraphqlSchema;
use super::validate::{CheckedQuery, check_request};
use crate::{IndexConfig, SourceConfig};
use contracts::tools::search::SourceKind;

/// What `PostGraphile` 5.1.5 said about the tables of `tests/it/postgraphile.rs`, with its plugins
/// for filters and short names.
pub(super) fn full() -> GraphqlSchema {
    introspected(include_str!("fixtures/postgraphile_full.json"))
}

/// The same without plugins: conditions, no operators, long names.
pub(super) fn plain() -> GraphqlSchema {
    introspected(include_str!("fixtures/postgraphile_plain.json"))
}

fn introspected(text: &str) -> GraphqlSchema {
    let data: Value = serde_json::from_str(text).unwrap();
    GraphqlSchema::from_introspection(&data).unwrap()
}

pub(super) fn limits() -> GraphqlLimits {
    GraphqlLimits {
        max_depth: 6,
        max_cost: 10_000,
        default_rows: 100,
        max_rows: 1_000,
    }
}

/// An index of a schema, with an id and the fields that a glossary names.
pub(super) fn index(
    schema: &GraphqlSchema,
    name: &str,
    root_field: &str,
    id: &str,
    words: &[&str],
) -> IndexDescription {
    let config = SourceConfig {
        indices: vec![IndexConfig {
            name: name.to_owned(),
            root_field: Some(root_field.to_owned()),
            nouns: vec![name.trim_end_matches('s').to_owned(), name.to_owned()],
            id_field: Some(id.to_owned()),
            fields: words
                .iter()
                .map(|word| crate::FieldConfig {
                    name: (*word).to_owned(),
                    ..crate::FieldConfig::default()
                })
                .collect(),
            ..IndexConfig::default()
        }],
        ..SourceConfig::new("test", SourceKind::Graphql)
    };
    describe::indices(schema, &config).unwrap().remove(0)
}

pub(super) fn request(query: &str, variables: Value) -> GraphqlQuery {
    let variables: Map<String, Value> = serde_json::from_value(variables).unwrap();
    GraphqlQuery {
        query: query.to_owned(),
        variables,
    }
}

/// A request checked against a schema, within the limits above.
pub(super) fn check(
    schema: &GraphqlSchema,
    query: &str,
    variables: Value,
) -> Result<CheckedQuery, Vec<QueryProblem>> {
    check_request(schema, &request(query, variables), &limits())
}
