//! The variables that represent keys of `[analyst]`, which is `agent_analyst::AnalystSettings`.

/// The BI agent's variables, and the keys that they represent.
pub(super) const ALIASES: [(&str, &str); 3] = [
    ("SHORT_TERM_MEMORY_TURNS", "analyst.short_term_memory_turns"),
    ("MAX_ITERATIONS", "analyst.max_iterations"),
    ("YOLO_MODE", "analyst.yolo_mode"),
];
