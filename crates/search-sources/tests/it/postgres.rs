//! Tables in the place of a search engine.

use contracts::tools::search::{
    FieldType, HowToRetrieve, QueryOutcome, QueryType, SourceKind, TodayFrom,
};
use http_client::external_http_client;
use search_sources::{
    EntityConfig, IndexConfig, SourceConfig, SourceError, SourceLimits, Sources, Today,
};
use serde_json::{Value, json};

use test_support::tls::{AUTHORITY, Protocol, encrypting};

use crate::fixture::{clock, column, database, opened, ran, rows, shipping, structure};

fn body(how: &search_sources::Source, query: Value) -> HowToRetrieve {
    HowToRetrieve {
        text: String::new(),
        source: how.name().to_owned(),
        query_type: QueryType::Elasticsearch,
        index: Some("shipments".to_owned()),
        query,
    }
}

#[tokio::test]
async fn a_table_is_described_with_the_glossarys_words() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let described = source.describe("demo").await.unwrap();
    assert_eq!(
        (described.today.to_string().as_str(), described.today_from),
        ("2025-01-20", TodayFrom::Clock)
    );
    let index = &described.indices[0];
    let types: Vec<_> = index
        .fields
        .iter()
        .map(|it| (it.name.as_str(), it.field_type))
        .collect();
    // Neither the tenant, nor what is hidden, nor what no query can use.
    assert_eq!(
        types,
        [
            ("shipment_id", FieldType::Keyword),
            ("status", FieldType::Keyword),
            ("carrier", FieldType::Keyword),
            ("destination_port", FieldType::Keyword),
            ("tags", FieldType::Keyword),
            ("container_count", FieldType::Long),
            ("weight_kg", FieldType::Double),
            ("delay_hours", FieldType::Double),
            ("hazardous", FieldType::Boolean),
            ("booked_on", FieldType::Date),
            ("loaded_at", FieldType::Date),
            ("actual_arrival", FieldType::Date),
        ]
    );
    assert_eq!(
        index.fields[1].values,
        ["in_transit", "delivered", "cancelled"]
    );
    assert_eq!(
        index.fields[2].description.as_deref(),
        Some("Who carries it")
    );
    assert_eq!(index.fields[7].unit.as_deref(), Some("h"));
    assert_eq!(source.entity_indices()[0].entity_type, "shipment");
}

#[tokio::test]
async fn a_query_is_built_and_runs_as_it_was_built() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let asked = structure(json!({"index": "shipments",
        "filters": [{"field": "destination_port", "op": "is", "values": ["Port of Miami"]}],
        "time_range": {"start": "2025-01-08", "end": "2025-01-15"}}));
    let built = source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    let query = built.query.unwrap();
    // S1 arrived on the 7th in New York, though on the 8th in UTC.
    assert_eq!(
        (query.estimated_records, query.needs_approval),
        (Some(2), false)
    );
    assert!(!query.query.to_string().contains("demo"), "{}", query.query);
    let run = ran(source.search("demo", "shipments", &query.query).await);
    assert_eq!(
        rows(&run),
        json!([
            {"shipment_id": "S4", "status": "delivered", "actual_arrival": "2025-01-10T12:00:00Z"},
            {"shipment_id": "S2", "status": "delivered", "actual_arrival": "2025-01-08T05:00:00Z"}
        ])
    );
    assert_eq!(
        (run.total.value, run.aggregated, run.served_by),
        (2, false, SourceKind::Postgresql)
    );
    assert_eq!(run.summary, query.summary);
    assert_eq!(run.structure.as_ref(), Some(&query.structure));
    assert_eq!(run.executed_at, clock().now());
    assert_eq!(run.columns[2].label, "actual arrival");
}

