//! The permissions and limits of the assistant: the sections `[data]` and `[data.sql]`.

use std::time::Duration;

use agent_kit::{
    InvalidSetting, Settings,
    settings::{lasting, milliseconds, positive, share, within},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How the assistant works. The names in brackets are those of the SQL agent's variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct DataSettings {
    /// Whether questions about data are answered (`ENABLE_SQL_AGENT`).
    #[serde(rename = "enable_sql_agent")]
    pub sql_enabled: bool,
    /// Whether questions about documents are answered (`ENABLE_RAG_AGENT`).
    #[serde(rename = "enable_rag_agent")]
    pub rag_enabled: bool,
    /// The target database; `None` goes by the question's words where the tenant has several.
    #[serde(with = "name_or_empty")]
    pub target: Option<String>,
    /// Whether a person is asked before a query runs.
    pub approval: Approval,
    /// A query that joins more tables than this counts as expensive.
    pub approval_tables: usize,
    /// Whether the way to the answer is shown: tables, plan and query on the channel `sql_agent`,
    /// and the tools on the way.
    pub show_work: bool,
    /// Whether a model says which route an unclear message takes.
    pub model_routing: bool,
    /// Whether a model words the answers.
    pub model_wording: bool,
    /// Time that a classification may take.
    #[serde(rename = "routing_timeout_ms", with = "milliseconds")]
    pub routing_timeout: Duration,
    /// Time limit for choosing tables, writing and correcting a query, each.
    #[serde(rename = "writing_timeout_ms", with = "milliseconds")]
    pub writing_timeout: Duration,
    /// Time that the answer may take, from the question to its last word.
    #[serde(rename = "wording_timeout_ms", with = "milliseconds")]
    pub wording_timeout: Duration,
    /// Confirmed questions that a model gets as examples.
    pub examples: u32,
    /// How alike a confirmed question has to be to be offered where there is no model, 0 to 1.
    pub similar_from: f64,
    /// Passages that an answer from documents rests on.
    pub passages: u32,
    /// Maximum number of tokens of a request to a model, by estimate (`MAX_CONTEXT_TOKENS`).
    pub max_context_tokens: usize,
    /// The limits of the SQL graph.
    #[serde(rename = "sql")]
    pub limits: SqlLimits,
}

/// When a person is asked before a query runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// When the message asks for it.
    #[default]
    Never,
    /// Before every query but a confirmed one.
    Always,
    /// Before a query that joins many tables, or that follows one that was refused as too
    /// expensive.
    Expensive,
}

/// The limits of the SQL graph, as the SQL agent names them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SqlLimits {
    /// Supersteps of writing, checking, running and correcting queries
    /// (`SQL_AGENT_MAX_ITERATIONS`).
    pub max_iterations: u32,
    /// Sample rows of each table in a request (`SQL_SAMPLE_ROWS`).
    pub sample_rows: u32,
    /// Tables in a request, bridges included (`SQL_MAX_TABLES_IN_CONTEXT`).
    pub max_tables_in_context: usize,
    /// Corrections of one question (`SQL_CORRECTION_MAX_ATTEMPTS`).
    pub correction_max_attempts: u32,
    /// Whether queries are checked before they are run; running checks them anyway
    /// (`SQL_PRE_VALIDATION_ENABLED`).
    #[serde(rename = "pre_validation_enabled")]
    pub pre_validation: bool,
    /// Relationships that the plan is made of (`SQL_MAX_RELATIONSHIPS_DISPLAY`).
    pub max_relationships_display: usize,
    /// Relationships in a request for a query (`SQL_MAX_RELATIONSHIPS_IN_PROMPT`).
    pub max_relationships_in_prompt: usize,
    /// Columns of each table in a request for a query (`SQL_MAX_COLUMNS_IN_SCHEMA`).
    pub max_columns_in_schema: u32,
    /// Columns that are listed with what is wrong with a query (`SQL_MAX_COLUMNS_IN_VALIDATION`).
    pub max_columns_in_validation: usize,
    /// Columns of each table in a request for a correction (`SQL_MAX_COLUMNS_IN_CORRECTION`).
    pub max_columns_in_correction: u32,
    /// Characters of each query among the attempts before (`SQL_MAX_SQL_HISTORY_LENGTH`).
    pub max_sql_history_length: usize,
    /// Tables taken where the model's choice cannot be used (`SQL_MAX_FALLBACK_TABLES`).
    pub max_fallback_tables: usize,
    /// Tables that the model chooses from (`SQL_MAX_TABLES_IN_SELECTION_PROMPT`).
    #[serde(rename = "max_tables_in_selection_prompt")]
    pub max_tables_in_selection: u32,
    /// Relationships below are not used (`SQL_CONFIDENCE_THRESHOLD`).
    pub confidence_threshold: f64,
    /// Paths that are asked for (`SQL_MAX_SUGGESTED_PATHS`).
    pub max_suggested_paths: u32,
    /// Rows of an answer (`MAX_QUERY_ROWS`).
    pub max_query_rows: u32,
}

