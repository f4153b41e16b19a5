//! The tools service against a real PostgreSQL.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod added_sources;
mod added_targets;
mod added_upstreams;
mod alerts;
mod almost_right;
mod fixtures;
mod harness;

mod analysis_contract;
mod analysis_rows;
mod analysis_sources;
mod analysis_vectors;
mod answers;
mod asleep_and_many;
mod code_runs;
mod comparisons;
mod contract;
mod demo_data;
mod edge_cases;
mod energy_history;
mod falling_behind;
mod file_limits;
mod import_support;
mod imports;
mod imports_corrected;
mod imports_interrupted;
mod imports_storage;
mod ingest_http;
mod ingest_library;
mod ingest_sites;
mod ingest_support;
mod kept_names;
mod knowledge_http;
mod names_http;
mod neighbours;
mod one_measure;
mod one_sum;
mod outage_of_the_database;
mod own_plants;
mod plans;
mod questions_erased;
mod questions_http;
mod questions_periods;
mod readers_memory;
mod right_figures;
mod rollups;
mod same_hours;
mod search_contract;
mod search_meanings;
mod search_queries;
mod search_support;
mod several_devices;
mod sites_http;
mod sites_of_ages;
mod spreadsheet_marks;
mod spreadsheet_rows;
mod spreadsheets;
mod sql_catalogue;
mod sql_columns;
mod sql_contract;
mod sql_joins;
mod sql_oracles;
mod sql_outages;
mod sql_past_questions;
mod sql_queries;
mod sql_refresh;
mod sql_servers;
mod sql_states;
mod sql_targets;
mod sql_tenants;
mod sql_turns;
mod two_zones;
mod upstream_calls;
mod upstream_demo;
mod upstream_secrecy;
mod upstream_support;
mod upstream_tokens;
mod weather_http;
mod without_demonstration;
mod word_and_score;
mod zones;

tools::file_readers_for_tests!();
