use contracts::tools::search::SourceKind;

use super::*;
use crate::graphql::testing::{full, index, plain};

#[test]
fn every_list_is_an_index_when_none_is_configured() {
    let config = SourceConfig::new("fleet", SourceKind::Graphql);
    for schema in [full(), plain()] {
        let indices = indices(&schema, &config).unwrap();
        let names: Vec<_> = indices.iter().map(|index| folded(&index.name)).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        for index in &indices {
            assert!(index.id_field.is_some(), "{index:?}");
            assert!(!index.shown.is_empty());
        }
    }
}

#[test]
fn types_come_from_the_schema_and_words_from_the_configuration() {
    let schema = full();
    let found = index(
        &schema,
        "shipments",
        "shipments",
        "shipmentId",
        &["vessel.name", "vessel.imo"],
    );
    let type_of = |name: &str| {
        let field = found.fields.iter().find(|field| field.name == name);
        field.map(|field| field.field_type)
    };
    assert_eq!(type_of("status"), Some(FieldType::Keyword));
    assert_eq!(type_of("containerCount"), Some(FieldType::Long));
    assert_eq!(type_of("packages"), Some(FieldType::Long));
    assert_eq!(type_of("valueUsd"), Some(FieldType::Double));
    assert_eq!(type_of("plannedArrival"), Some(FieldType::Date));
    assert_eq!(type_of("bookedOn"), Some(FieldType::Date));
    assert_eq!(type_of("hazardous"), Some(FieldType::Boolean));
    assert_eq!(type_of("vessel.name"), Some(FieldType::Keyword));
    // Neither a related record, nor what it does not have.
    assert_eq!(type_of("vessel"), None);
    assert_eq!(type_of("vessel.imo"), None);
    let status = found
        .fields
        .iter()
        .find(|field| field.name == "status")
        .unwrap();
    assert_eq!(status.values, ["booked", "in_transit", "delivered"]);
    assert!(found.shown.contains(&"shipmentId".to_owned()));
    assert!(!found.shown.contains(&"id".to_owned()), "Relay's id");
}

#[test]
fn what_the_schema_does_not_list_is_told() {
    let mut config = SourceConfig::new("fleet", SourceKind::Graphql);
    config.indices = vec![IndexConfig {
        name: "trucks".to_owned(),
        ..IndexConfig::default()
    }];
    assert_eq!(
        indices(&full(), &config).unwrap_err(),
        "has no list of 'trucks' in its schema"
    );
}