impl Default for DataSettings {
    fn default() -> Self {
        Self {
            sql_enabled: true,
            rag_enabled: true,
            target: None,
            approval: Approval::Never,
            approval_tables: 5,
            show_work: false,
            model_routing: true,
            model_wording: true,
            routing_timeout: Duration::from_secs(10),
            writing_timeout: Duration::from_mins(1),
            wording_timeout: Duration::from_mins(1),
            examples: 3,
            similar_from: 0.6,
            passages: 5,
            max_context_tokens: 120_000,
            limits: SqlLimits::default(),
        }
    }
}

impl Default for SqlLimits {
    fn default() -> Self {
        Self {
            max_iterations: 15,
            sample_rows: 0,
            max_tables_in_context: 20,
            correction_max_attempts: 3,
            pre_validation: true,
            max_relationships_display: 50,
            max_relationships_in_prompt: 20,
            max_columns_in_schema: 50,
            max_columns_in_validation: 100,
            max_columns_in_correction: 100,
            max_sql_history_length: 100,
            max_fallback_tables: 5,
            max_tables_in_selection: 250,
            confidence_threshold: 0.7,
            max_suggested_paths: 15,
            max_query_rows: 100,
        }
    }
}

impl Settings for DataSettings {
    fn validate(&self) -> Result<(), InvalidSetting> {
        lasting("routing_timeout_ms", self.routing_timeout)?;
        lasting("writing_timeout_ms", self.writing_timeout)?;
        lasting("wording_timeout_ms", self.wording_timeout)?;
        positive("max_context_tokens", self.max_context_tokens as u64)?;
        within("examples", u64::from(self.examples), 0..=20)?;
        within("passages", u64::from(self.passages), 1..=50)?;
        share("similar_from", self.similar_from)?;
        self.limits.validate()
    }
}

impl SqlLimits {
    /// The bounds are those of the tools that get the values.
    fn validate(&self) -> Result<(), InvalidSetting> {
        for (key, value, range) in [
            ("max_iterations", u64::from(self.max_iterations), 1..=100),
            (
                "correction_max_attempts",
                u64::from(self.correction_max_attempts),
                0..=20,
            ),
            ("sample_rows", u64::from(self.sample_rows), 0..=5),
            (
                "max_tables_in_context",
                self.max_tables_in_context as u64,
                1..=50,
            ),
            (
                "max_fallback_tables",
                self.max_fallback_tables as u64,
                1..=50,
            ),
            (
                "max_tables_in_selection_prompt",
                u64::from(self.max_tables_in_selection),
                1..=5_000,
            ),
            (
                "max_columns_in_schema",
                u64::from(self.max_columns_in_schema),
                1..=1_000,
            ),
            (
                "max_columns_in_correction",
                u64::from(self.max_columns_in_correction),
                1..=1_000,
            ),
            (
                "max_suggested_paths",
                u64::from(self.max_suggested_paths),
                0..=200,
            ),
            ("max_query_rows", u64::from(self.max_query_rows), 1..=10_000),
        ] {
            within(&format!("sql.{key}"), value, range)?;
        }
        share("sql.confidence_threshold", self.confidence_threshold)
    }
}

/// A name, which is empty in a configuration where there is none.
mod name_or_empty {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it so")]
    pub(super) fn serialize<S: Serializer>(
        name: &Option<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        name.as_deref().unwrap_or_default().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Some(name.trim().to_owned()).filter(|name| !name.is_empty()))
    }
}
