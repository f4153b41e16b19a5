//! `[data]`: what the data assistant may do, and how much of it. Keys under `[data.sql]` are document 002's variables without their
//! beginning.

use std::time::Duration;

use agent_data::{Approval, DataOptions, SqlLimits};
use serde::{Deserialize, Serialize};
use service_kit::config::{Invalid, Validate, positive};

use super::bounds::{share, within};

/// Document 002's variables, and the keys that they stand for. `MAX_OUTPUT_TOKENS` is the models' own.
pub(super) const ALIASES: [(&str, &str); 19] = [
    ("ENABLE_SQL_AGENT", "data.enable_sql_agent"),
    ("ENABLE_RAG_AGENT", "data.enable_rag_agent"),
    ("MAX_CONTEXT_TOKENS", "data.max_context_tokens"),
    ("MAX_QUERY_ROWS", "data.sql.max_query_rows"),
    ("SQL_AGENT_MAX_ITERATIONS", "data.sql.max_iterations"),
    ("SQL_SAMPLE_ROWS", "data.sql.sample_rows"),
    (
        "SQL_MAX_TABLES_IN_CONTEXT",
        "data.sql.max_tables_in_context",
    ),
    (
        "SQL_CORRECTION_MAX_ATTEMPTS",
        "data.sql.correction_max_attempts",
    ),
    (
        "SQL_PRE_VALIDATION_ENABLED",
        "data.sql.pre_validation_enabled",
    ),
    (
        "SQL_MAX_RELATIONSHIPS_DISPLAY",
        "data.sql.max_relationships_display",
    ),
    (
        "SQL_MAX_RELATIONSHIPS_IN_PROMPT",
        "data.sql.max_relationships_in_prompt",
    ),
    (
        "SQL_MAX_COLUMNS_IN_SCHEMA",
        "data.sql.max_columns_in_schema",
    ),
    (
        "SQL_MAX_COLUMNS_IN_VALIDATION",
        "data.sql.max_columns_in_validation",
    ),
    (
        "SQL_MAX_COLUMNS_IN_CORRECTION",
        "data.sql.max_columns_in_correction",
    ),
    (
        "SQL_MAX_SQL_HISTORY_LENGTH",
        "data.sql.max_sql_history_length",
    ),
    ("SQL_MAX_FALLBACK_TABLES", "data.sql.max_fallback_tables"),
    (
        "SQL_MAX_TABLES_IN_SELECTION_PROMPT",
        "data.sql.max_tables_in_selection_prompt",
    ),
    ("SQL_CONFIDENCE_THRESHOLD", "data.sql.confidence_threshold"),
    ("SQL_MAX_SUGGESTED_PATHS", "data.sql.max_suggested_paths"),
];

/// `[data]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct DataConfig {
    /// Whether questions about data are answered.
    pub enable_sql_agent: bool,
    /// Whether questions about documents are answered.
    pub enable_rag_agent: bool,
    /// The target database; empty goes by each question's words where the tenant has several.
    pub target: String,
    /// When a person is asked before a query runs.
    pub approval: Approval,
    /// A query over more tables than this counts as expensive.
    pub approval_tables: usize,
    /// Whether the way to the answer is shown.
    pub show_work: bool,
    /// Whether a model says which route an unclear message takes.
    pub model_routing: bool,
    /// Whether a model words the answers.
    pub model_wording: bool,
    /// How long a classification may take.
    pub routing_timeout_ms: u64,
    /// How long choosing tables, writing and correcting a query may take, each.
    pub writing_timeout_ms: u64,
    /// How long the answer may take, to its last word.
    pub wording_timeout_ms: u64,
    /// Confirmed questions that a model gets as examples.
    pub examples: u32,
    /// How alike a confirmed question has to be to be offered where there is no model.
    pub similar_from: f64,
    /// Passages that an answer from documents rests on.
    pub passages: u32,
    /// The most tokens of a request to a model, by estimate.
    pub max_context_tokens: usize,
    /// The limits of the SQL graph.
    pub sql: SqlConfig,
}

/// `[data.sql]`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "agent_data::SqlLimits explains each")]
pub struct SqlConfig {
    pub max_iterations: u32,
    pub sample_rows: u32,
    pub max_tables_in_context: usize,
    pub correction_max_attempts: u32,
    pub pre_validation_enabled: bool,
    pub max_relationships_display: usize,
    pub max_relationships_in_prompt: usize,
    pub max_columns_in_schema: u32,
    pub max_columns_in_validation: usize,
    pub max_columns_in_correction: u32,
    pub max_sql_history_length: usize,
    pub max_fallback_tables: usize,
    pub max_tables_in_selection_prompt: u32,
    pub confidence_threshold: f64,
    pub max_suggested_paths: u32,
    pub max_query_rows: u32,
}

