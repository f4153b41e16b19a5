//! `cargo xtask`: see `cargo xtask --help`.

use clap::Parser;
use xtask::cli::Cli;

fn main() -> anyhow::Result<()> {
    // The demonstration has documents, and each is read in a separate process of this program.
    knowledge::reader_process::run_if_asked();
    let cli = Cli::parse();
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(xtask::run(cli))
}
