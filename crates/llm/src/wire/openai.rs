//! OpenAI's chat completions, and every server that speaks them, OpenRouter among them.

mod calls;
mod chunk;
mod decoder;
mod embeddings;
mod errors;
mod messages;
mod request;
mod responses;
mod schema;
mod thoughts;

use http::{HeaderMap, HeaderValue, header};
use http_client::HttpClient;
use reqwest::{RequestBuilder, Url};

use self::embeddings::OpenAiEmbeddings;
pub(super) use self::request::{hundredths, tool};
use self::responses::Responses;
use super::{ChatWire, Decoder, EmbeddingsOf, Endpoint, Framing, WireApi, WireSpec};
use crate::config::{Effort, ProviderConfig};
use crate::provider::ModelSetup;
use crate::{ChatRequest, Error};

/// `OpenAI`'s own servers.
pub(crate) const CHAT: WireApi = WireApi::new(&WireSpec {
    name: "openai_chat",
    base_url: None,
    requires_key: false,
    keys: &["reasoning_effort", "prompt_caching"],
    embedding_keys: &[],
    defaults: without_cache_key,
    chat: |model| Ok(Box::new(OpenAi::new(model, ServerKind::OpenAi)?)),
    embeddings: EMBEDDINGS,
});

/// Any other server of chat completions: vLLM, llama.cpp, Groq, Mistral, `DeepSeek` and so on.
pub(crate) const COMPATIBLE: WireApi = WireApi::new(&WireSpec {
    name: "openai_compatible",
    base_url: None,
    requires_key: false,
    keys: &["stream_usage", "json_schema", "reasoning_effort"],
    embedding_keys: &[],
    defaults: || ProviderConfig {
        stream_usage: Some(true),
        json_schema: Some(true),
        ..ProviderConfig::default()
    },
    chat: |model| {
        let server = ServerKind::Compatible {
            stream_usage: model.options.stream_usage.unwrap_or(true),
            json_schema: model.options.json_schema.unwrap_or(true),
        };
        Ok(Box::new(OpenAi::new(model, server)?))
    },
    embeddings: EMBEDDINGS,
});

/// `OpenRouter`: chat completions with headers, thoughts and errors of its own.
pub(crate) const ROUTER: WireApi = WireApi::new(&WireSpec {
    name: "openrouter",
    base_url: None,
    requires_key: false,
    keys: &["referer", "title", "reasoning_effort", "prompt_caching"],
    embedding_keys: &[],
    // Requests to models that cache nothing unasked mark what is to be cached.
    defaults: || ProviderConfig {
        prompt_caching: Some(true),
        ..ProviderConfig::default()
    },
    chat: |model| Ok(Box::new(OpenAi::new(model, ServerKind::OpenRouter)?)),
    embeddings: EMBEDDINGS,
});

/// OpenAI caches prompts unasked. A key of its own is for many users of one prompt.
fn without_cache_key() -> ProviderConfig {
    ProviderConfig {
        prompt_caching: Some(false),
        ..ProviderConfig::default()
    }
}

/// `OpenAI`'s Responses API.
pub(crate) const RESPONSES: WireApi = WireApi::new(&WireSpec {
    name: "openai_responses",
    base_url: None,
    requires_key: false,
    keys: &["reasoning_effort", "prompt_caching"],
    embedding_keys: &[],
    defaults: without_cache_key,
    chat: |model| Ok(Box::new(Responses::new(model)?)),
    embeddings: EMBEDDINGS,
});

const EMBEDDINGS: Option<EmbeddingsOf> =
    Some(|model, dimensions| Ok(Box::new(OpenAiEmbeddings::new(model, dimensions)?)));

/// Kinds of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ServerKind {
    OpenAi,
    Compatible {
        /// Whether it accepts `stream_options.include_usage`.
        stream_usage: bool,
        /// Whether it accepts a JSON schema as `response_format`, otherwise it gets `json_object`,
        /// and the schema as text.
        json_schema: bool,
    },
    OpenRouter,
}

/// A chat model behind chat completions.
#[derive(Debug)]
struct OpenAi {
    endpoint: Endpoint,
    server: ServerKind,
    effort: Option<Effort>,
    prompt_caching: bool,
}

impl OpenAi {
    /// Refuses an address or a key that cannot be sent.
    fn new(model: &ModelSetup, server: ServerKind) -> Result<Self, Error> {
        Ok(Self {
            endpoint: endpoint(model, "chat/completions", "text/event-stream")?,
            server,
            effort: model.options.reasoning_effort,
            prompt_caching: model.options.prompt_caching.unwrap_or_default(),
        })
    }
}

impl ChatWire for OpenAi {
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn request(&self, client: &HttpClient, request: &ChatRequest) -> Result<RequestBuilder, Error> {
        let mut body = self.body(request)?;
        self.add_cache(&mut body, request);
        Ok(self.endpoint.post(client, &body))
    }

    fn framing(&self) -> Framing {
        Framing::Events
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decoder::ChatDecoder::new(
            self.endpoint.context.clone(),
            self.server,
        ))
    }

    fn may_think(&self, _request: &ChatRequest) -> bool {
        self.effort != Some(Effort::None) && self.may_reason()
    }
}

/// The endpoint of an operation below the base, whose query (Azure's `api-version`) is kept.
fn endpoint(model: &ModelSetup, operation: &str, accept: &'static str) -> Result<Endpoint, Error> {
    let unfit = |why: &str| model.context.unfit_url(why);
    let mut url = Url::parse(model.base_url.trim()).map_err(|error| unfit(&error.to_string()))?;
    if url.cannot_be_a_base() {
        return Err(unfit("it is not an HTTP address"));
    }
    let base = url.path().trim_end_matches('/');
    // A whole address that was copied means the same.
    let base = ["/chat/completions", "/responses"]
        .iter()
        .find_map(|end| base.strip_suffix(end))
        .unwrap_or(base);
    let path = format!("{base}/{operation}");
    url.set_path(&path);
    let headers = headers(model, accept)?;
    Ok(Endpoint::new(model, url, headers, errors::refusal))
}

fn headers(model: &ModelSetup, accept: &'static str) -> Result<HeaderMap, Error> {
    let context = &model.context;
    let mut headers = model.headers.clone();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    model.add_key(&mut headers, header::AUTHORIZATION, |key| {
        format!("Bearer {key}")
    })?;
    if let Some(referer) = &model.options.referer {
        headers.insert("http-referer", context.header("the referer", referer)?);
    }
    if let Some(title) = &model.options.title {
        headers.insert("x-title", context.header("the title", title)?);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests;
