//! The record of a provider: `[llm.NAME]` of a built-in one, `[llm.providers.NAME]` of another.

use std::collections::BTreeMap;
use std::path::PathBuf;

use configuration::{Invalid, Validate, http_url, positive, read_secret_file};
use http::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::temperature;
use crate::AnswerSize;
use crate::wire::{
    ForeignCalls, SchemaDialect, StructuredOutput, Thinking, WireApi, is_key_of_a_wire,
};

/// The amount of reasoning before an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// None.
    None,
    /// As little as possible.
    Minimal,
    /// Little.
    Low,
    /// The usual amount of most providers.
    Medium,
    /// Much.
    High,
}

impl Effort {
    /// As requests spell it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// The effort for an answer of this size: at most a low one for a brief answer.
    pub(crate) fn sized(self, size: AnswerSize) -> Self {
        match size {
            AnswerSize::Full => self,
            AnswerSize::Brief => self.min(Self::Low),
        }
    }
}

/// What makes a provider: its wire, its address, its key, its models and what it can do. What is
/// absent is taken from the table of built-in providers, then from the wire.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProviderConfig {
    /// The name in messages.
    pub display_name: Option<String>,
    /// The protocol. Only for providers that configuration defines; that of a built-in one is
    /// fixed.
    pub wire: Option<WireApi>,
    /// Without the operation's path.
    pub base_url: Option<String>,
    /// The environment variable that sets `base_url`.
    pub base_url_variable: Option<String>,
    /// Sent in the header that the wire has for it.
    #[serde(skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// The environment variable that sets `api_key`.
    pub api_key_variable: Option<String>,
    /// Whether the provider cannot be used without a key. Absent: as the wire, and yes where
    /// `api_key_variable` is given.
    pub requires_key: Option<bool>,
    /// The header that carries the key alone, in place of the wire's own:
    /// `api-key` for Azure.
    pub api_key_header: Option<String>,
    /// Headers that each request carries. Not for keys: they are shown in logs.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Headers whose values are in files, and in no log: the keys of a gateway.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub header_files: BTreeMap<String, PathBuf>,
    /// The values of `header_files`.
    #[serde(skip)]
    pub secret_headers: BTreeMap<String, SecretString>,
    /// `gen_ai.provider.name` in traces.
    pub telemetry_name: Option<String>,
    /// The chat model.
    pub model: Option<String>,
    /// The environment variable that sets `model`.
    pub model_variable: Option<String>,
    /// The embedding model.
    pub embedding_model: Option<String>,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// In place of `llm.timeouts.first_token_ms`.
    pub first_token_ms: Option<u64>,
    /// Whether the provider accepts tools. Requests with tools fail at once where it does not.
    pub tools: Option<bool>,
    /// Whether the provider makes embeddings.
    pub embeddings: Option<bool>,

    // Wires of models that reason or cache prompts.
    /// The amount of reasoning before an answer. Absent: the provider decides.
    pub reasoning_effort: Option<Effort>,
    /// Whether requests say which part of the prompt is to be cached, where the provider does not
    /// cache without being asked.
    pub prompt_caching: Option<bool>,

    // Wires of chat completions.
    /// Whether the server accepts `stream_options.include_usage`.
    pub stream_usage: Option<bool>,
    /// Whether the server accepts `response_format` with a JSON schema, otherwise it gets
    /// `json_object` and the schema as text.
    pub json_schema: Option<bool>,
    /// The header `HTTP-Referer`: this installation in OpenRouter's statistics.
    pub referer: Option<String>,
    /// The header `X-Title`.
    pub title: Option<String>,

    // Gemini.
    /// The dialect of schemas.
    pub schemas: Option<SchemaDialect>,
    /// The thought signature of a call that another provider, or another model, made.
    pub foreign_calls: Option<ForeignCalls>,

    // Anthropic.
    /// The header `anthropic-version`.
    pub version: Option<String>,
    /// Whether the model thinks before it answers.
    pub thinking: Option<Thinking>,
    /// Maximum number of tokens for reasoning, for `thinking = "budget"`.
    pub thinking_budget: Option<u32>,
    /// How an answer of a given shape is requested.
    pub structured: Option<StructuredOutput>,
    /// Whether the model accepts a temperature.
    pub takes_temperature: Option<bool>,

    // Ollama.
    /// Time that the model stays loaded after a call: `5m`, `-1` without end. Absent: the server
    /// decides.
    pub keep_alive: Option<String>,
    /// Whether a model that can think does so. Absent: the server decides.
    pub think: Option<bool>,
    /// The size of the context in tokens. Absent: the server decides, often for a small one.
    pub num_ctx: Option<u32>,
}

