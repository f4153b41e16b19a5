//! The bff over a real PostgreSQL. The inner tiers are absent here; the tests of
//! `services/heliograph` have them all.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod accounts;
mod almost_right;
mod api_keys;
mod audit;
mod audit_objects;
mod bench;
mod browser;
mod configuration;
mod contract;
mod database;
mod erasing;
mod keys;
mod langgraph;
mod limits;
mod logs;
mod mcp;
mod names;
mod openai;
mod origins;
mod page;
mod page_files;
mod people;
mod retention;
mod roles;
mod scripted;
mod services;
mod sessions;
mod sign_in;
mod single_sign_on;
mod stop_links;
mod tokens;
mod uploads;
