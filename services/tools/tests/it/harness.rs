//! The service's router over a database of its own, and a caller.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use chrono::{DateTime, Utc};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use service_kit::clock::{FixedClock, SequentialIds, SharedClock};
use service_kit::http_client;
use service_kit::identity::{KeySource, Signer, TokenRequest, Verifier};
use sqlx::PgPool;
use test_support::database::TestDatabase;
use tools::Config;
use tower::ServiceExt;

/// The tenant of the fixtures.
pub(crate) const TENANT: &str = "demo";

/// A migrated database.
pub(crate) async fn database() -> TestDatabase {
    TestDatabase::new("tools", |pool| async move { tools::migrate(&pool).await })
        .await
        .unwrap()
}

/// The service in this process.
pub(crate) struct App {
    router: Router,
    signer: Signer,
    pub(crate) pool: PgPool,
}

impl App {
    /// The service over a database, long after its data.
    pub(crate) fn over(url: &str) -> Self {
        Self::at(url, "2026-06-01T12:00:00Z")
    }

    /// The service at a certain time.
    pub(crate) fn at(url: &str, now: &str) -> Self {
        Self::configured(url, now, |_| ())
    }

    /// The service at a certain time, with some settings changed.
    pub(crate) fn configured(url: &str, now: &str, change: impl FnOnce(&mut Config)) -> Self {
        let mut config = Config::default();
        config.database.acquire_timeout_ms = 1_000;
        change(&mut config);
        config.database.url = Some(SecretString::from(url.to_owned()));
        let now: DateTime<Utc> = now.parse().unwrap();
        let clock: SharedClock = FixedClock::at(now);
        let signer = Signer::generate(
            "heliograph",
            Arc::clone(&clock),
            Arc::new(SequentialIds::default()),
        )
        .unwrap();
        let keys = KeySource::Keys(signer.key_set());
        let verifier = Verifier::new(
            &config.identity,
            keys,
            http_client().unwrap(),
            Arc::clone(&clock),
        )
        .unwrap();
        let app = tools::build(&config, Arc::new(verifier), clock).unwrap();
        Self {
            router: app.service.router(app.routes),
            signer,
            pool: app.pool,
        }
    }

    /// The routes, to be served.
    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    /// A token with these scopes.
    pub(crate) fn token(&self, tenant: &str, scopes: &[&str]) -> String {
        self.token_of("ada", tenant, scopes)
    }

    /// The same of a certain user.
    pub(crate) fn token_of(&self, subject: &str, tenant: &str, scopes: &[&str]) -> String {
        let request = TokenRequest {
            subject,
            tenant,
            scopes,
            audience: &["tools"],
        };
        self.signer
            .sign(request)
            .unwrap()
            .token
            .expose_secret()
            .to_owned()
    }

    /// The same with the name that the user is called by.
    pub(crate) fn token_of_named(
        &self,
        (subject, name): (&str, &str),
        tenant: &str,
        scopes: &[&str],
    ) -> String {
        let request = TokenRequest {
            subject,
            tenant,
            scopes,
            audience: &["tools"],
        };
        let signed = self.signer.sign_as(request, Some(name), None).unwrap();
        signed.token.expose_secret().to_owned()
    }

    /// Sends a request as a user of the tenant, or unauthenticated.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        token: Option<&str>,
        body: &str,
    ) -> (StatusCode, Value) {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/json");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.request(request.body(Body::from(body.to_owned())).unwrap())
            .await
    }

    /// Sends a request as it is.
    pub(crate) async fn request(&self, request: Request<Body>) -> (StatusCode, Value) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (
            status,
            serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        )
    }

    /// Sends the bytes of a file.
    pub(crate) async fn send_bytes(
        &self,
        method: Method,
        path: &str,
        token: &str,
        bytes: Vec<u8>,
    ) -> (StatusCode, Value) {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("content-type", "application/octet-stream")
            .header("authorization", format!("Bearer {token}"));
        self.request(request.body(Body::from(bytes)).unwrap()).await
    }

    /// Gets a file; it must be answered 200.
    pub(crate) async fn get_bytes(&self, path: &str, token: &str) -> (HeaderMap, Vec<u8>) {
        let request = Request::builder()
            .uri(path)
            .header("authorization", format!("Bearer {token}"));
        let request = request.body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        let headers = response.headers().clone();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        (headers, bytes.to_vec())
    }

    /// Calls a tool for a tenant.
    pub(crate) async fn call_as(
        &self,
        tenant: &str,
        tool: &str,
        arguments: Value,
    ) -> (StatusCode, Value) {
        let token = self.token(tenant, &["tools:read"]);
        let path = format!("/api/tools/{tool}");
        self.send(Method::POST, &path, Some(&token), &arguments.to_string())
            .await
    }

    /// Calls a tool; it must be answered 200.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let (status, answer) = self.call_as(TENANT, tool, arguments).await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    /// Calls a tool; its status must be `ok`. Returns the envelope.
    pub(crate) async fn ok(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.call(tool, arguments).await;
        assert_eq!(answer["status"], "ok", "{answer}");
        answer
    }
}
