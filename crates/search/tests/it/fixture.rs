//! An index of shipments, and queries on it from JSON.

use chrono_tz::Tz;
use contracts::tools::search::{
    FieldDescription, FieldType, IndexDescription, QueryProblem, QueryStructure,
};
use search::{Checked, Limits, check};
use serde_json::Value;

/// The fields of the index.
pub(crate) const FIELDS: [(&str, FieldType); 14] = [
    ("shipment_id", FieldType::Keyword),
    ("status", FieldType::Keyword),
    ("carrier", FieldType::Keyword),
    ("destination_port", FieldType::Keyword),
    ("port.city", FieldType::Keyword),
    ("commodity", FieldType::Text),
    ("notes", FieldType::Text),
    ("container_count", FieldType::Long),
    ("weight_kg", FieldType::Double),
    ("delay_hours", FieldType::Double),
    ("hazardous", FieldType::Boolean),
    ("planned_arrival", FieldType::Date),
    ("actual_arrival", FieldType::Date),
    ("is_late", FieldType::Boolean),
];

pub(crate) fn shipments() -> IndexDescription {
    let field = |(name, field_type): (&str, FieldType)| FieldDescription {
        name: name.to_owned(),
        field_type,
        description: None,
        synonyms: Vec::new(),
        unit: (name == "delay_hours").then(|| "h".to_owned()),
        entity_type: None,
        exact_field: (name == "commodity").then(|| "commodity.keyword".to_owned()),
        values: match name {
            "status" => ["in_transit", "delivered"].map(str::to_owned).into(),
            _ => Vec::new(),
        },
    };
    IndexDescription {
        name: "shipments".to_owned(),
        description: None,
        nouns: vec!["shipment".to_owned(), "shipments".to_owned()],
        entity_type: None,
        id_field: Some("shipment_id".to_owned()),
        date_field: Some("actual_arrival".to_owned()),
        shown: ["shipment_id", "status", "actual_arrival"]
            .map(str::to_owned)
            .into(),
        fields: FIELDS.into_iter().map(field).collect(),
    }
}

pub(crate) fn structure(json: Value) -> QueryStructure {
    serde_json::from_value(json).unwrap()
}

pub(crate) fn checked(json: Value) -> Checked {
    check(&structure(json), &shipments(), &Limits::default())
        .unwrap_or_else(|problems| panic!("{problems:?}"))
}

pub(crate) fn problems(json: Value) -> Vec<QueryProblem> {
    check(&structure(json), &shipments(), &Limits::default()).unwrap_err()
}

/// The codes and pointers of problems.
pub(crate) fn told(problems: &[QueryProblem]) -> Vec<(&str, &str)> {
    let told = problems.iter();
    told.map(|it| (it.code.as_str(), it.pointer.as_str()))
        .collect()
}

pub(crate) fn zone(name: &str) -> Tz {
    name.parse().unwrap()
}
