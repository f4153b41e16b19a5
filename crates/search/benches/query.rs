//! The work between a query and its source: checking, rendering, reading back.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first failure")]

use std::hint::black_box;

use contracts::tools::search::{IndexDescription, QueryStructure};
use criterion::{Criterion, criterion_group, criterion_main};
use search::{Limits, check, elastic};
use serde_json::json;

fn query(criterion: &mut Criterion) {
    let fields = (0..60).map(|n| json!({ "name": format!("field_{n}"), "field_type": "keyword" }));
    let dates = [json!({ "name": "arrival", "field_type": "date" })];
    let index: IndexDescription = serde_json::from_value(json!({
        "name": "shipments", "nouns": ["shipment"], "shown": ["field_1", "field_2"], "id_field": "field_0",
        "date_field": "arrival", "fields": fields.chain(dates).collect::<Vec<_>>(),
    }))
    .unwrap();
    let asked: QueryStructure = serde_json::from_value(json!({
        "index": "shipments",
        "filters": [
            { "field": "field_7", "op": "is", "values": ["PRT-MIA", "PRT-LAX"] },
            { "field": "field_9", "op": "is_not", "values": ["cancelled"] },
        ],
        "time_range": { "start": "2025-01-08", "end": "2025-01-15" },
        "group_by": [{ "field": "field_3" }, { "field": "arrival", "interval": "day" }],
        "measures": [{ "op": "count" }],
    }))
    .unwrap();
    let limits = Limits::default();
    let zone = "America/New_York".parse().unwrap();
    let checked = check(&asked, &index, &limits).unwrap().structure;
    let body = elastic::render(&checked, zone, None);
    criterion.bench_function("check a query", |bencher| {
        bencher.iter(|| check(black_box(&asked), &index, &limits));
    });
    criterion.bench_function("render a query", |bencher| {
        bencher.iter(|| elastic::render(black_box(&checked), zone, None));
    });
    criterion.bench_function("read a query back, check and render it", |bencher| {
        bencher.iter(|| {
            let parsed = elastic::parse(black_box(&body), &index, zone).unwrap();
            let checked = check(&parsed.structure, &index, &limits).unwrap();
            elastic::render(&checked.structure, zone, None)
        });
    });
}

criterion_group!(benches, query);
criterion_main!(benches);
