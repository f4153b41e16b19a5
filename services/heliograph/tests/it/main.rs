//! Tests of the all-in-one program and of what only it can see: the whole stack, the workspace, the
//! configurations.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod advisor;
mod alerts;
mod analyst;
mod architecture;
mod arrows;
mod assistants;
mod audited;
mod backup;
mod beside;
mod binaries;
mod breaking_proxy;
mod browser;
mod clients;
mod cold_start;
mod command_line;
mod compose;
mod configuration;
mod configuration_errors;
mod data_assistant;
mod data_joins;
mod delegated;
mod delivery;
mod demo_stack;
mod distribution;
mod documented_commands;
mod documents;
mod fetched_model;
mod figures_of_databases;
mod first_questions;
mod generators;
mod images;
mod issuers;
mod journeys;
mod kept;
mod kinds;
mod kubernetes;
mod live;
mod logs;
mod matrix;
mod mcp_upstream;
mod measured;
mod models;
mod node_packages;
mod one_energy;
mod one_process;
mod one_trace;
mod outages;
mod own_database;
mod own_plant;
mod packed_clients;
mod packed_rust;
mod people;
mod person;
mod plants;
mod progress;
mod prose;
mod protocols;
mod questions;
mod quotas;
mod react_example;
mod rehearsal;
mod rejoined;
mod replicas;
mod retention;
mod schedules;
mod several_databases;
mod smaller;
mod sources;
mod suggestions;
mod suggestions_of_others;
mod suggestions_of_own;
mod targets;
mod three_databases;
mod traces;
mod typed_passwords;
mod upstreams;
mod versions;
mod watched;
mod word_and_score;
mod wording;

tools::file_readers_for_tests!();
