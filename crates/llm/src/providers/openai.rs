//! OpenAI's chat completions, and every server that speaks them, OpenRouter among them.

mod calls;
mod chunk;
mod decoder;
mod embeddings;
mod messages;
mod origin;
mod request;
mod schema;
mod thoughts;

use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};

pub(crate) use self::embeddings::OpenAiEmbeddings;
use self::origin::Origin;
pub(super) use self::request::{hundredths, tool};
use crate::wire::{Decoder, Framing, Wire};
use crate::{ChatRequest, Error, ErrorKind, ModelId, ProviderKind};

/// How to reach a server of chat completions.
#[derive(Debug, Clone)]
pub(crate) struct OpenAiSettings {
    /// Up to and without `/chat/completions`; a query (Azure's `api-version`) is kept.
    pub(crate) base_url: String,
    /// Sent as a bearer token. Many servers of one's own want none.
    pub(crate) api_key: Option<SecretString>,
    /// Any name.
    pub(crate) model: String,
    /// What kind of server it is.
    pub(crate) flavour: Flavour,
    /// Sent with every request.
    pub(crate) extra_headers: HeaderMap,
}

/// Kinds of servers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// OpenAI itself.
    OpenAi,
    /// Any other: vLLM, llama.cpp, Groq, Mistral, `DeepSeek` and so on.
    Compatible {
        /// Whether it takes `stream_options.include_usage`.
        stream_usage: bool,
        /// Whether it takes a JSON schema as `response_format`; else it gets `json_object`, and the schema in words.
        json_schema: bool,
    },
    /// OpenRouter.
    OpenRouter {
        /// Our page, for its statistics: `HTTP-Referer`.
        referer: Option<String>,
        /// Our name, for its statistics: `X-Title`.
        title: Option<String>,
    },
}

impl Flavour {
    fn provider(&self) -> ProviderKind {
        match self {
            Self::OpenAi | Self::Compatible { .. } => ProviderKind::OpenAi,
            Self::OpenRouter { .. } => ProviderKind::OpenRouter,
        }
    }

    /// How the variables of its settings begin.
    fn variables(&self) -> &'static str {
        match self {
            Self::OpenAi => "OPENAI",
            Self::Compatible { .. } => "OPENAI_COMPATIBLE",
            Self::OpenRouter { .. } => "OPENROUTER",
        }
    }
}

/// A model behind chat completions.
#[derive(Debug)]
pub(crate) struct OpenAi {
    origin: Arc<Origin>,
    url: Url,
    headers: HeaderMap,
    flavour: Flavour,
}

impl OpenAi {
    /// Refuses an address or a key that can not be sent.
    pub(crate) fn new(settings: OpenAiSettings) -> Result<Self, Error> {
        Ok(Self {
            url: endpoint(&settings.base_url, "chat/completions")?,
            headers: headers(&settings, "text/event-stream")?,
            origin: Arc::new(Origin {
                provider: settings.flavour.provider(),
                model: settings.model.into(),
                variables: settings.flavour.variables(),
                key: settings.api_key.unwrap_or_default(),
            }),
            flavour: settings.flavour,
        })
    }
}

impl Wire for OpenAi {
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
        Box::new(decoder::ChatDecoder::new(self.origin.clone()))
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Error {
        self.origin.refusal(status, headers, body)
    }

    fn id(&self) -> ModelId {
        ModelId {
            provider: self.origin.provider,
            model: self.origin.model.clone(),
        }
    }
}

/// An operation's address below the base.
fn endpoint(base_url: &str, operation: &str) -> Result<Url, Error> {
    let unfit = |why: &str| {
        Error::new(ErrorKind::BadRequest).with_detail(format!("the base URL of the model: {why}"))
    };
    let mut url = Url::parse(base_url.trim()).map_err(|error| unfit(&error.to_string()))?;
    if url.cannot_be_a_base() {
        return Err(unfit("not an HTTP address"));
    }
    let base = url.path().trim_end_matches('/');
    // Whoever copied the whole address means the same.
    let base = base.strip_suffix("/chat/completions").unwrap_or(base);
    let path = format!("{base}/{operation}");
    url.set_path(&path);
    Ok(url)
}

fn headers(settings: &OpenAiSettings, accept: &'static str) -> Result<HeaderMap, Error> {
    let mut headers = settings.extra_headers.clone();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    let key = settings.api_key.as_ref().map(ExposeSecret::expose_secret);
    if let Some(key) = key.map(str::trim).filter(|key| !key.is_empty()) {
        let mut value = value("the key", &format!("Bearer {key}"))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    if let Flavour::OpenRouter { referer, title } = &settings.flavour {
        if let Some(referer) = referer {
            headers.insert(
                HeaderName::from_static("http-referer"),
                value("the referer", referer)?,
            );
        }
        if let Some(title) = title {
            headers.insert(
                HeaderName::from_static("x-title"),
                value("the title", title)?,
            );
        }
    }
    Ok(headers)
}

fn value(what: &str, text: &str) -> Result<HeaderValue, Error> {
    HeaderValue::from_str(text).map_err(|_| {
        Error::new(ErrorKind::BadRequest).with_detail(format!("{what} does not fit into a header"))
    })
}

#[cfg(test)]
mod tests;
