//! The demonstration's source, for tests.

use chrono::NaiveDate;
use contracts::tools::search::{
    FieldDescription, FieldType, IndexDescription, QueryType, SourceDescription, SourceKind,
    SourceList, TodayFrom,
};

/// The BI agent's day.
pub(super) fn today() -> NaiveDate {
    "2025-01-15".parse().unwrap()
}

struct Field(FieldDescription);

fn field(name: &str, field_type: FieldType) -> Field {
    Field(FieldDescription {
        name: name.into(),
        field_type,
        description: None,
        synonyms: Vec::new(),
        unit: None,
        entity_type: None,
        exact_field: None,
        values: Vec::new(),
    })
}

impl Field {
    fn called(mut self, synonyms: &[&str]) -> Self {
        self.0.synonyms = synonyms.iter().map(|word| (*word).into()).collect();
        self
    }
    fn unit(mut self, unit: &str) -> Self {
        self.0.unit = Some(unit.into());
        self
    }
    fn of(mut self, entity_type: &str) -> Self {
        self.0.entity_type = Some(entity_type.into());
        self
    }
    fn one_of(mut self, values: &[&str]) -> Self {
        self.0.values = values.iter().map(|value| (*value).into()).collect();
        self
    }
}

fn index(
    name: &str,
    nouns: &[&str],
    date: Option<&str>,
    shown: &[&str],
    fields: Vec<Field>,
) -> IndexDescription {
    IndexDescription {
        name: name.into(),
        description: None,
        nouns: nouns.iter().map(|noun| (*noun).into()).collect(),
        entity_type: Some(nouns[0].into()),
        id_field: Some(fields[0].0.name.clone()),
        date_field: date.map(str::to_owned),
        shown: shown.iter().map(|field| (*field).into()).collect(),
        fields: fields.into_iter().map(|field| field.0).collect(),
    }
}

fn shipments() -> IndexDescription {
    use FieldType::{Boolean, Date, Double, Keyword, Long};
    index(
        "shipments",
        &["shipment", "shipments"],
        Some("actual_arrival"),
        &[
            "shipment_id",
            "status",
            "vessel_name",
            "origin_port",
            "destination_port",
        ],
        vec![
            field("shipment_id", Keyword),
            field("reference", Keyword),
            field("status", Keyword).one_of(&[
                "booked",
                "in_transit",
                "arrived",
                "delivered",
                "cancelled",
            ]),
            field("vessel_id", Keyword).of("vessel"),
            field("vessel_name", Keyword)
                .of("vessel")
                .called(&["vessel", "ship"]),
            field("carrier", Keyword).called(&["shipping line"]),
            field("origin_port_id", Keyword).of("port"),
            field("origin_port", Keyword)
                .of("port")
                .called(&["origin", "from"]),
            field("destination_port_id", Keyword).of("port"),
            field("destination_port", Keyword)
                .of("port")
                .called(&["destination", "to"]),
            field("commodity", Keyword).called(&["cargo", "goods"]),
            field("container_count", Long).called(&["containers"]),
            field("weight_kg", Double).unit("kg").called(&["weight"]),
            field("value_usd", Double).unit("USD").called(&["value"]),
            field("planned_departure", Date),
            field("actual_departure", Date),
            field("planned_arrival", Date).called(&["eta"]),
            field("actual_arrival", Date),
            field("delay_hours", Double).unit("h").called(&["delay"]),
            field("hazardous", Boolean).called(&["dangerous goods"]),
            field("is_late", Boolean),
        ],
    )
}

fn ports() -> IndexDescription {
    use FieldType::{Boolean, Keyword};
    index(
        "ports",
        &["port", "ports"],
        None,
        &["port_id", "name", "country"],
        vec![
            field("port_id", Keyword),
            field("name", Keyword),
            field("country", Keyword),
            field("city", Keyword),
            field("terminal", Boolean),
        ],
    )
}

fn vessels() -> IndexDescription {
    use FieldType::{Keyword, Long};
    index(
        "vessels",
        &["vessel", "vessels", "ship", "ships"],
        None,
        &["vessel_id", "name", "carrier"],
        vec![
            field("vessel_id", Keyword),
            field("name", Keyword),
            field("carrier", Keyword),
            field("capacity_teu", Long)
                .unit("TEU")
                .called(&["capacity"]),
            field("flag", Keyword),
            field("status", Keyword).one_of(&["at_sea", "in_port"]),
            field("current_port", Keyword),
        ],
    )
}

fn containers() -> IndexDescription {
    use FieldType::{Date, Double, Keyword, Long};
    index(
        "containers",
        &["container", "containers"],
        Some("last_event_at"),
        &["container_id", "type", "status"],
        vec![
            field("container_id", Keyword),
            field("type", Keyword).one_of(&["dry", "reefer"]),
            field("size_ft", Long),
            field("status", Keyword).one_of(&["loaded", "empty", "discharged"]),
            field("shipment_id", Keyword),
            field("location_port", Keyword),
            field("last_event", Keyword),
            field("last_event_at", Date),
            field("temperature_c", Double)
                .unit("°C")
                .called(&["temperature"]),
        ],
    )
}

/// Shipments, ports, vessels and containers.
pub(super) fn shipping() -> SourceList {
    SourceList {
        sources: vec![SourceDescription {
            name: "shipping".into(),
            description: None,
            kind: SourceKind::Postgresql,
            query_types: vec![QueryType::Elasticsearch, QueryType::Graphql],
            time_zone: "UTC".into(),
            today: today(),
            today_from: TodayFrom::Configuration,
            unavailable: None,
            indices: vec![shipments(), ports(), vessels(), containers()],
        }],
    }
}
