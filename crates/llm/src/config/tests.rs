use configuration::Loader;
use secrecy::ExposeSecret;

use super::*;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    llm: LlmConfig,
}

impl Validate for Config {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [("llm", &mut self.llm)])
    }

    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[("llm", &self.llm)])
    }
}

fn load(variables: &[(&str, &str)]) -> Result<LlmConfig, String> {
    Loader::new("orchestrator")
        .aliases(&ALIASES)
        .environment(variables.iter().copied())
        .load(&Config::default())
        .map(|config| config.llm)
        .map_err(|error| error.to_string())
}

fn chosen(variables: &[(&str, &str)]) -> Vec<String> {
    let config = load(variables).unwrap();
    let chosen = config.chosen().into_iter();
    chosen
        .map(|chosen| format!("{}/{}", chosen.provider.as_str(), chosen.model))
        .collect()
}

#[test]
fn without_any_setting_nobody_is_asked() {
    assert!(chosen(&[]).is_empty());
    assert!(load(&[]).unwrap().embedding_choice().is_none());
}

#[test]
fn the_first_provider_with_a_key_is_asked_gemini_first() {
    let openai = ("OPENAI_API_KEY", "sk-1");
    let anthropic = ("ANTHROPIC_API_KEY", "sk-2");
    let gemini = ("GOOGLE_GENERATIVE_AI_API_KEY", "g-3");
    assert_eq!(chosen(&[openai]), ["openai/gpt-4o"]);
    assert_eq!(
        chosen(&[openai, anthropic]),
        ["anthropic/claude-3-5-sonnet"]
    );
    assert_eq!(
        chosen(&[openai, anthropic, gemini]),
        ["gemini/gemini-2.0-flash"]
    );
}

#[test]
fn an_ollama_counts_once_its_address_is_given() {
    let address = ("OLLAMA_BASE_URL", "http://10.0.0.7:11434/");
    assert_eq!(chosen(&[address]), ["ollama/gpt-oss:20b"]);
    assert_eq!(
        load(&[address]).unwrap().base_url(ProviderName::Ollama),
        "http://10.0.0.7:11434"
    );
    assert_eq!(chosen(&[address, ("AI_PROVIDER", "none")]).len(), 0);
    assert_eq!(
        load(&[]).unwrap().base_url(ProviderName::Ollama),
        "http://127.0.0.1:11434"
    );
}

#[test]
fn the_documents_variables_set_model_key_address_and_temperature() {
    let config = load(&[
        ("AI_PROVIDER", "OpenAI"),
        ("OPENAI_API_KEY", "sk-1"),
        ("OPENAI_MODEL", "gpt-4o-mini"),
        ("OPENAI_TEMPERATURE", "0.1"),
        ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1"),
        ("MAX_OUTPUT_TOKENS", "1234"),
    ])
    .unwrap();
    let [chosen] = &config.chosen()[..] else {
        panic!("one model")
    };
    assert_eq!(&*chosen.model, "gpt-4o-mini");
    assert_eq!(chosen.temperature, Some(0.1));
    assert_eq!(config.max_output_tokens, 1234);
    assert_eq!(
        config.base_url(ProviderName::OpenAi),
        "http://127.0.0.1:9/v1"
    );
    let key = config.api_key(ProviderName::OpenAi).unwrap();
    assert_eq!(key.expose_secret(), "sk-1");
}

#[test]
fn fallbacks_are_names_or_tables() {
    let keys = [
        ("AI_PROVIDER", "gemini"),
        ("GOOGLE_GENERATIVE_AI_API_KEY", "g"),
        ("ANTHROPIC_API_KEY", "a"),
    ];
    let list = r#"[anthropic, "ollama:gpt-oss:120b", {provider="gemini", model="gemini-2.5-pro"}]"#;
    let mut variables = keys.to_vec();
    variables.push(("HELIOGRAPH_ORCHESTRATOR__LLM__FALLBACKS", list));
    assert_eq!(
        chosen(&variables),
        [
            "gemini/gemini-2.0-flash",
            "anthropic/claude-3-5-sonnet",
            "ollama/gpt-oss:120b",
            "gemini/gemini-2.5-pro"
        ]
    );
}

