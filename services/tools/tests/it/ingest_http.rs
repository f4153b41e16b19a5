//! `POST /api/measurements`: what is read, what is refused, and with which words.

use std::fmt::Write as _;
use std::io::Write as _;

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::{Value, json};
use test_support::database::TestDatabase;

use crate::harness::App;
use crate::ingest_support::{HEADER, csv, database, line, sites, stored};

const NOW: &str = "2026-06-01T12:00:00Z";

struct Sender {
    app: App,
    database: TestDatabase,
}

impl Sender {
    async fn new() -> Self {
        let database = database().await;
        let limit = |config: &mut tools::Config| config.ingest.body_limit_bytes = 16 * 1024 * 1024;
        Self {
            app: App::configured(database.url(), NOW, limit),
            database,
        }
    }

    fn request(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Body>,
    ) -> Request<Body> {
        let token = self.app.token("acme", &["measurements:write"]);
        let mut request = Request::post(path).header("authorization", format!("Bearer {token}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(body.into()).unwrap()
    }

    async fn send(
        &self,
        query: &str,
        media_type: &str,
        body: impl Into<Body>,
    ) -> (StatusCode, Value) {
        let path = format!("/api/measurements{query}");
        self.app
            .request(self.request(&path, &[("content-type", media_type)], body))
            .await
    }
}

fn counts(report: &Value) -> [u64; 3] {
    ["accepted", "replaced", "refused"].map(|name| report[name].as_u64().unwrap())
}

#[tokio::test]
async fn each_format_stores_the_same_reading() {
    let sender = Sender::new().await;
    let reading = json!({"timestamp": "2025-06-01T10:00:00Z", "loggerId": "A", "activePowerWatts": 5.5, "metadata": {"t": 1}});
    let (status, report) = sender
        .send("", "application/json", json!([reading]).to_string())
        .await;
    assert_eq!(
        (status, counts(&report)),
        (StatusCode::OK, [1, 0, 0]),
        "{report}"
    );
    assert_eq!(
        report["loggers"],
        json!([{"loggerId": "A", "created": true, "rows": 1, "earliest": "2025-06-01T12:00:00+02:00", "latest": "2025-06-01T12:00:00+02:00"}])
    );
    let (status, report) = sender
        .send("", "application/x-ndjson", format!("{reading}\n"))
        .await;
    assert_eq!((status, counts(&report)), (StatusCode::OK, [0, 1, 0]));
    let query = "?timezone=Europe/Zurich&delimiter=;&decimal=,&columns=timestamp%3DZeit,activePowerWatts%3DP&logger_id=A";
    let (status, report) = sender
        .send(
            query,
            "text/csv; charset=utf-8",
            "Zeit;P;t\n01.06.2025 12:00;5,5;1\n",
        )
        .await;
    assert_eq!(
        (status, counts(&report)),
        (StatusCode::OK, [0, 1, 0]),
        "{report}"
    );
    let versions: i64 =
        sqlx::query_scalar("SELECT count(*) FROM tools.measurements WHERE metadata = '{\"t\": 1}'")
            .fetch_one(sender.database.pool())
            .await
            .unwrap();
    assert_eq!(versions, 1);
}

#[tokio::test]
async fn unknown_fields_and_other_bad_rows_are_listed() {
    let sender = Sender::new().await;
    let good = json!({"timestamp": "2025-06-01T10:00:00Z", "loggerId": "A", "irradiance": 1});
    let mut odd = good.clone();
    odd["colour"] = json!("red");
    let future = json!({"timestamp": "2026-06-03T12:00:01Z", "loggerId": "A", "irradiance": 1});
    let (status, report) = sender
        .send(
            "",
            "application/json",
            json!([odd, good, future, 3]).to_string(),
        )
        .await;
    assert_eq!((status, counts(&report)), (StatusCode::OK, [1, 0, 3]));
    assert_eq!(report["refusals"][0]["row"], 1);
    assert!(
        report["refusals"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("/colour: is not known here")
    );
    assert!(
        report["refusals"][1]["reason"]
            .as_str()
            .unwrap()
            .contains("future")
    );
}

#[tokio::test]
async fn ten_megabytes_are_no_matter_and_gzip_is_unpacked() {
    let sender = Sender::new().await;
    let note = "x".repeat(1000);
    let mut body = format!("{},note\n", HEADER.trim_end());
    for step in 0..10_000 {
        writeln!(body, "{},{note}", line("A", step).trim_end()).unwrap();
    }
    assert!(body.len() > 10_000_000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(body.as_bytes()).unwrap();
    let (status, report) = sender.send("", "text/csv", body).await;
    assert_eq!((status, counts(&report)), (StatusCode::OK, [10_000, 0, 0]));

    let headers = [("content-type", "text/csv"), ("content-encoding", "gzip")];
    let packed = sender.request("/api/measurements", &headers, gzip.finish().unwrap());
    let (status, report) = sender.app.request(packed).await;
    assert_eq!(
        (status, counts(&report)),
        (StatusCode::OK, [0, 10_000, 0]),
        "{report}"
    );
}

#[tokio::test]
async fn more_than_the_limit_is_refused_packed_or_not() {
    let sender = Sender::new().await;
    let headers = [
        ("content-type", "text/csv"),
        ("content-length", "99999999999"),
    ];
    let announced = sender.request("/api/measurements", &headers, HEADER);
    let (status, problem) = sender.app.request(announced).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body_too_large"))
    );

    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(csv("A", 0..20_000).as_bytes()).unwrap();
    for _ in 0..17 {
        gzip.write_all(&vec![b'\n'; 1024 * 1024]).unwrap();
    }
    let headers = [("content-type", "text/csv"), ("content-encoding", "gzip")];
    let packed = sender.request("/api/measurements", &headers, gzip.finish().unwrap());
    let (status, problem) = sender.app.request(packed).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("10000 rows before that are stored"),
        "{detail}"
    );
    assert_eq!(
        stored(sender.database.pool(), "acme").await,
        (10_000, 10_000)
    );
}

#[tokio::test]
async fn what_can_not_be_read_at_all_is_400() {
    let sender = Sender::new().await;
    for (media_type, body) in [
        ("application/json", ""),
        ("application/json", "{\"a\":1}"),
        ("application/json", "[{\"timestamp\":\"x\"}"),
        ("text/csv", ""),
        ("text/csv", "2025-06-01T10:00:00Z,A,1\n"),
        ("text/csv", "\0\0\0"),
    ] {
        let (status, problem) = sender.send("", media_type, body).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::BAD_REQUEST, &json!("malformed_request")),
            "{body:?}"
        );
    }
    let headers = [("content-type", "text/csv"), ("content-encoding", "gzip")];
    let (status, _) = sender
        .app
        .request(sender.request("/api/measurements", &headers, "not gzip"))
        .await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn other_media_types_are_415() {
    let sender = Sender::new().await;
    for media_type in ["text/plain", "application/xml", "text/csv; charset=latin1"] {
        assert_eq!(
            sender.send("", media_type, HEADER).await.0,
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        );
    }
    let headers = [("content-type", "text/csv"), ("content-encoding", "br")];
    let (status, _) = sender
        .app
        .request(sender.request("/api/measurements", &headers, HEADER))
        .await;
    assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn a_query_that_does_not_fit_is_422_and_points() {
    let sender = Sender::new().await;
    for (query, pointer) in [
        ("?timezone=Mars", "/timezone"),
        ("?columns=power%3DP", "/columns"),
        ("?columns=irradiance%3DG", "/columns"),
        ("?delimiter=ab", "/delimiter"),
        ("?site=shed", "/site"),
    ] {
        let (status, problem) = sender.send(query, "text/csv", csv("A", 0..1)).await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{query}: {problem}"
        );
        assert_eq!(problem["errors"][0]["pointer"], pointer, "{problem}");
    }
    sites(sender.database.pool(), "acme", &["barn"]).await;
    let (status, problem) = sender.send("", "text/csv", csv("A", 0..1)).await;
    assert_eq!(
        (status, &problem["available"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!(["barn", "roof"]))
    );
    assert_eq!(
        sender.send("?colour=red", "text/csv", HEADER).await.0,
        StatusCode::UNPROCESSABLE_ENTITY
    );
}

#[tokio::test]
async fn storing_needs_its_scope() {
    let sender = Sender::new().await;
    let token = sender.app.token("acme", &["tools:read"]);
    let request = |token: Option<&str>| {
        let request = Request::post("/api/measurements").header("content-type", "text/csv");
        let request = match token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        };
        request.body(Body::from(csv("A", 0..1))).unwrap()
    };
    assert_eq!(
        sender.app.request(request(None)).await.0,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        sender.app.request(request(Some(&token))).await.0,
        StatusCode::FORBIDDEN
    );
    assert_eq!(stored(sender.database.pool(), "acme").await, (0, 0));
}

#[tokio::test]
async fn without_a_database_it_is_503() {
    let app = App::over("postgres://nobody@127.0.0.1:1/none");
    let token = app.token("acme", &["measurements:write"]);
    let request = Request::post("/api/measurements")
        .header("authorization", format!("Bearer {token}"))
        .header("content-type", "text/csv")
        .body(Body::from(HEADER))
        .unwrap();
    let (status, problem) = app.request(request).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("unavailable"))
    );
}
