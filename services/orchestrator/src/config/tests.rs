use service_kit::config::Loader;

use super::*;

fn loaded(variables: &[(&str, &str)]) -> Result<Config, service_kit::config::Error> {
    Loader::new("orchestrator")
        .aliases(&ALIASES)
        .environment(variables.iter().copied())
        .load(&Config::default())
}

#[test]
fn the_documents_variables_are_understood() {
    let config = loaded(&[
        ("CONVERSATION_DB_PATH", "data/conversations.db"),
        ("CONVERSATION_MAX_AGE_HOURS", "24"),
        ("CONVERSATION_CLEANUP_INTERVAL_HOURS", "1"),
        ("MAX_CONVERSATION_MESSAGES", "12"),
        ("CONVERSATION_MEMORY_STRATEGY", "tiered"),
        ("CONVERSATION_DB_RETRY_ATTEMPTS", "5"),
        ("CONVERSATION_DB_RETRY_DELAY", "0.2"),
    ])
    .unwrap();
    assert_eq!(
        config.checkpoints.path(),
        PathBuf::from("data/conversations.db")
    );
    assert_eq!(config.checkpoints.retry_attempts, 5);
    assert_eq!(config.checkpoints.retry_delay(), Duration::from_millis(200));
    assert_eq!(config.conversation.max_age_hours, 24);
    assert_eq!(
        config.conversation.cleanup_interval(),
        Duration::from_hours(1)
    );
    assert_eq!(config.conversation.retention.max_loaded_messages, 12);
    assert_eq!(config.conversation.retention.preserve_turns, 4);
    assert_eq!(config.conversation.memory_strategy, MemoryStrategy::Tiered);
}

#[test]
fn the_variables_of_the_sql_agent_are_understood() {
    let config = loaded(&[
        ("ENABLE_SQL_AGENT", "false"),
        ("ENABLE_RAG_AGENT", "false"),
        ("MAX_CONTEXT_TOKENS", "1000"),
        ("MAX_OUTPUT_TOKENS", "200"),
        ("MAX_QUERY_ROWS", "1"),
        ("SQL_AGENT_MAX_ITERATIONS", "2"),
        ("SQL_SAMPLE_ROWS", "3"),
        ("SQL_MAX_TABLES_IN_CONTEXT", "4"),
        ("SQL_CORRECTION_MAX_ATTEMPTS", "5"),
        ("SQL_PRE_VALIDATION_ENABLED", "false"),
        ("SQL_MAX_RELATIONSHIPS_DISPLAY", "6"),
        ("SQL_MAX_RELATIONSHIPS_IN_PROMPT", "7"),
        ("SQL_MAX_COLUMNS_IN_SCHEMA", "8"),
        ("SQL_MAX_COLUMNS_IN_VALIDATION", "9"),
        ("SQL_MAX_COLUMNS_IN_CORRECTION", "10"),
        ("SQL_MAX_SQL_HISTORY_LENGTH", "11"),
        ("SQL_MAX_FALLBACK_TABLES", "12"),
        ("SQL_MAX_TABLES_IN_SELECTION_PROMPT", "13"),
        ("SQL_CONFIDENCE_THRESHOLD", "0.5"),
        ("SQL_MAX_SUGGESTED_PATHS", "14"),
    ])
    .unwrap();
    let options = &config.data;
    assert!(!options.sql_enabled && !options.rag_enabled);
    assert_eq!(options.max_context_tokens, 1_000);
    assert_eq!(config.llm.max_output_tokens, 200);
    let expected = agent_data::SqlLimits {
        max_query_rows: 1,
        max_iterations: 2,
        sample_rows: 3,
        max_tables_in_context: 4,
        correction_max_attempts: 5,
        pre_validation: false,
        max_relationships_display: 6,
        max_relationships_in_prompt: 7,
        max_columns_in_schema: 8,
        max_columns_in_validation: 9,
        max_columns_in_correction: 10,
        max_sql_history_length: 11,
        max_fallback_tables: 12,
        max_tables_in_selection: 13,
        confidence_threshold: 0.5,
        max_suggested_paths: 14,
    };
    assert_eq!(options.limits, expected);
}

