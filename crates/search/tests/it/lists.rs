//! For any body: the request contains no name that the index does not list, and no row has one,
//! even if a source returns everything it has. Fields that are not listed have `hush` in their
//! names and values.

use contracts::tools::search::QueryProblem;
use proptest::prelude::*;
use search::elastic::{parse, read_response, render};
use search::{Limits, check};
use serde_json::{Map, Value, json};

use crate::fixture::{FIELDS, shipments, zone};

const HUSH: [&str; 3] = ["hush_cost", "port.hush", "hush"];

fn field() -> impl Strategy<Value = String> {
    let listed: Vec<String> = FIELDS.iter().map(|(name, _)| (*name).to_owned()).collect();
    let hidden: Vec<String> = HUSH.iter().map(|name| (*name).to_owned()).collect();
    prop_oneof![
        12 => prop::sample::select(listed),
        1 => prop::sample::select(hidden),
        1 => Just("hush*".to_owned()),
        1 => Just("*".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!("delivered")),
        Just(json!(5)),
        Just(json!(true)),
        Just(json!("2025-01-08"))
    ]
}

fn clause() -> impl Strategy<Value = Value> {
    let leaf = (field(), value(), 0..8_u8).prop_map(|(field, value, kind)| match kind {
        0 => json!({"term": {field: value}}),
        1 => json!({"terms": {field: [value]}}),
        2 => json!({"range": {field: {"gte": value}}}),
        3 => json!({"exists": {"field": field}}),
        4 => json!({"match": {field: {"query": "x", "operator": "and"}}}),
        5 => json!({"query_string": {"query": format!("{field}:>3")}}),
        6 => json!({"multi_match": {"query": "x", "fields": [field]}}),
        _ => json!({"match_all": {}}),
    });
    leaf.prop_recursive(3, 16, 3, |inner| {
        (prop::collection::vec(inner, 1..3), 0..4_u8).prop_map(|(inner, kind)| match kind {
            0 => json!({"bool": {"filter": inner}}),
            1 => json!({"bool": {"must_not": inner}}),
            2 => json!({"bool": {"should": inner}}),
            _ => json!({"bool": {"must": inner}}),
        })
    })
}

fn aggregation() -> impl Strategy<Value = Value> {
    (field(), field(), 0..6_u8).prop_map(|(one, other, kind)| match kind {
        0 => json!({"by": {"terms": {"field": one}, "aggs": {"average_delay_hours": {"avg": {"field": other}}}}}),
        1 => json!({"x": {"max": {"field": one}}}),
        2 => json!({"x": {"cardinality": {"field": one}}}),
        3 => json!({"by": {"date_histogram": {"field": one, "calendar_interval": "day"}}}),
        4 => json!({"x": {"top_hits": {"_source": [one]}}}),
        _ => json!({"by": {"terms": {"field": one, "order": {other: "desc"}}}}),
    })
}

fn body() -> impl Strategy<Value = Value> {
    let parts = (
        prop::option::of(clause()),
        prop::option::weighted(0.3, aggregation()),
        prop::option::of(prop::collection::vec(field(), 1..4)),
        prop::option::of((field(), any::<bool>())),
        prop::option::weighted(0.1, field()),
        0..6_u8,
    );
    parts.prop_map(|(query, aggs, source, sort, extra, kind)| {
        let mut body = Map::new();
        body.extend(query.map(|query| ("query".to_owned(), query)));
        body.extend(source.map(|source| ("_source".to_owned(), json!(source))));
        body.extend(sort.map(|(field, down)| {
            let order = if down { "desc" } else { "asc" };
            ("sort".to_owned(), json!([{field: {"order": order}}]))
        }));
        if let Some(aggs) = aggs {
            body.insert("aggs".to_owned(), aggs);
            body.insert("size".to_owned(), json!(0));
        }
        if let Some(extra) = extra {
            let name = [
                "docvalue_fields",
                "fields",
                "stored_fields",
                "highlight",
                "collapse",
                "suggest",
            ][usize::from(kind)];
            body.insert(name.to_owned(), json!([extra]));
        }
        Value::Object(body)
    })
}

/// A response that contains all fields, listed or not.
fn everything() -> Value {
    let mut source = Map::new();
    for (name, _) in FIELDS {
        source.insert(name.to_owned(), json!("listed"));
    }
    for name in HUSH {
        source.insert(name.to_owned(), json!("hush"));
    }
    source.insert("port".to_owned(), json!({"city": "listed", "hush": "hush"}));
    json!({
        "took": 1, "timed_out": false, "_shards": {"total": 1, "failed": 0},
        "hits": {"total": {"value": 1, "relation": "eq"}, "hits": [{"_id": "hush", "_source": source, "fields": {"hush": ["hush"]}, "sort": ["hush"]}]},
        "aggregations": {"hush": {"value": 1}},
    })
}

fn accepted(body: &Value) -> Result<contracts::tools::search::QueryStructure, Vec<QueryProblem>> {
    let index = shipments();
    let parsed = parse(body, &index, zone("UTC"))?;
    Ok(check(&parsed.structure, &index, &Limits::default())?.structure)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_row_has_a_field_that_is_not_listed(body in body()) {
        match accepted(&body) {
            Ok(structure) => {
                let sent = render(&structure, zone("UTC"), None).to_string();
                prop_assert!(!sent.contains("hush"), "{body}: {sent}");
                let read = read_response(&everything(), &structure, &shipments(), zone("UTC"), 100);
                let rows = format!("{:?}", read.map(|response| response.rows));
                prop_assert!(!rows.contains("hush"), "{body}: {rows}");
            }
            Err(problems) => {
                for problem in problems {
                    let suggested = problem.suggestions.join(" ");
                    prop_assert!(!suggested.contains("hush"), "{body}: {suggested}");
                }
            }
        }
    }
}

#[test]
fn bodies_of_listed_fields_are_accepted() {
    let body = json!({"query": {"bool": {"filter": [{"term": {"status": "delivered"}}]}}, "_source": ["status"], "sort": [{"delay_hours": {"order": "desc"}}]});
    assert!(accepted(&body).is_ok());
}
