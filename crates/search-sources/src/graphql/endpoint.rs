//! A GraphQL endpoint over HTTP: what is sent has been checked, what comes is read within limits.

use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use contracts::tools::search::{GraphqlQuery, IndexDescription};
use futures::StreamExt as _;
use http_client::HttpClient;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::describe;
use super::listed::Listed;
use super::schema::{GraphqlSchema, SchemaError, introspection_query};
use crate::{SourceConfig, SourceError, certificate};

/// Maximum number of bytes in a schema.
const MAX_SCHEMA: u64 = 32 * 1024 * 1024;

/// A GraphQL endpoint: its address, credentials and introspected schema.
pub(crate) struct Endpoint {
    name: String,
    url: SecretString,
    basic: Option<(String, SecretString)>,
    headers: HeaderMap,
    client: HttpClient,
    timeout: Duration,
    max_bytes: u64,
    known: RwLock<Option<Arc<Introspected>>>,
}

/// The schema of an endpoint, as it was introspected last.
pub(super) struct Introspected {
    /// All of it: what is sent is valid by it.
    pub(super) schema: GraphqlSchema,
    /// What requests may name of it.
    pub(super) listed: Listed,
}

/// A server's answer.
#[derive(Debug)]
pub(super) struct GraphqlResponse {
    pub(super) data: Map<String, Value>,
    /// The members of the answer that something went wrong with, by their paths.
    pub(super) faults: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Envelope {
    data: Option<Map<String, Value>>,
    #[serde(default)]
    errors: Option<Vec<Fault>>,
}

/// An error in an answer. Its message may reveal internals of the server and is not read.
#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    path: Option<Vec<Value>>,
}

impl Endpoint {
    /// Of the configuration; nothing is sent.
    pub(crate) fn open(
        config: &SourceConfig,
        client: &HttpClient,
    ) -> Result<Endpoint, SourceError> {
        let wrong = |reason: &str| SourceError::Configuration {
            name: config.name.clone(),
            reason: reason.to_owned(),
        };
        let url = config.url.clone().ok_or_else(|| wrong("has no address"))?;
        let mut headers = HeaderMap::new();
        for (name, value) in &config.headers {
            let name: HeaderName = name
                .parse()
                .map_err(|_| wrong("has a header with no name"))?;
            headers.insert(
                name,
                secret(value.expose_secret())
                    .map_err(|_| wrong("has a header that cannot be sent"))?,
            );
        }
        if let Some(key) = &config.api_key {
            let bearer = format!("Bearer {}", key.expose_secret());
            let bearer = secret(&bearer).map_err(|_| wrong("has a key that cannot be sent"))?;
            headers.insert(AUTHORIZATION, bearer);
        }
        let password = config.password.clone();
        Ok(Endpoint {
            name: config.name.clone(),
            url,
            basic: config
                .username
                .clone()
                .map(|user| (user, password.unwrap_or_default())),
            headers,
            client: client.clone(),
            timeout: config.limits.timeout(),
            max_bytes: config.limits.max_bytes,
            known: RwLock::default(),
        })
    }

    /// Introspects the schema and describes the configured indices, or all lists, with the
    /// configuration's words. Not cached: the source does that.
    pub(crate) async fn indices(
        &self,
        config: &SourceConfig,
    ) -> Result<Vec<IndexDescription>, SourceError> {
        let (_, indices) = self.introspect(config).await?;
        Ok(indices)
    }

    /// The schema as it was introspected last.
    pub(super) async fn known(
        &self,
        config: &SourceConfig,
    ) -> Result<Arc<Introspected>, SourceError> {
        let known = self
            .known
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        match known {
            Some(known) => Ok(known),
            None => Ok(self.introspect(config).await?.0),
        }
    }

    async fn introspect(
        &self,
        config: &SourceConfig,
    ) -> Result<(Arc<Introspected>, Vec<IndexDescription>), SourceError> {
        let query = GraphqlQuery {
            query: introspection_query().to_owned(),
            variables: Map::new(),
        };
        let answer = self.post(&query, MAX_SCHEMA).await?;
        let unusable = |error: SchemaError| {
            tracing::warn!(source = self.name, %error, "a GraphQL schema cannot be used");
            self.failed("has a schema that cannot be used")
        };
        let schema =
            GraphqlSchema::from_introspection(&Value::Object(answer.data)).map_err(unusable)?;
        let indices = describe::indices(&schema, config).map_err(|reason| self.failed(reason))?;
        let listed = Listed::of(&schema, config, &indices).map_err(unusable)?;
        let introspected = Arc::new(Introspected { schema, listed });
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Some(Arc::clone(&introspected));
        Ok((introspected, indices))
    }