#[test]
fn the_variables_of_the_analyst_are_understood() {
    let config = loaded(&[
        ("SHORT_TERM_MEMORY_TURNS", "5"),
        ("MAX_ITERATIONS", "10"),
        ("YOLO_MODE", "true"),
        ("HELIOGRAPH_ORCHESTRATOR__ANALYST__APPROVE_PLANS", "always"),
    ]);
    let options = config.unwrap().analyst;
    let expected = agent_analyst::AnalystSettings {
        short_term_memory_turns: 5,
        max_iterations: 10,
        yolo: true,
        approve_plans: agent_analyst::ApprovePlans::Always,
        ..agent_analyst::AnalystSettings::default()
    };
    assert_eq!(options, expected);
}

#[test]
fn the_settings_of_the_advisor_are_read_from_its_section() {
    let config = loaded(&[("HELIOGRAPH_ORCHESTRATOR__ADVISOR__MAX_CALLS", "5")]);
    let expected = AdvisorSettings {
        max_calls: 5,
        ..AdvisorSettings::default()
    };
    assert_eq!(config.unwrap().advisor, expected);
}

#[test]
fn what_can_not_be_is_refused_at_the_start() {
    let own = "HELIOGRAPH_ORCHESTRATOR__";
    for (key, value) in [
        ("CHECKPOINTS__STORE", "paper"),
        ("CHECKPOINTS__RETRY_DELAY_SECONDS", "-1"),
        ("CHECKPOINTS__KEPT_PER_THREAD", "0"),
        ("CONVERSATION__RETENTION__MAX_LOADED_MESSAGES", "0"),
        ("CONVERSATION__CLEANUP_INTERVAL_HOURS", "0"),
        ("DATA__APPROVAL", "sometimes"),
        ("DATA__PASSAGES", "0"),
        ("DATA__SQL__SAMPLE_ROWS", "6"),
        ("DATA__SQL__CONFIDENCE_THRESHOLD", "1.5"),
        ("ANALYST__APPROVE_PLANS", "sometimes"),
        ("ANALYST__MAX_TASKS", "51"),
        ("ANALYST__MAX_ITERATIONS", "0"),
        ("ADVISOR__MAX_STEPS", "0"),
        ("ADVISOR__KNOWLEDGE_TOOL", "drop_tables"),
        ("RUNS__LEASE_MS", "0"),
        ("RUNS__MAX_ATTEMPTS", "0"),
    ] {
        let variable = format!("{own}{key}");
        assert!(loaded(&[(&variable, value)]).is_err(), "{key}={value}");
    }
}

/// The section of a page of the documentation.
fn section(page: &str, name: &str) -> String {
    let file = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(file).unwrap();
    let (_, behind) = text.split_once(&format!("\n## {name}\n")).unwrap();
    let end = behind.find("\n## ").unwrap_or(behind.len());
    behind[..end].to_owned()
}

#[test]
fn the_documented_time_limits_are_the_defaults() {
    let defaults = serde_json::to_value(Config::default()).unwrap();
    let mut compared = 0;
    for row in section("models.md", "Time").lines() {
        let Some(row) = row.strip_prefix("| `") else {
            continue;
        };
        let (keys, rest) = row.split_once(" | ").unwrap();
        let (told, _) = rest.split_once(" | ").unwrap();
        let mut told = told.split(' ');
        let number: u64 = told.next().unwrap().parse().unwrap();
        let factor = match told.next().unwrap() {
            "s" => 1_000,
            "hour" => 3_600_000,
            other => panic!("unknown unit {other} of {keys}"),
        };
        for key in keys.split(", ").map(|key| key.trim_matches('`')) {
            let place = format!("/{}", key.replace('.', "/"));
            let value = defaults.pointer(&place).and_then(serde_json::Value::as_u64);
            assert_eq!(value, Some(number * factor), "{key}");
            compared += 1;
        }
    }
    assert!(compared >= 12, "{compared}");
}
