use std::io::Write;
use std::path::Path;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use super::*;

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    http: HttpConfig,
    database: DatabaseConfig,
    telemetry: TelemetryConfig,
    llm: LlmConfig,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LlmConfig {
    provider: Option<String>,
    models: Vec<String>,
    #[serde(default, skip_serializing)]
    api_key: Option<SecretString>,
}

impl Default for Sample {
    fn default() -> Self {
        Self {
            http: HttpConfig::on_port(4000),
            database: DatabaseConfig::default(),
            telemetry: TelemetryConfig::named("sample"),
            llm: LlmConfig::default(),
        }
    }
}

impl Validate for Sample {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [("database", &mut self.database)])
    }

    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[
            ("http", &self.http),
            ("database", &self.database),
            ("telemetry", &self.telemetry),
        ])
    }
}

fn load_with(file: Option<&str>, variables: &[(&str, &str)]) -> Result<Sample, Error> {
    let path = file.map(temp_file);
    Loader::new("sample")
        .file(path.as_ref().map(tempfile::NamedTempFile::path))
        .aliases(&[("AI_PROVIDER", "llm.provider"), ("ELSEWHERE", "absent.key")])
        .environment(variables.iter().copied())
        .load(&Sample::default())
}

fn temp_file(text: &str) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

#[test]
fn the_environment_overrides_the_file_and_the_file_the_defaults() {
    let file = "[http]\nport = 5000\nbody_limit_bytes = 10\n[database]\nmax_connections = 3\n";
    let config = load_with(Some(file), &[("HELIOGRAPH_SAMPLE__HTTP__PORT", "6000")]).unwrap();
    assert_eq!(config.http.port, 6000);
    assert_eq!(config.http.body_limit_bytes, 10);
    assert_eq!(config.database.max_connections, 3);
    assert_eq!(config.http.request_timeout_ms, 30_000);
}

#[test]
fn a_service_s_own_variable_wins_over_that_for_all_and_both_over_an_alias() {
    let variables = [
        ("HELIOGRAPH_SAMPLE__TELEMETRY__LOG_FILTER", "debug"),
        ("HELIOGRAPH__TELEMETRY__LOG_FILTER", "warn"),
        ("RUST_LOG", "error"),
        ("HELIOGRAPH__TELEMETRY__OTLP_ENDPOINT", "http://all:4318"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://alias:4318"),
        ("AI_PROVIDER", "ollama"),
        ("HELIOGRAPH_BFF__HTTP__PORT", "1"),
    ];
    let config = load_with(None, &variables).unwrap();
    assert_eq!(config.telemetry.log_filter, "debug");
    assert_eq!(
        config.telemetry.otlp_endpoint.as_deref(),
        Some("http://all:4318")
    );
    assert_eq!(config.llm.provider.as_deref(), Some("ollama"));
    assert_eq!(config.http.port, 4000);
}

#[test]
fn a_variable_of_a_service_that_there_is_not_is_refused() {
    for (variable, name) in [
        ("HELIOGRAPH_TELEMETRY__METRICS_ADDRESS", "TELEMETRY"),
        ("HELIOGRAPH_ORCHESTATOR__HTTP__PORT", "ORCHESTATOR"),
    ] {
        let error = load_with(None, &[(variable, "1")]).unwrap_err().to_string();
        assert!(error.starts_with(variable), "{error}");
        assert!(
            error.contains(&format!("`{name}` is not a service")),
            "{error}"
        );
        assert!(error.contains("HELIOGRAPH__<SECTION>__"), "{error}");
    }
}

#[test]
fn an_empty_variable_is_absent() {
    let variables = [("DATABASE_URL", ""), ("HELIOGRAPH_SAMPLE__HTTP__PORT", "")];
    let config = load_with(None, &variables).unwrap();
    assert!(config.database.url.is_none());
    assert_eq!(config.http.port, 4000);
}

#[test]
fn values_are_parsed_only_where_a_string_does_not_do() {
    let variables = [
        ("HELIOGRAPH_SAMPLE__LLM__API_KEY", "00123"),
        ("HELIOGRAPH_SAMPLE__LLM__MODELS", "[\"a\", \"b\"]"),
        ("HELIOGRAPH_SAMPLE__TELEMETRY__SAMPLE_RATIO", "0.25"),
        ("HELIOGRAPH_SAMPLE__TELEMETRY__LOG_FORMAT", "json"),
    ];
    let config = load_with(None, &variables).unwrap();
    assert_eq!(config.llm.api_key.unwrap().expose_secret(), "00123");
    assert_eq!(config.llm.models, ["a", "b"]);
    assert!((config.telemetry.sample_ratio - 0.25).abs() < f64::EPSILON);
    assert_eq!(config.telemetry.log_format, LogFormat::Json);
}

#[test]
fn an_unknown_key_names_itself_and_its_source() {
    let error = load_with(None, &[("HELIOGRAPH_SAMPLE__HTTP__PROT", "1")])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("unknown key `http.prot`, set by HELIOGRAPH_SAMPLE__HTTP__PROT"),
        "{error}"
    );
    assert!(error.contains("known here: address, port"), "{error}");

    let file = temp_file("[htpp]\nport = 1\n");
    let error = Loader::new("sample")
        .file(Some(file.path()))
        .environment([("", ""); 0])
        .load(&Sample::default())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("unknown key `htpp`, set by "), "{error}");
    assert!(
        error.contains(file.path().file_name().unwrap().to_str().unwrap()),
        "{error}"
    );
}

