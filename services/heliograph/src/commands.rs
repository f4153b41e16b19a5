//! The commands.

mod account;
pub mod catalogue;
mod chat;
mod client;
pub mod data;
mod demo;
mod eval;
mod eval_retrieval;
mod graph;
mod keys;
mod knowledge;
mod model;
pub mod questions;
pub mod threads;
pub mod up;

use anyhow::bail;

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
        Command::Ingest(options) => data::ingest(folder, options).await,
        Command::Sites { file, tenant } => data::sites(folder, &file, &tenant).await,
        Command::Account { command } => account::run(folder, command).await,
        Command::Keys { command } => keys::run(folder, command).await,
        Command::Chat(options) => chat::run(folder, options).await,
        Command::Demo { command } => demo::run(folder, command).await,
        Command::Knowledge { command } => knowledge::run(folder, command).await,
        Command::Questions { command, at } => {
            questions::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Catalogue { command, at } => {
            catalogue::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Threads { command, at } => {
            threads::run(folder, command, (at.url.as_deref(), at.user.as_deref())).await
        }
        Command::Graph { command } => graph::run(folder, command).await,
        Command::Eval { command } => eval::run(folder, command).await,
    }
}
