//! Tokens that are taken, and all those that are not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get as on_get;
use chrono::TimeDelta;
use http::{Request, StatusCode};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use service_kit::clock::{FixedClock, SequentialIds};
use service_kit::config::{HttpConfig, IdentityConfig};
use service_kit::docs;
use service_kit::http_client;
use service_kit::identity::{
    Caller, JwkSet, KEY_SET_PATH, KeySource, Signer, TokenError, TokenRequest, Verifier, protect,
};
use service_kit::web::Json;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

use crate::support::{Running, call, clock, get, problem, serve, signer, text, token_for};

fn verifier(source: KeySource, clock: &Arc<FixedClock>) -> Verifier {
    let config = IdentityConfig::for_audience("tools");
    Verifier::new(&config, source, http_client().unwrap(), clock.clone()).unwrap()
}

fn local_verifier(signer: &Signer, clock: &Arc<FixedClock>) -> Verifier {
    verifier(KeySource::Keys(signer.key_set()), clock)
}

fn valid_claims() -> serde_json::Value {
    serde_json::json!({
        "iss": "heliograph", "sub": "u-1", "tenant": "demo", "scope": "tools:read", "aud": ["tools"],
        "iat": 1_700_000_000, "exp": 1_700_000_300, "jti": "j",
    })
}

#[tokio::test]
async fn a_good_token_gives_the_identity() {
    let clock = clock();
    let signer = signer(&clock);
    let token = token_for(&signer, &["orchestrator", "tools"], &["tools:read", "chat"]);
    let identity = local_verifier(&signer, &clock)
        .verify(&token)
        .await
        .unwrap();
    assert_eq!(
        (identity.subject.as_str(), identity.tenant.as_str()),
        ("u-1", "demo")
    );
    assert!(identity.has_scope("chat") && !identity.has_scope("tools"));
    assert!(
        !format!("{identity:?}").contains(&token),
        "the token must not be shown"
    );
}

#[tokio::test]
async fn a_token_lives_five_minutes_and_a_little() {
    let clock = clock();
    let signer = signer(&clock);
    let verifier = local_verifier(&signer, &clock);
    let token = token_for(&signer, &["tools"], &[]);
    clock.advance(TimeDelta::seconds(304));
    assert!(verifier.verify(&token).await.is_ok());
    clock.advance(TimeDelta::seconds(1));
    // Once remembered and once not.
    assert!(matches!(
        verifier.verify(&token).await,
        Err(TokenError::Expired)
    ));
    assert!(matches!(
        local_verifier(&signer, &clock).verify(&token).await,
        Err(TokenError::Expired)
    ));
    clock.advance(TimeDelta::seconds(-400));
    assert!(matches!(
        local_verifier(&signer, &clock).verify(&token).await,
        Err(TokenError::NotYetValid)
    ));
}

/// A token with these claims and this header, signed with the signer's own key.
fn signed_by(
    signer: &Signer,
    claims: &serde_json::Value,
    adjust: impl FnOnce(&mut Header),
) -> String {
    use secrecy::ExposeSecret;
    let key = pem::parse(signer.to_pem().expose_secret()).unwrap();
    let key = EncodingKey::from_ed_der(key.contents());
    let mut header = Header::new(Algorithm::EdDSA);
    header.kid = Some(signer.key_id().to_owned());
    adjust(&mut header);
    encode(&header, claims, &key).unwrap()
}

#[tokio::test]
async fn times_and_extensions_that_our_signer_never_writes_are_refused() {
    let clock = clock();
    let signer = signer(&clock);
    let verifier = local_verifier(&signer, &clock);
    let token = |change: serde_json::Value| {
        let mut claims = valid_claims();
        for (name, value) in change.as_object().unwrap() {
            claims[name] = value.clone();
        }
        signed_by(&signer, &claims, |_| {})
    };
    let valid = token(serde_json::json!({ "nbf": 1_700_000_005 }));
    verifier.verify(&valid).await.unwrap();
    let not_yet = token(serde_json::json!({ "nbf": 1_700_000_006 }));
    assert!(matches!(
        verifier.verify(&not_yet).await,
        Err(TokenError::NotYetValid)
    ));
    for (issued, ends) in [
        (1_700_000_000_i64, 1_700_000_301_i64),
        (1_700_000_005, 1_700_000_306),
        (1_700_000_000, i64::MAX),
        (-1, 1_700_000_100),
    ] {
        let long = token(serde_json::json!({ "iat": issued, "exp": ends }));
        assert!(
            matches!(verifier.verify(&long).await, Err(TokenError::TooLong)),
            "{issued} to {ends}"
        );
    }
    let demanding = signed_by(&signer, &valid_claims(), |header| {
        header.crit = Some(vec!["b64".to_owned()]);
    });
    assert!(matches!(
        verifier.verify(&demanding).await,
        Err(TokenError::Extension)
    ));
}

