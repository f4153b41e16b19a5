//! Files that take longer to read than other requests may.

use std::time::Duration;

use axum::Router;
use axum::routing::post as route;
use http::StatusCode;
use serde_json::json;

use crate::bench::{Bench, With, post};

#[tokio::test]
async fn a_file_may_take_longer_than_a_request() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let slow = || async {
        tokio::time::sleep(Duration::from_millis(1_800)).await;
        axum::Json(json!({ "tables": 1 }))
    };
    let routes = Router::new()
        .route("/api/target-previews", route(slow))
        .route("/api/targets/{target}/file", route(slow))
        .route("/api/targets/{target}/test", route(slow))
        .route("/api/source-tests", route(slow));
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let bench = Bench::configured(|config| {
        config.http.request_timeout_ms = 1_200;
        url.clone_into(&mut config.upstream.tools_url);
    })
    .await;
    let session = bench.session().await;
    for path in [
        "/api/target-previews?filename=a.csv",
        "/api/targets/sales/file?filename=a.csv",
        "/api/targets/sales/test",
        "/api/source-tests",
    ] {
        let body = json!({ "name": "sales" });
        let answer = bench.send(post(path, &body).session(&session)).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}: {}", answer.body);
    }
}
