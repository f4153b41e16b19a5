use configuration::{Loader, read_section_secrets, section_variables};
use secrecy::{ExposeSecret, SecretString};

use super::*;
use crate::provider::Provider;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    llm: LlmConfig,
}

impl Validate for Config {
    fn variables(&self) -> Vec<(String, String)> {
        section_variables("llm", &self.llm)
    }

    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [("llm", &mut self.llm)])
    }

    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[("llm", &self.llm)])
    }
}

fn load(variables: &[(&str, &str)]) -> Result<LlmConfig, String> {
    load_file("", variables)
}

/// Loads a file with this text.
fn load_file(text: &str, variables: &[(&str, &str)]) -> Result<LlmConfig, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orchestrator.toml");
    std::fs::write(&path, text).unwrap();
    Loader::new("orchestrator")
        .file(Some(&path))
        .environment(variables.iter().copied())
        .load(&Config::default())
        .map(|config| config.llm)
        .map_err(|error| error.to_string())
}

fn chosen(variables: &[(&str, &str)]) -> Vec<String> {
    chosen_by(&load(variables).unwrap())
}

fn chosen_by(config: &LlmConfig) -> Vec<String> {
    let chosen = config.chosen().into_iter();
    chosen
        .map(|chosen| format!("{}/{}", chosen.provider.name, chosen.model))
        .collect()
}

fn provider(config: &LlmConfig, name: &str) -> Provider {
    config.providers.find(&name.into()).unwrap()
}

fn base_url(config: &LlmConfig, name: &str) -> String {
    provider(config, name).base_url().to_owned()
}

fn api_key(config: &LlmConfig, name: &str) -> SecretString {
    provider(config, name).record.api_key.unwrap()
}

#[test]
fn without_any_setting_rules_answer() {
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
        base_url(&load(&[address]).unwrap(), "ollama"),
        "http://10.0.0.7:11434"
    );
    assert_eq!(chosen(&[address, ("AI_PROVIDER", "none")]).len(), 0);
    assert_eq!(
        base_url(&load(&[]).unwrap(), "ollama"),
        "http://127.0.0.1:11434"
    );
}

