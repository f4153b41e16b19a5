//! The workshop: commands for those who change Heliograph, apart from its product.
//!
//! `cargo xtask openapi` writes the OpenAPI documents, `cargo xtask diagrams` the page with the
//! graphs of the assistants, `cargo xtask generate` fills a database with a large fleet, and
//! `cargo xtask load` measures the three services under load. The library has [`load::Processes`],
//! with which tests start the services as processes of their own.
//!
//! Two tools stay apart. `query-metadata` compiles no crate with queries, so that it can describe
//! those that do not compile yet. `heliograph eval` measures data of users, who have no sources.

pub mod cli;
pub mod load;

mod diagrams;
mod generate;
mod openapi;

use cli::{Cli, Command};

/// Runs a command.
pub async fn run(cli: Cli) -> anyhow::Result<()> {
    let folder = cli.config.as_deref();
    match cli.command {
        Command::Openapi { folder, check } => openapi::run(&folder, check),
        Command::Diagrams { agents, page } => diagrams::run(&agents, &page),
        Command::Generate(options) => generate::run(folder, options).await,
        Command::Load(options) => Box::pin(load::command::run(folder, options)).await,
        Command::Floor { file } => load::floor::serve(file).await,
    }
}
