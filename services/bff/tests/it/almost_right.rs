//! The bff's own operations with every value replaced by what no handler should see. What is passed
//! on is not reached here: the services behind it are away.

use test_support::openapi::probes;

use crate::bench::{Bench, With};

#[tokio::test]
async fn what_is_almost_right_is_refused_with_a_pointer_and_never_fails() {
    let bench = Bench::configured(|config| {
        config.limits.requests_per_minute = 100_000;
        config.limits.request_burst = 10_000;
    })
    .await;
    let session = bench.session().await;
    let document = contracts::openapi::bff_document();
    let mut tried = 0;
    let mut faults = Vec::new();
    for probe in probes(&document, |_| "t1".to_owned()) {
        let in_url = probe.path.contains("%00");
        let own = ["/auth/login", "/auth/token", "/auth/refresh"].contains(&probe.path.as_str());
        if !own && !in_url {
            continue;
        }
        let request = http::Request::builder()
            .method(probe.method.as_str())
            .uri(&probe.path)
            .header("host", "localhost:8080")
            .header("content-type", "application/json")
            .body(axum::body::Body::from(
                probe.body.clone().unwrap_or_default(),
            ))
            .unwrap();
        // The caller's own credential is not part of signing in.
        let request = if own {
            request
        } else {
            request.session(&session)
        };
        let answer = bench.send(request).await;
        if own && answer.status == 429 {
            continue;
        }
        tried += 1;
        let content_type = if answer.status.is_success() {
            "application/json"
        } else {
            "application/problem+json"
        };
        let body = answer.body.to_string();
        faults.extend(probe.judge(answer.status.as_u16(), content_type, body.as_bytes()));
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(tried > 60, "{tried} probes");
}
