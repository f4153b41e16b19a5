//! `[llm]`: the models that answer, where they are, and the limits of calls.
//!
//! Every key has a default except the credentials.

mod behaviour;
mod choice;
mod prices;
mod provider;
mod sections;

use std::collections::BTreeMap;

use configuration::{Invalid, Validate, positive, validate_sections};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use behaviour::{
    CircuitConfig, LimitsConfig, ModelTelemetryConfig, RetriesConfig, TimeoutsConfig,
};
pub(crate) use choice::Chosen;
pub use choice::{EmbeddingConfig, FallbackConfig};
pub use prices::PriceConfig;
pub use provider::{Effort, ProviderConfig};
pub use sections::{BesideSections, ProviderSections};

pub use crate::wire::{ForeignCalls, SchemaDialect, StructuredOutput, Thinking, WireApi};

use crate::{ModelId, ProviderName};

/// Variables that represent a key of the section itself. Those of its providers follow from their
/// records ([`ProviderSections::variables`]). Of two names of a key the later wins.
const VARIABLES: [(&str, &str); 4] = [
    ("LLM_PROVIDER", "provider"),
    ("AI_PROVIDER", "provider"),
    ("LLM_MODEL", "model"),
    ("MAX_OUTPUT_TOKENS", "max_output_tokens"),
];

/// `[llm]`.
///
/// Serde's own form (`remote`) has the fields below; the sections of providers are beside them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct LlmConfig {
    /// The provider of the chat model. Absent: the first built-in one that has a key, in the order
    /// of the table; then a server whose address and model are given; then one that configuration
    /// defines, otherwise rules answer. Also `AI_PROVIDER`.
    pub provider: Option<ProviderName>,
    /// The model, in place of the one in the provider's own section. Also `LLM_MODEL`.
    pub model: Option<String>,
    /// The models that are called in turn when the provider fails before its first token.
    pub fallbacks: Vec<FallbackConfig>,
    /// 0 to 1, for requests without one; absent leaves it to the provider. A provider's own section
    /// has priority.
    pub temperature: Option<f32>,
    /// Maximum number of tokens in an answer, for requests without a limit. Also
    /// `MAX_OUTPUT_TOKENS`.
    pub max_output_tokens: u32,
    /// Maximum number of tokens in a classification. A model that reasons first may use
    /// `max_output_tokens`, because its thoughts count.
    pub classification_tokens: u32,
    /// `[llm.timeouts]`.
    pub timeouts: TimeoutsConfig,
    /// `[llm.retries]`.
    pub retries: RetriesConfig,
    /// `[llm.limits]`.
    pub limits: LimitsConfig,
    /// `[llm.circuit]`.
    pub circuit: CircuitConfig,
    /// `[llm.telemetry]`.
    pub telemetry: ModelTelemetryConfig,
    /// `[llm.prices."PROVIDER/MODEL"]`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, PriceConfig>,
    /// `[llm.embedding]`.
    pub embedding: EmbeddingConfig,
    /// The providers: `[llm.gemini]` and so on, and `[llm.providers.NAME]`.
    #[serde(skip)]
    pub providers: ProviderSections,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            fallbacks: Vec::new(),
            temperature: None,
            max_output_tokens: 4_000,
            classification_tokens: 600,
            timeouts: TimeoutsConfig::default(),
            retries: RetriesConfig::default(),
            limits: LimitsConfig::default(),
            circuit: CircuitConfig::default(),
            telemetry: ModelTelemetryConfig::default(),
            prices: BTreeMap::new(),
            embedding: EmbeddingConfig::default(),
            providers: ProviderSections::default(),
        }
    }
}

impl Serialize for LlmConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = Self::serialize(self, serde_json::value::Serializer)
            .map_err(serde::ser::Error::custom)?;
        self.providers.serialize_with(own, serializer)
    }
}

impl<'de> Deserialize<'de> for LlmConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut providers = ProviderSections::default();
        let own = Self::deserialize(providers.beside(deserializer))?;
        Ok(Self { providers, ..own })
    }
}

impl Validate for LlmConfig {
    fn variables(&self) -> Vec<(String, String)> {
        let own = VARIABLES.map(|(variable, key)| (variable.to_owned(), key.to_owned()));
        own.into_iter().chain(self.providers.variables()).collect()
    }

    fn read_secrets(&mut self) -> Result<(), Invalid> {
        self.providers.read_secrets()
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("max_output_tokens", self.max_output_tokens.into())?;
        positive("classification_tokens", self.classification_tokens.into())?;
        for (model, price) in &self.prices {
            if !model.contains('/') {
                return Err(Invalid::new(
                    format!("prices.{model}"),
                    "must be named PROVIDER/MODEL, as \"openai/gpt-4o\"",
                ));
            }
            let price = price.validate();
            price.map_err(|fault| fault.within(&format!("prices.{model}")))?;
        }
        temperature("temperature", self.temperature)?;
        if self.model.as_deref() == Some("") {
            return Err(Invalid::new("model", "must not be empty"));
        }
        self.providers.validate()?;
        validate_sections(&[
            ("timeouts", &self.timeouts),
            ("retries", &self.retries),
            ("limits", &self.limits),
            ("circuit", &self.circuit),
            ("embedding", &self.embedding),
        ])?;
        self.validate_choice()
    }
}

impl LlmConfig {
    /// The price of a model.
    pub(crate) fn price_of(&self, model: &ModelId) -> Option<PriceConfig> {
        self.prices.get(&model.to_string()).copied()
    }
}

/// Refuses a temperature outside 0 to 1, which is what all providers take.
fn temperature(key: &str, value: Option<f32>) -> Result<(), Invalid> {
    match value {
        Some(value) if !(0.0..=1.0).contains(&value) => {
            Err(Invalid::new(key, "must be between 0 and 1"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
