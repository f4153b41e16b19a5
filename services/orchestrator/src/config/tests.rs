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
        config.checkpoints.path,
        PathBuf::from("data/conversations.db")
    );
    assert_eq!(config.checkpoints.retry_attempts, 5);
    assert_eq!(config.checkpoints.retry_delay(), Duration::from_millis(200));
    assert_eq!(
        config.conversation.max_age(),
        Some(Duration::from_hours(24))
    );
    assert_eq!(
        config.conversation.cleanup_interval(),
        Duration::from_hours(1)
    );
    assert_eq!(config.conversation.retention.max_loaded_messages, 12);
    assert_eq!(config.conversation.retention.preserve_turns, 4);
    assert_eq!(config.conversation.memory_strategy, MemoryStrategy::Tiered);
}

#[test]
fn nothing_is_deleted_unless_somebody_says_so() {
    assert_eq!(Config::default().conversation.max_age(), None);
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
        ("RUNS__LEASE_MS", "0"),
        ("RUNS__MAX_ATTEMPTS", "0"),
    ] {
        let variable = format!("{own}{key}");
        assert!(loaded(&[(&variable, value)]).is_err(), "{key}={value}");
    }
}
