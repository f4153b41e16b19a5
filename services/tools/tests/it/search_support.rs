//! A search source for the tests of the search tools: a small freight forwarder in the service's
//! own database, with two tenants. Every text that only the tenant `rival` has begins with `rival`,
//! so that a leak shows in any answer.

use contracts::tools::search::SourceKind;
use http::StatusCode;
use search_sources::{EntityConfig, FieldConfig, IndexConfig, SourceConfig, Today};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use test_support::database::TestDatabase;
use tools::Config;

use crate::harness::{App, database};

const TABLES: &str = "
CREATE SCHEMA freight;
CREATE TABLE freight.ports (tenant text NOT NULL, port_id text NOT NULL, name text NOT NULL, aliases text[] NOT NULL, country text NOT NULL,
    PRIMARY KEY (tenant, port_id));
CREATE TABLE freight.vessels (tenant text NOT NULL, vessel_id text NOT NULL, name text NOT NULL, imo text NOT NULL, PRIMARY KEY (tenant, vessel_id));
CREATE TABLE freight.shipments (tenant text NOT NULL, shipment_id text NOT NULL, status text NOT NULL, vessel_id text NOT NULL, vessel_name text NOT NULL,
    origin_port_id text NOT NULL, origin_port text NOT NULL, destination_port_id text NOT NULL, destination_port text NOT NULL,
    planned_arrival timestamptz NOT NULL, actual_arrival timestamptz, delay_hours double precision, hazardous boolean NOT NULL,
    PRIMARY KEY (tenant, shipment_id));
INSERT INTO freight.ports VALUES
    ('demo', 'USMIA', 'Port of Miami', '{PortMiami}', 'United States'), ('demo', 'USMCT', 'Miami Container Terminal', '{}', 'United States'),
    ('demo', 'CNSHA', 'Port of Shanghai', '{Shanghai}', 'China'), ('demo', 'NLRTM', 'Port of Rotterdam', '{Rotterdam}', 'Netherlands'),
    ('rival', 'USMIA', 'Port of Miami', '{}', 'rival-country'), ('rival', 'RVSEC', 'rival-harbour', '{}', 'rival-country');
INSERT INTO freight.vessels VALUES ('demo', 'V1', 'MSC ANNA', '9400000'), ('demo', 'V2', 'ANNA NORDHAVN', '9400001'), ('rival', 'V9', 'rival-vessel', '9');
INSERT INTO freight.shipments
    SELECT 'demo', 'SHP-' || (1000 + i), CASE WHEN i % 2 = 0 THEN 'delivered' ELSE 'in_transit' END, 'V1', 'MSC ANNA', 'CNSHA', 'Port of Shanghai',
        CASE WHEN i % 3 = 0 THEN 'USMCT' ELSE 'USMIA' END, CASE WHEN i % 3 = 0 THEN 'Miami Container Terminal' ELSE 'Port of Miami' END,
        timestamptz '2025-01-10 12:00Z', timestamptz '2025-01-10 12:00Z' + i * interval '1 hour', i, i % 5 = 0
    FROM generate_series(1, 30) AS i;
INSERT INTO freight.shipments VALUES ('rival', 'RIVAL-1', 'rival-status', 'V9', 'rival-vessel', 'RVSEC', 'rival-harbour', 'USMIA', 'Port of Miami',
    '2025-01-10', '2025-01-10', 1, false);
";

