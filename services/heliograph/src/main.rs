//! `heliograph`: see `heliograph --help`.

use clap::Parser;
use heliograph::cli::Cli;
use heliograph::commands;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> anyhow::Result<()> {
    // Each document is read in a separate process of this program.
    knowledge::reader_process::run_if_asked();
    let cli = Cli::parse();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(commands::run(cli))
}
