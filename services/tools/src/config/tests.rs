//! Tests of the configuration as a whole.

use service_kit::config::Loader;

use super::*;

fn load(variables: &[(&str, &str)]) -> Result<Config, service_kit::config::Error> {
    Loader::new("tools")
        .aliases(&ALIASES)
        .replaced(&REPLACED)
        .environment(variables.iter().copied())
        .load(&Config::default())
}

#[test]
fn the_documents_variables_are_understood() {
    let config = load(&[
        ("SOLAR_PORT", "4100"),
        ("SOLAR_CO2_KG_PER_KWH", "0.05"),
        ("SOLAR_DATABASE_URL", "postgres://u@h/d"),
    ])
    .unwrap();
    assert_eq!(config.http.port, 4100);
    assert!((config.solar.co2_kg_per_kwh - 0.05).abs() < 1e-12);
    assert!(config.database.url.is_some());
}

#[test]
fn the_example_file_has_every_key_with_its_default() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../deploy/config/tools.toml"
    );
    let config: Config = Loader::new("tools")
        .file(Some(path.as_ref()))
        .environment(Vec::<(String, String)>::new())
        .load(&Config::default())
        .unwrap();
    let json = |config: &Config| serde_json::to_value(config).unwrap();
    assert_eq!(json(&config), json(&Config::default()));
}

#[test]
fn each_variable_of_a_provider_of_embeddings_sets_its_key() {
    let variables = Config::default().variables();
    let mut keys: Vec<_> = variables
        .iter()
        .map(|(variable, key)| (variable.as_str(), key.as_str()))
        .collect();
    keys.sort_unstable();
    assert_eq!(
        keys,
        [
            ("GEMINI_BASE_URL", "embedding.gemini.base_url"),
            ("GOOGLE_GENERATIVE_AI_API_KEY", "embedding.gemini.api_key"),
            ("OLLAMA_BASE_URL", "embedding.ollama.base_url"),
            ("OPENAI_API_KEY", "embedding.openai.api_key"),
            ("OPENAI_BASE_URL", "embedding.openai.base_url"),
            (
                "OPENAI_COMPATIBLE_API_KEY",
                "embedding.openai_compatible.api_key"
            ),
            (
                "OPENAI_COMPATIBLE_BASE_URL",
                "embedding.openai_compatible.base_url"
            ),
        ]
    );
    let config = load(&[
        ("EMBEDDING_PROVIDER", "openai_compatible"),
        ("EMBEDDING_MODEL", "bge-m3"),
        ("OPENAI_COMPATIBLE_BASE_URL", "http://127.0.0.1:1/v1"),
    ]);
    assert_eq!(embedder_of(&config.unwrap()), "openai/bge-m3");
}

#[test]
fn configuration_defines_a_provider_of_embeddings() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let text = r#"
        [embedding]
        provider = "lab"
        [embedding.providers.lab]
        wire = "openai_compatible"
        base_url = "http://127.0.0.1:1/v1"
        api_key_variable = "LAB_KEY"
        embedding_model = "bge-m3"
    "#;
    std::fs::write(file.path(), text).unwrap();
    let load = |variables: &[(&str, &str)]| {
        Loader::new("tools")
            .file(Some(file.path()))
            .aliases(&ALIASES)
            .environment(variables.iter().copied())
            .load(&Config::default())
    };
    let config: Config = load(&[("LAB_KEY", "k")]).unwrap();
    assert_eq!(embedder_of(&config), "lab/bge-m3");
    let error = load(&[]).unwrap_err().to_string();
    assert!(error.starts_with("embedding.provider: "), "{error}");
    assert!(error.contains("LAB_KEY"), "{error}");
    let error = load(&[("EMBEDDING_PROVIDER", "attic")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("attic") && error.contains("lab, local, none"),
        "{error}"
    );
}

fn embedder_of(config: &Config) -> String {
    let embedder = crate::knowledge_tools::embedder(&config.embedding).unwrap();
    embedder.unwrap().id().to_string()
}

#[test]
fn the_documents_variables_name_sources() {
    let config = load(&[
        ("ES_URL", "http://127.0.0.1:9200"),
        ("ES_INDEX", "shipments, ports"),
        ("GRAPHQL_ENDPOINT", "http://127.0.0.1:5000/graphql"),
    ])
    .unwrap();
    let sources = config.all_sources();
    let named: Vec<(&str, usize)> = sources
        .iter()
        .map(|source| (source.name.as_str(), source.indices.len()))
        .collect();
    assert_eq!(named, [("elasticsearch", 2), ("graphql", 0)]);
    let error = load(&[("ES_URL", "http://127.0.0.1:9200")]).unwrap_err();
    assert!(error.to_string().contains("search.indices"), "{error}");
}

