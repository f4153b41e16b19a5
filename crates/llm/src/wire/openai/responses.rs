//! OpenAI's Responses API.

mod decoder;
mod request;

use http_client::HttpClient;
use reqwest::RequestBuilder;

use super::request::{is_older, is_reasoning};
use super::{endpoint, errors};
use crate::config::Effort;
use crate::provider::ModelSetup;
use crate::wire::{ChatWire, Decoder, Endpoint, Framing};
use crate::{ChatRequest, Error};

/// A chat model behind the Responses API. Nothing is stored at the provider: each request carries
/// the whole conversation.
#[derive(Debug)]
pub(super) struct Responses {
    endpoint: Endpoint,
    effort: Option<Effort>,
    prompt_caching: bool,
}

impl Responses {
    /// Refuses an address or a key that cannot be sent.
    pub(super) fn new(model: &ModelSetup) -> Result<Self, Error> {
        Ok(Self {
            endpoint: endpoint(model, "responses", "text/event-stream")?,
            effort: model.options.reasoning_effort,
            prompt_caching: model.options.prompt_caching.unwrap_or_default(),
        })
    }
}

impl ChatWire for Responses {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = self.body(request)?;
        Ok(self.endpoint.post(client, &body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decoder::ResponseDecoder::new(self.endpoint.context.clone()))
    }

    fn may_think(&self, _request: &ChatRequest) -> bool {
        self.effort != Some(Effort::None) && !is_older(&self.endpoint.context.id.model)
    }
}

#[cfg(test)]
mod tests;
