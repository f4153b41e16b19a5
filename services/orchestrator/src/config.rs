//! The orchestrator's configuration; `deploy/config/orchestrator.toml` explains each key.

mod analyst;
mod assistants;
mod budgets;
mod conversation;
mod data;
mod delegation;
mod renewal;
mod runs;
mod schedules;

use std::path::{Path, PathBuf};
use std::time::Duration;

use agent_advisor::AdvisorSettings;
use agent_analyst::AnalystSettings;
use agent_data::DataSettings;
use agent_site::SiteSettings;
use serde::{Deserialize, Serialize};
use service_kit::config::{
    DatabaseConfig, HttpConfig, IdentityConfig, Invalid, TelemetryConfig, Validate, http_url,
    positive, read_section_secrets, section_variables, validate_sections,
};

use assistants::Checked;

pub use budgets::{BudgetsConfig, WhenSpent};
pub use conversation::{ConversationConfig, MemoryStrategy, RetentionConfig, TenantDaysConfig};
pub use delegation::DelegationConfig;
pub use delivery::DeliveryConfig;
pub use delivery::config::Tls as MailTls;
pub use renewal::RenewalConfig;
pub use runs::{DefaultAssistants, RunsConfig};
pub use schedules::SchedulesConfig;

/// Number of environment variables with names from outside.
const ALIAS_COUNT: usize = OWN_ALIASES.len() + data::ALIASES.len() + analyst::ALIASES.len();

/// Environment variables with names from outside (see docs/compatibility.md) that set a key, those
/// of assistants among them. Those of models follow from what is configured
/// ([`Validate::variables`]).
pub const ALIASES: [(&str, &str); ALIAS_COUNT] = {
    let mut all = [("", ""); ALIAS_COUNT];
    let (own, others) = all.split_at_mut(OWN_ALIASES.len());
    let (data, analyst) = others.split_at_mut(data::ALIASES.len());
    own.copy_from_slice(&OWN_ALIASES);
    data.copy_from_slice(&data::ALIASES);
    analyst.copy_from_slice(&analyst::ALIASES);
    all
};

const OWN_ALIASES: [(&str, &str); 8] = [
    ("MCP_SERVER_URL", "tools.base_url"),
    ("CONVERSATION_DB_PATH", "checkpoints.path"),
    (
        "CONVERSATION_DB_RETRY_ATTEMPTS",
        "checkpoints.retry_attempts",
    ),
    (
        "CONVERSATION_DB_RETRY_DELAY",
        "checkpoints.retry_delay_seconds",
    ),
    ("CONVERSATION_MAX_AGE_HOURS", "conversation.max_age_hours"),
    (
        "CONVERSATION_CLEANUP_INTERVAL_HOURS",
        "conversation.cleanup_interval_hours",
    ),
    (
        "MAX_CONVERSATION_MESSAGES",
        "conversation.retention.max_loaded_messages",
    ),
    (
        "CONVERSATION_MEMORY_STRATEGY",
        "conversation.memory_strategy",
    ),
];

/// AI SDK clients post the whole conversation, cards and charts included, with each message; a long
/// one takes megabytes.
const CHAT_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// Everything that can be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The address and limits of the HTTP server.
    pub http: HttpConfig,
    /// The database of threads, messages and runs.
    pub database: DatabaseConfig,
    /// Logs and traces.
    pub telemetry: TelemetryConfig,
    /// The issuer and keys of accepted identity tokens.
    pub identity: IdentityConfig,
    /// The tools service.
    pub tools: ToolsConfig,
    /// The store of assistants' memory of a thread.
    pub checkpoints: CheckpointsConfig,
    /// The history that is kept, and the part of it that a model sees.
    pub conversation: ConversationConfig,
    /// Runs.
    pub runs: RunsConfig,
    /// What models may cost in a day.
    pub budgets: BudgetsConfig,
    /// Who issues identity tokens for runs that outlive theirs.
    pub identity_renewal: RenewalConfig,
    /// Questions at set times, and alerts.
    pub schedules: SchedulesConfig,
    /// The ways out for their results.
    pub delivery: DeliveryConfig,
    /// For which upstream tokens in requests are.
    pub delegation: DelegationConfig,
    /// The site assistant's use of a model.
    pub site: SiteSettings,
    /// The permissions and limits of the data assistant.
    pub data: DataSettings,
    /// The permissions and limits of the analyst.
    pub analyst: AnalystSettings,
    /// The limits of one turn of the advisor.
    pub advisor: AdvisorSettings,
    /// Which models answer.
    pub llm: Box<llm::LlmConfig>,
}

