//! Who is asked: the provider, its fallbacks, the embedding model.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use configuration::{Invalid, Validate, positive};
use secrecy::SecretString;
use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::LlmConfig;
use crate::ProviderKind;

/// A provider, as configuration names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum ProviderName {
    /// Google's Gemini.
    Gemini,
    /// Anthropic.
    Anthropic,
    /// OpenAI.
    OpenAi,
    /// OpenRouter.
    OpenRouter,
    /// Ollama.
    Ollama,
    /// Any other server that speaks OpenAI's chat completions.
    OpenAiCompatible,
    /// Nobody: rules only.
    None,
}

impl ProviderName {
    /// All of them, in the order in which the first one that can be used is looked for.
    pub const ALL: [Self; 7] = [
        Self::Gemini,
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenRouter,
        Self::OpenAiCompatible,
        Self::Ollama,
        Self::None,
    ];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenRouter => "openrouter",
            Self::Ollama => "ollama",
            Self::OpenAiCompatible => "openai_compatible",
            Self::None => "none",
        }
    }

    /// Its interface.
    pub fn kind(self) -> Option<ProviderKind> {
        match self {
            Self::Gemini => Some(ProviderKind::Gemini),
            Self::Anthropic => Some(ProviderKind::Anthropic),
            Self::OpenAi | Self::OpenAiCompatible => Some(ProviderKind::OpenAi),
            Self::OpenRouter => Some(ProviderKind::OpenRouter),
            Self::Ollama => Some(ProviderKind::Ollama),
            Self::None => None,
        }
    }
}

impl FromStr for ProviderName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.trim();
        let found = Self::ALL
            .into_iter()
            .find(|name| name.as_str().eq_ignore_ascii_case(wanted));
        found.ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            format!("there is no provider \"{wanted}\"; there are {known}")
        })
    }
}

impl TryFrom<String> for ProviderName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<ProviderName> for &'static str {
    fn from(name: ProviderName) -> Self {
        name.as_str()
    }
}

/// A model to ask in turn: `"anthropic"`, `"anthropic:claude-…"` or `{provider = "anthropic", model = "claude-…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FallbackConfig {
    /// The provider. Its section says the rest.
    pub provider: ProviderName,
    /// The model, in place of the one in the provider's section.
    pub model: Option<String>,
}

impl FromStr for FallbackConfig {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // At the first colon: names of models have more of them.
        let (provider, model) = match text.split_once(':') {
            Some((provider, model)) => (provider, Some(model.trim().to_owned())),
            None => (text, None),
        };
        Ok(Self {
            provider: provider.parse()?,
            model,
        })
    }
}

impl<'de> Deserialize<'de> for FallbackConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FallbackVisitor)
    }
}

struct FallbackVisitor;

impl<'de> Visitor<'de> for FallbackVisitor {
    type Value = FallbackConfig;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a provider, or a table of provider and model")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<FallbackConfig, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<FallbackConfig, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            provider: ProviderName,
            model: Option<String>,
        }
        let Table { provider, model } = Table::deserialize(MapAccessDeserializer::new(map))?;
        Ok(FallbackConfig { provider, model })
    }
}

/// Who makes embeddings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingProvider {
    /// OpenAI.
    #[serde(rename = "openai")]
    OpenAi,
    /// Google's Gemini.
    Gemini,
    /// Ollama.
    Ollama,
    /// The server of `[llm.openai_compatible]`.
    #[serde(rename = "openai_compatible")]
    OpenAiCompatible,
    /// Nobody.
    None,
}

impl EmbeddingProvider {
    /// The provider whose section has the address and the key.
    pub fn provider(self) -> ProviderName {
        match self {
            Self::OpenAi => ProviderName::OpenAi,
            Self::Gemini => ProviderName::Gemini,
            Self::Ollama => ProviderName::Ollama,
            Self::OpenAiCompatible => ProviderName::OpenAiCompatible,
            Self::None => ProviderName::None,
        }
    }

    /// The model where none is configured.
    pub fn default_model(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("text-embedding-3-large"),
            Self::Gemini => Some("gemini-embedding-001"),
            Self::Ollama => Some("nomic-embed-text"),
            Self::OpenAiCompatible | Self::None => None,
        }
    }
}

