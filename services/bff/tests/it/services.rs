//! Identity tokens for runs that continue without their user.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde_json::{Value, json};

use crate::bench::{Answer, Bench, With, get, post};

const SECRET: &str = "a secret of more than thirty-two characters";

async fn bench() -> Bench {
    Bench::configured(|config| config.services.orchestrator_secret = Some(SECRET.into())).await
}

async fn ask(bench: &Bench, secret: &str, body: &Value) -> Answer {
    bench
        .send(post("/auth/identity", body).bearer(secret))
        .await
}

async fn demo(bench: &Bench) -> String {
    let session = bench.session().await;
    let me = bench.send(get("/auth/me").session(&session)).await;
    me.body["sub"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_orchestrator_gets_a_token_that_can_answer_and_no_more() {
    let bench = bench().await;
    let subject = demo(&bench).await;
    let body = json!({ "subject": subject, "tenant": "demo" });
    let answer = ask(&bench, SECRET, &body).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body["expires_in"], 300);
    let token = answer.body["access_token"].as_str().unwrap();
    let claims = URL_SAFE_NO_PAD
        .decode(token.split('.').nth(1).unwrap())
        .unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    assert_eq!(
        (&claims["sub"], &claims["tenant"]),
        (&json!(subject), &json!("demo"))
    );
    assert_eq!(claims["scope"], "chat tools:read schedules:write");
    // It is for the inner tiers: here it opens nothing.
    assert_eq!(
        bench.me(get("/auth/me").bearer(token)).await,
        StatusCode::UNAUTHORIZED
    );
}

#[tokio::test]
async fn nobody_else_gets_one() {
    let bench = bench().await;
    let body = json!({ "subject": demo(&bench).await, "tenant": "demo" });
    let tokens = bench.tokens().await;
    for secret in ["", "wrong", tokens["access_token"].as_str().unwrap()] {
        let answer = ask(&bench, secret, &body).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{secret}");
    }
    let unconfigured = Bench::start().await;
    let answer = ask(&unconfigured, SECRET, &body).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn there_is_none_for_an_account_that_is_not_there() {
    let bench = bench().await;
    let subject = demo(&bench).await;
    for body in [
        json!({ "subject": "not-a-uuid", "tenant": "demo" }),
        json!({ "subject": "00000000-0000-4000-8000-000000000000", "tenant": "demo" }),
        json!({ "subject": subject, "tenant": "another" }),
    ] {
        let answer = ask(&bench, SECRET, &body).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{body}");
    }
}
