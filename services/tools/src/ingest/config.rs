//! `[ingest]` of the configuration.

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

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

impl Validate for IngestConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("body_limit_bytes", self.body_limit_bytes)?;
        positive("file_memory_bytes", self.file_memory_bytes)?;
        positive("file_timeout_ms", self.file_timeout_ms)?;
        positive("timeout_ms", self.timeout_ms)
    }
}