#[tokio::test]
async fn two_keys_verify_at_once_and_a_withdrawn_one_no_longer() {
    let clock = clock();
    let (old, new) = (signer(&clock), signer(&clock));
    let verifier = local_verifier(&old, &clock);
    let tokens = [&old, &new].map(|signer| token_for(signer, &["tools"], &[]));
    verifier.verify(&tokens[0]).await.unwrap();
    let mut both = old.key_set();
    both.keys.extend(new.key_set().keys);
    verifier.use_keys(&both);
    for token in &tokens {
        verifier.verify(token).await.unwrap();
    }
    verifier.use_keys(&new.key_set());
    assert!(matches!(
        verifier.verify(&tokens[0]).await,
        Err(TokenError::UnknownKey)
    ));
    verifier.verify(&tokens[1]).await.unwrap();
}

#[tokio::test]
async fn a_token_tells_the_session_it_was_issued_under() {
    let clock = clock();
    let signer = signer(&clock);
    let request = TokenRequest {
        subject: "u-1",
        tenant: "demo",
        scopes: &[],
        audience: &["tools"],
    };
    let token = signer.sign_as(request, None, Some("s-1")).unwrap();
    let token = token.token;
    let token = secrecy::ExposeSecret::expose_secret(&token).to_owned();
    let identity = local_verifier(&signer, &clock)
        .verify(&token)
        .await
        .unwrap();
    assert_eq!(identity.session.as_deref(), Some("s-1"));
}

#[tokio::test]
async fn tokens_for_others_and_from_others_are_refused() {
    let clock = clock();
    let signer = signer(&clock);
    let verifier = local_verifier(&signer, &clock);
    let elsewhere = token_for(&signer, &["orchestrator"], &[]);
    assert!(matches!(
        verifier.verify(&elsewhere).await,
        Err(TokenError::Audience)
    ));

    let pem = signer.to_pem();
    let impostor = Signer::from_pem(
        &pem,
        "someone",
        clock.clone(),
        Arc::new(SequentialIds::default()),
    )
    .unwrap();
    assert_eq!(
        impostor.key_id(),
        signer.key_id(),
        "the key survives the trip through PEM"
    );
    let token = token_for(&impostor, &["tools"], &[]);
    assert!(matches!(
        verifier.verify(&token).await,
        Err(TokenError::Issuer)
    ));
}

#[tokio::test]
async fn unsigned_and_differently_signed_tokens_are_refused() {
    let clock = clock();
    let signer = signer(&clock);
    let verifier = local_verifier(&signer, &clock);
    let good = token_for(&signer, &["tools"], &[]);
    let payload = good.split('.').nth(1).unwrap();

    // {"alg":"none"} and {"alg":"none","kid":…} are the oldest tricks.
    let unsigned = format!("eyJhbGciOiJub25lIn0.{payload}.");
    assert!(matches!(
        verifier.verify(&unsigned).await,
        Err(TokenError::Malformed | TokenError::Algorithm)
    ));

    // The public key taken for a shared secret.
    let jwk = serde_json::to_value(&signer.key_set().keys[0]).unwrap();
    let mut header = Header::new(Algorithm::HS256);
    header.kid = Some(signer.key_id().to_owned());
    let secret = EncodingKey::from_secret(jwk["x"].as_str().unwrap().as_bytes());
    let confused = encode(&header, &valid_claims(), &secret).unwrap();
    assert!(matches!(
        verifier.verify(&confused).await,
        Err(TokenError::Algorithm)
    ));

    let other = crate::support::signer(&clock);
    let unknown_key = token_for(&other, &["tools"], &[]);
    assert!(matches!(
        verifier.verify(&unknown_key).await,
        Err(TokenError::UnknownKey)
    ));
    let mut parts: Vec<&str> = good.split('.').collect();
    parts[2] = unknown_key.split('.').nth(2).unwrap();
    assert!(matches!(
        verifier.verify(&parts.join(".")).await,
        Err(TokenError::Signature)
    ));
    assert!(matches!(
        verifier.verify("not a token").await,
        Err(TokenError::Malformed)
    ));
}

