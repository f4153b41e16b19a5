//! `[runs]`: runs, each the answer to one message.

use std::collections::BTreeMap;
use std::time::Duration;

use contracts::threads::Dialect;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// A lease is renewed this often within its length: two renewals may fail before it is lost.
const RENEWALS_PER_LEASE: u32 = 3;

/// `[runs]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunsConfig {
    /// Runs at once; more are answered 503.
    pub max_concurrent: usize,
    /// Runs of one person at once, waiting ones included; 0 for any number. More are answered 429.
    pub max_per_person: u32,
    /// Runs of all persons of a tenant at once; 0 for any number.
    pub max_per_tenant: u32,
    /// Time that a run may take until its first words, and between its words.
    pub timeout_ms: u64,
    /// Maximum number of events of a run.
    pub max_events: usize,
    /// Interval of comments on a quiet stream, so that nothing between this service and the client
    /// takes it for dead.
    pub keep_alive_ms: u64,
    /// New events of a run are stored this often, together.
    pub store_events_every_ms: u64,
    /// Time that a process that gives no sign of life keeps its runs; then another takes them over.
    pub lease_ms: u64,
    /// Interval between looks for runs that were left behind.
    pub recovery_interval_ms: u64,
    /// Number of times that a run is begun before it is given up.
    pub max_attempts: u32,
    /// Time that the events of a run that is over are kept for clients that come back.
    pub keep_events_hours: u32,
    /// The assistants of new threads whose requests name none, by dialect.
    pub default_assistants: DefaultAssistants,
}

/// `[runs.default_assistants]`: the assistant by the dialect of the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DefaultAssistants(BTreeMap<Dialect, String>);

impl DefaultAssistants {
    /// The assistant that answers in every dialect that has none of its own.
    const OTHERWISE: &str = "site";

    /// The default assistant of a dialect.
    pub fn of(&self, dialect: Dialect) -> &str {
        self.0.get(&dialect).map_or(Self::OTHERWISE, String::as_str)
    }

    /// The same assistant for every dialect.
    pub fn all(assistant: &str) -> Self {
        let of = |dialect| (dialect, assistant.to_owned());
        Self(Dialect::ALL.map(of).into())
    }

    /// Sets the one for a dialect.
    pub fn set(&mut self, dialect: Dialect, assistant: &str) {
        self.0.insert(dialect, assistant.to_owned());
    }
}

impl Default for DefaultAssistants {
    fn default() -> Self {
        let mut defaults = Self::all(Self::OTHERWISE);
        defaults.set(Dialect::AgentEvents, "data");
        defaults.set(Dialect::NamedEvents, "advisor");
        defaults
    }
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

    /// `store_events_every_ms`.
    pub fn store_events_every(&self) -> Duration {
        Duration::from_millis(self.store_events_every_ms)
    }

    /// `lease_ms`.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }

    /// Interval between renewals of leases.
    pub fn renew_every(&self) -> Duration {
        self.lease() / RENEWALS_PER_LEASE
    }

    /// `recovery_interval_ms`.
    pub fn recovery_interval(&self) -> Duration {
        Duration::from_millis(self.recovery_interval_ms)
    }
}

impl Default for RunsConfig {
    fn default() -> Self {
        Self {
            max_concurrent: 1_024,
            max_per_person: 0,
            max_per_tenant: 0,
            timeout_ms: 120_000,
            max_events: 50_000,
            keep_alive_ms: 15_000,
            store_events_every_ms: 50,
            lease_ms: 15_000,
            recovery_interval_ms: 5_000,
            max_attempts: 3,
            keep_events_hours: 24,
            default_assistants: DefaultAssistants::default(),
        }
    }
}

impl Validate for RunsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("max_concurrent", self.max_concurrent as u64)?;
        positive("timeout_ms", self.timeout_ms)?;
        positive("max_events", self.max_events as u64)?;
        positive("keep_alive_ms", self.keep_alive_ms)?;
        positive("store_events_every_ms", self.store_events_every_ms)?;
        positive("recovery_interval_ms", self.recovery_interval_ms)?;
        positive("max_attempts", self.max_attempts.into())?;
        positive("keep_events_hours", self.keep_events_hours.into())?;
        if self.lease_ms < 300 {
            return Err(Invalid::new("lease_ms", "must be at least 300"));
        }
        Ok(())
    }
}
