//! Threads, messages, runs and their events in PostgreSQL.
