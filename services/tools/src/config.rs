//! The tools service's configuration; `deploy/config/tools.toml` explains each key.

use std::collections::HashSet;

use entities::Thresholds;
use entities::fields::FieldThresholds;
use search_sources::{DocumentSources, SourceConfig};
use serde::{Deserialize, Serialize};
use service_kit::config::{
    DatabaseConfig, HttpConfig, IdentityConfig, Invalid, Replaced, TelemetryConfig, Validate,
    positive, read_section_secrets, section_variables, validate_sections,
};
use targets::{DocumentTarget, TargetConfig};

use crate::added_targets::config::AddedTargetsConfig;
use crate::credentials::config::CredentialsConfig;
use crate::knowledge_tools::config::{EmbeddingConfig, KnowledgeConfig};
use crate::upstreams::config::{self as upstreams, UpstreamConfig};

/// Variables of the documents that represent a key. Those of providers of embeddings follow from
/// what is configured ([`Validate::variables`]).
pub const ALIASES: [(&str, &str); 23] = [
    ("SOLAR_DATABASE_URL", "database.url"),
    ("SOLAR_POOL_SIZE", "database.max_connections"),
    ("SOLAR_HOST", "http.address"),
    ("SOLAR_PORT", "http.port"),
    ("SOLAR_CO2_KG_PER_KWH", "solar.co2_kg_per_kwh"),
    ("SOLAR_CO2_FACTOR", "solar.co2_kg_per_kwh"),
    ("SOLAR_DEFAULT_ELECTRICITY_RATE", "solar.rate_per_kwh"),
    ("SOLAR_MAX_POINTS", "solar.curve_points"),
    ("SOLAR_COMPARISON_MAX_POINTS", "solar.comparison_points"),
    ("SOLAR_ANOMALY_LIMIT", "solar.anomaly_limit"),
    ("SOLAR_ISSUE_LIMIT", "solar.issue_limit"),
    ("DB_HOST", "target.host"),
    ("DB_PORT", "target.port"),
    ("DB_USER", "target.user"),
    ("DB_PWD", "target.password"),
    ("DB_NAME", "target.database"),
    ("DB_ENCRYPT_KEY", "target.encryption_key"),
    ("ES_URL", "search.es_url"),
    ("ES_INDEX", "search.es_index"),
    ("GRAPHQL_ENDPOINT", "search.graphql_endpoint"),
    ("EMBEDDING_PROVIDER", "embedding.provider"),
    ("EMBEDDING_MODEL", "embedding.model"),
    ("EMBEDDING_MODEL_DIR", "embedding.model_dir"),
];

/// Sections of earlier versions, which say with fewer words what an entry of a list says.
pub const REPLACED: [Replaced; 2] = [
    Replaced {
        section: "target",
        by: "an entry [[targets]] with name and url (mysql://user:password@host:port/database)",
    },
    Replaced {
        section: "search",
        by: "an entry [[sources]] with name, kind and url for each address",
    },
];

/// Everything that can be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The address and limits of the HTTP server.
    pub http: HttpConfig,
    /// The database of the readings.
    pub database: DatabaseConfig,
    /// Logs and traces.
    pub telemetry: TelemetryConfig,
    /// The issuer and keys of accepted identity tokens.
    pub identity: IdentityConfig,
    /// The assumptions of the analytics, and limits on their results.
    pub solar: SolarConfig,
    /// Ingestion.
    pub ingest: IngestConfig,
    /// The keys that users' tokens for upstreams are encrypted with.
    pub credentials: CredentialsConfig,
    /// APIs of others that are read with the user's own rights.
    pub upstreams: Vec<UpstreamConfig>,
    /// A section of earlier versions.
    #[serde(default, skip_serializing)]
    pub demo_upstream: FormerDemoUpstream,
    /// Databases that questions are put to.
    pub targets: Vec<TargetConfig>,
    /// One more of them: the variables `DB_HOST`, … and the section `[target]` of earlier versions.
    #[serde(default, skip_serializing)]
    pub target: DocumentTarget,
    /// Targets that tenants add while the service runs.
    pub added_targets: AddedTargetsConfig,
    /// The tools over them.
    pub sql: SqlConfig,
    /// Search sources.
    pub sources: Vec<SourceConfig>,
    /// Two more of them: the variables `ES_URL`, … and the section `[search]` of earlier versions.
    #[serde(default, skip_serializing)]
    pub search: DocumentSources,
    /// What words mean in them.
    pub meanings: MeaningsConfig,
    /// Documents.
    pub knowledge: KnowledgeConfig,
    /// The model that makes vectors.
    pub embedding: EmbeddingConfig,
    /// The origin of the database, for the readiness answer, set by the program that starts the
    /// service; not a setting.
    #[serde(skip)]
    pub database_origin: Option<String>,
}

/// `[demo_upstream]` of earlier versions. Files that disable the demonstration are accepted.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct FormerDemoUpstream {
    #[serde(default)]
    enabled: bool,
}