#[tokio::test]
async fn conditions_mean_what_they_mean_in_elasticsearch() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    for (filter, ids) in [
        (
            json!({"field": "status", "op": "is", "values": ["DELIVERED", "cancelled"]}),
            json!(["S1", "S2", "S4", "S5"]),
        ),
        (
            json!({"field": "carrier", "op": "is_not", "values": ["MSC"]}),
            json!(["S3", "S4", "S5"]),
        ),
        (json!({"field": "carrier", "op": "missing"}), json!(["S5"])),
        (
            json!({"field": "status", "op": "is", "values": ["cancelled"], "or": [{"field": "tags", "op": "is", "values": ["urgent"]}]}),
            json!(["S1", "S3", "S5"]),
        ),
        (
            json!({"field": "hazardous", "op": "is", "values": [true], "or": [{"field": "delay_hours", "op": "gt", "values": [12]}]}),
            json!(["S1", "S2"]),
        ),
        (
            // The tenant's own only.
            json!({"field": "container_count", "op": "gt", "values": [50], "or": [{"field": "status", "op": "is", "values": ["cancelled"]}]}),
            json!(["S5"]),
        ),
        (
            json!({"field": "carrier", "op": "exists"}),
            json!(["S1", "S2", "S3", "S4"]),
        ),
        (
            json!({"field": "tags", "op": "is", "values": ["urgent"]}),
            json!(["S1", "S3"]),
        ),
        (
            json!({"field": "tags", "op": "is_not", "values": ["urgent"]}),
            json!(["S2", "S4", "S5"]),
        ),
        (
            json!({"field": "tags", "op": "missing"}),
            json!(["S2", "S4", "S5"]),
        ),
        (
            json!({"field": "tags", "op": "matches", "values": ["URG frag"]}),
            json!(["S1"]),
        ),
        (
            json!({"field": "destination_port", "op": "matches", "values": ["miami terminal"]}),
            json!(["S3"]),
        ),
        (
            json!({"field": "destination_port", "op": "matches", "values": ["%"]}),
            json!([]),
        ),
        (
            json!({"field": "destination_port", "op": "is", "values": ["' OR 1=1 --"]}),
            json!([]),
        ),
        (
            json!({"field": "delay_hours", "op": "gte", "values": [12]}),
            json!(["S1", "S4"]),
        ),
        (
            json!({"field": "weight_kg", "op": "is", "values": [1000.5]}),
            json!(["S1"]),
        ),
        (
            json!({"field": "container_count", "op": "lt", "values": ["3"]}),
            json!(["S1", "S4"]),
        ),
        (
            json!({"field": "hazardous", "op": "is", "values": [true]}),
            json!(["S2"]),
        ),
        (
            json!({"field": "booked_on", "op": "gt", "values": ["2025-01-03"]}),
            json!(["S4", "S5"]),
        ),
        (
            json!({"field": "loaded_at", "op": "is", "values": ["2025-01-02"]}),
            json!(["S1"]),
        ),
        (
            json!({"field": "loaded_at", "op": "gte", "values": ["2025-01-03T05:00:00Z"]}),
            json!(["S2"]),
        ),
        (
            json!({"field": "actual_arrival", "op": "lt", "values": ["2025-01-08"]}),
            json!(["S1"]),
        ),
        (
            json!({"field": "actual_arrival", "op": "lte", "values": ["2025-01-08T05:00:00Z"]}),
            json!(["S1", "S2"]),
        ),
    ] {
        let asked = structure(
            json!({"index": "shipments", "filters": [filter.clone()], "sort": [{"by": "shipment_id"}]}),
        );
        let run = source.records("demo", &asked, 100).await.unwrap();
        assert_eq!(column(&run, "shipment_id"), ids, "{filter}");
        assert_eq!(run.total.value, run.rows.len() as u64, "{filter}");
    }
}

