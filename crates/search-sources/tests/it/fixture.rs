//! Shipments of two tenants in PostgreSQL, and sources over them.

use std::sync::Arc;

use chrono::DateTime;
use clock::{FixedClock, SharedClock};
use contracts::tools::search::{
    QueryExecution, QueryOutcome, QueryRun, QueryStructure, SourceKind,
};
use http_client::external_http_client;
use search_sources::{EntityConfig, FieldConfig, IndexConfig, Source, SourceConfig, Sources};
use serde_json::Value;
use sqlx::PgPool;
use test_support::database::TestDatabase;

/// Delays and arrivals are such that days differ between zones, and one arrival is missing.
const TABLES: &str = "
CREATE SCHEMA freight;
CREATE TYPE freight.status AS ENUM ('in_transit', 'delivered', 'cancelled');
CREATE TABLE freight.shipments (
    tenant text NOT NULL, shipment_id text NOT NULL, status freight.status NOT NULL, carrier text, destination_port text NOT NULL,
    tags text[] NOT NULL, container_count integer NOT NULL, weight_kg numeric(12, 2), delay_hours double precision, hazardous boolean NOT NULL,
    booked_on date NOT NULL, loaded_at timestamp, actual_arrival timestamptz, secret text, shape point);
COMMENT ON COLUMN freight.shipments.carrier IS 'Who carries it';
INSERT INTO freight.shipments VALUES
    ('demo', 'S1', 'delivered', 'MSC', 'Port of Miami', '{fragile,urgent}', 2, 1000.5, 30, false, '2025-01-01', '2025-01-02 23:30', '2025-01-08T04:59:59Z', 'x', NULL),
    ('demo', 'S2', 'delivered', 'MSC', 'Port of Miami', '{}', 3, 2000, -2.5, true, '2025-01-02', '2025-01-03 00:30', '2025-01-08T05:00:00Z', 'x', NULL),
    ('demo', 'S3', 'in_transit', 'Maersk', 'Miami Container Terminal', '{urgent}', 5, NULL, NULL, false, '2025-01-03', NULL, NULL, 'x', NULL),
    ('demo', 'S4', 'delivered', 'Maersk', 'Port of Miami', '{}', 1, 10, 12, false, '2025-01-04', NULL, '2025-01-10T12:00:00Z', 'x', NULL),
    ('demo', 'S5', 'cancelled', NULL, 'Shanghai', '{}', 7, 10, 0, false, '2025-01-05', NULL, '2025-01-16T04:59:59Z', 'x', NULL),
    ('rival', 'S1', 'delivered', 'Evergreen', 'Port of Miami', '{}', 99, 99, 99, true, '2025-01-05', NULL, '2025-01-09T12:00:00Z', 'y', NULL);
";

/// A database with the table.
pub(crate) async fn database() -> TestDatabase {
    TestDatabase::new("search_sources", |pool| async move {
        sqlx::raw_sql(TABLES).execute(&pool).await.map(drop)
    })
    .await
    .unwrap()
}

pub(crate) fn shipments() -> IndexConfig {
    IndexConfig {
        name: "shipments".to_owned(),
        table: Some("freight.shipments".to_owned()),
        nouns: vec!["shipment".to_owned(), "shipments".to_owned()],
        id_field: Some("shipment_id".to_owned()),
        date_field: Some("actual_arrival".to_owned()),
        shown: ["shipment_id", "status", "actual_arrival"]
            .map(str::to_owned)
            .into(),
        entity: Some(EntityConfig {
            entity_type: "shipment".to_owned(),
            name_field: "shipment_id".to_owned(),
            alias_field: Some("tags".to_owned()),
            description_field: None,
        }),
        fields: vec![
            FieldConfig {
                name: "delay_hours".to_owned(),
                unit: Some("h".to_owned()),
                synonyms: vec!["delay".to_owned()],
                ..FieldConfig::default()
            },
            FieldConfig {
                name: "secret".to_owned(),
                hidden: true,
                ..FieldConfig::default()
            },
        ],
        ..IndexConfig::default()
    }
}

/// The source `shipping`, whose days are New York's.
pub(crate) fn shipping() -> SourceConfig {
    SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        tenants: vec!["demo".to_owned(), "rival".to_owned()],
        time_zone: "America/New_York".to_owned(),
        indices: vec![shipments()],
        ..SourceConfig::new("shipping", SourceKind::Postgresql)
    }
}

/// Noon of 20 January 2025.
pub(crate) fn clock() -> SharedClock {
    FixedClock::at(DateTime::from_timestamp(1_737_374_400, 0).unwrap())
}

pub(crate) fn opened(config: SourceConfig, pool: &PgPool) -> Arc<Source> {
    let client = external_http_client().unwrap();
    let sources = Sources::open(&[config], pool, &client, &clock()).unwrap();
    sources.find("demo", None, None, None).unwrap()
}

pub(crate) fn structure(json: Value) -> QueryStructure {
    serde_json::from_value(json).unwrap()
}

/// The run of an execution that went well.
#[track_caller]
pub(crate) fn ran(execution: QueryExecution) -> QueryRun {
    assert_eq!(
        execution.outcome,
        QueryOutcome::Ok,
        "{:?}",
        execution.problems
    );
    execution.run.unwrap()
}

/// The values of one column.
pub(crate) fn column(run: &QueryRun, name: &str) -> Value {
    run.rows.iter().map(|row| row[name].clone()).collect()
}

/// The rows as JSON.
pub(crate) fn rows(run: &QueryRun) -> Value {
    serde_json::to_value(&run.rows).unwrap()
}
