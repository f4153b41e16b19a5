//! Anthropic's Messages API.

mod blocks;
mod caching;
mod request;
mod schema;
mod stream;

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::{Deserialize, Serialize};

use super::refusal;
use super::{ChatWire, Decoder, Endpoint, Framing, WireApi, WireSpec};
use crate::config::{Effort, ProviderConfig};
use crate::provider::{ModelContext, ModelSetup};
use crate::{AnswerSize, ChatRequest, Error, ErrorKind};

/// Anthropic's Messages API.
pub(crate) const WIRE: WireApi = WireApi::new(&WireSpec {
    name: "anthropic_messages",
    base_url: None,
    requires_key: true,
    keys: &[
        "version",
        "thinking",
        "thinking_budget",
        "structured",
        "takes_temperature",
        "reasoning_effort",
        "prompt_caching",
    ],
    embedding_keys: &[],
    defaults: || ProviderConfig {
        version: Some("2023-06-01".to_owned()),
        thinking: Some(Thinking::Off),
        thinking_budget: Some(2_048),
        structured: Some(StructuredOutput::ForcedTool),
        takes_temperature: Some(true),
        prompt_caching: Some(true),
        ..ProviderConfig::default()
    },
    chat: |model| Ok(Box::new(Anthropic::new(model)?)),
    embeddings: None,
});

/// Whether a model thinks before it answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Thinking {
    /// The model is not asked to.
    #[default]
    Off,
    /// The model decides.
    Adaptive,
    /// With at most `thinking_budget` tokens, for models that know no other way.
    Budget,
}

/// How an answer of a given shape is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// By a tool that must be called, which every model knows.
    #[default]
    ForcedTool,
    /// By `output_config.format`, which newer models know.
    Native,
}

/// How requests to a model are written.
#[derive(Debug, Clone)]
struct Options {
    context: Arc<ModelContext>,
    /// The limit for requests without one; the API requires one.
    max_output_tokens: u32,
    thinking: Thinking,
    thinking_budget: u32,
    structured: StructuredOutput,
    /// Some models refuse a temperature.
    takes_temperature: bool,
    effort: Option<Effort>,
    prompt_caching: bool,
}

impl Options {
    fn of(model: &ModelSetup) -> Self {
        let options = &model.options;
        Self {
            context: model.context.clone(),
            max_output_tokens: model.max_output_tokens,
            thinking: options.thinking.unwrap_or_default(),
            thinking_budget: options.thinking_budget.unwrap_or_default(),
            structured: options.structured.unwrap_or_default(),
            takes_temperature: options.takes_temperature.unwrap_or(true),
            effort: options.reasoning_effort,
            prompt_caching: options.prompt_caching.unwrap_or_default(),
        }
    }
}

/// A chat model behind the Messages API.
#[derive(Debug)]
struct Anthropic {
    endpoint: Endpoint,
    options: Options,
}

impl Anthropic {
    /// Refuses an address, a key or a version that cannot be sent.
    fn new(model: &ModelSetup) -> Result<Self, Error> {
        Ok(Self {
            endpoint: Endpoint::new(model, messages_url(model)?, headers(model)?, refusal),
            options: Options::of(model),
        })
    }
}

impl ChatWire for Anthropic {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let mut body = serde_json::to_value(request::body(&self.options, request)?)
            .map_err(|error| Error::new(ErrorKind::BadRequest).with_detail(error.to_string()))?;
        if self.options.prompt_caching {
            caching::mark(&mut body);
        }
        Ok(self.endpoint.post(client, &body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(stream::MessageDecoder::new(self.options.context.clone()))
    }

    /// A brief answer is not thought over.
    fn may_think(&self, request: &ChatRequest) -> bool {
        self.options.thinking != Thinking::Off && request.size == AnswerSize::Full
    }
}

/// The error for a response with an error status.
fn refusal(context: &ModelContext, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
    let said = ErrorBody::read(body);
    // The type is more exact than the status: an overload may have status 500, and gateways have
    // statuses of their own.
    let kind = said
        .as_ref()
        .and_then(ErrorBody::kind)
        .unwrap_or_else(|| refusal::kind(status));
    let words = refusal::quote(
        said.as_ref().map_or(body, |said| &said.message),
        &context.key,
    );
    let mut error = Error::new(kind).with_detail(match kind {
        ErrorKind::UnknownModel => {
            let (model, hint) = (&context.id.model, &context.hints.model);
            format!("{status}, model {model:?} ({hint}): {words}")
        }
        ErrorKind::Unauthorized => format!("{status}, see {}: {words}", context.hints.key),
        _ => format!("{status}: {words}"),
    });
    error.retry_after = refusal::retry_after(headers);
    error
}

/// The address of the messages; the base may end with `/v1`.
fn messages_url(model: &ModelSetup) -> Result<Url, Error> {
    let base = model.base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    Url::parse(&format!("{base}/v1/messages")).map_err(|error| model.context.unfit_url(error))
}

fn headers(model: &ModelSetup) -> Result<HeaderMap, Error> {
    let mut headers = model.headers.clone();
    let own = HeaderName::from_static("x-api-key");
    model.add_key(&mut headers, own, str::to_owned)?;
    let version = model.options.version.as_deref().unwrap_or_default();
    headers.insert(
        "anthropic-version",
        model.context.header("the version", version.trim())?,
    );
    headers.insert(
        header::ACCEPT,
        HeaderValue::from_static("text/event-stream"),
    );
    Ok(headers)
}

/// The error in the body of a response with an error status, and in an `error` event.
#[derive(Debug, Deserialize)]
struct ErrorBody {
    #[serde(rename = "type", default)]
    error_type: String,
    #[serde(default)]
    message: String,
}

impl ErrorBody {
    /// Reads `{"type": "error", "error": {…}}`.
    fn read(body: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Body {
            error: ErrorBody,
        }
        serde_json::from_str::<Body>(body.trim())
            .ok()
            .map(|body| body.error)
    }

    fn kind(&self) -> Option<ErrorKind> {
        Some(match self.error_type.as_str() {
            "overloaded_error" => ErrorKind::Overloaded,
            "rate_limit_error" => ErrorKind::RateLimited,
            "api_error" => ErrorKind::Provider,
            "timeout_error" => ErrorKind::Timeout,
            "authentication_error" | "permission_error" | "billing_error" => {
                ErrorKind::Unauthorized
            }
            "not_found_error" => ErrorKind::UnknownModel,
            "invalid_request_error" | "request_too_large" => ErrorKind::BadRequest,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests;