#[tokio::test]
async fn groups_are_ordered_and_cut_level_by_level() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let run = |asked: Value| {
        let source = source.clone();
        async move {
            source
                .records("demo", &structure(asked), 100)
                .await
                .unwrap()
        }
    };
    let by_carrier = run(json!({"index": "shipments", "group_by": [{"field": "carrier"}],
        "measures": [{"op": "average", "field": "delay_hours"}, {"op": "sum", "field": "container_count"},
            {"op": "distinct", "field": "status"}, {"op": "maximum", "field": "actual_arrival"}]}))
    .await;
    assert_eq!(
        rows(&by_carrier),
        json!([
            {"carrier": "MSC", "count": 2, "average_delay_hours": 13.75, "sum_container_count": 5, "distinct_status": 1,
                "maximum_actual_arrival": "2025-01-08T05:00:00Z"},
            {"carrier": "Maersk", "count": 2, "average_delay_hours": 12.0, "sum_container_count": 6, "distinct_status": 2,
                "maximum_actual_arrival": "2025-01-10T12:00:00Z"}
        ]),
        "ties by key, and what has no carrier makes no group"
    );
    assert_eq!((by_carrier.total.value, by_carrier.aggregated), (5, true));

    let top = run(json!({"index": "shipments", "group_by": [{"field": "destination_port"}, {"field": "actual_arrival"}],
        "measures": [{"op": "sum", "field": "container_count"}], "sort": [{"by": "sum_container_count", "descending": true}], "limit": 2}))
    .await;
    assert_eq!(
        rows(&top),
        json!([
            {"destination_port": "Shanghai", "actual_arrival": "2025-01-15", "count": 1, "sum_container_count": 7},
            {"destination_port": "Port of Miami", "actual_arrival": "2025-01-07", "count": 1, "sum_container_count": 2},
            {"destination_port": "Port of Miami", "actual_arrival": "2025-01-08", "count": 1, "sum_container_count": 3},
            {"destination_port": "Port of Miami", "actual_arrival": "2025-01-10", "count": 1, "sum_container_count": 1}
        ]),
    );
    assert!(
        top.partial.as_deref().unwrap().contains("2 of 3 groups"),
        "{:?}",
        top.partial
    );

    let all = run(json!({"index": "shipments", "measures": [{"op": "minimum", "field": "weight_kg"}, {"op": "sum", "field": "delay_hours"}],
        "filters": [{"field": "status", "op": "is", "values": ["in_transit"]}]}))
    .await;
    assert_eq!(
        rows(&all),
        json!([{"count": 1, "minimum_weight_kg": null, "sum_delay_hours": 0.0}])
    );
    let hours = run(json!({"index": "shipments", "group_by": [{"field": "actual_arrival", "interval": "hour"}], "limit": 2})).await;
    assert_eq!(
        column(&hours, "actual_arrival"),
        json!(["2025-01-07T23:00:00-05:00", "2025-01-08T00:00:00-05:00"])
    );
    for (field, interval, keys) in [
        ("booked_on", "week", json!(["2024-12-30"])),
        ("loaded_at", "day", json!(["2025-01-02", "2025-01-03"])),
        ("actual_arrival", "month", json!(["2025-01-01"])),
        ("actual_arrival", "year", json!(["2025-01-01"])),
        ("booked_on", "quarter", json!(["2025-01-01"])),
    ] {
        let made = run(
            json!({"index": "shipments", "group_by": [{"field": field, "interval": interval}]}),
        )
        .await;
        assert_eq!(column(&made, field), keys, "{field} {interval}");
    }
}

#[tokio::test]
async fn three_levels_come_in_the_order_of_each() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let asked = structure(json!({"index": "shipments",
        "group_by": [{"field": "hazardous"}, {"field": "status"}, {"field": "carrier"}],
        "sort": [{"by": "hazardous", "descending": true}, {"by": "status"}]}));
    let run = source.records("demo", &asked, 100).await.unwrap();
    assert_eq!(
        rows(&run),
        json!([
            {"hazardous": true, "status": "delivered", "carrier": "MSC", "count": 1},
            {"hazardous": false, "status": "delivered", "carrier": "MSC", "count": 1},
            {"hazardous": false, "status": "delivered", "carrier": "Maersk", "count": 1},
            {"hazardous": false, "status": "in_transit", "carrier": "Maersk", "count": 1}
        ])
    );
}

