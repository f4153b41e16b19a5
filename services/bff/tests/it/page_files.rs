//! The page's files as a browser gets them: kept forever under the version that the document names,
//! asked for again elsewhere.

use axum::body::Body;
use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG};
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use tower::ServiceExt;

use crate::bench::{Bench, With, get};

async fn ask(bench: &Bench, request: Request<Body>) -> Response<Body> {
    bench.router.clone().oneshot(request).await.unwrap()
}

async fn text(response: Response<Body>) -> String {
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

/// The paths that the document names.
fn named(document: &str) -> Vec<String> {
    let quoted = document.split('"').skip(1).step_by(2);
    quoted
        .filter(|word| {
            [".js", ".css", ".svg"]
                .iter()
                .any(|end| word.ends_with(end))
        })
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn every_file_that_the_document_names_is_kept_for_ever() {
    let bench = Bench::start().await;
    let document = text(ask(&bench, get("/")).await).await;
    let paths = named(&document);
    assert!(paths.len() > 30, "{paths:?}");
    for path in paths {
        assert!(path.starts_with("/assets/"), "{path}");
        let response = ask(&bench, get(&path)).await;
        assert_eq!(response.status(), StatusCode::OK, "{path}");
        assert_eq!(
            response.headers()[CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
        assert!(response.headers().contains_key(ETAG));
        assert!(response.headers().contains_key(CONTENT_SECURITY_POLICY));
    }
}

#[tokio::test]
async fn the_document_is_asked_for_again_and_sent_only_when_it_changed() {
    let bench = Bench::start().await;
    for path in ["/", "/app.js", "/style.css"] {
        let first = ask(&bench, get(path)).await;
        assert_eq!(first.headers()[CACHE_CONTROL], "no-cache", "{path}");
        let etag = first.headers()[ETAG].to_str().unwrap().to_owned();
        let again = get(path).header("if-none-match", &etag);
        let again = ask(&bench, again).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{path}");
        assert_eq!(again.headers()[ETAG], etag.as_str());
        assert!(text(again).await.is_empty());
        let other = get(path).header("if-none-match", "W/\"other\"");
        assert_eq!(ask(&bench, other).await.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_file_of_another_version_is_sent_as_it_is_now_and_not_kept() {
    let bench = Bench::start().await;
    let response = ask(&bench, get("/assets/0123/app.js")).await;
    assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
    let now = text(ask(&bench, get("/app.js")).await).await;
    assert_eq!(text(response).await, now);
    for path in ["/assets/0123/none.js", "/assets/0123/", "/assets/app.js"] {
        let missing = bench.send(get(path)).await;
        assert_eq!(missing.status, StatusCode::NOT_FOUND, "{path}");
        assert!(missing.body["requestId"].is_string(), "{path}");
    }
}

#[tokio::test]
async fn the_page_is_sent_compressed() {
    let bench = Bench::start().await;
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/app.js", "text/javascript; charset=utf-8"),
        ("/style.css", "text/css; charset=utf-8"),
    ] {
        for encoding in ["gzip", "br"] {
            let asked = get(path).header("accept-encoding", encoding);
            let response = ask(&bench, asked).await;
            assert_eq!(response.headers()[CONTENT_ENCODING], encoding, "{path}");
            assert_eq!(response.headers()[CONTENT_TYPE], media_type);
        }
    }
}
