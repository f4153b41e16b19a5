//! Each provider's translation, set up from its section.

use http::HeaderMap;
use secrecy::SecretString;

use crate::config::{
    AnthropicStructured, AnthropicThinking, Chosen, EmbeddingProvider, GeminiForeignCalls,
    GeminiSchemas, LlmConfig, ProviderName,
};
use crate::embedding::EmbeddingWire;
use crate::providers::anthropic::{Anthropic, AnthropicSettings, Structured, Thinking};
use crate::providers::gemini::{
    ForeignCalls, Gemini, GeminiEmbeddings, GeminiSettings, SchemaDialect,
};
use crate::providers::ollama::{Ollama, OllamaEmbeddings, OllamaSettings};
use crate::providers::openai::{Flavour, OpenAi, OpenAiEmbeddings, OpenAiSettings};
use crate::wire::Wire;
use crate::{Error, ErrorKind};

/// The chat interface of the chosen provider.
pub(super) fn chat(config: &LlmConfig, chosen: &Chosen) -> Result<Box<dyn Wire>, Error> {
    let model = chosen.model.to_string();
    Ok(match chosen.provider {
        ProviderName::Gemini => Box::new(Gemini::new(gemini(config, model)?)?),
        ProviderName::Anthropic => Box::new(Anthropic::new(anthropic(config, model)?)?),
        ProviderName::OpenAi | ProviderName::OpenRouter | ProviderName::OpenAiCompatible => {
            Box::new(OpenAi::new(openai(config, chosen.provider, model))?)
        }
        ProviderName::Ollama => Box::new(Ollama::new(ollama(config, model))?),
        ProviderName::None => {
            return Err(Error::new(ErrorKind::UnknownModel)
                .with_detail("no provider is configured for this model"));
        }
    })
}

/// The embedding interface of a provider.
pub(super) fn embeddings(
    config: &LlmConfig,
    provider: EmbeddingProvider,
    model: &str,
) -> Result<Option<EmbeddingWire>, Error> {
    let model = model.to_owned();
    let dimensions = config.embedding.dimensions.map(|length| length as usize);
    Ok(Some(match provider {
        EmbeddingProvider::OpenAi | EmbeddingProvider::OpenAiCompatible => {
            let settings = openai(config, provider.provider(), model);
            EmbeddingWire::OpenAi(OpenAiEmbeddings::new(settings, dimensions)?)
        }
        EmbeddingProvider::Gemini => {
            let settings = gemini(config, model)?;
            EmbeddingWire::Gemini(GeminiEmbeddings::new(settings, dimensions)?)
        }
        EmbeddingProvider::Ollama => {
            let settings = ollama(config, model);
            EmbeddingWire::Ollama(OllamaEmbeddings::new(settings, dimensions)?)
        }
        EmbeddingProvider::None => return Ok(None),
    }))
}

fn gemini(config: &LlmConfig, model: String) -> Result<GeminiSettings, Error> {
    let mut settings = GeminiSettings::new(key(config, ProviderName::Gemini)?, model);
    config
        .base_url(ProviderName::Gemini)
        .clone_into(&mut settings.base_url);
    settings.max_output_tokens = config.max_output_tokens;
    settings.schemas = match config.gemini.schemas {
        GeminiSchemas::JsonSchema => SchemaDialect::JsonSchema,
        GeminiSchemas::OpenApi => SchemaDialect::OpenApi,
    };
    settings.foreign_calls = match config.gemini.foreign_calls {
        GeminiForeignCalls::ByModel => ForeignCalls::ByModel,
        GeminiForeignCalls::Placeholder => ForeignCalls::Placeholder,
        GeminiForeignCalls::Unsigned => ForeignCalls::Unsigned,
    };
    Ok(settings)
}

fn anthropic(config: &LlmConfig, model: String) -> Result<AnthropicSettings, Error> {
    let mut settings = AnthropicSettings::new(key(config, ProviderName::Anthropic)?, model);
    let section = &config.anthropic;
    config
        .base_url(ProviderName::Anthropic)
        .clone_into(&mut settings.base_url);
    settings.max_output_tokens = config.max_output_tokens;
    settings.version.clone_from(&section.version);
    settings.takes_temperature = section.takes_temperature;
    settings.thinking = match section.thinking {
        AnthropicThinking::Off => Thinking::Off,
        AnthropicThinking::Adaptive => Thinking::Adaptive,
        AnthropicThinking::Budget => Thinking::Budget(section.thinking_budget),
    };
    settings.structured = match section.structured {
        AnthropicStructured::Native => Structured::Native,
        AnthropicStructured::ForcedTool => Structured::ForcedTool,
    };
    Ok(settings)
}

fn openai(config: &LlmConfig, provider: ProviderName, model: String) -> OpenAiSettings {
    let flavour = match provider {
        ProviderName::OpenRouter => Flavour::OpenRouter {
            referer: config.openrouter.referer.clone(),
            title: config.openrouter.title.clone(),
        },
        ProviderName::OpenAiCompatible => Flavour::Compatible {
            stream_usage: config.openai_compatible.stream_usage,
            json_schema: config.openai_compatible.json_schema,
        },
        _ => Flavour::OpenAi,
    };
    OpenAiSettings {
        base_url: config.base_url(provider).to_owned(),
        api_key: config.api_key(provider).cloned(),
        model,
        flavour,
        extra_headers: HeaderMap::new(),
    }
}

fn key(config: &LlmConfig, provider: ProviderName) -> Result<SecretString, Error> {
    config.api_key(provider).cloned().ok_or_else(|| {
        Error::new(ErrorKind::Unauthorized).with_detail(format!("{} has no key", provider.as_str()))
    })
}

fn ollama(config: &LlmConfig, model: String) -> OllamaSettings {
    let section = &config.ollama;
    OllamaSettings {
        base_url: config.base_url(ProviderName::Ollama).to_owned(),
        api_key: section.api_key.clone(),
        model,
        keep_alive: section.keep_alive.clone(),
        think: section.think,
        num_ctx: section.num_ctx,
    }
}