#[tokio::test]
async fn a_tenant_sees_its_own_records_and_its_own_day() {
    let database = database().await;
    let config = SourceConfig {
        today: Today::Data,
        ..shipping()
    };
    let source = opened(config, database.pool());
    for (tenant, ids, day) in [
        ("demo", json!(["S1", "S2", "S3", "S4", "S5"]), "2025-01-15"),
        ("rival", json!(["S1"]), "2025-01-09"),
    ] {
        let described = source.describe(tenant).await.unwrap();
        assert_eq!(described.today.to_string(), day);
        assert_eq!(described.today_from, TodayFrom::Data);
        let query = json!({"sort": [{"shipment_id": "asc"}]});
        let found = ran(source.search(tenant, "shipments", &query).await);
        assert_eq!(column(&found, "shipment_id"), ids);
        let scanned = source
            .scan(tenant, &body(&source, query), 100)
            .await
            .unwrap();
        assert_eq!(column(&scanned, "shipment_id"), ids);
        let counted = ran(source
            .search(tenant, "shipments", &json!({"size": 0}))
            .await);
        assert_eq!(
            rows(&counted),
            json!([{"count": ids.as_array().unwrap().len()}])
        );
    }
    for (tenant, query) in [
        ("demo", json!({"query": {"term": {"tenant": "rival"}}})),
        ("demo", json!({"_source": ["tenant"]})),
        ("demo", json!({"_source": ["secret"]})),
        (
            "demo",
            json!({"size": 0, "aggs": {"t": {"terms": {"field": "tenant"}}}}),
        ),
        ("stranger", json!({})),
    ] {
        let execution = source.search(tenant, "shipments", &query).await;
        assert_eq!(execution.outcome, QueryOutcome::Refused, "{tenant} {query}");
        assert!(execution.run.is_none());
    }
}

#[tokio::test]
async fn a_scan_reads_all_records_or_says_that_it_did_not() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let how = body(
        &source,
        json!({"size": 1, "sort": [{"shipment_id": "desc"}]}),
    );
    let one = ran(source.search("demo", "shipments", &how.query).await);
    assert_eq!(
        (column(&one, "shipment_id"), one.total.value),
        (json!(["S5"]), 5)
    );
    let all = source.scan("demo", &how, 100).await.unwrap();
    assert_eq!(
        column(&all, "shipment_id"),
        json!(["S5", "S4", "S3", "S2", "S1"])
    );
    assert_eq!(all.partial, None);
    let some = source.scan("demo", &how, 2).await.unwrap();
    assert_eq!((some.rows.len(), some.total.value), (2, 5));
    assert!(some.partial.unwrap().contains("2 of 5"));
}

#[tokio::test]
async fn what_is_wrong_is_refused_with_its_place() {
    let database = database().await;
    let source = opened(shipping(), database.pool());
    let execution = source.search("demo", "vessels", &json!({})).await;
    assert_eq!(
        (execution.outcome, execution.problems[0].code.as_str()),
        (QueryOutcome::Refused, "unknown_index")
    );
    let script = json!({"query": {"script": {"script": "1"}}});
    let execution = source.search("demo", "shipments", &script).await;
    assert_eq!(execution.problems[0].pointer, "/query/script");
    let asked = structure(
        json!({"index": "shipments", "filters": [{"field": "carier", "op": "is", "values": ["x"]}]}),
    );
    let built = source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    assert_eq!(built.query, None);
    assert_eq!(built.problems[0].suggestions, ["carrier"]);
    let grouped = structure(json!({"index": "shipments", "group_by": [{"field": "tags"}]}));
    let built = source
        .build("demo", QueryType::Elasticsearch, &grouped)
        .await
        .unwrap();
    assert_eq!(built.problems[0].code, "unsupported");
    let run = source.records("demo", &grouped, 10).await;
    assert!(matches!(run, Err(SourceError::Refused { .. })), "{run:?}");
}

#[tokio::test]
async fn limits_hold() {
    let database = database().await;
    let limits = SourceLimits {
        max_rows: 2,
        default_rows: 2,
        approval_rows: 4,
        max_bytes: 60,
        max_groups: 2,
        ..SourceLimits::default()
    };
    let config = SourceConfig {
        limits,
        ..shipping()
    };
    let source = opened(config, database.pool());
    let asked = structure(json!({"index": "shipments", "limit": 50, "fields": ["shipment_id"]}));
    let built = source
        .build("demo", QueryType::Elasticsearch, &asked)
        .await
        .unwrap();
    let query = built.query.unwrap();
    assert!(
        query.needs_approval && query.notes[0].contains("from 50 to 2"),
        "{query:?}"
    );
    let run = ran(source.search("demo", "shipments", &query.query).await);
    assert_eq!((run.rows.len(), run.total.value, run.partial), (2, 5, None));
    let wide = json!({"_source": ["shipment_id", "destination_port", "actual_arrival"]});
    let run = ran(source.search("demo", "shipments", &wide).await);
    assert_eq!(run.rows.len(), 1);
    assert!(run.partial.unwrap().contains("too large"));
    let days = structure(json!({"index": "shipments", "group_by": [{"field": "booked_on"}]}));
    let run = source.records("demo", &days, 100).await.unwrap();
    assert_eq!(run.rows.len(), 2);
    assert!(run.partial.unwrap().contains("first 2 groups"));
}