/// `[solar]`: what the analytics assume where a site says nothing, and how much they show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolarConfig {
    /// Money per kWh of sites without a tariff.
    pub rate_per_kwh: f64,
    /// kg CO2 per kWh of sites without a factor of their own.
    pub co2_kg_per_kwh: f64,
    /// What that factor represents.
    pub co2_factor_name: String,
    /// Of which year it is.
    pub co2_factor_year: i32,
    /// Maximum number of points in a power curve.
    pub curve_points: usize,
    /// Maximum number of points in a comparison.
    pub comparison_points: usize,
    /// Maximum number of anomalies, and of readings in outages, that a health check lists.
    pub anomaly_limit: usize,
    /// Maximum number of error codes that a diagnosis lists.
    pub issue_limit: usize,
}

/// `[sql]`: the tools over target databases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlConfig {
    /// A confirmed question that is less like the one asked is not shown, 0 to 1.
    pub past_questions_min_score: f64,
    /// Maximum number of a tenant's confirmed questions that are compared, the newest ones.
    pub past_questions_compared: u32,
}

/// `[meanings]`: which things and fields of search sources words mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeaningsConfig {
    /// Minimum score of a thing that is accepted without a question, 0 to 1.
    pub accept: f64,
    /// Minimum distance of its score from the next thing's.
    pub margin: f64,
    /// Things below are not offered as what is intended.
    pub floor: f64,
    /// Minimum score of a field that is accepted without a question, 0 to 1.
    pub field_accept: f64,
    /// Minimum distance of its score from the next field's.
    pub field_margin: f64,
    /// Lifetime of names of things that were read from a source.
    pub names_seconds: u32,
    /// Things of an index that has more are found by their exact id or name alone.
    pub most_names: u32,
}

/// `[ingest]`: ingestion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IngestConfig {
    /// The largest upload, after decompression.
    pub body_limit_bytes: u64,
    /// Time that an upload may take.
    pub timeout_ms: u64,
    /// Maximum size of the documents and waiting imports of a tenant; 0 for any size.
    pub tenant_storage_bytes: u64,
    /// Maximum memory for reading a file of an import.
    pub file_memory_bytes: u64,
    /// Maximum processor time for reading a file of an import, and a second more per MiB.
    pub file_timeout_ms: u64,
}

impl Default for Config {
    fn default() -> Self {
        let mut identity = IdentityConfig::for_audience("tools");
        identity.key_set_url = Some("http://127.0.0.1:8080/.well-known/jwks.json".to_owned());
        Self {
            http: HttpConfig::on_port(4000),
            database: DatabaseConfig::default(),
            telemetry: TelemetryConfig::named("tools"),
            identity,
            solar: SolarConfig::default(),
            ingest: IngestConfig::default(),
            credentials: CredentialsConfig::default(),
            upstreams: Vec::new(),
            demo_upstream: FormerDemoUpstream::default(),
            targets: Vec::new(),
            target: DocumentTarget::default(),
            added_targets: AddedTargetsConfig::default(),
            sql: SqlConfig::default(),
            sources: Vec::new(),
            search: DocumentSources::default(),
            meanings: MeaningsConfig::default(),
            knowledge: KnowledgeConfig::default(),
            embedding: EmbeddingConfig::default(),
            database_origin: None,
        }
    }
}

impl Default for IngestConfig {
    fn default() -> Self {
        Self {
            body_limit_bytes: 512 * 1024 * 1024,
            timeout_ms: 600_000,
            tenant_storage_bytes: 0,
            file_memory_bytes: 512 * 1024 * 1024,
            file_timeout_ms: 60_000,
        }
    }
}

impl Default for SolarConfig {
    fn default() -> Self {
        let factor = solar::money::DEFAULT_CO2_FACTOR;
        Self {
            rate_per_kwh: 0.20,
            co2_kg_per_kwh: factor.kg_per_kwh,
            co2_factor_name: factor.name.to_owned(),
            co2_factor_year: factor.year.into(),
            curve_points: 1000,
            comparison_points: 500,
            anomaly_limit: 100,
            issue_limit: 20,
        }
    }
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            past_questions_min_score: 0.35,
            past_questions_compared: 2_000,
        }
    }
}

impl Default for MeaningsConfig {
    fn default() -> Self {
        let things = Thresholds::default();
        let fields = FieldThresholds::default();
        Self {
            accept: things.accept,
            margin: things.margin,
            floor: things.floor,
            field_accept: fields.accept,
            field_margin: fields.margin,
            names_seconds: 60,
            most_names: 50_000,
        }
    }
}

impl MeaningsConfig {
    /// When it is certain which thing is intended.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds {
            accept: self.accept,
            margin: self.margin,
            floor: self.floor,
            ..Thresholds::default()
        }
    }

    /// When it is certain which field is intended.
    pub fn field_thresholds(&self) -> FieldThresholds {
        FieldThresholds {
            accept: self.field_accept,
            margin: self.field_margin,
            ..FieldThresholds::default()
        }
    }
}

