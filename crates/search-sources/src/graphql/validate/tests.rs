use serde_json::json;

use crate::graphql::testing::{check, full};

/// The codes of what is wrong with a document without variables.
fn codes(query: &str) -> Vec<String> {
    let problems = check(&full(), query, json!({})).unwrap_err();
    assert!(problems.iter().all(|problem| problem.pointer == "/query"));
    problems.into_iter().map(|problem| problem.code).collect()
}

#[test]
fn a_query_with_fragments_aliases_and_variables_is_fine() {
    let query = "
        query Late($status: ShipmentStatus = booked, $first: Int!, $with: Boolean!) {
          late: shipments(condition: { status: $status }, first: $first) {
            nodes { ...parts vessel @include(if: $with) { name } __typename }
            totalCount
          }
        }
        fragment parts on Shipment { shipmentId plannedArrival }";
    let variables = json!({ "first": 10, "with": true });
    let checked = check(&full(), query, variables).unwrap();
    assert_eq!(checked.variables().get("status").unwrap(), "booked");
}

#[test]
fn what_changes_or_follows_data_is_refused_by_its_kind() {
    assert_eq!(
        codes("mutation { deleteShipment(input: {}) { query { id } } }"),
        ["mutation"]
    );
    assert_eq!(
        codes("subscription { shipments { totalCount } }"),
        ["mutation"]
    );
    let both = "query A { shipments { totalCount } } mutation B { x }";
    assert_eq!(codes(both), ["mutation", "invalid"]);
}

#[test]
fn there_is_one_query() {
    assert_eq!(codes("fragment f on Shipment { shipmentId }"), ["invalid"]);
    assert_eq!(
        codes("query A { shipments { totalCount } } query B { shipments { totalCount } }"),
        ["invalid"]
    );
    assert_eq!(
        codes("type T { a: Int } { shipments { totalCount } }"),
        ["invalid"]
    );
    assert_eq!(codes("{ shipments { totalCount }"), ["invalid"]);
    assert_eq!(codes(""), ["invalid"]);
}

