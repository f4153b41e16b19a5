//! Ollama's own API.

mod decoder;
mod embeddings;
mod errors;
mod request;

use std::sync::Arc;

use http::{HeaderMap, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};

use self::embeddings::OllamaEmbeddings;
use super::{ChatWire, Decoder, Framing, WireApi, WireSpec};
use crate::config::ProviderConfig;
use crate::provider::{ModelContext, ModelSetup};
use crate::{ChatRequest, Error, ModelId};

/// Ollama's own API.
pub(crate) const WIRE: WireApi = WireApi::new(&WireSpec {
    name: "ollama",
    base_url: Some("http://127.0.0.1:11434"),
    requires_key: false,
    keys: &["keep_alive", "think", "num_ctx"],
    embedding_keys: &["keep_alive"],
    defaults: || ProviderConfig {
        // A model that is not loaded yet takes long.
        first_token_ms: Some(180_000),
        ..ProviderConfig::default()
    },
    chat: |model| Ok(Box::new(Ollama::new(model)?)),
    embeddings: Some(|model, dimensions| Ok(Box::new(OllamaEmbeddings::new(model, dimensions)?))),
});

/// A chat model on an Ollama server.
#[derive(Debug)]
struct Ollama {
    context: Arc<ModelContext>,
    url: Url,
    headers: HeaderMap,
    keep_alive: Option<String>,
    think: Option<bool>,
    num_ctx: Option<u32>,
}

impl Ollama {
    /// Refuses an address or a key that cannot be sent.
    fn new(model: &ModelSetup) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(model, "chat")?,
            headers: headers(model)?,
            context: model.context.clone(),
            keep_alive: model.options.keep_alive.clone(),
            think: model.options.think,
            num_ctx: model.options.num_ctx,
        })
    }
}

impl ChatWire for Ollama {
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
        Box::new(decoder::LineDecoder::new(self.context.clone()))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        errors::refusal(&self.context, status, headers, body)
    }

    fn id(&self) -> ModelId {
        self.context.id.clone()
    }

    fn may_think(&self, _request: &ChatRequest) -> bool {
        self.think != Some(false)
    }
}

/// An operation's address.
fn endpoint(model: &ModelSetup, operation: &str) -> Result<Url, Error> {
    let base = model.base_url.trim().trim_end_matches('/');
    // Other programs require one of these endings.
    let base = ["/v1", "/api"]
        .iter()
        .find_map(|end| base.strip_suffix(end))
        .unwrap_or(base);
    Url::parse(&format!("{base}/api/{operation}")).map_err(|error| model.context.unfit_url(error))
}

fn headers(model: &ModelSetup) -> Result<HeaderMap, Error> {
    let mut headers = model.headers.clone();
    model.add_key(&mut headers, header::AUTHORIZATION, |key| {
        format!("Bearer {key}")
    })?;
    Ok(headers)
}

#[cfg(test)]
mod tests;
