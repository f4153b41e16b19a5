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
        ("?earliest=yesterday", "/earliest"),
        ("?earliest=1969-12-31", "/earliest"),
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
async fn rows_without_a_value_are_counted_and_texts_for_no_value_cost_their_field_only() {
    let sender = Sender::new().await;
    let csv = "timestamp,loggerId,activePowerWatts,irradiance\n\
        2025-06-01T10:00:00Z,A,NaN,500\n2025-06-01T10:05:00Z,A,n/a,\n2025-06-01T10:10:00Z,A,-,--\n\
        2025-06-01T10:15:00Z,A,#N/A,501\n";
    let (status, report) = sender.send("", "text/csv", csv).await;
    assert_eq!(
        (status, counts(&report)),
        (StatusCode::OK, [2, 0, 0]),
        "{report}"
    );
    assert_eq!(
        (&report["empty"], &report["refusals"]),
        (&json!(2), &json!([]))
    );

    let row = |minute: u32, power: Value, irradiance: Value| {
        json!({"timestamp": format!("2025-06-01T10:{minute}:00Z"), "loggerId": "A",
            "activePowerWatts": power, "irradiance": irradiance})
    };
    let rows = json!([
        row(20, json!("NULL"), json!(502)),
        row(25, json!(null), json!("n/a")),
        row(30, json!("kaputt"), json!(503))
    ]);
    let (_, report) = sender.send("", "application/json", rows.to_string()).await;
    assert_eq!(
        (counts(&report), &report["empty"]),
        ([1, 0, 1], &json!(1)),
        "{report}"
    );
    let (_, report) = sender
        .send("?missing=kaputt", "application/json", rows.to_string())
        .await;
    assert_eq!(
        (counts(&report), &report["empty"]),
        ([1, 0, 2], &json!(0)),
        "{report}"
    );
}

#[tokio::test]
async fn the_hour_that_happens_twice_is_put_in_order_or_refused() {
    let sender = Sender::new().await;
    let file = |times: &[&str]| {
        let lines = times.iter().enumerate();
        let lines = lines.map(|(index, time)| format!("2025-10-26 {time},A,{index}\n"));
        format!(
            "timestamp,loggerId,activePowerWatts\n{}",
            lines.collect::<String>()
        )
    };
    let both = file(&["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]);
    let query = "?timezone=Europe/Zurich";
    let (_, report) = sender.send(query, "text/csv", both.clone()).await;
    assert_eq!(counts(&report), [6, 0, 0], "{report}");
    assert_eq!(report["doubled_hour"], Value::Null);
    assert_eq!(report["doubledHour"], json!({"ordered": 4, "refused": 0}));
    let (_, report) = sender.send(query, "text/csv", both).await;
    assert_eq!(counts(&report), [0, 6, 0], "{report}");

    // One of the two passes alone could be either; it must not take the place of what is stored.
    let once = file(&["02:00", "02:30", "03:30"]);
    let (_, report) = sender.send(query, "text/csv", once).await;
    assert_eq!(counts(&report), [1, 0, 2], "{report}");
    assert_eq!(report["doubledHour"], json!({"ordered": 0, "refused": 2}));
    let reason = report["refusals"][0]["reason"].as_str().unwrap();
    assert!(
        reason.contains("happens twice in Europe/Zurich"),
        "{reason}"
    );
    let json = json!([{"timestamp": "2025-10-26T02:15:00", "loggerId": "A", "irradiance": 0}]);
    let (_, report) = sender
        .send(query, "application/json", json.to_string())
        .await;
    assert_eq!(counts(&report), [0, 0, 1], "{report}");
    let powers: Vec<f64> = sqlx::query_scalar(
        "SELECT active_power_watts FROM tools.measurements ORDER BY \"timestamp\"",
    )
    .fetch_all(sender.database.pool())
    .await
    .unwrap();
    assert_eq!(powers, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 2.0]);
}

#[tokio::test]
async fn delimiter_and_decimal_mark_are_found_and_a_quote_costs_its_row() {
    let sender = Sender::new().await;
    let file = "Zeit;loggerId;activePowerWatts;note\r\n\
        01.06.2025 12:00;A;5,5;\r\n\
        01.06.2025 12:05;A;6,5;\"open\r\n\
        01.06.2025 12:10;A;7,5;\r\n\
        01.06.2025 12:15;A;1.234,5;\r\n";
    let query = "?timezone=Europe/Zurich&columns=timestamp%3DZeit";
    let (status, report) = sender
        .send(query, "text/csv", format!("\u{feff}{file}"))
        .await;
    assert_eq!(
        (status, counts(&report)),
        (StatusCode::OK, [3, 0, 1]),
        "{report}"
    );
    assert_eq!(
        report["readAs"],
        json!({"delimiter": ";", "decimal": ",", "found": ["delimiter", "decimal"],
            "columns": ["timestamp=Zeit", "loggerId=loggerId", "activePowerWatts=activePowerWatts"]})
    );
    assert_eq!(report["refusals"][0]["row"], 2);
    let (_, report) = sender
        .send(&format!("{query}&delimiter=;&decimal=,"), "text/csv", file)
        .await;
    assert_eq!(report["readAs"]["found"], json!([]));
    let (status, report) = sender.send("", "text/csv", HEADER).await;
    assert_eq!((status, counts(&report)), (StatusCode::OK, [0, 0, 0]));
}

#[tokio::test]
async fn the_time_of_a_clock_that_was_not_set_is_refused_unless_it_is_meant() {
    let sender = Sender::new().await;
    let rows = json!([{"timestamp": "1970-01-01T00:05:00Z", "loggerId": "A", "irradiance": 1}]);
    let (_, report) = sender.send("", "application/json", rows.to_string()).await;
    assert_eq!(counts(&report), [0, 0, 1]);
    let reason = report["refusals"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("clock not set"), "{reason}");
    let (_, report) = sender
        .send("?earliest=1970-01-01", "application/json", rows.to_string())
        .await;
    assert_eq!(counts(&report), [1, 0, 0], "{report}");
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
    let app = App::over("postgres://reader@127.0.0.1:1/none");
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