#[test]
fn variables_set_model_key_address_and_temperature() {
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
    assert_eq!(base_url(&config, "openai"), "http://127.0.0.1:9/v1");
    let key = api_key(&config, "openai");
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
fn an_invalid_value_stops_the_start_and_names_the_variable() {
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
    let key = api_key(&config, "anthropic");
    assert_eq!(key.expose_secret(), "sk-from-a-file");
    assert!(!format!("{config:?}").contains("sk-from-a-file"));
    let written = serde_json::to_string(&config).unwrap();
    assert!(!written.contains("sk-from-a-file"));
}

#[test]
fn embeddings_come_from_openai_before_gemini() {
    let gemini = ("GOOGLE_GENERATIVE_AI_API_KEY", "g");
    let choice = |variables: &[(&str, &str)]| {
        let (provider, model) = load(variables).unwrap().embedding_choice().unwrap();
        format!("{}/{model}", provider.name)
    };
    assert_eq!(choice(&[gemini]), "gemini/gemini-embedding-001");
    assert_eq!(
        choice(&[gemini, ("OPENAI_API_KEY", "o")]),
        "openai/text-embedding-3-large"
    );
    assert_eq!(
        choice(&[
            (
                "HELIOGRAPH_ORCHESTRATOR__LLM__EMBEDDING__PROVIDER",
                "ollama",
            ),
            ("HELIOGRAPH_ORCHESTRATOR__LLM__EMBEDDING__MODEL", "bge-m3"),
        ]),
        "ollama/bge-m3"
    );
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
    let loaded = load_file(&format!("[llm]{section}"), &[]).unwrap();
    assert_eq!(
        serde_json::to_value(&loaded).unwrap(),
        serde_json::to_value(LlmConfig::default()).unwrap()
    );
}

/// Every variable that set something before providers were records.
#[test]
fn each_variable_of_a_provider_sets_its_key() {
    let keys: std::collections::BTreeMap<_, _> =
        LlmConfig::default().variables().into_iter().collect();
    for (variable, key) in [
        ("LLM_PROVIDER", "provider"),
        ("AI_PROVIDER", "provider"),
        ("LLM_MODEL", "model"),
        ("MAX_OUTPUT_TOKENS", "max_output_tokens"),
        ("GOOGLE_GENERATIVE_AI_API_KEY", "gemini.api_key"),
        ("GEMINI_MODEL", "gemini.model"),
        ("GEMINI_BASE_URL", "gemini.base_url"),
        ("ANTHROPIC_API_KEY", "anthropic.api_key"),
        ("ANTHROPIC_MODEL", "anthropic.model"),
        ("ANTHROPIC_BASE_URL", "anthropic.base_url"),
        ("OPENAI_API_KEY", "openai.api_key"),
        ("OPENAI_MODEL", "openai.model"),
        ("OPENAI_TEMPERATURE", "openai.temperature"),
        ("OPENAI_BASE_URL", "openai.base_url"),
        ("OPENROUTER_API_KEY", "openrouter.api_key"),
        ("OPENROUTER_MODEL", "openrouter.model"),
        ("OPENROUTER_BASE_URL", "openrouter.base_url"),
        ("OPENROUTER_REFERER", "openrouter.referer"),
        ("OPENROUTER_TITLE", "openrouter.title"),
        ("OLLAMA_BASE_URL", "ollama.base_url"),
        ("OLLAMA_MODEL", "ollama.model"),
        ("OPENAI_COMPATIBLE_BASE_URL", "openai_compatible.base_url"),
        ("OPENAI_COMPATIBLE_API_KEY", "openai_compatible.api_key"),
        ("OPENAI_COMPATIBLE_MODEL", "openai_compatible.model"),
    ] {
        assert_eq!(
            keys.get(variable).map(String::as_str),
            Some(key),
            "{variable}"
        );
    }
    assert_eq!(keys.len(), 24, "{keys:?}");
}

/// Every key that stood in `[llm.NAME]` before providers were records.
#[test]
fn each_key_of_a_built_in_provider_is_taken() {
    let config = load_file(
        r#"
        [llm]
        provider = "anthropic"
        [llm.gemini]
        base_url = "http://127.0.0.1:1/v1beta"
        api_key = "g"
        model = "gemini-9"
        temperature = 0.5
        schemas = "open_api"
        foreign_calls = "unsigned"
        [llm.anthropic]
        base_url = "http://127.0.0.1:2"
        api_key = "a"
        model = "claude-9"
        temperature = 0.5
        version = "2030-01-01"
        thinking = "budget"
        thinking_budget = 4096
        structured = "native"
        takes_temperature = false
        [llm.openai]
        base_url = "http://127.0.0.1:3/v1"
        api_key = "o"
        model = "gpt-9"
        temperature = 0.5
        [llm.openrouter]
        base_url = "http://127.0.0.1:4/v1"
        api_key = "r"
        model = "acme/x"
        temperature = 0.5
        referer = "https://heliograph.example"
        title = "Heliograph"
        [llm.ollama]
        base_url = "http://127.0.0.1:5"
        api_key = "l"
        model = "qwen3"
        temperature = 0.5
        first_token_ms = 1000
        keep_alive = "5m"
        think = false
        num_ctx = 16384
        [llm.openai_compatible]
        base_url = "http://127.0.0.1:6/v1"
        api_key = "c"
        model = "qwen3"
        temperature = 0.5
        stream_usage = false
        json_schema = false
        "#,
        &[],
    )
    .unwrap();
    assert_eq!(chosen_by(&config), ["anthropic/claude-9"]);
    let anthropic = provider(&config, "anthropic").record;
    assert_eq!(anthropic.thinking, Some(Thinking::Budget));
    assert_eq!(anthropic.thinking_budget, Some(4096));
    assert_eq!(anthropic.structured, Some(StructuredOutput::Native));
    let gemini = provider(&config, "gemini").record;
    assert_eq!(gemini.schemas, Some(SchemaDialect::OpenApi));
    assert_eq!(gemini.foreign_calls, Some(ForeignCalls::Unsigned));
    let ollama = provider(&config, "ollama").record;
    assert_eq!(ollama.num_ctx, Some(16_384));
    assert_eq!(ollama.first_token_ms, Some(1_000));
    let compatible = provider(&config, "openai_compatible").record;
    assert_eq!(compatible.json_schema, Some(false));
}

const GROQ: &str = r#"
    [llm.providers.groq]
    display_name = "Groq"
    wire = "openai_compatible"
    base_url = "https://api.groq.com/openai/v1/"
    api_key_variable = "GROQ_API_KEY"
    model_variable = "GROQ_MODEL"
    model = "llama-4"
    headers = { X-Team = "solar" }
"#;

#[test]
fn a_provider_is_defined_in_configuration_and_named_like_a_built_in_one() {
    let key = ("GROQ_API_KEY", "gsk-1");
    let config = load_file(GROQ, &[("AI_PROVIDER", "Groq"), key]).unwrap();
    assert_eq!(chosen_by(&config), ["groq/llama-4"]);
    assert_eq!(base_url(&config, "groq"), "https://api.groq.com/openai/v1");
    assert_eq!(api_key(&config, "groq").expose_secret(), "gsk-1");
    let config = load_file(GROQ, &[key, ("GROQ_MODEL", "llama-5")]).unwrap();
    assert_eq!(chosen_by(&config), ["groq/llama-5"], "not named");
    let config = load_file(GROQ, &[key, ("OPENAI_API_KEY", "o")]).unwrap();
    assert_eq!(chosen_by(&config), ["openai/gpt-4o"], "built-in ones first");
    let fallback = ("HELIOGRAPH_ORCHESTRATOR__LLM__FALLBACKS", "[groq]");
    let config = load_file(GROQ, &[key, ("OPENAI_API_KEY", "o"), fallback]).unwrap();
    assert_eq!(chosen_by(&config), ["openai/gpt-4o", "groq/llama-4"]);
}

#[test]
fn variables_alone_define_a_provider() {
    let variable = |key: &'static str, value: &'static str| {
        (
            format!("HELIOGRAPH_ORCHESTRATOR__LLM__PROVIDERS__LAB__{key}"),
            value,
        )
    };
    let variables = [
        variable("WIRE", "ollama"),
        variable("BASE_URL", "http://10.0.0.7:11434"),
        variable("MODEL", "qwen3"),
        variable("NUM_CTX", "8192"),
    ];
    let mut variables: Vec<_> = variables
        .iter()
        .map(|(name, value)| (&**name, *value))
        .collect();
    variables.push(("AI_PROVIDER", "lab"));
    let config = load(&variables).unwrap();
    assert_eq!(chosen_by(&config), ["lab/qwen3"]);
    let lab = provider(&config, "lab").record;
    assert_eq!(
        (lab.num_ctx, lab.first_token_ms),
        (Some(8192), Some(180_000))
    );
}

#[test]
fn a_definition_that_cannot_work_stops_the_start_and_names_the_key() {
    let refused = |text: &str, variables: &[(&str, &str)], expected: &[&str]| {
        let message = load_file(text, variables).unwrap_err();
        for part in expected {
            assert!(message.contains(part), "{message:?} lacks {part:?}");
        }
    };
    let groq = |line: &str| format!("[llm.providers.groq]\n{line}\n");
    refused(
        GROQ,
        &[("AI_PROVIDER", "groq")],
        &["AI_PROVIDER", "GROQ_API_KEY", "llm.providers.groq.api_key"],
    );
    refused(
        GROQ,
        &[("AI_PROVIDER", "grok")],
        &["\"grok\"", "groq", "gemini"],
    );
    refused(
        &groq("base_url = 'http://h'"),
        &[],
        &[
            "llm.providers.groq: wire is missing",
            "openai_compatible",
            "orchestrator.toml",
        ],
    );
    refused(
        &groq("wire = 'smoke'"),
        &[],
        &["llm.providers.groq.wire", "smoke", "anthropic_messages"],
    );
    refused(
        &groq("wire = 'gemini'"),
        &[],
        &["llm.providers.groq: base_url is missing"],
    );
    refused(
        &groq("wire = 'ollama'\nbase_url = 'ftp://h'"),
        &[],
        &["llm.providers.groq.base_url"],
    );
    refused(
        &groq("wire = 'ollama'\nthinking = 'off'"),
        &[],
        &["llm.providers.groq.thinking", "ollama"],
    );
    refused(
        &groq("wire = 'ollama'\nmodle = 'x'"),
        &[],
        &["unknown key `llm.providers.groq.modle`"],
    );
    refused(
        &groq("wire = 'ollama'\nheaders = { 'a b' = 'c' }"),
        &[],
        &["llm.providers.groq.headers.a b"],
    );
    refused(
        "[llm.providers.gemini]\nwire = 'gemini'\n",
        &[],
        &["llm.providers.gemini", "llm.gemini"],
    );
    refused(
        "[llm.providers.none]\nwire = 'gemini'\n",
        &[],
        &["llm.providers.none"],
    );
    refused(
        "[llm.providers.'My Own']\nwire = 'ollama'\n",
        &[],
        &["My Own", "a-z"],
    );
    refused(
        "[llm.openai]\nwire = 'ollama'\n",
        &[],
        &["llm.openai.wire", "llm.providers.NAME"],
    );
    refused(
        "[llm.openai]\nthinking = 'off'\n",
        &[],
        &["llm.openai.thinking", "openai_chat"],
    );
    refused(
        "[llm.opnai]\nmodel = 'x'\n",
        &[],
        &["unknown key `llm.opnai`", "openai", "timeouts", "providers"],
    );
    refused(
        "[llm.embedding]\nprovider = 'anthropic'\n",
        &[("ANTHROPIC_API_KEY", "a")],
        &["llm.embedding.provider", "no embeddings"],
    );
}
