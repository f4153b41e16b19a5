//! Completion of queries, and problems.

use search::{Limits, check};
use serde_json::json;

use crate::fixture::{checked, problems, shipments, structure, told};

#[test]
fn open_parts_are_filled_in() {
    let done = checked(json!({"index": "shipments"})).structure;
    assert_eq!(
        serde_json::to_value(done).unwrap(),
        json!({
            "index": "shipments",
            "fields": ["shipment_id", "status", "actual_arrival"],
            "sort": [{"by": "actual_arrival", "descending": true}, {"by": "shipment_id", "descending": false}],
            "limit": 100
        })
    );
}

#[test]
fn an_aggregation_counts_first_and_is_ordered() {
    let done = checked(json!({
        "index": "shipments", "fields": ["status"],
        "group_by": [{"field": "carrier"}, {"field": "actual_arrival"}],
        "measures": [{"op": "average", "field": "delay_hours"}]
    }));
    assert_eq!(
        serde_json::to_value(&done.structure).unwrap(),
        json!({
            "index": "shipments",
            "group_by": [{"field": "carrier"}, {"field": "actual_arrival", "interval": "day"}],
            "measures": [{"op": "count"}, {"op": "average", "field": "delay_hours"}],
            "sort": [{"by": "count", "descending": true}],
            "limit": 100
        })
    );
    assert_eq!(done.notes.len(), 1, "{:?}", done.notes);
}

#[test]
fn values_take_the_form_of_their_field() {
    let done = checked(json!({"index": "shipments", "filters": [
        {"field": "status", "op": "is_not", "values": ["Delivered", "delivered"]},
        {"field": "container_count", "op": "gt", "values": ["3"]},
        {"field": "commodity", "op": "is", "values": ["Coffee"]},
        {"field": "hazardous", "op": "is", "values": ["true"]},
        {"field": "planned_arrival", "op": "lte", "values": ["2025-01-10"]}
    ]}));
    let filters = serde_json::to_value(&done.structure.filters).unwrap();
    assert_eq!(
        filters,
        json!([
            {"field": "container_count", "op": "gt", "values": [3]},
            {"field": "commodity.keyword", "op": "is", "values": ["Coffee"]},
            {"field": "hazardous", "op": "is", "values": [true]},
            {"field": "planned_arrival", "op": "lt", "values": ["2025-01-11"]},
            {"field": "status", "op": "is_not", "values": ["delivered"]}
        ])
    );
    assert!(done.notes[0].contains("'Delivered'"), "{:?}", done.notes);
}

#[test]
fn a_day_becomes_the_time_range() {
    let done = checked(json!({"index": "shipments", "filters": [
        {"field": "planned_arrival", "op": "is", "values": ["2025-01-10"]},
        {"field": "actual_arrival", "op": "is", "values": ["2025-01-12"]}
    ]}))
    .structure;
    let range = done.time_range.unwrap();
    assert_eq!(range.field.as_deref(), Some("planned_arrival"));
    assert_eq!(range.start, range.end);
    assert_eq!(
        serde_json::to_value(&done.filters).unwrap(),
        json!([
            {"field": "actual_arrival", "op": "gte", "values": ["2025-01-12"]},
            {"field": "actual_arrival", "op": "lt", "values": ["2025-01-13"]}
        ])
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    let found = problems(json!({
        "index": "shipments",
        "filters": [
            {"field": "stauts", "op": "is", "values": ["x"]},
            {"field": "delay_hours", "op": "gt", "values": ["long"]},
            {"field": "carrier", "op": "gt", "values": ["A"]},
            {"field": "notes", "op": "is", "values": ["x"]},
            {"field": "container_count", "op": "matches", "values": ["3"]},
            {"field": "status", "op": "exists", "values": ["x"]},
            {"field": "actual_arrival", "op": "is_not", "values": ["2025-01-01"]}
        ],
        "time_range": {"field": "carrier", "start": "2025-01-15", "end": "2025-01-08"},
        "fields": ["colour"],
        "sort": [{"by": "notes"}],
        "limit": 0
    }));
    assert_eq!(
        told(&found),
        [
            ("wrong_type", "/time_range/field"),
            ("invalid", "/time_range"),
            ("unknown_field", "/filters/0/field"),
            ("wrong_type", "/filters/1/values/0"),
            ("wrong_type", "/filters/2/op"),
            ("wrong_type", "/filters/3/field"),
            ("wrong_type", "/filters/4/field"),
            ("invalid", "/filters/5/values"),
            ("unsupported", "/filters/6"),
            ("unknown_field", "/fields/0"),
            ("wrong_type", "/sort/0/by"),
            ("invalid", "/limit"),
        ]
    );
    assert_eq!(found[2].suggestions, ["status"]);
    assert_eq!(found[0].suggestions, ["planned_arrival", "actual_arrival"]);
}

#[test]
fn aggregations_have_their_own_rules() {
    let found = problems(json!({
        "index": "shipments",
        "group_by": [{"field": "weight_kg"}, {"field": "carrier", "interval": "day"}, {"field": "carrier"}],
        "measures": [{"op": "sum", "field": "status"}, {"op": "average"}, {"op": "sum", "field": "actual_arrival"}],
        "sort": [{"by": "averge_delay_hours"}]
    }));
    assert_eq!(
        told(&found),
        [
            ("wrong_type", "/group_by/0/field"),
            ("wrong_type", "/group_by/1/interval"),
            ("invalid", "/group_by/2"),
            ("wrong_type", "/measures/0/field"),
            ("invalid", "/measures/1/field"),
            ("wrong_type", "/measures/2/field"),
            ("unknown_field", "/sort/0/by"),
        ]
    );
}

#[test]
fn sizes_are_capped() {
    let done = checked(json!({"index": "shipments", "limit": 5000}));
    assert_eq!(done.structure.limit, Some(1000));
    assert!(
        done.notes[0].contains("from 5000 to 1000"),
        "{:?}",
        done.notes
    );
    let filter = json!({"field": "status", "op": "exists"});
    let found = problems(json!({"index": "shipments", "filters": vec![filter; 33]}));
    assert_eq!(told(&found), [("too_large", "/filters")]);
    let many: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    let found = problems(json!({"index": "shipments", "filters": [
        {"field": "carrier", "op": "is", "values": many}
    ]}));
    assert_eq!(told(&found), [("too_large", "/filters/0/values")]);
}

#[test]
fn another_index_is_unknown_and_words_are_not_looked_for_in_keywords_of_elasticsearch() {
    let found = problems(json!({"index": "shipment"}));
    assert_eq!(told(&found), [("unknown_index", "/index")]);
    assert_eq!(found[0].suggestions, ["shipments"]);
    let limits = Limits {
        words_in_keywords: false,
        ..Limits::default()
    };
    let words = |field: &str| {
        let filter = json!({"field": field, "op": "matches", "values": ["miami"]});
        let asked = structure(json!({"index": "shipments", "filters": [filter]}));
        check(&asked, &shipments(), &limits)
    };
    assert_eq!(
        told(&words("carrier").unwrap_err()),
        [("wrong_type", "/filters/0/field")]
    );
    let exact = words("commodity.keyword").unwrap().structure;
    assert_eq!(exact.filters[0].field, "commodity");
}
