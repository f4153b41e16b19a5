//! Search sources that tenants add while the service runs: tests, isolation, replicas, precedence
//! of the configuration, restart.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use http::{HeaderMap, Method, StatusCode, Uri};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use test_support::database::TestDatabase;
use tools::credentials::config::{KeyConfig, generate_key};
use url::Url;

use crate::added_targets::{Replicas, as_admin, ask};
use crate::harness::App;
use crate::search_support::away;

const READER: &str = "heliograph_source_reader";
const KEY: &str = "cmlnaHQ6a2V5";

const TABLES: [&str; 4] = [
    "CREATE SCHEMA depot",
    "CREATE TABLE depot.part (part_id text PRIMARY KEY, name text NOT NULL, stock int NOT NULL, counted_on date)",
    "COMMENT ON TABLE depot.part IS 'Spare parts on the shelf'",
    "INSERT INTO depot.part VALUES ('P1', 'fuse 16 A', 12, '2026-01-05'), ('P2', 'string fuse', 3, '2026-02-07'), ('P3', 'fan', 0, '2026-02-09')",
];

/// A depot in PostgreSQL, with a role that only reads.
async fn depot() -> TestDatabase {
    let database = TestDatabase::empty().await.unwrap();
    let role = format!(
        "DO $$ BEGIN CREATE ROLE {READER} LOGIN PASSWORD 'se:cr/et@1'; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
    );
    let grant =
        format!("GRANT USAGE ON SCHEMA depot TO {READER}; GRANT SELECT ON depot.part TO {READER}");
    for statement in TABLES.into_iter().chain([role.as_str(), grant.as_str()]) {
        let statement = AssertSqlSafe(statement.to_owned());
        sqlx::raw_sql(statement)
            .execute(database.pool())
            .await
            .unwrap();
    }
    database
}

fn in_postgres(name: &str, depot: &TestDatabase) -> Value {
    let url = Url::parse(depot.url()).unwrap();
    json!({
        "name": name, "kind": "postgresql", "description": "The depot", "schema": "depot",
        "connection": {
            "engine": "postgresql", "host": url.host_str().unwrap(), "port": url.port().unwrap(),
            "database": url.path().trim_start_matches('/'), "username": READER, "password": "se:cr/et@1", "tls": "off",
        },
    })
}

/// A cluster with one index of orders, for those with the key.
async fn cluster() -> String {
    cluster_until(Arc::default()).await
}