/// Keys of earlier versions, which hold the public key, too, and of `openssl genpkey -algorithm
/// ed25519`.
#[tokio::test]
async fn keys_of_earlier_versions_and_of_openssl_sign() {
    let with_public_key = "-----BEGIN PRIVATE KEY-----\n\
        MFECAQEwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        gSEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n\
        -----END PRIVATE KEY-----\n";
    let of_openssl = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n\
        -----END PRIVATE KEY-----\n";
    let clock = clock();
    for pem in [with_public_key, of_openssl] {
        let ids = Arc::new(SequentialIds::default());
        let signer = Signer::from_pem(&pem.into(), "heliograph", clock.clone(), ids).unwrap();
        // The thumbprint of RFC 8037, appendix A.3.
        assert_eq!(
            signer.key_id(),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"
        );
        let token = token_for(&signer, &["tools"], &[]);
        let verifier = local_verifier(&signer, &clock);
        assert!(verifier.verify(&token).await.is_ok());
    }
}

#[tokio::test]
async fn a_private_key_of_another_kind_is_refused() {
    let ids = Arc::new(SequentialIds::default());
    assert!(
        Signer::from_pem(
            &"-----BEGIN NOTHING-----".into(),
            "heliograph",
            clock(),
            ids
        )
        .is_err()
    );
}

fn guarded(verifier: Verifier) -> Router {
    let routes = Router::new()
        .route(
            "/who",
            on_get(|Caller(identity): Caller| async move { identity.subject.clone() }),
        )
        .route("/open", on_get(|| async { "open" }))
        .route("/health/live", on_get(|| async { "live" }))
        .route(
            "/write",
            on_get(|Caller(identity): Caller| async move {
                identity
                    .require_scope("measurements:write")
                    .map(|()| "written")
            }),
        );
    let routes = routes.merge(docs::routes(contracts::openapi::tools_document()));
    protect(routes, Arc::new(verifier), &["/open"])
}

fn bearing(path: &str, token: &str) -> Request<Body> {
    Request::get(path)
        .header("authorization", format!("Bearer {token}"))
        .body(Body::empty())
        .unwrap()
}

#[tokio::test]
async fn a_protected_router_answers_only_known_callers_save_on_public_routes() {
    let clock = clock();
    let signer = signer(&clock);
    let routes = guarded(local_verifier(&signer, &clock));
    let http = || HttpConfig::on_port(0);
    for path in ["/who", "/write", "/nowhere"] {
        let response = call(routes.clone(), http(), get(path)).await;
        assert_eq!(response.headers()["www-authenticate"], "Bearer");
        assert_eq!(problem(response).await.status, 401, "{path}");
    }
    for path in [
        "/open",
        "/health/live",
        "/openapi.json",
        "/docs/",
        "/docs/swagger-ui.css",
    ] {
        assert_eq!(
            call(routes.clone(), http(), get(path)).await.status(),
            StatusCode::OK,
            "{path}"
        );
    }
    let bad = call(routes.clone(), http(), bearing("/who", "nonsense")).await;
    assert_eq!(
        bad.headers()["www-authenticate"],
        "Bearer error=\"invalid_token\""
    );
    assert_eq!(
        problem(bad).await.detail.as_deref(),
        Some("The token is not an identity token.")
    );

    let token = token_for(&signer, &["tools"], &["tools:read"]);
    assert_eq!(
        text(call(routes.clone(), http(), bearing("/who", &token)).await).await,
        "u-1"
    );
    let refused = call(routes.clone(), http(), bearing("/write", &token)).await;
    assert!(
        refused.headers()["www-authenticate"]
            .to_str()
            .unwrap()
            .contains("scope=\"measurements:write\"")
    );
    assert_eq!(problem(refused).await.status, 403);
    let unknown = call(routes, http(), bearing("/nowhere", &token)).await;
    assert_eq!(problem(unknown).await.code, "route_not_found");
}

/// A signer's endpoint whose answer can be changed.
#[derive(Clone, Default)]
struct KeyServer {
    set: Arc<RwLock<Option<JwkSet>>>,
    fetches: Arc<AtomicUsize>,
}

impl KeyServer {
    async fn publish(&self, set: Option<JwkSet>) {
        *self.set.write().await = set;
    }

    fn fetches(&self) -> usize {
        self.fetches.load(Ordering::Relaxed)
    }

    async fn start(&self) -> (Running, KeySource) {
        let routes = Router::new()
            .route(KEY_SET_PATH, on_get(answer_keys))
            .with_state(self.clone());
        let running = serve("keys", HttpConfig::on_port(0), routes).await;
        let source = KeySource::Url(format!("{}{KEY_SET_PATH}", running.service.base_url()));
        (running, source)
    }
}