impl Config {
    /// Every search source, those under the original names last.
    pub fn all_sources(&self) -> Vec<SourceConfig> {
        let documents = self.search.sources();
        self.sources.iter().cloned().chain(documents).collect()
    }

    fn validate_sources(&self) -> Result<(), Invalid> {
        let mut names = HashSet::new();
        for (place, source) in self.all_sources().iter().enumerate() {
            let section = if place < self.sources.len() {
                format!("sources.{place}")
            } else {
                "search".to_owned()
            };
            source
                .validate()
                .map_err(|invalid| invalid.within(&section))?;
            if !names.insert(source.name.clone()) {
                return Err(Invalid::new("name", "is another source's").within(&section));
            }
        }
        Ok(())
    }

    /// Every target, the one under the original names last.
    pub fn all_targets(&self) -> Vec<TargetConfig> {
        self.targets
            .iter()
            .cloned()
            .chain(self.target.target())
            .collect()
    }

    fn validate_targets(&self) -> Result<(), Invalid> {
        let mut names = HashSet::new();
        for (place, target) in self.all_targets().iter().enumerate() {
            let section = if place < self.targets.len() {
                format!("targets.{place}")
            } else {
                "target".to_owned()
            };
            target
                .validate()
                .map_err(|invalid| invalid.within(&section))?;
            if !names.insert(target.name.clone()) {
                return Err(Invalid::new("name", "is another target's").within(&section));
            }
        }
        Ok(())
    }
}

impl Validate for Config {
    fn variables(&self) -> Vec<(String, String)> {
        section_variables("embedding", &self.embedding)
    }

    fn read_secrets(&mut self) -> Result<(), Invalid> {
        for (place, target) in self.targets.iter_mut().enumerate() {
            target
                .read_secrets()
                .map_err(|invalid| invalid.within(&format!("targets.{place}")))?;
        }
        for (place, source) in self.sources.iter_mut().enumerate() {
            source
                .read_secrets()
                .map_err(|invalid| invalid.within(&format!("sources.{place}")))?;
        }
        upstreams::read_secrets(&mut self.upstreams)?;
        read_section_secrets(&mut [
            ("database", &mut self.database),
            ("credentials", &mut self.credentials),
            ("knowledge", &mut self.knowledge),
            ("embedding", &mut self.embedding),
        ])
    }

    fn validate(&self) -> Result<(), Invalid> {
        self.validate_targets()?;
        self.validate_sources()?;
        upstreams::validate(&self.upstreams)?;
        validate_sections(&[
            ("http", &self.http),
            ("database", &self.database),
            ("telemetry", &self.telemetry),
            ("identity", &self.identity),
            ("solar", &self.solar),
            ("ingest", &self.ingest),
            ("added_targets", &self.added_targets),
            ("sql", &self.sql),
            ("meanings", &self.meanings),
            ("credentials", &self.credentials),
            ("demo_upstream", &self.demo_upstream),
            ("knowledge", &self.knowledge),
            ("embedding", &self.embedding),
        ])
    }
}

impl Validate for FormerDemoUpstream {
    fn validate(&self) -> Result<(), Invalid> {
        if self.enabled {
            return Err(Invalid::new(
                "enabled",
                "must not be set: only `heliograph` has the demonstration; remove the section",
            ));
        }
        Ok(())
    }
}

impl Validate for SolarConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for (key, value) in [
            ("rate_per_kwh", self.rate_per_kwh),
            ("co2_kg_per_kwh", self.co2_kg_per_kwh),
        ] {
            if !(0.0..=10.0).contains(&value) {
                return Err(Invalid::new(key, "must be between 0 and 10"));
            }
        }
        for (key, value) in [
            ("curve_points", self.curve_points),
            ("comparison_points", self.comparison_points),
            ("anomaly_limit", self.anomaly_limit),
            ("issue_limit", self.issue_limit),
        ] {
            if !(1..=10_000).contains(&value) {
                return Err(Invalid::new(key, "must be between 1 and 10000"));
            }
        }
        Ok(())
    }
}

impl Validate for SqlConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if !(0.0..=1.0).contains(&self.past_questions_min_score) {
            return Err(Invalid::new(
                "past_questions_min_score",
                "must be between 0 and 1",
            ));
        }
        positive(
            "past_questions_compared",
            self.past_questions_compared.into(),
        )
    }
}

impl Validate for MeaningsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        for (key, value) in [
            ("accept", self.accept),
            ("margin", self.margin),
            ("floor", self.floor),
            ("field_accept", self.field_accept),
            ("field_margin", self.field_margin),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(Invalid::new(key, "must be between 0 and 1"));
            }
        }
        if self.floor > self.accept {
            return Err(Invalid::new("floor", "must not be above accept"));
        }
        positive("most_names", self.most_names.into())
    }
}

impl Validate for IngestConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("body_limit_bytes", self.body_limit_bytes)?;
        positive("file_memory_bytes", self.file_memory_bytes)?;
        positive("file_timeout_ms", self.file_timeout_ms)?;
        positive("timeout_ms", self.timeout_ms)
    }
}

#[cfg(test)]
mod tests {
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
}
