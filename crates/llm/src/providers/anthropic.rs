//! Anthropic's Messages API.

mod blocks;
mod request;
mod schema;
mod stream;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;

use super::refusal;
use crate::wire::{Decoder, Framing, Wire};
use crate::{ChatRequest, Error, ErrorKind, ModelId, ProviderKind};

/// The variable that names the model, told when there is no such model.
const MODEL_VARIABLE: &str = "ANTHROPIC_MODEL";
/// The variable with the key, told when it is refused.
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// How to reach Anthropic, or a gateway that speaks its API.
#[derive(Debug, Clone)]
pub(crate) struct AnthropicSettings {
    /// With or without `/v1` at the end.
    pub(crate) base_url: String,
    /// Sent as `x-api-key`.
    pub(crate) api_key: SecretString,
    /// Any name.
    pub(crate) model: String,
    /// The limit for requests that give none; the API wants one.
    pub(crate) max_output_tokens: u32,
    /// `anthropic-version`.
    pub(crate) version: String,
    /// Whether the model is asked to think first.
    pub(crate) thinking: Thinking,
    /// How an answer of a given shape is had.
    pub(crate) structured: Structured,
    /// Whether the model takes a temperature; some refuse it.
    pub(crate) takes_temperature: bool,
}

/// Whether a model thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// Not asked to.
    Off,
    /// As it sees fit.
    Adaptive,
    /// With at most so many tokens; for models that know no other way.
    Budget(u32),
}

/// How an answer of a given shape is had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Structured {
    /// `output_config.format`.
    Native,
    /// By a tool that must be called, for models that do not know that.
    ForcedTool,
}

impl AnthropicSettings {
    /// The settings of the public API.
    pub(crate) fn new(api_key: SecretString, model: impl Into<String>) -> Self {
        Self {
            base_url: "https://api.anthropic.com".to_owned(),
            api_key,
            model: model.into(),
            max_output_tokens: 4096,
            version: "2023-06-01".to_owned(),
            thinking: Thinking::Off,
            structured: Structured::Native,
            takes_temperature: true,
        }
    }
}

/// A model of Anthropic's.
#[derive(Debug)]
pub(crate) struct Anthropic {
    settings: AnthropicSettings,
    model: Arc<str>,
    url: Url,
    headers: HeaderMap,
}

impl Anthropic {
    /// Refuses an address, a key or a version that can not be sent.
    pub(crate) fn new(settings: AnthropicSettings) -> Result<Self, Error> {
        Ok(Self {
            url: messages_url(&settings.base_url)?,
            headers: headers(&settings)?,
            model: settings.model.as_str().into(),
            settings,
        })
    }

    fn quote(&self, words: &str) -> String {
        refusal::quote(words, &self.settings.api_key)
    }
}

impl Wire for Anthropic {
    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = request::body(&self.settings, request)?;
        Ok(client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .json(&body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(stream::MessageDecoder::new(
            self.model.clone(),
            self.settings.api_key.clone(),
        ))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        let said = ErrorBody::read(body);
        // The status says less than the type: an overload may come as 500, and a gateway makes statuses of its own.
        let kind = said
            .as_ref()
            .and_then(ErrorBody::kind)
            .unwrap_or_else(|| refusal::kind(status));
        let words = self.quote(said.as_ref().map_or(body, |said| &said.message));
        let mut error = Error::new(kind).with_detail(match kind {
            ErrorKind::UnknownModel => {
                format!(
                    "{status}, model {:?} ({MODEL_VARIABLE}): {words}",
                    self.settings.model
                )
            }
            ErrorKind::Unauthorized => format!("{status}, see {KEY_VARIABLE}: {words}"),
            _ => format!("{status}: {words}"),
        });
        error.retry_after = refusal::retry_after(headers);
        error
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderKind::Anthropic,
            model: self.model.clone(),
        }
    }
}

fn messages_url(base_url: &str) -> Result<Url, Error> {
    let base = base_url.trim().trim_end_matches('/');
    let base = base.strip_suffix("/v1").unwrap_or(base);
    Url::parse(&format!("{base}/v1/messages")).map_err(|error| {
        Error::new(ErrorKind::BadRequest).with_detail(format!("the base URL of Anthropic: {error}"))
    })
}

fn headers(settings: &AnthropicSettings) -> Result<HeaderMap, Error> {
    let unfit = |what: &str| {
        Error::new(ErrorKind::BadRequest)
            .with_detail(format!("{what} of Anthropic does not fit into a header"))
    };
    let mut key = HeaderValue::from_str(settings.api_key.expose_secret().trim())
        .map_err(|_| unfit("the key"))?;
    key.set_sensitive(true);
    let version =
        HeaderValue::from_str(settings.version.trim()).map_err(|_| unfit("the version"))?;
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", key);
    headers.insert("anthropic-version", version);
    headers.insert(
        header::ACCEPT,
        HeaderValue::from_static("text/event-stream"),
    );
    Ok(headers)
}

/// What went wrong, as a body with an error status and an `error` event have it.
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
