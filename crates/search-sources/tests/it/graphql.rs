//! PostgreSQL asked in GraphQL: the schema is made of the indices, the documents run as typed
//! queries.

use std::sync::Arc;

use contracts::tools::search::{
    GraphqlQuery, HowToRetrieve, QueryOutcome, QueryRun, QueryType, TotalRelation,
};
use search_sources::{EntityConfig, FieldConfig, IndexConfig, Source, SourceConfig};
use serde_json::{Value, json};
use test_support::database::TestDatabase;

use crate::fixture::{column, opened, ran, rows, structure};

const TABLES: &str = "
CREATE SCHEMA fleet;
CREATE TABLE fleet.vessels (tenant text NOT NULL, vessel_id text NOT NULL, name text NOT NULL, capacity_teu bigint);
CREATE TABLE fleet.shipments (
    tenant text NOT NULL, shipment_id text NOT NULL, status text, vessel_id text, vessel_name text, containers bigint,
    delay_hours double precision, arrival timestamptz, hazardous boolean NOT NULL);
INSERT INTO fleet.vessels VALUES
    ('demo', 'V1', 'Ever Given', 20124), ('demo', 'V2', 'Emma', 5000000000), ('rival', 'V1', 'Foreign', 1);
INSERT INTO fleet.shipments
    SELECT 'demo', 'S' || lpad(n::text, 3, '0'), CASE WHEN n % 3 = 0 THEN 'delivered' WHEN n % 3 = 1 THEN 'booked' END,
        CASE WHEN n % 4 > 0 THEN 'V' || (1 + n % 2) END, 'x', n, n / 2.0, timestamptz '2025-01-01 12:00Z' + n * interval '1 day', n % 2 = 0
    FROM generate_series(1, 30) n;
INSERT INTO fleet.shipments VALUES ('rival', 'S001', 'booked', 'V1', 'x', 1, 1, '2025-01-02', false);
";

async fn database() -> TestDatabase {
    TestDatabase::new("search_sources_fleet", |pool| async move {
        sqlx::raw_sql(TABLES).execute(&pool).await.map(drop)
    })
    .await
    .unwrap()
}

fn index(table: &str, noun: &str, id: &str, name: &str) -> IndexConfig {
    IndexConfig {
        name: table.to_owned(),
        table: Some(format!("fleet.{table}")),
        nouns: vec![noun.to_owned(), table.to_owned()],
        id_field: Some(id.to_owned()),
        entity: Some(EntityConfig {
            entity_type: noun.to_owned(),
            name_field: name.to_owned(),
            ..EntityConfig::default()
        }),
        ..IndexConfig::default()
    }
}

fn config() -> SourceConfig {
    let mut shipments = index("shipments", "shipment", "shipment_id", "shipment_id");
    shipments.date_field = Some("arrival".to_owned());
    shipments.fields = ["vessel_id", "vessel_name"]
        .map(|name| FieldConfig {
            name: name.to_owned(),
            entity_type: Some("vessel".to_owned()),
            ..FieldConfig::default()
        })
        .into();
    SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        time_zone: "America/New_York".to_owned(),
        indices: vec![shipments, index("vessels", "vessel", "vessel_id", "name")],
        ..crate::fixture::shipping()
    }
}

fn request(query: &str, variables: Value) -> GraphqlQuery {
    GraphqlQuery {
        query: query.to_owned(),
        variables: serde_json::from_value(variables).unwrap(),
    }
}

async fn asked(source: &Source, query: &str) -> QueryRun {
    ran(source.graphql("demo", &request(query, json!({}))).await)
}

async fn refused(source: &Source, query: &str) -> Vec<String> {
    let execution = source.graphql("demo", &request(query, json!({}))).await;
    assert_eq!(execution.outcome, QueryOutcome::Refused, "{execution:?}");
    execution
        .problems
        .into_iter()
        .map(|problem| problem.code)
        .collect()
}

