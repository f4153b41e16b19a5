//! The variables that stand for keys of `[analyst]`, which is `agent_analyst::AnalystSettings`.

/// Document 004's variables, and the keys that they stand for.
pub(super) const ALIASES: [(&str, &str); 3] = [
    ("SHORT_TERM_MEMORY_TURNS", "analyst.short_term_memory_turns"),
    ("MAX_ITERATIONS", "analyst.max_iterations"),
    ("YOLO_MODE", "analyst.yolo_mode"),
];
