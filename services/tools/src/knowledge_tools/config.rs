//! `[knowledge]` and `[embedding]`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use knowledge::{ChunkSettings, SearchSettings, Settings, StoreChoice};
use llm::config::ProviderSections;
use llm::{LlmConfig, ProviderName};
#[cfg(feature = "embedder")]
use local_embedder::Options;
use secrecy::SecretString;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use service_kit::config::{
    Invalid, Validate, http_url, positive, read_secret_file, read_section_secrets,
    validate_sections,
};

/// `[knowledge]`: how documents are cut, kept and found.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeConfig {
    /// Passages, for searches that do not say.
    pub top_k: u32,
    /// Minimum cosine of a passage of the vector list, for searches that do not give one.
    pub min_score: f64,
    /// Minimum share of the question's weight that a passage of the text list covers, for searches
    /// that do not give one.
    pub min_text_score: f64,
    /// PostgreSQL's text search configuration.
    pub language: String,
    /// Maximum number of characters in a chunk.
    pub chunk_size: usize,
    /// Number of them the next chunk of the section repeats.
    pub chunk_overlap: usize,
    /// Has no effect: sections share no chunk. Configurations of earlier releases may have it.
    pub chunk_minimum: usize,
    /// The largest document.
    pub max_document_bytes: u64,
    /// Maximum number of chunks in a document.
    pub max_chunks: usize,
    /// Time limit for reading a document.
    pub read_timeout_ms: u64,
    /// Number of documents that are read at once, each in a process of its own; of one tenant one
    /// fewer.
    pub readers: usize,
    /// Time that a document waits for its turn.
    pub reader_wait_ms: u64,
    /// Maximum memory for reading a document.
    pub reader_memory_bytes: u64,
    /// Maximum amount of text in a document, with headings repeated for each chunk.
    pub max_text_bytes: u64,
    /// Time limit for `POST /api/documents`.
    pub ingest_timeout_ms: u64,
    /// Time that a question's embedding may take.
    pub question_timeout_ms: u64,
    /// Who compares vectors.
    pub vector_store: VectorStoreName,
    /// From how many vectors on pgvector uses an index.
    pub index_from: u64,
    /// Number of candidates that the index holds in hand.
    pub ef_search: u32,
    /// Maximum memory for vectors in this process.
    pub vector_cache_bytes: usize,
    /// Interval between computations of missing vectors.
    pub catch_up_interval_ms: u64,
    /// Time for which vectors of text that is in no document are kept.
    pub forget_vectors_after_days: u32,
    /// Who puts the best passages in order once more.
    pub reranker: RerankerConfig,
}

/// Who compares vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VectorStoreName {
    /// pgvector where the server has it, otherwise this process.
    Auto,
    /// pgvector.
    Pgvector,
    /// This process.
    InProcess,
}

/// `[knowledge.reranker]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankerConfig {
    /// The provider of the reranker.
    pub provider: RerankerName,
    /// Up to and without `/rerank`.
    pub base_url: Option<String>,
    /// The model, for servers with several.
    pub model: Option<String>,
    /// The provider's key. Many servers need none.
    #[serde(default, skip_serializing)]
    pub api_key: Option<SecretString>,
    /// A file that holds the key.
    pub api_key_file: Option<PathBuf>,
    /// Time that it may take; then the order stays.
    pub timeout_ms: u64,
    /// Number of passages that it gets.
    pub candidates: usize,
}

/// Who puts passages in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RerankerName {
    /// No reranker.
    None,
    /// A server with `/rerank`.
    Http,
}

