//! A real GraphQL server over PostgreSQL, and SQL to compare with: `tests/postgraphile` says how.
//!
//! It needs node, npm and npm's registry. Where those are not, the test says on the terminal that
//! it was skipped.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use contracts::tools::search::{GraphqlQuery, HowToRetrieve, QueryOutcome, QueryType, SourceKind};
use search_sources::{FieldConfig, IndexConfig, Source, SourceConfig};
use serde_json::{Value, json};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use test_support::npm;

use crate::fixture::{opened, ran, structure};

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/postgraphile");

/// The oldest that the server runs on.
const OLDEST_NODE: u32 = 20;

/// The tables that the fixtures of `src/graphql` were introspected from.
const TABLES: &str = "
CREATE SCHEMA fixture;
SET search_path TO fixture;
CREATE TYPE shipment_status AS ENUM ('booked', 'in_transit', 'delivered');
CREATE TABLE ports (port_id text PRIMARY KEY, name text NOT NULL, country text);
CREATE TABLE vessels (vessel_id text PRIMARY KEY, tenant text NOT NULL, name text NOT NULL, capacity_teu integer);
CREATE TABLE shipments (
  shipment_id text PRIMARY KEY, tenant text NOT NULL, status shipment_status NOT NULL, vessel_id text REFERENCES vessels,
  destination_port_id text REFERENCES ports, container_count integer NOT NULL, weight_kg double precision, value_usd numeric(12, 2),
  packages bigint, planned_arrival timestamptz, booked_on date, hazardous boolean NOT NULL);
CREATE INDEX ON vessels (tenant);
CREATE INDEX ON vessels (name);
CREATE INDEX ON shipments (tenant);
CREATE INDEX ON shipments (status);
CREATE INDEX ON shipments (vessel_id);
CREATE INDEX ON shipments (destination_port_id);
CREATE INDEX ON shipments (value_usd);
CREATE INDEX ON shipments (planned_arrival);
CREATE INDEX ON shipments (booked_on);
INSERT INTO ports VALUES ('P1', 'Port of Miami', 'US'), ('P2', 'Shanghai', 'CN');
INSERT INTO vessels VALUES ('V1', 'demo', 'Ever Given', 20124), ('V2', 'demo', 'Emma', 15500), ('V3', 'rival', 'Foreign', 1);
INSERT INTO shipments
  SELECT 'S' || lpad(n::text, 4, '0'), CASE WHEN n % 10 = 0 THEN 'rival' ELSE 'demo' END,
    (enum_range(NULL::shipment_status))[1 + n % 3], CASE WHEN n % 4 > 0 THEN 'V' || (1 + n % 3) END, 'P' || (1 + n % 2), n, n / 4.0,
    n * 10.25, n * 10000000000, timestamptz '2025-01-01 04:30Z' + n * interval '7 hours', date '2024-12-01' + n % 40, n % 5 = 0
  FROM generate_series(1, 200) n;
";

/// A server that stops when this value is dropped.
struct Server {
    process: Child,
    url: String,
}