#[test]
fn sections_of_earlier_versions_still_work_and_their_new_form_is_named() {
    let file = |text: &str| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, text.as_bytes()).unwrap();
        file
    };
    let load = |text: &str| {
        let file = file(text);
        let (config, notes): (Config, Vec<String>) = Loader::new("tools")
            .file(Some(file.path()))
            .replaced(&REPLACED)
            .environment(Vec::<(String, String)>::new())
            .load_noting(&Config::default())
            .unwrap();
        (config, notes)
    };
    let old = "[sql]\n\n[target]\nhost = \"db\"\ndatabase = \"crewOS\"\n\n[search]\ngraphql_endpoint = \"http://h/graphql\"\n";
    let (config, notes) = load(old);
    assert_eq!(config.all_targets()[0].name, "crewos");
    assert_eq!(config.all_sources()[0].name, "graphql");
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("[target]")
            && notes[0].contains("line 3")
            && notes[0].contains("[[targets]]"),
        "{notes:?}"
    );
    assert!(
        notes[1].contains("[search]")
            && notes[1].contains("line 7")
            && notes[1].contains("[[sources]]"),
        "{notes:?}"
    );

    let new = "[[targets]]\nname = \"crewos\"\nurl = \"mysql://root@db:3306/crewOS\"\ntenants = [\"demo\"]\n";
    let (config, notes) = load(new);
    assert_eq!(config.all_targets()[0].name, "crewos");
    assert!(notes.is_empty(), "{notes:?}");
    let written = serde_json::to_value(Config::default()).unwrap();
    assert!(written.get("target").is_none() && written.get("search").is_none());
}

#[test]
fn a_file_of_an_earlier_version_can_disable_the_demonstration_but_not_enable_it() {
    let off = "HELIOGRAPH_TOOLS__DEMO_UPSTREAM__ENABLED";
    let old = "HELIOGRAPH_TOOLS__DEMO_UPSTREAM__AUDIENCE";
    assert!(load(&[(off, "false"), (old, "")]).is_ok());
    let error = load(&[(off, "true")]).unwrap_err().to_string();
    assert!(
        error.contains("demo_upstream.enabled") && error.contains("remove the section"),
        "{error}"
    );
}

#[test]
fn a_wrong_key_in_a_section_of_an_earlier_version_is_named_with_its_line() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    std::io::Write::write_all(&mut file, b"[target]\nhosst = \"db\"\n").unwrap();
    let error = Loader::new("tools")
        .file(Some(file.path()))
        .replaced(&REPLACED)
        .environment(Vec::<(String, String)>::new())
        .load(&Config::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("target.hosst") && error.contains("line 2"),
        "{error}"
    );
}

#[test]
fn a_wrong_key_or_value_of_a_target_is_named_with_its_place_in_the_file() {
    let target = "[[targets]]\nname = \"erp\"\nurl = \"mysql://u@h/d\"\ntenants = [\"demo\"]\n";
    for (line, key) in [
        ("polcy_file = \"policy.toml\"", "targets.0.polcy_file"),
        ("pool_size = \"ten\"", "targets.0.pool_size"),
    ] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, format!("{target}{line}\n").as_bytes()).unwrap();
        let error = Loader::new("tools")
            .file(Some(file.path()))
            .replaced(&REPLACED)
            .environment(Vec::<(String, String)>::new())
            .load_noting(&Config::default())
            .unwrap_err()
            .to_string();
        let path = file.path().to_string_lossy();
        assert!(
            error.contains(key) && error.contains(&*path) && error.contains("line 5"),
            "{error}"
        );
    }
}

#[test]
fn sources_have_names_of_their_own() {
    let source = SourceConfig {
        tenant_field: Some("tenant".to_owned()),
        indices: vec![search_sources::IndexConfig {
            name: "ports".to_owned(),
            ..search_sources::IndexConfig::default()
        }],
        ..SourceConfig::new("shipping", contracts::tools::search::SourceKind::Postgresql)
    };
    let mut config = Config {
        sources: vec![source.clone()],
        ..Config::default()
    };
    assert!(config.validate_sources().is_ok());
    config.sources.push(source);
    let invalid = config.validate_sources().unwrap_err().to_string();
    assert!(invalid.starts_with("sources.1.name"), "{invalid}");
    config.sources[1].name = "Shipping".to_owned();
    assert!(config.validate_sources().is_err());
    config.meanings.floor = 0.9;
    assert!(config.meanings.validate().is_err());
}

#[test]
fn values_that_can_not_work_are_refused_with_their_name() {
    let error = load(&[("HELIOGRAPH_TOOLS__SOLAR__RATE_PER_KWH", "-1")]).unwrap_err();
    assert!(error.to_string().contains("solar.rate_per_kwh"), "{error}");
    assert!(load(&[("HELIOGRAPH_TOOLS__SOLAR__CURVE_POINTS", "0")]).is_err());
    assert!(load(&[("HELIOGRAPH_TOOLS__SOLAR__TARIFF", "1")]).is_err());
}
