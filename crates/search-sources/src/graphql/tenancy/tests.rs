use contracts::tools::search::SourceKind;
use serde_json::json;

use super::*;
use crate::graphql::testing::{check, full};

fn config() -> SourceConfig {
    SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        ..SourceConfig::new("fleet", SourceKind::Graphql)
    }
}

/// A document as it is sent for a tenant; it is valid.
fn sent(query: &str, variables: Value) -> Result<(String, Value), QueryProblem> {
    let schema = full();
    let checked = check(&schema, query, variables).unwrap();
    let config = config();
    let request = Guard::of(&config, "demo")
        .guarded(&schema, &checked)?
        .request();
    let variables = Value::Object(request.variables);
    let again = check(&schema, &request.query, variables.clone());
    assert!(again.is_ok(), "{}: {:?}", request.query, again.err());
    let text = request
        .query
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    Ok((text, variables))
}

#[test]
fn lists_are_filtered_by_the_tenant_wherever_they_stand() {
    let (text, _) = sent(
        "{ shipments(first: 3) { nodes { shipmentId } totalCount } }",
        json!({}),
    )
    .unwrap();
    assert_eq!(
        text,
        r#"{ shipments(first: 3, condition: {tenant: "demo"}) { nodes { shipmentId heliographTenant: tenant } totalCount } }"#
    );
    let nested = "{ shipments(first: 1) { nodes { destinationPort { name shipmentsByDestinationPortId(first: 1) { totalCount } } vessel { name } } } }";
    let (text, _) = sent(nested, json!({})).unwrap();
    assert!(
        text.contains(r#"shipmentsByDestinationPortId(first: 1, condition: {tenant: "demo"})"#),
        "{text}"
    );
    assert!(
        text.contains("vessel { name heliographTenant: tenant }"),
        "{text}"
    );
}

#[test]
fn a_condition_of_somebody_elses_is_overwritten() {
    let (text, _) = sent(
        r#"{ shipments(condition: { tenant: "rival", status: booked }) { totalCount } }"#,
        json!({}),
    )
    .unwrap();
    assert_eq!(
        text,
        r#"{ shipments(condition: {status: booked, tenant: "demo"}) { totalCount } }"#
    );
    let query = "query ($c: ShipmentCondition) { shipments(condition: $c) { totalCount } }";
    let (_, variables) = sent(query, json!({ "c": { "tenant": "rival" } })).unwrap();
    assert_eq!(variables, json!({ "c": { "tenant": "demo" } }));
    let (_, variables) = sent(query, json!({})).unwrap();
    assert_eq!(variables, json!({ "c": { "tenant": "demo" } }));
    // A list in a fragment is the same list.
    let (text, _) = sent(
        "{ ...f } fragment f on Query { shipments { totalCount } }",
        json!({}),
    )
    .unwrap();
    assert!(text.contains(r#"condition: {tenant: "demo"}"#), "{text}");
}

#[test]
fn what_can_not_be_filtered_is_refused() {
    for query in [
        // Records without a tenant are not returned on their own.
        "{ ports { totalCount } }",
        "{ ports(first: 1) { nodes { name } } }",
        "{ port(portId: \"p\") { name } }",
        "{ node(id: \"x\") { id } }",
        "{ query { shipments { totalCount } } }",
        "{ id }",
        "{ shipments { nodes { heliographTenant: status } } }",
    ] {
        assert_eq!(
            sent(query, json!({})).unwrap_err().code,
            "not_allowed",
            "{query}"
        );
    }
    assert!(sent("{ __typename }", json!({})).is_ok());
}

#[test]
fn what_is_another_tenants_is_left_out_of_the_answer() {
    let config = config();
    let guard = Guard::of(&config, "demo");
    let answer = json!({
        "shipment": { "shipmentId": "S-9", "heliographTenant": "rival" },
        "shipments": { "nodes": [
            { "shipmentId": "S-1", "heliographTenant": "demo", "vessel": { "name": "A", "heliographTenant": "rival" } },
            { "shipmentId": "S-8", "heliographTenant": null },
        ] },
    });
    let Value::Object(data) = answer else {
        unreachable!()
    };
    assert_eq!(
        Value::Object(guard.cleaned(data)),
        json!({
            "shipment": null,
            "shipments": { "nodes": [{ "shipmentId": "S-1", "vessel": null }] },
        })
    );
}