#[tokio::test]
async fn a_query_that_takes_too_long_is_stopped() {
    let database = database().await;
    let view = "CREATE VIEW freight.slow AS SELECT s.* FROM freight.shipments s WHERE pg_sleep(30) IS NOT NULL";
    sqlx::raw_sql(view).execute(database.pool()).await.unwrap();
    let mut config = shipping();
    config.limits.timeout_ms = 50;
    config.indices[0].table = Some("freight.slow".to_owned());
    let source = opened(config, database.pool());
    let execution = source.search("demo", "shipments", &json!({})).await;
    assert_eq!(execution.outcome, QueryOutcome::TimedOut);
    assert_eq!(execution.problems[0].code, "timed_out");
    assert!(
        execution.problems[0].message.contains("'shipping'"),
        "{}",
        execution.problems[0].message
    );
}

#[tokio::test]
async fn nothing_can_be_written() {
    let database = database().await;
    let view = "CREATE FUNCTION freight.evil() RETURNS boolean LANGUAGE plpgsql AS
            $$ BEGIN DELETE FROM freight.shipments; RETURN true; END $$;
        CREATE VIEW freight.trap AS SELECT s.* FROM freight.shipments s WHERE freight.evil()";
    sqlx::raw_sql(view).execute(database.pool()).await.unwrap();
    let mut config = shipping();
    config.indices[0].table = Some("freight.trap".to_owned());
    let source = opened(config, database.pool());
    let execution = source.search("demo", "shipments", &json!({})).await;
    assert_eq!(execution.outcome, QueryOutcome::Failed);
    let told = &execution.problems[0].message;
    assert!(!told.contains("evil") && !told.contains("DELETE"), "{told}");
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM freight.shipments")
        .fetch_one(database.pool())
        .await
        .unwrap();
    assert_eq!(left, 6);
}

#[tokio::test]
async fn a_database_that_is_away_is_told_and_comes_back_unasked() {
    let database = database().await;
    let url = "postgres://reader:hunter2@127.0.0.1:1/none".into();
    let mut config = SourceConfig {
        url: Some(url),
        ..shipping()
    };
    // Far shorter than the pool waits for a connection: that is not the query's time.
    config.limits.timeout_ms = 50;
    let source = opened(config, database.pool());
    let overview = source.overview("demo").await;
    assert!(overview.indices.is_empty());
    let reason = overview.unavailable.as_deref().unwrap();
    assert!(
        reason.contains("'shipping'") && !reason.contains("127.0.0.1"),
        "{reason}"
    );
    let execution = source.search("demo", "shipments", &json!({})).await;
    assert_eq!(execution.outcome, QueryOutcome::Unavailable);
    let problem = &execution.problems[0];
    assert_eq!(problem.code, "unavailable");
    assert_eq!(
        problem.message.matches("'shipping'").count(),
        1,
        "{}",
        problem.message
    );
}

#[tokio::test]
async fn tables_without_the_tenants_column_are_not_described() {
    let database = database().await;
    let mut config = shipping();
    config.tenant_field = Some("customer".to_owned());
    let source = opened(config, database.pool());
    assert!(source.describe("demo").await.unwrap().indices.is_empty());
}

