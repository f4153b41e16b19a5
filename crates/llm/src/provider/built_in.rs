//! The providers that come with the program. Everything that names or configures one derives from
//! this table.
//!
//! `docs/adding-a-provider.md` says how to add an entry, and when configuration alone will do.

use crate::config::ProviderConfig;
use crate::wire::{
    ANTHROPIC_MESSAGES, GEMINI, OLLAMA, OPENAI_CHAT, OPENAI_COMPATIBLE, OPENROUTER, WireApi,
};

/// A provider that comes with the program.
pub(crate) struct BuiltIn {
    /// The value of `AI_PROVIDER`, and the section of its settings: `[llm.NAME]`.
    pub(crate) name: &'static str,
    /// Other names that `AI_PROVIDER` takes.
    pub(crate) aliases: &'static [&'static str],
    /// The provider in model ids, usage and stored conversations.
    pub(crate) id: &'static str,
    /// Its turn among the providers of embeddings when none is named: the first that has a key
    /// makes them. `None`: only when named.
    pub(crate) embeddings_rank: Option<u8>,
    /// Variables besides those of the record, each with the key that it sets.
    pub(crate) variables: &'static [(&'static str, &'static str)],
    /// The record, in the same form in which configuration defines one.
    pub(crate) record: fn() -> ProviderConfig,
}

/// In the order in which the first one that is set up is taken when no provider is named.
pub(crate) static PROVIDERS: [BuiltIn; 6] = [
    BuiltIn {
        name: "gemini",
        aliases: &["google"],
        id: "gemini",
        embeddings_rank: Some(2),
        variables: &[],
        record: || ProviderConfig {
            base_url: text("https://generativelanguage.googleapis.com/v1beta"),
            model: text("gemini-2.0-flash"),
            embedding_model: text("gemini-embedding-001"),
            telemetry_name: text("gcp.gemini"),
            api_key_variable: text("GOOGLE_GENERATIVE_AI_API_KEY"),
            ..named("Gemini", GEMINI, "GEMINI")
        },
    },
    BuiltIn {
        name: "anthropic",
        aliases: &["claude"],
        id: "anthropic",
        embeddings_rank: None,
        variables: &[],
        record: || ProviderConfig {
            base_url: text("https://api.anthropic.com"),
            model: text("claude-3-5-sonnet"),
            ..named("Anthropic", ANTHROPIC_MESSAGES, "ANTHROPIC")
        },
    },
    BuiltIn {
        name: "openai",
        aliases: &["open_ai"],
        id: "openai",
        embeddings_rank: Some(1),
        variables: &[("OPENAI_TEMPERATURE", "temperature")],
        record: || ProviderConfig {
            base_url: text("https://api.openai.com/v1"),
            model: text("gpt-4o"),
            embedding_model: text("text-embedding-3-large"),
            requires_key: Some(true),
            ..named("OpenAI", OPENAI_CHAT, "OPENAI")
        },
    },
    BuiltIn {
        name: "openrouter",
        aliases: &["open_router"],
        id: "openrouter",
        embeddings_rank: None,
        variables: &[
            ("OPENROUTER_REFERER", "referer"),
            ("OPENROUTER_TITLE", "title"),
        ],
        record: || ProviderConfig {
            base_url: text("https://openrouter.ai/api/v1"),
            model: text("openai/gpt-4o"),
            requires_key: Some(true),
            embeddings: Some(false),
            ..named("OpenRouter", OPENROUTER, "OPENROUTER")
        },
    },
    BuiltIn {
        name: "openai_compatible",
        aliases: &["openai-compatible"],
        // Conversations and vectors were stored under this name before providers could be defined.
        id: "openai",
        embeddings_rank: None,
        variables: &[],
        record: || ProviderConfig {
            requires_key: Some(false),
            ..named(
                "the OpenAI-compatible server",
                OPENAI_COMPATIBLE,
                "OPENAI_COMPATIBLE",
            )
        },
    },
    BuiltIn {
        name: "ollama",
        aliases: &[],
        id: "ollama",
        embeddings_rank: None,
        variables: &[],
        record: || ProviderConfig {
            model: text("gpt-oss:20b"),
            embedding_model: text("nomic-embed-text"),
            api_key_variable: None,
            ..named("Ollama", OLLAMA, "OLLAMA")
        },
    },
];

/// The provider of this name or alias.
pub(crate) fn find(name: &str) -> Option<&'static BuiltIn> {
    PROVIDERS
        .iter()
        .find(|provider| provider.name == name || provider.aliases.contains(&name))
}

/// A record with the usual names of variables: `PREFIX_API_KEY`, `PREFIX_MODEL` and
/// `PREFIX_BASE_URL`.
fn named(display_name: &str, wire: WireApi, prefix: &str) -> ProviderConfig {
    ProviderConfig {
        display_name: text(display_name),
        wire: Some(wire),
        api_key_variable: Some(format!("{prefix}_API_KEY")),
        model_variable: Some(format!("{prefix}_MODEL")),
        base_url_variable: Some(format!("{prefix}_BASE_URL")),
        ..ProviderConfig::default()
    }
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "the fields of a record are optional"
)]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
