//! SQL statements: values are bound, and names are those of the table. Other tests run the
//! statements on a database.

use search::sql::{Bind, Column, ColumnKind, Table, compile, count};
use serde_json::{Value, json};

use crate::fixture::{checked, told, zone};

fn table() -> Table {
    use ColumnKind as K;
    let column = |(name, kind): (&str, K)| Column {
        name: name.to_owned(),
        kind,
    };
    Table {
        schema: "tools".to_owned(),
        name: "demo_shipments".to_owned(),
        columns: [
            ("shipment_id", K::Text),
            ("status", K::AsText),
            ("carrier", K::Texts),
            ("destination_port", K::Text),
            ("delay_hours", K::Number),
            ("actual_arrival", K::Moment),
        ]
        .map(column)
        .into(),
        tenant_column: Some("tenant".to_owned()),
    }
}

const EVIL: &str = "x'; DROP TABLE demo_shipments; --";

#[test]
fn values_are_bound_and_the_tenant_comes_first() {
    let asked = checked(json!({"index": "shipments",
        "filters": [{"field": "destination_port", "op": "is", "values": [EVIL]}, {"field": "status", "op": "matches", "values": ["a%b"]}],
        "time_range": {"start": "2025-01-08", "end": "2025-01-15"}, "limit": 5}));
    let zone = zone("America/New_York");
    let made = compile(&asked.structure, &table(), Some("demo"), zone, 100).unwrap();
    assert_eq!(
        made.sql,
        "SELECT json_build_array(\"shipment_id\", \"status\"::text, \"actual_arrival\")::text FROM \"tools\".\"demo_shipments\" \
         WHERE \"tenant\" = $1 AND \"destination_port\" = ANY($2) AND \"status\"::text ILIKE $3 \
         AND \"actual_arrival\" >= ($4::timestamp AT TIME ZONE $5) AND \"actual_arrival\" < ($6::timestamp AT TIME ZONE $7) \
         ORDER BY \"actual_arrival\" DESC NULLS LAST, \"shipment_id\" COLLATE \"C\" ASC NULLS LAST LIMIT $8"
    );
    assert_eq!(made.binds[0], Bind::Text("demo".to_owned()));
    assert_eq!(made.binds[1], Bind::Texts(vec![EVIL.to_owned()]));
    assert_eq!(made.binds[2], Bind::Text("%a\\%b%".to_owned()));
    assert_eq!(made.binds[7], Bind::Integer(5));
}

#[test]
fn alternatives_are_one_condition_within_the_tenant() {
    let asked = checked(
        json!({"index": "shipments", "measures": [{"op": "count"}], "filters": [
        {"field": "destination_port", "op": "is", "values": ["Hamburg"], "or": [{"field": "delay_hours", "op": "gt", "values": [24]}]},
        {"field": "status", "op": "is", "values": ["booked"]}]}),
    );
    let made = count(&asked.structure, &table(), Some("demo"), zone("UTC")).unwrap();
    assert!(
        made.sql.contains(
            "WHERE \"tenant\" = $1 AND (\"destination_port\" = ANY($2) OR \"delay_hours\" > $3) AND "
        ),
        "{}",
        made.sql
    );
}

#[test]
fn a_table_with_tenants_returns_nothing_without_one() {
    let asked = checked(json!({"index": "shipments"}));
    let made = count(&asked.structure, &table(), None, zone("UTC")).unwrap();
    assert!(made.sql.ends_with("WHERE FALSE"), "{}", made.sql);
}

#[test]
fn names_are_quoted() {
    let mut table = table();
    table.name = "odd\"; DROP TABLE x; --".to_owned();
    let asked = checked(json!({"index": "shipments"}));
    let made = count(&asked.structure, &table, Some("demo"), zone("UTC")).unwrap();
    assert!(
        made.sql.contains("\"odd\"\"; DROP TABLE x; --\""),
        "{}",
        made.sql
    );
}

#[test]
fn unsupported_columns_are_reported() {
    let refused = |asked: Value| {
        compile(
            &checked(asked).structure,
            &table(),
            Some("demo"),
            zone("UTC"),
            100,
        )
        .unwrap_err()
    };
    let several = refused(json!({"index": "shipments", "group_by": [{"field": "carrier"}]}));
    assert_eq!(told(&several)[0].0, "unsupported");
    let several = refused(json!({"index": "shipments", "sort": [{"by": "carrier"}]}));
    assert_eq!(told(&several)[0].0, "unsupported");
    let gone = refused(json!({"index": "shipments", "fields": ["notes"]}));
    assert_eq!(told(&gone), [("unknown_field", "")]);
}