/// Keys that say something about chat only.
const CHAT_KEYS: [&str; 7] = [
    "model",
    "model_variable",
    "temperature",
    "first_token_ms",
    "tools",
    "reasoning_effort",
    "prompt_caching",
];

impl ProviderConfig {
    /// This record, completed with `defaults`.
    pub(crate) fn or(self, defaults: Self) -> Self {
        let mut headers = defaults.headers;
        headers.extend(self.headers);
        let mut header_files = defaults.header_files;
        header_files.extend(self.header_files);
        let mut secret_headers = defaults.secret_headers;
        secret_headers.extend(self.secret_headers);
        Self {
            display_name: self.display_name.or(defaults.display_name),
            wire: self.wire.or(defaults.wire),
            base_url: self.base_url.or(defaults.base_url),
            base_url_variable: self.base_url_variable.or(defaults.base_url_variable),
            api_key: self.api_key.or(defaults.api_key),
            api_key_file: self.api_key_file.or(defaults.api_key_file),
            api_key_variable: self.api_key_variable.or(defaults.api_key_variable),
            requires_key: self.requires_key.or(defaults.requires_key),
            api_key_header: self.api_key_header.or(defaults.api_key_header),
            headers,
            header_files,
            secret_headers,
            telemetry_name: self.telemetry_name.or(defaults.telemetry_name),
            model: self.model.or(defaults.model),
            model_variable: self.model_variable.or(defaults.model_variable),
            embedding_model: self.embedding_model.or(defaults.embedding_model),
            temperature: self.temperature.or(defaults.temperature),
            first_token_ms: self.first_token_ms.or(defaults.first_token_ms),
            tools: self.tools.or(defaults.tools),
            embeddings: self.embeddings.or(defaults.embeddings),
            reasoning_effort: self.reasoning_effort.or(defaults.reasoning_effort),
            prompt_caching: self.prompt_caching.or(defaults.prompt_caching),
            stream_usage: self.stream_usage.or(defaults.stream_usage),
            json_schema: self.json_schema.or(defaults.json_schema),
            referer: self.referer.or(defaults.referer),
            title: self.title.or(defaults.title),
            schemas: self.schemas.or(defaults.schemas),
            foreign_calls: self.foreign_calls.or(defaults.foreign_calls),
            version: self.version.or(defaults.version),
            thinking: self.thinking.or(defaults.thinking),
            thinking_budget: self.thinking_budget.or(defaults.thinking_budget),
            structured: self.structured.or(defaults.structured),
            takes_temperature: self.takes_temperature.or(defaults.takes_temperature),
            keep_alive: self.keep_alive.or(defaults.keep_alive),
            think: self.think.or(defaults.think),
            num_ctx: self.num_ctx.or(defaults.num_ctx),
        }
    }

