//! Credentials in requests: handed over before the run, in any dialect, and nowhere else.

use std::sync::{Arc, Mutex};

use axum::extract::Path;
use axum::routing::{post, put};
use axum::{Json, Router};
use contracts::tools::upstreams::{CredentialState, CredentialStatus, PutCredential};
use http::{HeaderMap, Method, StatusCode};
use serde_json::{Value, json};

use crate::bench::{ALICE, Replica, World, agent, chat, message};
use crate::calls::Call;

/// The requests to the tools service: upstream and tokens.
type Handed = Arc<Mutex<Vec<(String, PutCredential)>>>;

/// A tools service that keeps credentials, but no refused ones.
async fn tools() -> (String, Handed) {
    let handed = Handed::default();
    let kept = Arc::clone(&handed);
    let keep = move |Path(upstream): Path<String>,
                     headers: HeaderMap,
                     Json(brought): Json<PutCredential>| async move {
        assert!(
            headers["authorization"]
                .to_str()
                .unwrap()
                .starts_with("Bearer ")
        );
        let state = match brought.access_token.expose() {
            "another-users" => CredentialState::Refused,
            _ => CredentialState::Expired,
        };
        kept.lock().unwrap().push((upstream.clone(), brought));
        Json(status(upstream, state))
    };
    let ensure =
        |Path(upstream): Path<String>| async { Json(status(upstream, CredentialState::Valid)) };
    let router = Router::new()
        .route("/api/credentials/{upstream}", put(keep))
        .route("/api/credentials/{upstream}/ensure", post(ensure));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, handed)
}

fn status(upstream: String, state: CredentialState) -> CredentialStatus {
    let refused = state == CredentialState::Refused;
    CredentialStatus {
        upstream,
        state,
        expires_at: None,
        refreshed: false,
        error_code: refused.then(|| "wrong_subject".to_owned()),
        message: refused.then(|| "It belongs to another user.".to_owned()),
    }
}

fn replica(world: &World, tools_url: &str) -> Replica {
    let mut config = world.config();
    tools_url.clone_into(&mut config.tools.base_url);
    config.delegation.upstream = Some("citycatalyst".to_owned());
    world.replica_with(config)
}

/// The same request with a context.
fn with_context(mut call: Call, context: &Value) -> Call {
    let mut body: Value = serde_json::from_str(&call.body).unwrap();
    body["context"] = context.clone();
    call.body = body.to_string();
    call
}

#[tokio::test]
async fn a_token_in_any_dialect_is_handed_over_and_kept_nowhere() {
    let world = World::new().await;
    let (url, handed) = tools().await;
    let replica = replica(&world, &url);
    let context = json!({ "cc_access_token": "sesame-1", "access_token": "sesame-2", "refresh_token": "sesame-3", "year": 2022 });
    for call in [
        chat("a", "hello"),
        agent("b", "hello"),
        message("c", "hello"),
    ] {
        let said = replica.whole(ALICE, with_context(call, &context)).await;
        let frames = format!("{:?}", said.frames());
        assert!(
            !frames.contains("sesame") && !frames.contains("credential"),
            "{frames}"
        );
    }
    let thread = json!({ "thread_id": "d", "context": context });
    let (created, made) = replica
        .json(ALICE, Call::post("/v1/threads", &thread))
        .await;
    assert_eq!(
        (created, &made["context"]),
        (StatusCode::CREATED, &json!({ "year": 2022 }))
    );
    let mut patch = Call::new(Method::PATCH, "/v1/threads/d");
    patch.body = json!({ "context": { "access_token": "sesame-4" } }).to_string();
    assert_eq!(replica.json(ALICE, patch).await.0, StatusCode::OK);

    let handed = handed.lock().unwrap().clone();
    let tokens: Vec<(&str, &str)> = handed
        .iter()
        .map(|(upstream, brought)| (upstream.as_str(), brought.access_token.expose()))
        .collect();
    let first = ("citycatalyst", "sesame-1");
    assert_eq!(
        tokens,
        [first, first, first, first, ("citycatalyst", "sesame-4")]
    );
    let refresh = handed[0].1.refresh_token.as_ref();
    assert_eq!(refresh.unwrap().expose(), "sesame-3");
    let stored: String = sqlx::query_scalar(
        "SELECT (SELECT coalesce(string_agg(t::text, ''), '') FROM orchestrator.threads t) \
             || (SELECT coalesce(string_agg(r::text, ''), '') FROM orchestrator.runs r) \
             || (SELECT coalesce(string_agg(m::text, ''), '') FROM orchestrator.messages m)",
    )
    .fetch_one(world.database.pool())
    .await
    .unwrap();
    assert!(
        !stored.contains("sesame") && stored.contains("2022"),
        "{stored}"
    );
}

#[tokio::test]
async fn a_credential_that_is_not_used_is_a_warning_and_the_run_goes_on() {
    let world = World::new().await;
    let (url, _handed) = tools().await;
    for (tools_url, token, code) in [
        (url.as_str(), "another-users", "credential_refused"),
        // This port has no listener.
        ("http://127.0.0.1:9", "sesame", "credential_not_kept"),
    ] {
        let replica = replica(&world, tools_url);
        let call = with_context(message("t", "hello"), &json!({ "access_token": token }));
        let said = replica.whole(ALICE, call).await;
        let frames = format!("{:?}", said.frames());
        assert!(frames.contains(code) && !frames.contains(token), "{frames}");
        assert!(frames.contains(r#""ok": Bool(true)"#), "{frames}");
    }
}
