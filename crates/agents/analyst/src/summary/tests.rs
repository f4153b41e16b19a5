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
fn records_are_counted_and_one_alone_is_told_whole() {
    let columns = json!([{ "name": "reference", "label": "reference" }, { "name": "weight_kg", "label": "weight", "unit": "kg" }]);
    let rows = json!([{ "reference": "A|1", "weight_kg": 1200.5 }, { "reference": "B", "weight_kg": null }]);
    let text = of_run(&run(&json!({ "columns": columns, "rows": rows })), None);
    assert_eq!(
        text,
        "Found 142 shipments with Port of Miami: A|1, B and 140 more."
    );
    let one = json!([{ "reference": "A1", "weight_kg": 1200.5, "state": "in_port", "left_at": "2025-01-14T13:29:00Z", "eta": null }]);
    let columns = json!([
        { "name": "reference", "label": "reference" }, { "name": "weight_kg", "label": "weight", "unit": "kg" },
        { "name": "state", "label": "state" }, { "name": "left_at", "label": "left at" }, { "name": "eta", "label": "ETA" },
    ]);
    let total = json!({ "value": 1, "relation": "eq" });
    let text = of_run(
        &run(&json!({ "columns": columns, "rows": one, "total": total })),
        None,
    );
    assert_eq!(
        text,
        "Found 1 shipment with Port of Miami.\n\n- Reference: A1\n- Weight: 1,200.5 kg\n- State: in port\n- Left at: 14 Jan 2025, 13:29 UTC"
    );
}

#[test]
fn groups_and_single_figures_name_what_they_are_over() {
    let text = of_run(&groups(), None);
    assert_eq!(
        text,
        "2 groups over 142 shipments with Port of Miami. MSC has the highest average delay, 12.35 h, Maersk the lowest, -3 h.\n\n- MSC: 12.35 h\n- Maersk: -3 h"
    );
    let one = run(&json!({
        "aggregated": true, "columns": [{ "name": "average_delay_hours", "label": "average delay", "unit": "h" }],
        "rows": [{ "average_delay_hours": 7.0 }], "structure": { "index": "shipments", "filters": [{ "field": "port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }] },
    }));
    assert_eq!(
        of_run(&one, None),
        "Average delay 7 h, over 142 shipments with Port of Miami."
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
        "I found no shipments with Port of Miami. They run from 2024-10-01 to 2025-01-14."
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
fn an_axis_has_figures_of_one_unit_and_what_was_asked_comes_first() {
    let columns = json!([
        { "name": "carrier", "label": "carrier", "field_type": "keyword" }, { "name": "count", "label": "count", "field_type": "long" },
        { "name": "average_delay_hours", "label": "average delay", "unit": "h", "field_type": "double" },
    ]);
    let rows = json!([
        { "carrier": "MSC", "count": 2406, "average_delay_hours": 25.1 }, { "carrier": "Maersk", "count": 1100, "average_delay_hours": 9.3 },
    ]);
    let query = json!({ "index": "shipments", "group_by": [{ "field": "carrier" }], "measures": [{ "op": "count" }, { "op": "average", "field": "delay_hours" }] });
    let run =
        run(&json!({ "aggregated": true, "columns": columns, "rows": rows, "structure": query }));
    let keys = |chart: &contracts::ui::DynamicChart| {
        let series = chart.series.iter();
        series
            .map(|series| (series.data_key.clone(), series.y_axis_id))
            .collect::<Vec<_>>()
    };
    let asked = chart::chart("Average delay by carrier", &run).unwrap();
    assert_eq!(keys(&asked), [("average_delay_hours".to_owned(), None)]);
    assert_eq!(asked.y_axis_label.as_deref(), Some("Average delay (h)"));
    assert_eq!(
        asked.data[0]["count"], 2406,
        "what is not drawn is in the rows"
    );
    let both = chart::chart("Average delay and number of shipments by carrier", &run).unwrap();
    assert_eq!(
        keys(&both),
        [
            ("average_delay_hours".to_owned(), None),
            ("count".to_owned(), Some(contracts::ui::AxisSide::Right))
        ]
    );
    assert_eq!(both.y_axis_right_label.as_deref(), Some("Count"));
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
        "Found 142 hazardous shipments with status arrived or delivered, delay above 24, no carrier and actual arrival from \
         2025-01-08 to 2025-01-15."
    );
}

#[test]
fn what_a_value_says_itself_is_not_said_twice() {
    let filters = json!([
        { "field": "destination_port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" },
        { "field": "is_late", "op": "is", "values": [false] },
    ]);
    let asked = run(&json!({ "structure": { "index": "shipments", "filters": filters } }));
    assert_eq!(
        of_run(&asked, None),
        "Found 142 not late shipments with destination Port of Miami."
    );
    let one =
        json!([{ "field": "shipment_id", "op": "is", "values": ["S1"], "label": "MSC ANNA" }]);
    let total = json!({ "value": 1, "relation": "eq" });
    let asked =
        run(&json!({ "total": total, "structure": { "index": "shipments", "filters": one } }));
    assert_eq!(of_run(&asked, None), "Found 1 shipment with name MSC ANNA.");
}