#[tokio::test]
async fn what_is_built_runs_and_means_what_the_other_language_means() {
    let database = database().await;
    let source = opened(config(), database.pool());
    for asked in [
        json!({"index": "shipments", "fields": ["shipment_id", "delay_hours", "arrival"],
            "filters": [{"field": "status", "op": "is", "values": ["delivered", "booked"]},
                {"field": "vessel_id", "op": "is_not", "values": ["V1", "V9"]},
                {"field": "containers", "op": "gt", "values": [3]}],
            "time_range": {"start": "2025-01-05", "end": "2025-01-25"},
            "sort": [{"by": "delay_hours", "descending": true}], "limit": 5}),
        json!({"index": "shipments", "fields": ["shipment_id"],
            "filters": [{"field": "status", "op": "missing"}, {"field": "vessel_id", "op": "exists"},
                {"field": "arrival", "op": "gte", "values": ["2025-01-10"]}, {"field": "hazardous", "op": "is", "values": [true]}]}),
        json!({"index": "shipments", "fields": ["shipment_id"], "filters": [{"field": "status", "op": "is_not", "values": ["booked"]}]}),
        json!({"index": "shipments", "fields": ["shipment_id"], "filters": [{"field": "arrival", "op": "is", "values": ["2025-01-10"]}]}),
        json!({"index": "vessels", "fields": ["name", "capacity_teu"], "filters": [{"field": "name", "op": "matches", "values": ["given ever"]}]}),
        json!({"index": "vessels", "fields": ["name"], "filters": [{"field": "vessel_id", "op": "is", "values": ["V1"]}]}),
        json!({"index": "shipments", "measures": [{"op": "count"}], "filters": [{"field": "status", "op": "is", "values": ["booked"]}]}),
    ] {
        let asked = structure(asked);
        let built = source
            .build("demo", QueryType::Graphql, &asked)
            .await
            .unwrap();
        let query = built
            .query
            .unwrap_or_else(|| panic!("{:?}", built.problems));
        let request: GraphqlQuery = serde_json::from_value(query.query).unwrap();
        let run = ran(source.graphql("demo", &request).await);
        let other = source
            .build("demo", QueryType::Elasticsearch, &asked)
            .await
            .unwrap();
        let other = other.query.unwrap();
        let expected = ran(source.search("demo", &asked.index, &other.query).await);
        assert_eq!(rows(&run), rows(&expected), "{request:?}");
        assert!(!run.rows.is_empty(), "{request:?}");
        assert_eq!(
            (run.total, run.aggregated),
            (expected.total, expected.aggregated)
        );
        assert_eq!(query.estimated_records, Some(run.total.value));
        assert_eq!(run.index.as_deref(), Some(asked.index.as_str()));
        assert_eq!(run.columns, expected.columns);
        assert!(run.structure.is_some(), "{request:?}");
    }
}

#[tokio::test]
async fn related_records_come_with_one_query_for_all() {
    let database = database().await;
    let source = opened(config(), database.pool());
    let run = asked(
        &source,
        "{ shipments(orderBy: SHIPMENT_ID_ASC, first: 4) { nodes { shipmentId carrier: vessel { name capacityTeu } vessel { __typename } } totalCount } }",
    )
    .await;
    assert_eq!(
        rows(&run),
        json!([
            {"shipment_id": "S001", "carrier.name": "Emma", "carrier.capacityTeu": 5_000_000_000_u64},
            {"shipment_id": "S002", "carrier.name": "Ever Given", "carrier.capacityTeu": 20124},
            {"shipment_id": "S003", "carrier.name": "Emma", "carrier.capacityTeu": 5_000_000_000_u64},
            {"shipment_id": "S004", "carrier.name": null, "carrier.capacityTeu": null},
        ])
    );
    assert_eq!(
        (run.total.value, run.total.relation),
        (30, TotalRelation::Eq)
    );
    assert!(
        run.structure.is_none(),
        "query_builder writes no such query"
    );
}

