//! Ollama's own API.

mod decoder;
mod embeddings;
mod errors;
mod request;

use http::header;
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};

use self::embeddings::OllamaEmbeddings;
use super::{ChatWire, Decoder, Endpoint, Framing, WireApi, WireSpec};
use crate::config::ProviderConfig;
use crate::provider::ModelSetup;
use crate::{ChatRequest, Error};

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
    endpoint: Endpoint,
    keep_alive: Option<String>,
    think: Option<bool>,
    num_ctx: Option<u32>,
}

impl Ollama {
    /// Refuses an address or a key that cannot be sent.
    fn new(model: &ModelSetup) -> Result<Self, Error> {
        Ok(Self {
            endpoint: endpoint(model, "chat")?,
            keep_alive: model.options.keep_alive.clone(),
            think: model.options.think,
            num_ctx: model.options.num_ctx,
        })
    }
}

impl ChatWire for Ollama {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = self.body(request)?;
        Ok(self.endpoint.post(client, &body))
    }

    fn framing(&self) -> Framing {
        Framing::Lines
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decoder::LineDecoder::new(self.endpoint.context.clone()))
    }

    fn may_think(&self, _request: &ChatRequest) -> bool {
        self.think != Some(false)
    }
}

/// The endpoint of an operation.
fn endpoint(model: &ModelSetup, operation: &str) -> Result<Endpoint, Error> {
    let base = model.base_url.trim().trim_end_matches('/');
    // Other programs require one of these endings.
    let base = ["/v1", "/api"]
        .iter()
        .find_map(|end| base.strip_suffix(end))
        .unwrap_or(base);
    let url = Url::parse(&format!("{base}/api/{operation}"))
        .map_err(|error| model.context.unfit_url(error))?;
    let mut headers = model.headers.clone();
    model.add_key(&mut headers, header::AUTHORIZATION, |key| {
        format!("Bearer {key}")
    })?;
    Ok(Endpoint::new(model, url, headers, errors::refusal))
}

#[cfg(test)]
mod tests;
