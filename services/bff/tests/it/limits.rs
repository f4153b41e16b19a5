//! Number of times that a user may ask.

use chrono::TimeDelta;
use http::StatusCode;

use crate::bench::{Bench, PASSWORD, With, get};

#[tokio::test]
async fn a_user_who_asks_too_often_is_told_when_to_come_back() {
    let bench = Bench::configured(|config| {
        config.limits.request_burst = 2;
        config.limits.requests_per_minute = 6;
    })
    .await;
    let session = bench.session().await;
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
    let refused = bench.send(get("/auth/me").session(&session)).await;
    assert_eq!(
        (refused.status, refused.retry_after.as_deref()),
        (StatusCode::TOO_MANY_REQUESTS, Some("10"))
    );
    bench.clock.advance(TimeDelta::seconds(10));
    assert_eq!(
        bench.me(get("/auth/me").session(&session)).await,
        StatusCode::OK
    );
}

#[tokio::test]
async fn passwords_can_not_be_guessed_quickly() {
    let bench = Bench::configured(|config| config.limits.login_burst = 3).await;
    for _ in 0..3 {
        assert_eq!(
            bench.sign_in("a guess at it").await.status,
            StatusCode::UNAUTHORIZED
        );
    }
    let refused = bench.sign_in(PASSWORD).await;
    assert_eq!(
        refused.status,
        StatusCode::TOO_MANY_REQUESTS,
        "not even the right one"
    );
    assert!(refused.retry_after.is_some());
}
