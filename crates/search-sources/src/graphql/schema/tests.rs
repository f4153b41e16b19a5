use apollo_compiler::ast::Type;
use serde_json::json;

use super::*;
use crate::graphql::testing;

#[test]
fn a_servers_schema_is_known_whole() {
    let schema = testing::full();
    let names: Vec<_> = schema
        .root_fields()
        .iter()
        .map(|f| f.name.as_str())
        .collect();
    assert!(
        names.contains(&"shipments") && names.contains(&"shipment"),
        "{names:?}"
    );
    let shipment: Vec<_> = schema
        .fields_of("Shipment")
        .iter()
        .map(|field| (field.name.to_string(), field.ty.to_string()))
        .collect();
    let has = |name: &str, ty: &str| shipment.contains(&(name.to_owned(), ty.to_owned()));
    assert!(has("status", "ShipmentStatus!"));
    assert!(has("valueUsd", "BigFloat"));
    assert!(has("vessel", "Vessel"));
    assert_eq!(
        schema.enum_values("ShipmentStatus"),
        Some(vec!["booked", "in_transit", "delivered"])
    );
    // A default of an argument came over.
    let roots = schema.root_fields();
    let list = roots
        .iter()
        .find(|field| field.name == "shipments")
        .unwrap();
    let order = list.arguments.iter().find(|a| a.name == "orderBy").unwrap();
    assert_eq!(
        order
            .default_value
            .as_ref()
            .unwrap()
            .as_list()
            .map(<[_]>::len),
        Some(1)
    );
}

#[test]
fn what_changes_data_is_not_even_known() {
    let schema = testing::full();
    assert!(
        schema
            .valid()
            .root_operation(OperationType::Mutation)
            .is_none()
    );
}

#[test]
fn leaves_have_no_fields() {
    let schema = testing::full();
    let named = |name: &str| Type::Named(Name::new(name).unwrap());
    assert!(schema.is_leaf(&named("Datetime")));
    assert!(schema.is_leaf(&named("ShipmentStatus")));
    assert!(!schema.is_leaf(&named("Shipment")));
    assert!(!schema.is_leaf(&named("Nothing")));
}

/// A schema with one type `T`, one field and what else a test says of it.
fn introspection(field: &serde_json::Value) -> serde_json::Value {
    json!({ "__schema": { "queryType": { "name": "T" }, "types": [
        { "kind": "OBJECT", "name": "T", "fields": [field], "interfaces": [] },
        { "kind": "SCALAR", "name": "Int" },
    ] } })
}

#[test]
fn what_is_no_schema_is_refused() {
    let int = json!({ "kind": "SCALAR", "name": "Int" });
    let good = introspection(&json!({ "name": "a", "args": [], "type": int }));
    assert!(GraphqlSchema::from_introspection(&good).is_ok());

    let bad_name = introspection(&json!({ "name": "a b } type U { c", "args": [], "type": int }));
    let unknown = json!({ "kind": "OBJECT", "name": "U" });
    let unknown = introspection(&json!({ "name": "a", "args": [], "type": unknown }));
    let default = json!({ "name": "x", "type": int, "defaultValue": "1) b(c: 2" });
    let default = introspection(&json!({ "name": "a", "args": [default], "type": int }));
    let list = json!({ "kind": "LIST", "name": null, "ofType": null });
    let list = introspection(&json!({ "name": "a", "args": [], "type": list }));
    for bad in [json!({}), json!(null), bad_name, unknown, default, list] {
        let error = GraphqlSchema::from_introspection(&bad).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("the GraphQL schema cannot be used")
        );
    }
}
