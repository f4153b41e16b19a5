//! One section per provider: where it is, with which key, and what is peculiar to it.

use std::path::PathBuf;

use configuration::{Invalid, Validate, http_url, positive, read_secret_file};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::temperature;

/// `[llm.gemini]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeminiConfig {
    /// Also `GEMINI_BASE_URL`.
    pub base_url: String,
    /// Also `GOOGLE_GENERATIVE_AI_API_KEY`.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `GEMINI_MODEL`.
    pub model: String,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// In which dialect schemas are sent.
    pub schemas: GeminiSchemas,
    /// What stands for the thought signature of a call that another provider made.
    pub foreign_calls: GeminiForeignCalls,
}

/// What stands for the thought signature of a call that another provider, or another model, made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeminiForeignCalls {
    /// The documented placeholder if the model's name says that it is Gemini 3 or later, which insists on signatures.
    ByModel,
    /// The placeholder.
    Placeholder,
    /// Nothing.
    Unsigned,
}

/// In which dialect Gemini gets schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GeminiSchemas {
    /// JSON Schema.
    JsonSchema,
    /// The subset of OpenAPI that older servers know.
    OpenApi,
}

impl Default for GeminiConfig {
    fn default() -> Self {
        Self {
            base_url: "https://generativelanguage.googleapis.com/v1beta".to_owned(),
            api_key: None,
            api_key_file: None,
            model: "gemini-2.0-flash".to_owned(),
            temperature: None,
            schemas: GeminiSchemas::JsonSchema,
            foreign_calls: GeminiForeignCalls::ByModel,
        }
    }
}

/// `[llm.anthropic]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnthropicConfig {
    /// Also `ANTHROPIC_BASE_URL`. With or without the `/v1`.
    pub base_url: String,
    /// Also `ANTHROPIC_API_KEY`.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `ANTHROPIC_MODEL`.
    pub model: String,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// The version of the interface, the header `anthropic-version`.
    pub version: String,
    /// Whether the model is asked to think first.
    pub thinking: AnthropicThinking,
    /// The most tokens to think with, for `thinking = "budget"`.
    pub thinking_budget: u32,
    /// How an answer of a given shape is had.
    pub structured: AnthropicStructured,
    /// Whether the model takes a temperature; some refuse it.
    pub takes_temperature: bool,
}

/// Whether a model of Anthropic's thinks before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnthropicThinking {
    /// Not asked to.
    Off,
    /// As it sees fit.
    Adaptive,
    /// With at most `thinking_budget` tokens, for models that know no other way.
    Budget,
}

/// How an answer of a given shape is had from Anthropic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnthropicStructured {
    /// By a tool that must be called, which every model knows.
    ForcedTool,
    /// By `output_config.format`, which newer models know.
    Native,
}

impl Default for AnthropicConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.anthropic.com".to_owned(),
            api_key: None,
            api_key_file: None,
            model: "claude-3-5-sonnet".to_owned(),
            temperature: None,
            version: "2023-06-01".to_owned(),
            thinking: AnthropicThinking::Off,
            thinking_budget: 2_048,
            structured: AnthropicStructured::ForcedTool,
            takes_temperature: true,
        }
    }
}

/// `[llm.openai]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiConfig {
    /// Also `OPENAI_BASE_URL`.
    pub base_url: String,
    /// Also `OPENAI_API_KEY`.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `OPENAI_MODEL`.
    pub model: String,
    /// In place of `llm.temperature`. Also `OPENAI_TEMPERATURE`.
    pub temperature: Option<f32>,
}

impl Default for OpenAiConfig {
    fn default() -> Self {
        Self {
            base_url: "https://api.openai.com/v1".to_owned(),
            api_key: None,
            api_key_file: None,
            model: "gpt-4o".to_owned(),
            temperature: None,
        }
    }
}

/// `[llm.openrouter]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRouterConfig {
    /// Also `OPENROUTER_BASE_URL`.
    pub base_url: String,
    /// Also `OPENROUTER_API_KEY`.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `OPENROUTER_MODEL`.
    pub model: String,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// Our page, for their statistics: the header `HTTP-Referer`. Also `OPENROUTER_REFERER`.
    pub referer: Option<String>,
    /// Our name, for their statistics: the header `X-Title`. Also `OPENROUTER_TITLE`.
    pub title: Option<String>,
}

impl Default for OpenRouterConfig {
    fn default() -> Self {
        Self {
            base_url: "https://openrouter.ai/api/v1".to_owned(),
            api_key: None,
            api_key_file: None,
            model: "openai/gpt-4o".to_owned(),
            temperature: None,
            referer: None,
            title: None,
        }
    }
}

