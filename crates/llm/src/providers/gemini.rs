//! Google's Gemini API.

mod embeddings;
mod partial;
mod request;
mod schema;
mod status;
mod stream;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};

pub(crate) use self::embeddings::GeminiEmbeddings;
use crate::wire::{Decoder, Framing, Wire};
use crate::{ChatRequest, Error, ErrorKind, ModelId, ProviderKind};

/// The variable that names the chat model, told when there is no such model.
const MODEL_VARIABLE: &str = "GEMINI_MODEL";
/// The variable with the key, told when it is refused.
const KEY_VARIABLE: &str = "GOOGLE_GENERATIVE_AI_API_KEY";

/// How to reach Gemini, or a gateway that speaks its API.
#[derive(Debug, Clone)]
pub(crate) struct GeminiSettings {
    /// With or without the API's version (`/v1beta`) at the end.
    pub(crate) base_url: String,
    /// Sent as `x-goog-api-key`, never in an address.
    pub(crate) api_key: SecretString,
    /// Any name; `gemini-x`, or with its collection (`tunedModels/x`).
    pub(crate) model: String,
    /// The limit for requests that give none.
    pub(crate) max_output_tokens: u32,
    /// In which dialect schemas are sent.
    pub(crate) schemas: SchemaDialect,
    /// What stands for the thought signature of a call that another provider made.
    pub(crate) foreign_calls: ForeignCalls,
}

/// In which dialect schemas are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaDialect {
    /// JSON Schema, in `parametersJsonSchema` and `responseJsonSchema`.
    JsonSchema,
    /// The subset of OpenAPI that older servers know, in `parameters` and `responseSchema`.
    OpenApi,
}

/// What stands for the thought signature of a call that another provider, or another model, made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForeignCalls {
    /// The documented placeholder if the model's name says that it is Gemini 3 or later, which insists on signatures.
    ByModel,
    /// The placeholder.
    Placeholder,
    /// Nothing.
    Unsigned,
}

impl GeminiSettings {
    /// The settings of the public API.
    pub(crate) fn new(api_key: SecretString, model: impl Into<String>) -> Self {
        Self {
            base_url: "https://generativelanguage.googleapis.com".to_owned(),
            api_key,
            model: model.into(),
            max_output_tokens: 4096,
            schemas: SchemaDialect::JsonSchema,
            foreign_calls: ForeignCalls::ByModel,
        }
    }
}

/// A model of Gemini's.
#[derive(Debug)]
pub(crate) struct Gemini {
    settings: GeminiSettings,
    model: Arc<str>,
    url: Url,
    headers: HeaderMap,
}

impl Gemini {
    /// Refuses an address or a key that can not be sent.
    pub(crate) fn new(settings: GeminiSettings) -> Result<Self, Error> {
        let mut url = method_url(&settings.base_url, &settings.model, "streamGenerateContent")?;
        url.set_query(Some("alt=sse"));
        let mut headers = headers(&settings.api_key)?;
        headers.insert(
            header::ACCEPT,
            HeaderValue::from_static("text/event-stream"),
        );
        Ok(Self {
            url,
            headers,
            model: settings.model.as_str().into(),
            settings,
        })
    }
}

impl Wire for Gemini {
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
        Box::new(stream::ContentDecoder::new(
            self.model.clone(),
            self.settings.api_key.clone(),
        ))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        let asked = status::Asked {
            model: &self.settings.model,
            variable: MODEL_VARIABLE,
            key: &self.settings.api_key,
        };
        status::refusal(&asked, status, headers, body)
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: ProviderKind::Gemini,
            model: self.model.clone(),
        }
    }
}

/// `{base}/v1beta/models/{model}:{method}`.
fn method_url(base_url: &str, model: &str, method: &str) -> Result<Url, Error> {
    let unfit = |why: &dyn std::fmt::Display| {
        Error::new(ErrorKind::BadRequest).with_detail(format!("the base URL of Gemini: {why}"))
    };
    let mut url =
        Url::parse(base_url.trim().trim_end_matches('/')).map_err(|error| unfit(&error))?;
    let versioned = url
        .path_segments()
        .and_then(|segments| segments.rev().find(|segment| !segment.is_empty()))
        .is_some_and(|last| last.starts_with("v1"));
    {
        let mut path = url
            .path_segments_mut()
            .map_err(|()| unfit(&"it takes no path"))?;
        path.pop_if_empty();
        if !versioned {
            path.push("v1beta");
        }
        let resource = resource(model);
        let (collection, name) = resource.split_once('/').unwrap_or(("models", &resource));
        path.push(collection).push(&format!("{name}:{method}"));
    }
    Ok(url)
}

/// A model's full name, `models/x`.
fn resource(model: &str) -> String {
    let model = model.trim();
    if model.contains('/') {
        model.to_owned()
    } else {
        format!("models/{model}")
    }
}

fn headers(key: &SecretString) -> Result<HeaderMap, Error> {
    let mut key = HeaderValue::from_str(key.expose_secret().trim()).map_err(|_| {
        Error::new(ErrorKind::BadRequest)
            .with_detail("the key of Gemini does not fit into a header")
    })?;
    key.set_sensitive(true);
    let mut headers = HeaderMap::new();
    headers.insert("x-goog-api-key", key);
    Ok(headers)
}

#[cfg(test)]
mod tests;