#[test]
fn what_can_not_work_stops_the_start_and_names_the_variable() {
    let refused = |variables: &[(&str, &str)], expected: &[&str]| {
        let message = load(variables).unwrap_err();
        for part in expected {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
        message
    };
    refused(
        &[("AI_PROVIDER", "bard")],
        &["AI_PROVIDER", "llm.provider", "\"bard\"", "gemini", "none"],
    );
    refused(
        &[("AI_PROVIDER", "anthropic")],
        &["AI_PROVIDER", "ANTHROPIC_API_KEY"],
    );
    refused(
        &[("OPENAI_TEMPERATURE", "7")],
        &["OPENAI_TEMPERATURE", "between 0 and 1"],
    );
    refused(
        &[("OLLAMA_BASE_URL", "localhost:11434")],
        &["OLLAMA_BASE_URL", "http"],
    );
    refused(
        &[("AI_PROVIDER", "openai_compatible")],
        &["OPENAI_COMPATIBLE_BASE_URL"],
    );
    refused(
        &[("HELIOGRAPH_ORCHESTRATOR__LLM__FALLBACKS", "[openai]")],
        &["llm.fallbacks", "OPENAI_API_KEY"],
    );
    refused(
        &[("HELIOGRAPH_ORCHESTRATOR__LLM__GEMINI__MODLE", "x")],
        &["unknown key `llm.gemini.modle`"],
    );
    let message = refused(
        &[("OPENAI_API_KEY", "sk-secret\nsecond line")],
        &["OPENAI_API_KEY", "line break"],
    );
    assert!(!message.contains("sk-secret"));
}

#[test]
fn keys_come_from_files_and_show_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key");
    std::fs::write(&file, "sk-from-a-file\n").unwrap();
    let config = load(&[(
        "HELIOGRAPH_ORCHESTRATOR__LLM__ANTHROPIC__API_KEY_FILE",
        file.to_str().unwrap(),
    )])
    .unwrap();
    let key = config.api_key(ProviderName::Anthropic).unwrap();
    assert_eq!(key.expose_secret(), "sk-from-a-file");
    assert!(!format!("{config:?}").contains("sk-from-a-file"));
    let written = serde_json::to_string(&config).unwrap();
    assert!(!written.contains("sk-from-a-file"));
}

#[test]
fn embeddings_come_from_openai_before_gemini() {
    let gemini = ("GOOGLE_GENERATIVE_AI_API_KEY", "g");
    let choice = |variables: &[(&str, &str)]| load(variables).unwrap().embedding_choice();
    let (provider, model) = choice(&[gemini]).unwrap();
    assert_eq!(
        (provider, &*model),
        (EmbeddingProvider::Gemini, "gemini-embedding-001")
    );
    let (provider, model) = choice(&[gemini, ("OPENAI_API_KEY", "o")]).unwrap();
    assert_eq!(
        (provider, &*model),
        (EmbeddingProvider::OpenAi, "text-embedding-3-large")
    );
    let (provider, model) = choice(&[
        (
            "HELIOGRAPH_ORCHESTRATOR__LLM__EMBEDDING__PROVIDER",
            "ollama",
        ),
        ("HELIOGRAPH_ORCHESTRATOR__LLM__EMBEDDING__MODEL", "bge-m3"),
    ])
    .unwrap();
    assert_eq!((provider, &*model), (EmbeddingProvider::Ollama, "bge-m3"));
}

/// The example file's section, every key with its default.
#[test]
fn the_example_file_says_the_defaults() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../deploy/config/orchestrator.toml"
    );
    let text = std::fs::read_to_string(file).unwrap();
    let section = text.split_once("\n[llm]").unwrap().1;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orchestrator.toml");
    std::fs::write(&path, format!("[llm]{section}")).unwrap();
    let loaded = Loader::new("orchestrator")
        .file(Some(&path))
        .environment([("", ""); 0])
        .load(&Config::default())
        .unwrap();
    assert_eq!(
        serde_json::to_value(&loaded.llm).unwrap(),
        serde_json::to_value(LlmConfig::default()).unwrap()
    );
}