    /// Asks a checked query.
    pub(super) async fn ask(&self, query: &GraphqlQuery) -> Result<GraphqlResponse, SourceError> {
        self.post(query, self.max_bytes).await
    }

    async fn post(
        &self,
        query: &GraphqlQuery,
        max_bytes: u64,
    ) -> Result<GraphqlResponse, SourceError> {
        let mut body = json!({ "query": query.query });
        if !query.variables.is_empty() {
            body["variables"] = Value::Object(query.variables.clone());
        }
        let mut request = self
            .client
            .post(self.url.expose_secret())
            .headers(self.headers.clone())
            .header(
                ACCEPT,
                "application/graphql-response+json, application/json;q=0.9",
            )
            .json(&body);
        if let Some((user, password)) = &self.basic {
            request = request.basic_auth(user, Some(password.expose_secret()));
        }
        let exchange = async {
            let response = request
                .send()
                .await
                .map_err(|error| self.unreachable(&error))?;
            let status = response.status();
            self.accept(status)?;
            let bytes = self.read(response, max_bytes).await?;
            self.answer(status, &bytes)
        };
        let late = |_| SourceError::TimedOut {
            name: self.name.clone(),
            after: self.timeout,
        };
        tokio::time::timeout(self.timeout, exchange)
            .await
            .map_err(late)?
    }

    /// Statuses that no answer comes with. Servers refuse queries with 4xx and an answer.
    fn accept(&self, status: StatusCode) -> Result<(), SourceError> {
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                Err(self.away("does not accept our credentials"))
            }
            StatusCode::TOO_MANY_REQUESTS => Err(self.away("takes no more requests at the moment")),
            StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => Err(self.away("is away at the moment")),
            status if status.is_redirection() => {
                Err(self.failed("answers at another address, where we do not follow"))
            }
            status if status.is_server_error() => Err(self.failed("failed at answering")),
            _ => Ok(()),
        }
    }

    async fn read(
        &self,
        response: reqwest::Response,
        max_bytes: u64,
    ) -> Result<Vec<u8>, SourceError> {
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|_| self.failed("broke off its answer"))?;
            if (bytes.len() + chunk.len()) as u64 > max_bytes {
                let text = format!("answered more than {max_bytes} bytes; ask for less");
                return Err(self.failed(text));
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    fn answer(&self, status: StatusCode, bytes: &[u8]) -> Result<GraphqlResponse, SourceError> {
        let envelope: Envelope = serde_json::from_slice(bytes)
            .map_err(|_| self.failed("answered something that is not GraphQL"))?;
        let errors = envelope.errors.unwrap_or_default();
        let Some(data) = envelope.data else {
            return Err(if errors.is_empty() {
                self.failed("answered something that is not GraphQL")
            } else {
                self.failed("did not accept the query")
            });
        };
        if !status.is_success() {
            return Err(self.failed("did not accept the query"));
        }
        let faults = errors.iter().map(Fault::place).collect();
        Ok(GraphqlResponse { data, faults })
    }

    fn unreachable(&self, error: &reqwest::Error) -> SourceError {
        if error.is_timeout() && !error.is_connect() {
            return SourceError::TimedOut {
                name: self.name.clone(),
                after: self.timeout,
            };
        }
        let about_certificate = certificate::refused(error, certificate::OF_HTTP);
        self.away(about_certificate.unwrap_or("cannot be reached"))
    }

    fn away(&self, reason: &'static str) -> SourceError {
        SourceError::Unavailable {
            name: self.name.clone(),
            reason,
        }
    }

    pub(super) fn failed(&self, reason: impl Into<String>) -> SourceError {
        SourceError::Failed {
            name: self.name.clone(),
            reason: reason.into(),
        }
    }
}

impl Fault {
    /// The member at which it happened: names from the query, without numbers.
    fn place(&self) -> Vec<String> {
        let path = self.path.iter().flatten().filter_map(Value::as_str);
        path.map(str::to_owned).collect()
    }
}

fn secret(text: &str) -> Result<HeaderValue, reqwest::header::InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(text)?;
    value.set_sensitive(true);
    Ok(value)
}
