//! The orchestrator's configuration; `deploy/config/orchestrator.toml` explains each key.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use service_kit::config::{
    HttpConfig, IdentityConfig, Invalid, TelemetryConfig, Validate, http_url, positive,
    validate_sections,
};

/// Variables of the documents that stand for a key.
pub const ALIASES: [(&str, &str); 1] = [("MCP_SERVER_URL", "tools.base_url")];

/// AI SDK clients post the whole conversation, cards and charts included, with each message; a long one takes megabytes.
const CHAT_LIMIT_BYTES: usize = 8 * 1024 * 1024;

/// Everything that can be set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Where to listen.
    pub http: HttpConfig,
    /// Logs and traces.
    pub telemetry: TelemetryConfig,
    /// Whose identity tokens are taken.
    pub identity: IdentityConfig,
    /// The tools service.
    pub tools: ToolsConfig,
    /// Where conversations are kept between turns.
    pub checkpoints: CheckpointsConfig,
    /// Runs.
    pub runs: RunsConfig,
}

/// `[tools]`: the tools service.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolsConfig {
    /// Its address. Also `MCP_SERVER_URL`, the documents' name for it.
    pub base_url: String,
    /// How long a call may take.
    pub timeout_ms: u64,
}

impl ToolsConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }
}

/// `[checkpoints]`: where conversations are kept between turns.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckpointsConfig {
    /// A SQLite file. Its folder is made when it is missing.
    pub path: PathBuf,
    /// Checkpoints kept per thread.
    pub kept_per_thread: u32,
}

/// `[runs]`: runs, each the answer to one message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsConfig {
    /// Runs at once; more are answered 503.
    pub max_concurrent: usize,
    /// How long a run may take.
    pub timeout_ms: u64,
    /// So often a comment is sent on a quiet stream, so that nothing between us and the client takes it for dead.
    pub keep_alive_ms: u64,
}

impl RunsConfig {
    /// `timeout_ms`.
    pub fn timeout(&self) -> Duration {
        Duration::from_millis(self.timeout_ms)
    }

    /// `keep_alive_ms`.
    pub fn keep_alive(&self) -> Duration {
        Duration::from_millis(self.keep_alive_ms)
    }
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
            telemetry: TelemetryConfig::named("orchestrator"),
            identity,
            tools: ToolsConfig {
                base_url: "http://127.0.0.1:4000".to_owned(),
                timeout_ms: 20_000,
            },
            checkpoints: CheckpointsConfig {
                path: PathBuf::from(".heliograph/checkpoints.sqlite"),
                kept_per_thread: 20,
            },
            runs: RunsConfig {
                max_concurrent: 1_024,
                timeout_ms: 120_000,
                keep_alive_ms: 15_000,
            },
        }
    }
}

impl Validate for Config {
    fn validate(&self) -> Result<(), Invalid> {
        validate_sections(&[
            ("http", &self.http),
            ("telemetry", &self.telemetry),
            ("identity", &self.identity),
            ("tools", &self.tools),
            ("checkpoints", &self.checkpoints),
            ("runs", &self.runs),
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
        positive("kept_per_thread", self.kept_per_thread.into())
    }
}

impl Validate for RunsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("max_concurrent", self.max_concurrent as u64)?;
        positive("timeout_ms", self.timeout_ms)?;
        positive("keep_alive_ms", self.keep_alive_ms)
    }
}
