//! Equivalent spellings of search bodies.

use search::elastic::parse;
use serde_json::{Value, json};

use crate::fixture::{checked, shipments, zone};

/// The meaning of a body, completed.
#[track_caller]
fn read(body: &Value) -> Value {
    let index = shipments();
    let parsed = parse(body, &index, zone("America/New_York"));
    let parsed = parsed.unwrap_or_else(|problems| panic!("{body}: {problems:?}"));
    let structure = serde_json::to_value(parsed.structure).unwrap();
    serde_json::to_value(checked(structure).structure).unwrap()
}

#[track_caller]
fn assert_same(bodies: &[Value], wanted: Value) {
    let wanted = serde_json::to_value(checked(wanted).structure).unwrap();
    for body in bodies {
        assert_eq!(read(body), wanted, "{body}");
    }
}

#[test]
fn conditions_are_read_in_their_usual_forms() {
    assert_same(
        &[
            json!({}),
            json!({"query": {"match_all": {}}, "from": 0, "track_total_hits": true}),
            json!({"query": {"bool": {}}, "_source": true}),
        ],
        json!({"index": "shipments"}),
    );
    assert_same(
        &[
            json!({"query": {"term": {"status": "delivered"}}}),
            json!({"query": {"term": {"status": {"value": "delivered"}}}}),
            json!({"query": {"terms": {"status": ["delivered"]}}}),
            json!({"query": {"match": {"status": "delivered"}}}),
            json!({"query": {"match_phrase": {"status": {"query": "delivered"}}}}),
            json!({"query": {"bool": {"filter": {"term": {"status": "delivered"}}}}}),
            json!({"query": {"bool": {"must": [{"term": {"status": "delivered"}}]}}}),
            json!({"query": {"bool": {"should": [{"term": {"status": "delivered"}}]}}}),
            json!({"query": {"constant_score": {"filter": {"term": {"status": "delivered"}}}}}),
            json!({"query": {"bool": {"must": {"bool": {"filter": [{"term": {"status": "delivered"}}]}}}}}),
        ],
        json!({"index": "shipments", "filters": [{"field": "status", "op": "is", "values": ["delivered"]}]}),
    );
    assert_same(
        &[
            json!({"query": {"terms": {"carrier": ["MSC", "Maersk"]}}}),
            json!({"query": {"bool": {"should": [{"term": {"carrier": "MSC"}}, {"term": {"carrier": "Maersk"}}], "minimum_should_match": 1}}}),
        ],
        json!({"index": "shipments", "filters": [{"field": "carrier", "op": "is", "values": ["MSC", "Maersk"]}]}),
    );
    assert_same(
        &[
            json!({"query": {"bool": {"must_not": [{"term": {"status": "delivered"}}, {"exists": {"field": "actual_arrival"}}]}}}),
        ],
        json!({"index": "shipments", "filters": [
            {"field": "status", "op": "is_not", "values": ["delivered"]}, {"field": "actual_arrival", "op": "missing"}
        ]}),
    );
    assert_same(
        &[
            json!({"query": {"match": {"commodity": "coffee"}}}),
            json!({"query": {"match": {"commodity": {"query": "coffee", "operator": "AND"}}}}),
        ],
        json!({"index": "shipments", "filters": [{"field": "commodity", "op": "matches", "values": ["coffee"]}]}),
    );
}

#[test]
fn days_are_those_of_the_zone_whatever_the_bounds() {
    let range = |bounds: Value| json!({"query": {"range": {"actual_arrival": bounds}}});
    assert_same(
        &[
            range(json!({"gte": "2025-01-08", "lt": "2025-01-16"})),
            range(json!({"gte": "2025-01-08", "lte": "2025-01-15", "format": "yyyy-MM-dd"})),
            range(json!({"gt": "2025-01-07", "lt": "2025-01-16", "time_zone": "America/New_York"})),
            range(json!({"lte": "2025-01-15", "gte": "2025-01-08"})),
        ],
        json!({"index": "shipments", "time_range": {"start": "2025-01-08", "end": "2025-01-15"}}),
    );
    assert_same(
        &[range(
            json!({"gte": "2025-01-08T00:00:00-05:00", "lt": "2025-01-09"}),
        )],
        json!({"index": "shipments", "filters": [
            {"field": "actual_arrival", "op": "gte", "values": ["2025-01-08T05:00:00Z"]},
            {"field": "actual_arrival", "op": "lt", "values": ["2025-01-09"]}
        ]}),
    );
}

#[test]
fn records_are_shown_and_sorted_in_several_spellings() {
    assert_same(
        &[
            json!({"_source": ["carrier"], "sort": [{"delay_hours": {"order": "desc"}}], "size": 5}),
            json!({"_source": "carrier", "sort": {"delay_hours": "desc"}, "size": 5}),
            json!({"_source": {"includes": ["carrier"]}, "sort": [{"delay_hours": "desc"}, "shipment_id"], "size": 5}),
        ],
        json!({"index": "shipments", "fields": ["carrier"], "sort": [{"by": "delay_hours", "descending": true}], "limit": 5}),
    );
}

#[test]
fn aggregations_are_read_in_several_spellings() {
    assert_same(
        &[
            json!({"size": 0}),
            json!({"size": 0, "_source": false, "query": {"match_all": {}}}),
        ],
        json!({"index": "shipments", "measures": [{"op": "count"}]}),
    );
    let average = json!({"avg": {"field": "delay_hours"}});
    assert_same(
        &[
            json!({"size": 0, "aggs": {"c": {"terms": {"field": "carrier", "size": 5, "order": {"d": "desc"}}, "aggs": {"d": average}}}}),
            json!({"aggregations": {"c": {"terms": {"field": "carrier", "size": 5, "order": [{"d.value": "desc"}]}, "aggregations": {"d": average}}}}),
        ],
        json!({"index": "shipments", "group_by": [{"field": "carrier"}], "measures": [{"op": "average", "field": "delay_hours"}],
            "sort": [{"by": "average_delay_hours", "descending": true}], "limit": 5}),
    );
    assert_same(
        &[
            json!({"size": 0, "aggs": {"m": {"date_histogram": {"field": "actual_arrival", "calendar_interval": "1M"}}}}),
            json!({"size": 0, "aggs": {"m": {"date_histogram": {"field": "actual_arrival", "calendar_interval": "month", "min_doc_count": 0,
                "format": "yyyy-MM", "time_zone": "America/New_York"}}}}),
        ],
        json!({"index": "shipments", "group_by": [{"field": "actual_arrival", "interval": "month"}]}),
    );
    // Elasticsearch returns ten groups by default.
    assert_same(
        &[json!({"size": 0, "aggs": {"c": {"terms": {"field": "carrier"}}}})],
        json!({"index": "shipments", "group_by": [{"field": "carrier"}], "limit": 10}),
    );
}