/// The same, until it is closed.
async fn cluster_until(closed: Arc<AtomicBool>) -> String {
    let answer = async |State(closed): State<Arc<AtomicBool>>, uri: Uri, headers: HeaderMap| {
        if closed.load(Ordering::Relaxed) {
            let closed = json!({ "error": { "type": "cluster_block_exception" }, "status": 503 });
            return (StatusCode::SERVICE_UNAVAILABLE, axum::Json(closed));
        }
        let sent = headers.get("authorization").map(|sent| sent.to_str());
        let key = format!("ApiKey {KEY}");
        if sent.and_then(Result::ok) != Some(key.as_str()) {
            let refused = json!({ "error": { "type": "security_exception" }, "status": 401 });
            return (StatusCode::UNAUTHORIZED, axum::Json(refused));
        }
        let mapping = json!({ "mappings": { "properties": {
            "order_id": { "type": "keyword" }, "placed": { "type": "date" }, "total": { "type": "double" },
        } } });
        let found = match uri.path() {
            "/_mapping" => json!({ "orders": mapping, ".security-7": mapping }),
            "/orders/_mapping" => json!({ "orders": mapping }),
            "/orders/_validate/query" => json!({ "valid": true }),
            "/orders/_count" => json!({ "count": 1 }),
            "/orders/_search" => {
                let source =
                    json!({ "order_id": "O-1", "placed": "2026-01-05T10:00:00Z", "total": 12.5 });
                let hits = json!([{ "_index": "orders", "_id": "1", "_score": null, "_source": source, "sort": [1] }]);
                json!({
                    "took": 1, "timed_out": false, "_shards": { "total": 1, "successful": 1, "skipped": 0, "failed": 0 },
                    "hits": { "total": { "value": 1, "relation": "eq" }, "max_score": null, "hits": hits },
                })
            }
            _ => {
                let missing = json!({ "error": { "type": "index_not_found_exception" } });
                return (StatusCode::NOT_FOUND, axum::Json(missing));
            }
        };
        (StatusCode::OK, axum::Json(found))
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer).with_state(closed);
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

fn in_cluster(name: &str, url: &str, key: &str) -> Value {
    json!({ "name": name, "kind": "elasticsearch", "endpoint": { "url": url, "api_key": key } })
}

async fn call(app: &App, tenant: &str, tool: &str, arguments: Value) -> Value {
    let (status, answer) = app.call_as(tenant, tool, arguments).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    answer
}

async fn orders_of(app: &App, tenant: &str) -> Value {
    let arguments = json!({ "index": "orders", "query": { "query": { "match_all": {} } } });
    call(app, tenant, "es_executor", arguments).await
}

#[tokio::test]
async fn a_cluster_is_added_in_all_replicas_and_for_its_tenant_only() {
    let replicas = Replicas::with(|_| {}).await;
    let (one, other, url) = (&replicas.one, &replicas.other, cluster().await);
    let body = in_cluster("shop", &url, KEY);
    let none = orders_of(other, "demo").await;
    assert_eq!(none["status"], "no_data", "{none}");

    let (status, tested) =
        as_admin(one, "demo", Method::POST, "/api/source-tests", body.clone()).await;
    assert_eq!(status, StatusCode::OK, "{tested}");
    assert_eq!(tested["ok"], true, "{tested}");
    // The cluster's own indices are none.
    assert_eq!(
        tested["indices"],
        json!([{ "name": "orders", "fields": 3 }])
    );
    let viewer = ("demo", ["tools:read"].as_slice());
    let (status, _) = ask(one, viewer, Method::POST, "/api/sources", &body).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    let (status, made) = as_admin(one, "demo", Method::POST, "/api/sources", body.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["endpoint"]["has_api_key"], true, "{made}");
    assert!(!made.to_string().contains(KEY), "{made}");
    let (status, again) = as_admin(other, "demo", Method::POST, "/api/sources", body).await;
    assert_eq!(status, StatusCode::CONFLICT, "{again}");

    // The other process has not heard of it yet, and answers.
    for app in [other, one] {
        let answer = orders_of(app, "demo").await;
        assert_eq!(
            answer["result"]["run"]["rows"][0]["order_id"], "O-1",
            "{answer}"
        );
    }

    // A viewer sees the source and not its address; another tenant sees nothing.
    let (_, seen) = ask(one, viewer, Method::GET, "/api/sources", &Value::Null).await;
    assert_eq!(seen["sources"][0]["name"], "shop");
    assert!(seen["sources"][0].get("endpoint").is_none(), "{seen}");
    for (method, path, body) in [
        (Method::GET, "/api/sources/shop", Value::Null),
        (Method::DELETE, "/api/sources/shop", Value::Null),
        (Method::PATCH, "/api/sources/shop", json!({})),
        (Method::POST, "/api/sources/shop/test", Value::Null),
    ] {
        let (status, answer) = as_admin(one, "rival", method, path, body).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}: {answer}");
    }
    let (_, none) = as_admin(one, "rival", Method::GET, "/api/sources", Value::Null).await;
    assert_eq!(none, json!({ "sources": [] }));
    let answer = orders_of(one, "rival").await;
    assert_eq!(answer["status"], "no_data", "{answer}");

    // Nothing of the key is in the database as it is.
    let stored: String = sqlx::query_scalar("SELECT a::text FROM tools.added AS a")
        .fetch_one(replicas.database.pool())
        .await
        .unwrap();
    assert!(!stored.contains(KEY), "{stored}");

    // Words apply at once, and the key stays.
    let words = json!({ "indices": [{
        "name": "orders", "nouns": ["order", "orders"], "description": "What customers bought",
        "fields": [{ "name": "total", "unit": "EUR", "synonyms": ["amount"] }],
    }] });
    let (status, changed) = as_admin(one, "demo", Method::PATCH, "/api/sources/shop", words).await;
    assert_eq!(status, StatusCode::OK, "{changed}");
    let (_, details) = as_admin(other, "demo", Method::GET, "/api/sources/shop", Value::Null).await;
    let described = &details["description"]["indices"][0];
    assert_eq!(
        described["description"], "What customers bought",
        "{details}"
    );
    assert!(described.to_string().contains("amount"), "{details}");
    let answer = orders_of(other, "demo").await;
    assert_eq!(answer["status"], "ok", "{answer}");

    let (status, _) = as_admin(
        other,
        "demo",
        Method::DELETE,
        "/api/sources/shop",
        Value::Null,
    )
    .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let (_, none) = as_admin(one, "demo", Method::GET, "/api/sources", Value::Null).await;
    assert_eq!(none, json!({ "sources": [] }));
    let answer = orders_of(one, "demo").await;
    assert_eq!(answer["status"], "no_data", "{answer}");
}

