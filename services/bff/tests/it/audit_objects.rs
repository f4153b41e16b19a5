//! The objects and outcomes of entries of the audit log.

use axum::Router;
use axum::routing::{get as answer_get, patch, post as answer_post};
use http::{Method, Request, StatusCode};
use serde_json::{Value, json};

use crate::bench::{Bench, PASSWORD, With, get, post};
use crate::people::{account, token, with_method};

/// A tools service that answers with these values.
async fn tools() -> String {
    let import = || async {
        axum::Json(
            json!({ "import_id": "i1", "filename": "a.csv", "site": "roof", "status": "ready" }),
        )
    };
    let document = || async {
        axum::Json(json!({ "document_id": "d1", "filename": "care.md", "collection": "manuals" }))
    };
    let collection =
        || async { axum::Json(json!({ "id": "c1", "name": "manuals", "documents": 0 })) };
    let test = |ok: bool| move || async move { axum::Json(json!({ "ok": ok, "steps": [] })) };
    let routes = Router::new()
        .route(
            "/api/sites",
            answer_post(|| async { axum::Json(json!({ "sites": 2 })) }),
        )
        .route("/api/imports", answer_post(import))
        .route("/api/imports/{id}/run", answer_post(import))
        .route("/api/documents", answer_post(document))
        .route("/api/collections", answer_post(collection))
        .route("/api/collections/{id}", patch(collection))
        .route("/api/target-previews", answer_post(test(true)))
        .route("/api/target-tests", answer_post(test(false)))
        .route("/api/targets/{name}/test", answer_post(test(true)))
        .route(
            "/api/quotas",
            answer_get(|| async { axum::Json(json!({ "quotas": [] })) }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    url
}

/// Sends requests; the entries as action, outcome and object, the oldest first.
async fn written(
    bench: &Bench,
    by: &str,
    requests: Vec<Request<axum::body::Body>>,
) -> Vec<(String, String, String)> {
    let count = requests.len();
    for request in requests {
        bench.send(request.bearer(by)).await;
    }
    let log = bench.send(get("/api/audit").bearer(by)).await;
    let entries = log.body["entries"].as_array().unwrap();
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or_default().to_owned();
    let entries = entries.iter().take(count).rev();
    entries
        .map(|entry| {
            (
                text(entry, "action"),
                text(entry, "outcome"),
                text(entry, "object"),
            )
        })
        .collect()
}

fn lines(entries: &[(String, String, String)]) -> Vec<(&str, &str, &str)> {
    entries
        .iter()
        .map(|(action, outcome, object)| (action.as_str(), outcome.as_str(), object.as_str()))
        .collect()
}

#[tokio::test]
async fn entries_name_the_site_the_file_the_collection_and_the_change_of_an_account() {
    let tools = tools().await;
    let bench = Bench::configured(|config| config.upstream.tools_url = tools).await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    account(&bench, "carl", "acme", "viewer").await;
    let sites = json!({ "sites": [
        { "id": "roof", "timezone": "UTC" }, { "id": "hall", "timezone": "UTC" },
    ] });
    let readers = json!({ "readers": { "role": "editor", "groups": ["night shift"] } });
    let change = |body: Value| with_method(Method::PATCH, "/api/accounts/carl", &body);
    let requests = vec![
        post("/api/sites", &sites),
        post("/api/imports?filename=a.csv&site=roof", &json!({})),
        post("/api/imports/i1/run", &json!({})),
        post(
            "/api/documents?filename=care.md&collection=manuals",
            &json!({}),
        ),
        post("/api/target-previews?filename=Sales.xlsx", &json!({})),
        post("/api/collections", &json!({ "name": "manuals" })),
        with_method(Method::PATCH, "/api/collections/c1", &readers),
        change(json!({ "role": "editor", "groups": ["night shift"] })),
        change(json!({ "role": "installation_administrator" })),
        change(json!({ "scopes": ["chat"], "disabled": true })),
        post("/api/tokens", &json!({ "name": "" })),
    ];
    let log = written(&bench, &boss, requests).await;
    assert_eq!(
        lines(&log),
        [
            ("put_sites", "done", "roof, hall"),
            ("create_import", "done", "a.csv (site roof, import i1)"),
            ("run_import", "done", "a.csv (site roof, import i1)"),
            (
                "ingest_document",
                "done",
                "care.md (collection manuals, document d1)"
            ),
            ("preview_spreadsheet", "done", "Sales.xlsx"),
            ("create_collection", "done", "manuals (c1)"),
            (
                "change_collection",
                "done",
                "manuals (c1); readers: role editor, group night shift"
            ),
            (
                "change_account",
                "done",
                "role viewer → role editor; groups none → night shift"
            ),
            (
                "change_account",
                "refused",
                "role editor → role installation_administrator"
            ),
            (
                "change_account",
                "done",
                "role editor → scopes chat; disabled"
            ),
            ("create_api_key", "refused", ""),
        ]
    );
}

#[tokio::test]
async fn a_file_that_is_refused_is_named_too() {
    let bench = Bench::start().await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    let requests = vec![
        post("/api/imports?filename=a.csv&site=roof", &json!({})),
        post(
            "/api/documents?filename=care.md&collection=manuals",
            &json!({}),
        ),
    ];
    let log = written(&bench, &boss, requests).await;
    assert_eq!(
        lines(&log),
        [
            ("create_import", "failed", "a.csv (site roof)"),
            ("ingest_document", "failed", "care.md (collection manuals)"),
        ]
    );
}

#[tokio::test]
async fn the_outcome_of_a_test_is_that_of_the_test() {
    let tools = tools().await;
    let bench = Bench::configured(|config| {
        config.upstream.tools_url = tools;
        config.oidc.allow_loopback = true;
    })
    .await;
    let demo = token(&bench, "demo", PASSWORD).await;
    // The port has no listener.
    let issuer = json!({
        "name": "company", "issuer": "http://127.0.0.1:9", "client_id": "heliograph",
        "rules": [{ "tenant": "acme", "role": "viewer" }],
    });
    let tested = bench
        .send(post("/api/issuer-tests", &issuer).bearer(&demo))
        .await;
    assert_eq!(
        (tested.status, &tested.body["ok"]),
        (StatusCode::OK, &json!(false)),
        "{}",
        tested.body
    );
    let requests = vec![
        post("/api/issuer-tests", &issuer),
        post("/api/target-tests", &json!({ "name": "shop" })),
        post("/api/targets/shop/test", &json!({})),
    ];
    let log = written(&bench, &demo, requests).await;
    assert_eq!(
        lines(&log),
        [
            ("test_new_issuer", "refused", "company"),
            ("test_new_target", "refused", "shop"),
            ("test_target", "done", "shop"),
        ]
    );
}

#[tokio::test]
async fn an_own_export_names_its_person() {
    let bench = Bench::start().await;
    let boss = account(&bench, "boss", "acme", "administrator").await;
    bench.send(get("/api/me/export").bearer(&boss)).await;
    let log = bench
        .send(get("/api/audit?action=export_me").bearer(&boss))
        .await;
    assert_eq!(log.body["entries"][0]["account_name"], "boss");
}