    /// The keys that are given, as configuration spells them.
    fn keys(&self) -> Vec<String> {
        match serde_json::to_value(self) {
            Ok(Value::Object(members)) => members
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, _)| key)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Refuses keys that a provider of this wire does not have.
    pub(crate) fn check_keys(&self, wire: WireApi, embeddings_only: bool) -> Result<(), Invalid> {
        for key in self.keys() {
            let of_the_wire = wire.keys(embeddings_only).contains(&&*key);
            if is_key_of_a_wire(&key) && !of_the_wire {
                let reason = format!("does not exist for a provider of the wire {}", wire.name());
                return Err(Invalid::new(key, reason));
            }
            if embeddings_only && CHAT_KEYS.contains(&&*key) {
                return Err(Invalid::new(key, "does not apply to embeddings"));
            }
        }
        Ok(())
    }
}

impl Validate for ProviderConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        for (name, path) in &self.header_files {
            let mut value = None;
            read_secret_file(&format!("header_files.{name}"), &mut value, Some(path))?;
            let value = value.unwrap_or_default();
            header_value(&format!("header_files.{name}"), Some(&value))?;
            self.secret_headers.insert(name.clone(), value);
        }
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        if let Some(url) = &self.base_url {
            http_url("base_url", url)?;
        }
        header_value("api_key", self.api_key.as_ref())?;
        let texts = [
            ("display_name", &self.display_name),
            ("base_url_variable", &self.base_url_variable),
            ("api_key_variable", &self.api_key_variable),
            ("telemetry_name", &self.telemetry_name),
            ("model", &self.model),
            ("model_variable", &self.model_variable),
            ("embedding_model", &self.embedding_model),
        ];
        for (key, text) in texts {
            not_empty(key, text.as_deref())?;
        }
        temperature("temperature", self.temperature)?;
        positive("first_token_ms", self.first_token_ms.unwrap_or(1))?;
        header_text("version", self.version.as_deref())?;
        header_text("referer", self.referer.as_deref())?;
        header_text("title", self.title.as_deref())?;
        if let Some(name) = &self.api_key_header {
            header_name("api_key_header", name)?;
        }
        for name in self.header_files.keys() {
            header_name(&format!("header_files.{name}"), name)?;
        }
        for (name, text) in &self.headers {
            header_name(&format!("headers.{name}"), name)?;
            header_text(&format!("headers.{name}"), Some(text))?;
        }
        self.validate_thinking()
    }
}

impl ProviderConfig {
    fn validate_thinking(&self) -> Result<(), Invalid> {
        let thinking = self.thinking.unwrap_or_default();
        if thinking == Thinking::Budget && self.thinking_budget.is_some_and(|most| most < 1_024) {
            return Err(Invalid::new("thinking_budget", "must be at least 1024"));
        }
        if thinking != Thinking::Off && self.structured == Some(StructuredOutput::ForcedTool) {
            return Err(Invalid::new(
                "structured",
                "must be native for a model that thinks: it cannot be forced to call a tool",
            ));
        }
        Ok(())
    }
}

/// Refuses a key that cannot be sent, without showing it.
fn header_value(key: &str, secret: Option<&SecretString>) -> Result<(), Invalid> {
    let Some(secret) = secret else { return Ok(()) };
    let secret = secret.expose_secret();
    if secret.is_empty() {
        return Err(Invalid::new(key, "must not be empty"));
    }
    if secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(())
    } else {
        Err(Invalid::new(
            key,
            "has a space, a line break or another character that no key has",
        ))
    }
}

fn header_name(key: &str, name: &str) -> Result<(), Invalid> {
    match name.parse::<HeaderName>() {
        Ok(_) => Ok(()),
        Err(_) => Err(Invalid::new(key, "is not a valid header name")),
    }
}

fn header_text(key: &str, text: Option<&str>) -> Result<(), Invalid> {
    let fits = text.is_none_or(|text| HeaderValue::from_str(text).is_ok());
    if fits {
        Ok(())
    } else {
        Err(Invalid::new(
            key,
            "contains characters that a header cannot carry",
        ))
    }
}

fn not_empty(key: &str, text: Option<&str>) -> Result<(), Invalid> {
    if text.is_some_and(|text| text.trim().is_empty()) {
        Err(Invalid::new(key, "must not be empty"))
    } else {
        Ok(())
    }
}
