//! Time limits, retries and other limits, the same for all providers.

use std::time::Duration;

use configuration::{Invalid, Validate, positive};
use serde::{Deserialize, Serialize};

/// `[llm.timeouts]`. The HTTP client also limits connecting, to five seconds.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeoutsConfig {
    /// From the start of an answer to its first word, over all attempts, fallbacks and questions to
    /// models. Then rules answer.
    pub first_word_ms: u64,
    /// From sending the request to the first token. Models that reason first are slow.
    pub first_token_ms: u64,
    /// Between two messages of a stream.
    pub idle_ms: u64,
    /// For the whole answer.
    pub answer_ms: u64,
}

impl TimeoutsConfig {
    /// `first_word_ms`.
    pub fn first_word(&self) -> Duration {
        Duration::from_millis(self.first_word_ms)
    }

    /// `first_token_ms`.
    pub fn first_token(&self) -> Duration {
        Duration::from_millis(self.first_token_ms)
    }

    /// `idle_ms`.
    pub fn idle(&self) -> Duration {
        Duration::from_millis(self.idle_ms)
    }

    /// `answer_ms`.
    pub fn answer(&self) -> Duration {
        Duration::from_millis(self.answer_ms)
    }
}

impl Default for TimeoutsConfig {
    fn default() -> Self {
        Self {
            // The rules have two more seconds for theirs.
            first_word_ms: 6_000,
            first_token_ms: 30_000,
            idle_ms: 20_000,
            answer_ms: 3_600_000,
        }
    }
}

impl Validate for TimeoutsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("first_word_ms", self.first_word_ms)?;
        positive("first_token_ms", self.first_token_ms)?;
        positive("idle_ms", self.idle_ms)?;
        positive("answer_ms", self.answer_ms)
    }
}

/// `[llm.retries]`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetriesConfig {
    /// The number of attempts in all; 1 means no retry.
    pub attempts: u32,
    /// The longest first pause; it doubles with each attempt. The actual pause is a random part of
    /// it.
    pub base_delay_ms: u64,
    /// The longest pause.
    pub max_delay_ms: u64,
    /// The longest pause that a provider may request (`Retry-After`). A call with a longer one
    /// fails.
    pub max_retry_after_ms: u64,
}

impl Default for RetriesConfig {
    fn default() -> Self {
        Self {
            attempts: 3,
            base_delay_ms: 500,
            max_delay_ms: 8_000,
            max_retry_after_ms: 10_000,
        }
    }
}

impl Validate for RetriesConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("attempts", self.attempts.into())?;
        if self.max_delay_ms < self.base_delay_ms {
            return Err(Invalid::new(
                "max_delay_ms",
                "must not be less than base_delay_ms",
            ));
        }
        Ok(())
    }
}

/// `[llm.limits]`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsConfig {
    /// Maximum number of simultaneous calls to one provider.
    pub max_in_flight: usize,
    /// The longest time that a call waits for its turn.
    pub queue_ms: u64,
    /// The longest answer in bytes, as sent by the provider.
    pub max_answer_bytes: usize,
    /// Maximum number of tool calls in an answer.
    pub max_calls: usize,
    /// The longest arguments of a tool call in bytes.
    pub max_arguments_bytes: usize,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            max_in_flight: 256,
            queue_ms: 5_000,
            max_answer_bytes: 4 * 1024 * 1024,
            max_calls: 64,
            max_arguments_bytes: 256 * 1024,
        }
    }
}

impl Validate for LimitsConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("max_in_flight", self.max_in_flight as u64)?;
        positive("max_answer_bytes", self.max_answer_bytes as u64)?;
        positive("max_calls", self.max_calls as u64)?;
        positive("max_arguments_bytes", self.max_arguments_bytes as u64)
    }
}

/// `[llm.circuit]`.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CircuitConfig {
    /// The number of consecutive failures that open the circuit.
    pub failures: u32,
    /// The time until one call probes the model.
    pub cool_down_ms: u64,
}

impl Default for CircuitConfig {
    fn default() -> Self {
        Self {
            failures: 5,
            cool_down_ms: 30_000,
        }
    }
}

impl Validate for CircuitConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("failures", self.failures.into())?;
        positive("cool_down_ms", self.cool_down_ms)
    }
}

/// `[llm.telemetry]`.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTelemetryConfig {
    /// Whether traces contain prompts and answers. Off by default because they contain personal
    /// data.
    pub record_content: bool,
}
