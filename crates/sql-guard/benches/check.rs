//! What one check costs, over real queries.

#![expect(
    clippy::unwrap_used,
    reason = "a benchmark may stop at the first surprise"
)]

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::Value;
use sql_guard::{Dialect, Guard, Policy, Schema};

fn fixture(name: &str) -> Vec<Value> {
    let path = format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn guard(line: &Value) -> Guard {
    let tables = line["tables"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, table)| {
            (
                name.clone(),
                table["columns"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|column| column.as_str().unwrap().to_owned())
                    .collect::<Vec<_>>(),
            )
        });
    Guard::new(&Schema::new(tables).unwrap(), Policy::new(1000)).unwrap()
}

fn check(criterion: &mut Criterion) {
    let guards: HashMap<String, Guard> = fixture("schemas.jsonl")
        .iter()
        .map(|line| (line["db"].as_str().unwrap().to_owned(), guard(line)))
        .collect();
    let statements = |name: &str| -> Vec<(String, String)> {
        fixture(name)
            .iter()
            .map(|line| {
                (
                    line["db"].as_str().unwrap().to_owned(),
                    line["sql"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    for name in ["cases.jsonl", "mutants.jsonl"] {
        let statements = statements(name);
        let mut nanoseconds: Vec<u128> = Vec::new();
        for (db, sql) in statements.iter().chain(&statements) {
            let start = Instant::now();
            _ = black_box(guards[db].check(sql, Dialect::MySql));
            nanoseconds.push(start.elapsed().as_nanos());
        }
        nanoseconds.sort_unstable();
        let at = |share: usize| nanoseconds[nanoseconds.len() * share / 100] as f64 / 1000.0;
        eprintln_row(name, at(50), at(99));
        let mut next = statements.iter().cycle();
        criterion.bench_function(&format!("one of {name}"), |bencher| {
            bencher.iter(|| {
                let Some((db, sql)) = next.next() else { return };
                _ = black_box(guards[db].check(sql, Dialect::MySql));
            });
        });
    }
}

#[expect(clippy::print_stderr, reason = "a benchmark reports")]
fn eprintln_row(name: &str, median: f64, p99: f64) {
    eprintln!("{name}: median {median:.1} µs, p99 {p99:.1} µs");
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = check
}
criterion_main!(benches);
