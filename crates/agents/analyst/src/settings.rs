//! The permissions and limits of the assistant: the section `[analyst]`.

use std::time::Duration;

use agent_kit::{
    InvalidSetting, Settings,
    settings::{lasting, milliseconds, within},
};
use serde::{Deserialize, Serialize};

/// How the assistant works. The names in brackets are those of the BI agent's variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct AnalystSettings {
    /// User turns that are remembered for what a message refers to (`SHORT_TERM_MEMORY_TURNS`).
    pub short_term_memory_turns: u32,
    /// Maximum number of attempts at tasks in one turn (`MAX_ITERATIONS`).
    pub max_iterations: u32,
    /// Maximum number of tasks in a plan.
    pub max_tasks: usize,
    /// Whether the best candidate is taken instead of asking (`YOLO_MODE`).
    #[serde(rename = "yolo_mode")]
    pub yolo: bool,
    /// When a person is asked before a plan runs.
    pub approve_plans: ApprovePlans,
    /// Rows of a query that are kept, at most; results with more are read again when they are
    /// analysed.
    pub cache_rows: usize,
    /// Time for which kept rows replace a query of the source.
    #[serde(rename = "cache_ttl_ms", with = "milliseconds")]
    pub cache_ttl: Duration,
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
    /// Time limit for reading a reply, rewriting and choosing among options, each.
    #[serde(rename = "reading_timeout_ms", with = "milliseconds")]
    pub reading_timeout: Duration,
    /// Time limit for planning.
    #[serde(rename = "planning_timeout_ms", with = "milliseconds")]
    pub planning_timeout: Duration,
    /// Time limit for wording an answer.
    #[serde(rename = "wording_timeout_ms", with = "milliseconds")]
    pub wording_timeout: Duration,
}

/// When a person is asked before a plan runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovePlans {
    /// Never, whatever is read and whatever the message says.
    Never,
    /// Before every plan.
    Always,
    /// When the message asks for it.
    WhenAsked,
    /// When the message asks for it, and before a query that reads much.
    #[default]
    Large,
}

impl Default for AnalystSettings {
    fn default() -> Self {
        Self {
            short_term_memory_turns: 3,
            max_iterations: 30,
            max_tasks: 12,
            yolo: false,
            approve_plans: ApprovePlans::default(),
            cache_rows: 1_000,
            cache_ttl: Duration::from_mins(10),
            max_fruitless_answers: 3,
            model_routing: true,
            model_rewriting: true,
            model_planning: true,
            model_wording: true,
            reading_timeout: Duration::from_secs(10),
            planning_timeout: Duration::from_secs(30),
            wording_timeout: Duration::from_mins(1),
        }
    }
}

impl Settings for AnalystSettings {
    fn validate(&self) -> Result<(), InvalidSetting> {
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
        lasting("reading_timeout_ms", self.reading_timeout)?;
        lasting("planning_timeout_ms", self.planning_timeout)?;
        lasting("wording_timeout_ms", self.wording_timeout)
    }
}
