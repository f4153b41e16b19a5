//! The orchestrator over a real PostgreSQL, with an assistant that follows a test's script. The
//! site assistant's answers are tested where the tools service is real, in `services/heliograph`.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
#![expect(clippy::panic, reason = "helpers of tests fail as tests do")]
#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod almost_right;
mod analyst;
mod bench;
mod budgets;
mod calls;
mod chaos;
mod delegation;
mod ends;
mod greetings;
mod http_rules;
mod kept;
mod long_threads;
mod one_budget;
mod outages;
mod ownership;
mod queue;
mod reasons;
mod replicas;
mod resume;
mod retention;
mod runs;
mod schedule_changes;
mod schedules;
mod scripted;
mod source;
mod stop_links;
mod streams;
mod threads;
mod ui_history;
