//! `[schedules]`: questions at set times, and alerts.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

/// `[schedules]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SchedulesConfig {
    /// Schedules that a person can have.
    pub most_per_person: u32,
    /// Interval between looks for what is due.
    pub look_every_ms: u64,
    /// Interval between two checks of an alert.
    pub check_alerts_every_seconds: u32,
    /// Time that a process that gives no sign of life keeps what it works on.
    pub lease_ms: u64,
    /// Questions, checks and messages that are worked on at once, of each kind.
    pub at_once: usize,
    /// Attempts at a question whose run cannot begin before that is what is sent.
    pub max_attempts: u32,
    /// Days for which messages, and events that are over, are kept.
    pub keep_days: u32,
}

impl SchedulesConfig {
    /// `look_every_ms`.
    pub fn look_every(&self) -> Duration {
        Duration::from_millis(self.look_every_ms)
    }

    /// `lease_ms`.
    pub fn lease(&self) -> Duration {
        Duration::from_millis(self.lease_ms)
    }
}

impl Default for SchedulesConfig {
    fn default() -> Self {
        Self {
            most_per_person: 50,
            look_every_ms: 2_000,
            check_alerts_every_seconds: 60,
            lease_ms: 60_000,
            at_once: 16,
            max_attempts: 10,
            keep_days: 90,
        }
    }
}

impl Validate for SchedulesConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("look_every_ms", self.look_every_ms)?;
        positive(
            "check_alerts_every_seconds",
            self.check_alerts_every_seconds.into(),
        )?;
        positive("at_once", self.at_once as u64)?;
        positive("max_attempts", self.max_attempts.into())?;
        positive("keep_days", self.keep_days.into())?;
        if self.lease_ms < 300 {
            return Err(Invalid::new("lease_ms", "must be at least 300"));
        }
        Ok(())
    }
}
