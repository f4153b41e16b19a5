//! `heliograph`: see `heliograph --help`.

use clap::Parser;
use heliograph::cli::Cli;
use heliograph::commands;

fn main() -> anyhow::Result<()> {
    // This program reads each document in a process of its own: itself, started once more.
    knowledge::reader_process::run_if_asked();
    let cli = Cli::parse();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(commands::run(cli))
}
