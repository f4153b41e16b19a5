//! Names of sites, devices and collections: none looks like another one.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use crate::harness::{App, database};

const SCOPES: [&str; 3] = ["tools:read", "sites:write", "targets:write"];

async fn post(app: &App, path: &str, body: &Value) -> (StatusCode, Value) {
    let token = app.token("acme", &SCOPES);
    app.send(Method::POST, path, Some(&token), &body.to_string())
        .await
}

#[tokio::test]
async fn sites_and_collections_have_names_that_can_be_seen() {
    let database = database().await;
    let app = App::over(database.url());
    let site = |id: &str, name: &str| json!({ "sites": [{ "id": id, "name": name, "timezone": "Europe/Berlin" }] });
    let collection = |name: &str| json!({ "name": name, "readers": { "role": "viewer" } });
    let of_group = json!({ "name": "manuals", "readers": { "groups": ["night\u{200b} shift"] } });
    for (path, body) in [
        ("/api/sites", site("roof\u{200b}", "Roof")),
        ("/api/sites", site("roof\u{3164}", "Roof")),
        ("/api/sites", site("roof", "Ro\u{200b}of")),
        ("/api/sites", site("roof", "Roof\u{2800}")),
        ("/api/collections", collection("manu\u{2060}als")),
        ("/api/collections", collection("manuals\u{a0}2")),
        ("/api/collections", of_group),
    ] {
        let (status, problem) = post(&app, path, &body).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{body}: {problem}"
        );
    }
    for (path, body) in [
        ("/api/sites", site("roof", "Dach J\u{fc}rgen, S\u{fc}d")),
        ("/api/collections", collection("Anl\u{e4}ge 2")),
    ] {
        let (status, stored) = post(&app, path, &body).await;
        assert!(status.is_success(), "{body}: {stored}");
    }
}