async fn answer_keys(State(server): State<KeyServer>) -> Response {
    server.fetches.fetch_add(1, Ordering::Relaxed);
    match server.set.read().await.clone() {
        Some(set) => Json(set).into_response(),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[tokio::test]
async fn keys_are_fetched_once_and_again_after_a_rotation() {
    let (clock, server) = (clock(), KeyServer::default());
    let (old, new) = (signer(&clock), signer(&clock));
    let (_running, source) = server.start().await;
    server.publish(Some(old.key_set())).await;
    let verifier = verifier(source, &clock).refetch_interval(Duration::ZERO);

    let old_token = token_for(&old, &["tools"], &["a"]);
    assert!(verifier.verify(&old_token).await.is_ok());
    assert!(
        verifier
            .verify(&token_for(&old, &["tools"], &["b"]))
            .await
            .is_ok()
    );
    assert_eq!(server.fetches(), 1);

    server.publish(Some(new.key_set())).await;
    assert!(
        verifier
            .verify(&token_for(&new, &["tools"], &[]))
            .await
            .is_ok()
    );
    assert_eq!(server.fetches(), 2);
    assert!(
        matches!(
            verifier.verify(&old_token).await,
            Err(TokenError::UnknownKey)
        ),
        "a withdrawn key is forgotten"
    );
}

#[tokio::test]
async fn unknown_keys_do_not_flood_the_signer() {
    let (clock, server) = (clock(), KeyServer::default());
    let known = signer(&clock);
    let (_running, source) = server.start().await;
    server.publish(Some(known.key_set())).await;
    let verifier = verifier(source, &clock).refetch_interval(Duration::from_hours(1));
    for _ in 0..5 {
        let token = token_for(&signer(&clock), &["tools"], &[]);
        assert!(matches!(
            verifier.verify(&token).await,
            Err(TokenError::UnknownKey)
        ));
    }
    assert_eq!(server.fetches(), 1);
    assert!(
        verifier
            .verify(&token_for(&known, &["tools"], &[]))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn a_service_starts_before_its_signer_and_outlives_it() {
    let (clock, server) = (clock(), KeyServer::default());
    let known = signer(&clock);
    let (running, source) = server.start().await;
    let verifier = verifier(source, &clock).refetch_interval(Duration::ZERO);
    let token = token_for(&known, &["tools"], &[]);
    assert!(matches!(
        verifier.verify(&token).await,
        Err(TokenError::KeysUnavailable(_))
    ));
    assert!(verifier.ready().await.is_err());

    server.publish(Some(known.key_set())).await;
    assert!(verifier.ready().await.is_ok());
    assert!(verifier.verify(&token).await.is_ok());

    running.shutdown.cancel();
    running.service.stopped().await;
    assert!(
        verifier
            .verify(&token_for(&known, &["tools"], &["later"]))
            .await
            .is_ok()
    );
    let unknown = token_for(&signer(&clock), &["tools"], &[]);
    assert!(matches!(
        verifier.verify(&unknown).await,
        Err(TokenError::UnknownKey)
    ));
}

#[tokio::test]
async fn keys_that_come_later_are_found_without_any_request() {
    let (clock, server) = (clock(), KeyServer::default());
    let known = signer(&clock);
    let (_running, source) = server.start().await;
    // A request or a probe would fetch only once an hour.
    let verifier = verifier(source, &clock).refetch_interval(Duration::from_hours(1));
    let verifier = Arc::new(verifier);
    let shutdown = CancellationToken::new();
    let keeping = tokio::spawn(Arc::clone(&verifier).keep_keys(shutdown.clone()));
    while server.fetches() == 0 {
        tokio::task::yield_now().await;
    }
    let token = token_for(&known, &["tools"], &[]);
    assert!(matches!(
        verifier.verify(&token).await,
        Err(TokenError::KeysUnavailable(_))
    ));
    server.publish(Some(known.key_set())).await;
    while verifier.ready().await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(verifier.verify(&token).await.is_ok());
    shutdown.cancel();
    keeping.await.unwrap();
}

#[tokio::test]
async fn while_keys_are_away_a_caller_is_told_to_come_back() {
    let (clock, server) = (clock(), KeyServer::default());
    let known = signer(&clock);
    let (_running, source) = server.start().await;
    let routes = guarded(verifier(source, &clock));
    let token = token_for(&known, &["tools"], &[]);
    let response = call(routes, HttpConfig::on_port(0), bearing("/who", &token)).await;
    assert_eq!(response.headers()["retry-after"], "5");
    assert_eq!(problem(response).await.status, 503);
}

#[tokio::test]
async fn keys_may_come_from_a_file() {
    let clock = clock();
    let signer = signer(&clock);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), serde_json::to_vec(&signer.key_set()).unwrap()).unwrap();
    let verifier = verifier(KeySource::File(file.path().to_owned()), &clock);
    assert!(
        verifier
            .verify(&token_for(&signer, &["tools"], &[]))
            .await
            .is_ok()
    );
}
