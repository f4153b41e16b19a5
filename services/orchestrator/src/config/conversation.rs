//! `[conversation]`: what is kept of conversations, and what a model sees of them.

use std::collections::BTreeMap;
use std::time::Duration;

use conversations::window::Settings;
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate};

/// Maximum number of messages that a turn loads.
const MOST_LOADED: u32 = 100;

/// A hundred years: beyond it a number of hours is a mistake.
const MOST_HOURS: u32 = 876_600;

/// The same in days, which is less by the leap days.
const MOST_DAYS: u32 = 36_500;

/// `[conversation]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConversationConfig {
    /// Whether a model sees earlier messages of the thread at all.
    pub include_history: bool,
    /// The climate advisor's key. As there, nothing reads it: `retention.max_loaded_messages` is
    /// what counts.
    pub history_limit: u32,
    /// The SQL agent's key: `simple`; `tiered` is another word for it, as there. Also
    /// `CONVERSATION_MEMORY_STRATEGY`.
    pub memory_strategy: MemoryStrategy,
    /// Threads that nothing has happened to for so long are deleted; 0 keeps them forever. Also
    /// `CONVERSATION_MAX_AGE_HOURS`.
    pub max_age_hours: u32,
    /// The same for single tenants.
    #[serde(default)]
    pub max_age_hours_of: BTreeMap<String, u32>,
    /// The days that administrators of tenants may set for themselves.
    pub tenant_days: TenantDaysConfig,
    /// Interval between looks for old threads. Also `CONVERSATION_CLEANUP_INTERVAL_HOURS`.
    pub cleanup_interval_hours: f64,
    /// The window of history.
    pub retention: RetentionConfig,
}

/// `[conversation.tenant_days]`: the bounds of what administrators of tenants set.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TenantDaysConfig {
    /// Minimum number of days for threads.
    pub threads_least: u32,
    /// Maximum number of days for threads.
    pub threads_most: u32,
    /// Minimum number of days for the events of runs.
    pub runs_least: u32,
    /// Maximum number of days for the events of runs.
    pub runs_most: u32,
}

/// The SQL agent's memory strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryStrategy {
    /// The newest messages.
    Simple,
    /// The same.
    Tiered,
}

/// `[conversation.retention]`: the window of history that a model sees. What is stored is never
/// pruned.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetentionConfig {
    /// Finished turns whose tool results go along.
    pub preserve_turns: u32,
    /// Messages looked at. Also `MAX_CONVERSATION_MESSAGES`.
    pub max_loaded_messages: u32,
    /// Whether older turns lose their tool results.
    pub prune_tools_for_llm: bool,
    /// Maximum number of tokens of history, whatever the other keys say: the oldest turns go first.
    pub max_tokens: u32,
    /// Maximum number of tokens in one tool result; longer ones are cut.
    pub max_result_tokens: u32,
    /// Maximum number of tokens in the summary of what is older than the loaded messages, or
    /// dropped for `max_tokens`; 0 for none.
    pub summary_tokens: u32,
}

impl ConversationConfig {
    /// The window of history that a model sees.
    pub fn window(&self) -> Settings {
        Settings {
            include_history: self.include_history,
            max_loaded_messages: self.retention.max_loaded_messages,
            preserve_turns: self.retention.preserve_turns as usize,
            prune_tools_for_llm: self.retention.prune_tools_for_llm,
            max_tokens: self.retention.max_tokens as usize,
            max_result_tokens: self.retention.max_result_tokens as usize,
            summary_tokens: self.retention.summary_tokens as usize,
        }
    }

    /// `cleanup_interval_hours`.
    pub fn cleanup_interval(&self) -> Duration {
        Duration::try_from_secs_f64(self.cleanup_interval_hours * 3_600.0).unwrap_or(Duration::MAX)
    }
}

impl Default for ConversationConfig {
    fn default() -> Self {
        Self {
            include_history: true,
            history_limit: 5,
            memory_strategy: MemoryStrategy::Simple,
            // The SQL agent has 24. Conversations are people's data, and an update is not expected
            // to delete them.
            max_age_hours: 0,
            max_age_hours_of: BTreeMap::new(),
            tenant_days: TenantDaysConfig {
                threads_least: 1,
                threads_most: MOST_DAYS,
                runs_least: 1,
                runs_most: 400,
            },
            cleanup_interval_hours: 1.0,
            retention: RetentionConfig {
                preserve_turns: 4,
                max_loaded_messages: 20,
                prune_tools_for_llm: true,
                max_tokens: 24_000,
                max_result_tokens: 2_000,
                summary_tokens: 1_000,
            },
        }
    }
}

impl Validate for ConversationConfig {
    fn validate(&self) -> Result<(), Invalid> {
        let mut own = self.max_age_hours_of.values();
        if own.any(|hours| *hours > MOST_HOURS) {
            return Err(Invalid::new("max_age_hours_of", "must be at most 876600"));
        }
        if self.max_age_hours > MOST_HOURS {
            return Err(Invalid::new("max_age_hours", "must be at most 876600"));
        }
        let days = &self.tenant_days;
        for (key, least, most) in [
            (
                "tenant_days.threads_most",
                days.threads_least,
                days.threads_most,
            ),
            ("tenant_days.runs_most", days.runs_least, days.runs_most),
        ] {
            if least == 0 || least > most || most > MOST_DAYS {
                let reason =
                    format!("must be at most {MOST_DAYS} and not below the least, 1 or more");
                return Err(Invalid::new(key, reason));
            }
        }
        if !(0.01..=f64::from(MOST_HOURS)).contains(&self.cleanup_interval_hours) {
            let reason = "must be 0.01 to 876600";
            return Err(Invalid::new("cleanup_interval_hours", reason));
        }
        if !(1..=MOST_LOADED).contains(&self.retention.max_loaded_messages) {
            let reason = format!("must be 1 to {MOST_LOADED}");
            return Err(Invalid::new("retention.max_loaded_messages", reason));
        }
        Ok(())
    }
}
