//! Answers that are compressed, and answers that need not be sent.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::IntoResponse;
use axum::routing::get as on_get;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use service_kit::config::HttpConfig;
use service_kit::docs;
use service_kit::web::Json;

use crate::support::{call, get};

fn routes() -> Router {
    let long = "a line of an answer that says the same again and again\n".repeat(200);
    let rows = serde_json::json!({ "rows": vec!["the same"; 500] });
    let stream = {
        let frame = format!("data: {}\n\n", "x".repeat(5_000));
        move || {
            let frame = frame.clone();
            async move {
                let frames = futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(frame))]);
                (
                    [(CONTENT_TYPE, "text/event-stream")],
                    Body::from_stream(frames),
                )
            }
        }
    };
    let encoded = {
        let bytes = long.clone();
        move || {
            let bytes = bytes.clone();
            async move {
                let headers = [(CONTENT_TYPE, "text/css"), (CONTENT_ENCODING, "gzip")];
                (headers, bytes).into_response()
            }
        }
    };
    Router::new()
        .route("/rows", on_get(move || async move { Json(rows) }))
        .route("/text", on_get(move || async move { long }))
        .route("/little", on_get(|| async { Json(1) }))
        .route("/stream", on_get(stream))
        .route("/encoded", on_get(encoded))
        .merge(docs::routes(contracts::openapi::tools_document()))
}

fn asking(path: &str, encodings: &str) -> Request<Body> {
    let mut request = get(path);
    let encodings = encodings.parse().unwrap();
    request.headers_mut().insert(ACCEPT_ENCODING, encodings);
    request
}

/// Status, encoding and size of an answer.
async fn sent(request: Request<Body>) -> (StatusCode, Option<String>, usize) {
    let response = call(routes(), HttpConfig::on_port(0), request).await;
    let encoding = response.headers().get(CONTENT_ENCODING);
    let encoding = encoding.map(|value| value.to_str().unwrap().to_owned());
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, encoding, body.len())
}

#[tokio::test]
async fn json_documents_and_texts_are_compressed_for_whoever_reads_it() {
    for path in [
        "/rows",
        "/text",
        "/openapi.json",
        "/docs/swagger-ui-bundle.js",
        "/docs/swagger-ui.css",
    ] {
        let (_, plain, whole) = sent(get(path)).await;
        assert_eq!(plain, None, "{path}");
        for (accepted, expected) in [("gzip", "gzip"), ("br", "br"), ("gzip, deflate, br", "br")] {
            let (status, encoding, size) = sent(asking(path, accepted)).await;
            assert_eq!(status, StatusCode::OK);
            assert_eq!(encoding.as_deref(), Some(expected), "{path} {accepted}");
            assert!(size * 2 < whole, "{path} {accepted}: {size} of {whole}");
        }
        let (_, refused, size) = sent(asking(path, "br;q=0, gzip;q=0, zstd")).await;
        assert_eq!((refused, size), (None, whole), "{path}");
    }
}

#[tokio::test]
async fn a_compressed_answer_says_that_it_depends_on_the_client() {
    let response = call(routes(), HttpConfig::on_port(0), asking("/rows", "gzip")).await;
    assert_eq!(response.headers()[VARY], "accept-encoding");
    assert!(!response.headers().contains_key(CONTENT_LENGTH));
    assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
    assert!(response.headers().contains_key("x-request-id"));
}

#[tokio::test]
async fn event_streams_small_answers_and_what_is_encoded_already_stay_as_they_are() {
    for path in ["/stream", "/little"] {
        let (_, encoding, _) = sent(asking(path, "gzip, br")).await;
        assert_eq!(encoding, None, "{path}");
    }
    let (_, encoding, size) = sent(asking("/encoded", "gzip, br")).await;
    let (_, _, whole) = sent(get("/encoded")).await;
    assert_eq!((encoding.as_deref(), size), (Some("gzip"), whole));
}

#[tokio::test]
async fn a_client_that_has_the_document_is_not_sent_it_again() {
    for path in ["/openapi.json", "/docs/", "/docs/swagger-ui-bundle.js"] {
        for encodings in ["identity", "gzip"] {
            let asked = asking(path, encodings);
            let response = call(routes(), HttpConfig::on_port(0), asked).await;
            let etag = response.headers()[ETAG].clone();
            assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
            let mut again = asking(path, encodings);
            again.headers_mut().insert(IF_NONE_MATCH, etag.clone());
            let response = call(routes(), HttpConfig::on_port(0), again).await;
            assert_eq!(response.status(), StatusCode::NOT_MODIFIED, "{path}");
            assert_eq!(response.headers()[ETAG], etag);
            let body = response.into_body().collect().await.unwrap().to_bytes();
            assert!(body.is_empty());
            let mut other = asking(path, encodings);
            let unknown = "W/\"0123\"".parse().unwrap();
            other.headers_mut().insert(IF_NONE_MATCH, unknown);
            let response = call(routes(), HttpConfig::on_port(0), other).await;
            assert_eq!(response.status(), StatusCode::OK);
        }
    }
}
