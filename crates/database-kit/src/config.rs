//! `[database]`.

use std::path::PathBuf;
use std::time::Duration;

use configuration::{Invalid, Validate, positive, read_secret_file};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

/// `[database]`: the PostgreSQL server of a service.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DatabaseConfig {
    /// `postgres://user:password@host/database`. Also `DATABASE_URL`.
    #[serde(default, skip_serializing)]
    pub url: Option<SecretString>,
    /// A file that holds the URL.
    pub url_file: Option<PathBuf>,
    /// Maximum number of connections that the pool opens.
    pub max_connections: u32,
    /// Time that a request waits for a free connection.
    pub acquire_timeout_ms: u64,
    /// Time that the server works on one statement.
    pub statement_timeout_ms: u64,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self {
            url: None,
            url_file: None,
            max_connections: 10,
            acquire_timeout_ms: 3_000,
            statement_timeout_ms: 15_000,
        }
    }
}

impl DatabaseConfig {
    /// `acquire_timeout_ms`.
    pub fn acquire_timeout(&self) -> Duration {
        Duration::from_millis(self.acquire_timeout_ms)
    }

    /// `statement_timeout_ms`.
    pub fn statement_timeout(&self) -> Duration {
        Duration::from_millis(self.statement_timeout_ms)
    }
}

impl Validate for DatabaseConfig {
    fn read_secrets(&mut self) -> Result<(), Invalid> {
        read_secret_file("url", &mut self.url, self.url_file.as_deref())
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("max_connections", u64::from(self.max_connections))?;
        positive("acquire_timeout_ms", self.acquire_timeout_ms)?;
        positive("statement_timeout_ms", self.statement_timeout_ms)
    }
}
