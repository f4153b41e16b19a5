//! Ollama's own API.

mod decoder;
mod embeddings;
mod errors;
mod request;
mod written_calls;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};

pub(crate) use self::embeddings::OllamaEmbeddings;
use self::errors::Origin;
use crate::wire::{Decoder, Framing, Wire};
use crate::{ChatRequest, Error, ErrorKind, ModelId, ProviderKind};

/// How to reach an Ollama server.
#[derive(Debug, Clone)]
pub(crate) struct OllamaSettings {
    /// Up to and without `/api`.
    pub(crate) base_url: String,
    /// Sent as a bearer token; for servers behind a gateway.
    pub(crate) api_key: Option<SecretString>,
    /// Any name.
    pub(crate) model: String,
    /// How long the model stays loaded after a call: `5m`, `-1` for ever, `0` not at all. `None` leaves it to the server.
    pub(crate) keep_alive: Option<String>,
    /// Whether a model that can think does so. `None` leaves it to the server, whose default is to think.
    pub(crate) think: Option<bool>,
    /// The size of the context in tokens. `None` leaves it to the server, which often takes a small one.
    pub(crate) num_ctx: Option<u32>,
}

/// A model on an Ollama server.
#[derive(Debug)]
pub(crate) struct Ollama {
    origin: Arc<Origin>,
    url: Url,
    headers: HeaderMap,
    keep_alive: Option<String>,
    think: Option<bool>,
    num_ctx: Option<u32>,
}

impl Ollama {
    /// Refuses an address or a key that can not be sent.
    pub(crate) fn new(settings: OllamaSettings) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(&settings.base_url, "chat")?,
            headers: headers(settings.api_key.as_ref())?,
            origin: Arc::new(Origin {
                model: settings.model.into(),
                model_variable: "OLLAMA_MODEL",
                key: settings.api_key.unwrap_or_default(),
            }),
            keep_alive: settings.keep_alive,
            think: settings.think,
            num_ctx: settings.num_ctx,
        })
    }
}

impl Wire for Ollama {
    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = self.body(request)?;
        Ok(client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(&body))
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decoder::LineDecoder::new(self.origin.clone()))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.origin.refusal(status, headers, body)
    }

    fn id(&self) -> ModelId {
        self.origin.id()
    }
}

/// An operation's address.
fn endpoint(base_url: &str, operation: &str) -> Result<Url, Error> {
    let base = base_url.trim().trim_end_matches('/');
    // Other programs want one of these at the end.
    let base = ["/v1", "/api"]
        .iter()
        .find_map(|end| base.strip_suffix(end))
        .unwrap_or(base);
    Url::parse(&format!("{base}/api/{operation}")).map_err(|error| {
        Error::new(ErrorKind::BadRequest).with_detail(format!("the base URL of Ollama: {error}"))
    })
}

fn headers(key: Option<&SecretString>) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    let key = key.map(|key| key.expose_secret().trim());
    if let Some(key) = key.filter(|key| !key.is_empty()) {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
            Error::new(ErrorKind::BadRequest)
                .with_detail("the key of Ollama does not fit into a header")
        })?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    Ok(headers)
}

impl Origin {
    /// Who answers.
    fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderKind::Ollama,
            model: self.model.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
