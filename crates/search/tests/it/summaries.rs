//! Queries as sentences, and their columns.

use search::{columns, summary};
use serde_json::{Value, json};

use crate::fixture::{checked, shipments};

fn told(asked: Value) -> String {
    summary(&checked(asked).structure, &shipments())
}

#[test]
fn a_query_is_summarized_in_the_original_wording() {
    assert_eq!(told(json!({"index": "shipments"})), "shipments index");
    assert_eq!(
        told(json!({"index": "shipments",
            "filters": [{"field": "destination_port", "op": "is", "values": ["p1"], "label": "Port of Miami"}],
            "time_range": {"start": "2025-01-08", "end": "2025-01-15", "type": "last week"}})),
        "shipments index, filters: destination_port = Port of Miami, actual_arrival from 2025-01-08 to 2025-01-15"
    );
    assert_eq!(
        told(json!({"index": "shipments",
            "filters": [{"field": "carrier", "op": "is_not", "values": ["MSC", "Maersk"]}, {"field": "delay_hours", "op": "gt", "values": [24]},
                {"field": "actual_arrival", "op": "missing"}, {"field": "notes", "op": "matches", "values": ["crane"]}],
            "time_range": {"field": "planned_arrival", "start": "2025-01-08", "end": "2025-01-08"}})),
        "shipments index, filters: delay_hours > 24.0, notes has the words crane, carrier is not MSC or Maersk, \
         actual_arrival is not known, planned_arrival on 2025-01-08"
    );
    assert_eq!(
        told(
            json!({"index": "shipments", "group_by": [{"field": "carrier"}, {"field": "actual_arrival", "interval": "month"}],
            "measures": [{"op": "average", "field": "delay_hours"}, {"op": "distinct", "field": "status"}], "limit": 5})
        ),
        "shipments index, number of records, average delay_hours and number of different status by carrier and month of actual_arrival \
         (the 5 highest by count)"
    );
}

#[test]
fn columns_say_what_their_values_are() {
    let asked = json!({"index": "shipments", "group_by": [{"field": "actual_arrival", "interval": "month"}],
        "measures": [{"op": "average", "field": "delay_hours"}]});
    let made = columns(&checked(asked).structure, &shipments());
    assert_eq!(
        serde_json::to_value(made).unwrap(),
        json!([
            {"name": "actual_arrival", "label": "month of actual arrival", "field_type": "date"},
            {"name": "count", "label": "count", "field_type": "long"},
            {"name": "average_delay_hours", "label": "average delay hours", "field_type": "double", "unit": "h"}
        ])
    );
    let made = columns(
        &checked(json!({"index": "shipments", "fields": ["port.city"]})).structure,
        &shipments(),
    );
    assert_eq!(
        serde_json::to_value(made).unwrap(),
        json!([{"name": "port.city", "label": "port city", "field_type": "keyword"}])
    );
}
