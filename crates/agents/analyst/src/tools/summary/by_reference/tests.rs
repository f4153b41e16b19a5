//! The words of a model on results: honest ones in several styles, all of which are said, and those
//! that say something else, of which none is.

use std::collections::BTreeMap;

use agent_kit::{
    prose,
    testing::{referring, table_lines},
};
use llm::{ChatRequest, Message};

use super::*;

/// A table of words.
fn table(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = folder.join("src/tools/summary/by_reference");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Shipments to a port in a week, in what a test changes of them.
fn run(structure: &Value, columns: &Value, rows: &Value, total: u64) -> QueryRun {
    let mut query = json!({
        "index": "shipments",
        "filters": [{ "field": "destination_port_id", "op": "is", "values": ["USMIA"], "label": "Port of Miami" }],
        "time_range": { "field": "actual_arrival", "start": "2025-01-06", "end": "2025-01-12", "type": "last week" },
    });
    for (name, value) in structure.as_object().unwrap() {
        query[name] = value.clone();
    }
    serde_json::from_value(json!({
        "source": "shipping", "served_by": "postgresql", "query_type": "elasticsearch", "index": "shipments",
        "columns": columns, "rows": rows, "total": { "value": total, "relation": "eq" },
        "aggregated": query.get("measures").is_some(), "took_ms": 3, "executed_at": "2025-01-15T10:30:00Z",
        "summary": "", "structure": query,
    }))
    .unwrap()
}

fn runs() -> BTreeMap<&'static str, QueryRun> {
    let text =
        |name: &str, label: &str| json!({ "name": name, "label": label, "field_type": "keyword" });
    let count = json!({ "name": "count", "label": "count", "field_type": "long" });
    let delay = json!({ "name": "average_delay_hours", "label": "average delay hours", "field_type": "double", "unit": "h" });
    let counts = json!([{ "op": "count" }]);
    let average = json!([{ "op": "average", "field": "delay_hours" }]);
    let carriers = run(
        &json!({ "group_by": [{ "field": "carrier" }], "measures": [{ "op": "count" }, { "op": "average", "field": "delay_hours" }] }),
        &json!([text("carrier", "carrier"), count, delay]),
        &json!([
            { "carrier": "Mediterranean Shipping", "count": 52, "average_delay_hours": 25.1 },
            { "carrier": "Nordhavn Container", "count": 41, "average_delay_hours": 9.3 },
            { "carrier": "Pacific Crown", "count": 30, "average_delay_hours": 12.4 },
            { "carrier": "Blue Meridian Lines", "count": 19, "average_delay_hours": 18.0 },
        ]),
        142,
    );
    let statuses = run(
        &json!({ "group_by": [{ "field": "status" }], "measures": counts }),
        &json!([text("status", "status"), count]),
        &json!([{ "status": "delivered", "count": 100 }, { "status": "arrived", "count": 42 }]),
        142,
    );
    let months = run(
        &json!({ "group_by": [{ "field": "actual_arrival", "interval": "month" }], "measures": counts, "filters": [], "time_range": null }),
        &json!([{ "name": "actual_arrival", "label": "month of actual arrival", "field_type": "date" }, count]),
        &json!([
            { "actual_arrival": "2024-11-01", "count": 40 }, { "actual_arrival": "2024-12-01", "count": 62 },
            { "actual_arrival": "2025-01-01", "count": 55 },
        ]),
        157,
    );
    let records = run(
        &json!({}),
        &json!([
            text("shipment_id", "shipment id"), text("vessel_name", "vessel name"), text("status", "status"),
            { "name": "delay_hours", "label": "delay hours", "field_type": "double", "unit": "h" },
        ]),
        &json!([
            { "shipment_id": "SHP-1001", "vessel_name": "Ocean Star", "status": "delivered", "delay_hours": 4.5 },
            { "shipment_id": "SHP-1002", "vessel_name": "Coral Wind", "status": "arrived", "delay_hours": 11.25 },
        ]),
        142,
    );
    let alone = run(
        &json!({ "measures": average }),
        &json!([delay]),
        &json!([{ "average_delay_hours": 7.25 }]),
        142,
    );
    BTreeMap::from([
        ("carriers", carriers),
        ("statuses", statuses),
        ("months", months),
        ("records", records),
        ("average", alone),
    ])
}

/// The text that a person reads of a model's words, beside what the rules say.
fn said(run: &QueryRun, words: &str) -> String {
    let index = serde_json::from_value(json!({
        "name": "shipments", "nouns": ["shipment", "shipments"], "id_field": "shipment_id", "date_field": "actual_arrival", "shown": [],
        "fields": [{ "name": "delay_hours", "field_type": "double", "unit": "h" }],
    }));
    let (registry, material) = of_run(run, Some(&index.unwrap()), "");
    let request = ChatRequest {
        messages: [Message::user(material.to_string())].into(),
        ..ChatRequest::default()
    };
    registry
        .word(&referring(&words.replace("\\n", "\n"), &request))
        .text
}

fn report(counts: &BTreeMap<&str, (usize, usize)>) -> usize {
    println!("| kind | words | said |\n|---|---|---|");
    for (kind, (all, said)) in counts {
        println!("| {kind} | {all} | {said} |");
    }
    let all = counts.values().map(|(all, _)| all).sum();
    let said: usize = counts.values().map(|(_, said)| said).sum();
    println!("| all | {all} | {said} |");
    all
}

#[test]
fn honest_words_on_results_in_every_style_are_said() {
    let (runs, table) = (runs(), table("honest.txt"));
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut lost = Vec::new();
    for (style, result, words) in table_lines(&table) {
        let said = said(&runs[result], words);
        let count = counts.entry(style).or_default();
        count.0 += 1;
        let written = words.replace("\\n", "\n");
        if prose::sentences(&said).len() == prose::sentences(&written).len() {
            count.1 += 1;
        } else {
            lost.push(format!("{style}, {result}: {words} reads {said:?}"));
        }
    }
    assert!(report(&counts) >= 40);
    assert!(lost.is_empty(), "{lost:#?}");
}

#[test]
fn no_words_that_say_something_else_of_results_are_said() {
    let (runs, table) = (runs(), table("attacks.txt"));
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut through = Vec::new();
    for (kind, result, words) in table_lines(&table) {
        let said = said(&runs[result], words);
        let count = counts.entry(kind).or_default();
        count.0 += 1;
        if !said.is_empty() {
            count.1 += 1;
            through.push(format!("{kind}, {result}: {words} reads {said:?}"));
        }
    }
    assert!(report(&counts) >= 80);
    assert!(through.is_empty(), "{through:#?}");
}
