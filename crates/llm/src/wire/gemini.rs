//! Google's Gemini API.

mod embeddings;
mod partial;
mod request;
mod schema;
mod status;
mod stream;

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use serde::{Deserialize, Serialize};

use self::embeddings::GeminiEmbeddings;
use super::{ChatWire, Decoder, Endpoint, Framing, WireApi, WireSpec};
use crate::config::{Effort, ProviderConfig};
use crate::provider::{ModelContext, ModelSetup};
use crate::{ChatRequest, Error};

/// Google's Gemini API.
pub(crate) const WIRE: WireApi = WireApi::new(&WireSpec {
    name: "gemini",
    base_url: None,
    requires_key: true,
    keys: &[
        "schemas",
        "foreign_calls",
        "thinking_budget",
        "reasoning_effort",
    ],
    embedding_keys: &[],
    defaults: || ProviderConfig {
        schemas: Some(SchemaDialect::JsonSchema),
        foreign_calls: Some(ForeignCalls::ByModel),
        ..ProviderConfig::default()
    },
    chat: |model| Ok(Box::new(Gemini::new(model)?)),
    embeddings: Some(|model, dimensions| Ok(Box::new(GeminiEmbeddings::new(model, dimensions)?))),
});

/// The dialect of schemas.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaDialect {
    /// JSON Schema, in `parametersJsonSchema` and `responseJsonSchema`.
    #[default]
    JsonSchema,
    /// The subset of OpenAPI that older servers know, in `parameters` and `responseSchema`.
    OpenApi,
}

/// The thought signature of a call that another provider, or another model, made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ForeignCalls {
    /// The documented placeholder if the model's name says that it is Gemini 3 or later, which
    /// requires signatures.
    #[default]
    ByModel,
    /// The placeholder.
    Placeholder,
    /// No signature.
    Unsigned,
}

/// How requests to a model are written.
#[derive(Debug, Clone)]
struct Options {
    context: Arc<ModelContext>,
    /// The limit for requests without one.
    max_output_tokens: u32,
    schemas: SchemaDialect,
    foreign_calls: ForeignCalls,
    effort: Option<Effort>,
    thinking_budget: Option<u32>,
}

impl Options {
    fn of(model: &ModelSetup) -> Self {
        Self {
            context: model.context.clone(),
            max_output_tokens: model.max_output_tokens,
            schemas: model.options.schemas.unwrap_or_default(),
            foreign_calls: model.options.foreign_calls.unwrap_or_default(),
            effort: model.options.reasoning_effort,
            thinking_budget: model.options.thinking_budget,
        }
    }
}

/// A chat model behind the Gemini API.
#[derive(Debug)]
struct Gemini {
    endpoint: Endpoint,
    options: Options,
}

impl Gemini {
    /// Refuses an address or a key that cannot be sent.
    fn new(model: &ModelSetup) -> Result<Self, Error> {
        let mut url = method_url(model, "streamGenerateContent")?;
        url.set_query(Some("alt=sse"));
        let headers = headers(model, "text/event-stream")?;
        Ok(Self {
            endpoint: Endpoint::new(model, url, headers, status::refusal),
            options: Options::of(model),
        })
    }
}

impl ChatWire for Gemini {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let body = request::body(&self.options, request)?;
        Ok(self.endpoint.post(client, &body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(stream::ContentDecoder::new(self.options.context.clone()))
    }

    fn may_think(&self, request: &ChatRequest) -> bool {
        request::may_think(&self.options, request)
    }
}

/// `{base}/v1beta/models/{model}:{method}`. The base may end with the API's version.
fn method_url(model: &ModelSetup, method: &str) -> Result<Url, Error> {
    let context = &model.context;
    let mut url = Url::parse(model.base_url.trim().trim_end_matches('/'))
        .map_err(|error| context.unfit_url(error))?;
    // Vertex AI has projects and publishers behind the version.
    let versioned = url
        .path_segments()
        .is_some_and(|mut segments| segments.any(|segment| segment.starts_with("v1")));
    {
        let mut path = url
            .path_segments_mut()
            .map_err(|()| context.unfit_url("it has no path"))?;
        path.pop_if_empty();
        if !versioned {
            path.push("v1beta");
        }
        let resource = resource(&context.id.model);
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

/// The key is a header, never a part of the address.
fn headers(model: &ModelSetup, accept: &'static str) -> Result<HeaderMap, Error> {
    let mut headers = model.headers.clone();
    let own = HeaderName::from_static("x-goog-api-key");
    model.add_key(&mut headers, own, str::to_owned)?;
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    Ok(headers)
}

#[cfg(test)]
mod tests;
