//! Indices of a shipping company, and arguments.

use super::*;

pub(super) fn field(name: &str, field_type: FieldType, synonyms: &[&str]) -> FieldDescription {
    FieldDescription {
        name: name.to_owned(),
        field_type,
        description: None,
        synonyms: synonyms.iter().map(|&word| word.to_owned()).collect(),
        unit: None,
        entity_type: None,
        exact_field: None,
        values: Vec::new(),
    }
}

pub(super) fn with_values(name: &str, synonyms: &[&str], values: &[&str]) -> FieldDescription {
    FieldDescription {
        values: values.iter().map(|&value| value.to_owned()).collect(),
        ..field(name, FieldType::Keyword, synonyms)
    }
}

pub(super) fn of_type(
    name: &str,
    entity_type: &str,
    description: &str,
    synonyms: &[&str],
) -> FieldDescription {
    FieldDescription {
        entity_type: Some(entity_type.to_owned()),
        description: Some(description.to_owned()),
        ..field(name, FieldType::Keyword, synonyms)
    }
}

pub(super) fn shipments() -> IndexDescription {
    use FieldType as T;
    let mut notes = field("notes", T::Text, &["remarks"]);
    notes.exact_field = Some("notes.keyword".to_owned());
    IndexDescription {
        name: "shipments".to_owned(),
        description: None,
        nouns: vec!["shipment".to_owned(), "shipments".to_owned()],
        entity_type: Some("shipment".to_owned()),
        id_field: Some("shipment_id".to_owned()),
        date_field: Some("actual_arrival".to_owned()),
        shown: Vec::new(),
        fields: vec![
            field("shipment_id", T::Keyword, &["shipment number"]),
            with_values(
                "status",
                &["state"],
                &["booked", "in_transit", "arrived", "delivered", "cancelled"],
            ),
            of_type("vessel_id", "vessel", "", &[]),
            of_type(
                "vessel_name",
                "vessel",
                "the vessel that carries it",
                &["vessel", "aboard"],
            ),
            with_values(
                "carrier",
                &["shipping line"],
                &["Mediterranean Shipping", "Pacific Crown"],
            ),
            of_type(
                "origin_port_id",
                "port",
                "the number of the port of loading",
                &[],
            ),
            of_type(
                "origin_port",
                "port",
                "the port of loading",
                &["origin", "port of loading"],
            ),
            of_type(
                "destination_port_id",
                "port",
                "the number of the port of discharge",
                &[],
            ),
            of_type(
                "destination_port",
                "port",
                "the port of discharge",
                &["destination", "port of discharge"],
            ),
            with_values(
                "commodity",
                &["goods", "product"],
                &["frozen seafood", "chemicals", "auto parts"],
            ),
            field("container_count", T::Long, &["containers"]),
            FieldDescription {
                unit: Some("kg".to_owned()),
                ..field("weight_kg", T::Double, &["weight"])
            },
            field("value_usd", T::Double, &["value"]),
            field(
                "planned_departure",
                T::Date,
                &["scheduled departure", "ETD"],
            ),
            field("actual_departure", T::Date, &["departure", "left"]),
            field("planned_arrival", T::Date, &["due", "expected", "ETA"]),
            field("actual_arrival", T::Date, &["arrival"]),
            field("delay_hours", T::Double, &["delay"]),
            field("hazardous", T::Boolean, &[]),
            field("is_late", T::Boolean, &["late"]),
            notes,
        ],
    }
}

pub(super) fn containers() -> IndexDescription {
    IndexDescription {
        name: "containers".to_owned(),
        description: None,
        nouns: vec!["container".to_owned(), "containers".to_owned()],
        entity_type: Some("container".to_owned()),
        id_field: Some("container_id".to_owned()),
        date_field: Some("last_event_at".to_owned()),
        shown: Vec::new(),
        fields: vec![
            field("container_id", FieldType::Keyword, &[]),
            with_values("status", &[], &["at_sea", "in_port"]),
            of_type(
                "location_port",
                "port",
                "where it is",
                &["port", "location", "in"],
            ),
            field("last_event_at", FieldType::Date, &["last event"]),
            field("temperature_c", FieldType::Double, &["temperature"]),
        ],
    }
}

pub(super) fn vessels() -> IndexDescription {
    IndexDescription {
        name: "vessels".to_owned(),
        nouns: vec![
            "vessel".to_owned(),
            "vessels".to_owned(),
            "ships".to_owned(),
        ],
        entity_type: Some("vessel".to_owned()),
        id_field: Some("vessel_id".to_owned()),
        date_field: None,
        fields: vec![
            field("vessel_id", FieldType::Keyword, &[]),
            field("name", FieldType::Keyword, &[]),
            field("capacity_teu", FieldType::Long, &["capacity"]),
        ],
        ..containers()
    }
}

pub(super) fn term(text: &str, role: TermRole) -> FieldTerm {
    FieldTerm {
        text: text.to_owned(),
        role,
        op: None,
        value: None,
    }
}

pub(super) fn entity(mention: &str, entity_type: &str) -> ResolvedEntity {
    ResolvedEntity {
        mention: mention.to_owned(),
        entity_type: entity_type.to_owned(),
        id: format!("{}-ID", mention.to_uppercase()),
        name: format!("The {mention}"),
        confidence: 1.0,
        matched_by: MatchedBy::Name,
        source: "shipping".to_owned(),
        index: format!("{entity_type}s"),
    }
}

pub(super) fn mapped(arguments: &FieldMappingArguments) -> FieldMapping {
    map(
        "shipping",
        &shipments(),
        arguments,
        &FieldThresholds::default(),
    )
}

pub(super) fn of_terms(terms: Vec<FieldTerm>) -> FieldMapping {
    mapped(&FieldMappingArguments {
        text: "shipments".to_owned(),
        terms,
        ..FieldMappingArguments::default()
    })
}
