//! The choice of models: the provider, its fallbacks, the embedding model.

use std::fmt;
use std::sync::Arc;

use configuration::{Invalid, Validate, positive};
use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::LlmConfig;
use crate::ProviderName;
use crate::provider::Provider;
use crate::provider::built_in::PROVIDERS;

/// A model to ask in turn: `"anthropic"`, `"anthropic:claude-…"` or `{provider = "anthropic", model
/// = "claude-…"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FallbackConfig {
    /// The provider. Its section says the rest.
    pub provider: ProviderName,
    /// The model, in place of the one in the provider's section.
    pub model: Option<String>,
}

impl From<&str> for FallbackConfig {
    fn from(text: &str) -> Self {
        // The first colon: names of models may contain further ones.
        let (provider, model) = match text.split_once(':') {
            Some((provider, model)) => (provider, Some(model.trim().to_owned())),
            None => (text, None),
        };
        Self {
            provider: provider.into(),
            model,
        }
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
        Ok(text.into())
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

/// `[llm.embedding]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingConfig {
    /// The provider of embeddings. Absent: openai or gemini, the first that has a key, otherwise
    /// there are none.
    pub provider: Option<ProviderName>,
    /// The model. Absent: the embedding model of the provider.
    pub model: Option<String>,
    /// The length of the vectors, where the model leaves a choice.
    pub dimensions: Option<u32>,
    /// Texts per request.
    pub batch: usize,
    /// The time limit of one request.
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
        positive("dimensions", self.dimensions.unwrap_or(1).into())
    }
}

/// A model that configuration chooses, with what is common to all providers.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) provider: Provider,
    pub(crate) model: Arc<str>,
    pub(crate) temperature: Option<f32>,
}

impl LlmConfig {
    /// The chat models to call, in order; none when rules answer.
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

    /// The provider and the model of embeddings.
    pub(crate) fn embedding_choice(&self) -> Option<(Provider, Arc<str>)> {
        let provider = match &self.embedding.provider {
            Some(name) => self.providers.find(name)?,
            None => self.usual_embedding_provider()?,
        };
        let model = self.embedding_model(&provider)?.into();
        Some((provider, model))
    }

    fn embedding_model<'a>(&'a self, provider: &'a Provider) -> Option<&'a str> {
        let own = provider.record.embedding_model.as_deref();
        self.embedding.model.as_deref().or(own)
    }

    /// The first built-in provider of embeddings that has a key.
    fn usual_embedding_provider(&self) -> Option<Provider> {
        let mut ranked: Vec<_> = PROVIDERS
            .iter()
            .filter_map(|provider| Some((provider.embeddings_rank?, provider.name)))
            .collect();
        ranked.sort_unstable();
        ranked
            .into_iter()
            .filter_map(|(_, name)| self.providers.find(&name.into()))
            .find(|provider| provider.missing().is_none())
    }

    /// The provider that is named, otherwise the first that is set up.
    fn first_provider(&self) -> Option<ProviderName> {
        let named = self.provider.clone();
        let name = named.or_else(|| {
            let mut providers = self.providers.all();
            Some(providers.find(Provider::is_set_up)?.name)
        })?;
        (name != ProviderName::NONE).then_some(name)
    }

    fn choose(&self, choice: &FallbackConfig) -> Option<Chosen> {
        let provider = self.providers.find(&choice.provider)?;
        let own = provider.record.model.as_deref();
        Some(Chosen {
            model: choice.model.as_deref().or(own)?.into(),
            temperature: provider.record.temperature.or(self.temperature),
            provider,
        })
    }

    /// Rejects a choice that cannot be called: an unknown provider, no key, no address, no model.
    pub(crate) fn validate_choice(&self) -> Result<(), Invalid> {
        if let Some(name) = &self.provider {
            self.usable(name, self.model.as_deref())
                .map_err(|reason| Invalid::new("provider", reason))?;
        }
        for fallback in &self.fallbacks {
            self.usable(&fallback.provider, fallback.model.as_deref())
                .map_err(|reason| Invalid::new("fallbacks", reason))?;
        }
        self.validate_embedding_choice()
            .map_err(|invalid| invalid.within("embedding"))
    }

    /// Rejects a provider of embeddings that cannot be called. Keys are those of `[llm.embedding]`.
    pub fn validate_embedding_choice(&self) -> Result<(), Invalid> {
        let invalid = |reason| Invalid::new("provider", reason);
        let Some(name) = &self.embedding.provider else {
            return Ok(());
        };
        let Some(provider) = self.reachable(name).map_err(invalid)? else {
            return Ok(());
        };
        if !provider.has_embeddings() {
            return Err(invalid(format!("{name} makes no embeddings")));
        }
        if self.embedding_model(&provider).is_none() {
            let reason = format!("must be named for {name} (EMBEDDING_MODEL)");
            return Err(Invalid::new("model", reason));
        }
        Ok(())
    }

    fn usable(&self, name: &ProviderName, model: Option<&str>) -> Result<(), String> {
        let reachable = self.reachable(name);
        let Some(provider) =
            reachable.map_err(|reason| format!("{reason}; \"none\" answers by rules only"))?
        else {
            return Ok(());
        };
        match model.or(provider.record.model.as_deref()) {
            Some(model) if !model.is_empty() => Ok(()),
            _ => Err(format!("{name} needs a model: {}.model", provider.section)),
        }
    }

    /// The provider of this name, if it can be called; `None` for "none".
    fn reachable(&self, name: &ProviderName) -> Result<Option<Provider>, String> {
        if *name == ProviderName::NONE {
            return Ok(None);
        }
        let Some(provider) = self.providers.find(name) else {
            let known = self.providers.known();
            return Err(format!(
                "there is no provider \"{name}\"; there are {known}"
            ));
        };
        match provider.missing() {
            None => Ok(Some(provider)),
            Some(missing) => Err(format!("{name} needs {missing}")),
        }
    }
}