impl DataConfig {
    /// In the assistant's own terms.
    pub fn options(&self) -> DataOptions {
        DataOptions {
            sql_enabled: self.enable_sql_agent,
            rag_enabled: self.enable_rag_agent,
            target: Some(self.target.trim().to_owned()).filter(|target| !target.is_empty()),
            approval: self.approval,
            approval_tables: self.approval_tables,
            show_work: self.show_work,
            model_routing: self.model_routing,
            model_wording: self.model_wording,
            routing_timeout: Duration::from_millis(self.routing_timeout_ms),
            writing_timeout: Duration::from_millis(self.writing_timeout_ms),
            wording_timeout: Duration::from_millis(self.wording_timeout_ms),
            examples: self.examples,
            similar_from: self.similar_from,
            passages: self.passages,
            max_context_tokens: self.max_context_tokens,
            limits: self.sql.limits(),
        }
    }
}

impl SqlConfig {
    fn limits(&self) -> SqlLimits {
        SqlLimits {
            max_iterations: self.max_iterations,
            sample_rows: self.sample_rows,
            max_tables_in_context: self.max_tables_in_context,
            correction_max_attempts: self.correction_max_attempts,
            pre_validation: self.pre_validation_enabled,
            max_relationships_display: self.max_relationships_display,
            max_relationships_in_prompt: self.max_relationships_in_prompt,
            max_columns_in_schema: self.max_columns_in_schema,
            max_columns_in_validation: self.max_columns_in_validation,
            max_columns_in_correction: self.max_columns_in_correction,
            max_sql_history_length: self.max_sql_history_length,
            max_fallback_tables: self.max_fallback_tables,
            max_tables_in_selection: self.max_tables_in_selection_prompt,
            confidence_threshold: self.confidence_threshold,
            max_suggested_paths: self.max_suggested_paths,
            max_query_rows: self.max_query_rows,
        }
    }
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            enable_sql_agent: true,
            enable_rag_agent: true,
            target: String::new(),
            approval: Approval::Never,
            approval_tables: 5,
            show_work: false,
            model_routing: true,
            model_wording: true,
            routing_timeout_ms: 10_000,
            writing_timeout_ms: 60_000,
            wording_timeout_ms: 60_000,
            examples: 3,
            similar_from: 0.6,
            passages: 5,
            max_context_tokens: 120_000,
            sql: SqlConfig::default(),
        }
    }
}

impl Default for SqlConfig {
    fn default() -> Self {
        Self {
            max_iterations: 15,
            sample_rows: 0,
            max_tables_in_context: 20,
            correction_max_attempts: 3,
            pre_validation_enabled: true,
            max_relationships_display: 50,
            max_relationships_in_prompt: 20,
            max_columns_in_schema: 50,
            max_columns_in_validation: 100,
            max_columns_in_correction: 100,
            max_sql_history_length: 100,
            max_fallback_tables: 5,
            max_tables_in_selection_prompt: 250,
            confidence_threshold: 0.7,
            max_suggested_paths: 15,
            max_query_rows: 100,
        }
    }
}

impl Validate for DataConfig {
    fn validate(&self) -> Result<(), Invalid> {
        positive("routing_timeout_ms", self.routing_timeout_ms)?;
        positive("writing_timeout_ms", self.writing_timeout_ms)?;
        positive("wording_timeout_ms", self.wording_timeout_ms)?;
        positive("max_context_tokens", self.max_context_tokens as u64)?;
        within("examples", u64::from(self.examples), 0..=20)?;
        within("passages", u64::from(self.passages), 1..=50)?;
        share("similar_from", self.similar_from)?;
        self.sql.validate()
    }
}

/// The bounds are those of the tools that get the values.
impl Validate for SqlConfig {
    fn validate(&self) -> Result<(), Invalid> {
        within(
            "sql.max_iterations",
            u64::from(self.max_iterations),
            1..=100,
        )?;
        within(
            "sql.correction_max_attempts",
            u64::from(self.correction_max_attempts),
            0..=20,
        )?;
        within("sql.sample_rows", u64::from(self.sample_rows), 0..=5)?;
        within(
            "sql.max_tables_in_context",
            self.max_tables_in_context as u64,
            1..=50,
        )?;
        within(
            "sql.max_fallback_tables",
            self.max_fallback_tables as u64,
            1..=50,
        )?;
        within(
            "sql.max_tables_in_selection_prompt",
            u64::from(self.max_tables_in_selection_prompt),
            1..=5_000,
        )?;
        within(
            "sql.max_columns_in_schema",
            u64::from(self.max_columns_in_schema),
            1..=1_000,
        )?;
        within(
            "sql.max_columns_in_correction",
            u64::from(self.max_columns_in_correction),
            1..=1_000,
        )?;
        within(
            "sql.max_suggested_paths",
            u64::from(self.max_suggested_paths),
            0..=200,
        )?;
        within(
            "sql.max_query_rows",
            u64::from(self.max_query_rows),
            1..=10_000,
        )?;
        share("sql.confidence_threshold", self.confidence_threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_assistants_own() {
        assert_eq!(DataConfig::default().options(), DataOptions::default());
    }
}
