//! The tools service with one scripted upstream, and a person in front of it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use contracts::tools::ToolEnvelope;
use http::{Method, StatusCode};
use serde_json::{Value, json};
use test_support::database::TestDatabase;
use test_support::upstream::{Reply, TOKEN_PATH, UpstreamServer, jwt};
use tools::Config;
use tools::credentials::config::KeyConfig;
use tools::upstreams::config::{RefreshConfig, SecretHeader, UpstreamConfig};

use crate::harness::{App, TENANT, database};

/// The name of the upstream.
pub(crate) const UPSTREAM: &str = "there";
/// Who gives its tokens out.
pub(crate) const ISSUER: &str = "there-itself";
/// Secrets of the service, to be looked for where they must not be.
pub(crate) const SERVICE_KEY: &str = "service-key-7f3a";
pub(crate) const API_KEY: &str = "api-key-91bc";
/// The time of all tests.
pub(crate) const NOW: &str = "2026-06-01T12:00:00Z";

/// A database, an upstream.
pub(crate) struct World {
    pub(crate) database: TestDatabase,
    pub(crate) server: UpstreamServer,
}

/// A person, as identities have it: tenant and subject.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Person(pub(crate) &'static str, pub(crate) &'static str);

pub(crate) const ADA: Person = Person(TENANT, "ada");

impl World {
    pub(crate) async fn new() -> Self {
        Self {
            database: database().await,
            server: UpstreamServer::start().await.unwrap(),
        }
    }

    /// The upstream's configuration: a read, and tokens by service key.
    pub(crate) fn upstream(&self) -> UpstreamConfig {
        let mut config = UpstreamConfig::at(UPSTREAM, self.server.url());
        config.timeout_ms = 20_000;
        config.token.issuer = Some(ISSUER.into());
        let refresh = RefreshConfig::by_service_key(TOKEN_PATH, SERVICE_KEY.into());
        config.token.refresh = Some(refresh.for_everyone());
        config
            .headers
            .insert("X-Service-Name".into(), "heliograph".into());
        config.secret_headers.push(SecretHeader {
            name: "X-Service-Key".into(),
            value: Some(API_KEY.into()),
            value_file: None,
        });
        config.operations.push(operation(json!({
            "name": "read_there", "description": "Reads.", "path": "/items/{id}",
            "parameters": [
                { "name": "id", "in": "path", "schema": { "type": "string", "minLength": 1 } },
                { "name": "year", "in": "query", "schema": { "type": "integer" } },
            ],
        })));
        config
    }

    /// The service with that upstream.
    pub(crate) fn app(&self) -> App {
        self.app_with(|_| ())
    }

    /// The same with some settings changed.
    pub(crate) fn app_with(&self, change: impl FnOnce(&mut Config)) -> App {
        App::configured(self.database.url(), NOW, |config| {
            config.upstreams.push(self.upstream());
            config.credentials.keys.push(key("one", 1));
            // A dozen calls at once on a busy machine.
            config.database.acquire_timeout_ms = 10_000;
            change(config);
        })
    }

    /// The service with the upstream changed.
    pub(crate) fn app_of(&self, change: impl FnOnce(&mut UpstreamConfig)) -> App {
        self.app_with(|config| change(&mut config.upstreams[0]))
    }

    /// A token of this person with this number of seconds left.
    pub(crate) fn token(&self, person: Person, seconds: i64) -> String {
        jwt(&self.claims(person, seconds))
    }

    /// The claims of the token.
    pub(crate) fn claims(&self, person: Person, seconds: i64) -> Value {
        json!({ "sub": person.1, "aud": self.server.url(), "iss": ISSUER, "iat": now() - 60, "exp": now() + seconds })
    }
}

/// An operation as a file has it.
pub(crate) fn operation(value: Value) -> tools::upstreams::config::OperationConfig {
    serde_json::from_value(value).unwrap()
}

/// A key of one byte.
pub(crate) fn key(id: &str, byte: u8) -> KeyConfig {
    KeyConfig {
        id: id.into(),
        key: Some(STANDARD.encode([byte; 32]).into()),
        key_file: None,
    }
}

/// The time of all tests, in seconds.
pub(crate) fn now() -> i64 {
    NOW.parse::<DateTime<chrono::Utc>>().unwrap().timestamp()
}

/// A good answer to a read.
pub(crate) fn found() -> Reply {
    Reply::Json(200, json!({ "found": true }))
}

/// The requests of a person.
impl App {
    async fn as_person(
        &self,
        person: Person,
        method: Method,
        path: &str,
        body: &str,
    ) -> (StatusCode, Value) {
        let token = self.token_of(person.1, person.0, &["tools:read"]);
        self.send(method, path, Some(&token), body).await
    }

    /// Brings a token.
    pub(crate) async fn bring(&self, person: Person, token: &str) -> Value {
        self.bring_all(person, &json!({ "access_token": token }))
            .await
    }

    /// Brings tokens.
    pub(crate) async fn bring_all(&self, person: Person, body: &Value) -> Value {
        let path = format!("/api/credentials/{UPSTREAM}");
        let (status, answer) = self
            .as_person(person, Method::PUT, &path, &body.to_string())
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    /// Has the credential ensured.
    pub(crate) async fn ensure(&self, person: Person) -> Value {
        let path = format!("/api/credentials/{UPSTREAM}/ensure");
        let (status, answer) = self.as_person(person, Method::POST, &path, "").await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer
    }

    /// The names of the tools that are listed.
    pub(crate) async fn listed(&self, person: Person) -> Vec<String> {
        let (status, answer) = self.as_person(person, Method::GET, "/api/tools", "").await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        let tools = answer["tools"].as_array().unwrap();
        let names = tools.iter().map(|tool| tool["name"].as_str().unwrap());
        names.map(str::to_owned).collect()
    }

    /// How the credentials are.
    pub(crate) async fn credentials(&self, person: Person) -> Value {
        let (status, answer) = self
            .as_person(person, Method::GET, "/api/credentials", "")
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        answer["credentials"].clone()
    }

    /// Forgets the credential.
    pub(crate) async fn forget(&self, person: Person) {
        let path = format!("/api/credentials/{UPSTREAM}");
        let (status, answer) = self.as_person(person, Method::DELETE, &path, "").await;
        assert_eq!(status, StatusCode::NO_CONTENT, "{answer}");
    }

    /// Calls an upstream's tool.
    pub(crate) async fn ask(&self, person: Person, tool: &str, arguments: &Value) -> Value {
        let path = format!("/api/tools/{tool}");
        let (status, answer) = self
            .as_person(person, Method::POST, &path, &arguments.to_string())
            .await;
        assert_eq!(status, StatusCode::OK, "{answer}");
        let envelope: ToolEnvelope = serde_json::from_value(answer.clone()).unwrap();
        assert_eq!(
            envelope.message.is_some(),
            answer["status"] != "ok",
            "{answer}"
        );
        answer
    }

    /// Reads; the result, or the code of the failure.
    pub(crate) async fn read(&self, person: Person) -> Result<Value, String> {
        let answer = self.ask(person, "read_there", &json!({ "id": "1" })).await;
        if answer["status"] == "ok" {
            return Ok(answer["result"].clone());
        }
        assert_eq!(answer["status"], "error", "{answer}");
        Err(answer["result"]["error_code"].as_str().unwrap().to_owned())
    }
}
