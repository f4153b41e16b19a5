//! The variables that represent keys of `[data]` and `[data.sql]`, which are
//! `agent_data::DataSettings`.

/// The SQL agent's variables, and the keys that they represent. `MAX_OUTPUT_TOKENS` is the models'
/// own.
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