/// `[embedding]`: the model that makes vectors.
///
/// Serde's own form (`remote`) has the fields below; the sections of providers are beside them.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct EmbeddingConfig {
    /// The provider of embeddings, "local" or "none". Absent: the local model when `model_dir`
    /// names one, otherwise openai or gemini, the first that has a key, otherwise documents are
    /// searched by words alone.
    pub provider: Option<ProviderName>,
    /// The model. Absent: the embedding model of the provider.
    pub model: Option<String>,
    /// The directory of the local model.
    pub model_dir: Option<PathBuf>,
    /// The length of the vectors, where the model leaves a choice.
    pub dimensions: Option<u32>,
    /// Texts per request.
    pub batch: usize,
    /// The time limit of one request.
    pub timeout_ms: u64,
    /// The providers: `[embedding.openai]` and so on, and `[embedding.providers.NAME]`.
    #[serde(skip, default = "no_provider")]
    pub providers: ProviderSections,
}

fn no_provider() -> ProviderSections {
    ProviderSections::of_embeddings("embedding")
}

impl Serialize for EmbeddingConfig {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = Self::serialize(self, serde_json::value::Serializer)
            .map_err(serde::ser::Error::custom)?;
        self.providers.serialize_with(own, serializer)
    }
}

impl<'de> Deserialize<'de> for EmbeddingConfig {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut providers = no_provider();
        let own = Self::deserialize(providers.beside(deserializer))?;
        Ok(Self { providers, ..own })
    }
}

/// The embedding model that configuration chooses.
pub(crate) enum Chosen<'a> {
    /// Documents are searched by words alone.
    None,
    /// The model in this directory.
    Local(&'a Path),
    /// The provider that this names.
    Provider(Box<LlmConfig>),
}

impl KnowledgeConfig {
    /// As the library takes it. How many texts a request has is the embedder's.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            chunks: ChunkSettings {
                size: self.chunk_size,
                overlap: self.chunk_overlap,
            },
            search: SearchSettings {
                top_k: self.top_k,
                min_score: self.min_score,
                min_text_score: self.min_text_score,
                language: self.language.clone(),
                embed_timeout: Duration::from_millis(self.question_timeout_ms),
                rerank_timeout: Duration::from_millis(self.reranker.timeout_ms),
                rerank_candidates: self.reranker.candidates,
            },
            max_document_bytes: self.max_document_bytes,
            max_chunks: self.max_chunks,
            read_timeout: Duration::from_millis(self.read_timeout_ms),
            readers: self.readers,
            reader_wait: Duration::from_millis(self.reader_wait_ms),
            reader_memory_bytes: self.reader_memory_bytes,
            max_text_bytes: self.max_text_bytes,
            vector_store: match self.vector_store {
                VectorStoreName::Auto => StoreChoice::Auto,
                VectorStoreName::Pgvector => StoreChoice::Pgvector,
                VectorStoreName::InProcess => StoreChoice::InProcess,
            },
            index_from: self.index_from,
            ef_search: self.ef_search,
            cache_bytes: self.vector_cache_bytes,
            ..Settings::default()
        }
    }
}

impl RerankerConfig {
    /// The server, when one is to be asked.
    pub(crate) fn base_url(&self) -> Option<&str> {
        match self.provider {
            RerankerName::None => None,
            RerankerName::Http => self.base_url.as_deref(),
        }
    }
}

impl EmbeddingConfig {
    pub(crate) fn chosen(&self) -> Chosen<'_> {
        let is_local = self
            .provider
            .as_ref()
            .is_none_or(|name| *name == ProviderName::LOCAL);
        match (&self.provider, &self.model_dir) {
            (Some(name), _) if *name == ProviderName::NONE => Chosen::None,
            (_, Some(directory)) if is_local => Chosen::Local(directory),
            _ => Chosen::Provider(Box::new(self.of_provider())),
        }
    }

    /// How a local model is used.
    #[cfg(feature = "embedder")]
    pub(crate) fn local_options(&self) -> Options {
        Options {
            name: self.model.clone(),
            dimensions: self.dimensions.map(|length| length as usize),
            ..Options::default()
        }
    }

    /// The configuration of this embedding model and no chat model. Without a provider the first
    /// with a key is taken.
    fn of_provider(&self) -> LlmConfig {
        LlmConfig {
            provider: Some(ProviderName::NONE),
            embedding: llm::config::EmbeddingConfig {
                provider: self.provider.clone(),
                model: self.model.clone(),
                dimensions: self.dimensions,
                batch: self.batch,
                timeout_ms: self.timeout_ms,
            },
            providers: self.providers.clone(),
            ..LlmConfig::default()
        }
    }
}

