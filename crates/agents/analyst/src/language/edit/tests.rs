//! Changes to the BI agent's query: shipments to the Port of Miami in its week.

use contracts::tools::meanings::{FieldMapping, MappedEntity, MappedField};
use contracts::tools::search::{
    FieldType, Filter, FilterOp, Grouping, Interval, Measure, MeasureOp, SortBy, TimeRange,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::language::fixture::{shipping, today};

fn old() -> QueryStructure {
    QueryStructure {
        index: "shipments".into(),
        filters: vec![Filter {
            field: "destination_port".into(),
            op: FilterOp::Is,
            values: vec![json!("Port of Miami")],
            label: Some("Port of Miami".into()),
            or: Vec::new(),
        }],
        time_range: Some(TimeRange {
            field: Some("actual_arrival".into()),
            start: "2025-01-08".parse().unwrap(),
            end: "2025-01-15".parse().unwrap(),
            kind: Some("last week".into()),
        }),
        ..QueryStructure::default()
    }
}

fn status(op: FilterOp, values: &[&str]) -> Filter {
    Filter {
        field: "status".into(),
        op,
        values: values.iter().map(|value| json!(value)).collect(),
        label: None,
        or: Vec::new(),
    }
}

/// What `field_mapping` would find for the terms of these tests.
fn mapping(edit: &EditRequest) -> FieldMapping {
    let fields = edit.request.terms.iter().filter_map(|term| {
        let (field, field_type) = match term.text.as_str() {
            "delivered" | "cancelled" | "cancelled or delivered" => ("status", FieldType::Keyword),
            "carrier" => ("carrier", FieldType::Keyword),
            "delay" => ("delay_hours", FieldType::Double),
            "weight_kg" | "weight" => ("weight_kg", FieldType::Double),
            "arrival date" => ("planned_arrival", FieldType::Date),
            _ => return None,
        };
        let mut values: Vec<Value> = term.value.iter().cloned().collect();
        if term.role == TermRole::Filter && term.value.is_none() {
            values = vec![json!(term.text)];
        }
        let op = (term.role == TermRole::Filter).then(|| term.op.unwrap_or(FilterOp::Is));
        Some(MappedField {
            term: term.text.clone(),
            role: term.role,
            field: field.into(),
            field_type,
            score: 1.0,
            op,
            values,
        })
    });
    let shanghai = edit
        .request
        .leftover
        .iter()
        .filter(|left| left.words == "Shanghai");
    FieldMapping {
        fields: fields.collect(),
        entities: shanghai
            .map(|left| MappedEntity {
                mention: left.words.clone(),
                entity_type: "port".into(),
                name: "Shanghai".into(),
                field: "destination_port".into(),
                value: "Shanghai".into(),
            })
            .collect(),
        date_field: Some("planned_arrival".into()),
        ..FieldMapping::default()
    }
}

fn edited(old: &QueryStructure, text: &str) -> Edited {
    let sources = shipping();
    let edit = read_edit(text, old, &sources, &[], today());
    let edited = apply(old, &edit, &mapping(&edit), &sources.sources[0].indices[0]);
    assert_eq!(
        edited.changes.is_empty(),
        edited.structure == *old,
        "{text}: {edited:?}"
    );
    edited
}

/// The members of the query that differ, as JSON.
fn difference(old: &QueryStructure, text: &str) -> Value {
    let was = serde_json::to_value(old).unwrap();
    let is = serde_json::to_value(edited(old, text).structure).unwrap();
    let (was, is) = (was.as_object().unwrap(), is.as_object().unwrap());
    let members = is.keys().chain(was.keys());
    let changed = members
        .filter(|key| was.get(*key) != is.get(*key))
        .map(|key| (key.clone(), is.get(key).cloned().unwrap_or(Value::Null)));
    Value::Object(changed.collect())
}

fn filters_with(more: &[Filter]) -> Value {
    json!({"filters": old().filters.into_iter().chain(more.iter().cloned()).collect::<Vec<_>>()})
}

#[test]
fn a_condition_is_added() {
    let delivered = filters_with(&[status(FilterOp::Is, &["delivered"])]);
    for text in [
        "add filter for delivered status",
        "add a filter for delivered",
        "only delivered",
        "Just the delivered ones",
        "add delivered status",
    ] {
        assert_eq!(difference(&old(), text), delivered, "{text}");
    }
    assert_eq!(
        edited(&old(), "only delivered").changes,
        ["status is delivered"]
    );
    for text in ["without cancelled", "exclude cancelled ones"] {
        assert_eq!(
            difference(&old(), text),
            filters_with(&[status(FilterOp::IsNot, &["cancelled"])]),
            "{text}"
        );
    }
    let heavy = Filter {
        field: "weight_kg".into(),
        op: FilterOp::Gt,
        values: vec![json!(20000)],
        label: None,
        or: Vec::new(),
    };
    assert_eq!(
        difference(&old(), "only those over 20 tonnes"),
        filters_with(&[heavy])
    );
}

#[test]
fn a_condition_takes_the_place_of_another() {
    let mut query = old();
    query.filters.push(status(FilterOp::Is, &["cancelled"]));
    assert_eq!(
        difference(&query, "only delivered"),
        filters_with(&[status(FilterOp::Is, &["delivered"])])
    );
    assert_eq!(
        difference(&query, "also include delivered"),
        filters_with(&[status(FilterOp::Is, &["cancelled", "delivered"])])
    );
    assert_eq!(
        difference(&query, "without cancelled"),
        filters_with(&[status(FilterOp::IsNot, &["cancelled"])])
    );
    let mut both = old();
    both.filters
        .push(status(FilterOp::Is, &["cancelled", "delivered"]));
    assert_eq!(
        difference(&both, "without cancelled"),
        filters_with(&[status(FilterOp::Is, &["delivered"])])
    );
    let mut not = old();
    not.filters.push(status(FilterOp::IsNot, &["cancelled"]));
    assert_eq!(
        difference(&not, "also include cancelled"),
        filters_with(&[])
    );
    assert_eq!(
        difference(&old(), "Shanghai instead"),
        json!({"filters": [{"field": "destination_port", "op": "is", "values": ["Shanghai"], "label": "Shanghai"}]})
    );
}

#[test]
fn other_days() {
    assert_eq!(
        difference(&old(), "for last month instead"),
        json!({"time_range": {"field": "actual_arrival", "start": "2024-12-01", "end": "2024-12-31", "type": "last month"}})
    );
    assert_eq!(
        difference(&old(), "planned to arrive last month")["time_range"]["field"],
        "planned_arrival"
    );
}

#[test]
fn groups_and_orders() {
    assert_eq!(
        difference(&old(), "group that by carrier"),
        json!({"group_by": [{"field": "carrier"}], "measures": [{"op": "count"}]})
    );
    assert_eq!(
        difference(&old(), "average delay by carrier"),
        json!({"group_by": [{"field": "carrier"}], "measures": [{"op": "average", "field": "delay_hours"}]})
    );
    let mut groups = old();
    groups.measures = vec![Measure {
        op: MeasureOp::Average,
        field: Some("delay_hours".into()),
    }];
    groups.group_by = vec![Grouping {
        field: "actual_arrival".into(),
        interval: Some(Interval::Month),
    }];
    assert_eq!(
        difference(&groups, "group by carrier"),
        json!({"group_by": [{"field": "carrier"}]})
    );
    assert_eq!(
        difference(&groups, "also group by carrier"),
        json!({"group_by": [{"field": "actual_arrival", "interval": "month"}, {"field": "carrier"}]})
    );
    assert_eq!(
        difference(&groups, "sort by delay"),
        json!({"sort": [{"by": "average_delay_hours", "descending": false}]})
    );
    assert_eq!(
        difference(&groups, "remove the grouping"),
        json!({"group_by": null, "measures": null})
    );
    assert_eq!(
        difference(&old(), "sort by delay descending"),
        json!({
            "sort": [{"by": "delay_hours", "descending": true}],
            "fields": ["shipment_id", "status", "vessel_name", "origin_port", "destination_port", "delay_hours"],
        })
    );
    assert_eq!(difference(&old(), "limit it to 10"), json!({"limit": 10}));
    let mut sorted = old();
    sorted.sort = vec![SortBy {
        by: "weight_kg".into(),
        descending: true,
    }];
    sorted.limit = Some(5);
    assert_eq!(
        difference(&sorted, "group by carrier"),
        json!({"group_by": [{"field": "carrier"}], "measures": [{"op": "count"}], "sort": null, "limit": null})
    );
    assert_eq!(
        difference(&sorted, "remove the sorting"),
        json!({"sort": null})
    );
    assert_eq!(
        difference(&sorted, "remove the limit"),
        json!({"limit": null})
    );
}

#[test]
fn fields() {
    assert_eq!(
        difference(&old(), "include arrival date"),
        json!({"fields": ["shipment_id", "status", "vessel_name", "origin_port", "destination_port", "planned_arrival"]})
    );
    assert_eq!(
        difference(&old(), "hide the vessel name column"),
        json!({"fields": ["shipment_id", "status", "origin_port", "destination_port"]})
    );
}

#[test]
fn what_is_taken_away() {
    for text in [
        "remove the date filter",
        "drop the time range",
        "clear the date",
        "for all time",
        "any date",
    ] {
        assert_eq!(
            difference(&old(), text),
            json!({"time_range": null}),
            "{text}"
        );
    }
    assert_eq!(
        difference(&old(), "remove all filters"),
        json!({"filters": null, "time_range": null})
    );
    for text in [
        "remove the destination filter",
        "remove the port filter",
        "remove the Miami filter",
        "any destination",
    ] {
        assert_eq!(difference(&old(), text), json!({"filters": null}), "{text}");
    }
    let mut query = old();
    query.filters.push(status(FilterOp::Is, &["delivered"]));
    for text in [
        "remove the status filter",
        "any status",
        "all statuses",
        "remove delivered",
    ] {
        assert_eq!(difference(&query, text), filters_with(&[]), "{text}");
    }
    assert_eq!(
        difference(&query, "remove the date filter and sort by delay")["time_range"],
        Value::Null
    );
    assert_eq!(
        edited(&query, "remove the date filter and sort by delay").changes,
        ["no limit to the days", "sorted by delay"]
    );
}

#[test]
fn what_is_not_understood_changes_nothing() {
    assert_eq!(difference(&old(), "make it nicer"), json!({}));
    assert!(read_edit("make it nicer", &old(), &shipping(), &[], today()).is_empty());
    assert_eq!(difference(&old(), "remove the sorting"), json!({}));
    assert_eq!(difference(&old(), ""), json!({}));
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>(), wordy in "(remove |only |all |any |by |status |filter |the |date |é|, |and ){0,12}") {
        for text in [text, wordy] {
            let mut query = old();
            query.filters.push(status(FilterOp::Is, &["delivered"]));
            let edited = edited(&query, &text);
            prop_assert_eq!(edited.structure.index, "shipments");
        }
    }
}