/// `[llm.embedding]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// Who makes them. Absent: openai or gemini, the first that has a key; else nobody.
    pub provider: Option<EmbeddingProvider>,
    /// The model. Absent: `text-embedding-3-large`, `gemini-embedding-001` or `nomic-embed-text`.
    pub model: Option<String>,
    /// The length of the vectors, where the model leaves a choice.
    pub dimensions: Option<u32>,
    /// Texts per request.
    pub batch: usize,
    /// How long a request may take.
    pub timeout_ms: u64,
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            dimensions: None,
            batch: 96,
            timeout_ms: 30_000,
        }
    }
}

impl Validate for EmbeddingConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("batch", self.batch as u64)?;
        positive("timeout_ms", self.timeout_ms)?;
        positive("dimensions", self.dimensions.unwrap_or(1).into())?;
        if self.provider == Some(EmbeddingProvider::OpenAiCompatible) && self.model.is_none() {
            return Err(Invalid::new(
                "model",
                "must be named for openai_compatible (EMBEDDING_MODEL)",
            ));
        }
        Ok(())
    }
}

/// A model that configuration names, with what is common to all providers.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) provider: ProviderName,
    pub(crate) model: Arc<str>,
    pub(crate) temperature: Option<f32>,
}

impl LlmConfig {
    /// The chat models to ask, in order; none for rules only.
    pub(crate) fn chosen(&self) -> Vec<Chosen> {
        let Some(provider) = self.first_provider() else {
            return Vec::new();
        };
        let first = FallbackConfig {
            provider,
            model: self.model.clone(),
        };
        std::iter::once(&first)
            .chain(&self.fallbacks)
            .filter_map(|choice| self.choose(choice))
            .collect()
    }

    /// Who makes embeddings, and with which model.
    pub(crate) fn embedding_choice(&self) -> Option<(EmbeddingProvider, Arc<str>)> {
        let provider = match self.embedding.provider {
            Some(provider) => provider,
            None => [EmbeddingProvider::OpenAi, EmbeddingProvider::Gemini]
                .into_iter()
                .find(|provider| self.has_credentials(provider.provider()))?,
        };
        let model = self
            .embedding
            .model
            .as_deref()
            .or_else(|| provider.default_model())?;
        (provider != EmbeddingProvider::None).then(|| (provider, model.into()))
    }

    /// The provider that is named, else the first that can be used.
    fn first_provider(&self) -> Option<ProviderName> {
        let named = self.provider.or_else(|| {
            ProviderName::ALL
                .into_iter()
                .find(|provider| self.is_set_up(*provider))
        })?;
        (named != ProviderName::None).then_some(named)
    }

    fn choose(&self, choice: &FallbackConfig) -> Option<Chosen> {
        let model = choice
            .model
            .as_deref()
            .or_else(|| self.model_of(choice.provider))?;
        Some(Chosen {
            provider: choice.provider,
            model: model.into(),
            temperature: self.temperature_of(choice.provider).or(self.temperature),
        })
    }

    /// Whether somebody set the provider up. A local server needs no key: its address says that it is wanted.
    fn is_set_up(&self, provider: ProviderName) -> bool {
        match provider {
            ProviderName::Ollama => self.ollama.base_url.is_some(),
            ProviderName::OpenAiCompatible => {
                self.openai_compatible.base_url.is_some() && self.openai_compatible.model.is_some()
            }
            ProviderName::None => false,
            provider => self.api_key(provider).is_some(),
        }
    }

    /// Whether the provider can be asked at all.
    fn has_credentials(&self, provider: ProviderName) -> bool {
        match provider {
            ProviderName::Ollama => true,
            ProviderName::OpenAiCompatible => self.openai_compatible.base_url.is_some(),
            ProviderName::None => false,
            provider => self.api_key(provider).is_some(),
        }
    }

    /// The provider's key.
    pub(crate) fn api_key(&self, provider: ProviderName) -> Option<&SecretString> {
        match provider {
            ProviderName::Gemini => self.gemini.api_key.as_ref(),
            ProviderName::Anthropic => self.anthropic.api_key.as_ref(),
            ProviderName::OpenAi => self.openai.api_key.as_ref(),
            ProviderName::OpenRouter => self.openrouter.api_key.as_ref(),
            ProviderName::Ollama => self.ollama.api_key.as_ref(),
            ProviderName::OpenAiCompatible => self.openai_compatible.api_key.as_ref(),
            ProviderName::None => None,
        }
    }