impl Server {
    fn start(folder: &Path, database: &str, variant: &str) -> Server {
        let mut process = Command::new("node")
            .args(["serve.mjs", database, "fixture", variant])
            .current_dir(folder)
            .env("GRAPHILE_ENV", "production")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut port = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut port).unwrap();
        let url = format!("http://127.0.0.1:{}/graphql", port.trim());
        Server { process, url }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn config(url: &str) -> SourceConfig {
    let index = |name: &str, id: &str, words: &[&str]| IndexConfig {
        name: name.to_owned(),
        nouns: vec![name.trim_end_matches('s').to_owned(), name.to_owned()],
        id_field: Some(id.to_owned()),
        fields: words
            .iter()
            .map(|word| FieldConfig {
                name: (*word).to_owned(),
                ..FieldConfig::default()
            })
            .collect(),
        ..IndexConfig::default()
    };
    let mut config = SourceConfig {
        url: Some(url.to_owned().into()),
        time_zone: "America/New_York".to_owned(),
        indices: vec![
            index(
                "shipments",
                "shipmentId",
                &["vessel.name", "destinationPort.name"],
            ),
            index("vessels", "vesselId", &[]),
        ],
        ..SourceConfig::new("fleet", SourceKind::Graphql)
    };
    config.limits.max_rows = 60;
    config.limits.default_rows = 60;
    config
}

/// The first column of a query.
async fn texts(pool: &PgPool, sql: &'static str) -> Value {
    let rows: Vec<(String,)> = sqlx::query_as(sql).fetch_all(pool).await.unwrap();
    rows.into_iter().map(|(text,)| Value::from(text)).collect()
}

async fn ids(source: &Source, asked: Value) -> (Value, u64) {
    let built = source
        .build("demo", QueryType::Graphql, &structure(asked))
        .await
        .unwrap();
    let query = built
        .query
        .unwrap_or_else(|| panic!("{:?}", built.problems));
    let request: GraphqlQuery = serde_json::from_value(query.query).unwrap();
    let run = ran(source.graphql("demo", &request).await);
    assert_eq!(
        run.structure.as_ref(),
        Some(&query.structure),
        "it is read back"
    );
    assert_eq!(query.estimated_records, Some(run.total.value));
    (crate::fixture::column(&run, "shipmentId"), run.total.value)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_server_answers_what_sql_answers() {
    let Some(folder) = installed() else { return };
    let database = TestDatabase::empty().await.unwrap();
    sqlx::raw_sql(TABLES)
        .execute(database.pool())
        .await
        .unwrap();
    let server = Server::start(&folder, database.url(), "full");
    let source = opened(config(&server.url), database.pool());

    filters_and_days(&source, database.pool()).await;
    one_record(&source).await;
    whole_lists(&source).await;
    nothing_else(&source).await;
    tenants(&server.url, database.pool()).await;
}

async fn filters_and_days(source: &Source, pool: &PgPool) {
    let found = ids(
        source,
        json!({"index": "shipments", "fields": ["shipmentId"],
        "filters": [{"field": "status", "op": "is", "values": ["booked", "delivered"]},
            {"field": "vesselId", "op": "is_not", "values": ["V1"]},
            {"field": "valueUsd", "op": "lt", "values": [1500.5]}],
        "time_range": {"field": "plannedArrival", "start": "2025-01-08", "end": "2025-01-21"},
        "sort": [{"by": "plannedArrival", "descending": true}], "limit": 7}),
    )
    .await;
    let expected = texts(pool, "SELECT shipment_id FROM fixture.shipments WHERE status IN ('booked', 'delivered')
        AND vessel_id IS DISTINCT FROM 'V1' AND value_usd < 1500.5
        AND (planned_arrival AT TIME ZONE 'America/New_York')::date BETWEEN '2025-01-08' AND '2025-01-21'
        ORDER BY planned_arrival DESC").await;
    let all = expected.as_array().unwrap();
    assert!(all.len() > 7);
    assert_eq!(found, (Value::from(&all[..7]), all.len() as u64));

    let found = ids(source, json!({"index": "shipments", "fields": ["shipmentId"],
        "filters": [{"field": "bookedOn", "op": "lte", "values": ["2024-12-03"]}, {"field": "vesselId", "op": "missing"}],
        "sort": [{"by": "shipmentId"}]}))
    .await;
    let expected = texts(pool, "SELECT shipment_id FROM fixture.shipments WHERE booked_on <= '2024-12-03' AND vessel_id IS NULL ORDER BY 1").await;
    assert_eq!(found.0, expected);
    assert!(!expected.as_array().unwrap().is_empty());

    let counting = json!({"index": "shipments", "measures": [{"op": "count"}], "filters": [{"field": "status", "op": "is", "values": ["booked"]}]});
    let built = source
        .build("demo", QueryType::Graphql, &structure(counting))
        .await
        .unwrap();
    let request: GraphqlQuery = serde_json::from_value(built.query.unwrap().query).unwrap();
    let run = ran(source.graphql("demo", &request).await);
    assert_eq!(
        (crate::fixture::rows(&run), run.aggregated),
        (json!([{"count": 66}]), true)
    );

    // There is no index on the weight, so that the server has no place for it.
    let weight = json!({"index": "shipments", "filters": [{"field": "weightKg", "op": "gt", "values": [3]}]});
    let built = source
        .build("demo", QueryType::Graphql, &structure(weight))
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "unsupported");
}

async fn one_record(source: &Source) {
    let asked = json!({"index": "shipments", "fields": ["shipmentId", "packages", "valueUsd", "plannedArrival", "bookedOn"],
        "filters": [{"field": "shipmentId", "op": "is", "values": ["S0001"]}]});
    let built = source
        .build("demo", QueryType::Graphql, &structure(asked))
        .await
        .unwrap();
    let request: GraphqlQuery = serde_json::from_value(built.query.unwrap().query).unwrap();
    assert!(
        request.query.contains("shipment(shipmentId: $shipmentId)"),
        "{}",
        request.query
    );
    let run = ran(source.graphql("demo", &request).await);
    assert_eq!(
        crate::fixture::rows(&run),
        json!([{"shipmentId": "S0001", "packages": 10_000_000_000_u64, "valueUsd": 10.25, "plannedArrival": "2025-01-01T11:30:00Z",
            "bookedOn": "2024-12-02", "vessel.name": "Emma", "destinationPort.name": "Shanghai"}])
    );
    let missing = GraphqlQuery {
        variables: [("shipmentId".to_owned(), Value::from("missing"))]
            .into_iter()
            .collect(),
        ..request
    };
    assert_eq!(ran(source.graphql("demo", &missing).await).rows.len(), 0);
}

async fn whole_lists(source: &Source) {
    let query = json!({"query": "{ shipments(first: 5, orderBy: SHIPMENT_ID_ASC) { edges { node { shipmentId } } totalCount } }"});
    let how = HowToRetrieve {
        text: String::new(),
        source: "fleet".to_owned(),
        query_type: QueryType::Graphql,
        index: None,
        query,
    };
    let run = source.scan("demo", &how, 1_000).await.unwrap();
    let mut all: Vec<_> = run
        .rows
        .iter()
        .map(|row| row["shipmentId"].to_string())
        .collect();
    all.dedup();
    assert_eq!((all.len(), run.total.value, run.partial), (200, 200, None));
    let some = source.scan("demo", &how, 70).await.unwrap();
    assert_eq!(some.rows.len(), 70);
    assert!(some.partial.is_some());
    let names = structure(json!({"index": "vessels", "fields": ["vesselId", "name"]}));
    assert_eq!(
        source
            .records("demo", &names, 1_000)
            .await
            .unwrap()
            .rows
            .len(),
        3
    );
}

async fn nothing_else(source: &Source) {
    let mutation =
        "mutation { deleteShipment(input: { shipmentId: \"S0001\" }) { deletedShipmentId } }";
    for query in [
        mutation,
        "{ shipments { nodes { nothing } } }",
        "{ __schema { types { name } } }",
    ] {
        let request = GraphqlQuery {
            query: query.to_owned(),
            variables: serde_json::Map::new(),
        };
        assert_eq!(
            source.graphql("demo", &request).await.outcome,
            QueryOutcome::Refused,
            "{query}"
        );
    }
    let still = json!({"index": "shipments", "fields": ["shipmentId"], "filters": [{"field": "shipmentId", "op": "is", "values": ["S0001"]}]});
    let built = source
        .build("demo", QueryType::Graphql, &structure(still))
        .await
        .unwrap();
    let request: GraphqlQuery = serde_json::from_value(built.query.unwrap().query).unwrap();
    assert_eq!(ran(source.graphql("demo", &request).await).rows.len(), 1);
}

async fn tenants(url: &str, pool: &PgPool) {
    let source = opened(
        SourceConfig {
            tenant_field: Some("tenant".to_owned()),
            ..config(url)
        },
        pool,
    );
    for (tenant, count) in [("demo", 180), ("rival", 20)] {
        let asked = |query: &str| GraphqlQuery {
            query: query.to_owned(),
            variables: serde_json::Map::new(),
        };
        let all = "{ shipments(first: 60) { nodes { shipmentId vessel { name } } totalCount } }";
        let run = ran(source.graphql(tenant, &asked(all)).await);
        assert_eq!(run.total.value, count, "{tenant}");
        // The tenant is not a field: it can neither be shown nor compared.
        for query in [
            "{ shipments(filter: { tenant: { equalTo: \"rival\" } }, first: 60) { totalCount } }",
            "{ shipments(condition: { tenant: \"rival\" }, first: 60) { totalCount } }",
            "{ shipments(orderBy: TENANT_ASC, first: 60) { totalCount } }",
            "{ shipments(first: 60) { nodes { tenant } } }",
        ] {
            let refused = source.graphql(tenant, &asked(query)).await;
            assert_eq!(refused.outcome, QueryOutcome::Refused, "{query}");
        }
    }
    let one = GraphqlQuery {
        query: "{ shipment(shipmentId: \"S0010\") { shipmentId } }".to_owned(),
        variables: serde_json::Map::new(),
    };
    assert_eq!(ran(source.graphql("rival", &one).await).rows.len(), 1);
    assert_eq!(ran(source.graphql("demo", &one).await).rows.len(), 0);
}

/// The folder with the server and its packages; `None` where it cannot be made.
fn installed() -> Option<PathBuf> {
    let target = env!("CARGO_TARGET_TMPDIR");
    match npm::install(FILES, "postgraphile", target, OLDEST_NODE) {
        Ok(folder) => Some(folder),
        Err(why) => {
            npm::skipped("no real GraphQL server was asked", &why);
            None
        }
    }
}