impl Default for KnowledgeConfig {
    fn default() -> Self {
        let settings = Settings::default();
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            top_k: settings.search.top_k,
            min_score: settings.search.min_score,
            min_text_score: settings.search.min_text_score,
            language: settings.search.language,
            chunk_size: settings.chunks.size,
            chunk_overlap: settings.chunks.overlap,
            chunk_minimum: 50,
            max_document_bytes: settings.max_document_bytes,
            max_chunks: settings.max_chunks,
            read_timeout_ms: milliseconds(settings.read_timeout),
            readers: settings.readers,
            reader_wait_ms: milliseconds(settings.reader_wait),
            reader_memory_bytes: settings.reader_memory_bytes,
            max_text_bytes: settings.max_text_bytes,
            ingest_timeout_ms: 600_000,
            question_timeout_ms: milliseconds(settings.search.embed_timeout),
            vector_store: VectorStoreName::Auto,
            index_from: settings.index_from,
            ef_search: settings.ef_search,
            vector_cache_bytes: settings.cache_bytes,
            catch_up_interval_ms: 60_000,
            forget_vectors_after_days: 30,
            reranker: RerankerConfig {
                provider: RerankerName::None,
                base_url: None,
                model: None,
                api_key: None,
                api_key_file: None,
                timeout_ms: milliseconds(settings.search.rerank_timeout),
                candidates: settings.search.rerank_candidates,
            },
        }
    }
}

impl Default for EmbeddingConfig {
    fn default() -> Self {
        Self {
            provider: None,
            model: None,
            model_dir: None,
            dimensions: None,
            batch: 100,
            timeout_ms: 30_000,
            providers: no_provider(),
        }
    }
}

impl Validate for KnowledgeConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [("reranker", &mut self.reranker)])
    }

    fn validate(&self) -> Result<(), Invalid> {
        if !(1..=50).contains(&self.top_k) {
            return Err(Invalid::new("top_k", "must be between 1 and 50"));
        }
        for (key, value) in [
            ("min_score", self.min_score),
            ("min_text_score", self.min_text_score),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Invalid::new(key, "must be between 0 and 1"));
            }
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if self.language.is_empty() || !self.language.chars().all(is_name) {
            return Err(Invalid::new(
                "language",
                "must be the name of a text search configuration",
            ));
        }
        if !(100..=20_000).contains(&self.chunk_size) {
            return Err(Invalid::new("chunk_size", "must be between 100 and 20000"));
        }
        if self.chunk_overlap > self.chunk_size / 2 {
            return Err(Invalid::new(
                "chunk_overlap",
                "must be at most half of chunk_size",
            ));
        }
        if !(10..=1_000).contains(&self.ef_search) {
            return Err(Invalid::new("ef_search", "must be between 10 and 1000"));
        }
        positive("max_document_bytes", self.max_document_bytes)?;
        positive("max_chunks", self.max_chunks as u64)?;
        positive("read_timeout_ms", self.read_timeout_ms)?;
        positive("readers", self.readers as u64)?;
        positive("reader_wait_ms", self.reader_wait_ms)?;
        positive("reader_memory_bytes", self.reader_memory_bytes)?;
        positive("max_text_bytes", self.max_text_bytes)?;
        positive("ingest_timeout_ms", self.ingest_timeout_ms)?;
        positive("question_timeout_ms", self.question_timeout_ms)?;
        positive("catch_up_interval_ms", self.catch_up_interval_ms)?;
        validate_sections(&[("reranker", &self.reranker)])
    }
}