/// The source's configuration.
pub(crate) fn freight() -> SourceConfig {
    let entity = |entity_type: &str, name: &str, alias: Option<&str>, description: Option<&str>| {
        Some(EntityConfig {
            entity_type: entity_type.to_owned(),
            name_field: name.to_owned(),
            alias_field: alias.map(str::to_owned),
            description_field: description.map(str::to_owned),
        })
    };
    let field =
        |name: &str, entity_type: Option<&str>, synonyms: &[&str], values: &[&str]| FieldConfig {
            name: name.to_owned(),
            entity_type: entity_type.map(str::to_owned),
            synonyms: synonyms.iter().map(|&word| word.to_owned()).collect(),
            values: values.iter().map(|&word| word.to_owned()).collect(),
            ..FieldConfig::default()
        };
    let index = |name: &str, noun: &str, id: &str, entity| IndexConfig {
        name: name.to_owned(),
        table: Some(format!("freight.{name}")),
        nouns: vec![noun.to_owned(), name.to_owned()],
        id_field: Some(id.to_owned()),
        entity,
        ..IndexConfig::default()
    };
    SourceConfig {
        tenants: vec!["demo".to_owned(), "rival".to_owned()],
        tenant_field: Some("tenant".to_owned()),
        today: Today::Day("2025-01-15".parse().unwrap()),
        indices: vec![
            IndexConfig {
                date_field: Some("actual_arrival".to_owned()),
                fields: vec![
                    field("status", None, &[], &["in_transit", "delivered"]),
                    field("vessel_id", Some("vessel"), &[], &[]),
                    field("vessel_name", Some("vessel"), &["vessel"], &[]),
                    field("origin_port_id", Some("port"), &[], &[]),
                    field("origin_port", Some("port"), &["origin"], &[]),
                    field("destination_port_id", Some("port"), &[], &[]),
                    field("destination_port", Some("port"), &["destination"], &[]),
                    field("delay_hours", None, &["delay"], &[]),
                ],
                ..index(
                    "shipments",
                    "shipment",
                    "shipment_id",
                    entity("shipment", "shipment_id", None, None),
                )
            },
            index(
                "ports",
                "port",
                "port_id",
                entity("port", "name", Some("aliases"), Some("country")),
            ),
            index(
                "vessels",
                "vessel",
                "vessel_id",
                entity("vessel", "name", Some("imo"), None),
            ),
        ],
        ..SourceConfig::new("shipping", SourceKind::Postgresql)
    }
}

/// A source without a server.
pub(crate) fn away() -> SourceConfig {
    let mut indices = freight().indices;
    for index in &mut indices {
        index.table = None;
    }
    SourceConfig {
        url: Some("http://127.0.0.1:1".into()),
        username: Some("reader".to_owned()),
        password: Some("secret".into()),
        tenants: vec!["demo".to_owned()],
        indices,
        ..SourceConfig::new("archive", SourceKind::Elasticsearch)
    }
}

/// The service over its own database, which the source is in, too.
pub(crate) struct Port {
    pub(crate) app: App,
    _database: TestDatabase,
}

impl Port {
    pub(crate) async fn open() -> Self {
        Self::with(|_| ()).await
    }

    /// With some settings changed; the source is there already.
    pub(crate) async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let database = database().await;
        let app = App::configured(database.url(), "2025-01-15T12:00:00Z", |config| {
            config.sources = vec![freight()];
            // What a test changes is seen at once.
            config.meanings.names_seconds = 0;
            change(config);
        });
        let port = Self {
            app,
            _database: database,
        };
        port.execute(TABLES).await;
        port
    }

    pub(crate) async fn execute(&self, sql: &str) {
        sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&self.app.pool)
            .await
            .unwrap();
    }

    /// Calls a tool; it must be answered 200.
    pub(crate) async fn call(&self, tenant: &str, tool: &str, arguments: Value) -> Value {
        let (status, answer) = self.app.call_as(tenant, tool, arguments).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    /// Calls a tool; its status must be `ok`. Returns the result.
    pub(crate) async fn ok(&self, tenant: &str, tool: &str, arguments: Value) -> Value {
        let mut answer = self.call(tenant, tool, arguments).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        answer["result"].take()
    }

    /// Calls a tool as a certain user of `demo`; its status must be `ok`. Returns the result.
    pub(crate) async fn ok_of(&self, subject: &str, tool: &str, arguments: Value) -> Value {
        let token = self.app.token_of(subject, "demo", &["tools:read"]);
        let (path, body) = (format!("/api/tools/{tool}"), arguments.to_string());
        let (status, mut answer) = self
            .app
            .send(http::Method::POST, &path, Some(&token), &body)
            .await;
        assert_eq!(
            (status, &answer["status"]),
            (StatusCode::OK, &json!("ok")),
            "{answer}"
        );
        answer["result"].take()
    }
}
