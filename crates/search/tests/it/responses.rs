//! Responses of Elasticsearch, as rows.

use contracts::tools::search::{Total, TotalRelation};
use search::elastic::{Response, read_response};
use serde_json::{Value, json};

use crate::fixture::{checked, shipments, zone};

fn read(asked: Value, body: &Value) -> Option<Response> {
    let structure = checked(asked).structure;
    read_response(body, &structure, &shipments(), zone("America/New_York"), 3)
}

fn hits(hits: &Value, more: &Value) -> Value {
    let mut body = json!({"took": 7, "timed_out": false, "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": 142, "relation": "eq"}, "max_score": null, "hits": hits}});
    for (key, value) in more.as_object().unwrap() {
        body[key] = value.clone();
    }
    body
}

#[test]
fn records_become_flat_rows() {
    let body = hits(
        &json!([
            {"_index": "s", "_id": "1", "_score": null, "_source": {"shipment_id": "S1", "port": {"city": "Miami"}}, "sort": [1_736_294_400_000_i64, "S1"]},
            {"_source": {"shipment_id": "S2", "port": [{"city": "Miami"}, {"city": "Tampa"}]}, "sort": [null, "S2"]},
            {"_source": {"shipment_id": "S3", "port.city": "Doral"}, "sort": [null, "S3"]},
            {"_source": {"port": null}, "sort": [null, "S4"]}
        ]),
        &json!({}),
    );
    let asked = json!({"index": "shipments", "fields": ["shipment_id", "port.city"]});
    let response = read(asked, &body).unwrap();
    assert_eq!(
        serde_json::to_value(&response.rows).unwrap(),
        json!([
            {"shipment_id": "S1", "port.city": "Miami"},
            {"shipment_id": "S2", "port.city": ["Miami", "Tampa"]},
            {"shipment_id": "S3", "port.city": "Doral"},
            {"shipment_id": null, "port.city": null}
        ])
    );
    let exact = Total {
        value: 142,
        relation: TotalRelation::Eq,
    };
    assert_eq!(response.total, Some(exact));
    assert_eq!((response.took_ms, response.partial), (7, None));
    assert_eq!(response.last_sort, Some(vec![json!(null), json!("S4")]));
}

#[test]
fn incomplete_results_are_reported() {
    let more = json!({"timed_out": true, "_shards": {"total": 5, "successful": 3, "failed": 2}});
    let mut body = hits(&json!([]), &more);
    body["hits"]["total"] = json!({"value": 10_000, "relation": "gte"});
    let response = read(json!({"index": "shipments"}), &body).unwrap();
    let told = response.partial.unwrap();
    assert!(
        told.contains("time limit") && told.contains("2 of 5 parts"),
        "{told}"
    );
    assert_eq!(response.total.unwrap().relation, TotalRelation::Gte);
    body["hits"]["total"] = json!(12);
    let response = read(json!({"index": "shipments"}), &body).unwrap();
    assert_eq!(response.total.unwrap().value, 12);
}

#[test]
fn groups_become_rows_with_dates_of_the_zone() {
    let asked = json!({"index": "shipments",
        "group_by": [{"field": "hazardous"}, {"field": "actual_arrival", "interval": "month"}],
        "measures": [{"op": "average", "field": "delay_hours"}, {"op": "sum", "field": "container_count"},
            {"op": "maximum", "field": "planned_arrival"}]});
    let bucket = |key: i64, average: Value| {
        json!({"key": key, "key_as_string": "x", "doc_count": 2, "average_delay_hours": {"value": average},
            "sum_container_count": {"value": 7.0}, "maximum_planned_arrival": {"value": 1_736_294_400_000.0, "value_as_string": "y"}})
    };
    let body = hits(
        &json!([]),
        &json!({"aggregations": {"by_hazardous": {"doc_count_error_upper_bound": 0, "sum_other_doc_count": 4, "buckets": [
            {"key": 1, "key_as_string": "true", "doc_count": 3, "by_actual_arrival": {"buckets": [
                // Midnight in New York, in winter and in summer.
                bucket(1_735_707_600_000, json!(12.5)), bucket(1_751_342_400_000, json!(null))]}}
        ]}}}),
    );
    let response = read(asked, &body).unwrap();
    assert_eq!(
        serde_json::to_value(&response.rows).unwrap(),
        json!([
            {"hazardous": true, "actual_arrival": "2025-01-01", "count": 2, "average_delay_hours": 12.5, "sum_container_count": 7,
                "maximum_planned_arrival": "2025-01-08T00:00:00Z"},
            {"hazardous": true, "actual_arrival": "2025-07-01", "count": 2, "average_delay_hours": null, "sum_container_count": 7,
                "maximum_planned_arrival": "2025-01-08T00:00:00Z"}
        ])
    );
    let told = response.partial.unwrap();
    assert!(told.contains("with 4 records"), "{told}");
}

#[test]
fn numbers_without_groups_are_one_row_and_too_many_groups_are_cut() {
    let asked = json!({"index": "shipments", "measures": [{"op": "distinct", "field": "carrier"}]});
    let body = hits(
        &json!([]),
        &json!({"aggregations": {"distinct_carrier": {"value": 4}}}),
    );
    let response = read(asked, &body).unwrap();
    assert_eq!(
        serde_json::to_value(&response.rows).unwrap(),
        json!([{"count": 142, "distinct_carrier": 4}])
    );
    let asked = json!({"index": "shipments", "group_by": [{"field": "carrier"}]});
    let buckets: Vec<Value> = (0..5)
        .map(|key| json!({"key": key.to_string(), "doc_count": 1}))
        .collect();
    let body = hits(
        &json!([]),
        &json!({"aggregations": {"by_carrier": {"buckets": buckets}}}),
    );
    let response = read(asked, &body).unwrap();
    assert_eq!(response.rows.len(), 3);
    assert!(response.partial.unwrap().contains("first 3 groups"));
}

#[test]
fn other_bodies_are_no_response() {
    let records = json!({"index": "shipments"});
    let groups = json!({"index": "shipments", "group_by": [{"field": "carrier"}]});
    for body in [
        json!({}),
        json!([]),
        json!({"hits": {}}),
        json!({"error": {}, "status": 400}),
    ] {
        assert_eq!(read(records.clone(), &body), None, "{body}");
    }
    assert_eq!(read(groups.clone(), &hits(&json!([]), &json!({}))), None);
    let broken = json!({"aggregations": {"by_carrier": {"buckets": [{"doc_count": 1}]}}});
    assert_eq!(read(groups, &hits(&json!([]), &broken)), None);
}
