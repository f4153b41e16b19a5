//! From a request over HTTP to what was asked, checked by the dialect's rules.

use ::http::HeaderMap;
use http_body_util::BodyExt;
use serde_json::Value;

use super::server::HungUp;
use super::{Dialect, Refusal, Seen, anthropic, embeddings, gemini, ollama, openai};

/// A request as it came.
pub(super) struct Incoming {
    pub(super) dialect: Dialect,
    pub(super) method: ::http::Method,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) headers: HeaderMap,
    pub(super) bytes: bytes::Bytes,
    /// The body, once it has been read as JSON.
    pub(super) body: Value,
}

impl Incoming {
    pub(super) async fn read(
        dialect: Dialect,
        request: hyper::Request<hyper::body::Incoming>,
    ) -> Result<Self, HungUp> {
        let (parts, body) = request.into_parts();
        let bytes = body.collect().await.map_err(|_| HungUp)?.to_bytes();
        Ok(Self {
            dialect,
            method: parts.method,
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            headers: parts.headers,
            bytes,
            body: Value::Null,
        })
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// A parameter of the query, without decoding.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let pairs = self
            .query
            .split('&')
            .filter_map(|pair| pair.split_once('='));
        pairs
            .into_iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| value)
    }

    fn refuse(&self, status: u16, message: impl Into<String>) -> Refusal {
        Refusal::new(self.dialect, status, message)
    }
}

/// Reads and checks a request.
pub(super) fn check(mut incoming: Incoming, key: &str) -> Result<Seen, Refusal> {
    let dialect = incoming.dialect;
    let Some(base) = incoming
        .path
        .strip_prefix(dialect.base_path())
        .map(str::to_owned)
    else {
        return Err(no_such_path(&incoming));
    };
    match dialect {
        Dialect::OpenAi | Dialect::OpenRouter => openai::authorize(&incoming, key)?,
        Dialect::Anthropic => anthropic::authorize(&incoming, key)?,
        Dialect::Gemini => gemini::authorize(&incoming, key)?,
        // It knows no keys.
        Dialect::Ollama => {}
    }
    if incoming.method != ::http::Method::POST {
        return Err(incoming.refuse(405, "Method not allowed"));
    }
    incoming.body = serde_json::from_slice(&incoming.bytes)
        .ok()
        .filter(Value::is_object)
        .ok_or_else(|| incoming.refuse(400, not_json(dialect)))?;
    match (dialect, base.as_str()) {
        (Dialect::OpenAi | Dialect::OpenRouter, "/chat/completions") => openai::check(&incoming),
        (Dialect::OpenAi | Dialect::OpenRouter, "/embeddings") => embeddings::openai(&incoming),
        (Dialect::Anthropic, "/v1/messages") => anthropic::check(&incoming),
        (Dialect::Ollama, "/api/chat") => ollama::check(&incoming),
        (Dialect::Ollama, "/api/embed") => embeddings::ollama(&incoming),
        (Dialect::Gemini, path) => match path
            .strip_prefix("/models/")
            .and_then(|rest| rest.split_once(':'))
        {
            Some((model, "streamGenerateContent")) => gemini::check(&incoming, model, true),
            Some((model, "generateContent")) => gemini::check(&incoming, model, false),
            Some((model, method @ ("embedContent" | "batchEmbedContents"))) => {
                embeddings::gemini(&incoming, model, method)
            }
            _ => Err(no_such_path(&incoming)),
        },
        _ => Err(no_such_path(&incoming)),
    }
}

fn no_such_path(incoming: &Incoming) -> Refusal {
    let Incoming { method, path, .. } = incoming;
    incoming.refuse(404, format!("Invalid URL ({method} {path})"))
}

fn not_json(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::OpenAi | Dialect::OpenRouter => {
            "We could not parse the JSON body of your request."
        }
        Dialect::Anthropic => "The request body is not valid JSON: unexpected character",
        Dialect::Gemini => "Invalid JSON payload received. Unexpected token.",
        Dialect::Ollama => "invalid character in JSON body",
    }
}
