//! `heliograph`: see `heliograph --help`.

use clap::Parser;
use heliograph::cli::Cli;
use heliograph::commands;

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(commands::run(cli))
}
