//! `[llm]`: which models answer, where they are, and how patient we are with them.
//!
//! Every key has a default but the credentials. The source documents' variables are [`ALIASES`] of keys.

mod behaviour;
mod choice;
mod providers;

use configuration::{Invalid, Validate, positive, read_section_secrets, validate_sections};
use serde::{Deserialize, Serialize};

pub use behaviour::{
    CircuitConfig, LimitsConfig, ModelTelemetryConfig, RetriesConfig, TimeoutsConfig,
};
pub(crate) use choice::Chosen;
pub use choice::{EmbeddingConfig, EmbeddingProvider, FallbackConfig, ProviderName};
pub use providers::{
    AnthropicConfig, AnthropicStructured, AnthropicThinking, GeminiConfig, GeminiForeignCalls,
    GeminiSchemas, OllamaConfig, OpenAiCompatibleConfig, OpenAiConfig, OpenRouterConfig,
};

/// Variables of the documents, and those that the providers' own tools read, that stand for a key. Of two names of a key the later wins.
/// Those of embeddings (`EMBEDDING_PROVIDER` and so on) are the tools service's, which also knows models that are no provider's.
pub const ALIASES: [(&str, &str); 24] = [
    ("LLM_PROVIDER", "llm.provider"),
    ("AI_PROVIDER", "llm.provider"),
    ("LLM_MODEL", "llm.model"),
    ("MAX_OUTPUT_TOKENS", "llm.max_output_tokens"),
    ("GOOGLE_GENERATIVE_AI_API_KEY", "llm.gemini.api_key"),
    ("GEMINI_MODEL", "llm.gemini.model"),
    ("GEMINI_BASE_URL", "llm.gemini.base_url"),
    ("ANTHROPIC_API_KEY", "llm.anthropic.api_key"),
    ("ANTHROPIC_MODEL", "llm.anthropic.model"),
    ("ANTHROPIC_BASE_URL", "llm.anthropic.base_url"),
    ("OPENAI_API_KEY", "llm.openai.api_key"),
    ("OPENAI_MODEL", "llm.openai.model"),
    ("OPENAI_TEMPERATURE", "llm.openai.temperature"),
    ("OPENAI_BASE_URL", "llm.openai.base_url"),
    ("OPENROUTER_API_KEY", "llm.openrouter.api_key"),
    ("OPENROUTER_MODEL", "llm.openrouter.model"),
    ("OPENROUTER_BASE_URL", "llm.openrouter.base_url"),
    ("OPENROUTER_REFERER", "llm.openrouter.referer"),
    ("OPENROUTER_TITLE", "llm.openrouter.title"),
    ("OLLAMA_BASE_URL", "llm.ollama.base_url"),
    ("OLLAMA_MODEL", "llm.ollama.model"),
    (
        "OPENAI_COMPATIBLE_BASE_URL",
        "llm.openai_compatible.base_url",
    ),
    ("OPENAI_COMPATIBLE_API_KEY", "llm.openai_compatible.api_key"),
    ("OPENAI_COMPATIBLE_MODEL", "llm.openai_compatible.model"),
];

/// The section.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LlmConfig {
    /// Who answers. Absent: the first that has a key, in the order gemini, anthropic, openai, openrouter; then an OpenAI-compatible
    /// server or an Ollama whose address is given; else nobody, and assistants answer by rules. Also `AI_PROVIDER`.
    pub provider: Option<ProviderName>,
    /// The model, in place of the one in the provider's own section. Also `LLM_MODEL`.
    pub model: Option<String>,
    /// Who is asked in turn when the provider fails before its first token.
    pub fallbacks: Vec<FallbackConfig>,
    /// 0 to 1, for requests that do not say; absent leaves it to the provider. A provider's own section may say otherwise.
    pub temperature: Option<f32>,
    /// The most tokens of an answer, for requests that do not say. Also `MAX_OUTPUT_TOKENS`.
    pub max_output_tokens: u32,
    /// Google's Gemini.
    pub gemini: GeminiConfig,
    /// Anthropic.
    pub anthropic: AnthropicConfig,
    /// OpenAI.
    pub openai: OpenAiConfig,
    /// OpenRouter.
    pub openrouter: OpenRouterConfig,
    /// Ollama.
    pub ollama: OllamaConfig,
    /// Any other server that speaks OpenAI's chat completions.
    pub openai_compatible: OpenAiCompatibleConfig,
    /// How long we wait.
    pub timeouts: TimeoutsConfig,
    /// How often we ask again.
    pub retries: RetriesConfig,
    /// How much we ask at once and take in.
    pub limits: LimitsConfig,
    /// When a failing model is left alone.
    pub circuit: CircuitConfig,
    /// What traces say of a call.
    pub telemetry: ModelTelemetryConfig,
    /// Embeddings.
    pub embedding: EmbeddingConfig,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            fallbacks: Vec::new(),
            temperature: None,
            max_output_tokens: 4_000,
            gemini: GeminiConfig::default(),
            anthropic: AnthropicConfig::default(),
            openai: OpenAiConfig::default(),
            openrouter: OpenRouterConfig::default(),
            ollama: OllamaConfig::default(),
            openai_compatible: OpenAiCompatibleConfig::default(),
            timeouts: TimeoutsConfig::default(),
            retries: RetriesConfig::default(),
            limits: LimitsConfig::default(),
            circuit: CircuitConfig::default(),
            telemetry: ModelTelemetryConfig::default(),
            embedding: EmbeddingConfig::default(),
        }
    }
}

impl Validate for LlmConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [
            ("gemini", &mut self.gemini),
            ("anthropic", &mut self.anthropic),
            ("openai", &mut self.openai),
            ("openrouter", &mut self.openrouter),
            ("ollama", &mut self.ollama),
            ("openai_compatible", &mut self.openai_compatible),
        ])
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("max_output_tokens", self.max_output_tokens.into())?;
        temperature("temperature", self.temperature)?;
        if self.model.as_deref() == Some("") {
            return Err(Invalid::new("model", "must not be empty"));
        }
        validate_sections(&[
            ("gemini", &self.gemini),
            ("anthropic", &self.anthropic),
            ("openai", &self.openai),
            ("openrouter", &self.openrouter),
            ("ollama", &self.ollama),
            ("openai_compatible", &self.openai_compatible),
            ("timeouts", &self.timeouts),
            ("retries", &self.retries),
            ("limits", &self.limits),
            ("circuit", &self.circuit),
            ("embedding", &self.embedding),
        ])?;
        self.validate_choice()
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
