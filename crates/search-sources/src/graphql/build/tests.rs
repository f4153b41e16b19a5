use chrono::NaiveDate;
use contracts::tools::search::{Filter, Measure, SortBy, TimeRange};
use search::{Limits, check};
use serde_json::json;

use super::*;
use crate::graphql::testing::{self, full, index, plain};

fn filter(field: &str, op: FilterOp, values: impl Into<Value>) -> Filter {
    Filter {
        field: field.to_owned(),
        op,
        values: values.into().as_array().unwrap().clone(),
        label: None,
        or: Vec::new(),
    }
}

fn asking(filters: Vec<Filter>) -> QueryStructure {
    QueryStructure {
        index: "shipments".to_owned(),
        filters,
        fields: vec!["shipmentId".to_owned(), "status".to_owned()],
        limit: Some(20),
        ..QueryStructure::default()
    }
}

/// The text of a checked structure; the text is checked as any document is.
fn written(
    schema: &GraphqlSchema,
    index: &IndexDescription,
    root_field: &str,
    structure: &QueryStructure,
) -> Result<Built, Vec<QueryProblem>> {
    let checked = check(structure, index, &Limits::default()).unwrap();
    let target = Target {
        schema,
        index,
        root_field: Some(root_field),
        zone: Tz::America__New_York,
    };
    let built = build(&target, &checked.structure)?;
    let request = &built.query;
    let valid = testing::check(schema, &request.query, json!(request.variables));
    assert!(valid.is_ok(), "{request:?}: {:?}", valid.err());
    Ok(built)
}

fn full_index(schema: &GraphqlSchema) -> IndexDescription {
    index(
        schema,
        "shipments",
        "shipments",
        "shipmentId",
        &["vessel.name"],
    )
}

#[test]
fn filters_days_order_and_limit_are_variables_of_the_lists_types() {
    let schema = full();
    let mut structure = asking(vec![
        filter("status", FilterOp::Is, json!(["in_transit", "booked"])),
        filter("vesselId", FilterOp::Is, json!(["v\"1"])),
        filter("valueUsd", FilterOp::Gte, json!([1000])),
    ]);
    let day = |day| NaiveDate::from_ymd_opt(2025, 1, day).unwrap();
    structure.time_range = Some(TimeRange {
        field: Some("plannedArrival".to_owned()),
        start: day(8),
        end: day(14),
        kind: None,
    });
    structure.sort = vec![SortBy {
        by: "plannedArrival".to_owned(),
        descending: true,
    }];
    let built = written(&schema, &full_index(&schema), "shipments", &structure).unwrap();
    assert_eq!(
        built.query.query,
        "query ($condition: ShipmentCondition, $filter: ShipmentFilter, $orderBy: [ShipmentOrderBy!], $first: Int) {\n  \
         shipments(condition: $condition, filter: $filter, orderBy: $orderBy, first: $first) {\n    \
         nodes { shipmentId status }\n    totalCount\n  }\n}\n"
    );
    assert_eq!(
        Value::Object(built.query.variables),
        json!({
            "condition": { "vesselId": "v\"1" },
            "filter": {
                "status": { "in": ["in_transit", "booked"] },
                "valueUsd": { "greaterThanOrEqualTo": "1000.0" },
                "plannedArrival": {
                    "greaterThanOrEqualTo": "2025-01-08T00:00:00-05:00",
                    "lessThan": "2025-01-15T00:00:00-05:00",
                },
            },
            "orderBy": ["PLANNED_ARRIVAL_DESC", "SHIPMENT_ID_ASC"],
            "first": 20,
        })
    );
    assert!(built.notes.is_empty());
}

#[test]
fn days_are_whole_days() {
    let schema = full();
    let index = full_index(&schema);
    let bounds = |op| {
        let structure = asking(vec![filter("plannedArrival", op, json!(["2025-01-08"]))]);
        let built = written(&schema, &index, "shipments", &structure).unwrap();
        built.query.variables["filter"]["plannedArrival"].clone()
    };
    let (begin, end) = ("2025-01-08T00:00:00-05:00", "2025-01-09T00:00:00-05:00");
    assert_eq!(
        bounds(FilterOp::Is),
        json!({ "greaterThanOrEqualTo": begin, "lessThan": end })
    );
    assert_eq!(bounds(FilterOp::Gt), json!({ "greaterThanOrEqualTo": end }));
    assert_eq!(bounds(FilterOp::Lte), json!({ "lessThan": end }));
    // A column of days is compared with days.
    let structure = asking(vec![filter(
        "bookedOn",
        FilterOp::Lte,
        json!(["2025-01-08"]),
    )]);
    let built = written(&schema, &index, "shipments", &structure).unwrap();
    assert_eq!(
        built.query.variables["filter"]["bookedOn"],
        json!({ "lessThan": "2025-01-09" })
    );
}

