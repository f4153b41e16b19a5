use chrono::NaiveDate;
use contracts::tools::search::{
    FieldDescription, FieldType, IndexDescription, SourceKind, TodayFrom,
};

use super::*;

fn field(name: &str, field_type: FieldType, entity_type: Option<&str>) -> FieldDescription {
    FieldDescription {
        name: name.to_owned(),
        field_type,
        description: None,
        synonyms: Vec::new(),
        unit: None,
        entity_type: entity_type.map(str::to_owned),
        exact_field: None,
        values: Vec::new(),
    }
}

fn index(name: &str, noun: &str, fields: Vec<FieldDescription>) -> IndexDescription {
    IndexDescription {
        name: name.to_owned(),
        description: None,
        nouns: vec![noun.to_owned()],
        entity_type: Some(noun.to_owned()),
        id_field: fields.first().map(|field| field.name.clone()),
        date_field: None,
        shown: Vec::new(),
        fields,
    }
}

fn embedded(indices: Vec<IndexDescription>) -> Embedded {
    let description = SourceDescription {
        name: "test".to_owned(),
        description: None,
        kind: SourceKind::Postgresql,
        query_types: Vec::new(),
        time_zone: "UTC".to_owned(),
        today: NaiveDate::MIN,
        today_from: TodayFrom::Clock,
        unavailable: None,
        indices,
    };
    Embedded::of(&description).unwrap()
}

fn keyword(name: &str) -> FieldDescription {
    field(name, FieldType::Keyword, None)
}

fn port(name: &str) -> FieldDescription {
    field(name, FieldType::Keyword, Some("port"))
}

/// The fields of a type with their types.
fn told(embedded: &Embedded, name: &str) -> Vec<String> {
    let fields = embedded.schema().fields_of(name).into_iter();
    fields
        .map(|field| format!("{}: {}", field.name, field.ty))
        .collect()
}

#[test]
fn indices_are_named_as_their_tables_would_be() {
    let weight = field("weight_kg", FieldType::Double, None);
    let count = field("container_count", FieldType::Long, None);
    let late = field("is_late", FieldType::Boolean, None);
    let arrival = field("actual_arrival", FieldType::Date, None);
    let shipments = vec![keyword("shipment_id"), weight, count, late, arrival];
    let embedded = embedded(vec![index("shipments", "shipment", shipments)]);
    assert_eq!(
        told(&embedded, "Query"),
        ["shipment: Shipment", "shipments: ShipmentConnection!"]
    );
    assert_eq!(
        told(&embedded, "Shipment"),
        [
            "shipmentId: String",
            "weightKg: Float",
            "containerCount: Long",
            "isLate: Boolean",
            "actualArrival: Datetime",
        ]
    );
}

#[test]
fn ids_lead_to_their_records_and_back() {
    let shipments = vec![
        keyword("shipment_id"),
        port("origin_port_id"),
        port("origin_port"),
        port("destination_port_id"),
        field("vessel_id", FieldType::Keyword, Some("vessel")),
    ];
    let ports = vec![keyword("port_id"), keyword("name")];
    let embedded = embedded(vec![
        index("shipments", "shipment", shipments),
        index("ports", "port", ports),
    ]);
    let shipment = told(&embedded, "Shipment");
    // The port's name has the plain name of the first relation; vessels are unknown.
    assert_eq!(
        shipment[5..],
        ["portByOriginPortId: Port", "destinationPort: Port"]
    );
    assert_eq!(
        told(&embedded, "Port")[2..],
        [
            "shipmentsByOriginPortId: ShipmentConnection!",
            "shipmentsByDestinationPortId: ShipmentConnection!",
        ]
    );
}

#[test]
fn strange_names_make_a_schema_too() {
    let fields = vec![
        keyword("2nd"),
        keyword("and"),
        keyword("port.name"),
        keyword("portName"),
        keyword("__typename"),
        keyword("größe"),
    ];
    let embedded = embedded(vec![
        index("sheep", "sheep", fields),
        index("query", "query", vec![keyword("id")]),
        index("my-index.2025", "string", vec![keyword("id")]),
    ]);
    let names = told(&embedded, "Query");
    assert_eq!(
        names,
        [
            "sheep_: Sheep",
            "sheep: SheepConnection!",
            "query_: Query_",
            "query: Query_Connection!",
            "string: String_",
            "myIndex2025: String_Connection!",
        ]
    );
    assert_eq!(
        told(&embedded, "Sheep").len(),
        5,
        "of two spellings the first"
    );
}
