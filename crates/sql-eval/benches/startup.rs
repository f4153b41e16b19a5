//! From a graph file to a guard with a thousand tables, as at start-up.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

use criterion::{Criterion, criterion_group, criterion_main};
use join_graph::{Document, Graph, Hygiene, clean};
use sql_guard::{Guard, Policy, Schema, Tenant};

/// `tables` tables of twenty columns, each with fifteen relationships.
fn file(tables: usize) -> String {
    let mut document = Document::empty();
    let mut relationships = Vec::new();
    for table in 0..tables {
        let mut columns = vec!["id".to_owned(), "company_id".to_owned()];
        columns.extend((0..15).map(|n| format!("ref_{n}_id")));
        columns.extend(["name", "note", "createdBy"].map(ToOwned::to_owned));
        document.tables.insert(
            format!("table_{table}"),
            join_graph::Table {
                columns,
                primary_key: vec!["id".to_owned()],
                ..join_graph::Table::default()
            },
        );
        relationships.extend((0..15).map(|n| {
            let other = (table * 31 + n * n * 17 + 1) % tables;
            serde_json::json!({"from_table": format!("table_{table}"), "from_column": format!("ref_{n}_id"),
                "to_table": format!("table_{other}"), "to_column": "id", "type": "foreign_key", "confidence": 1.0})
        }));
    }
    document.relationships = serde_json::from_value(relationships.into()).unwrap();
    document.to_json().unwrap()
}

fn startup(criterion: &mut Criterion) {
    let text = file(1000);
    criterion.bench_function(
        "start-up: 1000 tables, 15000 relationships, all filtered",
        |bencher| {
            bencher.iter(|| {
                let document = Document::from_json(&text).unwrap();
                let document = clean(&document, &Hygiene::default()).document;
                let graph = Graph::new(&document, 0.7).unwrap();
                let tables = document
                    .tables
                    .iter()
                    .map(|(name, table)| (name.clone(), table.columns.clone()));
                let schema = Schema::new(tables).unwrap();
                let mut policy = Policy::new(100);
                for name in document.tables.keys() {
                    policy.row_filters.insert(name.clone(), "company_id".into());
                }
                let guard = Guard::new(&schema, policy.for_tenant(Tenant::integer(1))).unwrap();
                (graph, guard)
            });
        },
    );
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = startup
}
criterion_main!(benches);