impl Validate for RerankerConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("api_key", &mut self.api_key, self.api_key_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        match (self.provider, &self.base_url) {
            (RerankerName::Http, None) => {
                return Err(Invalid::new("base_url", "must be given for http"));
            }
            (_, Some(url)) => http_url("base_url", url)?,
            (RerankerName::None, None) => {}
        }
        positive("timeout_ms", self.timeout_ms)?;
        positive("candidates", self.candidates as u64)
    }
}

impl Validate for EmbeddingConfig {
    fn variables(&self) -> Vec<(String, String)> {
        self.providers.variables()
    }

    fn read_secrets(&mut self) -> Result<(), Invalid> {
        self.providers.read_secrets()
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("batch", self.batch as u64)?;
        positive("timeout_ms", self.timeout_ms)?;
        positive("dimensions", self.dimensions.unwrap_or(1).into())?;
        self.providers.validate()?;
        if self.provider == Some(ProviderName::LOCAL) && self.model_dir.is_none() {
            return Err(Invalid::new(
                "model_dir",
                "must name the directory of the local model",
            ));
        }
        match self.chosen() {
            Chosen::Provider(llm) => llm.validate_embedding_choice(),
            Chosen::None | Chosen::Local(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider(config: &EmbeddingConfig) -> String {
        match config.chosen() {
            Chosen::None => "none".to_owned(),
            Chosen::Local(directory) => directory.display().to_string(),
            Chosen::Provider(llm) => {
                let client = service_kit::client::external_http_client().unwrap();
                let embedder = llm::embedder(&llm, client).unwrap();
                embedder.map_or("nobody".to_owned(), |embedder| embedder.id().to_string())
            }
        }
    }

    fn key(config: &mut EmbeddingConfig, provider: &str) {
        config.providers.get_mut(provider).api_key = Some("key".into());
    }

    #[test]
    fn a_model_is_chosen_by_what_is_there() {
        let mut config = EmbeddingConfig::default();
        assert_eq!(provider(&config), "nobody");
        key(&mut config, "gemini");
        assert_eq!(provider(&config), "gemini/gemini-embedding-001");
        key(&mut config, "openai");
        assert_eq!(provider(&config), "openai/text-embedding-3-large");
        config.model_dir = Some("models/small".into());
        assert_eq!(provider(&config), "models/small");
        config.provider = Some("ollama".into());
        assert_eq!(provider(&config), "ollama/nomic-embed-text");
        config.provider = Some(ProviderName::NONE);
        assert_eq!(provider(&config), "none");
    }

    #[test]
    fn what_can_not_work_is_refused_with_its_key() {
        let fault = |name: &str, change: fn(&mut EmbeddingConfig)| {
            let mut config = EmbeddingConfig {
                provider: Some(name.into()),
                ..EmbeddingConfig::default()
            };
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert!(fault("local", |_| ()).contains("model_dir"));
        let openai = fault("openai", |_| ());
        assert!(openai.contains("OPENAI_API_KEY") && openai.contains("embedding.openai.api_key"));
        assert!(fault("openai_compatible", |_| ()).contains("base_url"));
        assert!(
            fault("ollama", |config| {
                config.providers.get_mut("ollama").base_url = Some("ftp://x".to_owned());
            })
            .contains("base_url")
        );
        let model = fault("openai_compatible", |config| {
            let provider = config.providers.get_mut("openai_compatible");
            provider.base_url = Some("http://127.0.0.1:1".to_owned());
        });
        assert!(model.contains("EMBEDDING_MODEL"), "{model}");
        assert!(fault("anthropic", |_| ()).contains("there is no provider"));
        let chat_only = fault("ollama", |config| {
            config.providers.get_mut("ollama").think = Some(true);
        });
        assert!(chat_only.contains("ollama.think"), "{chat_only}");
        let too_much = KnowledgeConfig {
            chunk_overlap: 1_500,
            ..KnowledgeConfig::default()
        };
        assert!(too_much.validate().is_err());
        let mut reranker = KnowledgeConfig::default().reranker;
        reranker.provider = RerankerName::Http;
        assert!(reranker.validate().is_err());
    }
}
