//! An identity provider that signs what a test says.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, StatusCode};
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;

/// The time of the bench.
pub(crate) const NOW: i64 = 1_800_000_000;

#[derive(Clone)]
pub(crate) struct FakeProvider(Arc<Inner>);

struct Inner {
    url: String,
    state: Mutex<Signing>,
}

struct Signing {
    pair: Ed25519KeyPair,
    /// The number of keys of before, in the key's id.
    rotated: u32,
    header: Option<Value>,
    claims: Value,
    challenge: String,
    away: bool,
    /// Members of the discovery document in place of the usual ones.
    described: Value,
    /// Keys in place of the own one.
    published: Option<Value>,
    /// The next exchange of a code says that it began, and waits.
    held: Option<(oneshot::Sender<()>, oneshot::Receiver<()>)>,
}

fn key_pair() -> Ed25519KeyPair {
    let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap()
}

fn encoded(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl FakeProvider {
    pub(crate) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Self(Arc::new(Inner {
            url: format!("http://{}", listener.local_addr().unwrap()),
            state: Mutex::new(Signing {
                pair: key_pair(),
                rotated: 0,
                header: None,
                claims: Value::Null,
                challenge: String::new(),
                away: false,
                described: json!({}),
                published: None,
                held: None,
            }),
        }));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discover))
            .route("/jwks", get(keys))
            .route("/token", post(exchange))
            .with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    pub(crate) fn url(&self) -> &str {
        &self.0.url
    }

    /// The next code is that of a person with these claims, if the verifier fits the challenge.
    pub(crate) fn expect(&self, nonce: &str, challenge: &str, mut claims: Value) {
        if claims.get("nonce").is_none() {
            claims["nonce"] = nonce.into();
        }
        if claims.get("aud").is_none() {
            claims["aud"] = "heliograph".into();
        }
        let mut state = self.0.state.lock().unwrap();
        state.claims = claims;
        challenge.clone_into(&mut state.challenge);
    }

    /// Another key signs, and is published in place of the one of before.
    pub(crate) fn rotate(&self) {
        let mut state = self.0.state.lock().unwrap();
        state.pair = key_pair();
        state.rotated += 1;
    }

    pub(crate) fn sign_with_header(&self, header: Option<Value>) {
        self.0.state.lock().unwrap().header = header;
    }

    pub(crate) fn set_away(&self, away: bool) {
        self.0.state.lock().unwrap().away = away;
    }

    /// The discovery document has these members in place of the usual ones.
    pub(crate) fn describe(&self, members: Value) {
        self.0.state.lock().unwrap().described = members;
    }

    /// These keys are published, or with `None` the own one.
    pub(crate) fn publish(&self, keys: Option<Value>) {
        self.0.state.lock().unwrap().published = keys;
    }

    /// Holds the next exchange of a code: reports its beginning, and answers after a word.
    pub(crate) fn hold_exchange(&self) -> (oneshot::Receiver<()>, oneshot::Sender<()>) {
        let (began, asked) = oneshot::channel();
        let (answer, may_answer) = oneshot::channel();
        self.0.state.lock().unwrap().held = Some((began, may_answer));
        (asked, answer)
    }

    /// A token with these claims. Claims that are `null` are left out.
    pub(crate) fn token(&self, claims: &Value) -> String {
        let state = self.0.state.lock().unwrap();
        let mut all = json!({ "iss": self.0.url, "iat": NOW, "exp": NOW + 3600 });
        for (name, value) in claims.as_object().unwrap() {
            all[name] = value.clone();
        }
        all.as_object_mut()
            .unwrap()
            .retain(|_, value| !value.is_null());
        let usual = json!({ "alg": "EdDSA", "kid": format!("k{}", state.rotated) });
        let header = state.header.as_ref().unwrap_or(&usual);
        let message = format!(
            "{}.{}",
            encoded(header.to_string().as_bytes()),
            encoded(all.to_string().as_bytes())
        );
        let signature = state.pair.sign(message.as_bytes());
        format!("{message}.{}", encoded(signature.as_ref()))
    }

    /// The answer of a provider that is away, as a proxy in front of it gives it: none at all.
    fn is_away(&self) -> bool {
        self.0.state.lock().unwrap().away
    }
}

/// Breaks the connection off.
fn away() -> Response {
    let broken = futures::stream::iter([Err::<Vec<u8>, _>(std::io::Error::other("away"))]);
    axum::body::Body::from_stream(broken).into_response()
}

async fn discover(State(provider): State<FakeProvider>) -> Response {
    if provider.is_away() {
        return away();
    }
    let url = provider.url();
    let mut document = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorize"),
        "token_endpoint": format!("{url}/token"),
        "jwks_uri": format!("{url}/jwks"),
        "end_session_endpoint": format!("{url}/end"),
    });
    let state = provider.0.state.lock().unwrap();
    for (name, value) in state.described.as_object().unwrap() {
        document[name] = value.clone();
    }
    Json(document).into_response()
}

async fn keys(State(provider): State<FakeProvider>) -> Response {
    if provider.is_away() {
        return away();
    }
    let state = provider.0.state.lock().unwrap();
    if let Some(keys) = &state.published {
        return Json(json!({ "keys": keys })).into_response();
    }
    let x = encoded(state.pair.public_key().as_ref());
    let kid = format!("k{}", state.rotated);
    Json(json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": kid, "x": x }] }))
        .into_response()
}

async fn exchange(
    State(provider): State<FakeProvider>,
    headers: HeaderMap,
    body: String,
) -> Response {
    if provider.is_away() {
        return away();
    }
    let held = provider.0.state.lock().unwrap().held.take();
    if let Some((began, may_answer)) = held {
        began.send(()).unwrap();
        may_answer.await.unwrap();
    }
    let url = reqwest::Url::parse(&format!("http://form/?{body}")).unwrap();
    let field = |name: &str| {
        let found = url.query_pairs().find(|(one, _)| one == name);
        found
            .map(|(_, value)| value.into_owned())
            .unwrap_or_default()
    };
    let (claims, challenge) = {
        let state = provider.0.state.lock().unwrap();
        (state.claims.clone(), state.challenge.clone())
    };
    let verified = encoded(&Sha256::digest(field("code_verifier").as_bytes())) == challenge;
    // `s3cret & more`, form-encoded before it is encoded for the header.
    let basic = base64::engine::general_purpose::STANDARD.encode("heliograph:s3cret+%26+more");
    let authenticated = headers
        .get("authorization")
        .is_some_and(|sent| *sent == format!("Basic {basic}"));
    if !authenticated {
        let error = json!({ "error": "invalid_client" });
        return (StatusCode::UNAUTHORIZED, Json(error)).into_response();
    }
    if field("code") != "c0de" || !verified {
        let error = json!({ "error": "invalid_grant" });
        return (StatusCode::BAD_REQUEST, Json(error)).into_response();
    }
    let token = provider.token(&claims);
    Json(json!({ "id_token": token, "access_token": "opaque", "token_type": "Bearer" }))
        .into_response()
}