#[test]
fn other_comparisons_have_their_operators() {
    let schema = full();
    let index = full_index(&schema);
    let of = |filters| {
        let built = written(&schema, &index, "shipments", &asking(filters)).unwrap();
        (built.query.variables["filter"].clone(), built.notes)
    };
    let (written, notes) = of(vec![filter("vesselId", FilterOp::IsNot, json!(["v1"]))]);
    assert_eq!(written, json!({ "vesselId": { "distinctFrom": "v1" } }));
    assert!(notes.is_empty());
    let (written, notes) = of(vec![filter(
        "vesselId",
        FilterOp::IsNot,
        json!(["v1", "v2"]),
    )]);
    assert_eq!(written, json!({ "vesselId": { "notIn": ["v1", "v2"] } }));
    assert_eq!(
        notes,
        ["Records without a value of 'vesselId' are left out too."]
    );
    let (written, _) = of(vec![filter("vesselId", FilterOp::Missing, json!([]))]);
    assert_eq!(written, json!({ "vesselId": { "isNull": true } }));
    let (written, _) = of(vec![filter("vesselId", FilterOp::Exists, json!([]))]);
    assert_eq!(written, json!({ "vesselId": { "isNull": false } }));
    // Two words of a text need two conditions on one field.
    let (written, _) = of(vec![filter(
        "vesselId",
        FilterOp::Matches,
        json!(["ever given"]),
    )]);
    assert_eq!(
        written,
        json!({
            "vesselId": { "includesInsensitive": "ever" },
            "and": [{ "vesselId": { "includesInsensitive": "given" } }],
        })
    );
}

#[test]
fn one_record_is_asked_by_its_id_with_what_it_is_related_to() {
    let schema = full();
    let structure = asking(vec![filter("shipmentId", FilterOp::Is, json!(["S-1"]))]);
    let built = written(&schema, &full_index(&schema), "shipments", &structure).unwrap();
    assert_eq!(
        built.query.query,
        "query ($shipmentId: String!) {\n  shipment(shipmentId: $shipmentId) {\n    \
         shipmentId status vessel { name }\n  }\n}\n"
    );
    assert_eq!(built.query.variables["shipmentId"], "S-1");
}

#[test]
fn counting_asks_for_no_records() {
    let schema = full();
    let mut structure = asking(vec![filter("status", FilterOp::Is, json!(["booked"]))]);
    structure.fields.clear();
    structure.limit = None;
    structure.measures = vec![Measure {
        op: MeasureOp::Count,
        field: None,
    }];
    let built = written(&schema, &full_index(&schema), "shipments", &structure).unwrap();
    assert_eq!(
        built.query.query,
        "query ($condition: ShipmentCondition) {\n  shipments(condition: $condition) {\n    totalCount\n  }\n}\n"
    );
}

#[test]
fn what_has_no_place_is_told_and_never_left_out() {
    let schema = plain();
    let index = index(&schema, "shipments", "allShipments", "shipmentId", &[]);
    let mut structure = asking(vec![
        filter("status", FilterOp::Is, json!(["booked"])),
        filter("status", FilterOp::IsNot, json!(["delivered"])),
        filter("weightKg", FilterOp::Is, json!([10])),
        filter("plannedArrival", FilterOp::Gte, json!(["2025-01-08"])),
    ]);
    structure.sort = vec![SortBy {
        by: "weightKg".to_owned(),
        descending: false,
    }];
    let root = schema.root_fields();
    let root = root
        .iter()
        .find(|f| ["shipments", "allShipments"].contains(&f.name.as_str()));
    let problems = written(&schema, &index, &root.unwrap().name, &structure).unwrap_err();
    let told: Vec<_> = problems
        .iter()
        .map(|problem| (problem.pointer.as_str(), problem.code.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("/filters/1", "unsupported"),
            ("/filters/2", "unsupported"),
            ("/filters/3", "unsupported"),
            ("/sort/0", "unsupported"),
        ]
    );
    let bound = "The schema has no place for a lower bound of 'plannedArrival'.";
    assert!(problems.iter().any(|problem| problem.message == bound));
    let mut groups = asking(Vec::new());
    groups.group_by = vec![contracts::tools::search::Grouping {
        field: "status".to_owned(),
        interval: None,
    }];
    groups.measures = vec![Measure {
        op: MeasureOp::Sum,
        field: Some("weightKg".to_owned()),
    }];
    let problems = written(&schema, &index, &root.unwrap().name, &groups).unwrap_err();
    assert!(problems.iter().all(|problem| problem.code == "unsupported"));
    assert_eq!(problems.len(), 2);
}