#[tokio::test]
async fn sources_are_found_by_tenant_name_language_and_index() {
    let database = database().await;
    let other = SourceConfig {
        tenants: vec!["rival".to_owned()],
        ..SourceConfig {
            name: "other".to_owned(),
            ..shipping()
        }
    };
    let client = external_http_client().unwrap();
    let sources = Sources::open(&[other, shipping()], database.pool(), &client, &clock()).unwrap();
    let name = |tenant, name, index| {
        let found = sources.find(tenant, name, Some(QueryType::Graphql), index);
        found.map(|source| source.name().to_owned())
    };
    assert_eq!(name("demo", None, None).as_deref(), Some("shipping"));
    assert_eq!(
        name("rival", None, Some("shipments")).as_deref(),
        Some("other")
    );
    assert_eq!(name("demo", Some("other"), None), None);
    assert_eq!(name("demo", None, Some("ports")), None);
    assert_eq!(sources.for_tenant("rival").len(), 2);
}

/// Two tables of which the catalogue says more than the types.
const WORKSHOP: &str = "
CREATE SCHEMA workshop;
CREATE TABLE workshop.branch (branch_id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE workshop.repair (repair_id integer PRIMARY KEY, branch_id integer REFERENCES workshop.branch, status text, note text, tenant text);
INSERT INTO workshop.branch VALUES (1, 'Alster'), (2, 'Isar');
INSERT INTO workshop.repair
    SELECT n, 1 + n % 2, CASE n % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'closed' ELSE 'waiting for parts' END, 'note ' || n, 'demo' FROM generate_series(1, 300) n;
ANALYZE workshop.branch;
ANALYZE workshop.repair;
";

#[tokio::test]
async fn the_catalogue_tells_few_values_and_what_foreign_keys_point_at() {
    let database = database().await;
    sqlx::raw_sql(WORKSHOP)
        .execute(database.pool())
        .await
        .unwrap();
    let index = |name: &str| IndexConfig {
        name: name.to_owned(),
        table: Some(format!("workshop.{name}")),
        ..IndexConfig::default()
    };
    let branch = IndexConfig {
        id_field: Some("branch_id".to_owned()),
        entity: Some(EntityConfig {
            entity_type: "branch".to_owned(),
            name_field: "name".to_owned(),
            ..EntityConfig::default()
        }),
        ..index("branch")
    };
    let config = SourceConfig {
        tenants: vec!["demo".to_owned()],
        indices: vec![branch, index("repair")],
        ..SourceConfig::new("workshop", SourceKind::Postgresql)
    };
    let source = opened(config.clone(), database.pool());
    let described = source.describe("demo").await.unwrap();
    let field = |name: &str| {
        let mut fields = described.indices[1].fields.iter();
        fields.find(|field| field.name == name).unwrap().clone()
    };
    assert_eq!(
        field("status").values,
        ["closed", "open", "waiting for parts"]
    );
    assert!(field("note").values.is_empty());
    assert_eq!(field("branch_id").entity_type.as_deref(), Some("branch"));
    assert_eq!(field("repair_id").entity_type, None);
    // The statistics are those of all tenants.
    let shared = SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        indices: vec![index("repair")],
        ..config
    };
    let source = opened(shared, database.pool());
    let described = source.describe("demo").await.unwrap();
    let mut fields = described.indices[0].fields.iter();
    assert!(fields.all(|field| field.values.is_empty()));
}

#[tokio::test]
async fn a_certificate_that_is_not_accepted_is_said_to_be_one() {
    for (host, authority, said) in [
        (
            "localhost",
            None,
            "The source 'shipping' answers, but its certificate is not trusted: give the certificate of its authority",
        ),
        (
            "127.0.0.1",
            Some(AUTHORITY),
            "The source 'shipping' answers, but its certificate is not accepted: it is for another host",
        ),
        (
            "localhost",
            Some(AUTHORITY),
            "The source 'shipping' cannot be reached",
        ),
    ] {
        let port = encrypting(Protocol::PostgreSql).unwrap();
        let url = format!("postgres://u:p@{host}:{port}/d?sslmode=verify-full");
        let config = SourceConfig {
            url: Some(url.into()),
            ca_certificate: authority.map(str::to_owned),
            ..shipping()
        };
        let database = database().await;
        let source = opened(config, database.pool());
        let error = source.describe("demo").await.unwrap_err().to_string();
        assert!(error.starts_with(said), "{error}");
    }
}