    /// The provider's address, without a slash at its end.
    pub(crate) fn base_url(&self, provider: ProviderName) -> &str {
        let url = match provider {
            ProviderName::Gemini => self.gemini.base_url.as_str(),
            ProviderName::Anthropic => self.anthropic.base_url.as_str(),
            ProviderName::OpenAi => self.openai.base_url.as_str(),
            ProviderName::OpenRouter => self.openrouter.base_url.as_str(),
            ProviderName::Ollama => self.ollama.address(),
            ProviderName::OpenAiCompatible => self
                .openai_compatible
                .base_url
                .as_deref()
                .unwrap_or_default(),
            ProviderName::None => "",
        };
        url.trim_end_matches('/')
    }

    fn model_of(&self, provider: ProviderName) -> Option<&str> {
        match provider {
            ProviderName::Gemini => Some(&self.gemini.model),
            ProviderName::Anthropic => Some(&self.anthropic.model),
            ProviderName::OpenAi => Some(&self.openai.model),
            ProviderName::OpenRouter => Some(&self.openrouter.model),
            ProviderName::Ollama => Some(&self.ollama.model),
            ProviderName::OpenAiCompatible => self.openai_compatible.model.as_deref(),
            ProviderName::None => None,
        }
    }

    fn temperature_of(&self, provider: ProviderName) -> Option<f32> {
        match provider {
            ProviderName::Gemini => self.gemini.temperature,
            ProviderName::Anthropic => self.anthropic.temperature,
            ProviderName::OpenAi => self.openai.temperature,
            ProviderName::OpenRouter => self.openrouter.temperature,
            ProviderName::Ollama => self.ollama.temperature,
            ProviderName::OpenAiCompatible => self.openai_compatible.temperature,
            ProviderName::None => None,
        }
    }

    /// Refuses a choice that can not be asked: no key, no address, no model.
    pub(super) fn validate_choice(&self) -> Result<(), Invalid> {
        if let Some(provider) = self.provider {
            self.usable(provider, self.model.as_deref())
                .map_err(|reason| Invalid::new("provider", reason))?;
        }
        for fallback in &self.fallbacks {
            self.usable(fallback.provider, fallback.model.as_deref())
                .map_err(|reason| Invalid::new("fallbacks", reason))?;
        }
        match self.embedding.provider {
            Some(provider) if provider != EmbeddingProvider::None => self
                .reachable(provider.provider())
                .map_err(|reason| Invalid::new("embedding.provider", reason)),
            _ => Ok(()),
        }
    }

    fn usable(&self, provider: ProviderName, model: Option<&str>) -> Result<(), String> {
        if provider == ProviderName::None {
            return Ok(());
        }
        self.reachable(provider)?;
        match model.or_else(|| self.model_of(provider)) {
            Some(model) if !model.is_empty() => Ok(()),
            _ => Err(format!(
                "{} needs a model: llm.{}.model",
                provider.as_str(),
                provider.as_str()
            )),
        }
    }

    fn reachable(&self, provider: ProviderName) -> Result<(), String> {
        if self.has_credentials(provider) {
            return Ok(());
        }
        let needed = match provider {
            ProviderName::Gemini => "a key: GOOGLE_GENERATIVE_AI_API_KEY or llm.gemini.api_key",
            ProviderName::Anthropic => "a key: ANTHROPIC_API_KEY or llm.anthropic.api_key",
            ProviderName::OpenAi => "a key: OPENAI_API_KEY or llm.openai.api_key",
            ProviderName::OpenRouter => "a key: OPENROUTER_API_KEY or llm.openrouter.api_key",
            ProviderName::Ollama | ProviderName::OpenAiCompatible | ProviderName::None => {
                "an address: OPENAI_COMPATIBLE_BASE_URL or llm.openai_compatible.base_url"
            }
        };
        Err(format!(
            "{} needs {needed}; \"none\" answers by rules only",
            provider.as_str()
        ))
    }
}
