//! A bff to test: the real routes over a database of its own, on a clock that stands still.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use bff::{Admin, Config};
use chrono::DateTime;
use http::header::{CONTENT_TYPE, HOST, SET_COOKIE};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use secrecy::SecretString;
use serde_json::{Value, json};
use service_kit::client_address::ClientAddress;
use service_kit::clock::{FixedClock, RandomIds};
use test_support::database::TestDatabase;
use tower::ServiceExt;

pub(crate) const PASSWORD: &str = "correct horse";

pub(crate) struct Bench {
    pub(crate) router: Router,
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) config: Config,
    pub(crate) admin: Admin,
    pub(crate) database: TestDatabase,
}

/// An answer, read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) cookie: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Bench {
    /// A bff with the account `demo`.
    pub(crate) async fn start() -> Self {
        Self::configured(|_| {}).await
    }

    pub(crate) async fn configured(adjust: impl FnOnce(&mut Config)) -> Self {
        let database = TestDatabase::new("bff", |pool| async move { bff::migrate(&pool).await })
            .await
            .unwrap();
        let clock = FixedClock::at(DateTime::from_timestamp(1_800_000_000, 0).unwrap());
        let mut config = Config::default();
        config.database.url = Some(database.url().to_owned().into());
        // These ports have no listener.
        for url in [
            &mut config.upstream.orchestrator_url,
            &mut config.upstream.tools_url,
        ] {
            "http://127.0.0.1:9".clone_into(url);
        }
        adjust(&mut config);
        let admin = Admin::open(&config.database, clock.clone(), RandomIds::shared()).unwrap();
        let made = admin
            .ensure_demo(Some(PASSWORD.to_owned().into()))
            .await
            .unwrap();
        assert!(made.is_some());
        let mut bench = Self {
            router: Router::new(),
            clock,
            config,
            admin,
            database,
        };
        bench.restart().await;
        bench
    }

    /// Another process over the same database, in place of the one of before.
    pub(crate) async fn restart(&mut self) {
        self.router = self.replica().await;
    }

    /// Another process over the same database.
    pub(crate) async fn replica(&self) -> Router {
        let app = bff::build(self.config.clone(), self.clock.clone(), RandomIds::shared())
            .await
            .unwrap();
        app.service.router(app.routes)
    }

    /// Sends a request to another process.
    pub(crate) async fn send_to(&self, replica: &Router, request: Request<Body>) -> Answer {
        read(replica.clone().oneshot(request).await.unwrap()).await
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        read(self.router.clone().oneshot(request).await.unwrap()).await
    }

    pub(crate) async fn sign_in(&self, password: &str) -> Answer {
        self.send(post(
            "/auth/login",
            &json!({ "username": "demo", "password": password }),
        ))
        .await
    }

    /// The session's cookie of a fresh sign-in.
    pub(crate) async fn session(&self) -> String {
        let answer = self.sign_in(PASSWORD).await;
        assert_eq!(answer.status, StatusCode::OK);
        let cookie = answer.cookie.unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }

    pub(crate) async fn tokens(&self) -> Value {
        let answer = self
            .send(post(
                "/auth/token",
                &json!({ "username": "demo", "password": PASSWORD }),
            ))
            .await;
        assert_eq!(answer.status, StatusCode::OK);
        answer.body
    }

    pub(crate) async fn me(&self, request: Request<Body>) -> StatusCode {
        self.send(request).await.status
    }
}

pub(crate) fn secret(text: &str) -> SecretString {
    text.to_owned().into()
}

pub(crate) fn post(path: &str, body: &Value) -> Request<Body> {
    request(Method::POST, path, body.to_string())
}

/// A body as it stands: making JSON of a large value takes longer than anything that is done with
/// it.
pub(crate) fn post_text(path: &str, body: String) -> Request<Body> {
    request(Method::POST, path, body)
}

pub(crate) fn get(path: &str) -> Request<Body> {
    request(Method::GET, path, String::new())
}

fn request(method: Method, path: &str, body: String) -> Request<Body> {
    let builder = Request::builder()
        .method(method)
        .uri(path)
        .header(HOST, "localhost:8080");
    builder
        .header(CONTENT_TYPE, "application/json")
        .body(Body::from(body))
        .unwrap()
}

pub(crate) trait With {
    fn header(self, name: &'static str, value: &str) -> Self;
    fn session(self, cookie: &str) -> Self;
    fn bearer(self, token: &str) -> Self;
    /// As if it came over a connection from this address.
    fn from(self, address: &str) -> Self;
}

impl With for Request<Body> {
    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers_mut().insert(name, value.parse().unwrap());
        self
    }

    fn session(self, cookie: &str) -> Self {
        self.header("cookie", cookie)
    }

    fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    fn from(mut self, address: &str) -> Self {
        let address = ClientAddress(address.parse().unwrap());
        self.extensions_mut().insert(address);
        self
    }
}

async fn read(response: Response<Body>) -> Answer {
    let header = |name| {
        response
            .headers()
            .get(name)
            .map(|value: &http::HeaderValue| value.to_str().unwrap().to_owned())
    };
    let headers = response.headers().clone();
    let (cookie, retry_after) = (header(SET_COOKIE.as_str()), header("retry-after"));
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Answer {
        status,
        cookie,
        retry_after,
        headers,
        body,
    }
}
