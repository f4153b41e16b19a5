//! OpenAI's Responses API.

mod decoder;
mod request;

use std::sync::Arc;

use http::{HeaderMap, StatusCode};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};

use super::request::{is_older, is_reasoning};
use super::{endpoint, errors, headers};
use crate::config::Effort;
use crate::provider::{ModelContext, ModelSetup};
use crate::wire::{ChatWire, Decoder, Framing};
use crate::{ChatRequest, Error, ModelId};

/// A chat model behind the Responses API. Nothing is stored at the provider: each request carries
/// the whole conversation.
#[derive(Debug)]
pub(super) struct Responses {
    context: Arc<ModelContext>,
    url: Url,
    headers: HeaderMap,
    effort: Option<Effort>,
    prompt_caching: bool,
}

impl Responses {
    /// Refuses an address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(model, "responses")?,
            headers: headers(model, "text/event-stream")?,
            context: model.context.clone(),
            effort: model.options.reasoning_effort,
            prompt_caching: model.options.prompt_caching.unwrap_or_default(),
        })
    }
}

impl ChatWire for Responses {
    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = self.body(request)?;
        Ok(client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(&body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decoder::ResponseDecoder::new(self.context.clone()))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        errors::refusal(&self.context, status, headers, body)
    }

    fn id(&self) -> ModelId {
        self.context.id.clone()
    }

    fn may_think(&self, _request: &ChatRequest) -> bool {
        self.effort != Some(Effort::None) && !is_older(&self.context.id.model)
    }
}

#[cfg(test)]
mod tests;
