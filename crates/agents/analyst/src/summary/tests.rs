use serde_json::{Value, json};

use super::*;

fn run(value: &Value) -> QueryRun {
    let mut whole = json!({
        "source": "shipping", "served_by": "postgresql", "query_type": "elasticsearch", "index": "shipments",
        "total": { "value": 142, "relation": "eq" }, "aggregated": false, "took_ms": 1, "executed_at": "2025-01-15T10:30:00Z",
        "summary": "shipments index", "columns": [], "rows": [],
        "structure": { "index": "shipments", "filters": [{ "field": "port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }] },
    });
    for (name, member) in value.as_object().unwrap() {
        whole[name] = member.clone();
    }
    serde_json::from_value(whole).unwrap()
}

fn groups() -> QueryRun {
    run(&json!({
        "aggregated": true,
        "columns": [{ "name": "carrier", "label": "carrier", "field_type": "keyword" }, { "name": "average_delay_hours", "label": "average delay", "unit": "h" }],
        "rows": [{ "carrier": "MSC", "average_delay_hours": 12.345 }, { "carrier": "Maersk", "average_delay_hours": -3 }],
        "structure": { "index": "shipments", "filters": [{ "field": "port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }], "group_by": [{ "field": "carrier" }], "measures": [{ "op": "average", "field": "delay_hours" }] },
    }))
}

#[test]
fn records_are_counted_and_the_first_shown() {
    let columns = json!([{ "name": "reference", "label": "reference" }, { "name": "weight_kg", "label": "weight", "unit": "kg" }]);
    let rows = json!([{ "reference": "A|1", "weight_kg": 1200.5 }, { "reference": "B", "weight_kg": null }]);
    let text = of_run(&run(&json!({ "columns": columns, "rows": rows })), None);
    assert_eq!(
        text,
        "Found 142 shipments with port Port of Miami. The first 2:\n\n| Reference | Weight (kg) |\n| --- | --- |\n| A\\|1 | 1,200.5 |\n| B | – |"
    );
}

#[test]
fn groups_and_single_figures_name_what_they_are_over() {
    let text = of_run(&groups(), None);
    assert!(
        text.starts_with(
            "2 groups over 142 shipments with port Port of Miami.\n\n| Carrier | Average delay (h) |"
        ),
        "{text}"
    );
    assert!(
        text.contains("| MSC | 12.35 |") || text.contains("| MSC | 12.34 |"),
        "{text}"
    );
    let one = run(&json!({
        "aggregated": true, "columns": [{ "name": "average_delay_hours", "label": "average delay", "unit": "h" }],
        "rows": [{ "average_delay_hours": 7.0 }], "structure": { "index": "shipments", "filters": [{ "field": "port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }] },
    }));
    assert_eq!(
        of_run(&one, None),
        "Average delay 7 h, over 142 shipments with port Port of Miami."
    );
}

#[test]
fn nothing_is_an_answer_that_helps() {
    let nothing = run(&json!({ "total": { "value": 0, "relation": "eq" } }));
    assert_eq!(
        of_nothing(
            &nothing,
            None,
            Some("They run from 2024-10-01 to 2025-01-14.")
        ),
        "I found no shipments with port Port of Miami. They run from 2024-10-01 to 2025-01-14."
    );
}

#[test]
fn groups_make_a_picture_and_records_none() {
    let drawn = chart::chart("Average delay by carrier?", &groups()).unwrap();
    assert_eq!(
        (drawn.title.as_str(), drawn.series.len()),
        ("Average delay by carrier", 1)
    );
    let records = run(&json!({ "rows": [{ "a": 1 }, { "a": 2 }] }));
    assert_eq!(chart::chart("x", &records), None);
}

#[test]
fn every_condition_is_said() {
    let asked = run(&json!({ "structure": {
        "index": "shipments",
        "filters": [
            { "field": "status", "op": "is", "values": ["arrived", "delivered"] }, { "field": "delay_hours", "op": "gt", "values": [24] },
            { "field": "carrier", "op": "missing" }, { "field": "hazardous", "op": "is", "values": [true] },
        ],
        "time_range": { "field": "actual_arrival", "start": "2025-01-08", "end": "2025-01-15" },
    } }));
    assert_eq!(
        of_run(&asked, None),
        "Found 142 shipments with status arrived or delivered, delay hours above 24, no carrier, hazardous true and actual arrival from \
         2025-01-08 to 2025-01-15."
    );
}
