//! Path finding on a generated graph of realistic size, and building a large graph.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

use criterion::{Criterion, criterion_group, criterion_main};
use join_graph::{Document, Graph, Relationship, RelationshipType, Table};
use std::hint::black_box;

/// `tables` tables joined by `relationships` relationships; some tables are hubs, as in real
/// schemas.
fn document(tables: usize, relationships: usize) -> Document {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut document = Document::empty();
    for table in 0..tables {
        let columns = std::iter::once("id".to_owned())
            .chain((0..relationships).step_by(tables).map(|n| format!("c{n}")));
        let table_columns = Table {
            columns: columns.collect(),
            unique_columns: vec!["id".to_owned()],
            ..Table::default()
        };
        document
            .tables
            .insert(format!("table_{table}"), table_columns);
    }
    for n in 0..relationships {
        let to = random(tables).min(random(tables));
        document.relationships.push(Relationship {
            from_table: format!("table_{}", n % tables),
            from_column: format!("c{}", n / tables * tables),
            to_table: format!("table_{to}"),
            to_column: "id".to_owned(),
            kind: RelationshipType::ForeignKey,
            confidence: [1.0, 0.9, 0.7][random(3)],
            cardinality: join_graph::Cardinality::Unknown,
            evidence: Vec::new(),
            sources: Vec::new(),
            key: None,
        });
    }
    document
}

fn paths(criterion: &mut Criterion) {
    let graph = Graph::new(&document(122, 1801), 0.7).unwrap();
    assert_eq!(graph.relationships().len(), 1801);
    let names: Vec<&str> = graph.tables().collect();
    let mut pair = 0;
    let mut next = || {
        pair += 1;
        (names[pair * 37 % 122], names[pair * 53 % 122])
    };
    criterion.bench_function(
        "path, 122 tables, 1801 relationships, nothing kept",
        |bencher| {
            bencher.iter(|| {
                let (from, to) = next();
                black_box(graph.path_uncached(from, to, 4).unwrap())
            });
        },
    );
    criterion.bench_function("path, kept", |bencher| {
        bencher.iter(|| {
            let (from, to) = next();
            black_box(graph.path(from, to, 4).unwrap())
        });
    });
    criterion.bench_function("join tree over 6 tables", |bencher| {
        bencher.iter(|| {
            black_box(
                graph
                    .join_tree(&[
                        names[3], names[40], names[77], names[80], names[101], names[119],
                    ])
                    .unwrap(),
            )
        });
    });
    let text = document(1000, 15_000).to_json().unwrap();
    criterion.bench_function("load 1000 tables, 15000 relationships", |bencher| {
        bencher.iter(|| Graph::new(&Document::from_json(&text).unwrap(), 0.7).unwrap());
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = paths
}
criterion_main!(benches);