#[test]
fn unknown_names_are_told_with_those_that_were_meant() {
    let query = "{ shipments(fist: 3) { nodes { weigth } } vesels { totalCount } }";
    let problems = check(&full(), query, json!({})).unwrap_err();
    let told: Vec<_> = problems
        .iter()
        .map(|problem| {
            (
                problem.code.as_str(),
                problem.suggestions.first().map(String::as_str),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("unknown_field", Some("first")),
            ("unknown_field", Some("weightKg")),
            ("unknown_field", Some("vessels")),
        ]
    );
}

#[test]
fn the_schema_and_strange_directives_are_not_asked() {
    assert_eq!(codes("{ __schema { types { name } } }"), ["not_allowed"]);
    assert_eq!(
        codes("{ __type(name: \"Shipment\") { name } }"),
        ["not_allowed"]
    );
    assert_eq!(
        codes("{ shipments { totalCount @export(as: \"x\") } }"),
        ["not_allowed"]
    );
    assert!(check(&full(), "{ __typename }", json!({})).is_ok());
}

#[test]
fn the_specifications_rules_hold() {
    for wrong in [
        "{ shipments }",
        "{ shipments { totalCount { a } } }",
        "{ shipments(first: \"ten\") { totalCount } }",
        "query ($first: String) { shipments(first: $first) { totalCount } }",
        "{ shipments(first: $first) { totalCount } }",
        "query ($unused: Int) { shipments { totalCount } }",
        "{ shipments(condition: { status: lost }) { totalCount } }",
        "{ shipment { shipmentId } }",
        "{ shipments(first: 1) { totalCount } shipments(first: 2) { totalCount } }",
        "{ shipments { ...nothing } }",
        "{ shipments { totalCount } } fragment unused on Shipment { shipmentId }",
    ] {
        let codes = codes(wrong);
        assert!(
            codes.iter().all(|code| code == "invalid"),
            "{wrong}: {codes:?}"
        );
    }
}

#[test]
fn variables_have_the_types_that_the_query_gives_them() {
    let query = "query ($filter: ShipmentFilter, $first: Int!) { shipments(filter: $filter, first: $first) { totalCount } }";
    let good = json!({ "first": 5, "filter": { "status": { "in": ["booked"] } } });
    assert!(check(&full(), query, good).is_ok());
    for (variables, pointer, code) in [
        (json!({}), "/variables/first", "wrong_type"),
        (json!({ "first": "5" }), "/variables/first", "wrong_type"),
        (
            json!({ "first": 3_000_000_000_u64 }),
            "/variables/first",
            "wrong_type",
        ),
        (
            json!({ "first": 5, "filter": { "status": { "in": ["lost"] } } }),
            "/variables",
            "wrong_type",
        ),
        (
            json!({ "first": 5, "filter": { "drop": 1 } }),
            "/variables",
            "wrong_type",
        ),
        (
            json!({ "first": 5, "more": 1 }),
            "/variables/more",
            "invalid",
        ),
    ] {
        let problems = check(&full(), query, variables.clone()).unwrap_err();
        let [problem] = problems.as_slice() else {
            panic!("{problems:?}");
        };
        assert_eq!(
            (problem.pointer.as_str(), problem.code.as_str()),
            (pointer, code),
            "{variables}"
        );
    }
}

#[test]
fn depth_is_limited() {
    let deep = "{ shipments(first: 1) { nodes { vessel { shipments(first: 1) { nodes { shipmentId } } } } } }";
    assert!(check(&full(), deep, json!({})).is_ok());
    let deeper = "{ shipments(first: 1) { nodes { vessel { shipments(first: 1) { nodes { vessel { name } } } } } } }";
    assert_eq!(codes(deeper), ["too_deep"]);
    // A fragment is as deep as what it is used for.
    let hidden = "
        { shipments(first: 1) { ...a } }
        fragment a on ShipmentConnection { nodes { ...b } }
        fragment b on Shipment { vessel { shipments(first: 1) { nodes { vessel { name } } } } }";
    assert_eq!(codes(hidden), ["too_deep"]);
}

#[test]
fn lists_cost_as_often_as_they_are_long() {
    let nested = |outer: u32, inner: u32| {
        format!(
            "{{ vessels(first: {outer}) {{ nodes {{ shipments(first: {inner}) {{ nodes {{ shipmentId }} }} }} }} }}"
        )
    };
    assert!(check(&full(), &nested(10, 10), json!({})).is_ok());
    assert_eq!(codes(&nested(100, 100)), ["too_expensive"]);
    // By a variable, by a default, and by nothing at all, it costs as much.
    let by_variable = "query ($n: Int = 100) { vessels(first: $n) { nodes { shipments(first: $n) { nodes { shipmentId } } } } }";
    assert_eq!(codes(by_variable), ["too_expensive"]);
    let open = "{ vessels { nodes { shipments { nodes { shipmentId } } } } }";
    assert_eq!(codes(open), ["too_expensive"]);
    // One list may not be longer than the source's limit.
    assert_eq!(
        codes("{ shipments(first: 1001) { nodes { shipmentId } } }"),
        ["too_expensive"]
    );
    assert!(
        check(
            &full(),
            "{ shipments(first: 1000) { nodes { shipmentId } } }",
            json!({})
        )
        .is_ok()
    );
    // Aliases add up.
    let copies: Vec<String> = (0..12)
        .map(|n| format!(" a{n}: shipments(first: 1000) {{ nodes {{ shipmentId }} }}"))
        .collect();
    let copies = copies.concat();
    assert_eq!(codes(&format!("{{{copies} }}")), ["too_expensive"]);
}

#[test]
fn floods_are_refused_before_they_are_expanded() {
    let aliases: Vec<String> = (0..100).map(|n| format!(" a{n}: totalCount")).collect();
    let aliases = aliases.concat();
    assert_eq!(
        codes(&format!("{{ shipments {{{aliases} }} }}")),
        ["too_large"]
    );
    let directives = " @include(if: true)".repeat(100);
    assert_eq!(
        codes(&format!("{{ shipments {{ totalCount{directives} }} }}")),
        ["too_large"]
    );
    // Each fragment uses the next twice: 2^40 fields.
    let links = (0..40).map(|n| {
        let next = n + 1;
        format!(" fragment f{n} on ShipmentConnection {{ ...f{next} ...f{next} }}")
    });
    let links = links.collect::<Vec<_>>().concat();
    let mut bomb = format!("{{ shipments {{ ...f0 }} }}{links}");
    bomb += " fragment f40 on ShipmentConnection { totalCount }";
    assert_eq!(codes(&bomb), ["too_large"]);
    let many: Vec<String> = (0..100)
        .map(|n| format!(" fragment f{n} on Shipment {{ shipmentId }}"))
        .collect();
    let many = many.concat();
    assert_eq!(
        codes(&format!("{{ shipments {{ totalCount }} }}{many}")),
        ["too_large"]
    );
    assert_eq!(codes(&"{ a ".repeat(3_000)), ["too_deep"]);
    assert_eq!(
        codes(&format!("{{ {} }}", "a ".repeat(20_000))),
        ["too_large"]
    );
    assert_eq!(
        codes(&format!("{{ a #{}\n }}", "x".repeat(70_000))),
        ["too_large"]
    );
}

#[test]
fn fragments_that_contain_themselves_are_refused() {
    let cycle = "
        { shipments { ...a } }
        fragment a on ShipmentConnection { ...b }
        fragment b on ShipmentConnection { ...a }";
    assert_eq!(codes(cycle), ["invalid"]);
    assert_eq!(codes("{ ...a } fragment a on Query { ...a }"), ["invalid"]);
}

#[test]
fn variables_are_no_way_around_the_sizes() {
    let query = "query ($filter: ShipmentFilter) { shipments(filter: $filter) { totalCount } }";
    let mut deep = json!({ "status": { "isNull": true } });
    for _ in 0..20 {
        deep = json!({ "not": deep });
    }
    let problems = check(&full(), query, json!({ "filter": deep })).unwrap_err();
    assert_eq!(problems[0].code, "too_deep");
    let long = json!({ "filter": { "status": { "in": vec!["booked"; 10_000] } } });
    let problems = check(&full(), query, long).unwrap_err();
    assert_eq!(problems[0].code, "too_large");
}

#[test]
fn a_schema_of_plain_lists_counts_them_too() {
    let schema = crate::graphql::schema::GraphqlSchema::from_sdl(
        "type Query { ships(limit: Int = 500): [Ship!]! } type Ship { name: String crew: [Ship!]! }",
    )
    .unwrap();
    assert!(check(&schema, "{ ships { name } }", json!({})).is_ok());
    let problems = check(&schema, "{ ships { crew { name } } }", json!({})).unwrap_err();
    assert_eq!(problems[0].code, "too_expensive");
    assert!(check(&schema, "{ ships(limit: 10) { crew { name } } }", json!({})).is_ok());
}
