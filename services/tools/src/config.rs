//! The tools service's configuration; `deploy/config/tools.toml` explains each key.

use std::collections::HashSet;

use search_sources::{DocumentSources, SourceConfig};
use serde::{Deserialize, Serialize};
use service_kit::config::{
    DatabaseConfig, HttpConfig, IdentityConfig, Invalid, Replaced, TelemetryConfig, Validate,
    read_section_secrets, section_variables, validate_sections,
};
use targets::{DocumentTarget, TargetConfig};

use crate::added_targets::config::AddedTargetsConfig;
use crate::credentials::config::CredentialsConfig;
use crate::ingest::config::IngestConfig;
use crate::knowledge_tools::config::{EmbeddingConfig, KnowledgeConfig};
use crate::search_tools::config::MeaningsConfig;
use crate::solar_tools::config::SolarConfig;
use crate::sql_tools::config::SqlConfig;
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

#[cfg(test)]
mod tests;
