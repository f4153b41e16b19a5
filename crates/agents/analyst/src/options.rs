//! What the assistant may do, and how much of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How the assistant works. The names in brackets are those of document 004's variables.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct AnalystOptions {
    /// User turns that are remembered for what a message refers to (`SHORT_TERM_MEMORY_TURNS`).
    pub short_term_memory_turns: u32,
    /// The most attempts at tasks in one turn (`MAX_ITERATIONS`).
    pub max_iterations: u32,
    /// The most tasks of a plan.
    pub max_tasks: usize,
    /// Whether the best candidate is taken instead of asking (`YOLO_MODE`).
    pub yolo: bool,
    /// When a person is asked before a plan runs.
    pub approve_plans: ApprovePlans,
    /// Rows of a query that are kept, at most; results with more are read again when they are analysed.
    pub cache_rows: usize,
    /// How long kept rows stand for what the source would answer.
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
    /// How long reading a reply, rewriting and choosing among options may take, each.
    pub reading_timeout: Duration,
    /// How long planning may take.
    pub planning_timeout: Duration,
    /// How long wording an answer may take.
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

impl Default for AnalystOptions {
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
