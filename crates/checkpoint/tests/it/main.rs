//! The SQLite checkpointer against the suite, and with the engine on top of it.

mod engine;
mod sqlite;
