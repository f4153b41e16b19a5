//! `cargo xtask`: see `cargo xtask --help`.

use clap::Parser;
use xtask::cli::Cli;

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(xtask::run(cli))
}