#[tokio::test]
async fn the_tables_of_a_schema_are_added_with_what_the_catalogue_says() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, depot) = (&replicas.one, depot().await);
    let body = in_postgres("depot", &depot);
    let (status, made) = as_admin(app, "demo", Method::POST, "/api/sources", body.clone()).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    assert_eq!(made["indices"], json!(["part"]), "{made}");
    assert!(!made.to_string().contains("se:cr"), "{made}");
    let (_, details) = as_admin(app, "demo", Method::GET, "/api/sources/depot", Value::Null).await;
    let index = &details["indices"][0];
    assert_eq!(index["id_field"], "part_id", "{details}");
    assert_eq!(index["date_field"], "counted_on", "{details}");
    assert_eq!(index["description"], "Spare parts on the shelf");
    let arguments = json!({ "text": "how many fans are there?", "mentions": [{ "text": "fan" }] });
    let known = call(&replicas.other, "demo", "entity_resolution", arguments).await;
    assert!(known.to_string().contains("P3"), "{known}");

    // The start assistant's overview names it, in a process that has just begun.
    let token = replicas.other.token("demo", &["tools:read"]);
    let path = "/api/data-overview";
    let (_, overview) = replicas
        .other
        .send(Method::GET, path, Some(&token), "")
        .await;
    assert_eq!(overview["sources"][0]["name"], "depot", "{overview}");
    let token = replicas.other.token("rival", &["tools:read"]);
    let (_, overview) = replicas
        .other
        .send(Method::GET, path, Some(&token), "")
        .await;
    assert!(!overview.to_string().contains("depot"), "{overview}");

    // A role that may write, a role that does not exist, a schema without tables.
    let own = Url::parse(depot.url()).unwrap();
    let mut writer = in_postgres("second", &depot);
    writer["connection"]["username"] = json!(own.username());
    let password = own.password().filter(|it| !it.is_empty()).unwrap_or("x");
    writer["connection"]["password"] = json!(password);
    let mut stranger = in_postgres("second", &depot);
    stranger["connection"]["username"] = json!("heliograph_stranger");
    let mut empty = in_postgres("second", &depot);
    empty["schema"] = json!("nothing_of_this_name");
    for (body, pointer, why) in [
        (
            writer,
            "/connection/username",
            "accept it with `allow_writing_role` (`--allow-writing-role` on the command line)",
        ),
        (stranger, "/connection/host", "refuses the login"),
        (empty, "/schema", "no table"),
    ] {
        let (status, answer) = as_admin(app, "demo", Method::POST, "/api/sources", body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert_eq!(answer["errors"][0]["pointer"], pointer, "{answer}");
        assert!(answer.to_string().contains(why), "{why}: {answer}");
    }
}