#[test]
fn values_that_do_not_fit_the_schema_are_told() {
    let schema = full();
    let structure = asking(vec![filter("status", FilterOp::Is, json!(["bokked"]))]);
    let problems = written(&schema, &full_index(&schema), "shipments", &structure).unwrap_err();
    assert_eq!(problems[0].code, "wrong_type");
    assert_eq!(problems[0].suggestions, ["booked"]);
}

/// Other servers' ways of saying the same.
#[test]
fn other_conventions_have_places_too() {
    let hasura = GraphqlSchema::from_sdl(
        "type Query { ships(where: ships_bool_exp, order_by: [ships_order_by!], limit: Int, offset: Int): [ships!]! }
         type ships { id: String! name: String! built: timestamptz }
         scalar timestamptz
         input ships_bool_exp { _and: [ships_bool_exp!] id: string_exp name: string_exp built: time_exp }
         input string_exp { _eq: String _in: [String!] _ilike: String _is_null: Boolean }
         input time_exp { _gte: timestamptz _lt: timestamptz }
         input ships_order_by { id: order_by name: order_by }
         enum order_by { asc desc }",
    )
    .unwrap();
    let prisma = GraphqlSchema::from_sdl(
        "type Query { ships(where: ShipWhere, orderBy: ShipOrder, first: Int, skip: Int): [Ship!]! ship(id: ID!): Ship }
         type Ship { id: ID! name: String! built: DateTime }
         scalar DateTime
         input ShipWhere { id: ID id_in: [ID!] name_contains: String built_gte: DateTime built_lt: DateTime }
         enum ShipOrder { name_ASC name_DESC }",
    )
    .unwrap();
    let relay = GraphqlSchema::from_sdl(
        "type Query { ships(name: String, limit: Int): Ships! }
         type Ships { edges: [Edge!]! total: Int! }
         type Edge { node: Ship! }
         type Ship { id: ID! name: String! }",
    )
    .unwrap();
    let asked = |schema: &GraphqlSchema, filters, by: Option<&str>| {
        let index = index(schema, "ships", "ships", "id", &[]);
        let structure = QueryStructure {
            index: "ships".to_owned(),
            filters,
            fields: vec!["id".to_owned(), "name".to_owned()],
            sort: by
                .map(|by| SortBy {
                    by: by.to_owned(),
                    descending: true,
                })
                .into_iter()
                .collect(),
            limit: Some(5),
            ..QueryStructure::default()
        };
        written(schema, &index, "ships", &structure).unwrap().query
    };
    let filters = vec![
        filter("name", FilterOp::Matches, json!(["50%"])),
        filter("built", FilterOp::Is, json!(["2020-01-01"])),
    ];
    let query = asked(&hasura, filters, Some("name"));
    assert_eq!(
        Value::Object(query.variables),
        json!({
            "where": {
                "name": { "_ilike": "%50\\%%" },
                "built": { "_gte": "2020-01-01T00:00:00-05:00", "_lt": "2020-01-02T00:00:00-05:00" },
            },
            "order_by": [{ "name": "desc" }, { "id": "asc" }],
            "limit": 5,
        })
    );
    let filters = vec![
        filter("id", FilterOp::Is, json!(["1", "2"])),
        filter("built", FilterOp::Gte, json!(["2020-01-01"])),
    ];
    let query = asked(&prisma, filters, Some("name"));
    assert_eq!(
        Value::Object(query.variables),
        json!({
            "where": { "id_in": ["1", "2"], "built_gte": "2020-01-01T00:00:00-05:00" },
            "orderBy": "name_DESC",
            "first": 5,
        })
    );
    let query = asked(
        &relay,
        vec![filter("name", FilterOp::Is, json!(["Ada"]))],
        None,
    );
    assert_eq!(
        query.query,
        "query ($name: String, $limit: Int) {\n  ships(name: $name, limit: $limit) {\n    \
         edges { node { id name } }\n    total\n  }\n}\n"
    );
}

#[test]
fn an_order_that_nobody_asked_for_may_be_the_sources_own() {
    let schema = plain();
    let root = schema.root_fields();
    let root = root
        .iter()
        .find(|f| ["shipments", "allShipments"].contains(&f.name.as_str()));
    let root = root.unwrap().name.to_string();
    let mut index = index(&schema, "shipments", &root, "shipmentId", &[]);
    index.date_field = Some("weightKg".to_owned());
    let target = Target {
        schema: &schema,
        index: &index,
        root_field: Some(&root),
        zone: Tz::UTC,
    };
    let mut structure = asking(Vec::new());
    structure.sort = vec![SortBy {
        by: "weightKg".to_owned(),
        descending: true,
    }];
    assert!(build_usual(&target, &mut structure, true).is_err());
    let built = build_usual(&target, &mut structure, false).unwrap();
    assert!(structure.sort.is_empty());
    assert_eq!(built.notes, ["The order is the source's own."]);
}