/// `[tools]`: the tools service.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolsConfig {
    /// Its address. Also `MCP_SERVER_URL`, the original name for it.
    pub base_url: String,
    /// Time that a call may take.
    pub timeout_ms: u64,
}

impl ToolsConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// `[checkpoints]`: where assistants keep what they remember of a thread between turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// Which store.
    pub store: CheckpointStore,
    /// The file of the store `sqlite`. Its folder is made when it is missing. Also
    /// `CONVERSATION_DB_PATH`.
    pub path: Option<PathBuf>,
    /// Number of times that a busy SQLite file is asked again. Also
    /// `CONVERSATION_DB_RETRY_ATTEMPTS`.
    pub retry_attempts: u32,
    /// The first pause between two such tries; each further one is twice as long. Also
    /// `CONVERSATION_DB_RETRY_DELAY`.
    pub retry_delay_seconds: f64,
    /// Checkpoints kept per thread.
    pub kept_per_thread: u32,
}

impl CheckpointsConfig {
    /// `path`, or where the file is by default.
    pub fn path(&self) -> &Path {
        self.path
            .as_deref()
            .unwrap_or(Path::new(".heliograph/checkpoints.sqlite"))
    }

    /// `retry_delay_seconds`.
    pub fn retry_delay(&self) -> Duration {
        Duration::try_from_secs_f64(self.retry_delay_seconds).unwrap_or_default()
    }
}

/// The stores of checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointStore {
    /// A file of this machine: for one process.
    Sqlite,
    /// The database of `[database]`: for any number of processes.
    Postgres,
    /// The process's memory: for trying things out.
    Memory,
}

impl Default for Config {
    fn default() -> Self {
        let mut identity = IdentityConfig::for_audience("orchestrator");
        identity.key_set_url = Some("http://127.0.0.1:8080/.well-known/jwks.json".to_owned());
        Self {
            http: HttpConfig {
                body_limit_bytes: CHAT_LIMIT_BYTES,
                ..HttpConfig::on_port(3000)
            },
            database: DatabaseConfig::default(),
            telemetry: TelemetryConfig::named("orchestrator"),
            identity,
            tools: ToolsConfig {
                base_url: "http://127.0.0.1:4000".to_owned(),
                timeout_ms: 45_000,
            },
            checkpoints: CheckpointsConfig {
                store: CheckpointStore::Sqlite,
                path: None,
                retry_attempts: 3,
                retry_delay_seconds: 0.1,
                kept_per_thread: 20,
            },
            conversation: ConversationConfig::default(),
            runs: RunsConfig::default(),
            budgets: BudgetsConfig::default(),
            identity_renewal: RenewalConfig::default(),
            schedules: SchedulesConfig::default(),
            delivery: DeliveryConfig::default(),
            delegation: DelegationConfig::default(),
            site: SiteSettings::default(),
            data: DataSettings::default(),
            analyst: AnalystSettings::default(),
            advisor: AdvisorSettings::default(),
            llm: Box::default(),
        }
    }
}

impl Validate for Config {
    fn variables(&self) -> Vec<(String, String)> {
        section_variables("llm", &*self.llm)
    }

    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_section_secrets(&mut [
            ("database", &mut self.database),
            ("identity_renewal", &mut self.identity_renewal),
            ("delivery", &mut self.delivery),
            ("llm", &mut *self.llm),
        ])
    }

    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[
            ("http", &self.http),
            ("database", &self.database),
            ("telemetry", &self.telemetry),
            ("identity", &self.identity),
            ("tools", &self.tools),
            ("checkpoints", &self.checkpoints),
            ("conversation", &self.conversation),
            ("runs", &self.runs),
            ("budgets", &self.budgets),
            ("identity_renewal", &self.identity_renewal),
            ("schedules", &self.schedules),
            ("delivery", &self.delivery),
            ("delegation", &self.delegation),
            ("site", &Checked(&self.site)),
            ("data", &Checked(&self.data)),
            ("analyst", &Checked(&self.analyst)),
            ("advisor", &Checked(&self.advisor)),
            ("llm", &*self.llm),
        ])
    }
}

impl Validate for ToolsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        http_url("base_url", &self.base_url)?;
        positive("timeout_ms", self.timeout_ms)
    }
}

impl Validate for CheckpointsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        if !(0.0..=60.0).contains(&self.retry_delay_seconds) {
            return Err(Invalid::new("retry_delay_seconds", "must be 0 to 60"));
        }
        if self.retry_attempts > 100 {
            return Err(Invalid::new("retry_attempts", "must be at most 100"));
        }
        // A turn that a crash cut off begins again from the checkpoint before its own.
        if self.kept_per_thread < 2 {
            return Err(Invalid::new("kept_per_thread", "must be at least 2"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