#[tokio::test]
async fn relations_go_both_ways_and_have_pages_of_their_own() {
    let database = database().await;
    let source = opened(config(), database.pool());
    let run = asked(
        &source,
        "{ vessels(orderBy: VESSEL_ID_ASC) { nodes { name late: shipmentsByVesselId(condition: { status: \"delivered\" }, orderBy: CONTAINERS_DESC, first: 2, offset: 1) { nodes { shipmentId } totalCount } } } }",
    )
    .await;
    let ids = |n: i64| json!({"shipmentId": format!("S{n:03}")});
    // Of the thirty, V1 has the even ones except multiples of four, V2 the odd ones.
    assert_eq!(
        column(&run, "late"),
        json!([[ids(18), ids(6)], [ids(21), ids(15)]])
    );
}

#[tokio::test]
async fn a_tenant_sees_its_own_only() {
    let database = database().await;
    let source = opened(config(), database.pool());
    let query = request(
        "{ shipment(shipmentId: \"S001\") { shipmentId vessel { name } } shipments { totalCount } }",
        json!({}),
    );
    let run = ran(source.graphql("rival", &query).await);
    assert_eq!(column(&run, "vessel.name"), json!(["Foreign", null]));
    let one = request("{ shipments { totalCount } }", json!({}));
    assert_eq!(ran(source.graphql("rival", &one).await).total.value, 1);
    // The tenant cannot be requested as a field.
    let query = "{ shipments(condition: { tenant: \"rival\" }) { nodes { tenant } } }";
    assert_eq!(refused(&source, query).await, ["unknown_field"]);
}

#[tokio::test]
async fn a_scan_reads_on_beyond_the_querys_own_limit() {
    let database = database().await;
    let source = opened(config(), database.pool());
    let query = request(
        "{ shipments(first: 3, filter: { containers: { greaterThan: 5 } }) { nodes { containers } } }",
        json!({}),
    );
    let how = HowToRetrieve {
        text: String::new(),
        source: source.name().to_owned(),
        query_type: QueryType::Graphql,
        index: None,
        query: serde_json::to_value(&query).unwrap(),
    };
    let all = source.scan("demo", &how, 1_000).await.unwrap();
    assert_eq!(
        (all.rows.len(), all.total.value, all.partial.as_deref()),
        (25, 25, None)
    );
    let some = source.scan("demo", &how, 10).await.unwrap();
    assert_eq!(some.rows.len(), 10);
    assert!(
        some.partial.unwrap().contains("10"),
        "it says that there are more"
    );
    assert_eq!(ran(source.graphql("demo", &query).await).rows.len(), 3);
}

#[tokio::test]
async fn what_may_not_run_is_refused() {
    let database = database().await;
    let source: Arc<Source> = opened(config(), database.pool());
    for (query, code) in [
        ("mutation { deleteShipment { id } }", "mutation"),
        ("{ shipments { nodes { secret } } }", "unknown_field"),
        ("{ __schema { types { name } } }", "not_allowed"),
        (
            "{ shipments(first: 2000) { nodes { shipmentId } } }",
            "too_expensive",
        ),
        (
            "{ shipments(first: 900, offset: 200) { nodes { shipmentId } } }",
            "too_large",
        ),
        (
            "{ vessels(first: 1000) { nodes { shipmentsByVesselId(first: 1000) { nodes { shipmentId } } } } }",
            "too_expensive",
        ),
        (
            "{ shipments(filter: { arrival: { equalTo: \"soon\" } }) { totalCount } }",
            "wrong_type",
        ),
    ] {
        assert_eq!(refused(&source, query).await, [code], "{query}");
    }
    let grouped = structure(
        json!({"index": "shipments", "group_by": [{"field": "status"}], "measures": [{"op": "count"}]}),
    );
    let built = source
        .build("demo", QueryType::Graphql, &grouped)
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "unsupported");
}
