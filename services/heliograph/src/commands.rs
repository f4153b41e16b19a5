//! The commands.

pub mod account;
pub mod api_keys;
pub mod audit;
pub mod catalogue;
mod chat;
mod client;
pub mod data;
mod demo;
mod eval;
mod eval_retrieval;
mod graph;
pub mod import;
pub mod issuers;
mod keys;
pub mod knowledge;
mod mcp;
mod model;
mod password;
pub mod plants;
pub mod questions;
pub mod schedules;
pub mod sessions;
mod sign_in;
pub mod sources;
pub mod targets;
pub mod threads;
pub mod up;
pub mod upstreams;

use std::io::Write;

use anyhow::bail;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::{Cli, Command};

/// Runs the command.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    let folder = cli.config.as_deref();
    if let Some(folder) = folder
        && !folder.is_dir()
    {
        bail!(
            "--config: {} is not a folder; it must contain tools.toml, orchestrator.toml, bff.toml or heliograph.toml",
            folder.display()
        );
    }
    match cli.command.unwrap_or(Command::Up) {
        Command::Up => Box::pin(up::run(folder)).await,
        Command::Migrate { service } => data::migrate(folder, service).await,
        Command::Seed => data::seed(folder).await,
        Command::Ingest(options) => data::ingest(folder, *options).await,
        Command::Import(options) => import::run(folder, *options).await,
        Command::Sites(options) => plants::sites(folder, options).await,
        Command::Account { command, at } => account::run(folder, command, at.place()).await,
        Command::Session { command, at } => sessions::run(folder, command, at.place()).await,
        Command::Key { command, at } => api_keys::run(folder, command, at.place()).await,
        Command::Audit { options, at } => audit::run(folder, options, at.place()).await,
        Command::SignIn { at } => sign_in::sign_in(folder, at.place()).await,
        Command::SignOut { at } => sign_in::sign_out(folder, at.place()).await,
        Command::Keys { command } => keys::run(folder, command).await,
        Command::Chat(options) => chat::run(folder, options).await,
        Command::Completions { shell } => completions(shell),
        Command::Mcp(options) => Box::pin(mcp::run(folder, options)).await,
        Command::Demo { command } => demo::run(folder, command).await,
        Command::Knowledge { command, at } => {
            Box::pin(knowledge::run(folder, command, at.place())).await
        }
        Command::Questions { command, at } => {
            questions::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Catalogue { command, at } => {
            catalogue::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Targets { command, at } => targets::run(folder, command, at.place()).await,
        Command::Sources { command, at } => sources::run(folder, command, at.place()).await,
        Command::Issuers { command, at } => issuers::run(folder, command, at.place()).await,
        Command::Upstreams { command, at } => upstreams::run(folder, command, at.place()).await,
        Command::Threads { command, at } => {
            threads::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Schedules { command, at } => schedules::run(folder, command, at.place()).await,
        Command::Graph { command } => graph::run(folder, command).await,
        Command::Eval { command } => eval::run(folder, command).await,
    }
}

/// Writes the completions of the command line.
fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut written = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "heliograph", &mut written);
    Ok(std::io::stdout().write_all(&written)?)
}
