//! `[analyst]`: what the analyst may do, and how much of it.

use std::time::Duration;

use agent_analyst::{AnalystOptions, ApprovePlans};
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

use super::bounds::within;

/// Document 004's variables, and the keys that they stand for.
pub(super) const ALIASES: [(&str, &str); 3] = [
    ("SHORT_TERM_MEMORY_TURNS", "analyst.short_term_memory_turns"),
    ("MAX_ITERATIONS", "analyst.max_iterations"),
    ("YOLO_MODE", "analyst.yolo_mode"),
];

/// `[analyst]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct AnalystConfig {
    /// User inputs that are remembered for what a message refers to.
    pub short_term_memory_turns: u32,
    /// The most attempts at tasks in one turn.
    pub max_iterations: u32,
    /// The most tasks of a plan.
    pub max_tasks: usize,
    /// Whether the best candidate is taken instead of asking.
    pub yolo_mode: bool,
    /// When a person is asked before a plan runs.
    pub approve_plans: ApprovePlans,
    /// Rows of a query that are kept.
    pub cache_rows: usize,
    /// How long kept rows stand for what the source would answer.
    pub cache_ttl_ms: u64,
    /// Answers to the same question that decide nothing, before it is given up.
    pub max_fruitless_answers: usize,
    /// Whether a model reads replies that no rule understands.
    pub model_routing: bool,
    /// Whether a model rewrites requests that the rules left something to do.
    pub model_rewriting: bool,
    /// Whether a model plans.
    pub model_planning: bool,
    /// Whether a model words the answers.
    pub model_wording: bool,
    /// How long reading a reply, rewriting and choosing may take, each.
    pub reading_timeout_ms: u64,
    /// How long planning may take.
    pub planning_timeout_ms: u64,
    /// How long an answer may take, to its last word.
    pub wording_timeout_ms: u64,
}

impl AnalystConfig {
    /// In the assistant's own terms.
    pub fn options(&self) -> AnalystOptions {
        AnalystOptions {
            short_term_memory_turns: self.short_term_memory_turns,
            max_iterations: self.max_iterations,
            max_tasks: self.max_tasks,
            yolo: self.yolo_mode,
            approve_plans: self.approve_plans,
            cache_rows: self.cache_rows,
            cache_ttl: Duration::from_millis(self.cache_ttl_ms),
            max_fruitless_answers: self.max_fruitless_answers,
            model_routing: self.model_routing,
            model_rewriting: self.model_rewriting,
            model_planning: self.model_planning,
            model_wording: self.model_wording,
            reading_timeout: Duration::from_millis(self.reading_timeout_ms),
            planning_timeout: Duration::from_millis(self.planning_timeout_ms),
            wording_timeout: Duration::from_millis(self.wording_timeout_ms),
        }
    }
}

impl Default for AnalystConfig {
    fn default() -> Self {
        Self {
            short_term_memory_turns: 3,
            max_iterations: 30,
            max_tasks: 12,
            yolo_mode: false,
            approve_plans: ApprovePlans::Large,
            cache_rows: 1_000,
            cache_ttl_ms: 600_000,
            max_fruitless_answers: 3,
            model_routing: true,
            model_rewriting: true,
            model_planning: true,
            model_wording: true,
            reading_timeout_ms: 10_000,
            planning_timeout_ms: 30_000,
            wording_timeout_ms: 60_000,
        }
    }
}

impl Validate for AnalystConfig {
    fn validate(&self) -> Result<(), Invalid> {
        within(
            "short_term_memory_turns",
            u64::from(self.short_term_memory_turns),
            0..=50,
        )?;
        within("max_iterations", u64::from(self.max_iterations), 1..=1_000)?;
        within("max_tasks", self.max_tasks as u64, 1..=50)?;
        within("cache_rows", self.cache_rows as u64, 0..=10_000)?;
        within(
            "max_fruitless_answers",
            self.max_fruitless_answers as u64,
            1..=20,
        )?;
        positive("reading_timeout_ms", self.reading_timeout_ms)?;
        positive("planning_timeout_ms", self.planning_timeout_ms)?;
        positive("wording_timeout_ms", self.wording_timeout_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_assistants_own() {
        assert_eq!(
            AnalystConfig::default().options(),
            AnalystOptions::default()
        );
    }
}