#[test]
fn a_section_that_services_do_not_share_is_refused_for_all() {
    let error = load_with(None, &[("HELIOGRAPH__LLM__PROVIDER", "gemini")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("HELIOGRAPH__LLM__PROVIDER") && error.contains("`llm`"),
        "{error}"
    );
}

#[test]
fn a_wrong_value_names_its_key_and_source() {
    let error = load_with(None, &[("HELIOGRAPH_SAMPLE__HTTP__PORT", "many")])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("http.port set by HELIOGRAPH_SAMPLE__HTTP__PORT: invalid type"),
        "{error}"
    );
    let error = load_with(None, &[("HELIOGRAPH_SAMPLE__HTTP__BODY_LIMIT_BYTES", "0")])
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "http.body_limit_bytes: must be more than 0; set by HELIOGRAPH_SAMPLE__HTTP__BODY_LIMIT_BYTES"
    );
    let error = load_with(Some("[telemetry]\notlp_endpoint = \"ftp://x\"\n"), &[])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with(
            "telemetry.otlp_endpoint: must be an http or https URL, not ftp; set by /"
        ),
        "{error}"
    );
}

#[test]
fn a_missing_or_broken_file_stops_the_start() {
    let error = load_with(Some("[http\n"), &[]).unwrap_err();
    assert!(matches!(error, Error::Value { .. }), "{error:?}");
    let missing = Path::new("no/such/file.toml");
    let error = Loader::new("sample")
        .file(Some(missing))
        .load(&Sample::default())
        .unwrap_err()
        .to_string();
    assert_eq!(
        error,
        "the configuration file no/such/file.toml cannot be read"
    );
}

#[test]
fn a_secret_is_read_from_its_file_without_the_final_newline() {
    let secret = temp_file("postgres://u:hunter2@db/x\n");
    let path = secret.path().to_str().unwrap();
    let config = load_with(None, &[("HELIOGRAPH_SAMPLE__DATABASE__URL_FILE", path)]).unwrap();
    assert_eq!(
        config.database.url.unwrap().expose_secret(),
        "postgres://u:hunter2@db/x"
    );

    let both = [
        ("HELIOGRAPH_SAMPLE__DATABASE__URL_FILE", path),
        ("DATABASE_URL", "postgres://other"),
    ];
    let error = load_with(None, &both).unwrap_err().to_string();
    assert!(
        error.starts_with("database.url_file: must not be given together with url"),
        "{error}"
    );
}

#[test]
fn secrets_are_neither_shown_nor_serialized() {
    let config = load_with(
        None,
        &[
            ("DATABASE_URL", "postgres://u:hunter2@db/x"),
            ("HELIOGRAPH_SAMPLE__LLM__API_KEY", "hunter2"),
        ],
    )
    .unwrap();
    assert!(config.database.url.is_some() && config.llm.api_key.is_some());
    assert!(!format!("{config:?}").contains("hunter2"));
    assert!(!serde_json::to_string(&config).unwrap().contains("hunter2"));
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    entries: Vec<Entry>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Entry {
    name: String,
    size: u16,
}

impl Validate for Listed {
    fn validate(&self) -> Result<(), Invalid> {
        match self.entries.iter().position(|entry| entry.name.is_empty()) {
            Some(place) => Err(Invalid::new(
                format!("entries.{place}.name"),
                "must be given",
            )),
            None => Ok(()),
        }
    }
}

#[test]
fn what_is_wrong_in_an_entry_of_a_list_is_said_with_the_file_and_the_line() {
    for (text, key, line) in [
        ("[[entries]]\nname = \"a\"\nsiez = 3\n", "entries.0.siez", 3),
        (
            "[[entries]]\nname = \"a\"\n[[entries]]\nname = \"b\"\nsize = \"big\"\n",
            "entries.1.size",
            5,
        ),
        (
            "[[entries]]\nname = \"a\"\n\n[[entries]]\nsize = 3\n",
            "entries.1.name",
            4,
        ),
    ] {
        let file = temp_file(text);
        let path = file.path().display().to_string();
        let none: [(&str, &str); 0] = [];
        let error = Loader::new("sample")
            .file(Some(file.path()))
            .environment(none)
            .load(&Listed::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(key), "{error}");
        assert!(error.contains(&format!("{path}, line {line}")), "{error}");
        assert!(!error.contains("the defaults"), "{error}");
    }
}