/// `[llm.ollama]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OllamaConfig {
    /// `http://127.0.0.1:11434` where absent. Giving it makes Ollama a candidate when no provider is named. Also `OLLAMA_BASE_URL`.
    pub base_url: Option<String>,
    /// Only servers behind a gateway want one.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `OLLAMA_MODEL`.
    pub model: String,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// In place of `llm.timeouts.first_token_ms`: a model that is not loaded yet takes long.
    pub first_token_ms: u64,
    /// How long the model stays loaded after a call: `5m`, `-1` for ever. Absent leaves it to the server.
    pub keep_alive: Option<String>,
    /// Whether a model that can think does so. Absent leaves it to the server.
    pub think: Option<bool>,
    /// The size of the context in tokens. Absent leaves it to the server, which often takes a small one.
    pub num_ctx: Option<u32>,
}

/// Where Ollama listens unless told otherwise.
const OLLAMA_ADDRESS: &str = "http://127.0.0.1:11434";

impl OllamaConfig {
    /// `base_url`, or where Ollama listens by default.
    pub(crate) fn address(&self) -> &str {
        self.base_url.as_deref().unwrap_or(OLLAMA_ADDRESS)
    }
}

impl Default for OllamaConfig {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            api_key_file: None,
            model: "gpt-oss:20b".to_owned(),
            temperature: None,
            first_token_ms: 180_000,
            keep_alive: None,
            think: None,
            num_ctx: None,
        }
    }
}

/// `[llm.openai_compatible]`: vLLM, llama.cpp, Groq, Mistral and so on.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenAiCompatibleConfig {
    /// Up to and without `/chat/completions`. Also `OPENAI_COMPATIBLE_BASE_URL`.
    pub base_url: Option<String>,
    /// Also `OPENAI_COMPATIBLE_API_KEY`. Many servers want none.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Also `OPENAI_COMPATIBLE_MODEL`.
    pub model: Option<String>,
    /// In place of `llm.temperature`.
    pub temperature: Option<f32>,
    /// Whether the server takes `stream_options.include_usage`.
    pub stream_usage: bool,
    /// Whether the server takes `response_format` with a JSON schema; else it gets `json_object`.
    pub json_schema: bool,
}

impl Default for OpenAiCompatibleConfig {
    fn default() -> Self {
        Self {
            base_url: None,
            api_key: None,
            api_key_file: None,
            model: None,
            temperature: None,
            stream_usage: true,
            json_schema: true,
        }
    }
}

impl Validate for GeminiConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        provider(
            &self.base_url,
            self.api_key.as_ref(),
            &self.model,
            self.temperature,
        )
    }
}

impl Validate for AnthropicConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        provider(
            &self.base_url,
            self.api_key.as_ref(),
            &self.model,
            self.temperature,
        )?;
        header_text("version", Some(&self.version))?;
        if self.thinking == AnthropicThinking::Budget && self.thinking_budget < 1_024 {
            return Err(Invalid::new("thinking_budget", "must be at least 1024"));
        }
        if self.thinking != AnthropicThinking::Off
            && self.structured == AnthropicStructured::ForcedTool
        {
            return Err(Invalid::new(
                "structured",
                "must be native for a model that thinks: it can not be made to call a tool",
            ));
        }
        Ok(())
    }
}

impl Validate for OpenAiConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        provider(
            &self.base_url,
            self.api_key.as_ref(),
            &self.model,
            self.temperature,
        )
    }
}

impl Validate for OpenRouterConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        provider(
            &self.base_url,
            self.api_key.as_ref(),
            &self.model,
            self.temperature,
        )?;
        header_text("referer", self.referer.as_deref())?;
        header_text("title", self.title.as_deref())
    }
}

impl Validate for OllamaConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        provider(
            self.address(),
            self.api_key.as_ref(),
            &self.model,
            self.temperature,
        )?;
        positive("first_token_ms", self.first_token_ms)
    }
}

impl Validate for OpenAiCompatibleConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        if let Some(url) = &self.base_url {
            http_url("base_url", url)?;
        }
        header_value("api_key", self.api_key.as_ref())?;
        if let Some(model) = &self.model {
            not_empty("model", model)?;
        }
        temperature("temperature", self.temperature)
    }
}

/// What every provider's section has, checked.
fn provider(
    base_url: &str,
    api_key: Option<&SecretString>,
    model: &str,
    of_its_own: Option<f32>,
) -> Result<(), Invalid> {
    http_url("base_url", base_url)?;
    header_value("api_key", api_key)?;
    not_empty("model", model)?;
    temperature("temperature", of_its_own)
}

/// Refuses a key that can not be sent, without showing it.
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

fn header_text(key: &str, text: Option<&str>) -> Result<(), Invalid> {
    let fits = text.is_none_or(|text| http::HeaderValue::from_str(text).is_ok());
    if fits {
        Ok(())
    } else {
        Err(Invalid::new(key, "can not be sent in a header"))
    }
}

fn not_empty(key: &str, text: &str) -> Result<(), Invalid> {
    if text.trim().is_empty() {
        Err(Invalid::new(key, "must not be empty"))
    } else {
        Ok(())
    }
}
