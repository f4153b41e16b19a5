//! One call: credentials, limits, and what went wrong.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_client::HttpClient;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use secrecy::ExposeSecret;
use serde_json::Value;

use crate::{SourceConfig, SourceError, certificate};

/// Time that this client waits beyond the cluster's own time limit, which the cluster reports
/// itself.
const GRACE: Duration = Duration::from_secs(2);

/// The address of a cluster and the client for it.
pub(super) struct Connection {
    name: String,
    client: HttpClient,
    base: Url,
    headers: HeaderMap,
}

/// A request to the cluster.
pub(super) struct Call<'a> {
    path: Vec<&'a str>,
    query: Vec<(&'a str, &'a str)>,
    body: Option<&'a Value>,
}

impl<'a> Call<'a> {
    pub(super) fn get<const N: usize>(path: [&'a str; N]) -> Call<'a> {
        Call {
            path: path.into(),
            query: Vec::new(),
            body: None,
        }
    }

    pub(super) fn post<const N: usize>(path: [&'a str; N], body: &'a Value) -> Call<'a> {
        Call {
            body: Some(body),
            ..Call::get(path)
        }
    }

    pub(super) fn with(mut self, name: &'a str, value: &'a str) -> Call<'a> {
        self.query.push((name, value));
        self
    }
}

impl Connection {
    pub(super) fn open(config: &SourceConfig, client: &HttpClient) -> Result<Self, SourceError> {
        let invalid = |reason: &str| SourceError::Configuration {
            name: config.name.clone(),
            reason: reason.to_owned(),
        };
        let url = config.url.as_ref().map_or("", |url| url.expose_secret());
        let base = Url::parse(url).map_err(|_| invalid("its url is none"))?;
        if base.cannot_be_a_base() {
            return Err(invalid("its url is none"));
        }
        Ok(Connection {
            name: config.name.clone(),
            client: client.clone(),
            base,
            headers: headers(config).ok_or_else(|| invalid("a header of it is none"))?,
        })
    }

    /// Calls, and reads the answer.
    pub(super) async fn call(
        &self,
        config: &SourceConfig,
        call: &Call<'_>,
    ) -> Result<Value, SourceError> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&call.path);
        }
        let method = match call.body {
            Some(_) => Method::POST,
            None => Method::GET,
        };
        let mut request = self
            .client
            .request(method, url)
            .headers(self.headers.clone())
            .query(&call.query)
            .timeout(config.limits.timeout() + GRACE);
        if let Some(body) = call.body {
            request = request.json(body);
        }
        let failed = |error: reqwest::Error| self.broken(config, &error);
        let mut response = request.send().await.map_err(failed)?;
        let status = response.status();
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > config.limits.max_bytes {
                return Err(self.failed("answers with more than is read"));
            }
        }
        if !status.is_success() {
            return Err(self.refused(config, status, &bytes));
        }
        serde_json::from_slice(&bytes).map_err(|_| self.unreadable())
    }

    /// The error for an answer that is not a search engine's.
    pub(super) fn unreadable(&self) -> SourceError {
        self.failed("answered something that cannot be read")
    }

    fn failed(&self, reason: &str) -> SourceError {
        SourceError::Failed {
            name: self.name.clone(),
            reason: reason.to_owned(),
        }
    }

    fn away(&self, reason: &'static str) -> SourceError {
        SourceError::Unavailable {
            name: self.name.clone(),
            reason,
        }
    }

    fn broken(&self, config: &SourceConfig, error: &reqwest::Error) -> SourceError {
        if error.is_timeout() && !error.is_connect() {
            return SourceError::TimedOut {
                name: self.name.clone(),
                after: config.limits.timeout(),
            };
        }
        if error.is_connect() {
            let about_certificate = certificate::refused(error, certificate::OF_HTTP);
            return self.away(about_certificate.unwrap_or("cannot be reached"));
        }
        self.away("closed the connection")
    }

    fn refused(&self, config: &SourceConfig, status: StatusCode, body: &[u8]) -> SourceError {
        // Its kind is a word of the engine's; its reason may quote data.
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let kind = body.pointer("/error/type").and_then(Value::as_str);
        let kind = kind.unwrap_or("unknown");
        tracing::warn!(
            source = self.name,
            status = status.as_u16(),
            kind,
            "a search source refused a request"
        );
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => self.away("refuses our login"),
            StatusCode::TOO_MANY_REQUESTS => self.away("takes no more queries at the moment"),
            StatusCode::GATEWAY_TIMEOUT | StatusCode::REQUEST_TIMEOUT => SourceError::TimedOut {
                name: self.name.clone(),
                after: config.limits.timeout(),
            },
            StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE => {
                self.away("cannot answer at the moment")
            }
            StatusCode::NOT_FOUND => self.failed("does not have the index"),
            status if status.is_redirection() => {
                self.failed("sends us elsewhere, where we do not go")
            }
            status if status.is_client_error() => self.failed("did not accept the query"),
            _ => self.failed("could not answer the query"),
        }
    }
}

/// The credentials and the operator's own headers; nothing if one of them is none.
fn headers(config: &SourceConfig) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let authorization = match (&config.api_key, &config.username) {
        (Some(key), _) => Some(format!("ApiKey {}", key.expose_secret())),
        (None, Some(user)) => {
            let password = config.password.as_ref();
            let password = password.map_or("", |password| password.expose_secret());
            let pair = STANDARD.encode(format!("{user}:{password}"));
            Some(format!("Basic {pair}"))
        }
        (None, None) => None,
    };
    if let Some(authorization) = authorization {
        headers.insert(AUTHORIZATION, secret(&authorization)?);
    }
    for (name, value) in &config.headers {
        let name: HeaderName = name.parse().ok()?;
        headers.insert(name, secret(value.expose_secret())?);
    }
    Some(headers)
}

fn secret(text: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