#[tokio::test]
async fn what_cannot_be_searched_is_refused_with_what_to_do() {
    let replicas = Replicas::with(|_| {}).await;
    let (app, url) = (&replicas.one, cluster().await);
    let with = |change: &dyn Fn(&mut Value)| {
        let mut body = in_cluster("shop", &url, KEY);
        change(&mut body);
        body
    };
    for (body, pointer, why) in [
        (
            in_cluster("shop", "http://127.0.0.1:1", KEY),
            "/endpoint/url",
            "cannot be reached",
        ),
        (
            in_cluster("shop", &url, "wrong"),
            "/endpoint/url",
            "refuses our login",
        ),
        (
            in_cluster("shop", "http://169.254.169.254/latest", KEY),
            "/endpoint/url",
            "refused_networks",
        ),
        (
            in_cluster("shop", "http://ada:secret@127.0.0.1:9200", KEY),
            "/endpoint/url",
            "must have no user",
        ),
        (
            in_cluster("shop", "file:///etc/passwd", KEY),
            "/endpoint/url",
            "https://",
        ),
        (
            with(&|body| body["indices"] = json!([{ "name": "nothing" }])),
            "/indices",
            "index",
        ),
        (
            with(&|body| body["indices"] = json!([{ "name": "orders,.security-7" }])),
            "/indices/0/name",
            "letters",
        ),
        (
            with(&|body| body["time_zone"] = json!("Mars/Olympus")),
            "/time_zone",
            "IANA",
        ),
        (
            with(&|body| body["endpoint"]["headers"] = json!({ "host": "x" })),
            "/endpoint/headers",
            "cannot be sent",
        ),
        (
            with(&|body| body["kind"] = json!("postgresql")),
            "/connection",
            "required",
        ),
        (
            with(&|body| body["name"] = json!("The Shop")),
            "/name",
            "a-z",
        ),
    ] {
        let (status, answer) = as_admin(app, "demo", Method::POST, "/api/sources", body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{answer}");
        assert_eq!(answer["errors"][0]["pointer"], pointer, "{answer}");
        assert!(answer.to_string().contains(why), "{why}: {answer}");
        assert!(!answer.to_string().contains(KEY), "{answer}");
    }
    let (_, none) = as_admin(app, "demo", Method::GET, "/api/sources", Value::Null).await;
    assert_eq!(none, json!({ "sources": [] }));
}

#[tokio::test]
async fn a_source_of_the_configuration_wins_and_a_restart_changes_nothing() {
    let replicas = Replicas::with(|_| {}).await;
    let url = cluster().await;
    let body = in_cluster("archive", &url, KEY);
    let (status, made) = as_admin(&replicas.one, "demo", Method::POST, "/api/sources", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let key = generate_key();
    let app = App::configured(replicas.database.url(), "2026-06-01T12:00:00Z", |config| {
        config.credentials.keys.push(KeyConfig::new("other", key));
        config.sources = vec![away()];
    });
    let (_, list) = as_admin(&app, "demo", Method::GET, "/api/sources", Value::Null).await;
    assert_eq!(list["sources"][0]["fixed"], true, "{list}");
    assert_eq!(list["sources"][1]["replaced_by_fixed"], true, "{list}");
    // Its key is another one: the credentials cannot be read, and the source says so.
    assert!(list.to_string().contains("cannot be decrypted"), "{list}");
    let (status, answer) = as_admin(
        &app,
        "demo",
        Method::PATCH,
        "/api/sources/archive",
        json!({}),
    )
    .await;
    assert_eq!(status, StatusCode::CONFLICT, "{answer}");
    // The configured one is away: its test says so, and so does its description.
    let path = "/api/sources/archive/test";
    let (_, tested) = as_admin(&app, "demo", Method::POST, path, Value::Null).await;
    assert_eq!(tested["ok"], false, "{tested}");
    assert!(tested.to_string().contains("cannot be reached"), "{tested}");
    let path = "/api/sources/archive";
    let (_, details) = as_admin(&app, "demo", Method::GET, path, Value::Null).await;
    let away = details["description"]["unavailable"].as_str().unwrap();
    assert!(away.contains("cannot be reached"), "{details}");
    // A process that begins later, with the first one's key, has what was added.
    let answer = orders_of(&replicas.other, "demo").await;
    assert_eq!(answer["status"], "ok", "{answer}");
}

#[tokio::test]
async fn the_list_says_why_a_source_cannot_be_asked() {
    let replicas = Replicas::with(|_| {}).await;
    let closed = Arc::new(AtomicBool::new(false));
    let url = cluster_until(Arc::clone(&closed)).await;
    let body = in_cluster("shop", &url, KEY);
    let (status, made) = as_admin(&replicas.one, "demo", Method::POST, "/api/sources", body).await;
    assert_eq!(status, StatusCode::CREATED, "{made}");
    let list = async |app: &App| {
        let path = "/api/sources";
        let (status, listed) = as_admin(app, "demo", Method::GET, path, Value::Null).await;
        assert_eq!(status, StatusCode::OK, "{listed}");
        listed["sources"][0]["problem"].clone()
    };
    assert_eq!(list(&replicas.one).await, Value::Null);
    closed.store(true, Ordering::Relaxed);
    let problem = list(&replicas.other).await;
    assert!(
        problem.as_str().is_some_and(|why| why.contains("shop")),
        "{problem}"
    );
    // Where it was asked a moment ago, a test that fails is in the list at once, and so is one that
    // succeeds, in all processes.
    for is_closed in [true, false, true] {
        closed.store(is_closed, Ordering::Relaxed);
        let path = "/api/sources/shop/test";
        let (_, tested) = as_admin(&replicas.one, "demo", Method::POST, path, Value::Null).await;
        assert_eq!(tested["ok"], !is_closed, "{tested}");
        for app in [&replicas.one, &replicas.other] {
            let problem = list(app).await;
            assert_eq!(problem.is_string(), is_closed, "{problem}");
        }
    }
}
